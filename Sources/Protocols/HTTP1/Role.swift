/// The end of a connection that a value speaks for.
public enum Role: Sendable, Hashable {
    /// Sends requests, receives responses.
    case client
    /// Receives requests, sends responses.
    case server

    /// The other end.
    var peer: Role { self == .client ? .server : .client }
}
