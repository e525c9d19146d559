import Faults
import FitIQAPI
import JSON
import Scenarios
import Traffic

/// The admin API's breakpoints: faults that hold requests, responses or frames.
extension AdminCall {
    /// `POST /__admin/breakpoints`: adds a fault that holds something, and applies it to open sockets too; throws 409 if
    /// its controller has no event stream.
    func addBreakpoint() throws(APIError) -> Answer {
        let draft = try BreakpointDraft(self)
        var rule = try world.rule(from: draft.fault, noting: oldWords.note, naming: draft.name(of:))
        (rule.connection, rule.controller) = (draft.connection, draft.controller)
        if rule.connection != nil {
            guard case .socket = rule.fault else { throw .connectionOfNoSocket }
        }
        if let controller = engine.breakpoints.missingController(of: rule, in: world) {
            throw .noController(controller.text)
        }
        let open = engine.connections.openSockets(of: world)
        if let number = rule.connection, !open.contains(where: { $0.number == number }) {
            throw .noOpenSocket(number)
        }
        return try add(rule)
    }
}

/// A breakpoint in a request: a fault written as in a scenario file, plus keys that a scenario file cannot have.
///
/// Until version 0.1, breakpoints had different keys, which the server still accepts: `on` for the held item
/// (`request`, `response`, `handshake` or `frame`), `match` for the conditions, `direction` for the sender, and
/// `timeout` for the wait.
private struct BreakpointDraft {
    private(set) var fault: JSONObject = [:]
    /// Keys that a scenario file cannot have: the number of an open socket, and the name of an event stream.
    let connection: UInt64?, controller: ExactString?
    /// The old keys in the request, and the paths of their values in the fault.
    private var names: [(key: String, path: String)] = []

    /// Old keys, and the paths in the fault that get their values.
    private static let copied = [
        ("name", "name"), ("enabled", "enabled"), ("timeout", "hold.for"), ("match.text", "hold.text"),
        ("match.endpoint", "on"), ("match.requests", "requests"), ("match.connections", "connections"),
        ("match.at", "at"), ("match.type", "at.type"),
    ]

    /// The keys of `match` for each kind of held item.
    private static func conditions(of place: String) -> [String] {
        switch place {
        case "frame": ["socket", "at", "type", "connections", "connection", "text"]
        case "handshake": ["socket", "connections"]
        default: ["endpoint", "requests", "text"]
        }
    }

    init(_ call: AdminCall) throws(APIError) {
        let body = try call.body(keys: nil)
        controller = try body.text("controller", bytes: 1...FaultLimits.controllerName).map(ExactString.init(_:))
        guard body["hold"] == nil else {
            fault = body.object
            connection = try body.number("connection", in: 1...Int.max).map(UInt64.init)
            for key in ["connection", "controller"] { fault[key] = nil }
            guard connection == nil || body["connections"] == nil else { throw .eitherKey("connection", "connections") }
            return
        }
        guard let place = body["on"]?.string, RecordedHold.Place(rawValue: place) != nil else {
            throw .breakpointWithoutHold(body["on"])
        }
        try body.check(keys: ["on", "name", "enabled", "direction", "match", "timeout", "controller"])
        call.oldWords.note(
            "'on' with \"\(place)\", 'match', 'direction' and 'timeout' are deprecated but still accepted; write "
                + "the breakpoint as it appears in this answer, as a fault with 'hold'.")
        let match = try body.part("match", keys: Self.conditions(of: place))
        connection = try match.number("connection", in: 1...Int.max).map(UInt64.init)
        for (one, other) in [("at", "type"), ("connection", "connections")]
        where match[one] != nil && match[other] != nil {
            throw .eitherKey("match.\(one)", "match.\(other)")
        }
        if let first = match["endpoint"]?.string?.split(separator: " ").first, ["handshake", "socket"].contains(first) {
            throw .endpointOfNoRequest
        }
        let socket = try match.text("socket", expected: "a WebSocket path, such as \"/ws/meal-logs\"")
        let target = ["handshake": "handshake", "frame": "socket"][place]  // Only known names.
        fault["on"] = .string(([target ?? "any"] + [socket].compactMap(\.self)).joined(separator: " "))
        if socket != nil { names.append(("match.socket", "on")) }
        fault["hold"] = .object(["what": .string(try Self.what(place, body))])
        for (key, path) in Self.copied {
            let value = key.hasPrefix("match.") ? match[String(key.dropFirst("match.".count))] : body[key]
            guard let value else { continue }
            names.append((key, path))
            let parts = path.split(separator: ".").map(String.init)
            var object = parts.count == 2 ? fault[parts[0]]?.object ?? [:] : fault
            object[parts[parts.count - 1]] = value
            if parts.count == 2 { fault[parts[0]] = .object(object) } else { fault = object }
        }
    }

    /// The request's word for a path in the fault.
    func name(of path: String) -> String {
        let known = names.first { path == $0.path || path.hasPrefix($0.path + ".") || path.hasPrefix($0.path + "[") }
        return known.map { $0.key + path.dropFirst($0.path.count) } ?? path
    }

    /// The value of the fault's `hold.what`.
    private static func what(_ place: String, _ body: AdminBody) throws(APIError) -> String {
        let (client, server, both) = (Party.client.direction, Party.server.direction, "both")
        let usual = place == "frame" ? both : place == "response" ? server : client
        let direction = body["direction"] == nil ? usual : try body.choice("direction", of: [client, server])
        if place == "frame" { return direction }
        guard direction == usual else { throw .wrongDirection(direction, of: place) }
        return place == "response" ? "response" : "request"
    }
}

extension Fault {
    /// Whether the fault is a breakpoint.
    var isHold: Bool {
        switch self {
        case .response(.hold, _), .handshake(.hold), .socket(.hold, _): true
        default: false
        }
    }
}
