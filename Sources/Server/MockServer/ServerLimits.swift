import Text

/// The limits of the server's transport; docs/limits.md says what happens beyond each.
public struct ServerLimits: Sendable, Equatable {
    /// Open connections; the server answers further ones with 503 and closes them.
    public var connections = 12_000
    /// Connections beyond ``connections`` that get a refusal at the same time; the server closes further ones without
    /// an answer.
    public var refusedConnections = 256
    /// Time for the TLS handshake, from accepting the connection; then the server closes it.
    public var handshakeTime = Duration.seconds(10)
    /// Time for a request's head to arrive, and again for its body; then 408.
    public var readTime = Duration.seconds(10)
    /// Time that a connection may be idle, or its client may read nothing; then the server ends it.
    public var idleTime = Duration.seconds(75)
    /// Time for the peer to answer our WebSocket close frame, or to close after our last response.
    public var closingTime = Duration.seconds(2)
    /// Time from the request to stop until the server cuts off the remaining connections.
    public var shutdownTime = Duration.seconds(4)
    /// Bytes that the client of a socket may leave unread; beyond, the server resets the connection.
    public var unsentBytes = 4 * 1024 * 1024
    /// Bytes of a WebSocket's messages that a breakpoint may hold; beyond, it lets them continue.
    ///
    /// Half of ``unsentBytes``, so that releasing them does not make the client look like a slow reader.
    public var heldFrameBytes = 2 * 1024 * 1024
    /// Unsent bytes at which the server stops reading from a connection until they are sent.
    public var unsentBytesBeforeReadingPauses = 256 * 1024
    /// Bytes of a message on a world's WebSocket; beyond, the server closes it with 1009.
    public var webSocketMessage = 1024 * 1024
    /// Bytes of a message on the echo socket; beyond, the server closes it with 1009.
    public var echoMessage = 16 * 1024 * 1024
    /// Bytes that all echo sockets hold together; beyond, the server resets the largest holders.
    public var echoBytes = 64 * 1024 * 1024
    /// Bytes that all connections hold together: unsent output, and the bodies and messages that are arriving.
    ///
    /// Beyond it the server gives up the largest holders: it answers an arriving request with 503 and resets other
    /// connections. A request whose own answer has no room gets 503.
    public var heldBytes = 512 * 1024 * 1024
    /// Verified tokens to remember; the server verifies others at each request.
    public var verifiedTokens = 20_000
    /// Worlds, including the default one; 507 beyond.
    public var worlds = 12_000
    /// Bytes of JSON that all worlds hold together; beyond, requests get 507, sockets an `error` frame, and meal logs
    /// fail.
    ///
    /// Twice ``stateBody``, so that an imported state fits next to its body.
    public var storedBytes = 640 * 1024 * 1024
    /// Bytes of the journals of all worlds together, plus 256 for each entry.
    ///
    /// Beyond it the longest journals lose their oldest entries.
    public var journalBytes = 256 * 1024 * 1024
    /// Bytes of the body of `PUT /__admin/state`; 413 beyond.
    ///
    /// The server also refuses to export a world that stores more than this, with 507. Only a world that was full while
    /// work was in progress can store so much.
    ///
    /// - Precondition: At most 1 GiB.
    public var stateBody = 320 * 1024 * 1024
    /// Bytes of a form with a photo of a meal; 413 beyond.
    ///
    /// - Precondition: At most 1 GiB.
    public var photoBody = 8 * 1024 * 1024
    /// Bytes of a request that sends a frame by hand or changes a held thing; 413 beyond.
    ///
    /// JSON needs up to six bytes for each byte of a frame of ``webSocketMessage``.
    ///
    /// - Precondition: At most 1 GiB.
    public var frameBody = 8 * 1024 * 1024
    /// Bytes of the body of a real server's answer, which the server keeps until it is complete; 502 beyond.
    public var upstreamBody = 16 * 1024 * 1024
    /// Time after which the server deletes an unused world without open sockets.
    public var worldIdleTime = Duration.seconds(1800)
    /// The same time for a world that a test owns and deletes, because a debugger may pause the test for hours.
    public static let testedWorldIdleTime = Duration.seconds(86_400)
    /// The maximum length of a world's label in bytes.
    static let labelBytes = 200

    /// Creates the documented limits.
    public init() {}
}

extension ServerLimits {
    /// The file descriptors that a server at its limits needs, including some for the loop and the standard streams.
    public var descriptors: Int { connections + refusedConnections + Self.otherDescriptors }

    private static let otherDescriptors = 64

    /// The part of ``heldBytes`` that all jobs may hold together.
    var jobBytes: Int { heldBytes - heldBytes / 4 }

    /// Lowers the limits of connections to fit the file descriptors, and keeps some for refusals.
    public mutating func fit(descriptors: Int) {
        refusedConnections = min(refusedConnections, max(1, descriptors / 16))
        connections = max(1, min(connections, descriptors - refusedConnections - Self.otherDescriptors))
    }
}

/// The time limits in nanoseconds, because every request adds them to the clock and `Duration` uses 128-bit arithmetic.
struct Patience {
    let handshake, read, idle, closing, worldIdle: Int64

    init(_ limits: ServerLimits) {
        (handshake, read) = (limits.handshakeTime.nanoseconds, limits.readTime.nanoseconds)
        (idle, closing) = (limits.idleTime.nanoseconds, limits.closingTime.nanoseconds)
        worldIdle = limits.worldIdleTime.nanoseconds
    }
}
