import FitIQAPI
import HTTP1
import HTTPTypes
import Text

/// A client connection paired with an upstream connection, as a function of bytes that does no I/O.
///
/// The owner of the two transports reports their events to the relay. After each call, the owner acts on
/// ``upstreamNumber``, the outputs and the endings.
///
/// The relay rewrites heads (``RequestHeading``, ``AnswerHeading``) and forwards bodies as they arrive. After a 101, it
/// forwards all bytes unchanged. ``RelayLimits/unsentBytes`` limits the memory per direction if the owner reads only
/// while ``wantsClientBytes`` and ``wantsUpstreamBytes`` allow it. No input from either side can crash the relay.
package struct Relay {
    package let upstream: UpstreamURL
    let isClientSecure: Bool
    let limits: RelayLimits

    package var toClient = RelayOutput()
    /// The bytes to send to the upstream once it is connected.
    package var toUpstream = RelayOutput()
    /// How to end the client's connection after sending ``toClient``.
    package var clientEnding = RelayEnding.none
    /// The number of the upstream connection that the relay wants, counted from 1; nil for none.
    ///
    /// The owner drops a connection with any other number, and opens the wanted connection.
    package var upstreamNumber: Int?
    /// Whether the owner must reset an upstream connection that the relay no longer wants, instead of closing it.
    var resetsUpstream = false

    var clientCodec: HTTP1.Connection
    var upstreamCodec: HTTP1.Connection?
    var exchange: RelayExchange?
    var isTunnel = false
    package var clientHasFinished = false
    var upstreamHasFinished = false
    var requestsOnUpstream = 0
    private var upstreamCount = 0
    var events: [RelayEvent] = []
    /// The upstream failure that most recently made the relay refuse a request.
    package var failure: UpstreamFailure?

    package init(upstream: UpstreamURL, isClientSecure: Bool, limits: RelayLimits = RelayLimits()) {
        (self.upstream, self.isClientSecure, self.limits) = (upstream, isClientSecure, limits)
        clientCodec = HTTP1.Connection(role: .server, limits: Self.codecLimits(limits))
    }

    private static func codecLimits(_ limits: RelayLimits) -> HTTP1.Limits {
        var codec = HTTP1.Limits()
        (codec.requestLine, codec.headerBlock) = (limits.headBytes, limits.headBytes)
        codec.fieldCount = limits.fieldCount
        // The relay does not keep bodies, so any length is allowed; a length that overflows counts as Int.max.
        codec.body = .max - 1
        codec.pipelined = 64 * 1024
        return codec
    }

    // MARK: State

    package mutating func takeEvents() -> [RelayEvent] {
        defer { events = [] }
        return events
    }

    package var wantsClientBytes: Bool {
        guard !clientHasFinished, toUpstream.count < limits.unsentBytes else { return false }
        if isTunnel { return clientEnding == .none || clientEnding == .finish }
        return clientEnding == .none && clientCodec.wantsBytes
    }

    /// Whether to end our stream to the upstream after sending ``toUpstream``.
    ///
    /// A client may end its stream after a request and then wait for the answer. The upstream then also sees the end of
    /// the stream.
    var finishesUpstream: Bool {
        clientHasFinished && upstreamNumber != nil && (isTunnel || exchange?.isRequestComplete == true)
    }

    package var wantsUpstreamBytes: Bool {
        upstreamNumber != nil && !upstreamHasFinished && toClient.count < limits.unsentBytes
    }

    /// Whether the client is waiting for an answer or for the rest of an answer.
    package var isAnswering: Bool { phase == .answer || !toClient.isEmpty }

    var phase: RelayPhase {
        if clientEnding == .close || clientEnding == .reset { return .ending }
        if isTunnel { return clientHasFinished || upstreamHasFinished ? .request : .tunnel }
        if let exchange { return exchange.isRequestComplete || exchange.answer != .awaited ? .answer : .request }
        return clientCodec.isIdle ? .idle : .request
    }

    package mutating func sentToClient(_ count: Int) {
        toClient.take(count)
        settleTunnel()
    }

    package mutating func sentToUpstream(_ count: Int) {
        toUpstream.take(count)
        settleTunnel()
    }

    // MARK: Upstream connections

    mutating func openUpstream() {
        upstreamCount += 1
        upstreamNumber = upstreamCount
        (resetsUpstream, upstreamHasFinished) = (false, false)
        requestsOnUpstream = 0
        toUpstream.removeAll()
        upstreamCodec = HTTP1.Connection(role: .client, limits: Self.codecLimits(limits))
    }

    /// Abandons the upstream connection, and drops the bytes that it has not accepted.
    mutating func dropUpstream(reset: Bool = false) {
        guard upstreamNumber != nil else { return }
        upstreamNumber = nil
        resetsUpstream = reset
        toUpstream.removeAll()
        upstreamCodec = nil
    }

    // MARK: Ends

    /// Ends both sides; the client gets nothing more than its pending output.
    mutating func endClient(_ ending: RelayEnding, resetUpstream: Bool) {
        clientEnding = ending
        exchange = nil
        dropUpstream(reset: resetUpstream)
    }

    /// Ends the tunnel after both streams have ended and all bytes have been sent.
    mutating func settleTunnel() {
        guard isTunnel, clientHasFinished, upstreamHasFinished, toClient.isEmpty, toUpstream.isEmpty,
            clientEnding == .finish
        else { return }
        endClient(.close, resetUpstream: false)
    }
}

/// A relay as an object, because the engine (the relay's client) shares it with the host of the upstream connection.
package final class RelaySide {
    package var relay: Relay
    /// The number that the client assigned to the relay.
    package let id: UInt64
    /// The index of the relay's pair in its host; nil before the host has one.
    var place: Int?
    /// Whether the client has stopped reading and sending.
    package var isAbandoned = false
    /// Whether the client has sent or read bytes since the host last served the relay.
    package var hasMoved = false

    package init(_ relay: Relay, id: UInt64 = 0) { (self.relay, self.id) = (relay, id) }
}

struct RelayExchange {
    enum Answer { case awaited, begun, complete }

    let head: RequestHead
    let heading: RequestHeading
    /// Whether the client may wait for a 100 before it sends the body.
    var awaitsContinue: Bool
    var isRequestComplete = false
    var hasAnswerBytes = false
    var answer = Answer.awaited
    var encoder: AnswerEncoder?
    var status = 0
    var interimCount = 0
    /// Whether the upstream closes the connection after its answer.
    var upstreamCloses = false

    init(_ head: RequestHead, _ heading: RequestHeading) {
        (self.head, self.heading, awaitsContinue) = (head, heading, head.expectsContinue)
    }

    /// Whether the client wants to close its connection after this exchange.
    var closes: Bool { head.fields.endConnection(of: head.version) }

    /// The method and the path for the log, but not the query, which may contain secrets.
    var name: String { "\(head.method.rawValue) \(Messages.quoted(path))" }

    var path: String { String(heading.target.prefix { $0 != "?" }) }

    /// Whether the relay may send the request again without repeating its effect.
    ///
    /// The method must be idempotent (RFC 9110 §9.2.2), and there must be no body, because the relay does not keep
    /// bodies.
    var isRepeatable: Bool {
        !head.hasBody && !hasAnswerBytes && [.get, .head, .options, .trace, .put, .delete].contains(head.method)
    }
}

extension FieldBlock {
    /// Whether a message that has these fields is the last one on its connection (RFC 9112 §9.3).
    func endConnection(of version: HTTP1.Version) -> Bool {
        hasToken("close", in: .connection) || version == .http10 && !hasToken("keep-alive", in: .connection)
    }
}
