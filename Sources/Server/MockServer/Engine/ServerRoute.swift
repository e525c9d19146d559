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
    /// `/docs/deviations`: where the guides contradict each other, the same in every mode.
    case deviations
    /// `/`: leads to `/docs`.
    case root
    /// Below `/__admin`.
    case admin(AdminRoute)

    /// The endpoint with this path, given as percent-decoded segments; nil where there is none.
    init?(segments: [String]) {
        switch segments {
        case ["health"]: self = .health
        case ["ready"]: self = .ready
        case ["openapi.yaml"]: self = .description(.openAPI)
        case ["asyncapi.yaml"]: self = .description(.asyncAPI)
        case ["docs"]: self = .description(.documentation)
        case ["docs", "deviations"]: self = .deviations
        case [""]: self = .root
        default:
            if segments.first == "__admin", let route = AdminRoute(segments: segments) {
                self = .admin(route)
                return
            }
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
        case .health, .ready, .description, .deviations, .root: [.get, .head]
        case .admin(let route): route.methods
        }
    }
}
