import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

/// Judges a journal that has more users than any judge remembers.
@Suite("Bounded memory")
struct BoundedMemoryTests {
    /// The size of the largest collection within a value.
    static func largestCollection(in value: Any) -> Int {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .dictionary, .set, .collection: return mirror.children.count
        default: return mirror.children.map { largestCollection(in: $0.value) }.max() ?? 0
        }
    }

    /// One user's actions, as events; those of other users differ only in the user and the ids.
    static func events() -> [RecordedExchange] {
        let goal = #"{"id":"g","conversationId":"c"}"#
        let story = Story { story in
            story.request(
                line: "POST /api/v1/consultations", endpoint: .createConsultation,
                body: Array(#"{"persona":"nutritionist"}"#.utf8),
                status: 409, answer: Array(#"{"error":{"details":{"existing_consultation_id":"c"}}}"#.utf8), at: 0)
            story.request(line: "POST /api/v1/consultations", endpoint: .createConsultation, status: 429, at: 0)
            story.request(line: "GET /api/v1/goals/g", endpoint: .showGoal, status: 404, at: 0)
            story.request(line: "GET /api/v1/goals/h", endpoint: .showGoal, answer: Array(goal.utf8), at: 0)
            story.request(line: "GET /api/v1/goals/i", endpoint: .showGoal, status: 503, at: 0)
            story.request(line: "GET /api/v1/goals/i", endpoint: .showGoal, status: 401, at: 0)
            story.request(
                line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog, status: 201,
                answer: Array(#"{"data":{"id":"m","status":"processing"}}"#.utf8), at: 0)
            story.request(line: "GET /api/v1/meal-logs/m", endpoint: .showMealLog, at: 6)
            story.request(line: "GET /api/v1/consultations/c/messages", endpoint: .listMessages, at: 6)
            story.request(line: "POST /api/v1/auth/refresh", endpoint: .refreshTokens, at: 6)
        }
        return story.journal.entries().compactMap { entry in
            guard case .exchange(let exchange) = entry.event else { return nil }
            return exchange
        }
    }

    @Test("Judges read long bodies in full but keep only the first bytes as evidence")
    func cutsEvidence() throws {
        let body = Array("{\"raw_input\":\"\(String(repeating: "x", count: 5_000))\"}".utf8)
        let entries = Story { story in
            story.request(line: "POST /a", endpoint: .createMealLog, body: body, status: 400, answer: body, at: 0)
            story.request(
                line: "POST /a", endpoint: .createMealLog, body: Array(body.prefix(4_096)), status: 400, at: 0)
            story.opened("c", at: 0)
            story.frame(.client, .text, body, at: 0)
        }.journal.entries().map(Fact.init)
        guard case .exchange(let long) = entries[0].entry.event, case .exchange(let short) = entries[1].entry.event,
            case .frame(let frame) = entries[3].entry.event, case .request(let request) = entries[0].kind
        else {
            Issue.record("an entry became another")
            return
        }
        for kept in [long.body, long.responseBody, frame.payload] {
            #expect(kept.bytes == Array(body.prefix(4_096)) && kept.byteCount == body.count && kept.isCut)
        }
        #expect(short.body.bytes.count == 4_096 && !short.body.isCut)
        #expect(request.body?["raw_input"]?.string?.count == 5_000)
    }

    @Test("A judge's memory stays within its limits for any number of users")
    func isBounded() {
        var scene = Scene()
        var judges = Judge.judges.filter { !$0.isOfSockets }.map { $0.init() }
        var findings = judges.map { Findings(of: type(of: $0).obligation) }
        var counter = ExposureCounter()
        let events = Self.events()
        for user in 0..<6_000 {
            var journal = Journal()
            for var exchange in events {
                exchange.user = "user \(user)"
                if exchange.endpoint == .refreshTokens {
                    exchange.body = RecordedBody(Array(#"{"refresh_token":"\#(user)"}"#.utf8))
                }
                journal.record(exchange, at: exchange.requestedAt, connection: 1)
            }
            for entry in journal.entries() {
                let fact = Fact(entry)
                scene.observe(fact)
                counter.observe(fact, in: scene)
                for index in judges.indices { judges[index].observe(fact, in: scene, &findings[index]) }
            }
        }
        for judge in judges { #expect(Self.largestCollection(in: judge) <= 25_001, "\(type(of: judge).obligation.id)") }
        // The limits must have been reached, or the test would prove nothing.
        #expect(judges.map(Self.largestCollection).max() ?? 0 > 4_000)
        #expect(Self.largestCollection(in: counter) <= 5_001)
        #expect(findings.allSatisfy { $0.kept.count <= Findings.keptCount })
    }
}

@Suite("Byte-wise comparison of users, ids and tokens")
struct IdentityTests {
    /// Texts that are equal as Swift strings.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")]

    @Test("A scene distinguishes the sockets of users whose ids are spelled similarly", arguments: twins)
    func sockets(_ first: ExactString, _ second: ExactString) {
        let story = SocketStory().open(1, at: 0, on: "c1", user: first).open(2, at: 1, on: "c2", user: second)
        var scene = Scene()
        for entry in story.journal.entries() { scene.observe(Fact(entry)) }
        #expect(scene.openSockets(of: first).map(\.connection) == [1])
        #expect(scene.openSockets(of: second).map(\.connection) == [2])
    }

    @Test("An answer to one user does not create an obligation for another user", arguments: twins)
    func shown(_ first: ExactString, _ second: ExactString) {
        func verdict(_ other: ExactString) -> Told? {
            Story().becomes(first.text).request(.listGoals, answer: ["goals": [ReuseTests.linked]], at: 0)
                .becomes(other.text).chats(at: 1).journal.verdict("goal/reuses-conversation")
        }
        #expect(verdict(first)?.outcome == .broken)
        #expect(verdict(second) == .notExercised)
    }
}
