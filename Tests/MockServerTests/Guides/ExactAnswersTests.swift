import FitIQAPI
import Foundation
import GuideModels
import JSON
import TestSupport
import Testing

@testable import MockServer

/// The members in a mode's answers that its guide's models lack, and the models' members that no answer has.
struct ModelComparison {
    let mode: GuideMode
    private(set) var endpoints: Set<Endpoint> = []
    private var more: [String: Set<String>] = [:]
    private var filled: [String: Set<String>] = [:]
    private var empty: [String: Set<String>] = [:]

    init(_ mode: GuideMode) { self.mode = mode }

    /// `mode: place + member` for a member that a model lacks, and `mode: model - member` for a member that no answer
    /// has.
    var differences: [String] {
        more.flatMap { place, members in members.map { "\(mode.rawValue): \(place) + \($0)" } }
            + empty.flatMap { model, members in
                members.subtracting(filled[model] ?? []).map { "\(mode.rawValue): \(model) - \($0)" }
            }
    }

    mutating func compare<Model: Decodable>(_ endpoint: Endpoint, _ response: Response, _ model: Model.Type) throws {
        #expect((200..<300).contains(response.status), "\(endpoint): \(response.text)")
        endpoints.insert(endpoint)
        let path = endpoint.template.dropFirst("/api/v1".count)
        try compare("\(endpoint.method) \(path)", response.json, model)
    }

    mutating func compare<Model: Decodable>(_ place: String, _ value: JSONValue?, _ model: Model.Type) throws {
        let value = try #require(value)
        let decoded = try JSONDecoder.iso8601().decode(model, from: Data(value.encoded()))
        var properties: (filled: Set<String>, empty: Set<String>) = ([], [])
        collect(decoded, at: "", into: &properties)
        filled["\(model)", default: []].formUnion(properties.filled)
        empty["\(model)", default: []].formUnion(properties.empty)
        let unread = Set(Self.members(of: value, at: "")).subtracting(properties.filled).subtracting(properties.empty)
        more[place, default: []].formUnion(unread)
    }

    private func collect(_ value: Any, at path: String, into found: inout (filled: Set<String>, empty: Set<String>)) {
        if value is Date || value is UUID { return }
        for child in Mirror(reflecting: value).children {
            let mirror = Mirror(reflecting: child.value)
            let path = child.label.map { path.isEmpty ? key($0) : "\(path).\(key($0))" } ?? "\(path)[]"
            let isOptional = mirror.displayStyle == .optional
            if isOptional, mirror.children.isEmpty {
                found.empty.insert(path)
            } else {
                if child.label != nil { found.filled.insert(path) }
                collect(isOptional ? mirror.children.first!.value : child.value, at: path, into: &found)
            }
        }
    }

    /// The name in JSON: the guides' models convert `userID` and `userId` to `user_id`, except in goal-linking.
    private func key(_ property: String) -> String {
        guard mode != .goalLinking else { return property }
        return property.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
    }

    private static func members(of value: JSONValue, at path: String) -> [String] {
        switch value {
        case .object(let object):
            object.flatMap { member -> [String] in
                let path = path.isEmpty ? member.key : "\(path).\(member.key)"
                return [path] + members(of: member.value, at: path)
            }
        case .array(let elements): elements.flatMap { members(of: $0, at: "\(path)[]") }
        default: []
        }
    }
}

@Suite("Answers in a guide mode have exactly the members of the guide's models") struct ExactAnswersTests {
    /// The rows of DEVIATIONS: a mode, places or models, additional members, missing members, and the reason.
    static func argued() throws -> [String] {
        let lines = try textOfPackage("openapi/DEVIATIONS.md").components(separatedBy: "\n")
            .drop { $0 != "## Where a mode differs from its guide's models" }.dropFirst()
            .prefix { !$0.hasPrefix("## ") }
        return lines.filter { $0.hasPrefix("| `") }.flatMap { line -> [String] in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, !cells[4].isEmpty else { return ["five cells: \(line)"] }
            func codes(_ cell: String) -> [String] {
                cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            }
            return codes(cells[1]).flatMap { place in
                codes(cells[2]).map { "\(codes(cells[0])[0]): \(place) + \($0)" }
                    + codes(cells[3]).map { "\(codes(cells[0])[0]): \(place) - \($0)" }
            }
        }
    }

    @Test("Every listed difference exists and has a reason", arguments: GuideMode.guides)
    func differences(mode: GuideMode) throws {
        var comparison = ModelComparison(mode)
        switch mode {
        case .consultationWebSocket: try Self.consultationWebSocket(&comparison)
        case .enhancedConsultations: try Self.enhancedConsultations(&comparison)
        case .goalLinking: try Self.goalLinking(&comparison)
        case .webSocketArchitecture: try Self.webSocketArchitecture(&comparison)
        case .mealLogWebSocket: try Self.mealLogWebSocket(&comparison)
        case .union: break
        }
        let documented = Endpoint.allCases.filter { mode.provision(of: $0) == .documented && $0 != .webSocket }
        #expect(comparison.endpoints == Set(documented), "An endpoint of the guide is not compared.")
        let argued = try Self.argued().filter { $0.hasPrefix("\(mode.rawValue): ") || $0.hasPrefix("five") }
        #expect(Set(argued).count == argued.count)
        let found = Set(comparison.differences)
        #expect(found.subtracting(argued).sorted() == [], "Neither in the guide's models nor in DEVIATIONS.")
        #expect(Set(argued).subtracting(found).sorted() == [], "DEVIATIONS argues for what is not so.")
    }

    /// Sends these texts on a socket while meals are being logged, and returns the socket's frames.
    private static func frames(
        _ client: GuideClient, on consultation: String, _ texts: [String], meals: [String] = []
    ) throws -> [JSONValue] {
        let socket = try client.connect(consultation)
        for text in texts {
            socket.send(text)
            client.network.advance(by: .seconds(20))
        }
        for meal in meals {
            _ = try client.post("meal-logs/natural", ["raw_input": meal, "meal_type": "lunch"])
            client.network.advance(by: .seconds(5))
        }
        return socket.takeFrames()
    }

    private static func consultationWebSocket(_ comparison: inout ModelComparison) throws {
        typealias Guide = ConsultationWebSocketGuide
        let client = GuideClient(.consultationWebSocket, of: .consultationWebSocket)
        let body = ["persona": "nutritionist", "goal_id": try client.goal()]
        let created = try client.post("consultations", body)
        try comparison.compare(.createConsultation, created, Guide.CreateConsultationResponse.self)
        try comparison.compare("409", client.post("consultations", body).json, Guide.ConflictErrorResponse.self)
        let id = try #require(created.json?["data"]?["consultation"]?["id"]?.string)
        let texts = [#"{"type":"message","content":"Lunch?"}"#, #"{"type":"ping"}"#, "{"]
        let frames = try frames(client, on: id, texts)
        #expect(Set(frames.story) == Set(Guide.frameTypes))
        for frame in frames { try comparison.compare("frames", frame, Guide.WebSocketMessage.self) }
        try comparison.compare(.showConsultation, client.get("consultations/\(id)"), Guide.ConsultationResponse.self)
        try comparison.compare(.listMessages, client.get("consultations/\(id)/messages"), Guide.MessagesResponse.self)
    }

    private static func enhancedConsultations(_ comparison: inout ModelComparison) throws {
        typealias Guide = EnhancedConsultationsGuide
        let client = GuideClient(.enhancedConsultations, of: .enhancedConsultations)
        let created = try client.post(
            "consultations",
            Guide.CreateConsultationRequest(
                persona: .nutritionist, contextType: .goal, contextId: try client.goal(), title: "Lunches"))
        try comparison.compare(.createConsultation, created, Guide.ConsultationResponse.self)
        let id = try #require(created.json?["data"]?["id"]?.string)
        let question = #"{"type":"user_message","content":"Create a meal plan template, please."}"#
        let frames = try frames(client, on: id, [question, "{"])
        #expect(Set(frames.story) == Set(Guide.WebSocketMessageType.allCases.map(\.rawValue)))
        for frame in frames { try comparison.compare("frames", frame, Guide.IncomingMessage.self) }
        try comparison.compare(.listMessages, client.get("consultations/\(id)/messages"), Guide.MessagesResponse.self)
        try comparison.compare(.showConsultation, client.get("consultations/\(id)"), Guide.ConsultationResponse.self)
        try comparison.compare(.listConsultations, client.get("consultations"), Guide.ConsultationsListResponse.self)
        let archived = try client.post("consultations/\(id)/archive")
        try comparison.compare(.archiveConsultation, archived, Guide.ConsultationResponse.self)
        let actions = try client.get("consultations/quick-actions")
        try comparison.compare(.listQuickActions, actions, Guide.QuickActionsResponse.self)
    }

    private static func goalLinking(_ comparison: inout ModelComparison) throws {
        typealias Guide = GoalLinkingGuide
        let client = GuideClient(.goalLinking, of: .goalLinking)
        let request = Guide.CreateGoalRequest(title: "Run", description: "", targetDate: Date(), category: "fitness")
        let created = try client.post("goals", request)
        try comparison.compare(.createGoal, created, Guide.BackendGoal.self)
        let goal = try #require(created.json?["id"]?.string)
        let chat = try client.post("consultations/chat-about-goal", Guide.ChatAboutGoalRequest(goalId: goal))
        try comparison.compare(.chatAboutGoal, chat, Guide.ChatAboutGoalResponse.self)
        let id = try #require(chat.json?["conversationId"]?.string)
        _ = try frames(client, on: id, [#"{"type":"message","content":"Go?"}"#])
        try comparison.compare(.showConsultation, client.get("consultations/\(id)"), Guide.Conversation.self)
        try comparison.compare(.showGoal, client.get("goals/\(goal)"), Guide.BackendGoal.self)
        try comparison.compare(.createGoal, client.get("goals/\(goal)"), Guide.BackendGoal.self)
        let changed = try client.patch("goals/\(goal)", Guide.UpdateGoalRequest(progress: 0.5))
        try comparison.compare(.updateGoal, changed, Guide.BackendGoal.self)
        try comparison.compare(.listGoals, client.get("goals"), Guide.GoalsResponse.self)
    }

    private static func webSocketArchitecture(_ comparison: inout ModelComparison) throws {
        typealias Guide = WebSocketArchitectureGuide
        let client = GuideClient(.webSocketArchitecture, of: .webSocketArchitecture)
        let created = try client.post("consultations", Guide.CreateConsultationRequest(coachType: "nutritionist"))
        try comparison.compare(.createConsultation, created, Guide.CreateConsultationResponse.self)
        let id = try #require(created.json?["consultation_id"]?.string)
        let texts = [#"{"type":"message","content":"Lunch?"}"#, #"{"type":"ping"}"#, "{"]
        let frames = try frames(client, on: id, texts, meals: ["120g chicken breast", "qwertyuiop"])
        #expect(frames.story.count == 7)
        for frame in frames {
            let type = try #require(frame["type"]?.string)
            switch type {
            case "meal_log.completed":
                try comparison.compare(type, frame, Guide.MealLogMessage<Guide.MealLogCompleted>.self)
            case "meal_log.failed": try comparison.compare(type, frame, Guide.MealLogMessage<Guide.MealLogFailed>.self)
            default: try comparison.compare(type, frame, Guide.BaseMessage.self)
            }
        }
    }

    private static func mealLogWebSocket(_ comparison: inout ModelComparison) throws {
        typealias Guide = MealLogWebSocketGuide
        typealias Answer = Guide.APIResponse<Guide.MealLogResponse>
        let client = GuideClient(.mealLogWebSocket, of: .mealLogWebSocket, pace: .human)
        let frames = try frames(
            client, on: client.consultation(), [#"{"type":"ping"}"#, "{"],
            meals: ["120g chicken breast", "qwertyuiop"])
        #expect(Set(frames.story) == Set(Guide.WebSocketMessage.MessageType.allCases.map(\.rawValue)))
        for frame in frames {
            let type = try #require(frame["type"]?.string)
            switch type {
            case "meal_log.completed":
                try comparison.compare(type, frame, Guide.MealLogMessage<Guide.MealLogCompletedData>.self)
            case "meal_log.failed":
                try comparison.compare(type, frame, Guide.MealLogMessage<Guide.MealLogFailedData>.self)
            default: try comparison.compare("other frames", frame, Guide.PlainMessage.self)
            }
        }
        for meal in ["2 eggs", "qwertyuiop"] {
            let request = Guide.CreateMealLogRequest(rawInput: meal, mealType: .breakfast)
            let created = try client.post("meal-logs/natural", request)
            try comparison.compare(.createMealLog, created, Answer.self)
            let id = try #require(created.json?["data"]?["id"]?.string)
            try comparison.compare(.showMealLog, client.get("meal-logs/\(id)"), Answer.self)
            client.network.advance(by: .seconds(5))
            try comparison.compare(.showMealLog, client.get("meal-logs/\(id)"), Answer.self)
        }
        try comparison.compare("refusals", client.get("meal-logs/\(TestUser.ben)").json, Guide.APIError.self)
    }
}
