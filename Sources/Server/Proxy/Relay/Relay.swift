import FitIQAPI
import HTTP1
import HTTPTypes
import Text

/// A client's connection paired with one to the upstream server, without I/O: bytes of both in, bytes for both out.
///
/// The owner of the transports reports what happens; after each call it checks ``upstreamNumber``, the outputs and the
/// endings, and obeys. Heads are rewritten (``RequestHeading``, ``AnswerHeading``), bodies pass as they arrive, and
/// after a 101 bytes pass unchanged. Memory is bounded by ``RelayLimits/unsentBytes`` per direction, as long as a side
/// is read only while ``wantsClientBytes`` and ``wantsUpstreamBytes`` allow it. No input from either side can crash it.
package struct Relay {
    package let upstream: UpstreamURL
    let isClientSecure: Bool
    let limits: RelayLimits

    package var toClient = RelayOutput()
    /// The bytes to send to the upstream once it is connected.
    package var toUpstream = RelayOutput()
    /// How to end the client's connection, once ``toClient`` was sent.
    package var clientEnding = RelayEnding.none
    /// The number of the wanted connection to the upstream, counted from 1; nil for none.
    ///
    /// If another one is open, drop it; if this one is not open, make it.
    package var upstreamNumber: Int?
    /// Whether to reset an upstream connection that is no longer wanted, rather than close it.
    var resetsUpstream = false

    var clientCodec: HTTP1.Connection
    var upstreamCodec: HTTP1.Connection?
    var exchange: RelayExchange?
    var isTunnel = false
    var clientHasFinished = false
    var upstreamHasFinished = false
    var requestsOnUpstream = 0
    private var upstreamCount = 0
    var events: [RelayEvent] = []
    /// Why the upstream has not answered the last request that the relay refused.
    package var failure: UpstreamFailure?

    package init(upstream: UpstreamURL, isClientSecure: Bool, limits: RelayLimits = RelayLimits()) {
        (self.upstream, self.isClientSecure, self.limits) = (upstream, isClientSecure, limits)
        clientCodec = HTTP1.Connection(role: .server, limits: Self.codecLimits(limits))
    }

    private static func codecLimits(_ limits: RelayLimits) -> HTTP1.Limits {
        var codec = HTTP1.Limits()
        (codec.requestLine, codec.headerBlock) = (limits.headBytes, limits.headBytes)
        codec.fieldCount = limits.fieldCount
        // Bodies are not kept; a length that overflows, which counts as Int.max, is rejected all the same.
        codec.body = .max - 1
        codec.pipelined = 64 * 1024
        return codec
    }

    // MARK: State

    package mutating func takeEvents() -> [RelayEvent] {
        defer { events = [] }
        return events
    }

    var wantsClientBytes: Bool {
        guard !clientHasFinished, toUpstream.count < limits.unsentBytes else { return false }
        if isTunnel { return clientEnding == .none || clientEnding == .finish }
        return clientEnding == .none && clientCodec.wantsBytes
    }

    /// Whether to end our stream to the upstream, once ``toUpstream`` was sent: a client that has asked and ended its
    /// stream still waits for its answer, and the upstream sees the same.
    var finishesUpstream: Bool {
        clientHasFinished && upstreamNumber != nil && (isTunnel || exchange?.isRequestComplete == true)
    }

    var wantsUpstreamBytes: Bool {
        upstreamNumber != nil && !upstreamHasFinished && toClient.count < limits.unsentBytes
    }

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

    /// Stops wanting a connection; drops bytes that it has not accepted.
    mutating func dropUpstream(reset: Bool = false) {
        guard upstreamNumber != nil else { return }
        upstreamNumber = nil
        resetsUpstream = reset
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
    mutating func settleTunnel() {
        guard isTunnel, clientHasFinished, upstreamHasFinished, toClient.isEmpty, toUpstream.isEmpty,
            clientEnding == .finish
        else { return }
        endClient(.close, resetUpstream: false)
    }
}

/// A relay as an object, shared by its host and its client, if the client is an engine instead of a socket.
package final class RelaySide {
    package var relay: Relay
    /// The client's number for it.
    package let id: UInt64
    /// Its place at its host; nil before it has one.
    var place: Int?
    /// Whether its client has stopped reading and sending.
    package var isAbandoned = false

    package init(_ relay: Relay, id: UInt64 = 0) { (self.relay, self.id) = (relay, id) }
}

struct RelayExchange {
    enum Answer { case awaited, begun, complete }

    let head: RequestHead
    let heading: RequestHeading
    /// Whether the client may hold its body back until a 100.
    var awaitsContinue: Bool
    var isRequestComplete = false
    var hasAnswerBytes = false
    var answer = Answer.awaited
    var encoder: AnswerEncoder?
    var status = 0
    var interimCount = 0
    /// Whether the upstream announced that it ends the connection after its answer.
    var upstreamCloses = false

    init(_ head: RequestHead, _ heading: RequestHeading) {
        (self.head, self.heading, awaitsContinue) = (head, heading, head.expectsContinue)
    }

    /// Whether the client wants its connection ended afterwards.
    var closes: Bool { head.fields.endConnection(of: head.version) }

    /// The method and the path, for the log; queries may hold secrets.
    var name: String { "\(head.method.rawValue) \(Messages.quoted(path))" }

    var path: String { String(heading.target.prefix { $0 != "?" }) }

    /// Whether it can be sent a second time without repeating its effect.
    ///
    /// Safe and idempotent methods (RFC 9110 §9.2.2), and only without a body, since none is kept.
    var isRepeatable: Bool {
        !head.hasBody && !hasAnswerBytes && [.get, .head, .options, .trace, .put, .delete].contains(head.method)
    }
}

extension FieldBlock {
    /// Whether a message of that version with these fields is the last one on its connection (RFC 9112 §9.3).
    func endConnection(of version: HTTP1.Version) -> Bool {
        hasToken("close", in: .connection) || version == .http10 && !hasToken("keep-alive", in: .connection)
    }
}
