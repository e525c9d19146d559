import FitIQAPI
import Recording

/// What all judges have to know: which sockets are open, whose they are, and what streams.
struct Scene: Sendable {
    /// A WebSocket that is open, or ended a moment ago.
    struct Socket: Sendable {
        let connection: UInt64
        let user: String
        let consultation: String
        let credentials: PresentedCredentials
        let openedAt: Timestamp
        /// The entry of its opening.
        let opening: JournalEntry
        /// When `connected` was delivered.
        var connectedAt: Timestamp?
        /// Whether an answer is under way that it hears: acknowledged or begun, and not complete.
        var isStreaming = false
        /// Whether the fake has silenced it: it counts as closed (CONTRACT section 9, `ws/single-connection`).
        var isSilenced = false
    }

    /// The open sockets by connection.
    private(set) var sockets: [UInt64: Socket] = [:]
    /// The one that the last fact ended; nil after any other fact.
    private(set) var endedSocket: Socket?

    /// The most sockets that are remembered; a journal that lost the ends of some has no more open than that.
    static let socketLimit = 20_000

    /// The open sockets of a user that are not silenced, oldest first.
    func openSockets(of user: String) -> [Socket] {
        sockets.values.filter { $0.user == user && !$0.isSilenced }.sorted { $0.connection < $1.connection }
    }

    mutating func observe(_ fact: Fact) {
        endedSocket = nil
        switch fact.kind {
        case .opened(let opening): open(opening, fact)
        case .closed: endedSocket = sockets.removeValue(forKey: fact.connection)
        case .fault(let fault):
            if fault.effect == .silence { sockets[fact.connection]?.isSilenced = true }
        case .frame(let frame): observe(frame, fact)
        case .request, .other: break
        }
    }

    private mutating func open(_ opening: OpeningFact, _ fact: Fact) {
        if sockets.count >= Self.socketLimit, let oldest = sockets.keys.min() { sockets[oldest] = nil }
        sockets[fact.connection] = Socket(
            connection: fact.connection, user: opening.opening.user ?? "", consultation: opening.consultation,
            credentials: opening.credentials, openedAt: opening.openedAt, opening: fact.entry)
    }

    private mutating func observe(_ frame: FrameFact, _ fact: Fact) {
        guard !frame.isFromClient, let type = frame.type else { return }
        switch type {
        case "connected":
            if frame.isDelivered { sockets[fact.connection]?.connectedAt = fact.time }
        case "stream_chunk", "assistant_message_start", "assistant_message_chunk":
            sockets[fact.connection]?.isStreaming = true
        case "stream_complete", "assistant_message_end", "error":
            sockets[fact.connection]?.isStreaming = false
        default: break
        }
    }
}
