import FitIQAPI
import HTTPTypes

/// An endpoint of this server: one of the API, or one of its own.
enum ServerRoute {
    case api(Route)
    /// `/health`: the process answers.
    case health
    /// `/ready`: new requests are welcome.
    case ready
    /// `/__admin/health`: what the server holds.
    case adminHealth
    /// `/__admin/echo`: a WebSocket that sends back what it gets, for conformance tools.
    case echo

    init?(segments: [String]) {
        switch segments {
        case ["health"]: self = .health
        case ["ready"]: self = .ready
        case ["__admin", "health"]: self = .adminHealth
        case ["__admin", "echo"]: self = .echo
        default:
            guard let route = Route(segments: segments) else { return nil }
            self = .api(route)
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .api(let route): route.methods
        case .health, .ready, .adminHealth: [.get, .head]
        case .echo: [.get]
        }
    }
}
