import FitIQAPI
import HTTP1
import Judging
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

@Suite("Oracle")
struct OracleTests {
    private static let story = Story.all[0]

    private static func answer(_ status: Int, _ endpoint: Endpoint, of path: String) throws -> RecordedExchange {
        let head = try RequestHead("GET /api/v1/consultations/\(KnownID.consultation)\(path)")
        return RecordedExchange(head: head, requestedAt: .start, endpoint: endpoint, status: status)
    }

    /// An outcome with requests and client frames, each at the given seconds.
    private static func outcome(
        requests: [Double] = [], frames: [Double] = [], quiet: Range<Int>? = nil, quietAfter seconds: Double = 0,
        end: TrialOutcome.End = .finished, failures: [CaseFailure] = []
    ) throws -> TrialOutcome {
        let head = try RequestHead("GET /health")
        var moments: [Moment] = requests.map {
            ($0, 1, .exchange(RecordedExchange(head: head, requestedAt: .after($0), status: 200)))
        }
        moments += frames.map { ($0, 1, .frame(RecordedFrame("{}", by: .client))) }
        var outcome = TrialOutcome(moments.sorted { $0.at < $1.at })
        (outcome.quiet, outcome.quietSince) = (quiet, .after(seconds))
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
        outcome.symptoms(oracle).map(\.id)
    }

    @Test("Exit statuses and signals become symptoms")
    func ends() throws {
        let ends: [(TrialOutcome.End, [String])] = [
            (.finished, []), (.command(.exited(0)), []), (.command(.exited(3)), ["explore/command"]),
            (.command(.signalled(11)), ["explore/crash"]), (.command(.timedOut(1)), ["explore/hang"]),
            (.restless(looks: 5000), ["explore/flood"]), (.undrivable("It is gone."), ["explore/crash"]),
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
            return outcome.symptoms(Oracle([story]), isHarmed: isHarmed).map(\.id)
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
        let symptoms = newer.symptoms(Oracle([Self.story]), isHarmed: false, isNewer: true)
        #expect(symptoms.map(\.id) == ["inside/unknown-is-ignored"])
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
            return outcome.symptoms(Oracle([story]), isHarmed: false).map(\.id)
        }
        let rows: [(mode: GuideMode, check: InsideCheck, step: Int, ids: [String])] = [
            // Only one guide limits the transcript.
            (.consultationWebSocket, .newestMessages, step, ["inside/keeps-100-messages"]),
            (.union, .newestMessages, step, []), (.goalLinking, .newestMessages, step, []),
            (.union, .goneConversation, step, ["inside/gone-conversation-cleared"]),
            // A failure that persists in all later checks counts everywhere.
            (.goalLinking, .cutStream, 1, ["inside/cut-stream-not-complete"]),
            (.goalLinking, .transcript, 0, []), (.union, .transcript, 0, ["inside/transcript-equals-chunks"]),
        ]
        for row in rows { #expect(try ids(row.mode, row.check, step: row.step) == row.ids, "\(row)") }
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
            return outcome.symptoms(judge ?? oracle, isHarmed: isHarmed)
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
            var events: [JournalEvent] = [.opened(try Self.answer(101, .webSocket, of: "/ws"))]
            events += frames.map { .frame(RecordedFrame($0, by: $0.contains("message\"") ? .client : .server)) }
            events.append(.closed(RecordedClosing(by: .server, cause: .reset)))
            events.append(.exchange(try Self.answer(503, .listMessages, of: "/messages")))
            var outcome = TrialOutcome(events.enumerated().map { (Double($0) / 10, 1, $1) })
            outcome.failures = [Self.failure(.transcript, step: 1)]
            return Self.ids(outcome).filter { $0.hasPrefix("inside/") }
        }
        let (connected, question) = (#"{"type":"connected"}"#, #"{"type":"message","content":"a"}"#)
        #expect(try ids([connected]) == ["inside/transcript-equals-chunks"])
        #expect(try ids([connected, question]) == [])
        #expect(try ids([connected, question, #"{"type":"stream_chunk","content":"b"}"#]) == [])
    }

    @Test("Only a fault before the failure excuses a wrong transcript")
    func faultsInTime() throws {
        func ids(faultAfter seconds: Double) throws -> [String] {
            var outcome = TrialOutcome([
                (1, 1, .exchange(try Self.answer(503, .listMessages, of: "/messages"))),
                (seconds, 1, .fault(RecordedFault(name: "f", effect: .silence))),
            ])
            outcome.failures = [Self.failure(.transcript, step: 1)]
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
        let rows: [(usual: Int?, count: Int, seconds: Double, isFlood: Bool)] = [
            (nil, 60, 59, false), (nil, 61, 59, true), (nil, 61, 70, false), (10, 90, 59, false), (10, 91, 59, true),
            // Without faults, any number of requests is considered usual.
            (100, 100, 59, false), (nil, 5000, 1_000_000, false), (nil, 5001, 1_000_000, true),
        ]
        for row in rows {
            func even(_ count: Int) throws -> TrialOutcome {
                try Self.outcome(requests: (0..<count).map { Double($0) * row.seconds / Double(count) })
            }
            var oracle = Oracle(Story.all)
            if let usual = row.usual { oracle.learn(try even(usual), story: 0) }
            #expect(Self.ids(try even(row.count), oracle) == (row.isFlood ? ["explore/flood"] : []), "\(row)")
        }
        // The rate within a minute is allowed, but the total counts as a flood.
        let steady = try Self.outcome(requests: (0..<5001).map { Double($0) * 1.01 })
        #expect(steady.symptoms().map(\.message) == [ExploringMessages.flood(entries: 5001)])
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
        #expect(outcome.symptoms().map(\.entries) == [[1, 2]])
    }

    @Test("Only requests that begin after the user leaves count as restless")
    func restless() throws {
        let late = try Self.outcome(requests: [1, 5], quiet: 2..<3, quietAfter: 4)
        #expect(Self.ids(late) == ["explore/restless"])
        #expect(Self.ids(try Self.outcome(requests: [1, 5], quiet: 2..<3, quietAfter: 5)) == [])
        #expect(Self.ids(try Self.outcome(requests: [1, 5], quiet: 3..<3, quietAfter: 4)) == [])
        let frame = try Self.outcome(frames: [5], quiet: 1..<2, quietAfter: 4)
        #expect(Self.ids(frame).contains("explore/restless"))
        #expect(late.symptoms().first?.entries == [2])
    }

    @Test("After the user leaves, only text frames from the client count as restless")
    func quietEvents() throws {
        let rows: [(event: JournalEvent, isRestless: Bool)] = [
            (.frame(RecordedFrame("{}", by: .client)), true),
            (.frame(RecordedFrame(sender: .client, opcode: .close, payload: [])), false),
            (.frame(RecordedFrame("{}")), false),
            (.closed(RecordedClosing(by: .client, cause: .closeFrame)), false),
        ]
        for row in rows {
            var outcome = try Self.outcome(quiet: 1..<2, quietAfter: 4)
            outcome.entries = TrialOutcome([(5, 1, row.event)]).entries
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
        #expect(outcome.symptoms(oracle, story: 1).map(\.id) == ["explore/command"])
    }

    @Test("Every symptom has advice and a unique id")
    func ids() {
        #expect(Set(Symptom.ids).count == Symptom.ids.count && Symptom.ids.count == 21)
        #expect(Set(Symptom.ids).isDisjoint(with: Judge.obligations.map(\.id)))
        for id in Symptom.ids { #expect(!ExploringMessages.advice(id).isEmpty, "\(id)") }
    }
}
