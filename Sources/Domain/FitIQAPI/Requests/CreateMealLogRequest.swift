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
