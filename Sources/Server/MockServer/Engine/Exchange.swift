import Deflate
import Digests
import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic

/// A request in progress, its data for the journal, and the faults that apply to it.
///
/// This is a class because it is large and many functions need it.
final class Exchange {
    let head: RequestHead
    var body: [UInt8]
    let connection: Connection
    /// The system's time.
    @exclusivity(unchecked) var now: Timestamp
    /// When a held or waiting request arrived, by the world's clock; nil for other requests.
    @exclusivity(unchecked) var requestedAt: Timestamp?
    let destination: Destination
    /// The path's world, or the default world if the path's world does not exist.
    let world: World
    /// The requested operation, even if the mode does not serve it.
    let endpoint: Endpoint?
    @exclusivity(unchecked) var user: ExactString?
    @exclusivity(unchecked) var unmatched: RecordedExchange.Unmatched?
    @exclusivity(unchecked) var responseFaults: ResponseFaults?
    /// The faults that apply to the handshake and to its socket.
    @exclusivity(unchecked) var handshakeFaults: HandshakeFaults?
    /// When and how to send a recorded answer; nil for other answers.
    @exclusivity(unchecked) var playback: Playback?
    /// The response as changed by faults or the recording, if any.
    @exclusivity(unchecked) var shaped: ShapedResponse?
    /// The client's original request if an operator changed it.
    @exclusivity(unchecked) var received: Received?
    /// The id of the entity that the backend created, if a fault replaced the answer that would have contained it.
    @exclusivity(unchecked) var created: ExactString?
    /// The name of the stub or network that answers instead of the backend, if any.
    @exclusivity(unchecked) var interceptor: String?
    /// The result of inflating the body; nil if the body is not gzip or the world does not accept it.
    @exclusivity(unchecked) var inflation: Inflation?
    /// Who answers the request in a world that has an upstream; nil in other worlds, and until this is decided.
    @exclusivity(unchecked) var answeredBy: RecordedExchange.Answerer?
    /// The reply of the world's upstream once it has arrived.
    @exclusivity(unchecked) var reply: UpstreamReply?
    /// Whether the request was held or waited before, in which case its faults are known.
    @exclusivity(unchecked) var isReleased = false
    /// Wraps the answer to a request inside a Model Context Protocol message; nil for other requests.
    @exclusivity(unchecked) var envelope: ((Answer) -> Answer)?
    /// The value that a job created for the request.
    @exclusivity(unchecked) var made: (any Sendable)?

    init(_ head: RequestHead, body: [UInt8], on connection: Connection, in engine: Engine, at now: Timestamp) {
        // Heads and destinations are large, so move each one into its property after its last use.
        let destination = Destination(of: head.target, in: engine, on: connection)
        world = destination.world ?? engine.defaultWorld
        endpoint = destination.endpoint(for: head.method, in: world.mode)
        self.destination = destination
        self.head = head
        (self.body, self.connection, self.now) = (body, connection, now)
    }

    /// The result of inflating a body.
    enum Inflation {
        /// The body was inflated.
        case done
        case failed(MessageInflater.Mistake)
    }

    /// The first id in the path; empty if the path has no id.
    var id: String { destination.id ?? "" }

    /// The head of the request as the client sent it.
    var sentHead: RequestHead {
        _read { if let received { yield received.head } else { yield head } }
    }

    /// Whether the request concerns the server rather than a world's content; the journal does not record such
    /// requests.
    var isOfServer: Bool { destination.isServer }

    /// The answer from a fault that refuses the handshake; nil if the socket opens.
    var refusedHandshake: Answer? {
        guard let faults = handshakeFaults, !faults.opensSocket else { return nil }
        // A fault that sends no answer ends the connection before any byte of this answer is sent.
        return faults.response.answer(in: errorForm, forApps: servesApps).map(Answer.init)
            ?? Answer(status: .serviceUnavailable, body: [])
    }

    /// The guide that determines the form of refusals: the endpoint's guide, or the world's guide for an unknown path.
    var errorForm: GuideMode {
        // The admin API is the same in every mode.
        guard !destination.isAdmin else { return .union }
        guard let endpoint else { return world.mode }
        return world.mode.provision(of: endpoint) == .support ? .union : world.mode
    }

    /// Whether errors have the members that the apps read.
    var servesApps: Bool { !destination.isAdmin && world.mode.servesApps }

    /// The response sent in place of the original one.
    struct ShapedResponse {
        let body: [UInt8]
        var delivery: Delivery

        /// - Parameter faults: The faults that changed it; some of them hide the body's end from the client.
        init(_ transmission: Transmission, of response: EncodedResponse, _ faults: [ResponseFault]) {
            // Search for the end of the head again, because faults may have changed or cut the head.
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

    /// The body of an answer for the journal: the answer's text, or the sent bytes if faults changed them.
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

    /// The original version of a request that an operator changed.
    final class Received {
        let head: RequestHead
        let body: [UInt8]
        let endpoint: Endpoint?

        init(head: RequestHead, body: [UInt8], endpoint: Endpoint?) {
            (self.head, self.body, self.endpoint) = (head, body, endpoint)
        }
    }

    /// Adds a rule to the rules that took effect, unless it is already present.
    func note(_ rule: String) {
        func isSame(_ name: String) -> Bool { name.utf8.elementsEqual(rule.utf8) }
        if faultNames.contains(where: isSame) { return }
        responseFaults?.ruleNames.append(rule)
        handshakeFaults?.response.ruleNames.append(rule)
    }

    func add(_ fault: ResponseFault) {
        responseFaults?.faults.append(fault)
        handshakeFaults?.response.faults.append(fault)
    }

    /// The exchange, in which an operator's request replaces the client's request.
    func replaced(by head: RequestHead, _ body: [UInt8], in engine: Engine) -> Exchange {
        let exchange = Exchange(head, body: body, on: connection, in: engine, at: now)
        exchange.received = Received(head: self.head, body: self.body, endpoint: endpoint)
        (exchange.requestedAt, exchange.user, exchange.unmatched) = (requestedAt, user, unmatched)
        (exchange.responseFaults, exchange.handshakeFaults) = (responseFaults, handshakeFaults)
        exchange.playback = playback
        // An operator's body is text. If the client's body could not be inflated, check the body again, because the
        // fields may have changed.
        if case .done? = inflation { exchange.inflation = .done }
        if body != self.body { exchange.inflation = .done }
        return exchange
    }

    /// The entry for a client that leaves before it gets its answer.
    var abandoned: RecordedExchange {
        RecordedExchange(
            head: received?.head ?? head, body: received?.body ?? body,
            requestedAt: world.date(of: requestedAt ?? world.turn.now),
            endpoint: received == nil ? endpoint : received?.endpoint, user: user,
            unmatched: received == nil ? unmatched : nil, status: nil, delivery: .none, faults: faultNames)
    }
}

/// The destination of a request: a world, from the prefix `/w/{id}` or the default world, and an endpoint in it.
struct Destination {
    /// The world's id in the path; nil for the default world.
    let worldID: ExactString?
    /// The world and the endpoint; nil if they do not exist.
    let world: World?
    let route: ServerRoute?
    /// Whether the path belongs to the admin API.
    let isAdmin: Bool

    /// Whether the request is for the server rather than a world's content.
    let isServer: Bool

    /// The first id in an API path, if any.
    var id: String? { if case .api(let route)? = route { route.id } else { nil } }

    /// The API operation for a method; nil for other paths, or if the mode has none.
    func endpoint(for method: HTTPRequest.Method, in mode: GuideMode) -> Endpoint? {
        if case .api(let route)? = route { route.endpoint(for: method, in: mode) } else { nil }
    }
}

extension Destination {
    /// - Parameter connection: The connection that caches an entity's route, because many clients repeat a request.
    // Call the memberwise initialiser, because setting members one by one would copy all of them at the end.
    init(of target: RequestTarget, in engine: Engine, on connection: Connection? = nil) {
        if let route = Self.entityRoute(of: target, on: connection) {
            let world = engine.configuration.hasDefaultWorld ? engine.defaultWorld : nil
            self.init(worldID: nil, world: world, route: .api(route), isAdmin: false, isServer: false)
            return
        }
        var segments = target.segments
        var hasPrefix = false
        target.readPath { hasPrefix = $0.count > 3 && $0[0...2].elementsEqual("/w/".utf8) }
        let isRecorded = hasPrefix && Self.isRecorded(ExactString(segments[1]), in: engine)
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

    /// Whether the default world's session has paths below `/w/{id}` and no world has that id.
    private static func isRecorded(_ id: ExactString, in engine: Engine) -> Bool {
        guard engine.configuration.hasDefaultWorld, let replay = engine.defaultWorld.replay else { return false }
        return replay.player.plan.worlds.contains(id) && engine.worlds[id] == nil
    }

    /// The route of a path to an entity in the default world, which is the most common case; nil for other paths.
    private static func entityRoute(of target: RequestTarget, on connection: Connection?) -> Route? {
        if let last = connection?.lastEntity(of: target) { return last }
        var route: Route?
        target.readPath { route = Route(entityPath: $0) }
        if let route { connection?.keepEntity(route, of: target) }
        return route
    }
}

/// An endpoint of the API or the server.
enum ServerRoute {
    case api(Route)
    /// `/health`: whether the process is running.
    case health
    /// `/ready`: whether the server accepts new work.
    case ready
    /// `/openapi.yaml`, `/asyncapi.yaml`, `/docs`: the API description for the world's mode.
    case description(APIDescription)
    /// `/docs/deviations`, `/llms.txt`, `/docs/NAME.md`: the package file at this path, which is the same in every
    /// mode.
    case page(String)
    /// `/`: redirects to `/docs`.
    case root
    /// Paths below `/__admin`.
    case admin(AdminRoute)

    /// The endpoint at a path, given as percent-decoded segments; nil if the mode has no such endpoint.
    ///
    /// - Parameter worldID: The world in the path's prefix, if any.
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

    /// The path's methods besides OPTIONS; empty if the guide does not define the path.
    func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        switch self {
        case .api(let route): route.methods(in: mode)
        case .health, .ready, .description, .page, .root: [.get, .head]
        case .admin(let route): route.methods
        }
    }
}

extension RequestHead {
    var isWebSocketHandshake: Bool { wantsUpgrade && fields.hasToken("websocket", in: .upgrade) }

    /// The user of the credentials, which are not verified, because the recorded server accepted them.
    ///
    /// The user is the token's subject, `replayed` if the token has no subject, and nil if there are no credentials.
    var presentedUser: ExactString? { user { _ in "replayed" } }

    /// The user for a real server; each token that has no subject counts as a separate user.
    var upstreamUser: ExactString? {
        user { ExactString("token-" + String(Array($0.utf8).fnv1a, radix: 16)) }
    }

    private func user(ofOpaque name: (_ token: String) -> ExactString) -> ExactString? {
        guard let token = presentedToken else { return fields.contains(.xAPIKey) ? "replayed" : nil }
        return Self.subject(of: token) ?? name(token)
    }

    private var presentedToken: String? {
        let field = fields[.authorization].map { $0.lowercased().hasPrefix("bearer ") ? String($0.dropFirst(7)) : $0 }
        return field ?? target.queryItems().first { $0.name == "token" }?.value
    }

    /// The `sub` claim of a JSON Web Token (RFC 7519 §4.1.2); nil unless it can be a user's id.
    private static func subject(of token: String) -> ExactString? {
        guard token.utf8.count <= 4096 else { return nil }
        // Compare bytes, because splitting a token by characters costs more than the rest of a request.
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(String(Substring(parts[1]))),
            let subject = (try? JSON.parse(payload))?["sub"]?.string, AccessToken.isUser(subject)
        else { return nil }
        return ExactString(subject)
    }
}
