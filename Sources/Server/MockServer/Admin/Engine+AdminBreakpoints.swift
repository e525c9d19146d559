import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Text
import Traffic

/// The admin API's breakpoints: faults that hold something back.
extension Engine {
    /// `GET /__admin/breakpoints`: among the faults, those that hold something.
    func breakpointList(of world: World) -> Answer {
        Answer(
            PartSource("breakpoints", of: world.faults.rules.filter { $0.rule.fault.hold != nil }) { entry, writer in
                writer.object { entry.write(to: &$0, in: world) }
                return 0
            })
    }

    /// `POST /__admin/breakpoints`: a fault that holds something, also on open sockets.
    ///
    /// - Throws: 400 for an invalid breakpoint or if its name is taken, 409 without its controller's stream, 507 if there
    ///   is no room for it.
    func addBreakpoint(to world: World, _ body: [UInt8]) throws(APIError) -> Answer {
        var draft = try BreakpointDraft(body)
        var rule = try rule(from: draft.fault, in: world)
        if let controller = draft.hold.controller, !hasController(controller, of: world) {
            throw .noController(controller.text)
        }
        let sockets = openSockets(of: world)
        if let number = draft.hold.connection, !sockets.contains(where: { $0.number(in: world) == number }) {
            throw .noOpenSocket(number)
        }
        // What the reader of faults knows nothing of.
        guard let read = rule.fault.hold else { preconditionFailure("A breakpoint holds something.") }
        (draft.hold.fromClient, draft.hold.fromServer) = (read.fromClient, read.fromServer)
        (draft.hold.text, draft.hold.time) = (read.text, read.time)
        rule.fault.hold = draft.hold
        try add(rule, to: world, bytes: body.count)
        return .created(try describe(breakpoint: rule.name, of: world))
    }

    /// `GET`, `PATCH {"enabled"}` and `DELETE /__admin/breakpoints/{name}`.
    ///
    /// - Throws: 404 for an unknown name, 400 for a bad body.
    func breakpointAnswer(
        named name: ExactString, of world: World, _ method: HTTPRequest.Method, _ body: [UInt8], at now: Timestamp
    ) throws(APIError) -> Answer {
        let description = try describe(breakpoint: name, of: world)
        if method == .get || method == .head { return .ok(description) }
        let answer = try faultAnswer(named: name, of: world, method, body, at: now)
        return method == .delete ? answer : .ok(try describe(breakpoint: name, of: world))
    }

    private func describe(breakpoint name: ExactString, of world: World) throws(APIError) -> [UInt8] {
        let breakpoints = world.faults.rules.filter { $0.rule.fault.hold != nil }
        guard let entry = breakpoints.first(where: { $0.rule.name == name }) else {
            throw .unknownBreakpoint(name.text, known: breakpoints.map(\.rule.name.text))
        }
        return JSONWriter.object { entry.write(to: &$0, in: world) }
    }

    /// A world's WebSockets that are open, except the echo sockets.
    private func openSockets(of world: World) -> [Connection] {
        connections.filter { $0.world === world && $0.isOpenSocket && $0.isServed && $0.webSocketUse.isOfWorld }
    }

    /// Has a breakpoint for frames act on the sockets that are open.
    func attach(_ rule: FaultRule, to world: World) {
        guard case .socket(.hold(let hold), _) = rule.fault else { return }
        for connection in openSockets(of: world)
        where (rule.socket ?? connection.record.opening?.endpoint) == connection.record.opening?.endpoint
            && (hold.connection ?? connection.number(in: world)) == connection.number(in: world)
        {
            world.faults.attach(rule.name, to: &connection.socketFaults)
        }
    }
}

/// A breakpoint as a request describes it, in the form of a fault of a scenario file.
private struct BreakpointDraft {
    var fault: JSONObject = [:]
    /// The controller and the connection, which a scenario file cannot name.
    var hold = Hold()

    /// The keys of `match` by what it holds.
    private static let matches = [  // Names of a closed set, which are ASCII.
        "request": ["endpoint", "requests", "text"], "response": ["endpoint", "requests", "text"],
        "handshake": ["socket", "connections"],
        "frame": ["socket", "at", "type", "connections", "connection", "text"],
    ]

    init(_ bytes: [UInt8]) throws(APIError) {
        let body = try AdminBody(
            bytes, keys: ["on", "name", "enabled", "direction", "match", "timeout", "controller"])
        let place = try body.choice("on", of: ["request", "response", "handshake", "frame"])
        let match = try body.part("match", keys: Self.matches[place] ?? [])
        var holds: JSONObject = ["what": .string(try Self.what(place, body))]
        holds["text"] = match["text"]
        holds["for"] = body["timeout"]
        fault["name"] = body["name"]
        fault["enabled"] = body["enabled"]
        fault["requests"] = match["requests"]
        fault["connections"] = match["connections"]
        fault["at"] = match["at"]
        if let type = match["type"] {
            guard match["at"] == nil else { throw .invalid("Say either 'at' or 'type', which is short for it.") }
            fault["at"] = .object(["type": type])
        }
        fault["hold"] = .object(holds)
        let socket = try match.text("socket", expected: "the path of a WebSocket, such as \"/ws/meal-logs\"")
        switch place {
        case "request", "response": fault["on"] = match["endpoint"] ?? "any"
        case "handshake": fault["on"] = .string((["handshake"] + [socket].compactMap(\.self)).joined(separator: " "))
        default: fault["on"] = .string((["socket"] + [socket].compactMap(\.self)).joined(separator: " "))
        }
        if let value = match["connection"] {
            guard let number = value.number?.int, number > 0 else {
                throw .wrongType("connection", expected: "the number of an open WebSocket", got: value)
            }
            guard match["connections"] == nil else {
                throw .invalid("Say either 'connection', an open WebSocket, or 'connections', later ones.")
            }
            hold.connection = UInt64(number)
        }
        if let name = try body.text("controller", expected: "the name of a stream of events") {
            guard (1...FaultLimits.controllerName).contains(name.utf8.count) else {
                throw .invalid("A controller's name has 1 to \(FaultLimits.controllerName) bytes.")
            }
            hold.controller = ExactString(name)
        }
    }

    /// What the fault holds in its own words.
    private static func what(_ place: String, _ body: AdminBody) throws(APIError) -> String {
        let directions = [Party.client.direction, Party.server.direction]
        let direction = body["direction"] == nil ? nil : try body.choice("direction", of: directions)
        let isOfClient = direction == directions[0]
        switch place {
        case "frame": return direction == nil ? "both" : isOfClient ? "client" : "server"
        case "handshake":
            guard direction == nil || isOfClient else {
                throw .invalid(
                    "The answer to a handshake cannot be held; the frame \"connected\" after it can: "
                        + #"{"on": "frame", "match": {"type": "connected"}}."#)
            }
            return "request"
        default:
            guard direction == nil || isOfClient == (place == "request") else {
                throw .invalid("A \(place) does not go in the direction \"\(direction ?? "")\"; leave 'direction' out.")
            }
            return place
        }
    }
}

extension Fault {
    /// What it holds; nil if it is no breakpoint.
    var hold: Hold? {
        get {
            switch self {
            case .response(.hold(let hold), _), .handshake(.hold(let hold)), .socket(.hold(let hold), _): hold
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .response(_, let endpoints): self = .response(.hold(newValue), on: endpoints)
            case .handshake: self = .handshake(.hold(newValue))
            case .socket(_, let point): self = .socket(.hold(newValue), at: point)
            }
        }
    }
}

extension FaultBook.Entry {
    /// Writes a breakpoint in the form of the admin API, with its counts.
    fileprivate func write(to writer: inout JSONWriter, in world: World) {
        guard let hold = rule.fault.hold else { return }
        // The members of a fault, of which most have the same names.
        let fault = (try? JSON.parse(JSONWriter.object { rule.write(into: &$0) }))?.object ?? [:]
        var match: JSONObject = [:]
        let place: String
        switch rule.fault {
        case .response:
            place = hold.fromClient ? "request" : "response"
            if fault["on"] != "any" { match["endpoint"] = fault["on"] }
        case .handshake: place = "handshake"
        case .socket: place = "frame"
        }
        if let socket = rule.socket { match["socket"] = .string(socket.template) }
        for key in ["requests", "connections", "at"] { match[key] = fault[key] }
        if !hold.text.isEmpty { match["text"] = .string(hold.text) }
        writer.member("name", rule.name.text)
        writer.member("on", place)
        if hold.fromClient != hold.fromServer {
            writer.member("direction", (hold.fromClient ? Party.client : .server).direction)
        }
        writer.member("enabled", rule.isEnabled)
        writer.object("match") { writer in
            for member in match {
                writer.key(escaping: member.key)
                writer.value(member.value)
            }
            if let connection = hold.connection { writer.member("connection", Int(connection)) }
        }
        writer.member("timeout", Durations.whole(hold.time, largest: .hours))
        writer.member("controller", ifPresent: hold.controller?.text)
        writer.member("matches", matches)
        writer.member("acted", acted)
        writer.member("holding", world.live?.holds.things.count { $0.breakpoint.name == rule.name } ?? 0)
    }
}
