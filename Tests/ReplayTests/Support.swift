import FitIQAPI
import JSON
import Replay
import Testing
import WebSocket

@testable import Traffic

/// The time this many milliseconds after the start of the replay or the recording.
func at(_ milliseconds: Int64) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: 1_800_000_000_000_000_000 + milliseconds * 1_000_000)
}

func recorded(_ milliseconds: Int64) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: 1_700_000_000_000_000_000 + milliseconds * 1_000_000)
}

let millisecond: Int64 = 1_000_000

/// Ids as the fake issues them; the letter names the side that created them.
enum IDs {
    static let a = "aaaaaaaa-0000-4000-8000-000000000001"
    static let b = "bbbbbbbb-0000-4000-8000-000000000002"
    static let c = "cccccccc-0000-4000-8000-000000000003"
    static let d = "dddddddd-0000-4000-8000-000000000004"
}

let recordedOrigin = "https://api.fitiq.example"
let ourOrigin = "http://localhost:8080"

/// Builds a session whose entries are 100 ms apart: `SessionBuilder().exchange("GET", "/a").socket("/ws").player()`.
final class SessionBuilder {
    private var entries: [SessionExchange] = []
    private var now: Int64 = 0
    var session: Session { Session(entries: entries) }

    @discardableResult func exchange(
        _ method: String, _ target: String, fields: [SessionField] = [], body: String? = nil, status: Int = 200,
        answer: String = "", answerFields: [SessionField] = [], waited: Int64 = 0, start: Int64? = nil,
        lasted: Int64? = nil, isComplete: Bool = true
    ) -> SessionBuilder {
        now = start ?? now + 100
        entries.append(
            SessionExchange(
                started: recorded(now), waited: waited * millisecond, lasted: (lasted ?? waited) * millisecond,
                request: SessionRequest(
                    method: method, url: target.hasPrefix("/") ? recordedOrigin + target : target, fields: fields,
                    body: body.map { RecordedBody(Array($0.utf8)) }),
                response: status == 0
                    ? nil
                    : SessionResponse(
                        status: status, fields: answerFields, body: RecordedBody(Array(answer.utf8)),
                        isComplete: isComplete)))
        return self
    }

    /// Adds a socket that opens 10 ms after its handshake.
    @discardableResult func socket(
        _ target: String, fields: [SessionField] = [], answerFields: [SessionField] = [], frames: [SessionFrame] = [],
        ending: SessionEnding? = nil, start: Int64? = nil, origin: String = "wss://api.fitiq.example"
    ) -> SessionBuilder {
        now = start ?? now + 100
        let url = origin + target
        entries.append(
            SessionExchange(
                started: recorded(now), opened: recorded(now + 10),
                request: SessionRequest(method: "GET", url: url, fields: fields),
                response: SessionResponse(status: 101, fields: answerFields),
                frames: frames.map {
                    var frame = $0
                    frame.time = frame.time.advanced(byNanoseconds: (now + 10) * millisecond)
                    return frame
                },
                ending: ending.map {
                    SessionEnding(
                        time: $0.time.advanced(byNanoseconds: (now + 10) * millisecond), party: $0.party,
                        cause: $0.cause)
                }))
        return self
    }

    /// Waits this many milliseconds before the next entry.
    @discardableResult func wait(_ milliseconds: Int64) -> SessionBuilder {
        now += milliseconds
        return self
    }

    func plan() throws -> ReplayPlan { try ReplayPlan(session) }

    func player(
        _ match: ReplaySettings.Match = .ordered, speed: ReplaySettings.Speed = .factor(1),
        frames: ReplaySettings.FrameOrder = .lockStep
    ) throws -> Player {
        Player(try plan(), settings: ReplaySettings(match: match, speed: speed, frames: frames), origin: ourOrigin)
    }
}

/// A frame this many milliseconds after the socket opens.
func frame(_ sender: Party, _ milliseconds: Int64, _ text: String) -> SessionFrame {
    SessionFrame(sender: sender, time: recorded(milliseconds), opcode: .text, payload: RecordedBody(Array(text.utf8)))
}

func frame(_ sender: Party, _ milliseconds: Int64, _ opcode: Opcode, _ payload: [UInt8]) -> SessionFrame {
    SessionFrame(sender: sender, time: recorded(milliseconds), opcode: opcode, payload: RecordedBody(payload))
}

/// An ending this many milliseconds after the socket opens.
func ending(_ party: Party, _ milliseconds: Int64, _ cause: SessionEnding.Cause) -> SessionEnding {
    SessionEnding(time: recorded(milliseconds), party: party, cause: cause)
}

struct NoSocket: Error {
    var target: String
}

struct NoMiss: Error {}

extension Player {
    /// The answer to a request.
    mutating func ask(
        _ method: String, _ target: String, fields: [SessionField] = [], body: String = "", origin: String? = nil
    ) -> ReplayAnswer {
        let isHandshake = method == "WS"
        return answer(
            ReplayRequest(
                method: isHandshake ? "GET" : method, target: target, fields: fields, body: Array(body.utf8),
                isHandshake: isHandshake, origin: origin), at: at(0))
    }

    /// The miss that a request causes.
    mutating func miss(_ method: String, _ target: String, fields: [SessionField] = [], body: String = "") throws
        -> ReplayMiss
    {
        guard case .unexpected(let miss) = ask(method, target, fields: fields, body: body) else { throw NoMiss() }
        return miss
    }

    /// The body, or the status if there is no body; other events as words.
    mutating func text(
        _ method: String, _ target: String, fields: [SessionField] = [], body: String = "", origin: String? = nil
    ) -> String {
        switch ask(method, target, fields: fields, body: body, origin: origin) {
        case .response(let response):
            response.body.isEmpty ? String(response.status) : String(decoding: response.body, as: UTF8.self)
        case .socket(let opening): "socket \(opening.socket.number)"
        case .noAnswer: "no answer"
        case .unexpected(let miss): "unexpected: \(miss.reason)"
        }
    }

    /// Sends requests in order, each as `METHOD target body`, and compares the answers.
    mutating func expect(
        _ answers: KeyValuePairs<String, String>, fields: [SessionField] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        for (request, answer) in answers {
            let parts = request.split(separator: " ", maxSplits: 2).map(String.init)
            let text = text(parts[0], parts[1], fields: fields, body: parts.count > 2 ? parts[2] : "")
            #expect(text == answer, "\(request)", sourceLocation: location)
        }
    }

    /// Opens the recorded socket at a path; the socket must exist.
    mutating func open(_ target: String, fields: [SessionField] = [], at time: Timestamp = at(0)) throws -> ReplaySocket
    {
        guard case .socket(let opening) = ask("WS", target, fields: fields) else { throw NoSocket(target: target) }
        opened(opening.socket, at: time)
        return opening.socket
    }

    mutating func send(_ text: String, on socket: ReplaySocket, at time: Timestamp) {
        receive(.text(Array(text.utf8)), on: socket, at: time)
    }

    /// The events until a time, each with the millisecond at which it was due: `20 text hello`.
    mutating func timeline(until end: Timestamp) -> [String] {
        var lines: [String] = []
        while let deadline = nextDeadline, deadline <= end {
            let milliseconds = (deadline.nanosecondsSinceEpoch - at(0).nanosecondsSinceEpoch) / millisecond
            for effect in advance(to: deadline) { lines.append("\(milliseconds) \(effect.action.words)") }
        }
        return lines
    }
}

extension ReplayEffect.Action {
    var words: String {
        switch self {
        case .text(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
        case .binary(let bytes): "binary \(bytes)"
        case .ping(let bytes): "ping \(String(decoding: bytes, as: UTF8.self))"
        case .close(let code, let reason): "close \(code.map { String($0) } ?? "-") \(reason)"
        case .finish: "finish"
        case .reset: "reset"
        }
    }
}
