/// News for the user of a client.
public enum ClientEvent: Sendable, Hashable {
    /// What the user sees has changed.
    case changed
}
