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
    var worldID: ExactString?
    var resource: Resource

    enum Resource: Equatable {
        // Of the server.
        case index, health, echo, description, worlds, scenarios
        // Of a world.
        case world, reset, clock, tokens
        case requests, unmatchedRequests, frames, journal, events, verdicts, replay
        case faults, fault(ExactString)
        case state
    }

    /// The endpoint with these segments of a path, the first of them `__admin`; nil if there is none.
    init?(segments: [String]) {
        let rest = Array(segments.dropFirst())
        guard let first = rest.first, rest != [""] else {
            resource = .index
            return
        }
        if first == "worlds", rest.count >= 2, !rest[1].isEmpty {
            worldID = rest[1] == World.defaultID ? nil : ExactString(rest[1])
            let below = Array(rest.dropFirst(2))
            guard let resource = below.isEmpty ? .world : Resource(ofWorld: below) else { return nil }
            self.resource = resource
            return
        }
        guard let resource = Resource(ofServer: rest) ?? Resource(ofWorld: rest) else { return nil }
        self.resource = resource
    }

    /// The methods that it answers, in addition to OPTIONS.
    var methods: [HTTPRequest.Method] {
        switch resource {
        case .index, .health, .description, .scenarios: [.get, .head]
        case .echo: [.get]
        case .worlds: [.get, .head, .post]
        case .world: worldID == nil ? [.get, .head] : [.get, .head, .delete]
        case .clock: [.get, .head, .post]
        case .reset, .tokens: [.post]
        case .requests, .unmatchedRequests, .frames, .verdicts, .replay: [.get, .head]
        case .journal: [.get, .head, .delete]
        case .events: [.get]
        case .faults: [.get, .head, .post]
        case .state: [.get, .head, .put]
        case .fault: [.get, .head, .patch, .delete]
        }
    }

    /// The readable paths, for hints; those of a world are also below `/__admin/worlds/{id}`.
    static let templates =
        ["/__admin"]
        + ["health", "echo", "openapi.yaml", "scenarios", "worlds", "worlds/{id}"].map { "/__admin/" + $0 }
        + worldTemplates.map { "/__admin/" + $0 }

    /// The resources of a world, below `/__admin` and below `/__admin/worlds/{id}`.
    static let worldTemplates = [
        "reset", "clock", "tokens", "requests", "requests/unmatched", "frames", "journal", "events", "verdicts",
        "replay", "faults", "faults/{name}", "state",
    ]
}

extension AdminRoute.Resource {
    fileprivate init?(ofServer segments: [String]) {
        switch segments {
        case ["health"]: self = .health
        case ["echo"]: self = .echo
        case ["openapi.yaml"]: self = .description
        case ["worlds"]: self = .worlds
        case ["scenarios"]: self = .scenarios
        default: return nil
        }
    }

    fileprivate init?(ofWorld segments: [String]) {
        switch segments {
        case ["reset"]: self = .reset
        case ["clock"]: self = .clock
        case ["tokens"]: self = .tokens
        case ["requests"]: self = .requests
        case ["requests", "unmatched"]: self = .unmatchedRequests
        case ["frames"]: self = .frames
        case ["journal"]: self = .journal
        case ["events"]: self = .events
        case ["verdicts"]: self = .verdicts
        case ["replay"]: self = .replay
        case ["state"]: self = .state
        case ["faults"]: self = .faults
        case let path where path.count == 2 && path[0] == "faults" && !path[1].isEmpty:
            self = .fault(ExactString(path[1]))
        default: return nil
        }
    }
}

/// The admin API: control of the server by its user, or by a test.
extension Engine {
    /// Answers a request below `/__admin`; nil if it opened a WebSocket, or waits for a job.
    ///
    /// Refusals come in the order 404 and 405 for the endpoint, 401 and 403, 404 for the world, 415, 400.
    func adminAnswer(
        _ route: AdminRoute, _ head: RequestHead, body: [UInt8], on connection: Connection, at now: Timestamp
    ) throws(APIError) -> Answer? {
        // The requests of conformance tools and probes change nothing, and reveal no user's data.
        switch route.resource {
        case .health: return adminHealth
        case .description:
            return Answer(
                status: .ok, body: APIDescription.adminOpenAPIBytes, contentType: APIDescription.openAPI.mediaType)
        default: break
        }
        try AdminAccess(token: configuration.adminToken).check(head, isLocal: connection.isLocal)
        // It belongs to the process, not to a world.
        if case .echo = route.resource { return try openEcho(head, on: connection, at: now) }
        let world = try adminWorld(route.worldID, at: now)
        if head.method != .get, head.method != .head { try checkMediaType(head.fields, body) }
        switch route.resource {
        case .health, .description, .echo: preconditionFailure("Answered above.")
        case .index: return adminIndex
        case .worlds where head.method == .post: return try makeWorld(body, head, on: connection, at: now)
        case .worlds: return worldList(on: connection, at: now)
        case .world where head.method == .delete: return delete(world, at: now)
        case .world: return .ok(describe(world, at: now))
        case .reset: return try reset(world, body, head, on: connection, at: now)
        case .clock where head.method == .post: return try advanceClock(of: world, body, at: now)
        case .clock: return clockAnswer(of: world, at: now)
        case .tokens: return try makeToken(for: world, body, at: now)
        case .scenarios: return scenarioList
        case .requests: return try journalAnswer(of: world, head, kinds: [.exchange, .opened])
        case .unmatchedRequests: return try journalAnswer(of: world, head, kinds: [.exchange], isUnmatched: true)
        case .frames: return try journalAnswer(of: world, head, kinds: [.opened, .frame, .fault, .closed])
        case .journal where head.method == .delete: return clearJournal(of: world)
        case .journal: return try journalLines(of: world, head)
        case .events:
            follow(world, head, on: connection, at: now)
            return nil
        case .verdicts: return verdictAnswer(of: world, at: now)
        case .replay: return try replayReport(of: world, at: now)
        case .state where head.method == .put: return try importState(body, into: world, head, on: connection, at: now)
        case .state: return try exportState(of: world, head, on: connection, at: now)
        case .faults where head.method == .post: return try addFault(to: world, body)
        case .faults: return faultList(of: world)
        case .fault(let name): return try faultAnswer(named: name, of: world, head, body)
        }
    }

    private func adminWorld(_ id: ExactString?, at now: Timestamp) throws(APIError) -> World {
        guard let id else { return defaultWorld }
        guard let world = worlds[id] else { throw .unknownWorld(id.text) }
        world.lastUsed = now
        return world
    }

    private var adminHealth: Answer {
        let backend = defaultWorld.backend
        return .ok(
            JSONWriter.object { writer in
                writer.member("status", "ok")
                writer.member("version", Version.current)
                writer.member("guide", defaultWorld.mode.rawValue)
                writer.member("seed", String(defaultWorld.settings.seed))
                writer.member("scenario", defaultWorld.settings.scenario.name)
                writer.member("worlds", worlds.count + 1)
                writer.member("connections", connections.count)
                writer.member("web_sockets", connections.webSocketCount)
                writer.member("users", backend.userCount)
                writer.member("consultations", backend.consultationCount)
                writer.member("goals", backend.goalCount)
                writer.member("meal_logs", backend.mealLogCount)
            })
    }

    private var adminIndex: Answer {
        .ok(
            JSONWriter.object { writer in
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
            })
    }

    private var scenarioList: Answer {
        .ok(
            JSONWriter.object { writer in
                writer.array("scenarios") { writer in
                    for scenario in Scenario.builtInSummaries {
                        writer.object { writer in
                            writer.member("name", scenario.name)
                            writer.member("summary", scenario.summary)
                        }
                    }
                }
            })
    }
}
