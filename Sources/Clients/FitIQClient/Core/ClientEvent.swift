/// News for the user of a client.
public enum ClientEvent: Sendable, Hashable {
    /// What the user sees has changed.
    case changed
    /// The token was refused, and there is no other: ``ClientCommand/useToken(_:)`` lets what waits go on.
    case credentialsRefused
    /// Something is wrong; the same stands in ``ClientState/problems``.
    case problem(ClientState.Problem)
}
