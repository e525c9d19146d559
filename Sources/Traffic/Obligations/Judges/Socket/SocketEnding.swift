import FitIQAPI
import Recording
import WebSocket

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
