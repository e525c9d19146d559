import FitIQAPI
import HTTP1
import HTTPTypes
import Logging
import Text
import Traffic

/// An event for the server's operator; its description is the log line.
public enum Observation: Sendable, CustomStringConvertible {
    /// The engine answered or abandoned a request; `lasted` is the time since the request was complete, in nanoseconds.
    ///
    /// Requests that are not in the journal have no duration or place.
    indirect case exchange(RecordedExchange, lasted: Int64? = nil, at: Place? = nil)
    indirect case socketOpened(RecordedOpening, at: Place)
    /// A world's WebSocket ended; `lasted` is the time since its handshake, in nanoseconds.
    indirect case socketClosed(RecordedClosing, lasted: Int64, framesIn: Int, framesOut: Int, at: Place)
    /// A client violated HTTP or exceeded a time limit.
    case refused(status: HTTPResponse.Status, message: String)
    case refusedConnection(limit: Int)
    /// TLS could not start or continue.
    case tlsFailed(message: String)
    /// The echo socket, which belongs to no world, opened.
    case webSocketOpened(path: String)
    /// A client violated the WebSocket protocol.
    case webSocketFailed(code: UInt16, message: String)
    /// A client left too much output unread.
    case slowReader(limit: Int)
    /// The engine reset the connection that used the most memory, because all connections together exceeded the limit.
    case memory(limit: Int)
    /// An event on a relayed connection.
    case relayed(message: String, level: Logger.Level)
    /// The server could not write the state file and will retry.
    case stateNotSaved(message: String)

    /// A world's id (nil for the default world), and the connection's number in the world's journal.
    public typealias Place = (world: String?, connection: Int)

    public var description: String { facts.compactMap(\.text).joined(separator: " ") }

    /// `warning` for a likely mistake; `notice` for TLS failures, most of which come from clients that do not trust the
    /// certificate yet.
    public var level: Logger.Level {
        switch self {
        case .exchange, .socketOpened, .socketClosed, .webSocketOpened: .info
        case .tlsFailed: .notice
        case .refused, .refusedConnection, .webSocketFailed, .slowReader, .memory: .warning
        case .relayed(_, let level): level
        case .stateNotSaved: .error
        }
    }

    /// The facts in the description, by name, for structured logs; numbers are of type `Int`.
    public var metadata: Logger.Metadata {
        Logger.Metadata(
            uniqueKeysWithValues: facts.compactMap { fact in fact.value.map { (fact.name, .stringConvertible($0)) } })
    }

    /// A fact with its name and its text in the description; nil if the description does not mention the fact.
    private typealias Fact = (name: String, value: (any CustomStringConvertible & Sendable)?, text: String?)

    /// The facts in the order of the description.
    private var facts: [Fact] {
        switch self {
        case .exchange(let exchange, let lasted, let place):
            let (method, target) = (
                exchange.head.method.rawValue, SecretName.hidingSecrets(in: exchange.head.target.description)
            )
            let (code, message) = (exchange.refusal?.code, exchange.refusal?.message.map(Self.excerpt))
            let faults = Self.names(of: exchange.faults)
            let reasons = [code?.onOneLine(limit: 100), message, faults.map { "fault \($0)" }].compactMap(\.self)
            let status = exchange.status.map { "\($0)" + (lasted == nil ? "" : " in") } ?? "not answered,"
            let outcome = [status, lasted.map { "\(Durations.milliseconds($0)) ms" }].compactMap(\.self).joined(
                separator: " ")
            return [
                ("event", place == nil ? "answered" : "exchange", nil), ("world", place?.world, nil),
                ("connection", place?.connection, nil), ("method", method, method), ("target", target, target),
                ("status", exchange.status, outcome + (reasons.isEmpty ? "" : ":")),
                ("duration_ms", lasted.map { Int($0 / 1_000_000) }, nil),
                ("code", code?.onOneLine(limit: 100), nil),
                ("reason", message, reasons.isEmpty ? nil : reasons.joined(separator: ", ").onOneLine(limit: 400)),
                ("user", exchange.user?.text, nil), ("faults", faults, nil),
            ]
        case .socketOpened(let opening, let place):
            let path = opening.head.target.path
            return [
                ("event", "socket_opened", nil), ("world", place.world, nil),
                ("connection", place.connection, "WebSocket \(place.connection)"), ("target", path, "\(path) opened"),
                ("user", opening.user?.text, opening.user.map { "by \($0.text.onOneLine(limit: 100))" }),
                ("faults", Self.names(of: opening.faults), nil),
            ]
        case .socketClosed(let closing, let lasted, let framesIn, let framesOut, let place):
            let (party, cause) = (closing.party.rawValue, Self.cause(of: closing))
            return [
                ("event", "socket_closed", nil), ("world", place.world, nil),
                ("connection", place.connection, "WebSocket \(place.connection)"),
                ("by", party, "closed by the \(party):"), ("cause", cause, "\(cause),"),
                ("duration_ms", Int(lasted / 1_000_000), "\(Durations.seconds(lasted)) s,"),
                ("frames_in", framesIn, "\(framesIn) in,"), ("frames_out", framesOut, "\(framesOut) out"),
                ("faults", Self.names(of: closing.faults), nil),
            ]
        case .refused(let status, let text):
            let message = SecretName.hidingSecrets(in: text)
            return [
                ("event", "refused", nil), ("status", status.code, "refused with \(status.code):"),
                ("reason", message, message),
            ]
        case .refusedConnection(let limit):
            let text = "refused a connection: \(limit) connections are open, which is the limit"
            return [("event", "connection_refused", nil), ("limit", limit, text)]
        case .tlsFailed(let message): return [("event", "tls_failed", "TLS:"), ("reason", message, message)]
        case .webSocketOpened(let path):
            return [("event", "socket_opened", "WebSocket"), ("target", path, "\(path) opened")]
        case .webSocketFailed(let code, let message):
            return [
                ("event", "socket_failed", "WebSocket closed with"), ("code", Int(code), "\(code):"),
                ("reason", message, message),
            ]
        case .memory(let limit):
            let text = "reset a connection: all connections together hold more than \(limit) bytes, which is the limit,"
            return [("event", "memory", nil), ("limit", limit, text + " and this connection held the most")]
        case .relayed(let message, _): return [("event", "relayed", nil), ("reason", message, message)]
        case .stateNotSaved(let message):
            let text = "the state could not be saved; the server will try again: \(message)"
            return [("event", "state_not_saved", nil), ("reason", message, text)]
        case .slowReader(let limit):
            let text = "reset a WebSocket whose client left more than \(limit) bytes unread; read faster or close it"
            return [("event", "slow_reader", nil), ("limit", limit, text)]
        }
    }

    private static func names(of faults: [String]) -> String? {
        faults.isEmpty ? nil : faults.joined(separator: ", ").onOneLine(limit: 100)
    }

    private static func excerpt(_ message: String) -> String {
        SecretName.hidingSecrets(in: message).onOneLine(limit: 200)
    }

    /// Why a socket ended, with the code of the first close frame.
    private static func cause(of closing: RecordedClosing) -> String {
        let frame = closing.party == .client ? closing.summary.received : closing.summary.sent
        return closing.cause.rawValue + (frame?.code.map { " \($0.rawValue)" } ?? "")
    }
}

/// Logs the engine's events and passes journal entries to observers.
extension Engine {
    /// Logs the engine's events, if the logger's level is at most `warning`.
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

    /// Calls a function with each entry of every world's journal, right after the entry is recorded.
    ///
    /// The function gets nil as the default world's id. The function must not call the engine.
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

    /// Reports an answer to ``observe``, unless a journal entry about it is reported instead.
    func noteAnswer(_ answer: Answer, to head: @autoclosure () -> RequestHead) {
        guard observesRequests, let observe else { return }
        let head = head()
        if recorder.observe != nil, !Destination(of: head.target, in: self).isServer { return }
        let exchange = RecordedExchange(
            head: head, requestedAt: defaultWorld.turn.date, status: answer.status.code, responseBody: answer.body)
        observe(.exchange(exchange))
    }
}

/// A refusal that closes a connection because of the content, number or pace of its bytes.
struct TransportRefusal {
    let status: HTTPResponse.Status
    let code: String
    let message: String

    /// - Parameter code: The error code; nil means the status's name: "Content Too Large" → `CONTENT_TOO_LARGE`.
    private init(_ status: HTTPResponse.Status, code: String? = nil, _ message: String) {
        self.status = status
        self.code = code ?? String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
        self.message = message
    }

    /// The client violated HTTP.
    static func violation(_ error: RemoteError) -> TransportRefusal {
        TransportRefusal(error.status, "\(error.message) (\(error.source))")
    }

    static func headTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout,
            "The request's head did not arrive within \(time.components.seconds) s; send it immediately.")
    }

    static func bodyTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout,
            "The request's body did not arrive within \(time.components.seconds) s; "
                + "check that Content-Length matches the number of bytes sent.")
    }

    static func tooMuchHeld(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "SERVER_BUSY",
            "The server's connections are using \(limit) bytes of memory, which is the limit; read the answers, or "
                + "send less at a time.")
    }

    static func tooManyConnections(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "TOO_MANY_CONNECTIONS",
            "\(limit) connections are open, which is the limit; close some and try again.")
    }

    /// The client started TLS on a port that does not use TLS.
    static func tlsOnPlainPort(origin: String, secureOrigin: String?) -> TransportRefusal {
        let remedy = secureOrigin.map { "\($0) for TLS" } ?? "start the server with TLS to also use https"
        return TransportRefusal(
            .badRequest,
            "The client started a TLS handshake (https or wss) on a plain HTTP port; use \(origin), or \(remedy).")
    }

    static func plainOnTLSPort(origin: String, secureOrigin: String) -> TransportRefusal {
        TransportRefusal(
            .badRequest,
            "The client sent plain HTTP to a TLS port; use \(secureOrigin), or \(origin) without TLS.")
    }

    /// A message only for the log, because the client could not read a refusal that is not encrypted.
    static func handshakeTimeout(_ time: Duration) -> String {
        "The client did not finish the handshake within \(time.components.seconds) s."
    }

    func body(in mode: GuideMode) -> [UInt8] {
        APIError.body(code: code, message: message, in: mode, forApps: mode.servesApps)
    }
}
