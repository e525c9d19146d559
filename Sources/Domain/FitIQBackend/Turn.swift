import FitIQAPI

/// What a command is given, and what it leaves behind: the time, the ids to issue, the effects.
public struct Turn: Sendable {
    /// The time at which everything in this turn happens.
    public var now: Timestamp
    /// Where new ids come from.
    public var identifiers: ResourceIDSequence
    /// What the sockets are to be told, in order; the caller takes them out.
    public var effects: [Effect] = []

    /// Begins a turn.
    public init(now: Timestamp, identifiers: ResourceIDSequence) {
        self.now = now
        self.identifiers = identifiers
    }
}

/// A user's number within a world: the id in a token, looked up once.
public struct UserID: Hashable, Sendable {
    let index: Int
}

/// The caller's number for an open WebSocket.
public struct SocketID: Hashable, Sendable {
    /// Chosen by the caller, unique among the open sockets.
    public let number: UInt64

    /// Names a socket.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// Something that a command wants done to a socket.
public enum Effect: Equatable, Sendable {
    /// Send one text frame with these bytes of JSON.
    case send(SocketID, [UInt8])
    /// Begin the closing handshake; the backend has forgotten the socket already.
    case close(SocketID, code: UInt16, reason: String)
}
