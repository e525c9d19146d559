import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Text
import Traffic
import WebSocket

/// The admin API's sockets: a world's open WebSockets, and actions on them.
///
/// A socket's number is its connection's number in the journal. The journal records an action with the fault
/// ``LiveControl/byHand``, so that judges do not count it against the client.
extension Engine {
    /// `GET /__admin/sockets`: lists the open sockets by number.
    ///
    /// The list omits sockets that close while it is being sent.
    func socketList(_ call: AdminCall) -> Answer {
        let world = call.world
        enterDue(world, at: call.now)
        let sockets = openSockets(of: world).map { ($0.number, $0.connection.id) }.sorted { $0.0 < $1.0 }
        let source = PartSource("sockets", of: sockets) { [unowned self] socket, writer in
            guard let connection = self[socket.1], connection.socketNumber(in: world) == socket.0 else { return 64 }
            writer.object { write(connection, number: socket.0, of: world, to: &$0) }
            return 1024
        }
        return Answer(source)
    }

    /// `GET /__admin/sockets/{connection}`: the socket, with example frames; throws 404 if the socket is not open.
    func socketAnswer(_ call: AdminCall) throws(APIError) -> Answer {
        let (number, connection) = try openSocket(call)
        return .object { writer in
            write(connection, number: number, of: call.world, to: &writer)
            frameTemplates(of: connection, in: call.world).write(to: &writer)
        }
    }

    /// `POST /__admin/sockets/{connection}/send`: sends a message or a ping that bypasses all faults and breakpoints.
    ///
    /// - Throws: 404 if the socket is not open, 400 for a bad body, 409 if the socket is closing or silent.
    func send(_ call: AdminCall) throws(APIError) -> Answer {
        let connection = try openSocket(call).connection
        let keys = AdminBody.payloadKeys + ["template", "members", "fields", "opcode"]
        let body = try call.body(keys: keys, limits: JSON.Limits(bytes: limits.frameBody))
        if body["fields"] != nil {
            guard body["members"] == nil else { throw .fieldsAndMembers }
            call.oldWords.note("'fields' is deprecated but still accepted; write 'members'.")
        }
        let (payload, opcode) = try message(body, for: connection, in: call.world)
        try connection.checkIsOpen(to: "send")
        send(payload, opcode, faults: [LiveControl.byHand], on: connection, in: call.world, at: call.now)
        return .object { $0.member("sent", payload.count) }
    }

    /// The maximum size of a ping's payload, and of a close frame's reason (RFC 6455 §5.5).
    package static let pingBytes = 125, reasonBytes = 123

    private func message(
        _ body: AdminBody, for connection: Connection, in world: World
    ) throws(APIError) -> ([UInt8], Opcode) {
        let isPing = body["opcode"] != nil
        if isPing { _ = try body.choice("opcode", of: ["ping"]) }
        let payload = try body.payload(limit: isPing ? Self.pingBytes : limits.webSocketMessage)
        if let type = try body.text("template", expected: "a frame type, such as \"stream_chunk\"") {
            guard !isPing, payload == nil else { throw .nothingToSend }
            let key = body["fields"] == nil ? "members" : "fields"
            let members = try body.value(key, expected: "an object", \.object) ?? [:]
            let templates = frameTemplates(of: connection, in: world)
            guard let text = try templates.text(of: type, with: members) else {
                throw .unknownChoice("template", got: type, allowed: templates.all.map(\.type))
            }
            return (text, .text)
        }
        guard body["members"] == nil, body["fields"] == nil else { throw .membersWithoutTemplate }
        if isPing { return (payload?.bytes ?? [], .ping) }
        guard let payload else { throw .nothingToSend }
        return (payload.bytes, payload.isText ? .text : .binary)
    }

    /// `POST /__admin/sockets/{connection}/close`: sends a close frame with any code, even a forbidden one.
    func closeSocket(_ call: AdminCall) throws(APIError) -> Answer {
        let connection = try openSocket(call).connection
        let body = try call.body(keys: ["code", "reason"])
        let code = try body.number("code", in: 0...65_535) ?? 1000
        let reason = try body.text("reason", bytes: 0...Self.reasonBytes) ?? ""
        try connection.checkIsOpen(to: "close")
        connection.record.endingRule = LiveControl.byHand
        forgetSocket(of: connection)
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: call.now)
        _ = connection.webSocket?.closeAnyway(
            code: CloseCode(rawValue: UInt16(code)), reason: reason, into: &connection.output.bytes)
        touch(connection)
        carry(connection, at: call.now)
        awaitReader(of: connection, at: call.now)
        return answer(about: connection, of: call.world)
    }

    /// `POST /__admin/sockets/{connection}/finish` and `/reset`: ends the transport immediately and sends no close
    /// frame.
    func cutSocket(_ call: AdminCall) throws(APIError) -> Answer {
        let connection = try openSocket(call).connection
        _ = try call.body(keys: [])
        cut(connection, isReset: call.template.hasSuffix("reset"), in: call.world, at: call.now)
        return answer(about: connection, of: call.world)
    }

    /// `POST /__admin/sockets/{connection}/silence`: stops sending and reading until `resume` is called.
    ///
    /// The engine resets a socket that is still silent after ``longestSilence``, by the world's clock.
    func silenceSocket(_ call: AdminCall) throws(APIError) -> Answer {
        let (world, connection) = (call.world, try openSocket(call).connection)
        _ = try call.body(keys: [])
        try connection.checkIsOpen(to: "fall silent")
        if connection.socketFaults == nil { connection.socketFaults = SocketFaults(seed: world.faults.seed) }
        connection.socketFaults?.gate(named: LiveControl.byHand)
        obeySocketFaults(of: connection)
        recorder.setIn(.silence, by: LiveControl.byHand, on: connection, in: world)
        let end = world.turn.now.advanced(byNanoseconds: Self.longestSilence)
        connection.silencedUntil = end
        world.heldOutputs.insert(connection.id, at: end)
        queueDeadline(of: world)
        touch(connection)
        return answer(about: connection, of: world)
    }

    /// `POST /__admin/sockets/{connection}/resume`: sends the waiting output, and reads again.
    func resumeSocket(_ call: AdminCall) throws(APIError) -> Answer {
        let (world, (number, connection)) = (call.world, try openSocket(call))
        _ = try call.body(keys: [])
        guard connection.silencedUntil != nil else { throw connection.cannot("resume") }
        connection.silencedUntil = nil
        recorder.record(.note("WebSocket \(number) is no longer silent"), at: world.turn.now, in: world)
        lendOutput(to: connection)
        if let outgoing = connection.socketFaults?.ungate() {
            deliver(outgoing, on: connection, in: world, at: call.now)
        }
        obeySocketFaults(of: connection)
        handleNewOutput(of: connection, at: call.now)
        return answer(about: connection, of: world)
    }

    // MARK: Finding and describing

    /// Runs the world's steps that are due, and finds the open socket that the path names; throws 404 if there is none.
    private func openSocket(_ call: AdminCall) throws(APIError) -> (number: UInt64, connection: Connection) {
        enterDue(call.world, at: call.now)
        let wanted = UInt64(call.parameter.text)
        guard let socket = openSockets(of: call.world).first(where: { $0.number == wanted }) else {
            throw .unknownSocket(call.parameter.text)
        }
        return socket
    }

    /// Runs the steps of a world that are due, because the loop may be late, and sets the world's time.
    func enterDue(_ world: World, at now: Timestamp) {
        advance(world, to: world.clock.now(now), at: now)
        enter(world, at: now)
    }

    /// The socket's current description; 204 if it is gone.
    private func answer(about connection: Connection, of world: World) -> Answer {
        guard let number = connection.socketNumber(in: world) else { return .noContent }
        return .object { write(connection, number: number, of: world, to: &$0) }
    }

    private func frameTemplates(of connection: Connection, in world: World) -> FrameTemplates {
        guard let opening = connection.record.opening else {
            preconditionFailure(
                "A world's socket must have been opened.")
        }
        let description = socketDescriptions[world.mode] ?? APIDescription.asyncAPI.json(for: world.mode)
        socketDescriptions[world.mode] = description
        return FrameTemplates(in: description, for: opening, at: world.turn.date)
    }

    private func write(_ connection: Connection, number: UInt64, of world: World, to writer: inout JSONWriter) {
        let (record, now) = (connection.record, world.turn.now)
        let facts = world.replay == nil ? world.backend.facts(of: connection.id.socket) : nil
        writer.member("connection", Int(clamping: number))
        writer.member("world", world.name)
        writer.member("endpoint", orNull: record.opening?.endpoint?.name)
        writer.member("path", record.opening?.path ?? "")
        writer.member("user", orNull: record.opening?.user?.text)
        writer.member("consultation", orNull: record.opening?.consultation)
        writer.member("protocol", orNull: facts?.chatProtocol?.messageType)
        writer.member("state", connection.socketState.rawValue)
        writer.member("secure", connection.isSecure)
        let openedAt = record.opening?.time ?? now
        writer.member("opened_at", world.date(of: openedAt).nanosecondText)
        let age = max(0, now.nanosecondsSinceEpoch - openedAt.nanosecondsSinceEpoch)
        writer.member("age", Durations.seconds(age) + "s")
        writer.member("frames_in", record.framesIn)
        writer.member("frames_out", record.framesOut)
        writer.member("unsent_bytes", connection.output.count)
        let streaming = facts?.streaming.map { streaming in
            JSONValue.object([
                "message_id": .string(streaming.messageID.description), "piece": .number(JSONNumber(streaming.piece)),
                "of": .number(JSONNumber(streaming.count)),
            ])
        }
        writer.member("streaming", streaming ?? .null)
        writer.array("held") { writer in
            for thing in world.live?.holds.things ?? [] where thing.connection == connection.id {
                writer.value(thing.number)
            }
        }
        let next = Timestamp.earliest(
            facts?.nextTime, .earliest(connection.queuedRelease, connection.silencedUntil))
        writer.member("next_deadline", orNull: next.map { world.date(of: $0).nanosecondText })
    }
}

extension Connection {
    fileprivate func checkIsOpen(to action: String) throws(APIError) {
        guard [.open, .held].contains(socketState), isServed else { throw cannot(action) }
    }

    fileprivate func cannot(_ action: String) -> APIError {
        .socketCannot(action, "\(record.number?.number ?? 0)", socketState.rawValue)
    }
}

extension ChatProtocol {
    /// The `type` of the client's messages.
    fileprivate var messageType: String {
        switch self {
        case .stream: "message"
        case .assistantMessage: "user_message"
        }
    }
}
