import Text

/// The limits of the server's transport; each has its refusal (docs/limits.md).
public struct ServerLimits: Sendable, Equatable {
    /// Open connections; one more is accepted, answered 503 and closed.
    public var connections = 12_000
    /// Connections beyond ``connections`` that are being refused; further ones are closed without an answer.
    public var refusedConnections = 256
    /// Time for TLS to be agreed on, from when the connection was accepted; closed after that.
    public var handshakeTime = Duration.seconds(10)
    /// Time for a request's head to arrive, and again for its body; 408 after that.
    public var readTime = Duration.seconds(10)
    /// Time that a kept-alive connection may be idle, or a reader may read nothing; closed after that.
    public var idleTime = Duration.seconds(75)
    /// Time for the peer to answer our WebSocket close frame, or to close after our last response.
    public var closingTime = Duration.seconds(2)
    /// Time from the request to stop until the last connection is cut off.
    public var shutdownTime = Duration.seconds(4)
    /// Bytes that a slow reader of a consultation's socket may leave unread; reset beyond.
    public var unsentBytes = 4 * 1024 * 1024
    /// Bytes of the messages of a WebSocket that wait for an operator; beyond, a breakpoint lets them continue.
    ///
    /// Half of ``unsentBytes``, so that a burst of released bytes does not look like a slow reader.
    public var heldFrameBytes = 2 * 1024 * 1024
    /// Unsent bytes at which reading from a connection pauses, until they are sent.
    public var unsentBytesBeforeReadingPauses = 256 * 1024
    /// A WebSocket message on a consultation's socket; closed with 1009 beyond.
    public var webSocketMessage = 1024 * 1024
    /// A WebSocket message on the echo socket; closed with 1009 beyond.
    public var echoMessage = 16 * 1024 * 1024
    /// Bytes held for all echo sockets together; beyond, those that hold most are reset.
    public var echoBytes = 64 * 1024 * 1024
    /// Bytes held for all connections together: unsent output, and the bodies and messages that are arriving.
    ///
    /// Beyond it the connections that hold most are given up: an arriving request gets 503, others are reset. A request
    /// whose own answer has no room gets 503.
    public var heldBytes = 512 * 1024 * 1024
    /// Cached verified tokens; further ones are verified at each request.
    public var verifiedTokens = 20_000
    /// Worlds, including the default one; 507 beyond.
    public var worlds = 12_000
    /// Bytes of JSON that all worlds hold together; beyond, 507 or an `error` frame, and meal logs in progress fail.
    ///
    /// Twice ``stateBody``, so that a state has room in addition to its body.
    public var storedBytes = 640 * 1024 * 1024
    /// The weight of the journals of all worlds together, including 256 bytes for each entry.
    ///
    /// Beyond it the longest ones lose their oldest entries.
    public var journalBytes = 256 * 1024 * 1024
    /// The body of `PUT /__admin/state`; 413 beyond.
    ///
    /// A world exports no more than it stores. Only work that had begun when it became full can exceed its own limit; a
    /// world that holds more than a body may have is not exported over HTTP, but answered 507.
    ///
    /// - Precondition: At most 1 GiB.
    public var stateBody = 320 * 1024 * 1024
    /// A form with a photo of a meal; 413 beyond.
    ///
    /// - Precondition: At most 1 GiB.
    public var photoBody = 8 * 1024 * 1024
    /// A request that sends a frame by hand, or changes a held thing; 413 beyond.
    ///
    /// A frame of ``webSocketMessage`` takes six times as many bytes if JSON escapes each of them.
    ///
    /// - Precondition: At most 1 GiB.
    public var frameBody = 8 * 1024 * 1024
    /// The body of a real server's answer, which is kept until it is complete; 502 beyond.
    public var upstreamBody = 16 * 1024 * 1024
    /// Time after which an unused world without open sockets is deleted.
    public var worldIdleTime = Duration.seconds(1800)
    /// The same for a world that a test owns and ends: in a debugger it may pause for hours.
    public static let testedWorldIdleTime = Duration.seconds(86_400)
    /// The length of a world's label, in bytes.
    static let labelBytes = 200

    /// Creates the documented limits.
    public init() {}
}

extension ServerLimits {
    /// File descriptors that a server at its limits needs, with some for the loop and the standard streams.
    public var descriptors: Int { connections + refusedConnections + Self.otherDescriptors }

    private static let otherDescriptors = 64

    /// Bytes of ``heldBytes`` that jobs may hold together.
    var jobBytes: Int { heldBytes - heldBytes / 4 }

    /// Lowers the limits of connections to fit the file descriptors, so that clients over them still get a refusal.
    public mutating func fit(descriptors: Int) {
        refusedConnections = min(refusedConnections, max(1, descriptors / 16))
        connections = max(1, min(connections, descriptors - refusedConnections - Self.otherDescriptors))
    }
}

/// The limits of time in nanoseconds: every request adds them to the clock, and a `Duration` takes 128-bit arithmetic.
struct Patience {
    let handshake, read, idle, closing, worldIdle: Int64

    init(_ limits: ServerLimits) {
        (handshake, read) = (limits.handshakeTime.nanoseconds, limits.readTime.nanoseconds)
        (idle, closing) = (limits.idleTime.nanoseconds, limits.closingTime.nanoseconds)
        worldIdle = limits.worldIdleTime.nanoseconds
    }
}
