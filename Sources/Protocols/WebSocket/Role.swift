/// Which side of a WebSocket connection this is.
///
/// The roles differ in masking and in who closes the transport first. Source: RFC 6455 §5.1, §7.1.1.
public enum Role: Hashable, Sendable {
    /// Masks what it sends and refuses what is masked.
    case client
    /// Refuses what is not masked and sends unmasked.
    case server
}
