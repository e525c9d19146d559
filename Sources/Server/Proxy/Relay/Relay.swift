import FitIQAPI
import HTTP1
import HTTPTypes

/// One client's connection paired with one connection to the upstream server, without I/O: bytes of both in, bytes for both out.
///
/// Whoever holds the transports tells what happens, and after each call looks at ``upstreamNumber``, the outputs and the endings,
/// and obeys. Heads are written anew (``RequestHeading``, ``AnswerHeading``), bodies pass as they come, and after a 101 bytes pass
/// as they are. Memory is bounded by ``RelayLimits/unsentBytes`` for each direction, as long as a side is read only while
/// ``wantsClientBytes`` and ``wantsUpstreamBytes`` allow it. Nothing that either side sends can crash it.
public struct Relay: Sendable {
    /// The server behind.
    public let upstream: UpstreamURL
    /// Whether the client speaks TLS with us.
    public let isClientSecure: Bool
    /// How much is held.
    public let limits: RelayLimits

    /// What waits to be sent to the client.
    public internal(set) var toClient = RelayOutput()
    /// What waits to be sent to the upstream, once it is connected.
    public internal(set) var toUpstream = RelayOutput()
    /// How the client's connection is to be ended, once ``toClient`` was sent.
    public internal(set) var clientEnding = RelayEnding.none
    /// Which connection to the upstream is wanted, counted from 1; nil for none.
    ///
    /// Where another than this is open it is to be dropped, and where this one is not, it is to be made.
    public internal(set) var upstreamNumber: Int?
    /// Whether an upstream connection that is not wanted any more is to be reset, rather than closed.
    public internal(set) var resetsUpstream = false
    /// Whether our stream to the upstream is to be ended, once ``toUpstream`` was sent.
    public internal(set) var finishesUpstream = false

    var clientCodec: HTTP1.Connection
    var upstreamCodec: HTTP1.Connection?
    var exchange: RelayExchange?
    var isTunnel = false
    var clientHasFinished = false
    var upstreamHasFinished = false
    /// Requests that went over the present upstream connection.
    var requestsOnUpstream = 0
    /// Connections to the upstream so far.
    var upstreamCount = 0
    var events: [RelayEvent] = []

    /// Makes the relay of a connection that a client has just opened.
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
        // Bodies are not kept; a length that is no number here, which counts as Int.max, is refused all the same.
        codec.body = .max - 1
        codec.pipelined = 64 * 1024
        return codec
    }

    // MARK: What there is to do

    /// What happened since this was last asked.
    public mutating func takeEvents() -> [RelayEvent] {
        defer { events = [] }
        return events
    }

    /// Whether the client is to be read.
    public var wantsClientBytes: Bool {
        guard !clientHasFinished, toUpstream.count < limits.unsentBytes else { return false }
        if isTunnel { return clientEnding == .none || clientEnding == .finish }
        return clientEnding == .none && clientCodec.wantsBytes
    }

    /// Whether the upstream is to be read.
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

    /// Takes note that the first bytes of ``toClient`` were sent.
    public mutating func sentToClient(_ count: Int) {
        toClient.take(count)
        settleTunnel()
    }

    /// Takes note that the first bytes of ``toUpstream`` were sent.
    public mutating func sentToUpstream(_ count: Int) {
        toUpstream.take(count)
        settleTunnel()
    }

    // MARK: Upstream connections

    /// Asks for a fresh connection to the upstream.
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

    /// Wants none any more; what it has not taken is dropped.
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

    /// Once both streams of a tunnel have ended and all was passed on, so has the tunnel.
    private mutating func settleTunnel() {
        guard isTunnel, clientHasFinished, upstreamHasFinished, toClient.isEmpty, toUpstream.isEmpty,
            clientEnding == .finish
        else { return }
        endClient(.close, resetUpstream: false)
    }

    mutating func tunnelMayBeOver() { settleTunnel() }
}

/// A request under way, and its answer.
struct RelayExchange: Sendable {
    /// Where the answer stands.
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
    /// Whether the client may hold its body back until it is told to go on.
    var awaitsContinue: Bool
    var hasBody: Bool
    var isRequestComplete = false
    /// Whether any byte came back for it.
    var hasAnswerBytes = false
    var answer = Answer.awaited
    var encoder: AnswerEncoder?
    var status = 0
    /// How many interim answers (1xx) came for it.
    var interimCount = 0
    /// Whether the upstream said that it ends the connection after its answer.
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

    /// Whether it can be sent a second time without having it done twice.
    ///
    /// Safe and idempotent methods (RFC 9110 §9.2.2), and only without a body, since none is kept.
    var isRepeatable: Bool {
        guard !hasBody, !hasAnswerBytes else { return false }
        return [.get, .head, .options, .trace, .put, .delete].contains(method)
    }
}
