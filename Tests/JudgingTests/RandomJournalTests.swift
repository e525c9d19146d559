import FitIQAPI
import JSON
import TestSupport
import Testing
import Traffic

@testable import Judging

/// Draws from only a few values, so that events affect each other.
extension Draw {
    fileprivate mutating func id() -> String { element(of: [uuid(below(40)), uuid(10).uppercased(), "x", ""]) }
    fileprivate mutating func faults() -> [String] { below(5) == 0 ? ["fault"] : [] }
    fileprivate mutating func delivery() -> Delivery {
        element(of: [.complete, .complete, .complete, .partial, .none])
    }

    fileprivate mutating func object() -> JSONValue {
        [
            "id": .string(id()), "status": .string(element(of: ["processing", "completed", "failed", "archived"])),
            "goal_id": .string(id()), "conversationId": element(of: [nil, .string(id())]), "persona": "nutritionist",
            "goalId": .string(id()), "token": .number(JSONNumber(below(9))), "updated_at": element(of: ["", nil, 1]),
            "template_created": ["type": "goal", "id": .string(id())],
        ]
    }

    fileprivate mutating func answer() -> JSONValue? {
        switch below(6) {
        case 0: nil
        case 1: ["data": ["meal_logs": [object(), object()], "consultations": [object()]], "goals": [object()]]
        case 2: ["error": ["code": "GOAL_NOT_FOUND", "details": ["existing_consultation_id": .string(id())]]]
        case 3: ["data": object()]
        case 4: [object(), "x", nil]
        default: object()
        }
    }

    /// A plausible client action.
    fileprivate mutating func likely(_ story: Story, at time: Double) {
        switch below(10) {
        case 0:
            story.request(
                .createConsultation, body: ["persona": "nutritionist"], status: 409,
                answer: ["error": ["details": ["existing_consultation_id": .string(id())]]], at: time)
        case 1: story.logsMeal(uuid(below(40)), at: time)
        case 2: for _ in 0..<20 { story.lists("processing", [uuid(below(40))], at: time) }
        case 3:
            let code: JSONValue = ["error": ["code": "TOO_MANY_ACTIVE_CONSULTATIONS"]]
            for _ in 0..<2 { story.request(.createConsultation, status: 429, answer: code, at: time) }
        case 4:
            for _ in 0..<2 {
                story.request(.chatAboutGoal, body: ReuseTests.chat, status: 201, answer: ReuseTests.link, at: time)
            }
        case 5: story.request(.createGoal, status: 201, answer: object(), at: time)
        case 6: story.connected(id(), on: UInt64(100 + below(6)), at: time)
        case 7:
            if below(2) == 0 {
                story.token = AccessToken(subject: ExactString(story.user), expiresAt: 0).signed(with: [1])
            }
            story.request(.refreshTokens, body: ["refresh_token": .string(uuid(below(20)))], at: time)
        case 8: for _ in 0..<2 { story.request(.createMealLog, status: nil, at: time, created: id()) }
        default: for _ in 0..<3 { story.request(.listGoals, status: element(of: [200, 401, 503, 503]), at: time) }
        }
    }

    fileprivate mutating func story(steps: Int) -> Story {
        Story { story in
            var time = 0.0
            for _ in 0..<steps {
                time += Double(below(40)) / 10
                step(story, at: time)
            }
        }
    }

    private mutating func step(_ story: Story, at time: Double) {
        let connection = UInt64(100 + below(6))
        if below(10) == 0 { story.becomes(element(of: ["sarah", "tom"])) }
        if below(20) == 0 { story.apiKey = element(of: ["k", nil]) }
        switch below(8) {
        case 0: story.opened(id(), on: connection, at: time, took: Double(below(3)), faults: faults())
        case 1:
            story.closed(
                on: connection, by: element(of: [.client, .server]), element(of: [.fault, .closeFrame]), at: time)
        case 2: story.fault(element(of: [.silence, .withholdPong, .stallReading]), on: connection, at: time)
        case 3:
            let type = element(of: [
                "connected", "error", "meal_log.completed", "meal_log.failed", "template_created", "x",
            ])
            story.received(
                ["type": .string(type), "data": object(), "metadata": object(), "error": "not active"],
                on: connection, at: time, delivery: delivery(), faults: faults())
        case 4:
            let frames: [[UInt8]] = [Array(#"{"type":"message"}"#.utf8), [123, UInt8(below(256))]]
            story.frame(
                .client, element(of: [.text, .text, .binary, .ping]), element(of: frames), on: connection, at: time)
        case 5: likely(story, at: time)
        default:
            story.request(
                // Mostly operations from the guides, because most judges are about these operations.
                element(of: Endpoint.allCases.filter { $0.isOfGuides || below(4) == 0 }), id(),
                query: element(of: ["", "page=1", "page=x", "token=a"]),
                body: element(of: [nil, object(), ["persona": "nutritionist"]]),
                status: element(of: [200, 201, 201, 400, 401, 404, 409, 429, 503, nil]), answer: answer(), at: time,
                took: Double(below(12)), delivery: element(of: [nil, delivery()]), faults: faults())
        }
    }
}

/// Random journals, which must not crash any judge, even if they make no sense.
@Suite("Random journals")
struct RandomJournalTests {
    @Test("The judge never crashes on a random journal", arguments: GuideMode.allCases)
    func survives(_ mode: GuideMode) {
        var broken: Set<String> = []
        for seed in 0..<20 {
            var draw = Draw(seed: UInt64(seed))
            let story = draw.story(steps: 400)
            var judge = Judge(mode: mode)
            for entry in story.journal.entries() {
                judge.observe(entry)
                guard entry.number % 20 == 0 else { continue }
                for verdict in judge.verdicts() where verdict.findingCount > 0 {
                    broken.insert(verdict.obligation.id)
                    #expect(verdict.exercisedCount > 0, "\(verdict.obligation.id) was broken, so it was faced")
                    #expect(verdict.findings.allSatisfy { !$0.evidence.isEmpty && $0.evidence.count <= 4 })
                    #expect(
                        verdict.findings.allSatisfy { finding in
                            let numbers = finding.evidence.map(\.number)
                            return numbers == numbers.sorted() && [".", "?"].contains(finding.message.last)
                        }, "\(verdict.obligation.id): \(verdict.findings.map(\.message))")
                }
            }
            // The same journal has the same verdicts.
            #expect(story.journal.judge(in: mode).verdicts().map(Told.init) == judge.verdicts().map(Told.init))
        }
        if mode == .union {
            let rows = Set(ContractTableTests.rows.map(\.id))
            #expect(rows.isSubset(of: broken), "missed: \(rows.subtracting(broken))")
        }
    }

    @Test(
        "A clock step does not change verdicts, and reports show the journal's times",
        arguments: [28_800, -28_800, 3, -3] as [Int64])
    func clockSteps(_ seconds: Int64) throws {
        for seed in 0..<10 {
            var draw = Draw(seed: UInt64(seed))
            let story = draw.story(steps: 200)
            let entries = Array(story.journal.entries())
            var (plain, stepped) = (Judge(mode: .union), Judge(mode: .union))
            let step = seconds * 1_000_000_000
            // Insert an event at a time between the times of two others.
            let place = try #require(
                (100..<entries.count).first { place in
                    let end = entries[..<place].map(\.time).max()
                    return end.map { end in entries[place...].allSatisfy { $0.time > end } } ?? false
                })
            let number = entries[place].number
            var journal: [Int: JournalEntry] = [:]
            for entry in entries {
                plain.observe(entry)
                if entry.number == number {
                    let event = JournalEvent.clock(advancedBy: step, isOfSystem: true)
                    let time = entry.time.advanced(byNanoseconds: step)
                    stepped.observe(JournalEntry(number: entry.number, time: time, connection: 0, event: event))
                }
                let entry = entry.number < number ? entry : entry.moved(byNanoseconds: step)
                stepped.observe(entry)
                journal[entry.number] = entry
            }
            let end = entries[entries.count - 1].time
            let verdicts = stepped.verdicts(at: end.advanced(byNanoseconds: step))
            #expect(plain.verdicts(at: end).map(Self.timeless) == verdicts.map(Self.timeless))
            let times = journal.values.flatMap { [$0.time] + Self.requestedAt($0.event) }
            // Midnight appears in token dates and in examples.
            let clocks = Set(times.map(Messages.clock) + ["00:00:00"])
            for finding in verdicts.flatMap(\.findings) {
                for entry in finding.evidence { #expect(entry.time == journal[entry.number]?.time) }
                for time in finding.message.matches(of: Self.clock) {
                    #expect(clocks.contains(String(time.output)), "\(finding.message)")
                }
            }
        }
    }

    private static func requestedAt(_ event: JournalEvent) -> [Timestamp] {
        switch event {
        case .exchange(let exchange): [exchange.requestedAt]
        case .opened(let opening): [opening.requestedAt]
        default: []
        }
    }

    private static var clock: Regex<Substring> { /\d\d:\d\d:\d\d(?:\.\d+)?/ }

    private static func timeless(_ verdict: Verdict) -> Told {
        var told = Told(verdict)
        for index in told.breaches.indices { told.breaches[index].message.replace(clock, with: "") }
        return told
    }

    @Test("The judge never crashes on extreme timestamps")
    func survivesTimes() {
        let times = [Int64.max, .min, 0, .max, .max, .min].map { Timestamp(nanosecondsSinceEpoch: $0) }
        var judge = Judge(mode: .union)
        var journal = Journal()
        let story = Story { story in
            story.connected(uuid(1), at: 0)
            story.received(["type": "template_created", "metadata": LinkTests.made], at: 0)
            story.request(.createGoal, status: 201, answer: LinkTests.goal, at: 0)
        }
        for time in times {
            for entry in story.journal.entries() { journal.record(entry.event, at: time, connection: entry.connection) }
            for var exchange in BoundedMemoryTests.events() {
                exchange.requestedAt = time
                for delivered in times { journal.record(exchange, at: delivered, connection: 1) }
            }
        }
        for entry in journal.entries() { judge.observe(entry) }
        for time in times {
            #expect(judge.verdicts(at: time).count == Judge.obligations.count)
            #expect(judge.exposures(at: time).count == Exposure.Path.allCases.count)
        }
    }

    @Test("A table of recent values keeps at most its capacity")
    func isBounded() {
        var recent = Recent<Int, Int>(capacity: 100)
        for number in 0..<10_000 {
            recent[number] = number
            #expect(recent.values.count <= 101)
            #expect(recent[max(0, number - 50)] == max(0, number - 50))
        }
        recent[9_999] = nil
        #expect(recent[9_999] == nil)
    }
}
