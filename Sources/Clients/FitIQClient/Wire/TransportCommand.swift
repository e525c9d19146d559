/// What whoever holds the transport has to do, in order; connections go by the number of their request or socket.
public enum TransportCommand: Sendable, Hashable {
    /// Begin to connect to the backend; what is sent meanwhile waits.
    case connect(Int)
    /// Send bytes.
    case send(Int, [UInt8])
    /// Close the connection once everything sent before is on its way. Nothing is told of it any more.
    case close(Int)
}
