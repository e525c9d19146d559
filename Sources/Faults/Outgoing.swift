/// What goes on the wire in place of one text message: first the transmission, then the close frame.
public struct Outgoing: Sendable, Equatable {
    /// Encoded server frames, whole or cut; often empty.
    public var transmission = Transmission()
    /// A close frame to be sent behind it, with `WebSocket.Connection.closeAnyway`.
    public var close: Close?
    /// The rules that acted on this message, in their order, for a journal.
    public var ruleNames: [String] = []

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
