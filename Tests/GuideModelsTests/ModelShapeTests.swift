import Foundation
import GuideModels
import JSON
import Testing

/// A shape and a model from the same guide.
struct ModelledShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let shape: Shape
    /// Paths that the guide prints or its clients read even though they are optional in its model.
    let tolerated: Set<String>
    /// The members that are lost when the model is encoded again.
    let lost: [String]
    /// The model's properties that answers of this shape never fill.
    let unfilled: Set<String>
    /// Decodes with the guide's model, and encodes the result again; also returns the properties that are nil.
    let roundTrip: @Sendable (JSONValue) throws -> (encoded: [UInt8], unfilled: Set<String>)

    init<Model: Codable & SendableMetatype>(
        _ name: String, _ shape: Shape, _ model: Model.Type, tolerated: Set<String> = [], lost: [String] = [],
        unfilled: Set<String> = []
    ) {
        testDescription = name
        (self.shape, self.tolerated) = (shape, tolerated)
        (self.lost, self.unfilled) = (lost, unfilled)
        roundTrip = { value in
            let decoded = try JSONDecoder.iso8601().decode(Model.self, from: Data(value.encoded()))
            return (Array(try JSONEncoder.iso8601().encode(decoded)), Set(Self.nils(in: decoded)))
        }
    }

    /// The names of optional properties without a value, at any depth.
    private static func nils(in value: Any) -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            let mirror = Mirror(reflecting: child.value)
            if mirror.displayStyle == .optional, mirror.children.isEmpty { return [child.label ?? ""] }
            return nils(in: child.value)
        }
    }

    static let all: [ModelledShape] = {
        do { return try consultationWebSocket() + enhanced() + goalLinking() + architecture() + mealLogs() } catch {
            Issue.record("\(error)")
            return []
        }
    }()

    private static func consultationWebSocket() throws -> [ModelledShape] {
        typealias Guide = ConsultationWebSocketGuide
        return [
            ModelledShape("create", Guide.created, Guide.CreateConsultationResponse.self),
            ModelledShape("get", Guide.shown, Guide.ConsultationResponse.self),
            ModelledShape("messages", Guide.messages, Guide.MessagesResponse.self),
            ModelledShape("409", Guide.conflict, Guide.ConflictErrorResponse.self),
        ]
            + (try Guide.frameTypes.map {
                ModelledShape(
                    $0, try Guide.frame($0), Guide.WebSocketMessage.self,
                    tolerated: ["consultation_id", "content", "error"],
                    unfilled: ["consultationID", "content", "error"])
            })
    }

    private static func enhanced() -> [ModelledShape] {
        typealias Guide = EnhancedConsultationsGuide
        return [
            ModelledShape("enhanced get", Guide.shown, Guide.ConsultationResponse.self),
            ModelledShape("enhanced list", Guide.list, Guide.ConsultationsListResponse.self),
            ModelledShape("enhanced messages", Guide.messages, Guide.MessagesResponse.self),
            ModelledShape("quick actions", Guide.quickActions, Guide.QuickActionsResponse.self),
        ]
            + Guide.WebSocketMessageType.allCases.map {
                ModelledShape(
                    "enhanced \($0)", Guide.frame($0), Guide.IncomingMessage.self,
                    tolerated: ["message_id", "content", "error", "metadata"],
                    unfilled: ["messageId", "content", "error", "metadata"])
            }
    }

    private static func goalLinking() throws -> [ModelledShape] {
        typealias Guide = GoalLinkingGuide
        return [
            ModelledShape("goal", try Guide.goal(), Guide.BackendGoal.self),
            ModelledShape("goals", try Guide.list(), Guide.GoalsResponse.self),
            ModelledShape(
                "chat-about-goal", try Guide.chatAboutGoal(), Guide.ChatAboutGoalResponse.self,
                tolerated: ["persona.avatar"]),
            // The model has no user, and its id becomes upper case (erratum 5).
            ModelledShape(
                "conversation", try Guide.conversation(), Guide.Conversation.self,
                tolerated: ["userId", "persona.avatar"],
                lost: [
                    #"id: string "550E8400-E29B-41D4-A716-446655440000", expected UUID in lower case"#,
                    "userId: missing",
                ], unfilled: ["backendId"]),
        ]
    }

    private static func architecture() throws -> [ModelledShape] {
        typealias Guide = WebSocketArchitectureGuide
        return [
            ModelledShape("consultation_id", Guide.created, Guide.CreateConsultationResponse.self),
            // Foundation writes 198.0 as 198.
            ModelledShape(
                "meal as text", try Guide.completed(), Guide.MealLogMessage<Guide.MealLogCompleted>.self,
                lost: ["data.items[0].calories", "data.total_calories"].map {
                    "\($0): number 198, expected number with a fraction"
                }),
            ModelledShape(
                "meal without success", try Guide.failed(), Guide.MealLogMessage<Guide.MealLogFailed>.self),
        ]
    }

    private static func mealLogs() -> [ModelledShape] {
        typealias Guide = MealLogWebSocketGuide
        return [
            ModelledShape(
                "meal", Guide.answer(Guide.response), Guide.APIResponse<Guide.MealLogResponse>.self),
            ModelledShape(
                "meal completed", Guide.frame(.mealLogCompleted),
                Guide.MealLogMessage<Guide.MealLogCompletedData>.self),
            ModelledShape(
                "meal failed", Guide.frame(.mealLogFailed), Guide.MealLogMessage<Guide.MealLogFailedData>.self),
            ModelledShape("meal refused", Guide.failure, Guide.APIError.self),
        ]
            + [Guide.WebSocketMessage.MessageType.connected, .pong, .error].map {
                ModelledShape(
                    "meal \($0)", Guide.frame($0), Guide.PlainMessage.self, tolerated: ["error"], unfilled: ["error"])
            }
    }
}

@Suite("Shapes and the guides' models")
struct ModelShapeTests {
    @Test("Every guide has at least one shape")
    func isComplete() {
        #expect(ModelledShape.all.count == 35)
    }

    @Test("A value with a matching shape decodes without loss", arguments: ModelledShape.all)
    func decodes(pair: ModelledShape) throws {
        let full = pair.shape.sample(isFull: true)
        #expect(pair.shape.differences(from: full) == [])
        let (encoded, unfilled) = try pair.roundTrip(full)
        #expect(pair.shape.differences(from: encoded).sorted() == pair.lost.sorted())
        #expect(unfilled.subtracting(pair.unfilled) == [], "The shape lacks members that the model has.")
        let least = pair.shape.sample(isFull: false)
        #expect(pair.shape.differences(from: least) == [])
        #expect(throws: Never.self) { try pair.roundTrip(least) }
    }

    @Test("A value that lacks a required member does not decode", arguments: ModelledShape.all)
    func needs(pair: ModelledShape) {
        for (path, value) in pair.shape.samplesWithoutOneMember() {
            #expect(!pair.shape.differences(from: value).isEmpty, "\(path)")
            if pair.tolerated.contains(path) {
                #expect(throws: Never.self, "\(path)") { try pair.roundTrip(value) }
            } else {
                #expect(throws: DecodingError.self, "\(path)") { try pair.roundTrip(value) }
            }
        }
    }
}
