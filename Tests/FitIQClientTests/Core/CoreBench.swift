import FitIQAPI
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import FitIQClient

/// A client core whose network and clock the test plays.
struct CoreBench {
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    static let consultation = "6f1c2d3e-0000-4000-8000-00000000000a"
    static let other = "6f1c2d3e-0000-4000-8000-00000000000b"
    static let goal = "6f1c2d3e-0000-4000-8000-0000000000c1"
    static let meal = "6f1c2d3e-0000-4000-8000-0000000000d1"

    var core: ClientCore
    var now = CoreBench.start
    /// The actions since the last call of `take()`, one per line: `12.5 GET /api/v1/goals`.
    var log: [String] = []
    /// The requests that are waiting for an answer, oldest first.
    var requests: [ClientRequest] = []
    var handshakes: [ClientSocketRequest] = []
    var socket: Int?
    var events: [ClientEvent] = []
    private var shown: ClientState

    init(guide: GuideMode = .union, fresh: String? = nil, _ change: (inout ClientConfiguration) -> Void = { _ in }) {
        var configuration = ClientConfiguration(
            credentials: Credentials(token: "old", apiKey: "key"), freshToken: fresh, guide: guide)
        configuration.checksAnswers = false
        change(&configuration)
        core = ClientCore(configuration)
        shown = core.state
    }

    /// A client whose user has asked for these things.
    static func asked(
        _ commands: ClientCommand..., guide: GuideMode = .union, fresh: String? = nil,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> CoreBench {
        var bench = CoreBench(guide: guide, fresh: fresh, change)
        for command in commands { bench.perform(command) }
        return bench
    }

    /// A client that has opened a consultation and read its empty history, and now opens the socket.
    static func opened(fresh: String? = nil) -> CoreBench {
        var bench = CoreBench(fresh: fresh)
        bench.open()
        return bench
    }

    /// A client with a chat, whose user has then asked for these things.
    static func connected(
        _ commands: ClientCommand..., history: JSONValue = [],
        change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> CoreBench {
        var bench = CoreBench(change)
        bench.connect(history: history)
        for command in commands { bench.perform(command) }
        return bench
    }

    var state: ClientState { core.state }
    var bearers: [String?] { requests.map { $0.fields[.authorization] } }
    /// The transcript, one line per text; an incomplete answer ends with `…`.
    var talk: [String] { state.transcript.map { "\($0.role.rawValue): \($0.text)\($0.isComplete ? "" : "…")" } }
    var seconds: Double { Double(now.nanosecondsSinceEpoch - Self.start.nanosecondsSinceEpoch) / 1e9 }

    mutating func perform(_ commands: ClientCommand...) {
        for command in commands {
            core.perform(command, at: now)
            collect()
        }
    }

    mutating func receive(_ input: ClientInput) {
        core.receive(input, at: now)
        collect()
    }

    /// Moves the clock by this many seconds, stopping whenever the core has a deadline.
    mutating func wait(_ seconds: Double) {
        let end = now.advanced(byNanoseconds: Int64(seconds * 1e9))
        var steps = 0
        while let due = core.nextDeadline, due <= end {
            now = max(now, due)
            core.advance(to: now)
            collect()
            steps += 1
            precondition(steps < 10_000, "the core's deadline does not move")
        }
        now = end
    }

    /// Lets 64 s pass, in which the server sends pongs but nothing else.
    mutating func waitAlive() {
        for _ in 0..<13 {
            wait(4.9)
            if let socket { receive(.pong(socket: socket)) }
        }
    }

    /// Answers the oldest request.
    mutating func answer(_ status: Int, _ body: JSONValue? = nil, _ fields: HTTPFields = [:]) {
        precondition(!requests.isEmpty, "a request waits for an answer")
        receive(.response(Self.response(requests.removeFirst().number, status, fields, body)))
    }

    /// Performs a command, and answers the oldest request.
    mutating func ask(_ command: ClientCommand, _ status: Int, _ body: JSONValue? = nil) {
        perform(command)
        answer(status, body)
    }

    private static func response(
        _ number: Int, _ status: Int, _ fields: HTTPFields, _ body: JSONValue?
    ) -> ClientResponse {
        ClientResponse(number: number, status: status, fields: fields, body: body?.encoded() ?? [])
    }

    /// Fails a request as often as the client tries.
    mutating func failThrice() {
        for pause in [1.0, 2, 0] {
            answer(503)
            wait(pause)
        }
    }

    /// Answers a request for the history with these texts, each as `role: text`.
    mutating func recall(_ lines: String...) {
        let messages = lines.enumerated().map { index, line in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            return Self.message("\(index + 1)", parts[0], parts[1])
        }
        answer(200, Self.history(.array(messages)))
    }

    /// Answers the oldest handshake with 101 or a different status.
    mutating func shake(_ status: Int = 101, _ fields: HTTPFields = [:], body: JSONValue? = nil) {
        precondition(!handshakes.isEmpty, "a handshake waits for an answer")
        let number = handshakes.removeFirst().number
        if status == 101 {
            socket = number
            receive(.socketOpened(number))
        } else {
            receive(.socketRefused(Self.response(number, status, fields, body)))
        }
    }

    /// Accepts the oldest handshake, and says so in a frame.
    mutating func greet() {
        shake()
        frame(["type": "connected"])
    }

    mutating func frame(_ values: JSONValue...) { for value in values { text(value.description) } }

    /// A whole answer of the coach in one chunk.
    mutating func reply(_ text: String) { frame(Self.chunk(text), ["type": "stream_complete"]) }

    mutating func text(_ text: String) { if let socket { receive(.text(socket: socket, Array(text.utf8))) } }

    mutating func end(_ code: CloseCode? = nil, isOwn: Bool = false) {
        guard let number = socket else { return }
        socket = nil
        receive(.socketClosed(ClientSocketEnd(number: number, code: code, reason: "", isOwn: isOwn)))
    }

    /// Disconnects the socket, and connects another one a second later.
    mutating func reconnect() {
        end()
        wait(1)
        greet()
    }

    mutating func leave() {
        perform(.disconnect)
        end(.normalClosure, isOwn: true)
    }

    mutating func open(_ id: String = consultation, history: JSONValue = []) {
        perform(.openConsultation(id: id))
        answer(200, Self.history(history))
    }

    /// Opens a consultation and connects its chat, with an empty history by default.
    mutating func connect(history: JSONValue = []) {
        open(history: history)
        greet()
        _ = take()
    }

    mutating func take() -> [String] {
        defer { log = [] }
        return log
    }

    static func chunk(_ text: String) -> JSONValue { ["type": "stream_chunk", "content": .string(text)] }

    static func history(_ messages: JSONValue) -> JSONValue { ["success": true, "data": ["messages": messages]] }

    static func message(_ id: String, _ role: String, _ text: String) -> JSONValue {
        ["id": .string(id), "role": .string(role), "content": .string(text)]
    }

    static func refusal(_ code: String, _ message: String = "No.") -> JSONValue {
        ["success": false, "error": ["code": .string(code), "message": .string(message)]]
    }

    private mutating func collect() {
        for action in core.takeActions() {
            log.append(line(action))
            switch action {
            case .send(let request): requests.append(request)
            case .cancel(let number): requests.removeAll { $0.number == number }
            case .openSocket(let request): handshakes.append(request)
            case .dropSocket(let number):
                if socket == number { socket = nil }
                handshakes.removeAll { $0.number == number }
            case .sendText, .ping, .closeSocket: break
            }
        }
        let news = core.takeEvents()
        if state != shown { #expect(news.contains(.changed), "nobody is told of a change") }
        shown = state
        events += news
    }

    private func line(_ action: ClientAction) -> String {
        let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        switch action {
        case .send(let request):
            let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
            return "\(time) \(request.method.rawValue) \(request.target)\(body)"
        case .cancel: return "\(time) cancel"
        case .openSocket(let request): return "\(time) WS \(request.target)"
        case .sendText(_, let text): return "\(time) > \(String(decoding: text, as: UTF8.self))"
        case .ping: return "\(time) ping"
        case .closeSocket(_, let code): return "\(time) close \(code)"
        case .dropSocket: return "\(time) drop"
        }
    }
}
