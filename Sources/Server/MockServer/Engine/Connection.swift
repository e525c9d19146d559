import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import Replay
import WebSocket

/// The id of a connection: its place in the table, and a serial that distinguishes successive users of the place.
public struct ConnectionID: Hashable, Comparable, Sendable {
    package let number: UInt64

    init(place: Int, serial: UInt32) { number = UInt64(serial) << 32 | UInt64(UInt32(truncatingIfNeeded: place)) }

    init(_ socket: SocketID) { number = socket.number }

    var socket: SocketID { SocketID(number) }
    /// The index in tables of connections, from 0; later connections reuse it.
    public var place: Int { Int(UInt32(truncatingIfNeeded: number)) }

    /// Orders ids by age.
    ///
    /// The serials wrap around after 2^32 connections.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// A transport connection as bytes and state machines; it has no file descriptor.
///
/// This is a class because a connection has an identity, and the hot path changes its state machines in place.
public final class Connection {
    // The properties that every frame needs come first, so that they share a few cache lines.
    public let id: ConnectionID
    /// Bytes for the peer, which the transport sends.
    @exclusivity(unchecked) var output = OutputBuffer()
    /// Bytes from the peer that the world's network is delaying.
    @exclusivity(unchecked) var input = OutputBuffer()
    /// Whether the peer has ended its stream while a network still delays the stream's last bytes.
    @exclusivity(unchecked) var inputHasEnded = false
    /// How to end the connection after sending `output`.
    @exclusivity(unchecked) public internal(set) var ending = Ending.none
    /// The protocol that the connection speaks.
    @exclusivity(unchecked) var speaks = Speech.http
    /// Whether the connection is in the list for ``Engine/takeTouched()``.
    @exclusivity(unchecked) var isTouched = false
    /// Whether a fault has stopped reading and writing.
    @exclusivity(unchecked) var isSilent = false
    /// This connection's share of the total held bytes.
    @exclusivity(unchecked) var accountedBytes = 0
    /// The world of the last request; nil before the first request, and after a request to the server.
    @exclusivity(unchecked) var world: World?
    @exclusivity(unchecked) private var apartFaults = Apart<SocketFaults>()
    @exclusivity(unchecked) private var apartFollower = Apart<Follower>()
    /// The long answer in progress, if any.
    @exclusivity(unchecked) var stream: BodyStream?
    @exclusivity(unchecked) var deadline: (time: Timestamp, purpose: Wait)?
    /// Frames that arrived on the WebSocket while its world was paused, or behind a held message.
    @exclusivity(unchecked) var unreadFrames: [UInt8] = []
    /// Whether reading was paused, so that requests may be waiting in the parser.
    @exclusivity(unchecked) var hasWaitingRequests = false
    @exclusivity(unchecked) var webSocket: WebSocket.Connection?
    @exclusivity(unchecked) var webSocketUse = WebSocketUse.echo
    @exclusivity(unchecked) var record = ConnectionRecord()

    @exclusivity(unchecked) private var requests = Apart(RequestSide())
    @exclusivity(unchecked) var body: [UInt8] = []
    /// The pieces of a large body that precede ``body``; growing a single array instead would block the loop.
    @exclusivity(unchecked) private(set) var bodyPieces: [[UInt8]] = []
    /// Whether to collect the request's body in pieces.
    @exclusivity(unchecked) var takesPieces = false
    /// Why the complete request is waiting; meanwhile, the transport does not read.
    @exclusivity(unchecked) var waiting: Waiting?
    /// The request held by a breakpoint, or whose response is held, if any.
    @exclusivity(unchecked) var held: HeldRequest?
    /// The client's message that a breakpoint holds, if any; later frames wait behind this message.
    @exclusivity(unchecked) var heldEvent: WebSocket.Event?
    /// The number of items that breakpoints hold on this connection.
    @exclusivity(unchecked) var holdCount = 0
    /// How long a fault had held the output at the last check, in nanoseconds on the system's clock.
    @exclusivity(unchecked) var heldTime: Int64 = 0
    /// Whether a fault or a long answer in progress has stopped reading.
    @exclusivity(unchecked) var isReadingStalled = false
    /// The time of the connection's entry in the deadline queue.
    @exclusivity(unchecked) var queuedDeadline: Timestamp?
    /// When to reset a connection that an operator has silenced, by the world's clock; nil for all other connections.
    @exclusivity(unchecked) var silencedUntil: Timestamp?
    /// The time, by the world's clock, of the connection's entry for held output in the world's queue.
    @exclusivity(unchecked) var queuedRelease: Timestamp?
    /// The time of the connection's entry for arriving input in the world's queue.
    @exclusivity(unchecked) var queuedArrival: Timestamp?
    @exclusivity(unchecked) var pings = Pings()
    /// The client's connection to the world's real server, if any.
    @exclusivity(unchecked) var upstream: UpstreamConnection?
    let isLocal: Bool
    /// Whether the connection exceeds the limit and gets a refusal.
    let isRefused: Bool
    @exclusivity(unchecked) var isSecure: Bool
    /// Whether a fault ends the connection as a server crash would, so that no TLS alert is sent.
    @exclusivity(unchecked) public internal(set) var endsAbruptly = false

    init(id: ConnectionID, isLocal: Bool, isRefused: Bool, isSecure: Bool) {
        (self.id, self.isLocal, self.isRefused, self.isSecure) = (id, isLocal, isRefused, isSecure)
    }

    /// Bytes that the connection holds: output for the peer, and the peer's unfinished input.
    ///
    /// The count is 0 for a connection that will be reset, because the transport resets it first.
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

    // The following accessors trap on a WebSocket, because ``endRequests()`` has freed their storage.

    var http: HTTP1.Connection {
        @inline(__always) _read { yield requests.present.http }
        @inline(__always) _modify { yield &requests.present.http }
    }
    /// The head of the request that is arriving or waiting for its world.
    var request: RequestHead? {
        @inline(__always) _read { yield requests.present.head }
        @inline(__always) _modify { yield &requests.present.head }
    }
    /// The credentials of the last request, which need not be verified again.
    var lastAuthorization: LastAuthorization? {
        @inline(__always) _read { yield requests.present.lastAuthorization }
        @inline(__always) _modify { yield &requests.present.lastAuthorization }
    }
    /// The route of the last request for an entity, if that request had the same target.
    func lastEntity(of target: RequestTarget) -> Route? {
        requests.present.lastTarget?.isSame(as: target) == true ? requests.present.lastEntity : nil
    }
    func keepEntity(_ route: Route, of target: RequestTarget) {
        // The target must be short, because idle connections keep it too.
        guard target.byteCount <= 4096 else { return }
        (requests.present.lastTarget, requests.present.lastEntity) = (target, route)
    }
    /// The faults that apply to this socket; nil if there are none.
    var socketFaults: SocketFaults? {
        @inline(__always) get { apartFaults.value }
        @inline(__always) _modify { yield &apartFaults.value }
    }
    /// The state of an event stream; nil for other connections.
    var follower: Follower? {
        @inline(__always) get { apartFollower.value }
        @inline(__always) _modify { yield &apartFollower.value }
    }

    @inline(__always) var isFollower: Bool { !apartFollower.isEmpty }

    /// Frees the state that is used only for requests.
    func endRequests() { requests = Apart() }

    func takeBody(_ bytes: ArraySlice<UInt8>) {
        body += bytes
        guard takesPieces, body.count >= Self.bodyPieceSize else { return }
        bodyPieces.append(body)
        body = []
    }

    /// Sends a part of a body in progress.
    func sendBody(_ bytes: [UInt8]) { http.sendBody(bytes, into: &output.bytes) }

    /// Removes and returns all pieces of a request's body except the last one, ``body``.
    func takeBodyPieces() -> [[UInt8]] {
        defer { (bodyPieces, takesPieces) = ([], false) }
        return bodyPieces
    }

    /// The minimum length of a piece of a large body, in bytes.
    private static let bodyPieceSize = 1 << 20

    /// The connection's number in a world's journal, which counts the world's connections from 1.
    ///
    /// Each world numbers its connections separately, so that identical sessions have identical journals, regardless of
    /// other worlds.
    func number(in world: World) -> UInt64 {
        if let number = record.number, number.world == world.number { return number.number }
        world.connectionCount += 1
        record.number = (world.number, world.connectionCount)
        return world.connectionCount
    }

    /// Whether the connection is neither ending nor silent.
    var isServed: Bool { ending == .none && !isSilent }
    /// Whether the request is waiting for an operator or an event in a world.
    var awaitsOthers: Bool { held != nil || waiter != nil }
    /// The answer that is waiting for an event in a world, if any.
    var waiter: Waiter? {
        guard let source = stream?.source else { return nil }
        return source as? Waiter ?? (source as? EnvelopeSource)?.source as? Waiter
    }
    /// Whether the connection's bytes are relayed to a real server that has not ended the connection yet.
    var isRelaying: Bool { speaks == .relayed && upstream != nil }
    /// Whether a request has begun to arrive.
    var isReadingRequest: Bool { http.isReadingHead || http.isReadingBody }
    var isEcho: Bool { webSocket != nil && !webSocketUse.isOfWorld }
    /// Whether the connection is a WebSocket whose end is not in the journal yet.
    var isOpenSocket: Bool { webSocket != nil && !record.isClosed }

    /// Whether a recording or a real server, rather than a fault, determines how the connection ends.
    var endsAsRecorded: Bool {
        switch webSocketUse {
        case .replay, .upstream: record.endingRule == nil
        case .backend, .echo: false
        }
    }

    var isClosingWebSocket: Bool { webSocket?.closeSummary.sent != nil }
    /// Whether the transport has bytes to send now; a fault may hold other bytes or the ending.
    public var hasOutput: Bool { output.hasReleased }
    /// Whether all output has been sent, so that the connection may end.
    public var isDrained: Bool { output.isEmpty && !output.isHeld }

    /// Lends the bytes to send; report the number of sent bytes with ``Engine/sent(_:on:at:)``.
    public func withOutput<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { output.withUnsent(body) }

    /// The maximum value of ``ServerLimits/stateBody``: 1 GiB.
    static let largestBody = 1024 * 1024 * 1024

    /// The state of a connection until it becomes a WebSocket.
    private struct RequestSide {
        var http = HTTP1.Connection(role: .server, limits: limits)
        var head: RequestHead?
        var lastAuthorization: LastAuthorization?
        /// The target and the route of the last request for an entity.
        var (lastTarget, lastEntity) = (RequestTarget?.none, Route?.none)

        /// The usual limits; ``Engine/admitLargeBody(_:on:)`` may raise the body's limit.
        private static let limits: HTTP1.Limits = {
            var limits = HTTP1.Limits()
            limits.raisedBody = Connection.largestBody
            return limits
        }()
    }

    /// The protocol of a connection, which changes at most once; the engine does not read relayed bytes.
    enum Speech { case http, webSocket, relayed }

    /// Why a complete request is waiting: a paused world, its job, an operator, or the world's real server.
    enum Waiting { case forWorld, forJob, forBreakpoint, forUpstream }

    public enum Ending: Equatable, Sendable {
        /// Stay open.
        case none
        /// Stop sending after `output`, read until the peer ends its stream, and then close, so that no output is lost.
        case lingering
        /// Close after `output`.
        case close
        /// Reset after `output`.
        case resetAfterOutput
        /// Reset immediately.
        case reset
    }

    enum WebSocketUse {
        case backend
        case echo
        case replay(ReplaySocket)
        /// Relays frames to and from a real server (``Connection/upstream``).
        case upstream

        /// Whether the socket belongs to a world and its journal.
        var isOfWorld: Bool {
            if case .echo = self { return false }
            return true
        }
    }

    /// The purpose of a deadline.
    enum Wait {
        /// The TLS handshake.
        case handshake
        /// How long the peer may send nothing, or leave output unread.
        case idle
        /// The time for a request's head or body to arrive.
        case readHead, readBody
        /// The time for the peer to answer our close frame or to close the connection.
        case closing
        /// The interval between comments on an event stream.
        case keepAlive
        /// How long a silenced connection stays open.
        case silence
        /// The time until the source of a waiting answer is called again.
        case wake
    }
}

/// The state of the server's pings on a connection.
struct Pings {
    /// When the next ping is due, by the world's clock.
    var due: Timestamp?
    var count = 0
    /// The payload of the last ping; nil once its pong has arrived.
    var awaited: [UInt8]?
    /// How many times the clock had been advanced when the last ping was sent (``World/clockMoveCount``).
    var move = 0
}

/// An optional value on the heap, outside its owner.
///
/// The value takes eight bytes in its owner, regardless of the value's size. Use it for a value that is rare or
/// temporary. The value has one owner, so it needs no reference counting.
struct Apart<Value>: ~Copyable {
    private var place: UnsafeMutablePointer<Value>?

    init() {}

    init(_ value: consuming Value) { put(value) }

    deinit { place?.deinitialize(count: 1).deallocate() }

    var isEmpty: Bool { @inline(__always) get { place == nil } }

    /// The value, or nil.
    ///
    /// During an in-place change, reads return nil and writes trap.
    var value: Value? {
        @inline(__always) get { place?.pointee }
        @inline(__always) _modify {
            var value = take()
            defer { if let value { put(value) } }
            yield &value
        }
    }

    /// Accesses the value in place; traps if it is nil.
    var present: Value {
        @inline(__always) _read { yield place!.pointee }  // Callers know that it is there.
        @inline(__always) _modify { yield &place!.pointee }  // The same.
    }

    private mutating func take() -> Value? {
        guard let place else { return nil }
        defer {
            place.deallocate()
            self.place = nil
        }
        return place.move()
    }

    private mutating func put(_ value: consuming Value) {
        precondition(place == nil, "A value must not be set while it is being changed.")
        place = .allocate(capacity: 1)
        place?.initialize(to: value)
    }
}
