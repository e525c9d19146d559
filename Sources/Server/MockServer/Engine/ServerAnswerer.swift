import FitIQAPI
import FitIQBackend
import HTTP1

/// Answers with what the server itself has: its pages and descriptions, stubs, a captive portal, and the refusals of
/// unknown paths and methods.
struct ServerAnswerer {
    let engine: Engine

    /// Answers a request that is not an operation in the guide's REST API.
    func answer(_ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, destination, world) = (exchange.head, exchange.destination, exchange.world)
        let mode = world.mode
        guard let route = destination.route else {
            exchange.unmatched = .unknownPath
            throw refusalOfPath(head.target, at: destination, in: world)
        }
        guard exchange.endpoint.map(mode.serves) ?? route.methods(in: mode).contains(head.method) else {
            exchange.unmatched = exchange.endpoint == nil ? .wrongMethod : .notInGuide
            if let refusal = refusalOfAbsence(of: route, head, in: world) { throw refusal }
            let methods = route.methods(in: mode) + [.options]
            if head.method == .options { return .options(methods.map(\.rawValue)) }
            throw .methodNotAllowed(head.method, path: head.target.path, allowed: methods)
        }
        switch route {
        case .health: return .ok(Array(#"{"status":"ok"}"#.utf8))
        case .ready:
            let trouble = engine.isShuttingDown ? "shutting down" : engine.drainIdle != nil ? "draining" : nil
            return Answer(
                status: trouble == nil ? .ok : .serviceUnavailable,
                body: Array(#"{"status":"\#(trouble ?? "ready")"}"#.utf8))
        case .description(let description):
            if let overlay = world.settings.scenario.overlay, description != .documentation {
                // Parsing and writing the description would block the loop for too long.
                let changed = Deferred(parsing: .max) { DescribedAPI(description, in: mode).changed(by: overlay) }
                return engine.make(changed, for: exchange, at: world.turn.now).map {
                    Answer(body: $0, contentType: description.mediaType)
                }
            }
            return Answer(body: description.bytes(for: mode), contentType: description.mediaType)
        case .page(let path):
            return Answer(
                body: APIDescription.bytes(of: path), contentType: APIDescription.mediaType(ofPage: path))
        case .root:
            let prefix = destination.worldID.map { "/w/\($0.text)" } ?? ""
            return Answer(status: .found, body: [], fields: [.location: prefix + "/docs"])
        case .admin(let route): return try engine.answerAdmin(route, exchange)
        case .api(.avatar(let persona)):
            return Answer(body: Array(persona.avatarImage.utf8), contentType: "image/svg+xml")
        case .api(let route): return try BackendAnswerer(engine: engine).openSocket(of: route, exchange)
        }
    }

    /// Answers from a stub in the scenario, which the journal marks like a fault; nil if no stub matches.
    func answerFromStub(_ exchange: Exchange) -> Answer? {
        let stubs = exchange.world.settings.scenario.stubs
        guard !stubs.isEmpty, !exchange.isOfServer else { return nil }
        let segments = exchange.head.target.segments.dropFirst(exchange.destination.worldID == nil ? 0 : 2)
        let isKnown = exchange.destination.route != nil
        let stub = stubs.first { ($0.overrides || !isKnown) && $0.answers(exchange.head.method, segments) }
        guard let stub else { return nil }
        exchange.interceptor = "stub \(stub.method) \(stub.path)"
        var fields = stub.fields
        let type = fields[.contentType]
        fields[.contentType] = nil
        return Answer(status: stub.status, body: stub.body, fields: fields, contentType: type)
    }

    /// Answers as a captive portal does, with its page or a redirect to it; nil if the network has no portal.
    func answerFromPortal(_ exchange: Exchange) -> Answer? {
        guard let network = exchange.world.network, network.profile.reach == .portal, !exchange.isOfServer else {
            return nil
        }
        exchange.interceptor = network.rule
        let path = (exchange.destination.worldID.map { "/w/\($0.text)" } ?? "") + "/captive-portal"
        guard exchange.head.target.path == path else {
            return Answer(status: .found, body: [], fields: [.location: path])
        }
        return Answer(body: Array(Self.portalPage.utf8), contentType: "text/html; charset=utf-8")
    }

    private static let portalPage = """
        <!DOCTYPE html>
        <html lang="en"><head><title>Hotel Seeblick – Wi-Fi</title></head>
        <body><h1>Welcome to Hotel Seeblick</h1>
        <form method="post"><label>Room <input name="room"></label> <button>Go online</button></form></body></html>

        """

    /// The refusal for an unknown path.
    private func refusalOfPath(_ target: RequestTarget, at destination: Destination, in world: World) -> APIError {
        let path = world.id.map { String(target.path.dropFirst(3 + $0.utf8.count)) } ?? target.path
        return destination.isAdmin
            ? .unknownAdminPath(path) : Route.refusal(ofUnknownPath: path, in: world.mode)
    }

    /// The refusal for a path or method that exists only in other modes; nil if only the method is wrong.
    private func refusalOfAbsence(of route: ServerRoute, _ head: RequestHead, in world: World) -> APIError? {
        guard case .api(let route) = route else { return nil }
        let mode = world.mode
        let asked = route.endpoint(for: head.method, in: mode)
        guard let absent = asked ?? (route.methods(in: mode).isEmpty ? route.endpoints(in: mode).first : nil) else {
            return nil
        }
        return .notInGuide(absent, method: head.method, path: head.target.path, mode: mode)
    }
}

extension Answer {
    static func options(_ methods: [String]) -> Answer {
        Answer(status: .noContent, body: [], fields: [.allow: methods.joined(separator: ", ")])
    }
}
