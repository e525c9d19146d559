/// How much a proxy holds and waits for.
public struct RelayLimits: Sendable, Equatable {
    /// Connections of clients at the same time; more are answered 503.
    public var connections = 4_096
    /// Bytes that wait for one side before the other is not read any more.
    public var unsentBytes = 1024 * 1024
    /// Time to connect to the upstream server and agree on TLS.
    public var connectTime = Duration.seconds(10)
    /// Time without any byte on a connection between requests.
    public var idleTime = Duration.seconds(120)

    /// The defaults, to be changed field by field.
    public init() {}
}
