import FitIQAPI
import Foundation
import GuideModels
import JSON
import Testing

/// Shows, for rows of the table in `openapi/DEVIATIONS.md`, that the guides disagree, and what satisfies both.
@Suite("Where the guides disagree")
struct DisagreementTests {
    typealias Chat = ConsultationWebSocketGuide
    typealias Enhanced = EnhancedConsultationsGuide
    typealias Goals = GoalLinkingGuide
    typealias Architecture = WebSocketArchitectureGuide
    typealias Meals = MealLogWebSocketGuide
    typealias CompletedText = Architecture.MealLogMessage<Architecture.MealLogCompleted>
    typealias CompletedNumber = Meals.MealLogMessage<Meals.MealLogCompletedData>

    /// Whether an answer decodes with a guide's model.
    private func decodes<Model: Decodable>(_ model: Model.Type, _ answer: Data) -> Bool {
        (try? JSONDecoder.iso8601().decode(model, from: answer)) != nil
    }

    /// Expects an answer in one guide's format to fail to decode with another guide's model, for this reason.
    private func expect<Model: Decodable>(
        _ model: Model.Type, from answer: Data, fails failure: DecodingFailure,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(DecodingFailure.of(model, .iso8601(), answer, at: location) == failure, sourceLocation: location)
    }

    /// The names of an object's members.
    private func names(_ answer: Data, _ member: String? = nil) throws -> Set<String> {
        let value = try JSON.parse(Array(answer))
        return Set((member.map { value[$0] } ?? value)?.object?.keys ?? [])
    }

    @Test("Create consultation: only the union's answer satisfies both guides")
    func create() throws {
        let chat = try ServerAnswers.consultation(answering: .createConsultation, in: .consultationWebSocket)
        let enhanced = try ServerAnswers.consultation(answering: .createConsultation, in: .enhancedConsultations)
        let bare = try ServerAnswers.consultation(answering: .createConsultation, in: .webSocketArchitecture)
        expect(Enhanced.ConsultationResponse.self, from: chat, fails: .keyNotFound("data.id"))
        expect(Chat.CreateConsultationResponse.self, from: enhanced, fails: .keyNotFound("data.consultation"))
        expect(Chat.CreateConsultationResponse.self, from: bare, fails: .keyNotFound("success"))
        for answer in [chat, enhanced] {
            expect(
                Architecture.CreateConsultationResponse.self, from: answer, fails: .keyNotFound("consultation_id"))
        }
        let union = try ServerAnswers.consultation(answering: .createConsultation)
        for answer in [enhanced, union] { #expect(decodes(Enhanced.ConsultationResponse.self, answer)) }
        for answer in [chat, union] { #expect(decodes(Chat.CreateConsultationResponse.self, answer)) }
        for answer in [bare, union] { #expect(decodes(Architecture.CreateConsultationResponse.self, answer)) }
        #expect(decodes(Architecture.Enveloped.self, union))
    }

    @Test("Get consultation: the union satisfies models with a string persona and with an object persona")
    func get() throws {
        let chat = try ServerAnswers.consultation(in: .consultationWebSocket)
        let enhanced = try ServerAnswers.consultation(in: .enhancedConsultations)
        let goals = try ServerAnswers.consultation(in: .goalLinking)
        expect(Goals.Conversation.self, from: chat, fails: .keyNotFound("id"))
        expect(Goals.Conversation.self, from: enhanced, fails: .keyNotFound("id"))
        expect(Chat.ConsultationResponse.self, from: goals, fails: .keyNotFound("success"))
        expect(Enhanced.ConsultationResponse.self, from: goals, fails: .keyNotFound("success"))
        expect(Enhanced.Consultation.self, from: goals, fails: .keyNotFound("user_id"))
        let union = try ServerAnswers.consultation()
        for answer in [goals, union] { #expect(decodes(Goals.Conversation.self, answer)) }
        for answer in [chat, union] { #expect(decodes(Chat.ConsultationResponse.self, answer)) }
        for answer in [enhanced, union] { #expect(decodes(Enhanced.ConsultationResponse.self, answer)) }
    }

    @Test("Chat frames: the two protocols share only 'connected' and 'error'")
    func chatFrames() {
        let enhanced = Enhanced.WebSocketMessageType.allCases.map(\.rawValue)
        #expect(Set(enhanced).intersection(Chat.frameTypes) == ["connected", "error"])
    }

    @Test("Meal item quantity: one value cannot be both a string and a number")
    func quantity() throws {
        let union = try ServerAnswers.mealEvent(.completed)
        let text = try ServerAnswers.mealEvent(.completed, in: .webSocketArchitecture)
        let number = try ServerAnswers.mealEvent(.completed, in: .mealLogWebSocket)
        expect(CompletedText.self, from: union, fails: .typeMismatch("data.items.[0].quantity"))
        #expect(decodes(CompletedNumber.self, union) && decodes(CompletedNumber.self, number))
        #expect(decodes(CompletedText.self, text))
        #expect(try JSON.parse(Array(text))["data"]?["items"]?[0]?["quantity"] == "120g")
        #expect(try JSON.parse(Array(union))["data"]?["items"]?[0]?["quantity"] == 120)
    }

    @Test("Meal totals and items: the union has both guides' names with equal values")
    func totals() throws {
        let pairs = [
            "protein": "protein_g", "carbohydrates": "carbs_g", "fat": "fat_g", "fiber": "fiber_g", "sugar": "sugar_g",
            "name": "food_name", "confidence": "confidence_score", "notes": "parsing_notes",
        ]
        let totals = ["protein", "carbs", "fat", "fiber", "sugar"].map { ("total_\($0)", "total_\($0)_g") }
        for mode in [GuideMode.union, .webSocketArchitecture, .mealLogWebSocket] {
            let data = try JSON.parse(Array(ServerAnswers.mealEvent(.completed, in: mode)))["data"]
            let item = data?["items"]?[0]
            let all = totals.map { (data?[$0], data?[$1]) } + pairs.map { (item?[$0], item?[$1]) }
            for (older, newer) in all {
                #expect((older != nil) == (mode != .mealLogWebSocket))
                #expect((newer != nil) == (mode != .webSocketArchitecture))
                if mode == .union { #expect(older == newer) }
            }
        }
    }

    @Test("Calories: a whole number decodes in both guides, but a fraction does not")
    func calories() throws {
        struct Whole: Decodable { let calories: Int }
        struct Fractional: Decodable { let calories: Double }
        func calories(in mode: GuideMode) throws -> Data {
            let event = try JSON.parse(Array(ServerAnswers.mealEvent(.completed, in: mode)))
            #expect(event["data"]?["total_calories"] == event["data"]?["items"]?[0]?["calories"])
            return Data(#"{"calories":\#(event["data"]?["total_calories"]?.number?.text ?? "none")}"#.utf8)
        }
        for mode in [GuideMode.union, .mealLogWebSocket] {
            let answer = try calories(in: mode)
            #expect(answer == Data(#"{"calories":198}"#.utf8))
            #expect(decodes(Whole.self, answer) && decodes(Fractional.self, answer))
        }
        let fractional = try calories(in: .webSocketArchitecture)
        #expect(fractional == Data(#"{"calories":198.0}"#.utf8))
        #expect(decodes(Fractional.self, fractional))
        let half = Data(#"{"calories":198.5}"#.utf8)
        #expect(!decodes(Whole.self, half) && decodes(Fractional.self, half))
    }

    @Test("meal_log.failed: the union's data has both guides' members")
    func failed() throws {
        typealias Older = Architecture.MealLogMessage<Architecture.MealLogFailed>
        typealias Newer = Meals.MealLogMessage<Meals.MealLogFailedData>
        let older = try ServerAnswers.mealEvent(.failed, in: .webSocketArchitecture)
        let newer = try ServerAnswers.mealEvent(.failed, in: .mealLogWebSocket)
        let union = try ServerAnswers.mealEvent(.failed)
        expect(Newer.self, from: older, fails: .keyNotFound("data.id"))
        expect(Older.self, from: newer, fails: .keyNotFound("data.meal_log_id"))
        for answer in [older, union] { #expect(decodes(Older.self, answer)) }
        for answer in [newer, union] { #expect(decodes(Newer.self, answer)) }
        let apps: Set = ["error_code", "suggestions"]
        #expect(try names(union, "data").subtracting(apps) == names(older, "data").union(names(newer, "data")))
    }

    @Test("Error body: only the union's body satisfies every guide")
    func errorBody() throws {
        for mode in GuideMode.allCases where mode != .mealLogWebSocket {
            let refusal = ServerAnswers.refusal(in: mode)
            #expect(Shape.failure.differences(from: refusal) == [])
            #expect(decodes(Enhanced.APIError.self, refusal) && decodes(Meals.APIError.self, refusal))
        }
        let bare = ServerAnswers.refusal(in: .mealLogWebSocket)
        #expect(decodes(Meals.APIError.self, bare))
        #expect(Shape.failure.differences(from: bare) == ["success: missing"])
        expect(Chat.ConflictErrorResponse.self, from: bare, fails: .keyNotFound("success"))
        // The guide's success response does not have `success` either.
        for meal in ServerAnswers.Meal.allCases {
            #expect(try names(ServerAnswers.mealLog(meal, in: .mealLogWebSocket)) == ["data"])
            #expect(try names(ServerAnswers.mealLog(meal)) == ["success", "data"])
        }
    }

    @Test("Initial meal status: a meal-log-websocket client decodes 'processing' but not 'pending'")
    func initialStatus() throws {
        typealias Answer = Meals.APIResponse<Meals.MealLogResponse>
        for mode in [GuideMode.union, .webSocketArchitecture, .mealLogWebSocket] {
            let answer = try ServerAnswers.mealLog(.processing, in: mode)
            #expect(try Meals.decoder.decode(Answer.self, from: answer).data.status == .processing)
            let pending = String(decoding: answer, as: UTF8.self)
                .replacing(#""status":"processing""#, with: #""status":"pending""#)
            expect(Answer.self, from: Data(pending.utf8), fails: .dataCorrupted("data.status"))
        }
    }

    @Test("Reconnecting: every guide waits at least one second and never shortens the delay")
    func reconnecting() {
        var listed = ListedReconnecting(.resetsWhenConnected)
        listed.connect()
        for _ in 0..<50 where listed.isTrying { listed.receiveFails() }
        // If the first delay is one second, best practice 1 in enhanced-consultations gives these delays.
        let doubling = (0..<50).reduce(into: [1]) { delays, _ in delays.append(min(delays[delays.count - 1] * 2, 30)) }
        let steady = Array(repeating: 5, count: 50)
        for delays in [listed.delays, doubling, steady] {
            #expect(delays.allSatisfy { $0 >= 1 })
            #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
        }
        #expect(listed.delays.count == 5)
        #expect(doubling.prefix(7) == [1, 2, 4, 8, 16, 30, 30])
    }
}
