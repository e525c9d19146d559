/// What goes on the wire in place of one text message: first the transmission, then the close frame.
public struct Outgoing: Sendable, Equatable {
    /// Encoded server frames, whole or cut; often empty.
    public var transmission = Transmission()
    /// A close frame to be sent behind it, with `WebSocket.Connection.closeAnyway`.
    public var close: Close?
    /// What became of messages, for a journal, in the order in which the client has them.
    ///
    /// Among them are messages that waited until now. A message that waits for others is not here: it comes with a later
    /// call of ``SocketFaults/send(_:)``, with ``SocketFaults/close()`` or ``SocketFaults/abandon()``.
    public var messages: [Message] = []
    /// The rules that acted on this message, in their order.
    public var ruleNames: [String] = []
    /// The one of them that ends the connection or silences it; nil where none does.
    public var endingRule: String?

    /// A message whose fate is decided.
    public struct Message: Sendable, Equatable {
        /// The text as the backend sent it.
        public var text: [UInt8]
        /// How much of it the client gets.
        public var extent = Extent.whole
        /// The rules that acted on it, in their order.
        public var ruleNames: [String] = []

        func lost() -> Message { Message(text: text, extent: .nothing, ruleNames: ruleNames) }
    }

    /// How much of a message goes on the wire, sooner or later.
    public enum Extent: Sendable {
        case whole
        /// The beginning of its frame.
        case beginning
        case nothing
    }

    /// What a close frame holds.
    public struct Close: Sendable, Equatable {
        /// The code, which need not be one that may be sent; nil for an empty frame.
        public var code: UInt16?
        public var reason: String

        public init(code: UInt16?, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }
}
