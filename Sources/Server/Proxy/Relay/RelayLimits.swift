/// How much a proxy holds and waits for.
public struct RelayLimits: Sendable, Equatable {
    /// Connections of clients at the same time; more are answered 503.
    public var connections = 4_096
    /// Bytes that wait for one side before the other is not read any more.
    public var unsentBytes = 1024 * 1024
    /// Bytes of a head's fields, and bytes of its first line; more are answered 431 or 414, or 502 where the upstream sends them.
    public var headBytes = 64 * 1024
    /// Fields of a head; more are answered 431, or 502 where the upstream sends them.
    public var fieldCount = 256
    /// Interim answers (1xx) to one request; with one more it is answered 502.
    public var interimAnswers = 16
    /// Time to connect to the upstream server and agree on TLS, all of its addresses together; then 504.
    public var connectTime = Duration.seconds(10)
    /// Time for a client to agree on TLS; then its connection is closed.
    public var handshakeTime = Duration.seconds(10)
    /// Time without any byte on a connection between requests, or within one that is not complete; then it is closed.
    public var idleTime = Duration.seconds(120)
    /// Time without any byte while an answer is awaited or under way; then 504, or a reset where it has begun.
    public var answerTime = Duration.seconds(300)
    /// Time that a connection which is being closed has to end its own stream, once all was sent; then nothing more is read.
    ///
    /// To take what is left of an answer it has ``idleTime`` after each byte that it takes.
    public var lingerTime = Duration.seconds(2)
    /// Time that answers under way have once the proxy is told to stop.
    public var shutdownTime = Duration.seconds(2)

    /// The defaults, to be changed field by field.
    public init() {}

    /// Lowers ``connections`` to what a process with that many file descriptors can serve: two each, and some for itself.
    public mutating func fit(descriptors: Int) {
        connections = max(1, min(connections, (descriptors - RelayLimits.ownDescriptors) / 2))
    }

    /// File descriptors that ``connections`` need.
    public var descriptors: Int { connections * 2 + RelayLimits.ownDescriptors }

    /// Standard streams, event queue, listeners, recording, and connections that are refused or connected anew just then.
    private static let ownDescriptors = 128
}
