import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic
import WebSocket

/// The admin API's list of held items, and the actions on them.
extension AdminCall {
    private var holds: HoldTable { world.live?.holds ?? HoldTable() }

    /// `GET /__admin/held`: lists held items, oldest first; long bodies are shortened.
    func listHeld() -> Answer {
        let holds = holds
        let source = PartSource(
            "held", of: holds.things,
            after: { writer in
                writer.member("limit", FaultLimits.held)
                writer.member("passed", holds.passed)
            }
        ) { [unowned engine = engine, world] thing, writer in
            writer.object { thing.write(of: world, in: engine, bodies: AdminLimits.listedBody, to: &$0) }
            return 0
        }
        return Answer(source)
    }

    /// `GET /__admin/held/{held}`: describes a held item, including its whole body.
    func showHeld() throws(APIError) -> Answer {
        let thing = try held().thing
        return .object { thing.write(of: world, in: engine, bodies: .max, to: &$0) }
    }

    private func held() throws(APIError) -> (thing: HeldThing, connection: Connection) {
        let number = Int(parameter.text)
        guard let thing = number.flatMap({ holds[$0] }), let connection = engine[thing.connection] else {
            let releases = world.journal.entries(after: max(number ?? 0, 0)).compactMap { entry in
                if case .released(let release) = entry.event, release.held == number { release } else { nil }
            }
            throw .nothingHeld(parameter.text, releases.last?.action.rawValue)
        }
        return (thing, connection)
    }

    /// `POST /__admin/held/{held} {"action"}`: releases, changes, answers or drops a held item; throws 409 for an
    /// action that is impossible for the item.
    func release() throws(APIError) -> Answer {
        let (thing, connection) = try held()
        let command = try HeldCommand(self, thing, on: connection)
        engine.enter(world, at: now)
        engine.breakpoints.release(thing, of: world, command.action, steps: command.steps, as: command.told, at: now)
        let next = holds.things.last { $0.connection == thing.connection && $0.number > thing.number }
        return .object { writer in
            writer.member("released", thing.number)
            writer.member("action", command.told.rawValue)
            if command.steps, let next { writer.member("next", next.number) } else { writer.memberNull("next") }
        }
    }

    /// `PATCH /__admin/held/{held} {"for"}`: sets how long a held item waits from now, by the world's clock.
    func prolongHeld() throws(APIError) -> Answer {
        guard let time = try body(keys: ["for"]).duration("for"),
            (FaultLimits.shortestHold...FaultLimits.longestWait).contains(time)
        else { throw .wrongHoldTime }
        engine.enter(world, at: now)
        let number = try held().thing.number
        world.live?.holds.prolong(number, to: world.turn.now.advanced(byNanoseconds: time))
        engine.queueDeadline(of: world)
        return try showHeld()
    }

    /// `POST /__admin/held {"action"}`: continues or drops all held items.
    func releaseAll() throws(APIError) -> Answer {
        let isDropped = try body(keys: ["action"]).choice("action", of: ["continue", "drop"]) == "drop"
        engine.enter(world, at: now)
        let numbers = holds.things.map(\.number)
        for number in numbers {
            guard let thing = holds[number] else { continue }
            let action: HeldAction = isDropped ? .drop(.emptyReply) : .pass
            engine.breakpoints.release(thing, of: world, action, as: isDropped ? .dropped : .continued, at: now)
        }
        return .object { $0.member("released", numbers.count) }
    }
}

extension HeldThing {
    /// - Parameter limit: How much of a body to write, in bytes.
    fileprivate func write(of world: World, in engine: Engine, bodies limit: Int, to writer: inout JSONWriter) {
        let connection = engine[connection]
        func recorded(_ bytes: [UInt8]) -> RecordedBody {
            var body = RecordedBody(bytes)
            body.cut(to: limit)
            return body
        }
        writer.member("held", number)
        writer.member("breakpoint", breakpoint.name.text)
        writer.member("place", place.rawValue)
        writer.member("direction", sender.direction)
        writer.member("connection", connection.map { Int($0.number(in: world)) } ?? 0)
        writer.member("due", world.date(of: due).nanosecondText)
        writer.member("until", world.date(of: until).nanosecondText)
        let isOfServer = place == .frame && sender == .server
        writer.member("behind", isOfServer ? connection?.socketFaults?.behindCount ?? 0 : 0)
        if let held = connection?.held {
            JournalEncoder.write(held.exchange.head, recorded(held.exchange.body), to: &writer)
            guard let answer = held.answer else { return }
            writer.object("response") { writer in
                writer.member("status", answer.status.code)
                let fields = answer.allFields(at: world.date(of: due)).map { ($0.name.rawName, $0.value) }
                JournalEncoder.write(fields: fields, to: &writer)
                JournalEncoder.write(body: recorded(answer.body), to: &writer)
            }
        } else if let message = isOfServer ? connection?.socketFaults?.heldMessage : connection?.heldEvent?.message {
            writer.object("frame") { writer in
                writer.member("opcode", message.isText ? "text" : "binary")
                JournalEncoder.write(payload: recorded(message.payload), isText: message.isText, to: &writer)
            }
        }
    }
}

extension WebSocket.Event {
    /// The payload of a message; nil for events that are not messages.
    var message: (payload: [UInt8], isText: Bool)? {
        switch self {
        case .text(let text): (text, true)
        case .binary(let bytes): (bytes, false)
        default: nil
        }
    }
}

/// An operator's action on a held item.
private struct HeldCommand {
    let action: HeldAction
    let steps: Bool
    let told: RecordedRelease.Action

    private typealias Row = (action: String, places: Set<RecordedHold.Place>, keys: [String])

    /// The actions and their keys, for each kind of held item.
    private static let rows: [Row] = [
        ("continue", [.request, .response, .handshake, .frame], []),
        ("step", [.request, .response, .handshake, .frame], []),
        ("change", [.request], ["method", "target", "fields", "step"] + AdminBody.payloadKeys),
        ("change", [.response], ["status", "fields", "step"] + AdminBody.payloadKeys),
        ("change", [.frame], ["step"] + AdminBody.payloadKeys),
        ("drop", [.request, .response, .handshake], ["how"]), ("drop", [.frame], []),
        ("answer", [.request], ["status", "fields", "step"] + AdminBody.payloadKeys),
        ("answer", [.handshake], ["status", "fields"] + AdminBody.payloadKeys),
    ]

    init(_ call: AdminCall, _ thing: HeldThing, on connection: Connection) throws(APIError) {
        let engine = call.engine
        let body = try call.body(keys: nil, limits: JSON.Limits(bytes: engine.limits.frameBody))
        let name = try body.choice("action", of: ["continue", "step", "change", "drop", "answer"])
        guard let row = Self.rows.first(where: { $0.action == name && $0.places.contains(thing.place) }) else {
            throw .wrongPlace(name, thing.place.rawValue)
        }
        // The action and the place determine which keys the body may have.
        try body.check(keys: ["action"] + row.keys)
        let changes = row.keys.filter { $0 != "step" }
        steps = try body.flag("step") ?? false || name == "step"
        let payload = try body.payload(limit: engine.limits.webSocketMessage)
        switch name {
        case "change":
            told = .changed
            guard changes.contains(where: { body[$0] != nil }) else { throw .nothingToChange(changes) }
            action = try Self.change(thing, on: connection, body, payload, in: engine, at: call.now)
        case "answer":
            told = .answered
            var answer = Answer(body: [], contentType: payload?.contentType)
            try body.change(&answer, payload?.bytes)
            guard body["status"] != nil else { throw .missingField("status", expected: "the status of the answer") }
            action = .answer(answer)
        case "drop":
            told = .dropped
            switch try body.choice("how", of: ["finish", "reset", "silence"], usually: "finish") {
            case "reset": action = .drop(.reset(after: 0))
            case "silence": action = .drop(.hang)
            default: action = .drop(.emptyReply)
            }
        default: (action, told) = (.pass, .continued)
        }
    }

    private static func change(
        _ thing: HeldThing, on connection: Connection, _ body: AdminBody, _ payload: AdminBody.Payload?,
        in engine: Engine, at now: Timestamp
    ) throws(APIError) -> HeldAction {
        if let held = connection.held, var answer = held.answer {
            try body.change(&answer, payload?.bytes)
            return .response(answer)
        }
        if let original = connection.held?.exchange {
            let head = try body.head(insteadOf: original.head)
            let changed = Exchange(head, body: payload?.bytes ?? original.body, on: connection, in: engine, at: now)
            guard changed.destination.world === original.world, !changed.isOfServer, !head.wantsUpgrade,
                changed.endpoint?.isSocket != true
            else { throw .changedAway }
            return .request(head, body: changed.body)
        }
        let bytes = payload?.bytes ?? []
        if connection.heldEvent?.message?.isText ?? false, String(validating: bytes, as: UTF8.self) == nil {
            throw .textNotUTF8
        }
        return .frame(bytes)
    }
}

extension AdminBody {
    /// The fields of a changed head, except for the framing fields, which the server writes; nil if the fields stay
    /// unchanged.
    private func fields() throws(APIError) -> HTTPFields? {
        guard let value = self["fields"] else { return nil }
        let expected = #"a list of fields such as {"name": "Retry-After", "value": "2"}"#
        var fields = HTTPFields()
        for element in value.array ?? [.null] {
            guard let name = element["name"]?.string.flatMap({ HTTPField.Name($0) }), element.object?.count == 2,
                let text = element["value"]?.string
            else { throw .wrongType("fields", expected: expected, got: value) }
            guard HTTPField.isValidValue(text) else { throw .invalidFieldValue(name.rawName) }
            let isFraming = ["content-length", "transfer-encoding", "connection"].contains(name.canonicalName)
            if !isFraming { fields.append(HTTPField(name: name, value: text)) }
        }
        return fields
    }

    /// A request's head with the changes from the body applied.
    fileprivate func head(insteadOf head: RequestHead) throws(APIError) -> RequestHead {
        let fields = try fields()?.map { ($0.name.rawName, $0.value) } ?? head.fields.nameValuePairs
        let method = try text("method", expected: "a method") ?? head.method.rawValue
        let target = try text("target", expected: "a path with a query, if any") ?? head.target.description
        guard !(method + target).utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw .invalidRequestLine }
        let first = "\(method) \(target) HTTP/\(head.version == .http10 ? "1.0" : "1.1")\r\n"
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }
        do { return try RequestHead(recorded: Array((first + lines.joined()).utf8)) } catch {
            throw .invalid(error.message)
        }
    }

    /// Applies the changes in the body to an answer.
    fileprivate func change(_ answer: inout Answer, _ content: [UInt8]?) throws(APIError) {
        if let status = try number("status", in: FaultLimits.statuses) { answer.status = StatusNames.status(status) }
        if let content { (answer.body, answer.declaredLength) = (content, nil) }
        if var fields = try fields() {
            if !answer.isRecorded, self["action"] == "change" || fields[.contentType] != nil {
                answer.contentType = fields[.contentType]
                fields[.contentType] = nil
            }
            answer.fields = fields.isEmpty ? nil : fields
        }
        // These statuses have no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
        if [204, 205, 304].contains(answer.status.code) { answer.body = [] }
    }
}
