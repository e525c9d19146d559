/// What goes on the wire in place of one text message: first the transmission, then the close frame.
public struct Outgoing: Sendable, Equatable {
    /// Encoded server frames, whole or cut; often empty.
    public var transmission = Transmission()
    /// A close frame to be sent behind it, with `WebSocket.Connection.closeAnyway`.
    public var close: Close?
    /// How much of this message the client gets; one that waits for others counts as sent.
    public var extent = Extent.whole
    /// The rules that acted on this message, in their order, for a journal.
    public var ruleNames: [String] = []
    /// The one of them that ends the connection, or has it fall silent; nil where none does.
    public var endingRule: String?

    /// How much of a message goes on the wire, sooner or later.
    public enum Extent: Sendable {
        /// All of it.
        case whole
        /// The beginning of its frame.
        case beginning
        /// Nothing.
        case nothing
    }

    /// What a close frame holds.
    public struct Close: Sendable, Equatable {
        /// The code, which need not be one that may be sent; nil for an empty frame.
        public var code: UInt16?
        /// The reason.
        public var reason: String

        /// Describes a close frame.
        public init(code: UInt16?, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }
}
