import FitIQAPI
import HTTPTypes
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: consultations")
struct ConsultationTests {
    private static let id = CoreBench.consultation

    @Test(
        "The client finds a new consultation's id in every guide's answer",
        arguments: [
            (201, ["data": ["consultation": ["id": .string(id)]]]), (201, ["data": ["id": .string(id)]]),
            (201, ["id": .string(id)]), (201, ["consultation_id": .string(id)]),
            (201, ["data": ["id": .string(id.uppercased())]]),
            (409, ["error": ["code": "CONSULTATION_EXISTS", "details": ["existing_consultation_id": .string(id)]]]),
        ] as [(Int, JSONValue)])
    func creates(status: Int, body: JSONValue) {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist))
        #expect(bench.state.isBusy && bench.state.connection == .connecting)
        bench.answer(status, body)
        bench.answer(200, CoreBench.history([CoreBench.message("m1", "user", "Hello")]))
        bench.shake()
        #expect(bench.state.connection == .connecting)
        bench.frame(["type": "connected"])
        #expect(
            bench.take() == [
                #"0 POST /api/v1/consultations {"persona":"nutritionist","coach_type":"nutritionist"}"#,
                "0 GET /api/v1/consultations/\(Self.id)/messages", "0 WS /api/v1/consultations/\(Self.id)/ws",
            ])
        #expect(bench.state.connection == .connected && !bench.state.isBusy)
        #expect(bench.state.consultation == Self.id)
        #expect(bench.state.transcript == [.init(id: "m1", role: .user, text: "Hello")])
        #expect(bench.state.problems.isEmpty)
    }

    @Test("Messages that the user sends before the create request is answered wait for the connection")
    func saysBeforehand() {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist), .send(text: " Hi\n"))
        bench.answer(201, ["data": ["id": .string(Self.id)]])
        #expect(bench.state.transcript.map(\.isDelivered) == [false])
        bench.recall()
        bench.shake()
        #expect(!bench.take().contains { $0.contains(">") })
        bench.frame(["type": "connected"])
        #expect(bench.take() == [#"0 > {"type":"message","content":"Hi"}"#])
    }

    @Test("The client never sends a message for one consultation to another", arguments: [false, true])
    func saysForAnother(isStarted: Bool) {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist), .send(text: "Hi"))
        if isStarted {
            bench.perform(.startConsultation(persona: .fitnessCoach))
        } else {
            bench.perform(.openConsultation(id: CoreBench.other))
        }
        #expect(bench.state.problems.map(\.message) == ["One message was not sent."])
        bench.answer(201, ["data": ["id": .string(Self.id)]])
        if isStarted { bench.answer(201, ["data": ["id": .string(CoreBench.other)]]) }
        bench.recall()
        bench.greet()
        #expect(bench.state.consultation == CoreBench.other && bench.state.transcript.isEmpty)
        #expect(!bench.take().contains { $0.contains(">") })
    }

    @Test("After a 429 for too many consultations, the client creates no consultation for a minute")
    func limit() {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist))
        bench.answer(429, CoreBench.refusal("TOO_MANY_ACTIVE_CONSULTATIONS", "At most 10."))
        #expect(bench.state.problems == [.init(kind: .tooMany, message: "At most 10.")])
        #expect(bench.state.connection == .failed && !bench.state.isBusy)
        _ = bench.take()
        bench.wait(59.9)
        bench.perform(.startConsultation(persona: .fitnessCoach))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.tooMany, .tooMany])
        bench.connect()
        bench.ask(.archive, 200, ["data": ["id": .string(Self.id)]])
        bench.end(.normalClosure, isOwn: true)
        #expect(bench.take() == ["59.9 POST /api/v1/consultations/\(Self.id)/archive", "59.9 close 1000"])
        #expect(bench.state.connection == .disconnected && !bench.state.isBusy)
        bench.perform(.startConsultation(persona: .fitnessCoach))
        #expect(bench.take().count == 1)
    }

    @Test("One minute after a 429 for too many consultations, the client can create another")
    func limitEnds() {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist))
        bench.answer(429, CoreBench.refusal("TOO_MANY_ACTIVE_CONSULTATIONS"))
        bench.wait(60)
        _ = bench.take()
        bench.perform(.startConsultation(persona: .nutritionist))
        #expect(bench.take().count == 1)
    }

    @Test("The client waits until a rate limit ends and then sends the create request first")
    func rateLimit() {
        var bench = CoreBench.asked(.loadGoals, .startConsultation(persona: .nutritionist))
        _ = bench.take()
        bench.answer(429, CoreBench.refusal("RATE_LIMITED"), [.retryAfter: "10"])
        bench.answer(429, CoreBench.refusal("RATE_LIMITED"), [.retryAfter: "10"])
        bench.wait(9.9)
        #expect(bench.take().isEmpty && bench.state.problems.isEmpty && bench.state.isBusy)
        bench.wait(0.1)
        #expect(bench.take().map { $0.prefix(7) } == ["10 POST"])
        bench.answer(201, ["data": ["id": .string(Self.id)]])
        #expect(bench.take() == ["10 GET /api/v1/goals"])
    }

    @Test(
        "Each kind of API error is reported as a different kind of problem",
        arguments: [
            (400, "VALIDATION_FAILED", .refused), (404, "NOT_FOUND", .notFound), (415, "X", .refused),
            (429, "TOO_MANY_ACTIVE_CONSULTATIONS", .tooMany), (429, "", .tooMany),
        ] as [(Int, String, ClientState.Problem.Kind)])
    func refusals(status: Int, code: String, kind: ClientState.Problem.Kind) {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist))
        bench.answer(status, CoreBench.refusal(code, "Because."))
        #expect(bench.state.problems == [.init(kind: kind, message: "Because.")])
        #expect(bench.state.connection == .failed && !bench.state.isBusy && bench.core.nextDeadline == nil)
        #expect(bench.events.contains(.problem(.init(kind: kind, message: "Because."))))
    }

    @Test("The client does not request a missing consultation a second time", arguments: [false, true])
    func gone(atHandshake: Bool) {
        var bench = CoreBench.asked(.openConsultation(id: Self.id.uppercased()))
        if atHandshake {
            bench.recall()
            bench.shake(404, body: CoreBench.refusal("NOT_FOUND"))
        } else {
            bench.answer(404, CoreBench.refusal("NOT_FOUND"))
        }
        #expect(bench.state.connection == .failed && bench.state.problems.map(\.kind) == [.notFound])
        _ = bench.take()
        bench.wait(100)
        bench.perform(.openConsultation(id: Self.id))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.notFound, .notFound])
        #expect(!bench.state.isBusy)
    }

    @Test(
        "The client never puts an invalid id into a path",
        arguments: ["", "x", "../goals", String(repeating: "a", count: 36)])
    func badID(id: String) {
        var bench = CoreBench.asked(.openConsultation(id: id), .chatAboutGoal(id: id))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.notFound, .notFound])
    }

    @Test("The client waits 3 s before it reopens the same consultation, but not before it opens another")
    func switches() {
        var bench = CoreBench.connected(.openConsultation(id: CoreBench.other))
        #expect(bench.take() == ["0 close 1000", "0 GET /api/v1/consultations/\(CoreBench.other)/messages"])
        bench.recall()
        bench.wait(1)
        #expect(bench.take().isEmpty)
        bench.end(.normalClosure, isOwn: true)
        #expect(bench.take() == ["1 WS /api/v1/consultations/\(CoreBench.other)/ws"])
        bench.greet()
        bench.perform(.openConsultation(id: Self.id))
        bench.end(.normalClosure, isOwn: true)
        bench.recall()
        _ = bench.take()
        bench.wait(10)
        #expect(bench.take() == ["4 WS /api/v1/consultations/\(Self.id)/ws"])
    }

    @Test("The client drops a socket 5 s after sending a close frame if the server does not reply")
    func closeTimesOut() {
        var bench = CoreBench.connected(.disconnect)
        #expect(bench.state.connection == .disconnected && bench.state.isBusy)
        bench.wait(10)
        #expect(bench.take() == ["0 close 1000", "5 drop"])
        #expect(!bench.state.isBusy && bench.core.nextDeadline == nil)
    }

    @Test("Without a chat, the client refuses to send and to archive")
    func withoutChat() {
        var bench = CoreBench.asked(.send(text: "Hi"), .archive, .disconnect)
        #expect(bench.state.problems.map(\.kind) == [.refused, .refused] && bench.take().isEmpty)
    }

    @Test(
        "The client does not send requests that its guide's mode does not serve",
        arguments: [
            (.goalLinking, .startConsultation(persona: .nutritionist)),
            (.consultationWebSocket, .logMeal(text: "2 eggs", type: .lunch)),
            (.enhancedConsultations, .chatAboutGoal(id: CoreBench.goal)), (.mealLogWebSocket, .send(text: "Hi")),
            (.mealLogWebSocket, .archive), (.webSocketArchitecture, .loadGoals),
            (.webSocketArchitecture, .createGoal(title: "Run", description: "", targetDate: CoreBench.start)),
        ] as [(GuideMode, ClientCommand)])
    func guides(guide: GuideMode, command: ClientCommand) {
        var bench = CoreBench.asked(command, guide: guide)
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.refused])
        #expect(bench.state.problems.first?.message.contains(guide.rawValue) == true)
    }

    @Test(
        "The client sends its credentials in the place documented by its guide",
        arguments: GuideMode.allCases, [false, true])
    func credentials(guide: GuideMode, areTwice: Bool) {
        var bench = CoreBench.asked(.openConsultation(id: Self.id), guide: guide) { $0.sendsTokenTwice = areTwice }
        if guide != .mealLogWebSocket {
            #expect(bench.requests.first?.fields[.authorization] == "Bearer old")
            bench.recall()
        }
        let handshake = bench.handshakes.first
        let isQuery = guide == .enhancedConsultations || guide == .webSocketArchitecture
        #expect(handshake?.target.hasSuffix("?token=old") == (isQuery || areTwice))
        #expect((handshake?.fields[.authorization] == nil) == (isQuery && !areTwice))
    }
}
