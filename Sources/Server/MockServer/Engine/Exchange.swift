import Deflate
import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic

/// A request while it is served, with the findings for the journal and the faults that act on it.
///
/// A class, because it is large, and passes through many hands.
final class Exchange {
    let head: RequestHead
    var body: [UInt8]
    let connection: Connection
    /// The system's time.
    @exclusivity(unchecked) var now: Timestamp
    /// When the request was complete, by the world's clock, if it was held or waited for a job; nil if that is now.
    @exclusivity(unchecked) var requestedAt: Timestamp?
    let destination: Destination
    /// The world of its path; the default one if there is no such world.
    let world: World
    /// The requested operation, whether or not the mode serves it.
    let endpoint: Endpoint?
    /// The first id in the path; empty if there is none.
    let id: String
    @exclusivity(unchecked) var user: ExactString?
    @exclusivity(unchecked) var unmatched: RecordedExchange.Unmatched?
    @exclusivity(unchecked) var responseFaults: ResponseFaults?
    /// The faults of the handshake, and of the socket that it opens.
    @exclusivity(unchecked) var handshakeFaults: HandshakeFaults?
    /// When and how a recorded answer is sent; nil for every other one.
    @exclusivity(unchecked) var playback: Playback?
    /// The response after faults and the recording; nil if they changed nothing.
    @exclusivity(unchecked) var shaped: ShapedResponse?
    /// The client's request if an operator changed it; nil for every other one.
    @exclusivity(unchecked) var received: Received?
    /// The id of what was created although a fault answers in its place.
    @exclusivity(unchecked) var created: ExactString?
    /// The network that answers in the backend's place; nil if none does.
    @exclusivity(unchecked) var interceptor: String?
    /// The result of inflating its body; nil if the body has no gzip, or the world does not take it.
    @exclusivity(unchecked) var inflation: Inflation?
    /// Who answers it, in a world with an upstream; nil in every other, and before that is known.
    @exclusivity(unchecked) var answeredBy: RecordedExchange.Answerer?
    /// What the world's upstream has replied.
    @exclusivity(unchecked) var reply: UpstreamReply?
    /// Whether a breakpoint held it, or a job has worked for it, so that its faults are known already.
    @exclusivity(unchecked) var isReleased = false
    /// Makes the answer what the client asked for, if this is a request within another one; nil for most.
    @exclusivity(unchecked) var envelope: ((Answer) -> Answer)?
    /// The value that a job has made for it.
    @exclusivity(unchecked) var made: (any Sendable)?

    init(_ head: RequestHead, body: [UInt8], on connection: Connection, in engine: Engine, at now: Timestamp) {
        // Heads and destinations are large: each is moved into its place after the last look at it.
        let destination = Destination(of: head.target, in: engine, on: connection)
        world = destination.world ?? engine.defaultWorld
        if case .api(let route)? = destination.route {
            (endpoint, id) = (route.endpoint(for: head.method, in: world.mode), route.id ?? "")
        } else {
            (endpoint, id) = (nil, "")
        }
        self.destination = destination
        self.head = head
        (self.body, self.connection, self.now) = (body, connection, now)
    }

    /// What becomes of a body with gzip.
    enum Inflation {
        /// It is text now.
        case done
        case failed(MessageInflater.Mistake)
    }

    /// The request as the client sent it.
    var sentHead: RequestHead {
        _read { if let received { yield received.head } else { yield head } }
    }

    /// Whether it concerns the server, not the contents of a world; the journal does not record it.
    var isOfServer: Bool { destination.isServer }

    /// The answer of a fault that opens no socket; nil if it opens.
    var refusedHandshake: Answer? {
        guard let faults = handshakeFaults, !faults.opensSocket else { return nil }
        // Without a refusal of its own the connection ends before a byte of this is sent.
        return faults.response.answer(in: errorForm, forApps: servesApps).map(Answer.init)
            ?? Answer(status: .serviceUnavailable, body: [])
    }

    /// The form of refusals: that of the requested endpoint, or the guide's own if there is no endpoint.
    var errorForm: GuideMode {
        // The admin API is the same in every mode.
        guard !destination.isAdmin else { return .union }
        guard let endpoint else { return world.mode }
        return world.mode.provision(of: endpoint) == .support ? .union : world.mode
    }

    /// Whether errors have what the apps read.
    var servesApps: Bool { !destination.isAdmin && world.mode.servesApps }

    /// What went on the wire in place of a response.
    struct ShapedResponse {
        let body: [UInt8]
        var delivery: Delivery

        /// - Parameter faults: The faults that shaped it; some leave the client in doubt where the body ends.
        init(_ transmission: Transmission, of response: EncodedResponse, _ faults: [ResponseFault]) {
            // The head may have changed its length, and lost its end.
            let bytes = transmission.bytes
            var end = bytes.count
            for index in bytes.indices.dropFirst(3) where bytes[index] == 0x0A && bytes[index - 2] == 0x0A {
                end = index + 1
                break
            }
            body = Array(bytes[end...])
            let isWhole = !transmission.endsConnection || bytes.count >= response.head.count + response.body.count
            let isFramed = !faults.contains(where: \.breaksFraming) || body.isEmpty
            delivery = bytes.isEmpty ? .none : isWhole && isFramed ? .complete : .partial
        }
    }

    /// The body that a journal has of an answer: its text, unless faults changed what was sent.
    func shownBody(of sent: Answer, text: [UInt8]) -> [UInt8] {
        guard let shaped else { return text }
        let isUndeclared = responseFaults?.faults.contains(.compression(.undeclared)) ?? false
        return shaped.body == sent.body && !isUndeclared ? text : shaped.body
    }

    var faultNames: [String] {
        if responseFaults == nil, handshakeFaults == nil, interceptor == nil { return [] }
        return (responseFaults?.ruleNames ?? []) + (handshakeFaults?.response.ruleNames ?? [])
            + (interceptor.map { [$0] } ?? [])
    }
}

/// The destination of a request: the default world, or another one by the prefix `/w/{id}`, and an endpoint in it.
struct Destination {
    /// The id in the path; nil for the default world.
    let worldID: ExactString?
    /// The world and the endpoint; nil if there are none.
    let world: World?
    let route: ServerRoute?
    /// Whether the path is the admin API's.
    let isAdmin: Bool

    /// Whether it is the server itself, not the contents of a world.
    let isServer: Bool
}

extension Destination {
    /// - Parameter connection: It keeps an entity's route, since many clients send the same request again.
    // It delegates to the implicit initialiser: setting the members one by one copies them all at the end.
    init(of target: RequestTarget, in engine: Engine, on connection: Connection? = nil) {
        if let route = Self.entityRoute(of: target, on: connection) {
            let world = engine.configuration.hasDefaultWorld ? engine.defaultWorld : nil
            self.init(worldID: nil, world: world, route: .api(route), isAdmin: false, isServer: false)
            return
        }
        var segments = target.segments
        var hasPrefix = false
        target.readPath { hasPrefix = $0.count > 3 && $0[0...2].elementsEqual("/w/".utf8) }
        let isRecorded = hasPrefix && engine.replaysPath(below: ExactString(segments[1]))
        let worldID = hasPrefix && !isRecorded ? ExactString(segments[1]) : nil
        if hasPrefix, !isRecorded || segments.count > 2 { segments.removeFirst(2) }
        let named: World? = if let worldID { engine.worlds[worldID] } else { engine.defaultWorld }
        let isAdmin = segments.first == "__admin"
        let route = ServerRoute(segments: segments, below: worldID, in: named?.mode ?? .union)
        let isServer =
            switch route {
            case .api, nil: isAdmin
            case .health, .ready, .description, .page, .root, .admin: true
            }
        let world = hasPrefix || isServer || engine.configuration.hasDefaultWorld ? named : nil
        self.init(worldID: worldID, world: world, route: route, isAdmin: isAdmin, isServer: isServer)
    }

    /// The route of a path that names an entity of the default world, as most do.
    private static func entityRoute(of target: RequestTarget, on connection: Connection?) -> Route? {
        if let last = connection?.lastEntity(of: target) { return last }
        var route: Route?
        target.readPath { route = Route(entityPath: $0) }
        if let route { connection?.keepEntity(route, of: target) }
        return route
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
    /// `/docs/deviations`, `/llms.txt`, `/docs/NAME.md`: the file of the package at this path, the same in every mode.
    case page(String)
    /// `/`: leads to `/docs`.
    case root
    /// Below `/__admin`.
    case admin(AdminRoute)

    /// The endpoint with this path, given as percent-decoded segments; nil if the mode has none.
    ///
    /// - Parameter worldID: The world below whose prefix it is; nil for none.
    init?(segments: [String], below worldID: ExactString?, in mode: GuideMode) {
        switch segments {
        case ["health"]: self = .health
        case ["ready"]: self = .ready
        case ["openapi.yaml"]: self = .description(.openAPI)
        case ["asyncapi.yaml"]: self = .description(.asyncAPI)
        case ["docs"]: self = .description(.documentation)
        case [""]: self = .root
        default:
            if segments.first == "__admin", let route = AdminRoute(segments: segments, below: worldID) {
                self = .admin(route)
            } else if let route = Route(segments: segments, in: mode) {
                self = .api(route)
            } else if let page = APIDescription.page(at: segments) {
                self = .page(page)
            } else {
                return nil
            }
        }
    }

    /// The methods that the path answers, in addition to OPTIONS; empty if the guide does not know the path.
    func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        switch self {
        case .api(let route): route.methods(in: mode)
        case .health, .ready, .description, .page, .root: [.get, .head]
        case .admin(let route): route.methods
        }
    }
}
