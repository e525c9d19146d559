import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import Replay
import WebSocket

/// A connection's number: its place among the open ones, and a serial that tells apart successive users of the place.
public struct ConnectionID: Hashable, Comparable, Sendable {
    package let number: UInt64

    init(place: Int, serial: UInt32) { number = UInt64(serial) << 32 | UInt64(UInt32(truncatingIfNeeded: place)) }

    init(_ socket: SocketID) { number = socket.number }

    var socket: SocketID { SocketID(number) }
    /// The place in tables that are kept per connection, from 0; used again once the connection is gone.
    public var place: Int { Int(UInt32(truncatingIfNeeded: number)) }

    /// Orders by age, except that serials start again after 2^32 connections.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// One transport connection as the engine sees it: bytes and state machines, no file descriptor.
///
/// A class, because a connection has an identity, and its state machines are changed in place on the hot path.
public final class Connection {
    // First what every frame needs: the first fields share a few lines of the processor's cache.
    public let id: ConnectionID
    /// Bytes for the peer, which the transport sends as soon as it can.
    @exclusivity(unchecked) var output = OutputBuffer()
    /// Bytes of the peer that its world's network holds back.
    @exclusivity(unchecked) var input = OutputBuffer()
    /// Whether the peer has sent its last byte, and a network still holds back some.
    @exclusivity(unchecked) var inputHasEnded = false
    /// How the connection has to end, once `output` is sent.
    @exclusivity(unchecked) public internal(set) var ending = Ending.none
    /// Whether it is one for requests, or a WebSocket.
    @exclusivity(unchecked) var speaks = Speech.http
    /// Whether the transport has been asked to look at this connection.
    @exclusivity(unchecked) var isTouched = false
    /// Whether a fault has stopped its reads and writes.
    @exclusivity(unchecked) var isSilent = false
    /// This connection's part of the engine's sum of held bytes.
    @exclusivity(unchecked) var accountedBytes = 0
    /// The world of its last request; nil before the first, and for requests that concern no world.
    @exclusivity(unchecked) var world: World?
    @exclusivity(unchecked) private var apartFaults = Apart<SocketFaults>()
    @exclusivity(unchecked) private var apartFollower = Apart<Follower>()
    /// The long answer in progress, if there is one.
    @exclusivity(unchecked) var stream: BodyStream?
    @exclusivity(unchecked) var deadline: (time: Timestamp, purpose: Wait)?
    /// Bytes that arrived on its socket while the world stood still.
    @exclusivity(unchecked) var unreadFrames: [UInt8] = []
    /// Whether requests may wait in the parser until more output is sent.
    @exclusivity(unchecked) var hasWaitingRequests = false
    @exclusivity(unchecked) var webSocket: WebSocket.Connection?
    @exclusivity(unchecked) var webSocketUse = WebSocketUse.echo
    @exclusivity(unchecked) var record = ConnectionRecord()

    @exclusivity(unchecked) private var requests = Apart(RequestSide())
    @exclusivity(unchecked) var body: [UInt8] = []
    /// The part of a large body before ``body``: one array would hold the loop whenever it grows.
    @exclusivity(unchecked) private(set) var bodyPieces: [[UInt8]] = []
    /// Whether its request's body is received in pieces.
    @exclusivity(unchecked) var takesPieces = false
    /// What its complete request waits for; nothing more is read in the meantime.
    @exclusivity(unchecked) var waiting: Waiting?
    /// The request that a breakpoint holds, or whose response it holds, if there is one.
    @exclusivity(unchecked) var held: HeldRequest?
    /// The message of the client that a breakpoint holds; what the client sent after it waits, too.
    @exclusivity(unchecked) var heldEvent: WebSocket.Event?
    /// How many things of the connection breakpoints hold.
    @exclusivity(unchecked) var holdCount = 0
    /// How long a fault has held its output back, in nanoseconds of the system's clock, as of the last check.
    @exclusivity(unchecked) var heldTime: Int64 = 0
    /// Whether reading has stopped, because of a fault or a long answer in progress.
    @exclusivity(unchecked) var isReadingStalled = false
    /// When the connection's entry in the queue of deadlines comes up.
    @exclusivity(unchecked) var queuedDeadline: Timestamp?
    /// When it is reset, because its operator has silenced it, by the world's clock; nil if it is not silenced.
    @exclusivity(unchecked) var silencedUntil: Timestamp?
    /// When its entry in its world's queue of held outputs comes up, by the world's clock.
    @exclusivity(unchecked) var queuedRelease: Timestamp?
    /// The same for what arrives of its input.
    @exclusivity(unchecked) var queuedArrival: Timestamp?
    @exclusivity(unchecked) var pings = Pings()
    /// Its connection to the real server of its world.
    @exclusivity(unchecked) var upstream: UpstreamConnection?
    let isLocal: Bool
    /// Whether it exceeds the limit, and only receives the refusal.
    let isRefused: Bool
    @exclusivity(unchecked) var isSecure: Bool
    /// Whether a fault ends it like a crash of the server, without a TLS alert.
    @exclusivity(unchecked) public internal(set) var endsAbruptly = false

    init(id: ConnectionID, isLocal: Bool, isRefused: Bool, isSecure: Bool) {
        (self.id, self.isLocal, self.isRefused, self.isSecure) = (id, isLocal, isRefused, isSecure)
    }

    /// Bytes that the connection holds: for the peer, or of the peer's unfinished input.
    ///
    /// Zero once it must be reset: its end is due before anything else happens.
    var heldBytes: Int { ending == .reset ? 0 : ownBytes + (upstream?.heldBytes ?? 0) }

    private var ownBytes: Int {
        guard speaks == .http else {
            return output.count + input.count + unreadFrames.count
                + (apartFaults.isEmpty ? 0 : apartFaults.present.waitingByteCount) + (webSocket?.bufferedByteCount ?? 0)
                + (heldEvent?.message?.payload.count ?? 0)
        }
        return output.count + input.count + body.count + bodyPieces.count * Self.bodyPieceSize + http.bufferedByteCount
            + (stream?.source.heldByteCount ?? 0) + (held?.byteCount ?? 0)
    }

    // Asking a WebSocket for one of these stops the program: they end with its last request.

    var http: HTTP1.Connection {
        @inline(__always) _read { yield requests.present.http }
        @inline(__always) _modify { yield &requests.present.http }
    }
    /// The request that is arriving, or waits for its world.
    var request: RequestHead? {
        @inline(__always) _read { yield requests.present.head }
        @inline(__always) _modify { yield &requests.present.head }
    }
    /// The credentials of its last request, which need no second look.
    var lastAuthorization: LastAuthorization? {
        @inline(__always) _read { yield requests.present.lastAuthorization }
        @inline(__always) _modify { yield &requests.present.lastAuthorization }
    }
    /// The route of an entity's path, if its last request for an entity had the very same target.
    func lastEntity(of target: RequestTarget) -> Route? {
        requests.present.lastTarget?.isSame(as: target) == true ? requests.present.lastEntity : nil
    }
    func keepEntity(_ route: Route, of target: RequestTarget) {
        // An idle connection keeps it, too, and the parser does not repeat a longer one.
        guard target.byteCount <= 4096 else { return }
        (requests.present.lastTarget, requests.present.lastEntity) = (target, route)
    }
    /// The faults that act on what the socket sends; nil if there are none.
    var socketFaults: SocketFaults? {
        @inline(__always) get { apartFaults.value }
        @inline(__always) _modify { yield &apartFaults.value }
    }
    /// Set on a connection that gets the entries of a journal as they are made.
    var follower: Follower? {
        @inline(__always) get { apartFollower.value }
        @inline(__always) _modify { yield &apartFollower.value }
    }

    @inline(__always) var isFollower: Bool { !apartFollower.isEmpty }

    /// Frees what only requests need.
    func endRequests() { requests = Apart() }

    func takeBody(_ bytes: ArraySlice<UInt8>) {
        body += bytes
        guard takesPieces, body.count >= Self.bodyPieceSize else { return }
        bodyPieces.append(body)
        body = []
    }

    /// Appends a part of a body that has begun.
    func sendBody(_ bytes: [UInt8]) { http.sendBody(bytes, into: &output.bytes) }

    /// Removes and returns a request's body before its last piece.
    func takeBodyPieces() -> [[UInt8]] {
        defer { (bodyPieces, takesPieces) = ([], false) }
        return bodyPieces
    }

    /// The length of a piece of a large body in bytes; what arrives together with its last byte is added to it.
    private static let bodyPieceSize = 1 << 20

    /// The connection's number in a world's journal: its place among those that the world has met, from 1.
    ///
    /// Counted in each world, so that equal sessions have equal journals regardless of the server's other work.
    func number(in world: World) -> UInt64 {
        if let number = record.number, number.world == world.number { return number.number }
        world.connectionCount += 1
        record.number = (world.number, world.connectionCount)
        return world.connectionCount
    }

    /// Whether it neither ends nor is silenced by a fault.
    var isServed: Bool { ending == .none && !isSilent }
    /// Whether its request is answered when an operator, or what happens in a world, lets it be.
    var awaitsOthers: Bool { held != nil || waiter != nil }
    /// Its answer, if that waits for something to happen in a world.
    var waiter: Waiter? {
        guard let source = stream?.source else { return nil }
        return source as? Waiter ?? (source as? EnvelopeSource)?.source as? Waiter
    }
    /// Whether a request has begun to arrive.
    var isReadingRequest: Bool { http.isReadingHead || http.isReadingBody }
    var isEcho: Bool { webSocket != nil && !webSocketUse.isOfWorld }
    /// Whether it is a WebSocket whose end is not in the journal yet.
    var isOpenSocket: Bool { webSocket != nil && !record.isClosed }

    /// Whether its end comes from the recording or the real server, not from a fault.
    var endsAsRecorded: Bool {
        switch webSocketUse {
        case .replay, .upstream: record.endingRule == nil
        case .backend, .echo: false
        }
    }

    var isClosingWebSocket: Bool { webSocket?.closeSummary.sent != nil }
    /// Whether there are bytes to send now; a fault may hold back others, or the ending.
    public var hasOutput: Bool { output.hasReleased }
    /// Whether everything that was written has been sent, so that the connection may end.
    public var isDrained: Bool { output.isEmpty && !output.isHeld }

    /// Lends the bytes to send; report what was sent through ``Engine/sent(_:on:at:)``.
    public func withOutput<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { output.withUnsent(body) }

    /// The most bytes that ``ServerLimits/stateBody`` can allow: 1 GiB.
    static let largestBody = 1024 * 1024 * 1024

    /// What a connection has until it becomes a WebSocket.
    private struct RequestSide {
        var http = HTTP1.Connection(role: .server, limits: limits)
        var head: RequestHead?
        var lastAuthorization: LastAuthorization?
        /// The target of the last request for an entity, and its route.
        var (lastTarget, lastEntity) = (RequestTarget?.none, Route?.none)

        /// The usual limits, except that the body of an imported state may be larger.
        private static let limits: HTTP1.Limits = {
            var limits = HTTP1.Limits()
            limits.raisedBody = Connection.largestBody
            return limits
        }()
    }

    /// The protocol of a connection, which changes once at most.
    enum Speech { case http, webSocket }

    /// What a complete request waits for: a world that stands still, a job that works on it, the operator, or the world's
    /// real server.
    enum Waiting { case forWorld, forJob, forBreakpoint, forUpstream }

    public enum Ending: Equatable, Sendable {
        /// It stays open.
        case none
        /// Stop sending after `output`, read until the peer stops too, and close, so that the peer loses no output.
        case lingering
        /// Close after `output`.
        case close
        /// Close after `output`, with a reset that the peer notices.
        case resetAfterOutput
        /// Close at once, with a reset that the peer notices.
        case reset
    }

    enum WebSocketUse {
        case backend
        case echo
        case replay(ReplaySocket)
        /// A real server has the other end (``Connection/upstream``).
        case upstream

        /// Whether its messages belong to a world, and so into its journal.
        var isOfWorld: Bool {
            if case .echo = self { return false }
            return true
        }
    }

    /// What a deadline ends.
    enum Wait {
        /// TLS is agreed on.
        case handshake
        /// Nothing arrives, or nothing is read.
        case idle
        /// A request's head or body arrives.
        case readHead, readBody
        /// The peer answers our close frame, or closes.
        case closing
        /// A stream of events has nothing to send.
        case keepAlive
        /// A connection silenced by a fault goes away.
        case silence
        /// An answer that waits looks again.
        case wake
    }
}
