import WebSocket

/// The close frames of a WebSocket, and its end as a journal records it.
///
/// A journal records the end at the client's close frame, whether it comes first or second: what the transport does
/// after that is no longer up to the client.
struct SessionClosing {
    private var sent: CloseSummary.Frame?
    private var received: CloseSummary.Frame?
    private var initiator: Connection.Initiator?

    /// Whether a journal would say that the WebSocket has ended.
    var isOver: Bool { received != nil }

    mutating func observe(_ frame: RecordedFrame) {
        guard frame.opcode == .close else { return }
        let content = frame.closeFrame ?? CloseSummary.Frame(code: nil)
        initiator = initiator ?? (frame.sender == .client ? .theyStarted : .weStarted)
        switch frame.sender {
        case .client: received = received ?? content
        case .server: sent = sent ?? content
        }
    }

    private var summary: CloseSummary { CloseSummary(sent: sent, received: received, initiator: initiator) }

    /// The end by close frames.
    var recorded: RecordedClosing {
        RecordedClosing(by: initiator == .weStarted ? .server : .client, cause: .closeFrame, summary: summary)
    }

    /// The end by the transport.
    func recorded(_ ending: RecordedClosing) -> RecordedClosing {
        RecordedClosing(by: ending.party, cause: ending.cause, summary: summary)
    }
}
