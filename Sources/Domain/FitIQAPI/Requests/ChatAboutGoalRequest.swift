/// The body of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalRequest).
public struct ChatAboutGoalRequest: Equatable, Sendable {
    /// A UUID, in whatever case: whether the user has such a goal is the backend's to say.
    public var goalID: String

    /// Makes a request.
    public init(goalID: String) {
        self.goalID = goalID
    }

    /// Reads a body.
    ///
    /// - Throws: 400 where `goalId` is missing, no string or no UUID.
    public init(body: [UInt8]) throws(APIError) {
        let expected = "the id that POST /api/v1/goals answered with"
        guard let id = try BodyReader(body).string("goalId", expected: expected) else {
            throw .missingField("goalId", expected: expected)
        }
        guard ResourceID.read(id) != .malformed else { throw .malformedGoalID(id, field: "goalId") }
        goalID = id
    }
}
