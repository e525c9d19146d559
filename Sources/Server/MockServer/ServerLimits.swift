import Text

/// The limits of the server's transport; docs/limits.md describes what happens beyond each limit.
public struct ServerLimits: Sendable, Equatable {
    /// Open connections; the server answers additional connections with 503 and closes them.
    public var connections = 12_000
    /// Concurrent connections beyond ``connections`` that get a refusal; the server closes additional connections and
    /// sends no answer.
    public var refusedConnections = 256
    /// Time for the TLS handshake, starting when the connection is accepted; then the server closes the connection.
    public var handshakeTime = Duration.seconds(10)
    /// Time for a request's head to arrive, and also for its body; then 408.
    public var readTime = Duration.seconds(10)
    /// How long a connection may be idle, or its client may leave output unread; then the server ends the connection.
    public var idleTime = Duration.seconds(75)
    /// Time for the peer to answer our WebSocket close frame, or to close after our last response.
    public var closingTime = Duration.seconds(2)
    /// Time from a stop request until the server ends the remaining connections.
    public var shutdownTime = Duration.seconds(4)
    /// Bytes that a socket's client may leave unread; beyond the limit, the server resets the connection.
    public var unsentBytes = 4 * 1024 * 1024
    /// Bytes of a WebSocket's messages that a breakpoint may hold; beyond the limit, it releases them.
    ///
    /// The limit is half of ``unsentBytes``, so that a release does not make the client look like a slow reader.
    public var heldFrameBytes = 2 * 1024 * 1024
    /// Unsent bytes at which the server stops reading from a connection until the bytes are sent.
    public var unsentBytesBeforeReadingPauses = 256 * 1024
    /// Bytes of a message on a world's WebSocket; beyond the limit, the server closes the WebSocket with 1009.
    public var webSocketMessage = 1024 * 1024
    /// Bytes of a message on the echo socket; beyond the limit, the server closes the socket with 1009.
    public var echoMessage = 16 * 1024 * 1024
    /// Total bytes held for echo sockets; beyond the limit, the server resets the sockets that hold the most.
    public var echoBytes = 64 * 1024 * 1024
    /// Total bytes held for connections: unsent output, and arriving bodies and messages.
    ///
    /// Beyond the limit, the server ends the connections that hold the most: an arriving request gets 503, and other
    /// connections are reset. A request whose answer exceeds the limit gets 503.
    public var heldBytes = 512 * 1024 * 1024
    /// Verified tokens to cache; the server verifies all other tokens at each request.
    public var verifiedTokens = 20_000
    /// Worlds, including the default world; additional worlds get 507.
    public var worlds = 12_000
    /// Total bytes of JSON in all worlds; beyond the limit, requests get 507, sockets get an `error` frame, and meal
    /// logs fail.
    ///
    /// The limit is twice ``stateBody``, so that an imported state fits next to its body.
    public var storedBytes = 640 * 1024 * 1024
    /// Total bytes in all worlds' journals, plus 256 for each entry.
    ///
    /// Beyond the limit, the longest journals lose their oldest entries.
    public var journalBytes = 256 * 1024 * 1024
    /// Bytes in the body of `PUT /__admin/state`; a larger body gets 413.
    ///
    /// The server also refuses to export a larger world, with 507. A world can exceed this limit only if it was full
    /// while work was in progress.
    ///
    /// - Precondition: At most 1 GiB.
    public var stateBody = 320 * 1024 * 1024
    /// Bytes of a form that contains a meal photo; a larger form gets 413.
    ///
    /// - Precondition: At most 1 GiB.
    public var photoBody = 8 * 1024 * 1024
    /// Bytes of a request that sends a frame manually or changes a held item; a larger request gets 413.
    ///
    /// JSON needs up to six bytes for each byte of a frame of ``webSocketMessage``.
    ///
    /// - Precondition: At most 1 GiB.
    public var frameBody = 8 * 1024 * 1024
    /// Bytes of a real server's response body, which is buffered until complete; a larger body results in 502.
    public var upstreamBody = 16 * 1024 * 1024
    /// Time after which the server deletes an unused world that has no open sockets.
    public var worldIdleTime = Duration.seconds(1800)
    /// The idle time for a test's world, because a debugger may pause the test for hours.
    public static let testedWorldIdleTime = Duration.seconds(86_400)
    /// The maximum length of a world's label in bytes.
    static let labelBytes = 200

    /// Creates the documented limits.
    public init() {}
}

extension ServerLimits {
    /// The number of file descriptors that a server needs at its limits, including the loop's descriptors and the
    /// standard streams.
    public var descriptors: Int { connections + refusedConnections + Self.otherDescriptors }

    private static let otherDescriptors = 64

    /// The part of ``heldBytes`` available to all jobs together.
    var jobBytes: Int { heldBytes - heldBytes / 4 }

    /// Lowers the connection limits to fit the file descriptors, including some for refusals.
    public mutating func fit(descriptors: Int) {
        refusedConnections = min(refusedConnections, max(1, descriptors / 16))
        connections = max(1, min(connections, descriptors - refusedConnections - Self.otherDescriptors))
    }
}

/// The time limits in nanoseconds, because every request adds a time limit to the clock, and `Duration` uses 128-bit
/// arithmetic.
struct Patience {
    let handshake, read, idle, closing, worldIdle: Int64

    init(_ limits: ServerLimits) {
        (handshake, read) = (limits.handshakeTime.nanoseconds, limits.readTime.nanoseconds)
        (idle, closing) = (limits.idleTime.nanoseconds, limits.closingTime.nanoseconds)
        worldIdle = limits.worldIdleTime.nanoseconds
    }
}
