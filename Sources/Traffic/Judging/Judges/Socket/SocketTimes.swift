import FitIQAPI
import Traffic
import WebSocket

/// The time limits for sockets, in nanoseconds.
enum SocketTimes {
    private static let second = Tolerance.second
    static let shortestWait = second
    /// The longest pause before a try in any guide.
    static let longestWait = 30 * second
    /// The maximum silence of a client on an open socket, and how much later a ping may come.
    static let keepAlive = 30 * second
    static let keepAliveTolerance = 2 * second
    /// How long a client stays away after closing.
    static let stayAway = 3 * second
    /// The maximum time from the server's close frame to the recorded end.
    static let serverClosing = 2 * second
    /// How long a client may take to fetch what it missed.
    static let recovery = 10 * second
    /// A reply that is silent for this long counts as abandoned.
    static let silentAnswer = 10 * second
    /// A client without an attempt for this long has stopped trying.
    static let gaveUp = 60 * second
    static let tryLimit = 5
}

/// How a WebSocket ended, as its client sees it.
enum SocketEnding: Sendable, Hashable {
    case closedByClient
    /// The client ended the transport without a close frame.
    case leftByClient
    /// The client ended it after the fake had misbehaved, perhaps for that reason.
    case givenUp
    /// The server closed it with 1000 after saying that the consultation is not active.
    case archived
    /// The client did not start the close and learned of it at this time, or nil if the journal cannot tell when.
    case unexpected(knownAt: Timestamp?)

    init(_ closing: RecordedClosing, of socket: Scene.Socket, at time: Timestamp) {
        let isByServer = closing.isByServer
        switch closing.cause {
        case .violation:
            // The client may not know its mistake: from its side, the server closed.
            self = .unexpected(knownAt: time)
        case _ where isByServer && socket.isArchived && closing.summary.sent?.code == .normalClosure: self = .archived
        case _ where isByServer: self = .unexpected(knownAt: closing.knownAt(of: socket, at: time))
        case _ where socket.trouble != nil: self = .givenUp
        default: self = closing.summary.received != nil ? .closedByClient : .leftByClient
        }
    }

    var isOwn: Bool { self == .closedByClient || self == .leftByClient }
}

extension RecordedClosing {
    /// Whether the server started the close; the end of the transport after its close frame is not a start.
    var isByServer: Bool { party == .server || cause != .violation && summary.sent != nil && summary.received == nil }

    /// When the client learned that the server closed, or nil if that may have been before the entry's time.
    fileprivate func knownAt(of socket: Scene.Socket, at time: Timestamp) -> Timestamp? {
        if let closedAt = socket.serverClosedAt { return closedAt }
        // A client gives up a silenced socket long before anything ends it.
        if socket.isSilenced || socket.isStalled { return nil }
        // If the client never answers the server's close frame, the socket ends when either side times out.
        return summary.sent != nil && summary.received == nil && cause != .limit && cause != .fault ? nil : time
    }
}

extension CloseSummary.Frame {
    /// Whether the code means that its sender has finished, not that something is wrong.
    var isLeaving: Bool { code == .normalClosure || code == .goingAway }
}

struct SocketEndpoint: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/endpoint", level: .must, origin: .guides([.webSocketArchitecture]), place: "root cause",
        clause: "The WebSocket is opened at /api/v1/consultations/{id}/ws, never at /ws.",
        advice: "The guides have no socket for meal logs alone: create or fetch a consultation and open "
            + "/api/v1/consultations/{id}/ws, id in lower case; the guide's own configuration with /ws is the mistake "
            + "that it describes.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if Handshake(fact) != nil { return findings.exercised() }
        guard case .request(let request) = fact.kind, request.endpoint == nil,
            request.exchange.unmatched == .unknownPath,
            request.exchange.head.wantsUpgrade || request.segments.last == "ws"
        else { return }
        findings.exercised()
        findings.found(SocketMessages.wrongEndpoint(request.path), [fact.entry])
    }
}
