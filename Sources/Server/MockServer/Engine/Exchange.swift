import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Recording

/// A request while it is served, with what is found out on the way: for the journal, and for the faults that act on it.
struct Exchange {
    let head: RequestHead
    let body: [UInt8]
    let destination: Destination
    /// The operation that is asked for, whether or not the mode serves it.
    let endpoint: Endpoint?
    /// The user, once the credentials were accepted.
    var user: ExactString?
    /// Why no operation is asked for.
    var unmatched: RecordedExchange.Unmatched?
    /// What goes wrong with the response.
    var responseFaults: ResponseFaults?
    /// What goes wrong with the handshake, and with the socket that it opens.
    var handshakeFaults: HandshakeFaults?

    /// When and how a recorded answer goes; nil for every other one.
    var playback: Playback?

    /// What faults and the recording made of the response; nil where they changed nothing.
    var shaped: ShapedResponse?

    init(_ head: RequestHead, body: [UInt8], in engine: Engine) {
        self.head = head
        self.body = body
        destination = Destination(of: head.target, in: engine)
        if case .api(let route)? = destination.route {
            endpoint = route.endpoint(for: head.method)
        } else {
            endpoint = nil
        }
    }

    /// Whether it is about the server, and not about what a world holds.
    var isOfServer: Bool {
        switch destination.route {
        case .api, nil: destination.isAdmin
        case .health, .ready, .description, .deviations, .root, .admin: true
        }
    }

    /// What went on the wire in place of a response.
    struct ShapedResponse {
        let body: [UInt8]
        var delivery: Delivery

        init(_ transmission: Transmission, of response: EncodedResponse) {
            // The head may have changed its length, and lost its end.
            let bytes = transmission.bytes
            var end = bytes.count
            for index in bytes.indices.dropFirst(3)
            where bytes[index] == 0x0A && bytes[index - 2] == 0x0A {
                end = index + 1
                break
            }
            body = Array(bytes[end...])
            let isWhole = !transmission.endsConnection || bytes.count >= response.head.count + response.body.count
            delivery = bytes.isEmpty ? .none : isWhole ? .complete : .partial
        }
    }

    /// Whether the journal has it: what belongs to the server and not to its API would only fill it.
    var isJournaled: Bool { !isOfServer }

    /// The names of the faults that acted.
    var faultNames: [String] { (responseFaults?.ruleNames ?? []) + (handshakeFaults?.ruleNames ?? []) }
}

/// Where a request goes: a world, and an endpoint in it.
///
/// The plain paths are the default world's; those below `/w/{id}` another one's (CONTRACT: worlds).
struct Destination {
    /// The id in the path; nil for the default world.
    private(set) var worldID: ExactString?
    /// The world; nil where there is none with this id.
    private(set) var world: World?
    /// The endpoint; nil where there is none with this path.
    private(set) var route: ServerRoute?
    /// Whether the path is the admin API's; below a world's prefix there is none.
    private(set) var isAdmin = false

    init(of target: RequestTarget, in engine: Engine) {
        var shortCut: Route?
        var hasPrefix = false
        target.readPath { path in
            hasPrefix =
                path.count > 3 && path[0] == UInt8(ascii: "/") && path[1] == UInt8(ascii: "w")
                && path[2] == UInt8(ascii: "/")
            if !hasPrefix { shortCut = Route(entityPath: path) }
        }
        guard hasPrefix else {
            world = engine.defaultWorld
            if let shortCut {
                route = .api(shortCut)
            } else {
                let segments = target.segments
                isAdmin = segments.first == "__admin"
                route = ServerRoute(segments: segments)
            }
            return
        }
        let segments = target.segments
        let id = ExactString(segments[1])
        worldID = id
        world = engine.worlds[id]
        let rest = Array(segments.dropFirst(2))
        isAdmin = rest.first == "__admin"
        route = isAdmin ? nil : ServerRoute(segments: rest)
    }
}

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
