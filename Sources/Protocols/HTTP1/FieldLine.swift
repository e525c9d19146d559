import Text

/// Where the name and the value of one field line lie.
///
/// field-line = field-name ":" OWS field-value OWS (RFC 9112 §5)
struct FieldLine: Sendable, Equatable {
    var name: ByteRange
    var value: ByteRange

    /// Parses a line that is not empty and has lost its CRLF.
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> FieldLine {
        let start = line.lower
        let end = line.upper
        // obs-fold = OWS CRLF RWS; "a server that receives an obs-fold … MUST either reject the message … or replace"
        // it (RFC 9112 §5.2). A recipient that folds where another does not can be smuggled past: refuse.
        if bytes[start].isWhitespace { throw .foldedLine(Excerpt(bytes, line)) }

        var index = start
        while index < end, bytes[index].isTokenCharacter { index += 1 }
        guard index < end, bytes[index] == .colon, index > start else { throw nameError(bytes, line, index) }
        let name = ByteRange(start, index)

        let value = bytes.trimmingWhitespace(ByteRange(index + 1, end))
        // One pass without an early exit, which the compiler turns into vector code; the position is found on failure.
        var invalid: UInt8 = 0
        for byte in bytes[value] { invalid |= byte.isFieldValueCharacter ? 0 : 1 }
        guard invalid == 0 else { throw valueError(bytes, line, value) }
        return FieldLine(name: name, value: value)
    }

    /// "No whitespace is allowed between the field name and colon … A server MUST reject" (RFC 9112 §5.1).
    private static func nameError(_ bytes: Bytes, _ line: ByteRange, _ stop: Int) -> RemoteError {
        let excerpt = Excerpt(bytes, line)
        var index = stop
        while index < line.upper, bytes[index].isWhitespace { index += 1 }
        if index < line.upper, bytes[index] == .colon {
            return index > stop ? .whitespaceBeforeColon(excerpt) : .emptyFieldName(excerpt)
        }
        for position in line.lower..<line.upper where bytes[position] == .colon {
            return .badFieldName(bytes[stop], excerpt)
        }
        return .fieldWithoutColon(excerpt)
    }

    private static func valueError(_ bytes: Bytes, _ line: ByteRange, _ value: ByteRange) -> RemoteError {
        for position in value.lower..<value.upper where !bytes[position].isFieldValueCharacter {
            // "A recipient of such a bare CR MUST consider that element to be invalid" (RFC 9112 §2.2).
            if bytes[position] == .carriageReturn { return .bareCarriageReturn(Excerpt(bytes, line)) }
            return .controlCharacterInValue(bytes[position], Excerpt(bytes, line))
        }
        preconditionFailure("a field value was found invalid and then valid")
    }
}
