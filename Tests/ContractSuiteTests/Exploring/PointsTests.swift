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
        let outcome = try await Schedule(story: story).play()
        let points = outcome.points
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
            let schedule = try Schedule(kind, at: point.place, story: story)
            let faulty = try await schedule.play()
            let first = try #require(faulty.entries.first { $0.event.faultNames == ["\(kind)-1"] }, "\(point.place)")
            #expect(first.isLike(expected), "\(point.place): \(EntryLine(first).text)")
            #expect(schedule.acted(in: faulty, on: Story.all[story].scenario, faulty.points) == [0], "\(point.place)")
            #expect(schedule.acted(in: outcome, on: Story.all[story].scenario, points).isEmpty)
        }
        #expect(tried > 20)
    }

    @Test("A fault at a question, meal or moment affects the events triggered there", arguments: Story.all.indices)
    func behaviours(_ story: Int) async throws {
        for point in try await Schedule(story: story).play().points.all {
            let (kind, sign): (String, (JournalEntry) -> Bool)
            switch point.place.sort {
            case .question: (kind, sign) = ("coach-error", { $0.event.frame?.type == "error" })
            case .meal: (kind, sign) = ("meal-fails", { $0.says("ingredients are unknown") })
            case .moment where point.place.number > 5: (kind, sign) = ("expired", { $0.event.status == 401 })
            default: continue
            }
            let schedule = try Schedule(kind, at: point.place, story: story)
            let faulty = try await schedule.play()
            #expect(schedule.acted(in: faulty, on: Story.all[story].scenario, faulty.points) == [0], "\(point.place)")
            if point.place.sort == .moment { continue }
            #expect(faulty.entries.contains(where: sign), "\(point.place)")
        }
    }

    @Test("Points are unique, ordered by time and labelled with their part of the answer")
    func order() async throws {
        let points = try await Schedule(story: 0).play().points
        #expect(Set(points.all.map(\.place)).count == points.all.count)
        #expect(points.patience == nil && points.new(since: points).isEmpty)
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
        let points = try await Schedule("hang", at: .request(.createConsultation, 1)).play().points
        // Thirty seconds, plus one until the client retries.
        #expect(points.patience == .seconds(31))
        let lost = try await Schedule("lost-answer", at: .request(.createConsultation, 1)).play().points
        #expect(lost.patience == nil, "That is no patience.")
        let calm = try await Schedule(story: 0).play().points
        #expect(points.new(since: calm).contains { $0.place == .request(.createConsultation, 2) })
    }

    private static let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

    private static func exchange(
        _ endpoint: Endpoint = .listGoals, _ path: String = "/api/v1/goals", fields: String = "", body: String = "",
        asked seconds: Double = 1, unmatched: RecordedExchange.Unmatched? = nil, status: Int? = 200,
        delivery: Delivery = .complete, faults: [String] = []
    ) throws -> RecordedExchange {
        RecordedExchange(
            head: try RequestHead("GET \(path)", fields), body: Array(body.utf8), requestedAt: .after(seconds),
            endpoint: endpoint, unmatched: unmatched, status: status, delivery: delivery, faults: faults)
    }

    /// Points after answers to this many requests, one per second.
    private static func points(requests count: Int) throws -> Points {
        try TrialOutcome((1...count).map { (Double($0), 1, .exchange(try exchange(asked: Double($0)))) }).points
    }

    @Test("A run yields at most 2,000 points from its first 5,000 entries")
    func limits() throws {
        for requests in [1999, 2000, 4999, 5001] {
            // One point is the moment of the first situation.
            let count = try Self.points(requests: requests).all.count
            #expect(count == min(requests + 1, ExploreLimits.points), "\(requests)")
        }
        // The end of a situation still belongs to it.
        let points = try Self.points(requests: 1)
        #expect(points.reaches(.moment(seconds: 1)) && !points.reaches(.moment(seconds: 2)))
    }

    @Test("Requests are numbered by arrival even if their answers arrive out of order")
    func overtaken() throws {
        let outcome = TrialOutcome([
            (3, 2, .exchange(try Self.exchange(asked: 2))),
            (4, 3, .exchange(try Self.exchange(.listMealLogs, "/api/v1/meal-logs", asked: 3))),
            (5, 1, .exchange(try Self.exchange(asked: 1))),
        ])
        #expect(
            outcome.points.all.map(\.place) == [
                .request(.listGoals, 2), .moment(seconds: 3), .request(.listMealLogs, 1), .request(.listGoals, 1),
            ])
    }

    @Test("A socket is idle at its end or after five seconds without a server frame")
    func gaps() throws {
        let opening = try Self.exchange(.webSocket, "/api/v1/consultations/c/ws", fields: Self.upgrade, status: 101)
        let pong = RecordedFrame(#"{"type":"pong"}"#)
        for (end, isIdle) in [(6.5, false), (7, true)] as [(Double, Bool)] {
            let points = TrialOutcome([(1, 1, .opened(opening)), (2, 1, .frame(pong)), (end, 1, .frame(pong))]).points
            #expect(points.reaches(.after(.webSocket, connection: 1, type: "pong", 1)) == isIdle)
            #expect(points.reaches(.after(.webSocket, connection: 1, type: "pong", 2)))
        }
    }

    @Test("The client's patience is the time from a hanging request to the next later request")
    func hanging() throws {
        let hangs = try Self.exchange(status: nil, delivery: .none, faults: ["hang-1"])
        for (seconds, patience) in [(1, nil), (31, .seconds(30))] as [(Double, Duration?)] {
            let next = try Self.exchange(asked: seconds)
            let points = TrialOutcome([(1, 1, .exchange(hangs)), (seconds, 1, .exchange(next))]).points
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
            let meal = try Self.exchange(
                .createMealLog, "/api/v1/meal-logs/natural", body: #"{"raw_input":"\#(words)"}"#, status: 201)
            let points = TrialOutcome([(1, 1, .exchange(meal))]).points
            #expect(points.all.contains { $0.place.sort == .meal } == isPlace, "\(words)")
        }
    }

    @Test("A request is a place for faults if its endpoint is served and, for a socket, it has its upgrade")
    func matches() throws {
        let rows: [(endpoint: Endpoint, fields: String, unmatched: RecordedExchange.Unmatched?, isPlace: Bool)] = [
            (.webSocket, Self.upgrade, nil, true), (.webSocket, "", nil, false), (.listGoals, "", nil, true),
            (.listGoals, "", .notInGuide, false),
        ]
        for row in rows {
            let exchange = try Self.exchange(row.endpoint, fields: row.fields, unmatched: row.unmatched, status: 404)
            let points = TrialOutcome([(1, 1, .exchange(exchange))]).points.all
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
        let frames = ["pong", "error"].map { likeness(.frame(.webSocket, connection: 1, type: $0, 1), waiting) }
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
