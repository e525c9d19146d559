import Sessions

/// A request that a client makes of a session that is replayed.
public struct ReplayRequest: Sendable, Equatable {
    /// The method.
    public var method: String
    /// The path and query as they arrived, percent-encoded; a world's prefix `/w/{id}` does not count.
    public var target: String
    /// The fields in order.
    public var fields: [SessionField]
    /// The whole body without framing; empty where there was none.
    public var body: [UInt8]
    /// Whether it is a WebSocket's handshake.
    public var isHandshake: Bool
    /// What URLs in answers shall begin with, `http://localhost:8080`; nil for the player's own.
    public var origin: String?

    /// Describes a request.
    public init(
        method: String, target: String, fields: [SessionField] = [], body: [UInt8] = [], isHandshake: Bool = false,
        origin: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isHandshake = isHandshake
        self.origin = origin
    }
}
