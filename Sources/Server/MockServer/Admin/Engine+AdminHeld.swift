import Digests
import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Text
import Traffic
import WebSocket

/// The admin API's list of what breakpoints hold, and what becomes of it.
extension Engine {
    /// `GET /__admin/held`: oldest first, with the beginnings of long bodies.
    func heldList(of world: World) -> Answer {
        let (things, passed) = (world.live?.holds.things ?? [], world.live?.holds.passed ?? 0)
        let source = PartSource(
            "held", of: things,
            after: { writer in
                writer.member("limit", FaultLimits.held)
                writer.member("passed", passed)
            }
        ) { [unowned self] thing, writer in
            writer.object { write(thing, of: world, bodies: Self.listedBody, to: &$0) }
            return 0
        }
        return Answer(source)
    }

    /// How much of a body a list has, in bytes.
    private static let listedBody = 64 * 1024

    /// `GET /__admin/held/{n}` and `POST {"action"}`.
    ///
    /// - Throws: 404 if nothing is held with the number, 409 for an action that does not go with its place, 400 for a bad
    ///   body.
    func heldAnswer(
        _ parameter: ExactString, of world: World, _ method: HTTPRequest.Method, _ body: [UInt8], at now: Timestamp
    ) throws(APIError) -> Answer {
        let number = Int(parameter.text)
        guard let thing = number.flatMap({ world.live?.holds[$0] }), let connection = self[thing.connection] else {
            let action = number.flatMap { world.live?.holds.action(releasing: $0) }
            throw .nothingHeld(parameter.text, action?.rawValue)
        }
        guard method == .post else {
            return .ok(JSONWriter.object { write(thing, of: world, bodies: .max, to: &$0) })
        }
        let command = try HeldCommand(body, thing, on: connection, of: world, in: self, at: now)
        enter(world, at: now)
        release(thing, of: world, command.action, steps: command.steps, as: command.told, at: now)
        let next = world.live?.holds.things.last { $0.connection == thing.connection && $0.number > thing.number }
        return .object { writer in
            writer.member("released", thing.number)
            writer.member("action", command.told.rawValue)
            if command.steps, let next { writer.member("next", next.number) } else { writer.memberNull("next") }
        }
    }

    /// `POST /__admin/held {"action"}`: lets everything continue, or drops it.
    func releaseHeld(of world: World, _ body: [UInt8], at now: Timestamp) throws(APIError) -> Answer {
        let body = try AdminBody(body, keys: ["action"])
        let action = try body.choice("action", of: ["continue", "drop"])
        enter(world, at: now)
        let numbers = world.live?.holds.things.map(\.number) ?? []
        for number in numbers {
            guard let thing = world.live?.holds[number] else { continue }
            let isDropped = action == "drop"
            release(
                thing, of: world, isDropped ? .drop(.emptyReply) : .pass, as: isDropped ? .dropped : .continued, at: now
            )
        }
        return .object { $0.member("released", numbers.count) }
    }

    private func write(_ thing: HeldThing, of world: World, bodies limit: Int, to writer: inout JSONWriter) {
        let connection = self[thing.connection]
        func recorded(_ bytes: [UInt8]) -> RecordedBody {
            var body = RecordedBody(bytes)
            body.cut(to: limit)
            return body
        }
        writer.member("held", thing.number)
        writer.member("breakpoint", thing.breakpoint.name.text)
        writer.member("place", thing.place.rawValue)
        writer.member("direction", thing.sender.direction)
        writer.member("connection", connection.map { Int($0.number(in: world)) } ?? 0)
        writer.member("due", thing.due.nanosecondText)
        writer.member("until", thing.until.nanosecondText)
        let behind = thing.place == .frame && thing.sender == .server ? connection?.socketFaults?.behindCount : nil
        writer.member("behind", behind ?? 0)
        if let held = connection?.held {
            JournalEncoder.write(held.head, recorded(held.body), to: &writer)
            guard let answer = held.answer else { return }
            writer.object("response") { writer in
                writer.member("status", answer.status.code)
                let fields = answer.allFields(at: thing.due).map { ($0.name.rawName, $0.value) }
                JournalEncoder.write(fields: fields, to: &writer)
                JournalEncoder.write(body: recorded(answer.body), to: &writer)
            }
        } else if let (payload, isText) = connection.flatMap({ heldMessage(thing, on: $0) }) {
            writer.object("frame") { writer in
                writer.member("opcode", isText ? "text" : "binary")
                JournalEncoder.write(payload: recorded(payload), isText: isText, to: &writer)
            }
        }
    }

    private func heldMessage(_ thing: HeldThing, on connection: Connection) -> (payload: [UInt8], isText: Bool)? {
        guard thing.sender == .client else {
            return connection.socketFaults?.heldMessage.map { ($0.text, !$0.isBinary) }
        }
        switch connection.heldEvent {
        case .text(let text): return (text, true)
        case .binary(let bytes): return (bytes, false)
        default: return nil
        }
    }
}

/// What an operator wants done with something held.
private struct HeldCommand {
    let action: Engine.HeldAction
    let steps: Bool
    let told: RecordedRelease.Action

    private static let contents = ["text", "json", "base64"]

    init(
        _ bytes: [UInt8], _ thing: HeldThing, on connection: Connection, of world: World, in engine: Engine,
        at now: Timestamp
    ) throws(APIError) {
        let keys = ["action", "step", "how", "method", "target", "status", "fields"] + Self.contents
        let body = try AdminBody(bytes, keys: keys, limits: JSON.Limits())
        let name = try body.choice("action", of: ["continue", "step", "change", "drop", "answer"])
        let place = thing.place
        var allowed: [String] = []
        switch (name, place) {
        case ("change", .request): allowed = ["step", "method", "target", "fields"] + Self.contents
        case ("change", .response), ("answer", .request): allowed = ["step", "status", "fields"] + Self.contents
        case ("change", .frame): allowed = ["step"] + Self.contents
        case ("answer", .handshake): allowed = ["status", "fields"] + Self.contents
        case ("drop", .frame): break
        case ("drop", _): allowed = ["how"]
        case ("change", _), ("answer", _): throw .wrongPlace(name, place.rawValue)
        default: break
        }
        for key in keys.dropFirst() where body[key] != nil && !allowed.contains(key) {
            throw .unknownAdminKey(key, allowed: ["action"] + allowed)
        }
        let flag = try body.flag("step") ?? false
        steps = flag || name == "step"
        switch name {
        case "change":
            told = .changed
            let content = try body.content(Self.contents)
            guard allowed.dropFirst().contains(where: { body[$0] != nil }) else {
                throw .invalid("Say what changes: \(allowed.dropFirst().joined(separator: ", ")).")
            }
            if place == .frame {
                guard let content else { throw .invalid("Say what the frame has: text, json or base64.") }
                if case .text = connection.heldEvent, String(validating: content, as: UTF8.self) == nil {
                    throw .invalid("The text of a client's message must be UTF-8.")
                }
                action = .frame(content)
            } else if let held = connection.held, place == .request {
                let head = try body.head(insteadOf: held.head)
                let changed = Exchange(head, body: content ?? held.body, on: connection, in: engine, at: now)
                guard changed.destination.world === world, !changed.isOfServer, changed.endpoint?.isSocket != true,
                    !head.wantsUpgrade
                else { throw .changedAway }
                action = .request(head, body: content ?? held.body)
            } else {
                action = .response(try body.answer(insteadOf: connection.held?.answer, content))
            }
        case "answer":
            told = .answered
            guard body["status"] != nil else { throw .missingField("status", expected: "the status of the answer") }
            action = .answer(try body.answer(insteadOf: nil, try body.content(Self.contents)))
        case "drop":
            told = .dropped
            let how = body["how"] == nil ? "finish" : try body.choice("how", of: ["finish", "reset", "silence"])
            switch how {
            case "reset": action = .drop(.reset(after: 0))
            case "silence": action = .drop(.hang)
            default: action = .drop(.emptyReply)
            }
        default: (action, told) = (.pass, .continued)
        }
    }
}

extension AdminBody {
    /// One of some names, which must be there.
    func choice(_ key: String, of allowed: [String]) throws(APIError) -> String {
        let expected = "one of " + allowed.map { "\"\($0)\"" }.joined(separator: ", ")
        guard let name = try text(key, expected: expected) else { throw .missingField(key, expected: expected) }
        guard allowed.contains(name) else { throw .unknownChoice(key, got: name, allowed: allowed) }
        return name
    }

    /// The bytes that one of some keys describes; nil if there is none.
    fileprivate func content(_ keys: [String]) throws(APIError) -> [UInt8]? {
        let present = keys.filter { self[$0] != nil }
        guard present.count < 2 else { throw .invalid("Say either '\(present[0])' or '\(present[1])'.") }
        if let value = self["json"] { return value.encoded() }
        if let text = try text("text", expected: "a text") { return Array(text.utf8) }
        guard let text = try text("base64", expected: "base64") else { return nil }
        guard let bytes = Base64.decode(text) else {
            throw .wrongType("base64", expected: "base64 (RFC 4648, section 4)", got: .string(text))
        }
        return bytes
    }

    /// The fields of a changed head, without those of framing; nil if they stay.
    private func fields() throws(APIError) -> [(name: String, value: String)]? {
        guard let value = self["fields"] else { return nil }
        let expected = #"a list of fields such as {"name": "Retry-After", "value": "2"}"#
        var fields: [(name: String, value: String)] = []
        for element in value.array ?? [.null] {
            guard let name = element["name"]?.string, let text = element["value"]?.string, element.object?.count == 2,
                HTTPField.Name(name) != nil, HTTPField.isValidValue(text)
            else { throw .wrongType("fields", expected: expected, got: value) }
            // The server writes them, as the body demands.
            let framing = ["content-length", "transfer-encoding", "connection"]
            if !framing.contains(name.lowercased()) { fields.append((name, text)) }
        }
        return fields
    }

    /// The head of a request with other members.
    fileprivate func head(insteadOf head: RequestHead) throws(APIError) -> RequestHead {
        let fields = try fields() ?? head.fields.nameValuePairs.map { ($0.name, $0.value) }
        let method = try text("method", expected: "a method") ?? head.method.rawValue
        let target = try text("target", expected: "a path with a query, if any") ?? head.target.description
        var lines = ["\(method) \(target) HTTP/\(head.version == .http10 ? "1.0" : "1.1")"]
        lines += fields.map { "\($0.name): \($0.value)" }
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        guard !(method + target).utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw .invalid("A method and a target are visible characters without spaces.")
        }
        do { return try RequestHead(recorded: bytes) } catch { throw .invalid(error.message) }
    }

    /// A response with other members; without one, a new response.
    fileprivate func answer(insteadOf held: Answer?, _ content: [UInt8]?) throws(APIError) -> Answer {
        var answer = held ?? Answer(body: [])
        if let value = self["status"] {
            guard let code = value.number?.int, FaultLimits.statuses.contains(code) else {
                let range = "\(FaultLimits.statuses.lowerBound) to \(FaultLimits.statuses.upperBound)"
                throw .wrongType("status", expected: "a status from \(range)", got: value)
            }
            answer.status = StatusNames.status(code)
        }
        if let content { (answer.body, answer.declaredLength) = (content, nil) }
        if let pairs = try fields() {
            var fields = HTTPFields()
            for pair in pairs {
                guard let name = HTTPField.Name(pair.name) else { continue }
                fields.append(HTTPField(name: name, value: pair.value))
            }
            if !answer.isRecorded {
                answer.contentType = fields[.contentType]
                fields[.contentType] = nil
            }
            answer.fields = fields.isEmpty ? nil : fields
        }
        // They have no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
        if [204, 205, 304].contains(answer.status.code) { answer.body = [] }
        return answer
    }
}
