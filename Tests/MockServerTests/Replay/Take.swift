import FitIQAPI
import Replay
import Scenarios
import TestSupport
import Testing
import WebSocket

@testable import MockServer
@testable import Traffic

/// A recorded session that a test writes entry by entry, with times in milliseconds.
struct Take {
    var session = Session()

    static let origin = "http://recorded.example"
    private static let start = Timestamp(secondsSinceEpoch: 1_700_000_000)

    static func time(_ milliseconds: Int64) -> Timestamp { start.advanced(byNanoseconds: milliseconds * 1_000_000) }

    /// Adds a request with its answer; without a status, the request has no answer.
    func asked(
        _ method: String = "GET", _ path: String, _ body: String? = nil, at started: Int64 = 0, waited: Int64 = 0,
        fields: [SessionField] = [], status: Int? = 200, answerFields: [SessionField] = [], answer: String = "{}",
        isComplete: Bool = true
    ) -> Take {
        let type = answer.isEmpty ? [] : [SessionField("Content-Type", "application/json")]
        return entry(
            SessionExchange(
                started: Self.time(started), waited: waited * 1_000_000, lasted: waited * 1_000_000,
                request: SessionRequest(
                    method: method, url: Self.origin + path, fields: fields,
                    body: body.map { RecordedBody(Array($0.utf8)) }),
                response: status.map {
                    SessionResponse(
                        status: $0, fields: answerFields + type, body: RecordedBody(Array(answer.utf8)),
                        isComplete: isComplete)
                }))
    }

    func socket(
        _ path: String, at started: Int64 = 0, waited: Int64 = 0, fields: [SessionField] = [],
        _ frames: [SessionFrame], ending: SessionEnding? = nil
    ) -> Take {
        entry(
            SessionExchange(
                started: Self.time(started), opened: Self.time(started + waited),
                request: SessionRequest(method: "GET", url: "ws" + Self.origin.dropFirst(4) + path, fields: fields),
                response: SessionResponse(status: 101), frames: frames, ending: ending))
    }

    private func entry(_ entry: SessionExchange) -> Take { Take(session: Session(entries: session.entries + [entry])) }

    static func server(_ text: String, at time: Int64) -> SessionFrame {
        frame(.server, .text, Array(text.utf8), at: time)
    }

    static func client(_ text: String, at time: Int64) -> SessionFrame {
        frame(.client, .text, Array(text.utf8), at: time)
    }

    static func frame(_ sender: Party, _ opcode: Opcode, _ payload: [UInt8], at time: Int64) -> SessionFrame {
        SessionFrame(sender: sender, time: Self.time(time), opcode: opcode, payload: RecordedBody(payload))
    }

    static func ending(_ party: Party, _ cause: SessionEnding.Cause, at time: Int64) -> SessionEnding {
        SessionEnding(time: Self.time(time), party: party, cause: cause)
    }

    var har: [UInt8] { HAREncoder.file(session, creatorVersion: "test") }

    /// The scenario in the form in which it is sent over HTTP.
    var json: String { #"{"name":"take","replay":{"session":\#(String(decoding: har, as: UTF8.self))}}"# }

    func scenario(_ settings: ReplaySettings = ReplaySettings(), faults: String = "[]") throws -> Scenario {
        var scenario = try Scenario.read("{name: take, faults: \(faults)}")
        scenario.replay = SessionReplay(.plan(try ReplayPlan(session)), settings: settings)
        return scenario
    }

    func network(
        _ settings: ReplaySettings = ReplaySettings(), faults: String = "[]", clock: ClockMode = .real
    ) throws -> VirtualNetwork {
        let scenario = try scenario(settings, faults: faults)
        return VirtualNetwork { ($0.pace, $0.scenario, $0.clock) = (.human, scenario, clock) }
    }
}

extension SessionRecorder {
    /// Ends the recording, and returns the file as it is on disk.
    func file(at now: Timestamp) -> [UInt8] {
        let compaction = finish(at: now)
        var grown: [UInt8] = []
        for write in takeWrites() { write.apply(to: &grown) }
        var file: [UInt8] = []
        for piece in compaction.pieces {
            switch piece {
            case .bytes(let bytes): file += bytes
            case .range(let range): file += grown[range]
            }
        }
        return file
    }
}

extension VirtualNetwork {
    func get(_ path: String) throws -> Response { try exchange(Request(target: path)) }

    var lastExchange: RecordedExchange? {
        if case .exchange(let exchange)? = engine.journalEntries(ofWorld: World.defaultID).last?.event {
            exchange
        } else {
            nil
        }
    }

    var replayOutcome: Engine.ReplayOutcome? { engine.replayOutcome(ofWorld: World.defaultID) }

    /// The times at which bytes arrive, in milliseconds from now, rounded to steps.
    func arrivals(of wire: VirtualClient, for duration: Int, step: Int = 10) -> [Int] {
        var times: [Int] = []
        var count = wire.received.count
        if count > wire.consumed { times.append(0) }
        for time in stride(from: step, through: duration, by: step) {
            advance(by: .milliseconds(step))
            if wire.received.count > count { times.append(time) }
            count = wire.received.count
        }
        return times
    }

    /// The events of the default world's journal, in one or two words each.
    var story: [String] {
        engine.journalEntries(ofWorld: World.defaultID).map { entry in
            switch entry.event {
            case .exchange(let exchange):
                "exchange \(exchange.status.map(String.init) ?? "none") \(exchange.delivery)"
                    + (exchange.unmatched.map { " \($0.rawValue)" } ?? "")
            case .opened(let opening): "opened for \(opening.user ?? "nobody")"
            case .frame(let frame):
                "\(frame.sender) \(frame.opcode) \(String(decoding: frame.payload.bytes, as: UTF8.self))"
            case .closed(let closing): "closed by \(closing.party): \(closing.cause.rawValue)"
            case .fault(let fault): "fault \(fault.name)"
            case .clock, .note, .held, .released: "other"
            }
        }
    }
}
