import Digests
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Scenarios

/// An endpoint of the admin API.
///
/// It is below `/__admin` for the default world and the server, and below `/__admin/worlds/{id}` for another world.
struct AdminRoute: Equatable {
    /// The world; nil for the default one, which is also called `default`.
    private(set) var worldID: ExactString?
    let resource: Resource
    /// The segment in the place of the braces in the resource's path, never empty; empty if there are none.
    ///
    /// The id of a world is ``worldID`` instead.
    private(set) var parameter: ExactString = ""

    /// What the API serves, with its path below `/__admin` or below a world; one segment may be a name in braces.
    ///
    /// If a path fits several resources, the first one serves it.
    enum Resource: String, CaseIterable {
        // Of the server.
        case index = ""
        case health, echo
        case description = "openapi.yaml"
        case page = "ui"
        case scenarios, check, worlds
        // Of a world.
        case world = "worlds/{id}"
        case reset, clock, tokens, requests
        case unmatchedRequests = "requests/unmatched"
        case frames, journal, events, verdicts, replay, faults
        case fault = "faults/{name}"
        case sockets
        case socket = "sockets/{n}"
        case socketSend = "sockets/{n}/send"
        case socketClose = "sockets/{n}/close"
        case socketFinish = "sockets/{n}/finish"
        case socketReset = "sockets/{n}/reset"
        case socketSilence = "sockets/{n}/silence"
        case socketResume = "sockets/{n}/resume"
        case wait, fork, marks
        case mark = "marks/{mark}"
        case rewind
        case breakpoints
        case breakpoint = "breakpoints/{name}"
        case held
        case heldThing = "held/{n}"
        case state

        var isOfServer: Bool {
            switch self {
            case .index, .health, .echo, .description, .page, .scenarios, .check, .worlds: true
            default: false
            }
        }

        /// The segment in the place of the braces, or an empty text without braces; nil if the path is another one.
        fileprivate func parameter(in segments: ArraySlice<String>) -> ExactString? {
            let template = rawValue.split(separator: "/")
            guard segments.count == template.count else { return nil }
            var parameter: ExactString = ""
            for (segment, part) in zip(segments, template) {
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

    /// The endpoint with these segments of a path, the first of them `__admin`; nil if there is none.
    init?(segments: [String]) {
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
        for known in Resource.allCases where known != .world && !(isBelowWorld && known.isOfServer) {
            guard let parameter = known.parameter(in: rest) else { continue }
            (resource, self.parameter) = (known, parameter)
            return
        }
        return nil
    }

    /// The methods that it answers, in addition to OPTIONS.
    var methods: [HTTPRequest.Method] {
        switch resource {
        case .index, .health, .description, .page, .scenarios: [.get, .head]
        case .requests, .unmatchedRequests, .frames, .verdicts, .replay: [.get, .head]
        case .echo, .events: [.get]
        case .reset, .tokens: [.post]
        case .worlds, .clock, .faults, .breakpoints, .held, .heldThing: [.get, .head, .post]
        case .world: worldID == nil ? [.get, .head] : [.get, .head, .delete]
        case .journal: [.get, .head, .delete]
        case .state: [.get, .head, .put]
        case .sockets, .socket: [.get, .head]
        case .socketSend, .socketClose, .socketFinish, .socketReset, .socketSilence, .socketResume, .wait, .fork,
            .rewind, .check:
            [.post]
        case .marks: [.get, .head, .post]
        case .mark: [.delete]
        case .fault, .breakpoint: [.get, .head, .patch, .delete]
        }
    }

    /// The readable paths, for hints; those of a world are also below `/__admin/worlds/{id}`.
    static let templates = Resource.allCases.map { $0 == .index ? "/__admin" : "/__admin/" + $0.rawValue }
}

/// The admin API: control of the server by its user, or by a test.
extension Engine {
    /// Answers a request below `/__admin`; nil if it opened a WebSocket, or waits for a job.
    ///
    /// Refusals come in the order 404 and 405 for the endpoint, 401 and 403, 404 for the world, 415, 400.
    func adminAnswer(_ route: AdminRoute, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, connection, now) = (exchange.head, exchange.connection, exchange.now)
        // The requests of conformance tools and probes change nothing, and reveal no user's data; nor does the page,
        // which asks for the token itself.
        switch route.resource {
        case .health: return adminHealth
        case .description:
            return Answer(body: APIDescription.adminOpenAPIBytes, contentType: APIDescription.openAPI.mediaType)
        case .page: return adminPage
        default: break
        }
        try checkAdminAccess(head, on: connection)
        // It belongs to the process, not to a world.
        if route.resource == .echo { return try openEcho(head, on: connection, at: now) }
        let world = try adminWorld(route.worldID, at: now)
        if head.method != .get, head.method != .head { try checkMediaType(head.fields, exchange.body) }
        return try answer(of: world, route, exchange)
    }

    private func answer(of world: World, _ route: AdminRoute, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, body, connection, now) = (exchange.head, exchange.body, exchange.connection, exchange.now)
        switch route.resource {
        case .health, .description, .page, .echo: preconditionFailure("Answered without a world.")
        case .index: return adminIndex
        case .worlds where head.method == .post: return try makeWorld(exchange)
        case .worlds: return worldList(on: connection, at: now)
        case .world where head.method == .delete: return delete(world, at: now)
        case .world: return .ok(describe(world, at: now))
        case .reset: return try reset(world, exchange)
        case .clock where head.method == .post: return try advanceClock(of: world, body, at: now)
        case .clock: return clockAnswer(of: world, at: now)
        case .tokens: return try makeToken(for: world, body, at: now)
        case .scenarios: return scenarioList
        case .check: return try check(exchange)
        case .requests: return try journalAnswer(of: world, head, kinds: [.exchange, .opened])
        case .unmatchedRequests: return try journalAnswer(of: world, head, kinds: [.exchange], isUnmatched: true)
        case .frames: return try journalAnswer(of: world, head, kinds: [.opened, .frame, .fault, .closed])
        case .journal where head.method == .delete: return clearJournal(of: world)
        case .journal: return try journalLines(of: world, head)
        case .events: return try follow(world, exchange)
        case .verdicts: return try verdictAnswer(of: world, head, at: now)
        case .replay: return try replayReport(of: world, at: now)
        case .state where head.method == .put: return try importState(into: world, exchange)
        case .state: return try exportState(of: world, exchange)
        case .faults where head.method == .post: return try addFault(to: world, body)
        case .faults: return faultList(of: world)
        case .sockets: return socketList(of: world, at: now)
        case .socket: return try socketAnswer(route.parameter, of: world, at: now)
        case .socketSend: return try send(body, onSocket: route.parameter, of: world, at: now)
        case .socketClose: return try close(body, socket: route.parameter, of: world, at: now)
        case .socketFinish: return try cut(.finish, body, socket: route.parameter, of: world, at: now)
        case .socketReset: return try cut(.reset, body, socket: route.parameter, of: world, at: now)
        case .socketSilence: return try silence(body, socket: route.parameter, of: world, at: now)
        case .socketResume: return try resume(body, socket: route.parameter, of: world, at: now)
        case .wait: return try wait(in: world, exchange)
        case .fork: return try makeFork(of: world, exchange)
        case .marks where head.method == .post: return try setMark(in: world, exchange)
        case .marks: return markList(of: world)
        case .mark: return try removeMark(route.parameter, of: world)
        case .rewind: return try rewind(world, exchange)
        case .fault: return try faultAnswer(named: route.parameter, of: world, head.method, body, at: now)
        case .breakpoints where head.method == .post: return try addBreakpoint(to: world, body)
        case .breakpoints: return breakpointList(of: world)
        case .breakpoint: return try breakpointAnswer(named: route.parameter, of: world, head.method, body, at: now)
        case .held where head.method == .post: return try releaseHeld(of: world, body, at: now)
        case .held: return heldList(of: world)
        case .heldThing: return try heldAnswer(route.parameter, of: world, head.method, body, at: now)
        }
    }

    /// Refuses clients without the admin token; if the server has none, clients on other machines.
    ///
    /// Without a token, pages of other sites are refused as well: a browser on this machine would send requests for
    /// them, or by a DNS name of theirs that points here.
    func checkAdminAccess(_ head: RequestHead, on connection: Connection) throws(APIError) {
        if let token = configuration.adminToken {
            guard let sent = head.fields.withFirstValue(of: .xAdminToken, { Array($0) }),
                constantTimeEquals(sent, Array(token.utf8))
            else { throw .wrongAdminToken }
            return
        }
        guard connection.isLocal else { throw .adminFromElsewhere }
        if let origin = head.fields[.origin], WebOrigin(origin)?.isOfThisMachine != true { throw .adminForOtherSite }
        if let authority = head.authority,
            WebOrigin(scheme: "http", authority: authority[...])?.isOfThisMachine != true
        {
            throw .adminForOtherSite
        }
        // What browsers say of themselves, also where they send no 'Origin'.
        if let site = head.fields[.secFetchSite], site == "cross-site" || site == "same-site" {
            throw .adminForOtherSite
        }
    }

    private func adminWorld(_ id: ExactString?, at now: Timestamp) throws(APIError) -> World {
        guard let id else { return defaultWorld }
        guard let world = worlds[id] else { throw .unknownWorld(id.text) }
        world.lastUsed = now
        return world
    }

    private var adminHealth: Answer {
        .object { writer in
            writer.member("status", "ok")
            writer.member("version", Version.current)
            writer.member("guide", defaultWorld.mode.rawValue)
            writer.member("seed", String(defaultWorld.settings.seed))
            writer.member("scenario", defaultWorld.settings.scenario.name)
            writer.member("worlds", worlds.count + 1)
            writer.member("connections", connections.count)
            writer.member("web_sockets", connections.webSocketCount)
            defaultWorld.writeCounts(to: &writer)
        }
    }

    private var adminIndex: Answer {
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

    private var scenarioList: Answer {
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
    /// Whether the requesting page is of this site (Fetch Metadata Request Headers §2.3).
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!  // A constant token.
}
