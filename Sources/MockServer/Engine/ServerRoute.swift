import APIDescriptions
import FitIQAPI
import HTTP1
import HTTPTypes

/// An endpoint of this server: one of the API, or one of its own.
enum ServerRoute {
    case api(Route)
    /// `/health`: the process answers.
    case health
    /// `/ready`: new requests are welcome.
    case ready
    /// `/openapi.yaml`, `/asyncapi.yaml`, `/docs`: what the server serves, in its mode.
    case description(APIDescription)
    /// `/__admin/health`: what the server holds.
    case adminHealth
    /// `/__admin/echo`: a WebSocket that sends back what it gets, for conformance tools.
    case echo

    /// The endpoint with this path, given as percent-decoded segments; nil where there is none.
    init?(segments: [String]) {
        switch segments {
        case ["health"]: self = .health
        case ["ready"]: self = .ready
        case ["openapi.yaml"]: self = .description(.openAPI)
        case ["asyncapi.yaml"]: self = .description(.asyncAPI)
        case ["docs"]: self = .description(.documentation)
        case ["__admin", "health"]: self = .adminHealth
        case ["__admin", "echo"]: self = .echo
        default:
            guard let route = Route(segments: segments) else { return nil }
            self = .api(route)
        }
    }

    /// Whether the path answers a method; GET is asked first, because most requests are.
    func answers(_ method: HTTPRequest.Method, in mode: GuideMode) -> Bool {
        if method == .get {
            switch self {
            case .api(.consultation): return mode.serves(.showConsultation)
            case .api(.goal): return mode.serves(.showGoal)
            case .api(.mealLog): return mode.serves(.showMealLog)
            default: break
            }
        }
        return methods(in: mode).contains(method)
    }

    /// The methods that the path answers, beside OPTIONS; none where the guide knows nothing of it.
    func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        switch self {
        case .api(let route): route.methods(in: mode)
        case .health, .ready, .description, .adminHealth: [.get, .head]
        case .echo: [.get]
        }
    }
}
