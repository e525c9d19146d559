/// A cache of recurring strings, such as users, worlds and faults, so that entries share their storage.
///
/// Each string has one slot, which the next string with the same hash takes, so the memory is bounded.
struct SharedNames {
    private var places = Array(repeating: "", count: 256)

    mutating func name(_ value: LineCursor.Value, _ cursor: LineCursor) -> String {
        // Short strings are stored inline.
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
