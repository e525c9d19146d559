/// The body of `POST /api/v1/goals` (goal-linking, createGoalOnBackend).
public struct CreateGoalRequest: Equatable, Sendable {
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    /// When the goal is to be reached.
    public var targetDate: DateTime
    /// 1 to 100 characters, or none.
    public var category: String?

    /// Makes a request from its parts.
    public init(title: String, description: String = "", targetDate: DateTime, category: String? = nil) {
        self.title = title
        self.description = description
        self.targetDate = targetDate
        self.category = category
    }

    /// Reads a body.
    ///
    /// - Throws: 400 that names the field, the value received and what is allowed.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        guard let title = try fields.text("title", characters: GoalLengths.title) else {
            throw .missingField("title", expected: "a string of 1 to 200 characters")
        }
        guard let description = try fields.text("description", characters: GoalLengths.description) else {
            throw .missingField("description", expected: "a string of 0 to 2000 characters")
        }
        guard let targetDate = try fields.dateTime("targetDate") else {
            throw .missingField("targetDate", expected: BodyReader.expectedDateTime)
        }
        category = try fields.text("category", characters: GoalLengths.category)
        self.title = title
        self.description = description
        self.targetDate = targetDate
    }
}

/// How long the texts of a goal may be, in characters.
enum GoalLengths {
    static let title = 1...200
    static let description = 0...2000
    static let category = 1...100
}
