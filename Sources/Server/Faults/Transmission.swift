/// Bytes on their way to the wire, and what is to happen between them.
public struct Transmission: Sendable, Equatable {
    /// What is sent.
    public var bytes: [UInt8]
    /// What happens, in the order of the offsets; several may stand at one.
    public var marks: [Mark]

    /// Makes a transmission.
    public init(_ bytes: [UInt8] = [], marks: [Mark] = []) {
        self.bytes = bytes
        self.marks = marks
    }

    /// Something that happens before the byte at an offset, and after the one before it.
    public struct Mark: Sendable, Equatable {
        /// From 0 to the count of bytes.
        public var offset: Int
        /// What happens.
        public var action: WireAction

        /// Makes a mark.
        public init(_ offset: Int, _ action: WireAction) {
            self.offset = offset
            self.action = action
        }
    }
}

/// Something that happens between two bytes.
public enum WireAction: Sendable, Equatable {
    /// What follows is held back so many nanoseconds.
    case wait(Int64)
    /// The connection ends in order (FIN); what follows is not sent.
    case finish
    /// The connection is reset (RST); what follows is not sent.
    case reset
    /// What follows is never sent, and the connection stays open.
    case silence
}
