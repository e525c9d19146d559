/// All fields, for what keeps a record of them.
extension FieldBlock {
    /// The field lines in the order of their arrival, names in the case in which they came.
    public var nameValuePairs: [(name: String, value: String)] {
        bytes.withUnsafeBufferPointer { bytes in
            lines.map { line in
                (String(decoding: bytes[line.name], as: UTF8.self), String(decoding: bytes[line.value], as: UTF8.self))
            }
        }
    }
}

extension RequestHead {
    /// The bytes that the head keeps alive: as many as arrived of it, from the first line to the empty one.
    public var byteCount: Int { fields.bytes.count }
}
