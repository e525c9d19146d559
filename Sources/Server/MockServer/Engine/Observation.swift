import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Logging
import Text
import Traffic

/// An event for the operator of the server; the descriptions are its log lines.
public enum Observation: Sendable, CustomStringConvertible {
    /// The server answered a request that no journal records.
    case answered(method: String, target: String, status: HTTPResponse.Status)
    /// A request to a world was answered or given up, so many nanoseconds after it was complete.
    indirect case exchange(RecordedExchange, lasted: Int64, at: Place)
    indirect case socketOpened(RecordedOpening, at: Place)
    /// A WebSocket of a world ended, so many nanoseconds after its handshake.
    indirect case socketClosed(RecordedClosing, lasted: Int64, framesIn: Int, framesOut: Int, at: Place)
    /// A client broke HTTP, or exceeded a time limit.
    case refused(status: HTTPResponse.Status, message: String)
    case refusedConnection(limit: Int)
    /// TLS could not begin or continue.
    case tlsFailed(message: String)
    /// A WebSocket opened that belongs to no world.
    case webSocketOpened(path: String)
    /// A client broke the WebSocket protocol.
    case webSocketFailed(code: UInt16, message: String)
    /// A client left too much unread.
    case slowReader(limit: Int)
    /// All connections together held too much memory, and this one the most.
    case memory(limit: Int)

    /// A world's id, nil for the default world, and the number of the connection in its journal.
    public typealias Place = (world: String?, connection: Int)

    public var description: String {
        switch self {
        case .answered(let method, let target, let status): "\(method) \(Self.shown(target)) \(status.code)"
        case .exchange(let exchange, let lasted, _):
            "\(exchange.head.method) \(Self.shown(exchange.head.target.description)) "
                + (exchange.status.map { "\($0) in" } ?? "not answered,")
                + " \(Durations.milliseconds(lasted)) ms\(Self.reason(of: exchange).map { ": \($0)" } ?? "")"
        case .socketOpened(let opening, let place):
            "WebSocket \(place.connection) \(opening.head.target.path) opened"
                + (opening.user.map { " by \($0.text.onOneLine(limit: 100))" } ?? "")
        case .socketClosed(let closing, let lasted, let framesIn, let framesOut, let place):
            "WebSocket \(place.connection) closed by the \(closing.party.rawValue): \(Self.cause(of: closing)), "
                + "\(Durations.seconds(lasted)) s, \(framesIn) in, \(framesOut) out"
        case .refused(let status, let message): "refused with \(status.code): \(message)"
        case .refusedConnection(let limit): "refused a connection: \(limit) are open, which is the limit"
        case .tlsFailed(let message): "TLS: \(message)"
        case .webSocketOpened(let path): "WebSocket \(path) opened"
        case .webSocketFailed(let code, let message): "WebSocket closed with \(code): \(message)"
        case .memory(let limit):
            "reset a connection: together they hold more than \(limit) bytes, which is the limit, and it held the most"
        case .slowReader(let limit):
            "reset a WebSocket whose client left more than \(limit) bytes unread; read faster or close it"
        }
    }

    /// `warning` for what points to a mistake somewhere; `notice` for a client that mostly does not trust the server yet.
    public var level: Logger.Level {
        switch self {
        case .answered, .exchange, .socketOpened, .socketClosed, .webSocketOpened: .info
        case .tlsFailed: .notice
        case .refused, .refusedConnection, .webSocketFailed, .slowReader, .memory: .warning
        }
    }

    /// The facts of the description by name, for logs that programs read; numbers are of type `Int`.
    public var metadata: Logger.Metadata {
        Logger.Metadata(
            uniqueKeysWithValues: facts.compactMap { fact in fact.1.map { (fact.0, .stringConvertible($0)) } })
    }

    private typealias Fact = (String, (any CustomStringConvertible & Sendable)?)

    private var facts: [Fact] {
        switch self {
        case .answered(let method, let target, let status):
            return [("event", "answered"), ("method", method), ("target", Self.shown(target)), ("status", status.code)]
        case .exchange(let exchange, let lasted, let place):
            let (head, refusal) = (exchange.head, exchange.refusal)
            return [
                ("event", "exchange"), ("world", place.world), ("connection", place.connection),
                ("method", head.method.rawValue), ("target", Self.shown(head.target.description)),
                ("status", exchange.status), ("duration_ms", Int(lasted / 1_000_000)),
                ("code", refusal?.code?.onOneLine(limit: 100)), ("reason", refusal?.message.map(Self.excerpt)),
                ("user", exchange.user?.text), ("faults", Self.names(of: exchange.faults)),
            ]
        case .socketOpened(let opening, let place):
            return [
                ("event", "socket_opened"), ("world", place.world), ("connection", place.connection),
                ("target", opening.head.target.path), ("user", opening.user?.text),
                ("faults", Self.names(of: opening.faults)),
            ]
        case .socketClosed(let closing, let lasted, let framesIn, let framesOut, let place):
            return [
                ("event", "socket_closed"), ("world", place.world), ("connection", place.connection),
                ("by", closing.party.rawValue), ("cause", Self.cause(of: closing)),
                ("duration_ms", Int(lasted / 1_000_000)), ("frames_in", framesIn), ("frames_out", framesOut),
                ("faults", Self.names(of: closing.faults)),
            ]
        case .refused(let status, let message):
            return [("event", "refused"), ("status", status.code), ("reason", message)]
        case .refusedConnection(let limit): return [("event", "connection_refused"), ("limit", limit)]
        case .tlsFailed(let message): return [("event", "tls_failed"), ("reason", message)]
        case .webSocketOpened(let path): return [("event", "socket_opened"), ("target", path)]
        case .webSocketFailed(let code, let message):
            return [("event", "socket_failed"), ("code", Int(code)), ("reason", message)]
        case .memory(let limit): return [("event", "memory"), ("limit", limit)]
        case .slowReader(let limit): return [("event", "slow_reader"), ("limit", limit)]
        }
    }

    /// A target without the token that some clients send in the query.
    private static func shown(_ target: String) -> String { target.replacing(#/token=[^&]*/#, with: "token=…") }

    /// The code and the message of a refusal, and what faults did.
    private static func reason(of exchange: RecordedExchange) -> String? {
        let refusal = [exchange.refusal?.code?.onOneLine(limit: 100), exchange.refusal?.message.map(excerpt)]
        let parts = (refusal + [names(of: exchange.faults).map { "fault \($0)" }]).compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ").onOneLine(limit: 400)
    }

    private static func names(of faults: [String]) -> String? {
        faults.isEmpty ? nil : faults.joined(separator: ", ").onOneLine(limit: 100)
    }

    private static func excerpt(_ message: String) -> String { shown(message).onOneLine(limit: 200) }

    /// The cause of an end, with the code of the close frame that began it.
    private static func cause(of closing: RecordedClosing) -> String {
        let frame = closing.party == .client ? closing.summary.received : closing.summary.sent
        return closing.cause.rawValue + (frame?.code.map { " \($0.rawValue)" } ?? "")
    }
}

/// What logs and screens see of the engine.
extension Engine {
    /// Logs the engine's events; above the level `warning` nothing is observed, and so nothing is spent on it.
    public func log(to logger: Logger) {
        guard logger.logLevel <= .warning else { return }
        observesRequests = logger.logLevel <= .info
        observe = { logger.log(level: $0.level, "\($0)", metadata: $0.metadata) }
        guard observesRequests else { return }
        observeRecords { [unowned self] entry, world, connection in
            let place = (world.id, Int(clamping: entry.connection))
            switch entry.event {
            case .exchange(let exchange):
                let lasted = entry.time.nanoseconds(since: exchange.requestedAt)
                observe?(.exchange(exchange, lasted: lasted, at: place))
            case .opened(let opening): observe?(.socketOpened(opening, at: place))
            case .closed(let closing):
                let record = connection?.record ?? ConnectionRecord()
                let lasted = entry.time.nanoseconds(since: record.opening?.time ?? entry.time)
                let (framesIn, framesOut) = (record.framesIn, record.framesOut)
                observe?(
                    .socketClosed(closing, lasted: lasted, framesIn: framesIn, framesOut: framesOut, at: place))
            case .frame, .fault, .clock, .note, .held, .released: break
            }
        }
    }

    /// Passes on each entry of every world's journal right after it was recorded, with the world's id.
    ///
    /// The id is nil for the default world. The engine must not be called meanwhile.
    public func observeEntries(_ body: @escaping (JournalEntry, _ world: String?) -> Void) {
        observeRecords { entry, world, _ in body(entry, world.id) }
    }

    private func observeRecords(_ body: @escaping (JournalEntry, World, Connection?) -> Void) {
        let others = recorder.observe
        recorder.observe = { entry, world, connection in
            others?(entry, world, connection)
            body(entry, world, connection)
        }
    }

    /// Notes an answer, unless the journal's entry about it is observed.
    func noteAnswer(_ answer: Answer, to head: RequestHead) {
        guard observesRequests, let observe else { return }
        if recorder.observe != nil, !Destination(of: head.target, in: self).isServer { return }
        observe(.answered(method: head.method.rawValue, target: head.target.description, status: answer.status))
    }
}

/// A refusal unrelated to the API, because of the bytes, their number or their pace, that closes the connection.
struct TransportRefusal {
    let status: HTTPResponse.Status
    let code: String
    let message: String

    /// - Parameter code: nil for the status's name: "Content Too Large" → `CONTENT_TOO_LARGE`.
    private init(_ status: HTTPResponse.Status, code: String? = nil, _ message: String) {
        self.status = status
        self.code = code ?? String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
        self.message = message
    }

    /// The client broke HTTP.
    static func violation(_ error: RemoteError) -> TransportRefusal {
        TransportRefusal(error.status, "\(error.message) (\(error.source))")
    }

    static func headTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout, "The request's head did not arrive within \(time.components.seconds) s; send it at once.")
    }

    static func bodyTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout,
            "The request's body did not arrive within \(time.components.seconds) s; "
                + "check that as many bytes are sent as Content-Length says.")
    }

    static func tooMuchHeld(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "SERVER_BUSY",
            "The server holds \(limit) bytes for its connections, which is the limit; "
                + "read what it has sent, or send less at a time.")
    }

    static func tooManyConnections(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "TOO_MANY_CONNECTIONS",
            "\(limit) connections are open, which is the limit; close some and try again.")
    }

    /// TLS began on a port without it.
    static func tlsOnPlainPort(origin: String, secureOrigin: String?) -> TransportRefusal {
        let remedy = secureOrigin.map { "\($0) for TLS" } ?? "start the server with TLS to have https as well"
        return TransportRefusal(
            .badRequest,
            "The client began TLS (https or wss) on a port that speaks plain HTTP; use \(origin), or \(remedy).")
    }

    static func plainOnTLSPort(origin: String, secureOrigin: String) -> TransportRefusal {
        TransportRefusal(
            .badRequest,
            "The client spoke plain HTTP to a port that speaks TLS; use \(secureOrigin), or \(origin) without TLS.")
    }

    /// For the log, not a refusal: without TLS the client could not read one.
    static func handshakeTimeout(_ time: Duration) -> String {
        "The client did not finish the handshake within \(time.components.seconds) s."
    }

    func body(in mode: GuideMode) -> [UInt8] {
        APIError.body(code: code, message: message, in: mode, forApps: mode.servesApps)
    }
}
