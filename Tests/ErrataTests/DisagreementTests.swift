import FitIQAPI
import Foundation
import GuideModels
import JSON
import Testing

/// The rows of the table in `openapi/DEVIATIONS.md`: that the guides really disagree, and what satisfies both.
@Suite("Where the guides disagree")
struct DisagreementTests {
    typealias Chat = ConsultationWebSocketGuide
    typealias Enhanced = EnhancedConsultationsGuide
    typealias Goals = GoalLinkingGuide
    typealias Architecture = WebSocketArchitectureGuide
    typealias Meals = MealLogWebSocketGuide

    /// Whether an answer decodes with a guide's model.
    private func decodes<Model: Decodable>(_ model: Model.Type, _ answer: Data) -> Bool {
        (try? JSONDecoder.iso8601().decode(model, from: answer)) != nil
    }

    /// Expects that what has one guide's shape does not decode with another guide's model, and why.
    private func expect<Model: Decodable>(
        _ model: Model.Type, of shape: Shape, fails failure: DecodingFailure,
        at location: SourceLocation = #_sourceLocation
    ) {
        let found = DecodingFailure.of(model, .iso8601(), ServerAnswers.sample(shape), at: location)
        #expect(found == failure, sourceLocation: location)
    }

    /// Both guides' objects in one; where both name a value that is no object, the first one's counts.
    private func union(_ left: JSONValue, _ right: JSONValue) -> JSONValue {
        switch (left, right) {
        case (.object(var members), .object(let others)):
            for (name, value) in others { members[name] = members[name].map { union($0, value) } ?? value }
            return .object(members)
        case (.array(let elements), .array(let others)) where elements.count == others.count:
            return .array(zip(elements, others).map(union))
        default: return left
        }
    }

    private func union(_ left: Shape, _ right: Shape) -> Data {
        Data(union(left.sample(isFull: true), right.sample(isFull: true)).encoded())
    }

    @Test("create consultation: each guide's answer is no answer to the other; the server's is one to both")
    func create() throws {
        expect(Enhanced.ConsultationResponse.self, of: Chat.created, fails: .keyNotFound("data.id"))
        expect(Chat.CreateConsultationResponse.self, of: Enhanced.shown, fails: .keyNotFound("data.consultation"))
        let answer = try ServerAnswers.consultation()
        #expect(decodes(Enhanced.ConsultationResponse.self, answer))
        #expect(decodes(Chat.CreateConsultationResponse.self, answer))
        #expect(decodes(Architecture.CreateConsultationResponse.self, answer))
    }

    @Test("get consultation: a persona is a string or an object, with an envelope or without; the server's is both")
    func get() throws {
        expect(Goals.Conversation.self, of: Enhanced.consultation, fails: .keyNotFound("createdAt"))
        expect(Goals.Conversation.self, of: Enhanced.shown, fails: .keyNotFound("id"))
        expect(Enhanced.ConsultationResponse.self, of: try Goals.conversation(), fails: .keyNotFound("success"))
        expect(Enhanced.Consultation.self, of: try Goals.conversation(), fails: .keyNotFound("user_id"))
        let answer = try ServerAnswers.consultation()
        #expect(decodes(Goals.Conversation.self, answer))
        #expect(decodes(Chat.ConsultationResponse.self, answer))
        #expect(decodes(Enhanced.ConsultationResponse.self, answer))
    }

    @Test("chat frames: the two protocols share 'connected' and 'error', and nothing else")
    func chatFrames() {
        let enhanced = Enhanced.WebSocketMessageType.allCases.map(\.rawValue)
        #expect(Set(enhanced).intersection(Chat.frameTypes) == ["connected", "error"])
    }

    @Test("meal item quantity: text or a number, and so the one value that cannot satisfy both")
    func quantity() throws {
        typealias Text = Architecture.MealLogMessage<Architecture.MealLogCompleted>
        typealias Number = Meals.MealLogMessage<Meals.MealLogCompletedData>
        let textShape = try Architecture.completed()
        let numbers = union(Meals.frame(.mealLogCompleted), textShape)
        #expect(decodes(Number.self, numbers))
        #expect(
            DecodingFailure.of(Text.self, Architecture.decoder, numbers) == .typeMismatch("data.items.[0].quantity"))
        let texts = union(textShape, Meals.frame(.mealLogCompleted))
        #expect(decodes(Text.self, texts))
        #expect(DecodingFailure.of(Number.self, Meals.decoder, texts) == .typeMismatch("data.items.[0].quantity"))
    }

    @Test("meal totals: both names stand side by side")
    func totals() throws {
        let value = try JSON.parse(Array(union(Meals.frame(.mealLogCompleted), try Architecture.completed())))
        for name in ["protein", "carbs", "fat", "fiber", "sugar"] {
            #expect(value["data"]?["total_\(name)"]?.number != nil)
            #expect(value["data"]?["total_\(name)_g"]?.number != nil)
        }
    }

    @Test("calories: a whole number decodes as either guide's type, one with a fraction need not")
    func calories() throws {
        struct Whole: Decodable { let calories: Int }
        struct Fractional: Decodable { let calories: Double }
        let whole = Data(#"{"calories":198}"#.utf8)
        #expect(decodes(Whole.self, whole) && decodes(Fractional.self, whole))
        let half = Data(#"{"calories":198.5}"#.utf8)
        #expect(!decodes(Whole.self, half) && decodes(Fractional.self, half))
        // What that guide prints has a fraction, even where it is zero.
        let printed = try GuideFixture("websocket-architecture", "meal_log.completed").value
        #expect(
            try Architecture.completed().with(.string, at: "data.id", "data.items[].id", "data.items[].meal_log_id")
                .differences(from: printed) == [])
    }

    @Test("meal_log.failed: each guide's data is not the other's; merged they are both")
    func failed() throws {
        typealias Older = Architecture.MealLogMessage<Architecture.MealLogFailed>
        typealias Newer = Meals.MealLogMessage<Meals.MealLogFailedData>
        let older = try Architecture.failed()
        let newer = Meals.frame(.mealLogFailed)
        expect(Newer.self, of: older, fails: .keyNotFound("data.id"))
        expect(Older.self, of: newer, fails: .keyNotFound("data.meal_log_id"))
        #expect(decodes(Newer.self, union(newer, older)) && decodes(Older.self, union(newer, older)))
    }

    @Test("error body: the union's satisfies every guide, meal-log-websocket's only its own")
    func errorBody() {
        let refusal = ServerAnswers.refusal()
        #expect(Shape.failure.differences(from: refusal) == [])
        #expect(decodes(Enhanced.APIError.self, refusal) && decodes(Meals.APIError.self, refusal))
        let bare = ServerAnswers.sample(Meals.failure)
        #expect(decodes(Meals.APIError.self, bare))
        #expect(Shape.failure.differences(from: bare) == ["success: missing"])
        expect(Chat.ConflictErrorResponse.self, of: Meals.failure, fails: .keyNotFound("success"))
        // Its success has no `success` either.
        expect(
            Enhanced.ConsultationResponse.self, of: Meals.answer(Enhanced.consultation),
            fails: .keyNotFound("success"))
    }

    @Test("initial meal status: 'pending' is none that a client of meal-log-websocket decodes, 'processing' is")
    func initialStatus() throws {
        let processing = ServerAnswers.sample(Meals.answer(Meals.processing))
        #expect(decodes(Meals.APIResponse<Meals.MealLogResponse>.self, processing))
        let pending = ServerAnswers.sample(Meals.answer(Meals.processing.with(.oneOf(["pending"]), at: "status")))
        #expect(
            DecodingFailure.of(Meals.APIResponse<Meals.MealLogResponse>.self, Meals.decoder, pending)
                == .dataCorrupted("data.status"))
    }

    @Test("reconnecting: no guide waits less than a second or less than before; one alone gives up")
    func reconnecting() {
        var listed = ListedReconnecting(.resetsWhenConnected)
        listed.connect()
        for _ in 0..<50 where listed.isTrying { listed.receiveFails() }
        // enhanced-consultations, best practice 1, from a first delay of one second.
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
