import FitIQAPI
import HTTPTypes
import JSON

extension AdminResource {
    /// The resources; if a path matches several resources, the first one handles the request.
    static let all = AdminCall.resources
    static let world = AdminResource("worlds/{id}", get: AdminCall.describeWorld, delete: AdminCall.deleteWorld)
}

extension AdminCall {
    /// The admin API: each resource, and the function that answers each of its methods.
    fileprivate static let resources: [AdminResource] = [
        AdminResource("", .server, get: index),
        AdminResource("health", .open, get: health),
        AdminResource("echo", .server, get: openEcho, hasHead: false),
        AdminResource("openapi.yaml", .open, get: description),
        AdminResource("ui", .open, get: page),
        AdminResource("metrics", .server, get: metrics),
        AdminResource("scenarios", .server, get: listScenarios),
        AdminResource("scenarios/{name}", .server, get: showScenario),
        AdminResource("check", .server, post: check),
        AdminResource("worlds", .server, get: listWorlds, post: makeWorld),
        .world,
        AdminResource("mcp", .server, post: answerModelContext),
        AdminResource("drain", .server, get: showDrain, post: drain),
        AdminResource("reset", post: reset),
        AdminResource("clock", get: showClock, post: advanceClock),
        AdminResource("tokens", post: makeToken),
        AdminResource("requests", get: list(.exchange, .opened)),
        AdminResource("requests/unmatched", get: list(.exchange, isUnmatched: true)),
        AdminResource("frames", get: list(.opened, .frame, .fault, .closed)),
        AdminResource("entries", get: list()),
        AdminResource("entries/{number}", get: showEntry),
        AdminResource("journal", get: journalLines, delete: clearJournal),
        AdminResource("har", get: harFile),
        AdminResource("events", get: follow, hasHead: false),
        AdminResource("verdicts", get: showVerdicts),
        AdminResource("replay", get: showReplay),
        AdminResource("faults", get: listFaults, post: addFaults, patch: switchFaults, delete: removeFaults),
        AdminResource("faults/{name}", get: showFault, patch: switchFault, delete: removeFault),
        AdminResource("network", get: showNetwork, put: setNetwork),
        AdminResource("sockets", get: listSockets),
        AdminResource("sockets/{connection}", get: showSocket),
        AdminResource("sockets/{connection}/send", post: send, largeBody: \ServerLimits.frameBody),
        AdminResource("sockets/{connection}/close", post: act(.close)),
        AdminResource("sockets/{connection}/finish", post: act(.finish)),
        AdminResource("sockets/{connection}/reset", post: act(.reset)),
        AdminResource("sockets/{connection}/silence", post: act(.silence)),
        AdminResource("sockets/{connection}/resume", post: act(.resume)),
        AdminResource("wait", post: wait),
        AdminResource("fork", post: makeFork),
        AdminResource("marks", get: listMarks, post: setMark),
        AdminResource("marks/{mark}", delete: removeMark),
        AdminResource("rewind", post: rewind),
        AdminResource("breakpoints", get: listFaults, post: addBreakpoint, patch: switchFaults, delete: removeFaults),
        AdminResource("breakpoints/{name}", get: showFault, patch: switchFault, delete: removeFault),
        AdminResource("held", get: listHeld, post: releaseAll),
        AdminResource(
            "held/{held}", get: showHeld, post: release, patch: prolongHeld, largeBody: \ServerLimits.frameBody),
        AdminResource("state", get: exportState, put: importState, largeBody: \ServerLimits.stateBody),
        AdminResource("script", get: showScript),
    ]
}

/// An admin API resource: a path and its methods.
final class AdminResource: Sendable {
    /// Answers a request; returns nil if the request opened a WebSocket or waits for a job.
    typealias Handler = @Sendable (AdminCall) -> () throws(APIError) -> Answer?

    enum Scope {
        /// The server, open to every client: probes, conformance tools and the page need these resources, which change
        /// nothing and reveal no user data.
        case open
        case server, world
    }

    /// The path below `/__admin` or below a world; one segment may be a name in braces.
    let template: String
    let scope: Scope
    /// The limit for the bodies of POST and PUT requests if they may be larger than other bodies.
    let largeBody: (KeyPath<ServerLimits, Int> & Sendable)?
    let operations: [(method: HTTPRequest.Method, answer: Handler)]
    private let parts: [Substring]

    init(
        _ template: String, _ scope: Scope = .world, get: Handler? = nil, hasHead: Bool = true, post: Handler? = nil,
        put: Handler? = nil, patch: Handler? = nil, delete: Handler? = nil,
        largeBody: (KeyPath<ServerLimits, Int> & Sendable)? = nil
    ) {
        (self.template, self.scope, parts) = (template, scope, template.split(separator: "/"))
        self.largeBody = largeBody
        let methods: [(HTTPRequest.Method, Handler?)] = [
            (.get, get), (.head, hasHead ? get : nil), (.post, post), (.put, put), (.patch, patch), (.delete, delete),
        ]
        operations = methods.compactMap { method, answer in answer.map { (method, $0) } }
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
    let owner: ExactString?

    /// The target of a path with these segments, starting with `__admin`; nil if no resource matches.
    ///
    /// - Parameter owner: The world in the path's prefix, which is the target unless the path names another world.
    init?(segments: [String], below owner: ExactString?) {
        self.owner = owner
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
            if let owner, !isBelowWorld, known.scope == .world { worldID = owner }
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
