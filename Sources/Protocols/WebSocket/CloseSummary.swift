/// What both sides said when a connection ended, for a journal.
public struct CloseSummary: Hashable, Sendable {
    /// What one close frame held.
    public struct Frame: Hashable, Sendable {
        /// The status code, or nil when the frame was empty.
        public var code: CloseCode?
        /// The reason, at most 123 bytes of UTF-8, often empty.
        public var reason: String

        /// Describes a close frame.
        public init(code: CloseCode?, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }

    /// Our close frame, or nil when none was sent.
    public internal(set) var sent: Frame?
    /// The peer's close frame, or nil when none arrived or it was refused.
    public internal(set) var received: Frame?
    /// Whose close frame was first, or nil when neither was exchanged in order.
    public internal(set) var initiator: Connection.Initiator?

    /// Describes an end; nothing exchanged unless said otherwise.
    public init(sent: Frame? = nil, received: Frame? = nil, initiator: Connection.Initiator? = nil) {
        (self.sent, self.received, self.initiator) = (sent, received, initiator)
    }

    /// Whether both close frames were exchanged.
    ///
    /// RFC 6455 §7.1.4: then the connection is "said to have been closed cleanly" once the transport ends.
    public var wasClean: Bool { sent != nil && received != nil }

    /// The code that the peer sent: 1005 when its frame held none, 1006 when no frame arrived.
    ///
    /// Source: RFC 6455 §7.1.5.
    public var code: CloseCode {
        guard let received else { return .abnormal }
        return received.code ?? .noStatus
    }
}
