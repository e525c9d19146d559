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

    /// Whether a field is there and null, for those that tell null from absent.
    func isNull(_ field: String) -> Bool { object[field] == .null }

    /// A text of any length, or nil where the field is absent; for ids, which are looked up whatever they are.
    func string(_ field: String, expected: String) throws(APIError) -> String? {
        guard let value = self[field] else { return nil }
        guard let text = value.string else { throw .wrongType(field, expected: expected, got: value) }
        return text
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

    /// A number in a range, or nil where the field is absent; `-0` is 0.
    func number(_ field: String, in range: ClosedRange<Double>) throws(APIError) -> Double? {
        guard let value = self[field] else { return nil }
        guard let number = value.number?.double, range.contains(number) else {
            throw .numberExpected(field, allowed: range, got: value)
        }
        return number == 0 ? 0 : number
    }

    /// What ``dateTime(_:)`` reads, for messages.
    static let expectedDateTime = "an ISO 8601 date-time such as \"2025-03-01T00:00:00Z\""

    /// A point in time in the form of RFC 3339 §5.6, or nil where the field is absent.
    func dateTime(_ field: String) throws(APIError) -> DateTime? {
        guard let value = self[field] else { return nil }
        guard let text = value.string, let time = DateTime(text) else { throw .dateTimeExpected(field, got: value) }
        return time
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

/// The body of `POST /api/v1/meal-logs/natural` (meal-log-websocket, CreateMealLogRequest).
public struct CreateMealLogRequest: Equatable, Sendable {
    /// The meal in plain words, 1 to 1,000 characters and not blank; kept as it was sent.
    public var rawInput: String
    /// Which meal of the day it was.
    public var mealType: MealType
    /// When it was eaten; nil for now.
    public var loggedAt: DateTime?

    /// The longest text, in characters as Swift counts them.
    public static let maximumInputLength = 1000

    /// Makes a request from its parts.
    public init(rawInput: String, mealType: MealType, loggedAt: DateTime? = nil) {
        self.rawInput = rawInput
        self.mealType = mealType
        self.loggedAt = loggedAt
    }

    /// Reads a body.
    ///
    /// - Throws: 400 that names the field, the value received and what is allowed.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        guard let rawInput = try fields.text("raw_input", characters: 1...Self.maximumInputLength) else {
            throw .missingField("raw_input", expected: "the meal in words, such as \"2 eggs and toast\"")
        }
        guard rawInput.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { throw .blankRawInput }
        self.rawInput = rawInput
        guard let mealType = try fields.choice("meal_type", of: MealType.self) else {
            let names = MealType.allCases.map { quoted($0.rawValue) }.joined(separator: ", ")
            throw .missingField("meal_type", expected: "one of \(names)")
        }
        self.mealType = mealType
        loggedAt = try fields.dateTime("logged_at")
    }
}
