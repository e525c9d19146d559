import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Text
import Traffic
import WebSocket

/// The admin API's sockets: the open WebSockets of a world, and what its operator does to them by hand.
///
/// A socket's number is its connection's number in the journal. What is done by hand is recorded with the fault
/// ``LiveControl/byHand``, so that judges do not accuse the client of it.
extension Engine {
    /// `GET /__admin/sockets`: in the order of their numbers.
    ///
    /// A socket that closes while the list is made is left out.
    func socketList(of world: World, at now: Timestamp) -> Answer {
        enterDue(world, at: now)
        var sockets: [(number: UInt64, id: ConnectionID)] = []
        for connection in connections {
            if let number = connection.socketNumber(in: world) { sockets.append((number, connection.id)) }
        }
        sockets.sort { $0.number < $1.number }
        let source = PartSource("sockets", of: sockets) { [unowned self] socket, writer in
            guard let connection = self[socket.id], connection.socketNumber(in: world) == socket.number else {
                return 64
            }
            writer.object { write(connection, number: socket.number, of: world, to: &$0) }
            return 1024
        }
        return Answer(source)
    }

    /// `GET /__admin/sockets/{n}`: the socket, and examples of what it may be sent; 404 if it is not open.
    func socketAnswer(_ number: ExactString, of world: World, at now: Timestamp) throws(APIError) -> Answer {
        let (connection, number) = try openSocket(number, of: world, at: now)
        return .object { writer in
            write(connection, number: number, of: world, to: &writer)
            frameTemplates(of: connection, in: world).write(to: &writer)
        }
    }

    /// `POST /__admin/sockets/{n}/send`: sends a message or a ping past all faults and breakpoints.
    ///
    /// - Throws: 404 if the socket is not open, 400 for a bad body, 409 if it closes or is silent.
    func send(_ body: [UInt8], onSocket number: ExactString, of world: World, at now: Timestamp) throws(APIError)
        -> Answer
    {
        let connection = try openSocket(number, of: world, at: now).connection
        let (payload, opcode) = try message(AdminBody(body, keys: Self.sendKeys), for: connection, in: world)
        guard connection.socketState == .open, connection.isServed else {
            throw .socketCannot("send", number.text, connection.socketState.rawValue)
        }
        send(payload, opcode, faults: [LiveControl.byHand], on: connection, in: world, at: now)
        return .object { $0.member("sent", payload.count) }
    }

    /// The longest payload of a ping, and the longest reason of a close frame (RFC 6455 §5.5).
    static let pingBytes = 125
    static let reasonBytes = 123
    private static let sendKeys = ["text", "json", "base64", "template", "fields", "opcode"]

    private func message(
        _ body: AdminBody, for connection: Connection, in world: World
    ) throws(APIError) -> ([UInt8], Opcode) {
        let opcode = try body.text("opcode", expected: "\"ping\"")
        if let opcode, opcode != "ping" { throw .unknownChoice("opcode", got: opcode, allowed: ["ping"]) }
        let isPing = opcode != nil
        let fields = body["fields"]
        if let type = try body.text("template", expected: "the type of a frame, such as \"stream_chunk\"") {
            guard !isPing, !AdminBody.payloadKeys.contains(where: { body[$0] != nil }) else { throw .severalPayloads }
            guard let object = fields.map(\.object) ?? JSONObject() else {
                throw .wrongType("fields", expected: "an object", got: fields ?? .null)
            }
            let templates = frameTemplates(of: connection, in: world)
            guard let text = try templates.text(of: type, with: object) else {
                throw .unknownChoice("template", got: type, allowed: templates.all.map(\.type))
            }
            return (text, .text)
        }
        guard fields == nil else { throw .fieldsWithoutTemplate }
        let payload = try body.payload()
        guard isPing else {
            guard let payload else { throw .severalPayloads }
            return (payload.bytes, payload.isText ? .text : .binary)
        }
        let bytes = payload?.bytes ?? []
        guard bytes.count <= Self.pingBytes else {
            throw .tooManyBytes("text", limit: Self.pingBytes, got: bytes.count)
        }
        return (bytes, .ping)
    }

    /// `POST /__admin/sockets/{n}/close`: begins the closing handshake, also with a code that must not be sent.
    func close(_ body: [UInt8], socket number: ExactString, of world: World, at now: Timestamp) throws(APIError)
        -> Answer
    {
        let connection = try openSocket(number, of: world, at: now).connection
        let body = try AdminBody(body, keys: ["code", "reason"])
        let code = try body.number("code", in: 0...65_535) ?? 1000
        let reason = try body.text("reason", expected: "a text of at most \(Self.reasonBytes) bytes") ?? ""
        guard reason.utf8.count <= Self.reasonBytes else {
            throw .tooManyBytes("reason", limit: Self.reasonBytes, got: reason.utf8.count)
        }
        guard connection.socketState == .open, connection.isServed else {
            throw .socketCannot("close", number.text, connection.socketState.rawValue)
        }
        connection.record.endingRule = LiveControl.byHand
        forgetSocket(of: connection)
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: now)
        _ = connection.webSocket?.closeAnyway(
            code: CloseCode(rawValue: UInt16(code)), reason: reason, into: &connection.output.bytes)
        touch(connection)
        awaitReader(of: connection, at: now)
        return answer(about: connection, of: world)
    }

    /// `POST /__admin/sockets/{n}/finish` and `/reset`: ends the transport at once, without a close frame.
    func cut(
        _ ending: WireAction, _ body: [UInt8], socket number: ExactString, of world: World, at now: Timestamp
    ) throws(APIError) -> Answer {
        let connection = try openSocket(number, of: world, at: now).connection
        _ = try AdminBody(body, keys: [])
        if connection.socketState == .silent {
            connection.record.endingRule = LiveControl.byHand
            recorder.closed(connection, by: .server, .fault)
            end(connection, ending == .reset ? .reset : .close)
        } else {
            connection.record.endingRule = LiveControl.byHand
            forgetSocket(of: connection)
            // What a fault still holds back is lost, as the rest of the connection is.
            recorder.abandoned(connection, in: world)
            connection.output.discardHeld()
            drop(connection, ending, in: world, at: now)
        }
        return answer(about: connection, of: world)
    }

    /// `POST /__admin/sockets/{n}/silence`: from now on nothing is sent or read, until `resume`.
    ///
    /// A socket that stays silent is reset after ``longestSilence`` of the world's time.
    func silence(_ body: [UInt8], socket number: ExactString, of world: World, at now: Timestamp) throws(APIError)
        -> Answer
    {
        let connection = try openSocket(number, of: world, at: now).connection
        _ = try AdminBody(body, keys: [])
        guard connection.socketState == .open, connection.isServed else {
            throw .socketCannot("fall silent", number.text, connection.socketState.rawValue)
        }
        if connection.socketFaults == nil { connection.socketFaults = SocketFaults(seed: world.faults.seed) }
        connection.socketFaults?.gate(named: LiveControl.byHand)
        obeySocketFaults(of: connection)
        recorder.setIn(.silence, by: LiveControl.byHand, on: connection, in: world)
        let end = world.turn.now.advanced(byNanoseconds: Self.longestSilence)
        connection.silencedUntil = end
        if world.live == nil { world.live = LiveControl() }
        world.live?.silences.insert(connection.id, at: end)
        queueDeadline(of: world)
        touch(connection)
        return answer(about: connection, of: world)
    }

    /// `POST /__admin/sockets/{n}/resume`: sends what has waited, and reads what has arrived.
    func resume(_ body: [UInt8], socket number: ExactString, of world: World, at now: Timestamp) throws(APIError)
        -> Answer
    {
        let connection = try openSocket(number, of: world, at: now).connection
        _ = try AdminBody(body, keys: [])
        guard connection.silencedUntil != nil else {
            throw .socketCannot("resume", number.text, connection.socketState.rawValue)
        }
        connection.silencedUntil = nil
        recorder.record(.note("WebSocket \(number.text) is no longer silent"), at: world.turn.now, in: world)
        lendOutput(to: connection)
        if let outgoing = connection.socketFaults?.ungate() { deliver(outgoing, on: connection, in: world, at: now) }
        obeySocketFaults(of: connection)
        outputHasGrown(of: connection, at: now)
        return answer(about: connection, of: world)
    }

    /// Resets the sockets whose operator has kept them silent for too long.
    func endSilences(of world: World, at now: Timestamp) {
        while let (id, time) = world.live?.silences.popDue(at: world.turn.now) {
            guard let connection = self[id], connection.silencedUntil == time else { continue }
            connection.record.endingRule = LiveControl.byHand
            recorder.closed(connection, by: .server, .fault)
            forgetSocket(of: connection)
            end(connection, .reset)
        }
    }

    // MARK: Finding and describing

    /// The open socket with a number in a world whose due steps are done; 404 if there is none.
    func openSocket(
        _ number: ExactString, of world: World, at now: Timestamp
    ) throws(APIError) -> (connection: Connection, number: UInt64) {
        enterDue(world, at: now)
        if let wanted = UInt64(number.text) {
            for connection in connections where connection.socketNumber(in: world) == wanted {
                return (connection, wanted)
            }
        }
        throw .unknownSocket(number.text)
    }

    /// Does what is due in a world, because the loop may be late, and sets the time of what happens next in it.
    func enterDue(_ world: World, at now: Timestamp) {
        advance(world, to: world.clock.now(now), at: now)
        enter(world, at: now)
    }

    /// The socket as it is now; 204 if it is gone.
    private func answer(about connection: Connection, of world: World) -> Answer {
        guard let number = connection.socketNumber(in: world) else { return .noContent }
        return .object { write(connection, number: number, of: world, to: &$0) }
    }

    private func frameTemplates(of connection: Connection, in world: World) -> FrameTemplates {
        let context = world.backend.frameContext(of: connection.id.socket)
        return FrameTemplates(
            consultation: context?.consultation, user: context?.user ?? world.defaultUser,
            form: context?.form ?? world.mode, mode: world.mode, at: world.turn.now)
    }

    private func write(_ connection: Connection, number: UInt64, of world: World, to writer: inout JSONWriter) {
        let (record, now) = (connection.record, world.turn.now)
        let facts = world.replay == nil ? world.backend.facts(of: connection.id.socket) : nil
        writer.member("connection", Int(clamping: number))
        writer.member("world", world.name)
        writer.member("endpoint", orNull: record.opening?.endpoint?.name)
        writer.member("path", record.opening?.path ?? "")
        writer.member("user", orNull: record.opening?.user?.text)
        writer.member("consultation", orNull: facts?.consultation?.description)
        writer.member("protocol", orNull: facts?.chatProtocol?.messageType)
        writer.member("state", connection.socketState.rawValue)
        writer.member("secure", connection.isSecure)
        let openedAt = record.opening?.time ?? now
        writer.member("opened_at", openedAt.nanosecondText)
        let age = max(0, now.nanosecondsSinceEpoch - openedAt.nanosecondsSinceEpoch)
        writer.member("age", Durations.seconds(age) + "s")
        writer.member("frames_in", record.framesIn)
        writer.member("frames_out", record.framesOut)
        writer.member("unsent_bytes", connection.output.count)
        if let streaming = facts?.streaming {
            writer.object("streaming") { writer in
                writer.member("message_id", streaming.messageID.description)
                writer.member("piece", streaming.piece)
                writer.member("of", streaming.count)
            }
        } else {
            writer.memberNull("streaming")
        }
        let next = Timestamp.earliest(
            facts?.nextTime, .earliest(connection.queuedRelease, connection.silencedUntil))
        writer.member("next_deadline", orNull: next?.nanosecondText)
    }
}

extension Connection {
    /// Its number in a world's journal, if it is an open WebSocket of the world that its client knows of.
    func socketNumber(in world: World) -> UInt64? {
        guard self.world === world, isOpenSocket, !isEcho, ending == .none, let number = record.number,
            number.world == world.number
        else { return nil }
        return number.number
    }

    enum SocketState: String { case open, closing, silent }

    var socketState: SocketState {
        isSilent || silencedUntil != nil ? .silent : webSocket?.canSend ?? false ? .open : .closing
    }
}

extension ChatProtocol {
    /// The `type` of the client's frames.
    fileprivate var messageType: String {
        switch self {
        case .stream: "message"
        case .assistantMessage: "user_message"
        }
    }
}

extension APIError {
    static func unknownSocket(_ number: String) -> APIError {
        APIError(
            .notFound, .notFound,
            "This world has no open WebSocket \(number.quoted(limit: 40)); see GET /__admin/sockets.")
    }

    static func socketCannot(_ action: String, _ number: String, _ state: String) -> APIError {
        APIError(.conflict, .badRequest, "WebSocket \(number) is \(state): it cannot \(action).")
    }

    static let severalPayloads = invalid(
        "Say what to send as one of {\"text\": \"…\"}, {\"json\": …}, {\"base64\": \"…\"} and {\"template\": "
            + "\"stream_chunk\", \"fields\": {…}}.")

    static let fieldsWithoutTemplate = invalid("'fields' replaces members of a 'template', and there is none.")
}
