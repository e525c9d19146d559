import FitIQAPI
import HTTP1
import Judging
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

@Suite("Oracle")
struct OracleTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    private static let story = Story.all[0]

    /// An outcome with requests and client frames, each at the given seconds.
    private static func outcome(
        requests: [Double] = [], frames: [Double] = [], quiet: Range<Int>? = nil, quietAfter seconds: Double = 0,
        end: TrialOutcome.End = .finished, failures: [CaseFailure] = []
    ) throws -> TrialOutcome {
        func time(_ seconds: Double) -> Timestamp { start.advanced(byNanoseconds: Int64(seconds * 1e9)) }
        var outcome = TrialOutcome(mode: .union, startedAt: start)
        let head = try RequestHead(recorded: Array("GET /health HTTP/1.1\r\n".utf8))
        var events: [(Double, JournalEvent)] = requests.map {
            ($0, .exchange(RecordedExchange(head: head, requestedAt: time($0), status: 200)))
        }
        events += frames.map { ($0, .frame(RecordedFrame(sender: .client, opcode: .text, payload: Array("{}".utf8)))) }
        outcome.entries = events.sorted { $0.0 < $1.0 }.enumerated().map { index, event in
            JournalEntry(number: index + 1, time: time(event.0), connection: 1, event: event.1)
        }
        (outcome.quiet, outcome.quietSince) = (quiet, time(seconds))
        (outcome.end, outcome.failures) = (end, failures)
        return outcome
    }

    private static func failure(_ check: InsideCheck? = nil, step: Int) -> CaseFailure {
        CaseFailure(message: "The client showed nothing.", check: check, at: .seconds(2), step: step)
    }

    /// The first step at the end of the story that has this symptom.
    private static func step(_ check: ExploreCheck) throws -> Int {
        try #require(story.symptoms.filter { $0.value == check }.map(\.key).min())
    }

    private static func ids(_ outcome: TrialOutcome, _ oracle: Oracle = Oracle(Story.all)) -> [String] {
        oracle.symptoms(of: outcome, TrialReading(outcome), story: 0).map(\.id)
    }

    @Test("Exit statuses and signals become symptoms")
    func ends() throws {
        let ends: [(TrialOutcome.End, [String])] = [
            (.finished, []), (.command(.exited(0)), []), (.command(.exited(3)), ["explore/command"]),
            (.command(.signalled(11)), ["explore/crash"]), (.command(.timedOut(1)), ["explore/hang"]),
            (.restless(looks: 5000), ["explore/flood"]),
            (.undrivable("It is gone."), ["explore/crash"]),
        ]
        for (end, ids) in ends { #expect(Self.ids(try Self.outcome(end: end)) == ids, "\(end)") }
        let lenient = Oracle(Story.all, mayFail: true)
        #expect(Self.ids(try Self.outcome(end: .command(.exited(3))), lenient) == [])
        #expect(Self.ids(try Self.outcome(end: .command(.signalled(6))), lenient) == ["explore/crash"])
    }

    @Test("A failed internal check produces its own symptom instead of the step's symptom")
    func failures() throws {
        for check in [ExploreCheck.unwell, .twice, .lost] {
            let step = try Self.step(check)
            #expect(Self.ids(try Self.outcome(failures: [Self.failure(step: step)])) == [check.rawValue])
            let inside = try Self.outcome(failures: [Self.failure(.transcript, step: step)])
            #expect(Self.ids(inside) == ["inside/transcript-equals-chunks"])
        }
        // In the middle of a story, only internal checks count, not waits that a fault prolongs.
        #expect(Self.ids(try Self.outcome(failures: [Self.failure(step: 1)])) == [])
        #expect(
            Self.ids(try Self.outcome(failures: [Self.failure(.cutStream, step: 1)]))
                == ["inside/cut-stream-not-complete"])
    }

    @Test("Before a story's end, an internal check counts only in the story's own world and without harm")
    func goodDays() throws {
        let demand = try #require(
            Self.story.steps.indices.first { index in
                if case .expect = Self.story.steps[index] { Self.story.symptoms[index] == nil } else { false }
            })
        func ids(_ story: Story, _ step: Int, isHarmed: Bool) throws -> [String] {
            let outcome = try Self.outcome(failures: [Self.failure(.transcript, step: step)])
            return Oracle([story]).symptoms(of: outcome, TrialReading(outcome), story: 0, isHarmed: isHarmed).map(\.id)
        }
        let foreign = Self.story.inWorld(Self.story.scenario, document: Self.story.document, isForeign: true)
        #expect(try ids(Self.story, demand, isHarmed: false) == ["inside/transcript-equals-chunks"])
        #expect(try ids(Self.story, demand, isHarmed: true) == [])
        #expect(try ids(foreign, demand, isHarmed: false) == [])
        // By default, a world is the story's own, and failures are expected.
        let own = Self.story.inWorld(Self.story.scenario, document: Self.story.document)
        #expect(try ids(own, demand, isHarmed: false) == ["inside/transcript-equals-chunks"])
        #expect(Self.ids(try Self.outcome(failures: [Self.failure(.transcript, step: demand)])) == [])
        // If the only faults are ones that the client must ignore, an unmet expectation means that it did not ignore
        // them.
        let failures = [Self.failure(.transcript, step: demand), Self.failure(step: try Self.step(.lost))]
        let newer = try Self.outcome(failures: failures)
        #expect(
            Oracle([Self.story]).symptoms(of: newer, TrialReading(newer), story: 0, isHarmed: false, isNewer: true)
                .map(\.id) == ["inside/unknown-is-ignored"])
        // Symptoms at the end of the story count in every world.
        let end = try Self.step(.lost)
        for isHarmed in [false, true] {
            #expect(try ids(foreign, end, isHarmed: isHarmed) == ["inside/transcript-equals-chunks"])
        }
    }

    @Test("A story's expectations count in the modes whose guides require them")
    func modes() throws {
        let story = try #require(Story.all.first { $0.name == "away" })
        let step = try #require(story.steps.firstIndex(of: .expect(.lines(atMost: 100))))
        func ids(_ mode: GuideMode, _ check: InsideCheck, step: Int) throws -> [String] {
            var outcome = try Self.outcome(failures: [Self.failure(check, step: step)])
            outcome.mode = mode
            return Oracle([story]).symptoms(of: outcome, TrialReading(outcome), story: 0, isHarmed: false).map(\.id)
        }
        #expect(try ids(.consultationWebSocket, .newestMessages, step: step) == ["inside/keeps-100-messages"])
        #expect(try ids(.union, .newestMessages, step: step) == [], "the other guides do not limit the transcript")
        #expect(try ids(.goalLinking, .newestMessages, step: step) == [])
        #expect(try ids(.union, .goneConversation, step: step) == ["inside/gone-conversation-cleared"])
        // A failure that persists in all later checks counts everywhere.
        #expect(try ids(.goalLinking, .cutStream, step: 1) == ["inside/cut-stream-not-complete"])
        #expect(try ids(.goalLinking, .transcript, step: 0) == [])
        #expect(try ids(.union, .transcript, step: 0) == ["inside/transcript-equals-chunks"])
    }

    @Test("A client has a symptom if it shows a problem because of something that it must ignore")
    func unusualProblems() throws {
        var calm = try Self.outcome()
        calm.problems = [.chat: [ClientReport.Problem(kind: .chat, message: "The coach keeps it.")]]
        var oracle = Oracle(Story.all)
        oracle.learn(calm, story: 0)
        func symptoms(
            _ kinds: [ClientReport.Problem.Kind], isHarmed: Bool = false, lacks: Set<String> = [],
            _ judge: Oracle? = nil
        ) throws -> [Symptom] {
            var outcome = try Self.outcome()
            let problems = kinds.map { ClientReport.Problem(kind: $0, message: "No.") }
            outcome.problems = Dictionary(grouping: problems, by: \.kind)
            outcome.unsupported = lacks
            return (judge ?? oracle).symptoms(of: outcome, TrialReading(outcome), story: 0, isHarmed: isHarmed)
        }
        var foreign = Oracle([Self.story.inWorld(Self.story.scenario, document: Self.story.document, isForeign: true)])
        foreign.learn(calm, story: 0)
        #expect(try symptoms([.chat, .refused], foreign).isEmpty, "the world may lack what the story needs")
        #expect(try symptoms([.chat]).isEmpty && symptoms([.chat, .refused], isHarmed: true).isEmpty)
        #expect(try symptoms([.refused], lacks: ["create_goal"]).isEmpty)
        let found = try symptoms([.chat, .refused])
        #expect(found.map(\.id) == ["inside/unknown-is-ignored"])
        #expect(found.first?.message.hasSuffix(#"show its user a problem: refused ("No.")."#) == true)
        #expect(try symptoms([.chat, .chat]).map(\.id) == ["inside/unknown-is-ignored"], "one more than usual")
    }

    @Test("An ended socket excuses a wrong transcript only if it ended during an answer")
    func closedSockets() throws {
        func ids(_ frames: [String]) throws -> [String] {
            var outcome = try Self.outcome(failures: [Self.failure(.transcript, step: 1)])
            let socket = try RequestHead(
                recorded: Array("GET /api/v1/consultations/\(KnownID.consultation)/ws HTTP/1.1\r\n".utf8))
            let history = try RequestHead(
                recorded: Array("GET /api/v1/consultations/\(KnownID.consultation)/messages HTTP/1.1\r\n".utf8))
            var events: [JournalEvent] = [
                .opened(RecordedExchange(head: socket, requestedAt: Self.start, endpoint: .webSocket, status: 101))
            ]
            events += frames.map {
                .frame(
                    RecordedFrame(
                        sender: $0.contains("message\"") ? .client : .server, opcode: .text, payload: Array($0.utf8)))
            }
            events.append(.closed(RecordedClosing(by: .server, cause: .reset)))
            events.append(
                .exchange(
                    RecordedExchange(
                        head: history, requestedAt: Self.start, endpoint: .listMessages, status: 503)))
            outcome.entries = events.enumerated().map { index, event in
                let time = Self.start.advanced(byNanoseconds: Int64(index) * 100_000_000)
                return JournalEntry(number: index + 1, time: time, connection: 1, event: event)
            }
            return Self.ids(outcome).filter { $0.hasPrefix("inside/") }
        }
        let (connected, question) = (#"{"type":"connected"}"#, #"{"type":"message","content":"a"}"#)
        #expect(try ids([connected]) == ["inside/transcript-equals-chunks"])
        #expect(try ids([connected, question]) == [])
        #expect(try ids([connected, question, #"{"type":"stream_chunk","content":"b"}"#]) == [])
    }

    @Test("Only a fault before the failure excuses a wrong transcript")
    func faultsInTime() throws {
        func ids(faultAfter seconds: Int64) throws -> [String] {
            var outcome = try Self.outcome(failures: [Self.failure(.transcript, step: 1)])
            let history = try RequestHead(
                recorded: Array("GET /api/v1/consultations/\(KnownID.consultation)/messages HTTP/1.1\r\n".utf8))
            let exchange = RecordedExchange(
                head: history, requestedAt: Self.start, endpoint: .listMessages, status: 503)
            let events: [(Int64, JournalEvent)] = [
                (1, .exchange(exchange)), (seconds, .fault(RecordedFault(name: "f", effect: .silence))),
            ]
            outcome.entries = events.enumerated().map { index, event in
                let time = Self.start.advanced(byNanoseconds: event.0 * 1_000_000_000)
                return JournalEntry(number: index + 1, time: time, connection: 1, event: event.1)
            }
            return Self.ids(outcome).filter { $0.hasPrefix("inside/") }
        }
        // The failure is at 2 s.
        #expect(try ids(faultAfter: 2) == [])
        #expect(try ids(faultAfter: 3) == ["inside/transcript-equals-chunks"])
    }

    @Test("A missing instruction excuses only the symptoms that depend on it")
    func unsupported() throws {
        let failures = [Self.failure(step: try Self.step(.lost)), Self.failure(.transcript, step: 1)]
        var outcome = try Self.outcome(
            requests: [1, 5], quiet: 2..<3, quietAfter: 4, end: .command(.timedOut(1)), failures: failures)
        outcome.unsupported = ["createGoal"]
        #expect(Self.ids(outcome) == ["explore/hang", "explore/restless"])
        outcome.unsupported = ["disconnect"]
        #expect(Self.ids(outcome) == ["explore/hang"])
    }

    @Test("Two failures with the same symptom are reported once")
    func once() throws {
        let step = try Self.step(.unwell)
        let failures = [Self.failure(step: step), Self.failure(step: step)]
        #expect(Self.ids(try Self.outcome(failures: failures)) == ["explore/unwell"])
    }

    @Test("A flood is more than 60 requests in a minute and far more than the usual number")
    func floods() throws {
        let even = { (count: Int, seconds: Double) in (0..<count).map { Double($0) * seconds / Double(count) } }
        #expect(Self.ids(try Self.outcome(requests: even(60, 59))) == [])
        #expect(Self.ids(try Self.outcome(requests: even(61, 59))) == ["explore/flood"])
        #expect(Self.ids(try Self.outcome(requests: even(61, 70))) == [])
        var oracle = Oracle(Story.all)
        let usual = try Self.outcome(requests: even(10, 59))
        oracle.learn(usual, story: 0)
        #expect(Self.ids(try Self.outcome(requests: even(90, 59)), oracle) == [])
        #expect(Self.ids(try Self.outcome(requests: even(91, 59)), oracle) == ["explore/flood"])
        // Without faults, any number of requests is considered usual.
        let busy = try Self.outcome(requests: even(100, 59))
        oracle = Oracle(Story.all)
        oracle.learn(busy, story: 0)
        #expect(Self.ids(busy, oracle) == [])
        let full = try Self.outcome(requests: even(5000, 1_000_000))
        #expect(Self.ids(full) == [])
        let over = try Self.outcome(requests: even(5001, 1_000_000))
        #expect(Self.ids(over) == ["explore/flood"])
        // The rate within a minute is allowed, but the total counts as a flood.
        let steady = try Self.outcome(requests: (0..<5001).map { Double($0) * 1.01 })
        let symptoms = Oracle(Story.all).symptoms(of: steady, TrialReading(steady), story: 0)
        #expect(symptoms.map(\.message) == [ExploringMessages.flood(entries: 5001)])
    }

    @Test("The busiest minute includes both its start and its end")
    func minutes() throws {
        let rows: [(requests: [Double], count: Int, places: Range<Int>)] = [
            ([], 0, 0..<0), ([0, 60], 2, 0..<2), ([0, 60.5], 1, 0..<1), ([0, 30, 60, 61, 62], 4, 1..<5),
        ]
        for row in rows {
            let busiest = Oracle.busiestMinute(try Self.outcome(requests: row.requests).entries)
            #expect(busiest.count == row.count && busiest.places == row.places, "\(row)")
        }
    }

    @Test("The evidence for a failure is the last traffic before it")
    func evidence() throws {
        let outcome = try Self.outcome(requests: [1, 2, 3], failures: [Self.failure(step: try Self.step(.unwell))])
        let symptoms = Oracle(Story.all).symptoms(of: outcome, TrialReading(outcome), story: 0)
        #expect(symptoms.map(\.entries) == [[1, 2]])
    }

    @Test("Only requests that begin after the user leaves count as restless")
    func restless() throws {
        let late = try Self.outcome(requests: [1, 5], quiet: 2..<3, quietAfter: 4)
        #expect(Self.ids(late) == ["explore/restless"])
        #expect(Self.ids(try Self.outcome(requests: [1, 5], quiet: 2..<3, quietAfter: 5)) == [])
        #expect(Self.ids(try Self.outcome(requests: [1, 5], quiet: 3..<3, quietAfter: 4)) == [])
        let frame = try Self.outcome(frames: [5], quiet: 1..<2, quietAfter: 4)
        #expect(Self.ids(frame).contains("explore/restless"))
        let symptom = Oracle(Story.all).symptoms(of: late, TrialReading(late), story: 0)
        #expect(symptom.first?.entries == [2])
    }

    @Test("After the user leaves, only text frames from the client count as restless")
    func quietEvents() throws {
        let text = Array("{}".utf8)
        let rows: [(event: JournalEvent, isRestless: Bool)] = [
            (.frame(RecordedFrame(sender: .client, opcode: .text, payload: text)), true),
            (.frame(RecordedFrame(sender: .client, opcode: .close, payload: [])), false),
            (.frame(RecordedFrame(sender: .server, opcode: .text, payload: text)), false),
            (.closed(RecordedClosing(by: .client, cause: .closeFrame)), false),
        ]
        for row in rows {
            var outcome = try Self.outcome(quiet: 1..<2, quietAfter: 4)
            let time = Self.start.advanced(byNanoseconds: 5_000_000_000)
            outcome.entries = [JournalEntry(number: 1, time: time, connection: 1, event: row.event)]
            #expect(Self.ids(outcome).contains("explore/restless") == row.isRestless, "\(row.event)")
        }
    }

    @Test("The oracle ignores an excused failure in its story and reports it in others")
    func baselines() throws {
        var oracle = Oracle(Story.all)
        let outcome = try Self.outcome(end: .command(.exited(1)))
        #expect(Self.ids(outcome, oracle) == ["explore/command"])
        oracle.excuse("explore/command", story: 0)
        #expect(Self.ids(outcome, oracle) == [])
        #expect(oracle.symptoms(of: outcome, TrialReading(outcome), story: 1).map(\.id) == ["explore/command"])
    }

    @Test("Every symptom has advice and a unique id")
    func ids() {
        #expect(Set(Symptom.ids).count == Symptom.ids.count && Symptom.ids.count == 21)
        #expect(Set(Symptom.ids).isDisjoint(with: Judge.obligations.map(\.id)))
        for id in Symptom.ids { #expect(!ExploringMessages.advice(id).isEmpty, "\(id)") }
    }
}
