import FitIQAPI
import HTTP1
import HTTPTypes

/// A client's connection paired with one to the upstream server, without I/O: bytes of both in, bytes for both out.
///
/// The owner of the transports reports what happens; after each call it checks ``upstreamNumber``, the outputs and the
/// endings, and obeys. Heads are rewritten (``RequestHeading``, ``AnswerHeading``), bodies pass as they arrive, and
/// after a 101 bytes pass unchanged. Memory is bounded by ``RelayLimits/unsentBytes`` per direction, as long as a side
/// is read only while ``wantsClientBytes`` and ``wantsUpstreamBytes`` allow it. No input from either side can crash it.
public struct Relay: Sendable {
    /// The server behind the proxy.
    public let upstream: UpstreamURL
    /// Whether the client speaks TLS with us.
    public let isClientSecure: Bool
    public let limits: RelayLimits

    /// What waits to be sent to the client.
    public internal(set) var toClient = RelayOutput()
    /// What waits to be sent to the upstream, once it is connected.
    public internal(set) var toUpstream = RelayOutput()
    /// How to end the client's connection, once ``toClient`` was sent.
    public internal(set) var clientEnding = RelayEnding.none
    /// The number of the wanted connection to the upstream, counted from 1; nil for none.
    ///
    /// If another one is open, drop it; if this one is not open, make it.
    public internal(set) var upstreamNumber: Int?
    /// Whether to reset an upstream connection that is no longer wanted, rather than close it.
    public internal(set) var resetsUpstream = false
    /// Whether to end our stream to the upstream, once ``toUpstream`` was sent.
    public internal(set) var finishesUpstream = false

    var clientCodec: HTTP1.Connection
    var upstreamCodec: HTTP1.Connection?
    var exchange: RelayExchange?
    var isTunnel = false
    var clientHasFinished = false
    var upstreamHasFinished = false
    /// The requests sent over the present upstream connection.
    var requestsOnUpstream = 0
    /// The number of connections to the upstream so far.
    var upstreamCount = 0
    var events: [RelayEvent] = []

    /// Creates the relay for a connection that a client has just opened.
    public init(upstream: UpstreamURL, isClientSecure: Bool, limits: RelayLimits = RelayLimits()) {
        self.upstream = upstream
        self.isClientSecure = isClientSecure
        self.limits = limits
        clientCodec = HTTP1.Connection(role: .server, limits: Self.codecLimits(limits))
    }

    static func codecLimits(_ limits: RelayLimits) -> HTTP1.Limits {
        var codec = HTTP1.Limits()
        codec.requestLine = limits.headBytes
        codec.headerBlock = limits.headBytes
        codec.fieldCount = limits.fieldCount
        // Bodies are not kept; a length that overflows, which counts as Int.max, is rejected all the same.
        codec.body = .max - 1
        codec.pipelined = 64 * 1024
        return codec
    }

    // MARK: State

    /// The events since the last call.
    public mutating func takeEvents() -> [RelayEvent] {
        defer { events = [] }
        return events
    }

    public var wantsClientBytes: Bool {
        guard !clientHasFinished, toUpstream.count < limits.unsentBytes else { return false }
        if isTunnel { return clientEnding == .none || clientEnding == .finish }
        return clientEnding == .none && clientCodec.wantsBytes
    }

    public var wantsUpstreamBytes: Bool {
        upstreamNumber != nil && !upstreamHasFinished && toClient.count < limits.unsentBytes
    }

    /// What is waited for.
    public var phase: RelayPhase {
        if clientEnding == .close || clientEnding == .reset { return .ending }
        if isTunnel { return clientHasFinished || upstreamHasFinished ? .request : .tunnel }
        if let exchange { return exchange.isRequestComplete || exchange.answer != .awaited ? .answer : .request }
        return clientCodec.isIdle ? .idle : .request
    }

    /// Records that the first bytes of ``toClient`` were sent.
    public mutating func sentToClient(_ count: Int) {
        toClient.take(count)
        settleTunnel()
    }

    /// Records that the first bytes of ``toUpstream`` were sent.
    public mutating func sentToUpstream(_ count: Int) {
        toUpstream.take(count)
        settleTunnel()
    }

    // MARK: Upstream connections

    /// Requests a fresh connection to the upstream.
    mutating func openUpstream() {
        upstreamCount += 1
        upstreamNumber = upstreamCount
        resetsUpstream = false
        finishesUpstream = false
        upstreamHasFinished = false
        requestsOnUpstream = 0
        toUpstream.removeAll()
        upstreamCodec = HTTP1.Connection(role: .client, limits: Self.codecLimits(limits))
    }

    /// Wants no connection any more; drops what it has not accepted.
    mutating func dropUpstream(reset: Bool = false) {
        guard upstreamNumber != nil else { return }
        upstreamNumber = nil
        resetsUpstream = reset
        finishesUpstream = false
        toUpstream.removeAll()
        upstreamCodec = nil
    }

    // MARK: Ends

    /// Ends everything for a client that gets nothing more.
    mutating func endClient(_ ending: RelayEnding, resetUpstream: Bool) {
        clientEnding = ending
        exchange = nil
        dropUpstream(reset: resetUpstream)
    }

    /// Ends the tunnel once both of its streams have ended and all bytes were passed on.
    private mutating func settleTunnel() {
        guard isTunnel, clientHasFinished, upstreamHasFinished, toClient.isEmpty, toUpstream.isEmpty,
            clientEnding == .finish
        else { return }
        endClient(.close, resetUpstream: false)
    }

    mutating func tunnelMayBeOver() { settleTunnel() }
}

/// A request in progress, and its answer.
struct RelayExchange: Sendable {
    enum Answer: Equatable, Sendable {
        case awaited
        case begun
        case complete
    }

    var method: HTTPRequest.Method
    var version: HTTP1.Version
    var heading: RequestHeading
    /// Whether the client wants its connection ended afterwards.
    var closes: Bool
    /// Whether the client may hold its body back until a 100.
    var awaitsContinue: Bool
    var hasBody: Bool
    var isRequestComplete = false
    /// Whether any byte of an answer arrived.
    var hasAnswerBytes = false
    var answer = Answer.awaited
    var encoder: AnswerEncoder?
    var status = 0
    /// How many interim answers (1xx) arrived.
    var interimCount = 0
    /// Whether the upstream announced that it ends the connection after its answer.
    var upstreamCloses = false

    init(_ head: RequestHead, _ heading: RequestHeading) {
        method = head.method
        version = head.version
        self.heading = heading
        let closes = head.fields.hasToken("close", in: .connection)
        let keepsAlive = head.fields.hasToken("keep-alive", in: .connection)
        self.closes = closes || (head.version == .http10 && !keepsAlive)
        awaitsContinue = head.expectsContinue
        hasBody = head.hasBody
    }

    /// The method and the path, for the log; queries may hold secrets.
    var name: String { "\(method.rawValue) \(Messages.quoted(path))" }

    /// The target without its query.
    var path: String { String(heading.target.prefix { $0 != "?" }) }

    /// Whether it can be sent a second time without repeating its effect.
    ///
    /// Safe and idempotent methods (RFC 9110 §9.2.2), and only without a body, since none is kept.
    var isRepeatable: Bool {
        guard !hasBody, !hasAnswerBytes else { return false }
        return [.get, .head, .options, .trace, .put, .delete].contains(method)
    }
}
