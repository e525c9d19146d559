import FitIQAPI
import JSON

@testable import FitIQBackend

extension World {
    /// 2025-03-01T00:00:00Z.
    static let targetDate = DateTime(secondsSinceEpoch: 1_740_787_200)

    mutating func createGoal(_ title: String = "Run", category: String? = nil, by user: UserID) throws(APIError)
        -> String
    {
        let request = CreateGoalRequest(title: title, targetDate: World.targetDate, category: category)
        let body = try backend.createGoal(request, by: user, &turn)
        return (try? JSON.parse(body))?["id"]?.string ?? ""
    }

    @discardableResult
    mutating func update(
        _ id: String, by user: UserID, _ change: (inout UpdateGoalRequest) -> Void
    ) throws(APIError) -> [UInt8] {
        var request = UpdateGoalRequest()
        change(&request)
        return try backend.updateGoal(id, request, by: user, &turn)
    }

    mutating func link(_ id: String, with conversation: String, by user: UserID) throws(APIError) {
        try update(id, by: user) { $0.conversation = .link(conversation) }
    }

    /// The conversation's id in the answer.
    mutating func chatAboutGoal(_ id: String, by user: UserID) throws(APIError) -> String {
        let body = try backend.chatAboutGoal(ChatAboutGoalRequest(goalID: id), by: user, &turn)
        return (try? JSON.parse(body))?["conversationId"]?.string ?? ""
    }

    func goal(_ id: String, for user: UserID) throws -> JSONValue { try JSON.parse(try backend.goal(id, for: user)) }

    /// A goal's conversation, or nil.
    func conversation(of goal: String, for user: UserID) throws -> String? {
        try self.goal(goal, for: user)["conversationId"]?.string
    }

    /// A consultation's goal, or nil.
    func goalID(of consultation: String, for user: UserID) throws -> String? {
        try show(consultation, for: user)["goal_id"]?.string
    }
}
