import FitIQAPI
import JSON
import Text
import Traffic
import WebSocket

/// The admin API's sockets: a world's open WebSockets, and actions on them.
///
/// A socket's number is its connection's number in the journal. The journal records an action with the fault
/// ``LiveControl/byHand``, so that judges do not count it against the client.
extension AdminCall {
    /// `GET /__admin/sockets`: lists the open sockets by number.
    ///
    /// The list omits sockets that close while it is being sent.
    func listSockets() -> Answer {
        enterDue()
        let open = engine.connections.openSockets(of: world)
        let sockets = open.map { ($0.number, $0.connection.id) }.sorted { $0.0 < $1.0 }
        let source = PartSource("sockets", of: sockets) { [unowned engine = engine, world] socket, writer in
            guard let connection = engine[socket.1], connection.socketNumber(in: world) == socket.0 else { return 64 }
            writer.object { connection.write(in: world, to: &$0) }
            return 1024
        }
        return Answer(source)
    }

    /// `GET /__admin/sockets/{connection}`: the socket, with example frames.
    func showSocket() throws(APIError) -> Answer {
        let connection = try findSocket()
        return .object { writer in
            connection.write(in: world, to: &writer)
            frameTemplates(of: connection).write(to: &writer)
        }
    }

    /// `POST /__admin/sockets/{connection}/send`: sends a message or a ping that bypasses all faults and breakpoints.
    func send() throws(APIError) -> Answer {
        let connection = try findSocket()
        let keys = AdminBody.payloadKeys + ["template", "members", "fields", "opcode"]
        let body = try body(keys: keys, limits: JSON.Limits(bytes: engine.limits.frameBody))
        if body["fields"] != nil {
            guard body["members"] == nil else { throw .fieldsAndMembers }
            oldWords.note("'fields' is deprecated but still accepted; write 'members'.")
        }
        let (payload, opcode) = try message(body, for: connection)
        try connection.checkIsOpen(to: "send")
        engine.send(payload, opcode, faults: [LiveControl.byHand], on: connection, in: world, at: now)
        return .object { $0.member("sent", payload.count) }
    }

    private func message(_ body: AdminBody, for connection: Connection) throws(APIError) -> ([UInt8], Opcode) {
        let isPing = body["opcode"] != nil
        if isPing { _ = try body.choice("opcode", of: ["ping"]) }
        let payload = try body.payload(limit: isPing ? AdminLimits.pingBytes : engine.limits.webSocketMessage)
        if let type = try body.text("template", expected: "a frame type, such as \"stream_chunk\"") {
            guard !isPing, payload == nil else { throw .nothingToSend }
            let key = body["fields"] == nil ? "members" : "fields"
            let members = try body.value(key, expected: "an object", \.object) ?? [:]
            let templates = frameTemplates(of: connection)
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

    enum SocketAction { case close, finish, reset, silence, resume }

    /// `POST /__admin/sockets/{connection}/close`: sends a close frame with any code, even a forbidden one.
    ///
    /// `/finish` and `/reset` end the transport immediately, without a close frame. `/silence` stops sending and reading
    /// until `/resume`. The answer is the socket's new description, or 204 if it is gone.
    static func act(_ action: SocketAction) -> AdminResource.Handler {
        { call in { () throws(APIError) in try call.act(action) } }
    }

    private func act(_ action: SocketAction) throws(APIError) -> Answer {
        let connection = try findSocket()
        let body = try body(keys: action == .close ? ["code", "reason"] : [])
        switch action {
        case .close:
            let code = CloseCode(rawValue: UInt16(try body.number("code", in: 0...65_535) ?? 1000))
            let reason = try body.text("reason", bytes: 0...AdminLimits.reasonBytes) ?? ""
            try connection.checkIsOpen(to: "close")
            engine.liveSockets.close(connection, anywayWith: code, reason: reason, in: world, at: now)
        case .finish, .reset: engine.liveSockets.cut(connection, isReset: action == .reset, in: world, at: now)
        case .silence:
            try connection.checkIsOpen(to: "fall silent")
            engine.liveSockets.silence(connection, in: world)
        case .resume:
            guard connection.silencedUntil != nil else { throw connection.cannot("resume") }
            engine.liveSockets.resume(connection, in: world, at: now)
        }
        guard connection.socketNumber(in: world) != nil else { return .noContent }
        return .object { connection.write(in: world, to: &$0) }
    }

    /// Runs the world's steps that are due, and finds the open socket that the path names.
    private func findSocket() throws(APIError) -> Connection {
        enterDue()
        let wanted = UInt64(parameter.text)
        guard let socket = engine.connections.openSockets(of: world).first(where: { $0.number == wanted }) else {
            throw .unknownSocket(parameter.text)
        }
        return socket.connection
    }

    private func frameTemplates(of connection: Connection) -> FrameTemplates {
        guard let opening = connection.record.opening else {
            preconditionFailure("A world's socket must have been opened.")
        }
        let description = engine.socketDescriptions[world.mode] ?? APIDescription.asyncAPI.json(for: world.mode)
        engine.socketDescriptions[world.mode] = description
        return FrameTemplates(in: description, for: opening, at: world.turn.date)
    }
}

extension Connection {
    fileprivate func checkIsOpen(to action: String) throws(APIError) {
        guard [.open, .held].contains(socketState), isServed else { throw cannot(action) }
    }

    fileprivate func cannot(_ action: String) -> APIError {
        .socketCannot(action, "\(record.number?.number ?? 0)", socketState.rawValue)
    }

    /// Describes an open WebSocket of a world.
    fileprivate func write(in world: World, to writer: inout JSONWriter) {
        let now = world.turn.now
        let facts = world.replay == nil ? world.backend.facts(of: id.socket) : nil
        writer.member("connection", Int(clamping: number(in: world)))
        writer.member("world", world.name)
        writer.member("endpoint", orNull: record.opening?.endpoint?.name)
        writer.member("path", record.opening?.path ?? "")
        writer.member("user", orNull: record.opening?.user?.text)
        writer.member("consultation", orNull: record.opening?.consultation)
        // The `type` of the client's messages.
        let type = facts?.chatProtocol.map { $0 == .stream ? "message" : "user_message" }
        writer.member("protocol", orNull: type)
        writer.member("state", socketState.rawValue)
        writer.member("secure", isSecure)
        let openedAt = record.opening?.time ?? now
        writer.member("opened_at", world.date(of: openedAt).nanosecondText)
        let age = max(0, now.nanosecondsSinceEpoch - openedAt.nanosecondsSinceEpoch)
        writer.member("age", Durations.seconds(age) + "s")
        writer.member("frames_in", record.framesIn)
        writer.member("frames_out", record.framesOut)
        writer.member("unsent_bytes", output.count)
        let streaming = facts?.streaming.map { streaming in
            JSONValue.object([
                "message_id": .string(streaming.messageID.description), "piece": .number(JSONNumber(streaming.piece)),
                "of": .number(JSONNumber(streaming.count)),
            ])
        }
        writer.member("streaming", streaming ?? .null)
        writer.array("held") { writer in
            for thing in world.live?.holds.things ?? [] where thing.connection == id {
                writer.value(thing.number)
            }
        }
        let next = Timestamp.earliest(facts?.nextTime, .earliest(queuedRelease, silencedUntil))
        writer.member("next_deadline", orNull: next.map { world.date(of: $0).nanosecondText })
    }
}
