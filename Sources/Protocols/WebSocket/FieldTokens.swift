import HTTPTypes

/// Reads fields that are comma-separated lists of tokens, in one field line or several.
enum FieldTokens {
    /// Whether the field holds `token`, which must be in lower case; the peer may write it in any case.
    ///
    /// RFC 9110 §5.6.1: `#element => [ element ] *( OWS "," OWS [ element ] )`; empty elements are skipped.
    static func contains(_ token: StaticString, in name: HTTPField.Name, of fields: HTTPFields) -> Bool {
        fields[values: name].contains { contains(token, in: $0) }
    }

    static func contains(_ token: StaticString, in list: String) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { element in
            equals(trimmed(element), token)
        }
    }

    /// A field's one value without surrounding white space; nil unless there is exactly one field line.
    static func single(_ name: HTTPField.Name, of fields: HTTPFields) -> String? {
        let values = fields[values: name]
        guard values.count == 1 else { return nil }
        return String(Substring(trimmed(Substring(values[0]).utf8)))
    }

    private static func trimmed(_ element: Substring.UTF8View) -> Substring.UTF8View {
        // RFC 9110 §5.6.3: OWS = *( SP / HTAB )
        var element = element
        while let first = element.first, first == 0x20 || first == 0x09 { element.removeFirst() }
        while let last = element.last, last == 0x20 || last == 0x09 { element.removeLast() }
        return element
    }

    private static func equals(_ element: Substring.UTF8View, _ token: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
        return element.elementsEqual(expected) { byte, lower in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 == lower : byte == lower
        }
    }
}
