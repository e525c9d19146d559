import HTTPTypes
import JSON

/// An endpoint of the admin API: below `/__admin` for the default world and the server, below `/__admin/worlds/{id}` for another world.
struct AdminRoute: Equatable {
    /// The world; nil for the default one, which is also called `default`.
    var worldID: ExactString?
    var resource: Resource

    /// What there is below either.
    enum Resource: Equatable {
        // Of the server.
        case index, health, echo, description, worlds, scenarios
        // Of a world.
        case world, reset, clock, tokens
        case requests, unmatchedRequests, frames, journal, events, verdicts, replay
        case faults, fault(ExactString)
        case state
    }

    /// The endpoint with these segments of a path, of which the first is `__admin`; nil where there is none.
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

    /// The methods that it answers, beside OPTIONS.
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

    /// The paths as people write them, for hints; those of a world are also below `/__admin/worlds/{id}`.
    static let templates =
        ["/__admin"]
        + ["health", "echo", "openapi.yaml", "scenarios", "worlds", "worlds/{id}"].map { "/__admin/" + $0 }
        + worldTemplates.map { "/__admin/" + $0 }

    /// What there is of a world, below `/__admin` and below `/__admin/worlds/{id}`.
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
