/// Base64 with padding, after RFC 4648 §4; only encoding, for what is not text.
///
/// `Digests` has it too, and brings OpenSSL, which a journal can do without.
enum Base64Text {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    static func encode(_ bytes: [UInt8]) -> String {
        let characters = alphabet.utf8Start
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { out in
            var written = 0
            var index = 0
            while index < bytes.count {
                let left = min(3, bytes.count - index)
                var group: UInt32 = 0
                for offset in 0..<3 { group = group << 8 | (offset < left ? UInt32(bytes[index + offset]) : 0) }
                for position in 0..<4 {
                    // n bytes have n + 1 characters; the rest is padding.
                    out[written] =
                        position <= left ? characters[Int(group >> UInt32(18 - 6 * position) & 63)] : UInt8(ascii: "=")
                    written += 1
                }
                index += 3
            }
            return written
        }
    }
}
