import FitIQAPI
import HTTP1
import Recording
import WebSocket

/// The times that sockets are judged by, in nanoseconds.
enum SocketTimes {
    /// What the network and the scheduler may take where a minimum is judged.
    static let tolerance: Int64 = 50_000_000
    static let second: Int64 = 1_000_000_000
    /// The shortest wait before a reconnect.
    static let shortestWait = second
    /// The longest silence of a client on an open socket, and how much later a ping may come.
    static let keepAlive = 30 * second
    static let keepAliveTolerance = 2 * second
    /// How long a client that closed stays away.
    static let stayAway = 3 * second
    /// The longest time from the server's close frame to the end that stands in the journal.
    static let serverClosing = 2 * second
    /// How long a client may take to fetch what it missed.
    static let recovery = 10 * second
    /// An answer of which nothing comes for so long counts as given up.
    static let silentAnswer = 10 * second
    /// A client that has not tried for so long has stopped trying.
    static let gaveUp = 60 * second
    /// The most tries in a row.
    static let tryLimit = 5
}

extension Timestamp {
    /// The nanoseconds from an earlier time to this one.
    func nanoseconds(since earlier: Timestamp) -> Int64 {
        nanosecondsSinceEpoch &- earlier.nanosecondsSinceEpoch
    }
}

/// How a WebSocket ended, as its client sees it.
enum SocketEnding: Sendable, Hashable {
    /// The client closed it, with a close frame.
    case closedByClient
    /// The client ended the transport without a close frame.
    case leftByClient
    /// The client ended it after the fake had misbehaved on it: perhaps because of that.
    case givenUp
    /// The server closed it with 1000 after saying that the consultation is not active.
    case archived
    /// The client did not begin it, and came to know of it at this time; nil where the journal cannot tell when.
    case unexpected(knownAt: Timestamp?)

    init(_ closing: RecordedClosing, of socket: Scene.Socket, at time: Timestamp) {
        let isByServer = closing.isByServer
        switch closing.cause {
        case .violation:
            // The client may not even know what it did wrong: to it, the server closed.
            self = .unexpected(knownAt: time)
        case _ where isByServer && socket.isArchived && closing.summary.sent?.code == .normalClosure:
            self = .archived
        case _ where isByServer:
            self = .unexpected(knownAt: closing.knownAt(of: socket, at: time))
        case _ where socket.trouble != nil:
            self = .givenUp
        default:
            self = closing.summary.received != nil ? .closedByClient : .leftByClient
        }
    }

    /// Whether the client ended it, and nothing had made it do so.
    var isOwn: Bool { self == .closedByClient || self == .leftByClient }
}

extension RecordedClosing {
    /// Whether the server began to close: the end of the transport that follows its close frame is no beginning.
    var isByServer: Bool {
        party == .server || cause != .violation && summary.sent != nil && summary.received == nil
    }

    /// When the client came to know that the server closed; nil where it may have been before the entry's time.
    fileprivate func knownAt(of socket: Scene.Socket, at time: Timestamp) -> Timestamp? {
        if let closedAt = socket.serverClosedAt { return closedAt }
        // A silenced socket is given up by the client long before anything ends it.
        if socket.isSilenced || socket.isStalled { return nil }
        // What the server closed with a frame and the client never answered ends when either loses patience.
        return summary.sent != nil && summary.received == nil && cause != .limit && cause != .fault ? nil : time
    }
}

extension CloseSummary.Frame {
    /// Whether it says that its sender has no more to say, and not that something is wrong.
    var isLeaving: Bool { code == .normalClosure || code == .goingAway }
}

/// `ws/endpoint`: sockets are opened where the backend has them.
struct SocketEndpoint: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/endpoint", level: .must, origin: .guides([.webSocketArchitecture]), place: "root cause",
        clause: "The WebSocket is opened at /api/v1/consultations/{id}/ws, never at /ws.",
        advice: """
            There is no socket for meal logs alone: create or fetch a consultation and open \
            /api/v1/consultations/{id}/ws, id in lower case; the guide's own configuration with \
            /ws is the mistake that it describes.
            """)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if Handshake(fact) != nil { return findings.exercised() }
        guard case .request(let request) = fact.kind, request.endpoint == nil,
            request.exchange.unmatched == .unknownPath,
            request.exchange.head.wantsUpgrade || request.segments.last == "ws"
        else { return }
        findings.exercised()
        findings.found(SocketSentences.wrongEndpoint(request.path), [fact.entry])
    }
}
