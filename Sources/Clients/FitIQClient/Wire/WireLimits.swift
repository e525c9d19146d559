/// How much a client takes from the network before it gives up on a connection.
public struct WireLimits: Sendable, Hashable {
    /// The bytes of an answer's body; a larger one is a failed request.
    public var body = 8 << 20
    /// The bytes of a message on a WebSocket; a larger one ends the socket with 1009.
    public var message = 1 << 20
    /// The connections that are open at the same time; a request beyond them fails at once.
    public var connections = 32
    /// The bytes that wait for a server which reads nothing; more of them end the connection.
    public var unsentBytes = 1 << 20

    /// The defaults: bodies of 8 MiB, messages of 1 MiB, 32 connections, 1 MiB unsent.
    public init() {}
}
