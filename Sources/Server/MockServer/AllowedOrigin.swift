/// What `--allow-origin` says: an origin whose pages may write and open sockets.
public enum AllowedOrigin: Hashable, Sendable {
    /// `*`: any page of the web, and with it whatever site the person at this machine happens to visit.
    case any
    /// `null`: pages without an origin, which are files, and pages in a sandbox, whosever they are.
    case null
    /// One origin, `http://localhost:3000`.
    case origin(WebOrigin)

    /// Reads the value of the option; nil where it is none.
    public init?(_ text: String) {
        switch text {
        case "*": self = .any
        case "null": self = .null
        default:
            guard let origin = WebOrigin(text) else { return nil }
            self = .origin(origin)
        }
    }
}
