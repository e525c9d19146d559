import JSON

/// Reads the fields of a request body; throws a 400 with the field, the value and the allowed values.
package struct BodyReader {
    package let object: JSONObject
    /// The fields in the form of one guide; nil to read every field.
    private let known: [String]?

    /// The maximum number of UTF-8 bytes in a string with a length limit.
    static let maximumTextByteCount = 16 * 1024
    /// The limit is far above the size of any API body, but low enough for bodies to be read quickly.
    package static let limits = JSON.Limits(values: 10_000)

    /// Parses a body; throws if it is not a JSON object.
    ///
    /// - Parameter known: The form's fields; other fields are ignored.
    package init(_ body: [UInt8], known: [String]? = nil, limits: JSON.Limits = BodyReader.limits) throws(APIError) {
        guard !body.isEmpty else { throw .emptyBody }
        let value: JSONValue
        do { value = try JSON.parse(body, limits: limits) } catch { throw .invalidJSON(error) }
        guard let object = value.object else { throw .bodyIsNotAnObject(value) }
        (self.object, self.known) = (object, known)
    }

    /// Creates a reader for an object inside a body.
    init(_ object: JSONObject) { (self.object, known) = (object, nil) }

    /// The value of a field; null counts as absent.
    package subscript(_ field: String) -> JSONValue? {
        guard known?.contains(field) ?? true, let value = object[field], value != .null else { return nil }
        return value
    }

    /// Whether a field is present and null, for fields that distinguish null from absent.
    func isNull(_ field: String) -> Bool { object[field] == .null }

    /// A field's value read by a function, or nil if the field is absent.
    package func value<Value>(
        _ field: String, expected: @autoclosure () -> String, _ read: (JSONValue) -> Value?
    ) throws(APIError) -> Value? {
        guard let value = self[field] else { return nil }
        guard let reading = read(value) else { throw .wrongType(field, expected: expected(), got: value) }
        return reading
    }

    /// A string of any length, or nil if the field is absent; use it for ids, which are looked up unchanged.
    package func string(_ field: String, expected: String) throws(APIError) -> String? {
        try value(field, expected: expected, \.string)
    }

    /// A string of limited length, or nil if the field is absent.
    func text(
        _ field: String, characters: ClosedRange<Int>, bytes limit: Int = maximumTextByteCount
    ) throws(APIError) -> String? {
        guard let value = self[field] else { return nil }
        guard let text = value.string else { throw .wrongType(field, expected: "a string", got: value) }
        // Check bytes first: a character can have any number of combining marks.
        guard text.utf8.count <= limit else { throw .tooManyBytes(field, limit: limit, got: text.utf8.count) }
        guard characters.contains(text.count) else { throw .wrongLength(field, allowed: characters, got: text.count) }
        return text
    }

    /// A string of limited length; throws a 400 if the field is absent.
    func requiredText(_ field: String, characters: ClosedRange<Int>) throws(APIError) -> String {
        try text(field, characters: characters).required(field, expected: Self.text(of: characters))
    }

    static func text(of range: ClosedRange<Int>) -> String {
        "a string of \(range.lowerBound) to \(range.upperBound) characters"
    }

    /// A number in a range, or nil if the field is absent; `-0` is 0.
    func number(_ field: String, in range: ClosedRange<Double>) throws(APIError) -> Double? {
        guard let value = self[field] else { return nil }
        guard let number = value.number?.double, range.contains(number) else {
            throw .numberExpected(field, allowed: range, got: value)
        }
        return number == 0 ? 0 : number
    }

    static let expectedDateTime = "an ISO 8601 date-time such as \"2025-03-01T00:00:00Z\""
    static let expectedDateOrTime = "a date such as \"2025-03-01\", or " + expectedDateTime

    /// A date-time (RFC 3339 §5.6), or nil if the field is absent.
    ///
    /// - Parameter takesDate: Whether a bare date, which means its first second in UTC, is allowed.
    func dateTime(_ field: String, orDate takesDate: Bool = false) throws(APIError) -> DateTime? {
        guard let value = self[field] else { return nil }
        guard let text = value.string, let time = (takesDate ? DateTime(date: text) : nil) ?? DateTime(text) else {
            let expected = takesDate ? Self.expectedDateOrTime : Self.expectedDateTime
            throw .dateTimeExpected(field, expected: expected, got: value)
        }
        return time
    }

    /// One of a closed set of names, or nil if the field is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ field: String, among known: [Choice] = Array(Choice.allCases)
    ) throws(APIError) -> Choice? {
        let text = try value(field, expected: Self.names(among: known), \.string)
        return try text.map { text throws(APIError) in try .named(text, among: known, in: field) }
    }

    /// `one of "a", "b"`, for messages.
    static func names(among choices: [some RawRepresentable<String>]) -> String {
        "one of " + choices.map { quoted($0.rawValue) }.joined(separator: ", ")
    }
}

extension RawRepresentable<String> {
    /// The case whose name equals a string.
    static func named(_ text: String, among known: [Self], in field: String) throws(APIError) -> Self {
        guard let choice = known.first(where: { $0.rawValue.isExactly(text) }) else {
            throw .unknownChoice(field, got: text, allowed: known.map(\.rawValue))
        }
        return choice
    }
}

extension Optional {
    /// The value of a required field.
    package func required(_ field: String, expected: @autoclosure () -> String) throws(APIError) -> Wrapped {
        guard let self else { throw .missingField(field, expected: expected()) }
        return self
    }
}
