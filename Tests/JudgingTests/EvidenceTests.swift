import Testing
import Traffic

@testable import Judging

/// A judge must not report breaches that the record does not prove.
@Suite("Evidence")
struct EvidenceTests {
    /// A client that breaks obligations whose proof requires more than messages and answers; it breaks one more
    /// obligation with a meal log that has no body.
    private static let journal = Story {
        $0.request(.listGoals, at: 0, fields: []).connected(uuid(1), on: 100, at: 1).logsMeal(uuid(2), at: 40)
        $0.request(.showMealLog, uuid(2), at: 47).connected(uuid(1), on: 101, at: 50)
        $0.closed(on: 100, by: .client, .finish, at: 55)
    }.journal

    private static func broken(_ evidence: Evidence) -> Set<String> {
        var judge = Judge(mode: .union, evidence: evidence)
        for entry in journal.entries() { judge.observe(entry) }
        return Set(judge.verdicts().filter { $0.outcome == .broken }.map(\.obligation.id))
    }

    /// The entry with a changed exchange.
    private static func changed(_ entry: JournalEntry, _ change: (inout RecordedExchange) -> Void) -> JournalEntry {
        guard case .exchange(var exchange) = entry.event else { return entry }
        change(&exchange)
        return JournalEntry(
            number: entry.number, time: entry.time, connection: entry.connection, event: .exchange(exchange))
    }

    @Test("An obligation counts as not exercised if the journal lacks the data it needs")
    func needs() {
        let all = Self.broken(.all)
        #expect(
            all == [
                "auth/credentials-on-every-request", "request/shape", "ws/single-connection", "ws/keepalive",
                "ws/close-handshake", "meal/no-poll-while-connected",
            ])
        #expect(Self.broken([.controlFrames, .socketEnds]) == all.subtracting(["auth/credentials-on-every-request"]))
        #expect(Self.broken([.socketEnds, .credentials]) == all.subtracting(["ws/keepalive", "ws/close-handshake"]))
        #expect(Self.broken(.credentials) == ["auth/credentials-on-every-request", "request/shape"])
        #expect(Self.broken([]) == ["request/shape"])
    }

    @Test(
        "Each obligation declares the data it needs",
        arguments: [Evidence.controlFrames, .socketEnds, .credentials, .backend])
    func table(_ evidence: Evidence) {
        let needed: [Evidence: [String]] = [
            .controlFrames: ["ws/keepalive", "ws/close-handshake"],
            .socketEnds: [
                "ws/single-connection", "ws/meal-socket-single", "ws/keepalive", "ws/reconnect-backoff",
                "ws/reconnect-limit", "ws/reconnects", "ws/no-reconnect-after-own-close", "ws/recovers-history",
                "ws/close-handshake", "meal/no-fetch-after-completed", "meal/no-poll-while-connected",
            ],
            .credentials: [
                "auth/credentials-on-every-request", "auth/websocket-credentials", "auth/refresh-token-once",
                "auth/no-expired-bearer", "ws/refused-handshake",
            ],
            .backend: ["ids/backend-goal-id", "retry/creates-once"],
        ]
        let found = Judge.judges.filter { !$0.needs.isDisjoint(with: evidence) }.map { $0.obligation.id }
        #expect(found == needed[evidence])
    }

    @Test("The judge skips obligations about the backend if a real server answers")
    func realServer() throws {
        let story = Story {
            $0.request(.deleteGoal, "goal-1", status: 404, at: 0, fields: [])
            $0.request(.deleteGoal, "goal-1", status: 404, at: 100, fields: [])
        }
        func verdicts(_ answerers: [RecordedExchange.Answerer?]) -> [String: Verdict] {
            var judge = Judge(mode: .union)
            for (entry, answerer) in zip(story.journal.entries(), answerers) {
                judge.observe(Self.changed(entry) { $0.answeredBy = answerer })
            }
            return Dictionary(uniqueKeysWithValues: judge.verdicts().map { ($0.obligation.id, $0) })
        }
        for answerers in [[nil, nil], [.fake, .fake]] as [[RecordedExchange.Answerer?]] {
            let verdict = try #require(verdicts(answerers)["ids/backend-goal-id"])
            #expect(verdict.outcome == .broken && !verdict.isLeftToServer)
        }
        for answerers in [[.real, .real], [.fake, .real]] as [[RecordedExchange.Answerer?]] {
            let all = verdicts(answerers)
            let verdict = try #require(all["ids/backend-goal-id"])
            #expect(verdict.outcome == .notExercised && verdict.isLeftToServer && verdict.findingCount == 0)
            #expect(all["auth/credentials-on-every-request"]?.outcome == .broken)
            let run = Report.Run(
                scenario: "x", mode: .union, hasConnected: true, verdicts: Array(all.values), exposures: [])
            #expect(run.notes.first?.contains("ids/backend-goal-id") == true)
        }
    }

    @Test("A verdict keeps at most a thousand entry numbers of additional breaches")
    func numbers() throws {
        func verdict(_ count: Int) throws -> Verdict {
            let story = Story { story in
                for index in 0..<count {
                    story.request(.showGoal, uuid(10).uppercased(), status: 404, at: Double(index))
                }
            }
            return try #require(story.journal.judge().verdict("ids/lowercase"))
        }
        #expect(try verdict(5).moreEntries == [])
        let some = try verdict(8)
        #expect(some.findings.flatMap(\.evidence).map(\.number) == [1, 2, 3, 4, 5] && some.moreEntries == [6, 7, 8])
        let many = try verdict(1010)
        #expect(many.moreEntries == Array(6...1005) && many.findingCount == 1010)
        var sum = some
        sum.add(some)
        #expect(sum.moreEntries == [6, 7, 8, 6, 7, 8, 1, 2, 3, 4, 5] && sum.findingCount == 16)
    }

    @Test("The judge counts lost journal entries")
    func missed() {
        let story = Story { for second in 0..<6 { $0.request(.listGoals, at: Double(second)) } }
        var judge = Judge(mode: .union)
        for entry in story.journal.entries() where [3, 4, 6].contains(entry.number) { judge.observe(entry) }
        #expect((judge.missedCount, judge.lastNumber) == (3, 6))
    }

    @Test("The judge does not guess what a lost answer contained")
    func lostAnswers() {
        func verdict(_ id: String, isLost: Bool, _ tell: (Story) -> Void) -> Verdict.Outcome? {
            var judge = Judge(mode: .union)
            for entry in Story(tell).journal.entries() {
                judge.observe(isLost ? Self.changed(entry) { $0.responseBody = RecordedBody([], of: 1) } : entry)
            }
            return judge.verdict(id)?.outcome
        }
        for isLost in [false, true] {
            let outcome: Verdict.Outcome = isLost ? .notExercised : .broken
            #expect(
                verdict("consultation/limit-stops-creating", isLost: isLost) {
                    for time in [0.0, 1] { $0.request(.createConsultation, status: 429, at: time) }
                } == outcome)
            for id in ["ids/backend-goal-id", "ids/gone-not-reused"] {
                #expect(
                    verdict(id, isLost: isLost) {
                        for time in [0.0, 1] {
                            $0.request(
                                .updateGoal, uuid(1), body: ["conversationId": .string(uuid(2))],
                                status: 404, answer: ["error": ["code": "GOAL_NOT_FOUND"]], at: time)
                        }
                    } == outcome, "\(id)")
            }
        }
    }
}
