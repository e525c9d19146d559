import JSON

/// Takes the fields of a request's body, and refuses what does not fit with the field, the value and what is allowed.
struct BodyReader {
    private let object: JSONObject
    /// The fields that there are in the form of one guide; nil where every field counts.
    private let known: [String]?

    /// The most bytes of UTF-8 that a text of limited length may have.
    private static let maximumTextByteCount = 16 * 1024
    /// Far more values than any body of the API has, and few enough to be read in no time.
    static let limits = JSON.Limits(values: 10_000)

    /// Parses a body; JSON that is not an object is refused.
    ///
    /// - Parameter known: the fields that the form knows; others are ignored, as if they had not been sent.
    init(_ body: [UInt8], known: [String]? = nil) throws(APIError) {
        guard !body.isEmpty else { throw .emptyBody }
        let value: JSONValue
        do {
            value = try JSON.parse(body, limits: Self.limits)
        } catch {
            throw .invalidJSON(error)
        }
        guard let object = value.object else { throw .bodyIsNotAnObject(value) }
        self.object = object
        self.known = known
    }

    /// The value of a field; null counts as absent (CONTRACT: common rules).
    subscript(_ field: String) -> JSONValue? {
        guard known?.contains(field) ?? true, let value = object[field], value != .null else { return nil }
        return value
    }

    /// A text of limited length, or nil where the field is absent.
    func text(_ field: String, characters: ClosedRange<Int>) throws(APIError) -> String? {
        guard let value = self[field] else { return nil }
        guard let text = value.string else { throw .wrongType(field, expected: "a string", got: value) }
        // Bytes first: a single character can have any number of combining marks.
        guard text.utf8.count <= Self.maximumTextByteCount else {
            throw .tooManyBytes(field, limit: Self.maximumTextByteCount, got: text.utf8.count)
        }
        guard characters.contains(text.count) else {
            throw .wrongLength(field, allowed: characters, got: text.count)
        }
        return text
    }

    /// One of a closed set of names, or nil where the field is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ field: String, of type: Choice.Type
    ) throws(APIError) -> Choice? {
        guard let value = self[field] else { return nil }
        let allowed = Choice.allCases.map(\.rawValue)
        guard let text = value.string else {
            throw .wrongType(
                field, expected: "one of " + allowed.map { quoted($0) }.joined(separator: ", "), got: value)
        }
        guard let choice = Choice(rawValue: text) else { throw .unknownChoice(field, got: text, allowed: allowed) }
        return choice
    }
}
