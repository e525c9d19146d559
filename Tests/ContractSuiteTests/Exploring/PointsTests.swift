import FitIQAPI
import FitIQClient
import HTTP1
import Judging
import Scenarios
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

/// Plays a story with the reference client, with or without faults.
func play(_ schedule: Schedule) async throws -> (outcome: TrialOutcome, points: Points) {
    let trial = MemoryTrial { try ReferenceClient($0, network: $1) }
    let outcome = try await trial.run(
        schedule.scenario(on: Story.all[schedule.story].scenario), story: schedule.story)
    return (outcome, Points(outcome, TrialReading(outcome)))
}

@Suite("Fault points")
struct PointsTests {
    /// The entry that a place describes, with the numbers of a journal without faults.
    private static func entry(at place: FaultPoint.Place, in entries: [JournalEntry]) -> JournalEntry? {
        func requests(_ endpoint: Endpoint) -> [JournalEntry] {
            entries.filter {
                switch $0.event {
                case .exchange(let exchange): exchange.endpoint == endpoint
                case .opened(let opening): opening.endpoint == endpoint
                default: false
                }
            }
        }
        func frames(_ socket: Endpoint, _ connection: Int) -> [JournalEntry] {
            let number = requests(socket)[connection - 1].connection
            return entries.filter { entry in
                guard entry.connection == number, case .frame(let frame) = entry.event else { return false }
                return frame.sender == .server && frame.opcode == .text
            }
        }
        guard let endpoint = place.endpoint else { return nil }
        switch place.sort {
        case .request, .handshake: return requests(endpoint)[place.number - 1]
        case .frame, .after:
            return frames(endpoint, place.connection).filter { $0.event.frame?.type == place.text }[place.number - 1]
        case .chunk:
            var (ended, chunks): (Int, [JournalEntry]) = (0, [])
            for frame in frames(endpoint, place.connection) {
                let type = frame.event.frame?.type
                if type == "stream_chunk", ended == place.numbers[1] - 1 { chunks.append(frame) }
                if type == "stream_complete" { ended += 1 }
            }
            return chunks[place.number - 1]
        case .question, .meal, .moment: return nil
        }
    }

    @Test("A fault at a known point affects exactly that point's entry", arguments: Story.all.indices)
    func roundTrip(_ story: Int) async throws {
        let (outcome, points) = try await play(Schedule(story: story))
        var tried = 0
        for point in points.all {
            // Use a change that affects only fault names, so that the journals are identical up to the fault.
            let kind: String
            switch point.place.sort {
            case .request: kind = "status-503"
            case .handshake: kind = "shake-503"
            case .frame, .chunk: kind = "lost"
            case .after: kind = "end-finish"
            case .question, .meal, .moment: continue
            }
            tried += 1
            let expected = try #require(Self.entry(at: point.place, in: outcome.entries))
            let fault = Schedule.Fault(try #require(FaultKind.named(kind)), at: point.place)
            let schedule = Schedule(story: story, faults: [fault])
            let (faulty, seen) = try await play(schedule)
            let first = try #require(
                faulty.entries.first { $0.event.faultNames == ["\(kind)-1"] }, "\(point.place)")
            #expect(first.isLike(expected), "\(point.place): \(EntryLine(first).text)")
            #expect(
                schedule.acted(in: faulty, on: Story.all[story].scenario, seen) == [0], "\(point.place)")
            #expect(schedule.acted(in: outcome, on: Story.all[story].scenario, points).isEmpty)
        }
        #expect(tried > 20)
    }

    @Test("A fault at a question, meal or moment affects the events triggered there", arguments: Story.all.indices)
    func behaviours(_ story: Int) async throws {
        let (_, points) = try await play(Schedule(story: story))
        for point in points.all {
            let (kind, sign): (String, (JournalEntry) -> Bool)
            switch point.place.sort {
            case .question:
                (kind, sign) = ("coach-error", { $0.event.frame?.type == "error" })
            case .meal:
                (kind, sign) = ("meal-fails", { $0.says("ingredients are unknown") })
            case .moment where point.place.number > 5: (kind, sign) = ("expired", { $0.event.status == 401 })
            default: continue
            }
            let fault = Schedule.Fault(try #require(FaultKind.named(kind)), at: point.place)
            let schedule = Schedule(story: story, faults: [fault])
            let (faulty, seen) = try await play(schedule)
            #expect(schedule.acted(in: faulty, on: Story.all[story].scenario, seen) == [0], "\(point.place)")
            if point.place.sort == .moment { continue }
            #expect(faulty.entries.contains(where: sign), "\(point.place)")
        }
    }

    @Test("Points are unique, ordered by time and labelled with their part of the answer")
    func order() async throws {
        let (_, points) = try await play(Schedule(story: 0))
        #expect(Set(points.all.map(\.place)).count == points.all.count)
        #expect(points.patience == nil)
        #expect(points.new(since: points).isEmpty)
        let parts = points.all.compactMap { point -> FaultPoint.Part? in
            point.place.sort == .chunk && point.place.numbers.prefix(2) == [1, 1] ? point.part : nil
        }
        #expect(parts == [.first, .middle, .middle, .last])
        let first = try #require(points.all.first { $0.place == .handshake(.webSocket, 1) })
        #expect(first.situation.socket == .none)
        #expect(points.all.contains { $0.place == .after(.webSocket, connection: 1, type: "stream_complete", 1) })
        #expect(points.all.contains { $0.place == .question(turn: 3) })
        #expect(!points.all.contains { $0.place == .question(turn: 4) }, "Three turns are enough.")
        #expect(points.reaches(.moment(seconds: 1)) && !points.reaches(.moment(seconds: 10_000)))
    }

    @Test("A hanging request reveals how long the client waits")
    func patience() async throws {
        let hang = Schedule.Fault(try #require(FaultKind.named("hang")), at: .request(.createConsultation, 1))
        let (_, points) = try await play(Schedule(story: 0, faults: [hang]))
        let patience = try #require(points.patience)
        // Thirty seconds, plus one until the client retries.
        #expect(patience == .seconds(31))
        let lost = Schedule.Fault(try #require(FaultKind.named("lost-answer")), at: .request(.createConsultation, 1))
        #expect(try await play(Schedule(story: 0, faults: [lost])).points.patience == nil, "That is no patience.")
        let (_, calm) = try await play(Schedule(story: 0))
        #expect(points.new(since: calm).contains { $0.place == .request(.createConsultation, 2) })
    }

    private static func head(_ path: String) throws -> RequestHead {
        try RequestHead(recorded: Array("GET \(path) HTTP/1.1\r\n".utf8))
    }

    /// A journal with answers to this many requests, one per second.
    private static func journal(requests count: Int) throws -> TrialOutcome {
        var outcome = TrialOutcome(mode: .union, startedAt: Timestamp(secondsSinceEpoch: 0))
        for number in 1...count {
            let time = Timestamp(secondsSinceEpoch: Int64(number))
            let exchange = RecordedExchange(
                head: try head("/api/v1/goals"), requestedAt: time, endpoint: .listGoals, status: 200)
            outcome.entries.append(
                JournalEntry(number: number, time: time, connection: 1, event: .exchange(exchange)))
        }
        return outcome
    }

    @Test("A run yields at most 2,000 points from its first 5,000 entries")
    func limits() throws {
        for requests in [1999, 2000, 4999, 5001] {
            let outcome = try Self.journal(requests: requests)
            let points = Points(outcome, TrialReading(outcome))
            // One point is the moment of the first situation.
            #expect(points.all.count == min(requests + 1, ExploreLimits.points), "\(requests)")
        }
        // The end of a situation still belongs to it.
        let outcome = try Self.journal(requests: 1)
        let points = Points(outcome, TrialReading(outcome))
        #expect(points.reaches(.moment(seconds: 1)) && !points.reaches(.moment(seconds: 2)))
    }

    @Test("Requests are numbered by arrival even if their answers arrive out of order")
    func overtaken() throws {
        var outcome = TrialOutcome(mode: .union, startedAt: Timestamp(secondsSinceEpoch: 0))
        func add(_ endpoint: Endpoint, _ path: String, at time: Int64, asked: Int64) throws {
            let exchange = RecordedExchange(
                head: try Self.head(path), requestedAt: Timestamp(secondsSinceEpoch: asked), endpoint: endpoint,
                status: 200)
            outcome.entries.append(
                JournalEntry(
                    number: outcome.entries.count + 1, time: Timestamp(secondsSinceEpoch: time),
                    connection: UInt64(asked), event: .exchange(exchange)))
        }
        try add(.listGoals, "/api/v1/goals", at: 3, asked: 2)
        try add(.listMealLogs, "/api/v1/meal-logs", at: 4, asked: 3)
        try add(.listGoals, "/api/v1/goals", at: 5, asked: 1)
        let points = Points(outcome, TrialReading(outcome))
        #expect(
            points.all.map(\.place) == [
                .request(.listGoals, 2), .moment(seconds: 3), .request(.listMealLogs, 1), .request(.listGoals, 1),
            ])
    }

    private static let second = Timestamp(secondsSinceEpoch: 1)

    /// The points in a journal with these events and their times in seconds.
    private static func points(_ events: [(at: Double, event: JournalEvent)]) -> Points {
        let start = Timestamp(secondsSinceEpoch: 0)
        var outcome = TrialOutcome(mode: .union, startedAt: start)
        outcome.entries = events.enumerated().map { index, moment in
            JournalEntry(
                number: index + 1, time: start.advanced(byNanoseconds: Int64(moment.at * 1e9)), connection: 1,
                event: moment.event)
        }
        return Points(outcome, TrialReading(outcome))
    }

    private static let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

    @Test("A socket is idle at its end or after five seconds without a server frame")
    func gaps() throws {
        let head = try RequestHead(
            recorded: Array("GET /api/v1/consultations/c/ws HTTP/1.1\r\n\(Self.upgrade)".utf8))
        let opening = RecordedExchange(head: head, requestedAt: Self.second, endpoint: .webSocket, status: 101)
        let pong = RecordedFrame(sender: .server, opcode: .text, payload: Array(#"{"type":"pong"}"#.utf8))
        for (end, isIdle) in [(6.5, false), (7, true)] as [(Double, Bool)] {
            let points = Self.points([(1, .opened(opening)), (2, .frame(pong)), (end, .frame(pong))])
            #expect(points.reaches(.after(.webSocket, connection: 1, type: "pong", 1)) == isIdle)
            #expect(points.reaches(.after(.webSocket, connection: 1, type: "pong", 2)))
        }
    }

    @Test("The client's patience is the time from a hanging request to the next later request")
    func hanging() throws {
        let head = try Self.head("/api/v1/goals")
        let hangs = RecordedExchange(
            head: head, requestedAt: Self.second, endpoint: .listGoals, status: nil, delivery: .none,
            faults: ["hang-1"])
        for (seconds, patience) in [(1, nil), (31, .seconds(30))] as [(Int64, Duration?)] {
            let next = RecordedExchange(
                head: head, requestedAt: Timestamp(secondsSinceEpoch: seconds), endpoint: .listGoals, status: 200)
            let points = Self.points([(1, .exchange(hangs)), (Double(seconds), .exchange(next))])
            #expect(points.patience == patience, "\(seconds)")
        }
    }

    @Test("A meal counts as a place for faults only if a rule can match its text")
    func meals() throws {
        let rows: [(String, Bool)] = [
            ("2 eggs", true), ("/2 eggs", false), (#"2\u0007eggs"#, false), (#"2\u007feggs"#, false), (" ", false),
            ("", false),
        ]
        for (words, isPlace) in rows {
            let meal = RecordedExchange(
                head: try Self.head("/api/v1/meal-logs/natural"), body: Array(#"{"raw_input":"\#(words)"}"#.utf8),
                requestedAt: Self.second, endpoint: .createMealLog, status: 201)
            #expect(Self.points([(1, .exchange(meal))]).all.contains { $0.place.sort == .meal } == isPlace, "\(words)")
        }
    }

    @Test("A request is a place for faults if its endpoint is served and, for a socket, it has its upgrade")
    func matches() throws {
        let rows: [(endpoint: Endpoint, fields: String, unmatched: RecordedExchange.Unmatched?, isPlace: Bool)] = [
            (.webSocket, Self.upgrade, nil, true), (.webSocket, "", nil, false), (.listGoals, "", nil, true),
            (.listGoals, "", .notInGuide, false),
        ]
        for row in rows {
            let head = try RequestHead(recorded: Array("GET /api/v1/goals HTTP/1.1\r\n\(row.fields)".utf8))
            let exchange = RecordedExchange(
                head: head, requestedAt: Self.second, endpoint: row.endpoint, unmatched: row.unmatched, status: 404)
            let points = Self.points([(1, .exchange(exchange))]).all
            #expect(points.contains { $0.place.endpoint == row.endpoint } == row.isPlace, "\(row)")
        }
    }

    @Test("Two points are equal if they have the same route and situation, regardless of their numbers")
    func likeness() throws {
        let kind = try #require(FaultKind.named("lost"))
        var waiting = Situation()
        waiting.socket = .awaiting
        func likeness(_ place: FaultPoint.Place, _ situation: Situation = Situation(), _ part: FaultPoint.Part = .only)
            -> UInt64
        { FaultPoint(place, in: situation, part: part).likeness(for: kind) }
        let first = likeness(.request(.listGoals, 1))
        #expect(likeness(.request(.listGoals, 7)) == first)
        #expect(likeness(.request(.createGoal, 1)) != first)
        #expect(likeness(.request(.listGoals, 1), waiting) != first)
        // Faults that affect single bytes do not depend on the client's situation.
        let masked = try #require(FaultKind.named("masked"))
        let calm = FaultPoint(.request(.listGoals, 1), in: Situation())
        let busy = FaultPoint(.request(.listGoals, 2), in: waiting)
        #expect(calm.likeness(for: masked) == busy.likeness(for: masked))
        let chunk = FaultPoint.Place.chunk(.webSocket, connection: 1, answer: 1, 2)
        #expect(likeness(chunk, waiting, .middle) != likeness(chunk, waiting, .last))
        let frames = ["pong", "error"].map {
            likeness(.frame(.webSocket, connection: 1, type: $0, 1), waiting)
        }
        #expect(frames[0] != frames[1])
        #expect(likeness(.after(.webSocket, connection: 1, type: "pong", 1), waiting) != frames[0])
    }
}

extension JournalEvent {
    fileprivate var frame: RecordedFrame? { if case .frame(let frame) = self { frame } else { nil } }
    fileprivate var status: Int? { if case .exchange(let exchange) = self { exchange.status } else { nil } }
}

extension JournalEntry {
    fileprivate func says(_ text: String) -> Bool {
        switch event {
        case .frame(let frame): String(decoding: frame.payload.bytes, as: UTF8.self).contains(text)
        case .exchange(let exchange): String(decoding: exchange.responseBody.bytes, as: UTF8.self).contains(text)
        default: false
        }
    }

    /// Whether both entries are about the same request or frame, even if a fault changed the answer or outcome.
    fileprivate func isLike(_ other: JournalEntry) -> Bool {
        switch (event, other.event) {
        case (.exchange(let one), .exchange(let other)), (.exchange(let one), .opened(let other)),
            (.opened(let one), .opened(let other)):
            (one.endpoint, one.requestedAt) == (other.endpoint, other.requestedAt)
        case (.frame(let one), .frame(let two)):
            one.type == two.type && one.payload.bytes == two.payload.bytes && time == other.time
                && connection == other.connection
        default: false
        }
    }
}
