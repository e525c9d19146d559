/// Strings that come again and again, users and worlds and faults, so that entries share their storage.
///
/// Each has one place, which the next one that hashes there takes: the memory is bounded, whatever comes.
struct SharedNames {
    private var places = Array(repeating: "", count: 256)

    /// The string that a value stands for.
    mutating func name(_ value: LineCursor.Value, _ cursor: LineCursor) -> String {
        // What is short lies within the string itself.
        guard !value.hasEscapes, value.count > 15 else { return cursor.text(value) }
        let bytes = UnsafeBufferPointer(rebasing: cursor.bytes[Int(value.start)..<Int(value.end)])
        // FNV-1a.
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let place = Int((hash ^ hash >> 16) & 0xFF)
        if places[place].utf8.count == bytes.count, places[place].utf8.elementsEqual(bytes) { return places[place] }
        let name = String(decoding: bytes, as: UTF8.self)
        places[place] = name
        return name
    }
}
