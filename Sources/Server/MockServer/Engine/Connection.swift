import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import Replay
import WebSocket

/// A connection's number: its place among the open ones, and a serial that tells apart those that had the place before.
public struct ConnectionID: Hashable, Comparable, Sendable {
    /// The whole of it, which is not used again while the connection lasts.
    let number: UInt64

    init(place: Int, serial: UInt32) {
        number = UInt64(serial) << 32 | UInt64(UInt32(truncatingIfNeeded: place))
    }

    init(_ socket: SocketID) {
        number = socket.number
    }

    /// The place in tables that are kept per connection, from 0; used again once the connection is gone.
    public var place: Int { Int(UInt32(truncatingIfNeeded: number)) }

    var socket: SocketID { SocketID(number) }

    /// Orders by age, save that serials begin anew after 2^32 connections.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// One transport connection as the engine sees it: bytes and state machines, no file descriptor.
///
/// A class, because a connection has an identity, and its state machines are changed in place on the hot path.
public final class Connection {
    /// Its number.
    public let id: ConnectionID
    /// Bytes for the peer, which the transport sends as soon as it can.
    var output = OutputBuffer()
    /// How the connection is to end, once `output` is gone.
    public internal(set) var ending = Ending.none

    /// Which of the two sides below speaks.
    var speaks = Speech.http
    /// The HTTP side; empty once the connection has become a WebSocket.
    var http = HTTP1.Connection(role: .server, limits: Connection.httpLimits)
    /// The request that is arriving.
    var request: RequestHead?
    var body: [UInt8] = []
    /// What came before ``body``, of a body that may be large: one array would hold the loop whenever it grows.
    private(set) var bodyPieces: [[UInt8]] = []
    /// Whether its request's body is taken in pieces.
    var takesPieces = false
    /// What its request waits for; it is whole, and nothing more is read meanwhile.
    var waiting: Waiting?
    /// Bytes that arrived on its socket while the world stood.
    var unreadFrames: [UInt8] = []
    /// The credentials seen last.
    var lastAuthorization: LastAuthorization?

    /// The world that its last request was for; nil before the first, and for what is no world's.
    var world: World?

    /// The WebSocket side, after the handshake.
    var webSocket: WebSocket.Connection?
    var webSocketUse = WebSocketUse.echo

    /// What goes wrong with what the socket sends; nil where nothing does.
    var socketFaults: SocketFaults?
    /// How long a fault has held its output back, in nanoseconds of the system's clock, as far as that was looked at.
    var heldTime: Int64 = 0
    /// Whether it is read nothing: a fault has it so, or a long answer is on its way.
    var isReadingStalled = false
    /// What the journal knows of it.
    var record = ConnectionRecord()

    /// Whose journal it is sent as it grows; nil for every other connection.
    var follower: Follower?

    /// The long answer that is on its way; nil for every other connection.
    var stream: BodyStream?

    /// What of this connection is in the engine's sum of held bytes.
    var accountedBytes = 0
    /// Bytes that the connection holds: for the peer, or of what the peer has not finished.
    ///
    /// None once it is to be reset: its end is due before anything else happens.
    var heldBytes: Int {
        guard ending != .reset else { return 0 }
        return output.count + body.count + bodyPieces.count * Self.bodyPieceSize + unreadFrames.count
            + (socketFaults?.waitingByteCount ?? 0)
            + (stream?.source.heldByteCount ?? 0)
            + (speaks == .http ? http.bufferedByteCount : webSocket?.bufferedByteCount ?? 0)
    }

    /// When to act if nothing happens until then.
    var deadline: Deadline?
    /// When the connection's entry in the queue of deadlines comes up.
    var queuedDeadline: Timestamp?
    /// Whether the transport has been asked to look at this connection.
    var isTouched = false

    /// Whether a fault has it send and read nothing any more.
    var isSilent = false
    /// When its entry in its world's queue of held outputs comes up, by the world's clock.
    var queuedRelease: Timestamp?
    /// Whether requests may wait in the parser until more output is sent.
    var hasWaitingRequests = false

    /// Whether the peer is on this machine.
    let isLocal: Bool
    /// Whether it is one too many, and only told so.
    let isRefused: Bool
    /// Whether the transport speaks TLS with the peer.
    var isSecure: Bool
    /// Whether a fault ends it: as if the server had died, without a word of TLS.
    public internal(set) var endsAbruptly = false

    init(id: ConnectionID, isLocal: Bool = true, isRefused: Bool = false, isSecure: Bool = false) {
        self.id = id
        self.isLocal = isLocal
        self.isRefused = isRefused
        self.isSecure = isSecure
    }

    /// Takes a part of a request's body.
    func takeBody(_ bytes: ArraySlice<UInt8>) {
        body += bytes
        guard takesPieces, body.count >= Self.bodyPieceSize else { return }
        bodyPieces.append(body)
        body = []
    }

    /// Gives away what came of a request's body before its last piece.
    func takeBodyPieces() -> [[UInt8]] {
        defer { (bodyPieces, takesPieces) = ([], false) }
        return bodyPieces
    }

    /// How long a piece of a large body is, in bytes; what arrived in one go with its last byte comes on top.
    private static let bodyPieceSize = 1 << 20

    /// The world that the connection is about; what belongs to none counts as the default world's.
    func worldOr(_ defaultWorld: World) -> World { world ?? defaultWorld }

    /// What a world's journal calls the connection: its place among those that the world has met, from 1.
    ///
    /// Counted in each world, so that equal sessions have equal journals whatever else the server does.
    func number(in world: World) -> UInt64 {
        if let number = record.number, number.world == world.number { return number.number }
        world.connectionCount += 1
        record.number = (world.number, world.connectionCount)
        return world.connectionCount
    }

    /// Changes what goes wrong with the socket, where something does; false where nothing does, or nothing was changed.
    func changeSocketFaults(_ change: (inout SocketFaults) -> Bool) -> Bool {
        guard var faults = socketFaults else { return false }
        // Taken out while it changes, so that nothing of it is copied.
        socketFaults = nil
        let isChanged = change(&faults)
        socketFaults = faults
        return isChanged
    }

    /// Whether it is an echo socket.
    var isEcho: Bool { webSocket != nil && !webSocketUse.isOfWorld }

    /// Whether it is a WebSocket of which the journal has no end.
    var isOpenSocket: Bool { webSocket != nil && !record.isClosed }

    /// Whether what ends it is the recording, and no fault.
    var endsAsRecorded: Bool {
        guard case .replay = webSocketUse else { return false }
        return record.endingRule == nil
    }

    /// Whether our close frame is out, or on its way.
    var isClosingWebSocket: Bool { webSocket?.closeSummary.sent != nil }

    /// Whether there are bytes to send now; a fault may hold back others, or the ending.
    public var hasOutput: Bool { output.hasReleased }
    /// Whether everything that was written has been sent, so that the connection may end as it is to.
    public var isDrained: Bool { output.isEmpty && !output.isHeld }

    /// Lends the bytes to send; report what was sent through ``Engine/sent(_:on:at:)``.
    public func withOutput<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        output.withUnsent(body)
    }

    /// The usual limits, save that the body of an imported state may be larger.
    private static let httpLimits: HTTP1.Limits = {
        var limits = HTTP1.Limits()
        limits.raisedBody = Connection.largestBody
        return limits
    }()

    /// The most bytes that ``ServerLimits/stateBody`` can allow: 1 GiB.
    static let largestBody = 1024 * 1024 * 1024

    /// The protocol of a connection, which changes once at most.
    enum Speech {
        case http, webSocket
    }

    /// What a request waits for.
    enum Waiting {
        /// Its world stands.
        case forWorld
        /// A job is done for it.
        case forJob
    }

    /// How a connection ends.
    public enum Ending: Equatable, Sendable {
        /// It goes on.
        case none
        /// We stop sending after `output`, read on until the peer stops too, and then close: it shall not lose our last words.
        case lingering
        /// Close after `output`.
        case close
        /// Close after `output`, and let the peer notice.
        case resetAfterOutput
        /// Close at once, and let the peer notice.
        case reset
    }

    /// What a WebSocket is open for.
    enum WebSocketUse {
        case consultation
        case echo
        /// A recorded socket is played back.
        case replay(ReplaySocket)

        /// Whether what goes over it belongs to a world, and so into its journal.
        var isOfWorld: Bool {
            if case .echo = self { return false }
            return true
        }
    }

    /// A point in time, and what it is the end of.
    struct Deadline {
        enum Purpose {
            /// TLS is agreed on.
            case handshake
            /// Nothing arrives, or nothing is taken.
            case idle
            /// A request's head or body arrives.
            case readHead, readBody
            /// The peer answers our close frame, or closes.
            case closing
            /// A stream of events has nothing to tell.
            case keepAlive
            /// A connection on which a fault has fallen silent goes away.
            case silence
        }

        var time: Timestamp
        var purpose: Purpose
    }
}
