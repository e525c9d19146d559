import Digests
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Scenarios
import Traffic

/// An admin API resource: a path and its methods.
final class AdminResource: Sendable {
    typealias Handler = @Sendable (Engine) -> (AdminCall) throws(APIError) -> Answer?

    enum Scope {
        /// The server, open to every client: probes, conformance tools and the page need these resources, which change
        /// nothing and reveal no user data.
        case open
        case server, world
    }

    /// The path below `/__admin` or below a world; one segment may be a name in braces.
    let template: String
    let scope: Scope
    private let parts: [Substring]
    fileprivate let operations: [(method: HTTPRequest.Method, answer: Handler)]

    private init(
        _ template: String, _ scope: Scope = .world, get: Handler? = nil, hasHead: Bool = true, post: Handler? = nil,
        put: Handler? = nil, patch: Handler? = nil, delete: Handler? = nil
    ) {
        (self.template, self.scope, parts) = (template, scope, template.split(separator: "/"))
        let methods: [(HTTPRequest.Method, Handler?)] = [
            (.get, get), (.head, hasHead ? get : nil), (.post, post), (.put, put), (.patch, patch), (.delete, delete),
        ]
        operations = methods.compactMap { method, answer in answer.map { (method, $0) } }
    }

    /// The resources; if a path matches several resources, the first one handles the request.
    static let all = [
        AdminResource("", .server, get: Engine.adminIndex),
        AdminResource("health", .open, get: Engine.adminHealth),
        AdminResource("echo", .server, get: Engine.openEcho, hasHead: false),
        AdminResource("openapi.yaml", .open, get: Engine.adminDescription),
        AdminResource("ui", .open, get: Engine.adminPage),
        AdminResource("metrics", .server, get: Engine.metrics),
        AdminResource("scenarios", .server, get: Engine.scenarioList),
        AdminResource("scenarios/{name}", .server, get: Engine.showScenario),
        AdminResource("check", .server, post: Engine.check),
        AdminResource("worlds", .server, get: Engine.worldList, post: Engine.makeWorld),
        AdminResource("worlds/{id}", get: Engine.describeWorld, delete: Engine.deleteWorld),
        AdminResource("mcp", .server, post: Engine.modelContext),
        AdminResource("drain", .server, get: Engine.drainAnswer, post: Engine.beginDrain),
        AdminResource("reset", post: Engine.reset),
        AdminResource("clock", get: Engine.clockAnswer, post: Engine.advanceClock),
        AdminResource("tokens", post: Engine.makeToken),
        AdminResource("requests", get: Engine.entryList),
        AdminResource("requests/unmatched", get: Engine.entryList),
        AdminResource("frames", get: Engine.entryList),
        AdminResource("entries", get: Engine.entryList),
        AdminResource("entries/{number}", get: Engine.showEntry),
        AdminResource("journal", get: Engine.journalLines, delete: Engine.clearJournal),
        AdminResource("har", get: Engine.harAnswer),
        AdminResource("events", get: Engine.follow, hasHead: false),
        AdminResource("verdicts", get: Engine.verdictAnswer),
        AdminResource("replay", get: Engine.replayReport),
        AdminResource(
            "faults", get: Engine.faultList, post: Engine.addFaults, patch: Engine.switchFaults,
            delete: Engine.removeFaults),
        AdminResource(
            "faults/{name}", get: Engine.showFault, patch: Engine.switchFault, delete: Engine.removeFault),
        AdminResource("network", get: Engine.networkAnswer, put: Engine.putNetwork),
        AdminResource("sockets", get: Engine.socketList),
        AdminResource("sockets/{connection}", get: Engine.socketAnswer),
        AdminResource("sockets/{connection}/send", post: Engine.send),
        AdminResource("sockets/{connection}/close", post: Engine.closeSocket),
        AdminResource("sockets/{connection}/finish", post: Engine.cutSocket),
        AdminResource("sockets/{connection}/reset", post: Engine.cutSocket),
        AdminResource("sockets/{connection}/silence", post: Engine.silenceSocket),
        AdminResource("sockets/{connection}/resume", post: Engine.resumeSocket),
        AdminResource("wait", post: Engine.wait),
        AdminResource("fork", post: Engine.makeFork),
        AdminResource("marks", get: Engine.markList, post: Engine.setMark),
        AdminResource("marks/{mark}", delete: Engine.removeMark),
        AdminResource("rewind", post: Engine.rewind),
        AdminResource(
            "breakpoints", get: Engine.faultList, post: Engine.addBreakpoint, patch: Engine.switchFaults,
            delete: Engine.removeFaults),
        AdminResource(
            "breakpoints/{name}", get: Engine.showFault, patch: Engine.switchFault, delete: Engine.removeFault),
        AdminResource("held", get: Engine.heldList, post: Engine.releaseHeld),
        AdminResource("held/{held}", get: Engine.showHeld, post: Engine.releaseHeldThing, patch: Engine.prolongHeld),
        AdminResource("state", get: Engine.exportState, put: Engine.importState),
        AdminResource("script", get: Engine.showScript),
    ]

    /// The resources that accept larger bodies than other resources.
    static let state = named("state"), world = named("worlds/{id}")
    static let takingFrames = [named("held/{held}"), named("sockets/{connection}/send")]

    private static func named(_ template: String) -> AdminResource {
        guard let found = all.first(where: { $0.template == template }) else {
            preconditionFailure("A named resource must be listed.")
        }
        return found
    }

    /// The segment that replaces the braces, or an empty string if there are no braces; nil if the path does not match.
    fileprivate func parameter(in segments: ArraySlice<String>) -> ExactString? {
        guard segments.count == parts.count else { return nil }
        var parameter: ExactString = ""
        for (segment, part) in zip(segments, parts) {
            if part.first == "{" {
                guard !segment.isEmpty else { return nil }
                parameter = ExactString(segment)
            } else if segment != part {
                return nil
            }
        }
        return parameter
    }
}

/// The target of a request to the admin API.
///
/// Paths for the default world and the server start with `/__admin`. Paths for another world start with
/// `/__admin/worlds/{id}` or `/w/{id}/__admin`.
struct AdminRoute {
    /// The world; nil for the default world, which is also called `default`.
    private(set) var worldID: ExactString?
    let resource: AdminResource
    /// The segment that replaces the braces in the resource's path; empty if the path has no braces.
    ///
    /// The id of a world is in ``worldID``, not in this property.
    private(set) var parameter: ExactString = ""
    /// The world in the path's prefix `/w/{id}`; nil for a path that starts with `/__admin`.
    private(set) var owner: ExactString?

    /// The target of a path with these segments, starting with `__admin`; nil if no resource matches.
    ///
    /// - Parameter owner: The world in the path's prefix, which is the target unless the path names another world.
    init?(segments: [String], below owner: ExactString?) {
        self.init(segments: segments)
        guard let owner else { return }
        self.owner = owner
        if resource.scope == .world, segments.dropFirst().first != "worlds" { worldID = owner }
    }

    private init?(segments: [String]) {
        var rest = segments.dropFirst()
        if rest == [""] { rest = [] }
        let isBelowWorld = rest.count >= 2 && rest.first == "worlds" && rest[2] != ""
        if isBelowWorld {
            worldID = rest[2] == World.defaultID ? nil : ExactString(rest[2])
            rest = rest.dropFirst(2)
        }
        if isBelowWorld, rest.isEmpty {
            resource = .world
            return
        }
        for known in AdminResource.all where known !== AdminResource.world && !(isBelowWorld && known.scope != .world) {
            guard let parameter = known.parameter(in: rest) else { continue }
            (resource, self.parameter) = (known, parameter)
            return
        }
        return nil
    }

    /// The resource's methods besides OPTIONS; the default world has no DELETE.
    var methods: [HTTPRequest.Method] {
        let methods = resource.operations.map(\.method)
        return resource === AdminResource.world && worldID == nil ? methods.filter { $0 != .delete } : methods
    }

    /// All paths, for hints; the paths of a world also exist below `/__admin/worlds/{id}`.
    static let templates = AdminResource.all.map { "/__admin" + ($0.template.isEmpty ? "" : "/" + $0.template) }
}

/// A request to the admin API that has passed the access and world checks.
struct AdminCall {
    /// The world that the request concerns; the default world for requests to the server.
    let world: World
    let route: AdminRoute
    let exchange: Exchange
    /// Collects deprecated words for the member `deprecated` of the answer.
    let oldWords = OldWords()

    /// Sentences about deprecated words in a request, each with the current word.
    final class OldWords {
        fileprivate(set) var sentences: [String] = []
        func note(_ sentence: String) { sentences.append(sentence) }
    }

    /// The resource's path below `/__admin`, with the names in braces.
    var template: String { route.resource.template }
    var parameter: ExactString { route.parameter }

    var head: RequestHead { exchange.head }
    var bytes: [UInt8] { exchange.body }
    var connection: Connection { exchange.connection }
    /// The system's time.
    var now: Timestamp { exchange.now }

    /// The body; throws 400 unless it is a JSON object with only these keys.
    func body(keys: [String]?, limits: JSON.Limits = AdminBody.limits) throws(APIError) -> AdminBody {
        try AdminBody(bytes, keys: keys, limits: limits)
    }
}

/// The admin API for controlling the server.
extension Engine {
    /// Answers a request below `/__admin`; nil if the request opened a WebSocket or waits for a job.
    ///
    /// Refusals are checked in this order: 404 and 405 for the endpoint, 401 and 403, 404 for the world, 415, 400.
    func adminAnswer(_ route: AdminRoute, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, scope) = (exchange.head, route.resource.scope)
        guard let operation = route.resource.operations.first(where: { $0.method == head.method }) else {
            preconditionFailure("Other methods must have been refused earlier.")
        }
        if scope != .open { try checkAdminAccess(head, on: exchange.connection) }
        let world = scope == .world ? try adminWorld(route.worldID, at: exchange.now) : defaultWorld
        if head.method != .get, head.method != .head { try checkMediaType(head.fields, exchange.body) }
        let call = AdminCall(world: world, route: route, exchange: exchange)
        var answer = try operation.answer(self)(call)
        let sentences = call.oldWords.sentences
        if !sentences.isEmpty, let body = answer?.body, body.last == UInt8(ascii: "}") {
            let deprecated = JSONWriter.object { $0.strings("deprecated", sentences) }
            answer?.body = body.dropLast() + (body.count > 2 ? [UInt8(ascii: ",")] : []) + deprecated.dropFirst()
        }
        return answer
    }

    /// Refuses clients that do not send the admin token; if the server has no token, refuses clients on other machines.
    ///
    /// If there is no token, this function also refuses requests through a proxy, because the proxy's client can be
    /// anywhere. The same applies to requests from other sites' pages: a browser on this machine sends them, possibly
    /// to a foreign DNS name that points to this machine.
    func checkAdminAccess(_ head: RequestHead, on connection: Connection) throws(APIError) {
        if let token = configuration.adminToken {
            guard let sent = head.fields.withFirstValue(of: .xAdminToken, { Array($0) }),
                constantTimeEquals(sent, Array(token.utf8))
            else { throw .wrongAdminToken }
            return
        }
        guard connection.isLocal else { throw .adminFromElsewhere }
        if let field = head.fields.httpFields.first(where: \.isOfProxy) {
            throw .adminThroughProxy(field.name.rawName)
        }
        if let origin = head.fields[.origin], WebOrigin(origin)?.isOfThisMachine != true { throw .adminForOtherSite }
        if let authority = head.authority,
            WebOrigin(scheme: "http", authority: authority[...])?.isOfThisMachine != true
        {
            throw .adminForOtherSite
        }
        // Browsers send these fields even when they do not send 'Origin'.
        if let site = head.fields[.secFetchSite], site == "cross-site" || site == "same-site" {
            throw .adminForOtherSite
        }
    }

    private func adminWorld(_ id: ExactString?, at now: Timestamp) throws(APIError) -> World {
        guard let id else {
            guard configuration.hasDefaultWorld else { throw .noDefaultWorld }
            return defaultWorld
        }
        guard let world = worlds[id] else { throw refusal(ofWorld: id.text) }
        world.lastUsed = now
        return world
    }

    func adminHealth(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.member("status", "ok")
            writer.member("version", Version.current)
            writer.member("guide", defaultWorld.mode.rawValue)
            writer.member("seed", String(defaultWorld.settings.seed))
            writer.member("scenario", defaultWorld.settings.scenario.name)
            writer.member("node", ifPresent: configuration.node?.text)
            writer.member("worlds", worlds.count + (configuration.hasDefaultWorld ? 1 : 0))
            writer.member("connections", connections.count)
            writer.member("web_sockets", connections.webSocketCount)
            defaultWorld.writeCounts(to: &writer)
        }
    }

    func adminDescription(_ call: AdminCall) -> Answer {
        Answer(body: APIDescription.adminOpenAPIBytes, contentType: APIDescription.openAPI.mediaType)
    }

    func adminIndex(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.member("name", "fitiq-mock")
            writer.member("version", Version.current)
            writer.member("description", "/__admin/openapi.yaml")
            writer.array("operations") { writer in
                for operation in APIDescription.adminOperations {
                    writer.object { writer in
                        writer.member("method", operation.method)
                        writer.member("path", "/__admin" + (operation.path == "/" ? "" : operation.path))
                        writer.member("summary", operation.summary)
                    }
                }
            }
        }
    }

    func scenarioList(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.array("scenarios") { writer in
                for scenario in Scenario.builtInSummaries {
                    writer.object { writer in
                        writer.member("name", scenario.name)
                        writer.member("summary", scenario.summary)
                    }
                }
            }
        }
    }

    func showScenario(_ call: AdminCall) throws(APIError) -> Answer {
        let name = call.parameter.text
        guard let text = Scenario.builtInText(named: name) else { throw .missing(Scenario.unknownBuiltIn(name)) }
        return .object { writer in
            writer.member("name", name)
            writer.member("text", text)
        }
    }
}

extension World {
    func writeCounts(to writer: inout JSONWriter) {
        writer.member("users", backend.userCount)
        writer.member("consultations", backend.consultationCount)
        writer.member("goals", backend.goalCount)
        writer.member("meal_logs", backend.mealLogCount)
    }
}

extension HTTPField.Name {
    static let xAdminToken = HTTPField.Name("X-Admin-Token")!  // A constant token.
    /// The origin of the requesting page (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin")!  // A constant token.
    /// How the requesting page's site relates to this site (Fetch Metadata Request Headers §2.3).
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!  // A constant token.
}

extension HTTPField {
    /// Whether a proxy adds this field: `Via` (RFC 9110 §7.6.3), `Forwarded` (RFC 7239), and their predecessors.
    fileprivate var isOfProxy: Bool {
        let name = name.canonicalName
        return ["via", "forwarded", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
}
