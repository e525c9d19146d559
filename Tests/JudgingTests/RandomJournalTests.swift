import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

/// Journals without sense, which no judge may stumble over.
@Suite("Random journals")
struct RandomJournalTests {
    /// A few of everything, so that things meet.
    struct Draw {
        var numbers: SplitMix64
        mutating func number(_ count: Int) -> Int { Int(numbers.next() % UInt64(count)) }
        mutating func one<Element>(_ elements: [Element]) -> Element { elements[number(elements.count)] }
        mutating func id() -> String { one([Story.id(number(40)), Story.id(10).uppercased(), "x", ""]) }
        mutating func faults() -> [String] { number(5) == 0 ? ["fault"] : [] }
        mutating func delivery() -> Delivery { one([.complete, .complete, .complete, .partial, .none]) }

        mutating func object() -> JSONValue {
            [
                "id": .string(id()), "status": .string(one(["processing", "completed", "failed", "archived"])),
                "goal_id": .string(id()), "conversationId": one([nil, .string(id())]), "persona": "nutritionist",
                "goalId": .string(id()), "token": .number(JSONNumber(number(9))), "updated_at": one(["", nil, 1]),
                "template_created": ["type": "goal", "id": .string(id())],
            ]
        }

        mutating func answer() -> JSONValue? {
            switch number(6) {
            case 0: nil
            case 1: ["data": ["meal_logs": [object(), object()], "consultations": [object()]], "goals": [object()]]
            case 2: ["error": ["code": "GOAL_NOT_FOUND", "details": ["existing_consultation_id": .string(id())]]]
            case 3: ["data": object()]
            case 4: [object(), "x", nil]
            default: object()
            }
        }

        /// What a client may well do.
        mutating func likely(_ story: inout Story, at time: Double) {
            switch number(7) {
            case 0:
                story.request(
                    .createConsultation, body: ["persona": "nutritionist"], status: 409,
                    answer: ["error": ["details": ["existing_consultation_id": .string(id())]]], at: time)
            case 1: story.logsMeal(Story.id(number(40)), at: time)
            case 2: for _ in 0..<20 { story.lists([Story.id(number(40))], at: time) }
            case 3:
                let code: JSONValue = ["error": ["code": "TOO_MANY_ACTIVE_CONSULTATIONS"]]
                for _ in 0..<2 { story.request(.createConsultation, status: 429, answer: code, at: time) }
            case 4:
                for _ in 0..<2 {
                    story.request(
                        .chatAboutGoal, body: ReuseTests.chat, status: 201, answer: ReuseTests.link, at: time)
                }
            case 5: story.connected(id(), on: UInt64(100 + number(6)), at: time)
            default: for _ in 0..<2 { story.request(.listGoals, status: one([200, 503, 503]), at: time) }
            }
        }

        mutating func step(_ story: inout Story, at time: Double) {
            let connection = UInt64(100 + number(6))
            if number(10) == 0 { story.becomes(one(["sarah", "tom"])) }
            if number(20) == 0 { story.apiKey = one(["k", nil]) }
            switch number(8) {
            case 0: story.opened(id(), on: connection, at: time, took: Double(number(3)), faults: faults())
            case 1: story.closed(on: connection, by: one([.client, .server]), one([.fault, .closeFrame]), at: time)
            case 2: story.fault(one([.silence, .withholdPong, .stallReading]), on: connection, at: time)
            case 3:
                let type = one(["connected", "error", "meal_log.completed", "meal_log.failed", "template_created", "x"])
                story.received(
                    ["type": .string(type), "data": object(), "metadata": object(), "error": "not active"],
                    on: connection, at: time, delivery: delivery(), faults: faults())
            case 4:
                let frames: [[UInt8]] = [Array(#"{"type":"message"}"#.utf8), [123, UInt8(number(256))]]
                story.frame(.client, one([.text, .text, .binary, .ping]), one(frames), on: connection, at: time)
            case 5: likely(&story, at: time)
            default:
                story.request(
                    one(Endpoint.allCases), id(), query: one(["", "page=1", "page=x", "token=a"]),
                    body: one([nil, object(), ["persona": "nutritionist"]]),
                    status: one([200, 201, 201, 400, 401, 404, 409, 429, 503, nil]), answer: answer(), at: time,
                    took: Double(number(12)), delivery: one([nil, delivery()]), faults: faults())
            }
        }
    }

    @Test("No journal is too strange", arguments: GuideMode.allCases)
    func survives(_ mode: GuideMode) {
        var broken: Set<String> = []
        for seed in 0..<20 {
            var draw = Draw(numbers: SplitMix64(seed: UInt64(seed)))
            let story = Story { story in
                var time = 0.0
                for _ in 0..<400 {
                    time += Double(draw.number(40)) / 10
                    draw.step(&story, at: time)
                }
            }
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
                            return numbers == numbers.sorted() && finding.message.hasSuffix(".")
                        })
                }
            }
            // The same journal has the same verdicts.
            #expect(story.judge(in: mode).verdicts().map(Told.init) == judge.verdicts().map(Told.init))
        }
        if mode == .union {
            let rows = Set(ContractTableTests.rows.map(\.id))
            #expect(rows.isSubset(of: broken), "missed: \(rows.subtracting(broken))")
        }
    }

    @Test("No time is too strange")
    func survivesTimes() {
        let times = [Int64.max, .min, 0, .max, .max, .min].map { Timestamp(nanosecondsSinceEpoch: $0) }
        var judge = Judge(mode: .union)
        var journal = Journal()
        let story = Story { story in
            story.connected(Story.id(1), at: 0)
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

    @Test("Memory is bounded, whatever there is of users and ids")
    func isBounded() {
        var recent = Recent<Int, Int>(capacity: 100)
        for number in 0..<10_000 {
            recent[number] = number
            #expect(recent.values.count <= 101)
            #expect(recent[max(0, number - 49)] == max(0, number - 49))
        }
        recent[9_999] = nil
        #expect(recent[9_999] == nil)
    }
}
