extension Connection {
    /// How far a connection is between its handshake and its end.
    ///
    /// Source: RFC 6455 §7.1.
    public enum State: Hashable, Sendable {
        /// Messages flow both ways.
        case open
        /// A close frame was sent or received; the transport is still there.
        case closing(Initiator)
        /// The transport has ended; `Connection.closeSummary` tells how.
        case closed
        /// The peer broke the protocol; what it still sends is discarded.
        case failed
    }

    /// Which side's close frame was first, as seen from here.
    ///
    /// When both start at once, each side sees itself as the one that started.
    public enum Initiator: Hashable, Sendable {
        /// Our close frame was sent before theirs arrived.
        case weStarted
        /// Their close frame arrived before ours was sent.
        case theyStarted
    }

    /// How the peer's stream ended.
    public enum Ending: Hashable, Sendable {
        /// Both close frames were exchanged; `code` is the received one, 1005 if the frame held none.
        case clean(code: CloseCode)
        /// The stream ended before that, which counts as 1006; the message says in which state.
        case abnormal(message: String)
    }
}
