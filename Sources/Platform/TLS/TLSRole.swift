/// Which end of a connection a session is.
public enum TLSRole: Sendable, Equatable {
    /// The end that connected.
    case client
    /// The end that was connected to.
    case server
}
