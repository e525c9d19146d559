/// Base64 in its two alphabets, decoded strictly and in linear time.
///
/// OpenSSL's `EVP_DecodeBlock` skips leading white space, counts padding as zero bytes and accepts stray bits in the
/// last character, so several strings decode to the same bytes. A signature or a handshake key must have exactly one
/// spelling. Source: RFC 4648 §4 and §5; §3.2, §3.3 and §3.5 for the rejected forms.
public enum Base64 {
    /// Encodes with the standard alphabet and `=` padding (RFC 4648 §4).
    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: .standard) }
    /// Encodes with the URL- and filename-safe alphabet, without padding (RFC 4648 §5; RFC 7515 §2 for the padding).
    public static func encodeURL(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: .urlSafe) }

    /// Decodes the standard alphabet; nil unless `text` is the result of `encode` for some bytes.
    ///
    /// White space, line breaks, the URL-safe alphabet, missing or excess padding, and non-zero pad bits are rejected.
    /// Source: RFC 4648 §4, §3.5.
    public static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { characters in
            guard characters.count % 4 == 0 else { return nil }
            // Padding is only allowed at the end of the last group, and a group has at least two characters.
            var end = characters.count
            for _ in 0..<2 where end > 0 && characters[end - 1] == UInt8(ascii: "=") { end -= 1 }
            return decode(UnsafeBufferPointer(rebasing: characters[..<end]), alphabet: .standard)
        }
    }

    /// Decodes the URL-safe alphabet without padding; nil unless `text` is the result of `encodeURL` for some bytes.
    ///
    /// White space, `=`, `+`, `/`, a single last character, and non-zero pad bits are rejected. Source: RFC 4648 §5,
    /// §3.5.
    public static func decodeURL(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0, alphabet: .urlSafe) }
    }

    private enum Alphabet {
        case standard, urlSafe

        /// The characters of the values 0 to 63.
        var characters: StaticString {
            switch self {
            case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            case .urlSafe: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            }
        }

        /// The value of a character, or nil if it is not in the alphabet.
        @inline(__always)
        func value(of character: UInt8) -> UInt32? {
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): self == .standard ? 62 : nil
            case UInt8(ascii: "/"): self == .standard ? 63 : nil
            case UInt8(ascii: "-"): self == .urlSafe ? 62 : nil
            case UInt8(ascii: "_"): self == .urlSafe ? 63 : nil
            default: nil
            }
        }
    }

    private static func encode(_ bytes: [UInt8], alphabet: Alphabet) -> String {
        let characters = alphabet.characters.utf8Start
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { out in
            var written = 0
            var index = 0
            func write(_ value: UInt32) {
                out[written] = characters[Int(value & 63)]
                written += 1
            }
            while index + 3 <= bytes.count {
                let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                write(group >> 18)
                write(group >> 12)
                write(group >> 6)
                write(group)
                index += 3
            }
            let left = bytes.count - index
            guard left > 0 else { return written }
            let group = UInt32(bytes[index]) << 16 | (left == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
            write(group >> 18)
            write(group >> 12)
            if left == 2 { write(group >> 6) }
            guard alphabet == .standard else { return written }
            for _ in left..<3 {
                out[written] = UInt8(ascii: "=")
                written += 1
            }
            return written
        }
    }

    /// Decodes characters without their padding.
    private static func decode(_ characters: UnsafeBufferPointer<UInt8>, alphabet: Alphabet) -> [UInt8]? {
        // A single character carries only six bits (RFC 4648 §4).
        guard characters.count % 4 != 1 else { return nil }
        let count = characters.count * 3 / 4
        var out: [UInt8] = []
        out.reserveCapacity(count)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters {
            guard let value = alphabet.value(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            out.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        // RFC 4648 §3.5: "implementations MAY chose to ... reject an encoding if the pad bits have not been set to
        // zero". Reject non-zero pad bits, so that every byte string has exactly one encoding.
        guard bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
        return out
    }
}
