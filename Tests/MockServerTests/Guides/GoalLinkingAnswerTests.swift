import FitIQAPI
import Foundation
import GuideModels
import TestSupport
import Testing

@testable import MockServer

@Suite("A client of goal-linking reads every answer, and its flows work") struct GoalLinkingAnswerTests {
    typealias Guide = GoalLinkingGuide

    static let servers = [GuideMode.union, .goalLinking]
    private static let targetDate = Date(timeIntervalSince1970: 1_740_787_200)

    private func create(_ client: GuideClient, _ category: String? = nil) throws -> Guide.BackendGoal {
        let request = Guide.CreateGoalRequest(
            title: "Exercise 3x per week", description: "", targetDate: Self.targetDate, category: category)
        let response = try client.post("goals", request)
        return try client.read(Guide.BackendGoal.self, Guide.goal(), response, status: 201)
    }

    private func show(_ client: GuideClient, _ goal: String) throws -> Guide.BackendGoal {
        try client.read(Guide.BackendGoal.self, Guide.goal(), client.get("goals/\(goal)"))
    }

    private func update(
        _ client: GuideClient, _ goal: String, _ request: Guide.UpdateGoalRequest
    ) throws -> Guide.BackendGoal {
        try client.read(Guide.BackendGoal.self, Guide.goal(), client.patch("goals/\(goal)", request))
    }

    private func chat(_ client: GuideClient, _ goal: String) throws -> Guide.ChatAboutGoalResponse {
        let response = try client.post("consultations/chat-about-goal", Guide.ChatAboutGoalRequest(goalId: goal))
        return try client.read(Guide.ChatAboutGoalResponse.self, Guide.chatAboutGoal(), response, status: 201)
    }

    private func conversation(_ client: GuideClient, _ id: String) throws -> Guide.Conversation {
        try client.read(Guide.Conversation.self, Guide.conversation(), client.get("consultations/\(id)"))
    }

    @Test("The client decodes a goal from each operation, with and without a category", arguments: servers)
    func goals(server: GuideMode) throws {
        let client = GuideClient(.goalLinking, of: server)
        let created = [try create(client), try create(client, "fitness")]
        #expect(created.map(\.category) == [nil, "fitness"])
        #expect(created.allSatisfy { $0.status == .notStarted && $0.progress == 0 && $0.userId == TestUser.anna })
        #expect(created.allSatisfy { $0.targetDate == Self.targetDate && $0.conversationId == nil })
        for status in Guide.GoalStatus.allCases {
            client.network.advance(by: .seconds(1))
            let changed = try update(client, created[0].id, .init(progress: 1, status: status.rawValue))
            #expect(changed.status == status && changed.progress == 1 && changed.createdAt == created[0].createdAt)
            #expect(try show(client, created[0].id).updatedAt == changed.updatedAt)
        }
        let list = try client.read(Guide.GoalsResponse.self, Guide.list(), client.get("goals"))
        #expect(list.goals.map(\.id) == created.map(\.id) && list.totalCount == 2)
    }

    @Test("Flow 1: the client starts a chat about a goal and continues the conversation", arguments: servers)
    func chatAboutGoal(server: GuideMode) throws {
        let client = GuideClient(.goalLinking, of: server)
        let goal = try create(client)
        client.network.advance(by: .seconds(1))
        let opened = try chat(client, goal.id)
        #expect(opened.goalId == goal.id && opened.persona.name == "Wellness Coach")
        #expect(opened.createdAt == goal.createdAt + 1)

        // Both ends are linked, and the conversation is empty.
        let linked = try show(client, goal.id)
        #expect(linked.conversationId == opened.conversationId && linked.updatedAt == opened.createdAt)
        let before = try conversation(client, opened.conversationId)
        #expect(before.goalId == goal.id && before.persona.id == opened.persona.id)
        #expect(before.messageCount == 0 && before.lastMessageAt == nil)

        let socket = try client.connect(opened.conversationId)
        socket.send(#"{"type":"message","content":"How do I begin?"}"#)
        client.network.advance(by: .seconds(5))
        #expect(socket.takeTypes().last == "stream_complete")
        let after = try conversation(client, opened.conversationId)
        #expect(after.messageCount == 2 && after.lastMessageAt == after.updatedAt)

        let continued = try chat(client, goal.id)
        #expect(continued.conversationId == opened.conversationId && continued.createdAt == opened.createdAt)
        #expect(client.network.engine.defaultWorld.backend.consultationCount == 1)
    }

    @Test("Flow 2: the client creates a goal that is linked to its chat", arguments: servers)
    func createFromChat(server: GuideMode) throws {
        let client = GuideClient(.goalLinking, of: server)
        let first = try create(client)
        let id = try chat(client, first.id).conversationId
        let suggested = try create(client, "fitness")
        client.network.advance(by: .seconds(1))
        let linked = try update(client, suggested.id, .init(conversationId: id))
        #expect(linked.conversationId == id && linked.updatedAt == suggested.updatedAt + 1)
        #expect(try conversation(client, id).goalId == suggested.id)
        // A conversation can have only one goal, so the first goal now has no conversation.
        #expect(try show(client, first.id).conversationId == nil)
        #expect(try chat(client, suggested.id).conversationId == id)
        // The conversation remembers its original goal, so chatting about the first goal takes it back.
        #expect(try chat(client, first.id).conversationId == id)
        #expect(try conversation(client, id).goalId == first.id)
        #expect(try show(client, suggested.id).conversationId == nil)
        #expect(try chat(client, suggested.id).conversationId != id)
    }

    @Test("Flow 3: a sync finds each goal's conversation until it is archived", arguments: servers)
    func sync(server: GuideMode) throws {
        let client = GuideClient(.goalLinking, of: server)
        let goals = [try create(client), try create(client)]
        let id = try chat(client, goals[1].id).conversationId
        let list = try client.read(Guide.GoalsResponse.self, Guide.list(), client.get("goals"))
        #expect(list.goals.map(\.conversationId) == [nil, id])
        #expect(try client.post("consultations/\(id)/archive").status == 200)
        let later = try client.read(Guide.GoalsResponse.self, Guide.list(), client.get("goals"))
        #expect(later.goals.map(\.conversationId) == [nil, nil])
        // Another user cannot see the goal.
        let stranger = client.loggedIn(as: TestUser.ben)
        let none = try stranger.read(Guide.GoalsResponse.self, Guide.list(), stranger.get("goals"))
        #expect(none.goals.isEmpty && none.totalCount == 0)
    }

    @Test("Errors have the union's form for every request", arguments: servers)
    func refusals(server: GuideMode) throws {
        let client = GuideClient(.goalLinking, of: server)
        let goal = try create(client).id
        let local = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        for (response, status) in [
            (try client.post("consultations/chat-about-goal", Guide.ChatAboutGoalRequest(goalId: local)), 404),
            (try client.post("consultations/chat-about-goal", Guide.ChatAboutGoalRequest(goalId: "7")), 400),
            (try client.get("goals/\(goal.uppercased())"), 404),
            (try client.patch("goals/\(goal)", Guide.UpdateGoalRequest(conversationId: local)), 404),
            (try client.patch("goals/\(goal)", Guide.UpdateGoalRequest(progress: 45)), 400),
            (try client.post("goals", ["title": "No date", "description": ""]), 400),
        ] {
            #expect(response.status == status && Shape.failure(in: server).differences(from: response.body) == [])
        }
    }
}
