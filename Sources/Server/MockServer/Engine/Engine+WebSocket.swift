import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes
import Traffic
import WebSocket

/// The WebSocket side of a connection: handshake, frames, closing.
extension Engine {
    /// Opens a socket for a consultation or for a user's meals.
    ///
    /// - Throws: A 401 for invalid credentials; 404 for an unknown consultation, or 400 for an inactive one; then 426
    ///   or 400 for handshake errors.
    func openSocket(of route: Route, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, world, connection) = (exchange.head, exchange.world, exchange.connection)
        if head.wantsUpgrade, !exchange.isReleased {
            exchange.handshakeFaults = world.faults.openSocket(exchange.endpoint, at: world.turn.now)
            if exchange.handshakeFaults != nil, passBreakpoints(exchange) == .stopped { return nil }
        }
        if let refusal = exchange.refusedHandshake { return refusal }
        let queryToken = head.target.queryItems().first { $0.name == "token" }?.value
        let user = try world.authenticator.webSocketUser(
            of: head.fields, queryToken: queryToken, last: &connection.lastAuthorization, in: &world.backend,
            at: world.turn.date)
        if let hint = world.authenticator.takeHint() { recorder.record(.note(hint), on: connection, in: world) }
        let consultation = route.id
        if let consultation { try world.backend.checkSocket(on: consultation, by: user) }
        exchange.user = world.backend.name(of: user)
        open(.backend, try acceptHandshake(head, in: world), exchange)
        if let consultation {
            try world.backend.openSocket(connection.id.socket, on: consultation, by: user, &world.turn)
        } else {
            world.backend.openMealSocket(connection.id.socket, by: user, &world.turn)
        }
        queuePing(on: connection, in: world, at: exchange.now)
        applyEffects(of: world, at: exchange.now)
        receiveTrailingBytes(of: connection, at: exchange.now)
        return nil
    }

    /// Opens the echo socket for a client with admin access.
    func openEcho(_ call: AdminCall) throws(APIError) -> Answer? {
        _ = switchProtocols(call.head, try acceptHandshake(call.head, in: call.world), on: call.connection, use: .echo)
        receiveTrailingBytes(of: call.connection, at: call.now)
        return nil
    }

    /// The fields of the 101 response.
    ///
    /// - Throws: A 426 or a different status for an invalid handshake, or a 400 if the client does not offer required
    ///   compression.
    func acceptHandshake(_ head: RequestHead, in world: World) throws(APIError) -> HTTPFields {
        let outcome = ServerHandshake.evaluate(
            method: head.method, isHTTP11: head.version == .http11, fields: head.fields.httpFields)
        switch outcome {
        case .notAnUpgrade: throw .upgradeRequired
        case .refuse(let status, let fields, let message):
            throw APIError(status, status.code == 426 ? .upgradeRequired : .badRequest, message, fields: fields)
        case .accept(var fields):
            guard let mode = world.settings.scenario.rules.compression, mode != .off else { return fields }
            fields[.secWebSocketExtensions] = CompressionTerms(answering: head.fields.httpFields)?.fieldValue
            guard mode == .on || fields[.secWebSocketExtensions] != nil else { throw .compressionRequired }
            return fields
        }
    }

    /// Accepts the handshake of a world's socket, applies its faults, and records it.
    func open(_ use: Connection.WebSocketUse, _ fields: HTTPFields, _ exchange: Exchange) {
        let connection = exchange.connection
        let start = connection.output.bytes.count
        let offset = connection.output.writtenOffset
        var fields = fields
        if exchange.handshakeFaults?.response.faults.contains(.compression(.declined)) == true {
            fields[.secWebSocketExtensions] = nil
        }
        fields = switchProtocols(exchange.head, fields, on: connection, use: use)
        shape(exchange, from: start)
        recorder.opened(exchange, fields, from: offset)
        if connection.output.isHeld { release(connection, in: exchange.world, at: exchange.now) }
        connection.socketFaults = exchange.handshakeFaults?.socket
    }

    /// Switches a connection to WebSocket, and returns the fields of the 101 response.
    private func switchProtocols(
        _ head: RequestHead, _ fields: HTTPFields, on connection: Connection, use: Connection.WebSocketUse
    ) -> HTTPFields {
        var fields = fields
        if fields[.date] == nil { fields[.date] = (connection.world ?? defaultWorld).responseFields.date }
        connection.http.switchProtocols(fields: fields, into: &connection.output.bytes)
        let limit = use.isOfWorld ? limits.webSocketMessage : limits.echoMessage
        connection.webSocket = WebSocket.Connection(
            role: .server, limits: WebSocket.Limits(message: limit), compression: CompressionTerms(agreedIn: fields))
        connection.webSocketUse = use
        connection.speaks = .webSocket
        connection.deadline = nil
        connections.webSocketOpened(on: connection)
        if connection.isEcho { observe?(.webSocketOpened(path: head.target.path)) }
        return fields
    }

    /// Handles frames that arrived with the handshake, and frees the HTTP state.
    func receiveTrailingBytes(of connection: Connection, at now: Timestamp) {
        // A fault on the first message may have silenced the connection.
        guard !connection.isSilent else { return connection.endRequests() }
        let bytes = connection.http.takeTrailingBytes()
        connection.endRequests()
        bytes.withUnsafeBytes { receiveFrames($0, on: connection, at: now) }
        // The server may have begun to shut down during the handshake.
        if isShuttingDown, connection.ending == .none { goAway(connection, at: now) }
    }

    func receiveFrames(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: Timestamp) {
        touch(connection)
        let world = connection.world ?? defaultWorld
        enter(world, at: now)
        withEvents { events in
            var rest = bytes
            while !rest.isEmpty, connection.isServed, connection.heldEvent == nil {
                let start = connection.output.bytes.count
                // Handle one event at a time, so that a message is answered before a following close frame is read.
                let count = connection.webSocket?.receiveUntilEvent(
                    rest, events: &events, output: &connection.output.bytes)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count ?? rest.count))
                for event in events {
                    if event.endsMessages { sendWhatWaits(on: connection, before: start, at: now) }
                    handle(event, on: connection, in: world, at: now)
                }
                events.removeAll(keepingCapacity: true)
                applyEffects(of: world, at: now)
            }
            if connection.heldEvent != nil, !rest.isEmpty { connection.unreadFrames = Array(rest) }
        }
        if connection.isServed, connection.webSocket?.shouldCloseTransport == true {
            forgetSocket(of: connection)
            linger(connection, at: now)
        }
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
    }

    private func handle(_ event: WebSocket.Event, on connection: Connection, in world: World, at now: Timestamp) {
        if connection.socketFaults != nil, passBreakpoints(event, on: connection, in: world) == .stopped { return }
        recorder.received(event, on: connection, in: world)
        forward(event, on: connection, in: world, at: now)
    }

    /// Passes a client's event to the backend, recording or upstream, or echoes it.
    func forward(_ event: WebSocket.Event, on connection: Connection, in world: World, at now: Timestamp) {
        switch (event, connection.webSocketUse) {
        case (.text(let text), .backend):
            world.backend.receive(text: text, from: connection.id.socket, &world.turn)
        case (.binary, .backend): world.backend.receiveBinary(from: connection.id.socket, &world.turn)
        case (.text(let text), .echo): _ = connection.webSocket?.send(text: text, into: &connection.output.bytes)
        case (.binary(let bytes), .echo): _ = connection.webSocket?.send(binary: bytes, into: &connection.output.bytes)
        case (.text(let text), .replay(let socket)): replay(.text(text), from: socket, in: world, at: now)
        case (.binary(let bytes), .replay(let socket)): replay(.binary(bytes), from: socket, in: world, at: now)
        case (.text, .upstream), (.binary, .upstream), (.ping, .upstream), (.pong, .upstream):
            if case .pong(let payload) = event, payload == connection.pings.awaited {
                connection.pings.awaited = nil
            } else if let upstream = connection.upstream {
                upstream.send(event)
                touch(upstream)
                account(connection)
            }
        case (.ping, let use), (.pong, let use):
            if case .pong(let payload) = event, payload == connection.pings.awaited { connection.pings.awaited = nil }
            if case .backend = use { world.backend.heard(from: connection.id.socket, &world.turn) }
        case (.closing, _): forgetSocket(of: connection)
        case (.failed(let code, let message), _):
            recorder.closed(connection, by: .client, .violation, message: message)
            observe?(.webSocketFailed(code: code.rawValue, message: message))
            forgetSocket(of: connection)
            linger(connection, at: now)
        }
    }

    /// Applies a backend's effects on its sockets, and queues its next deadline.
    func applyEffects(of world: World, at now: Timestamp) {
        worlds.accountStorage(of: world)
        queueDeadline(of: world)
        guard !world.turn.effects.isEmpty else { return }
        // Swap the array out and return its storage later, because streaming creates tens of thousands of effects per
        // second.
        var effects: [Effect] = []
        swap(&effects, &world.turn.effects)
        defer {
            effects.removeAll(keepingCapacity: true)
            if world.turn.effects.isEmpty { swap(&effects, &world.turn.effects) }
        }
        for index in effects.indices {
            switch effects[index] {
            case .send(let socket, let text):
                guard let connection = self[ConnectionID(socket)], connection.ending == .none else { continue }
                guard let overlay = world.settings.scenario.overlay, let endpoint = connection.record.opening?.endpoint
                else {
                    send(text, on: connection, in: world, at: now)
                    continue
                }
                send(overlay.change(text, of: endpoint), on: connection, in: world, at: now)
            case .close(let socket, let code, let reason):
                // A fault may have ended or silenced the connection.
                guard let connection = self[ConnectionID(socket)], connection.isServed else { continue }
                close(connection, code: CloseCode(rawValue: code), reason: reason, at: now)
            }
        }
    }

    func send(_ text: [UInt8], on connection: Connection, in world: World, at now: Timestamp) {
        lendOutput(to: connection)
        if connection.socketFaults == nil {
            let start = connection.output.writtenOffset
            let isSent = connection.webSocket?.send(text: text, into: &connection.output.bytes) == true
            if isSent { recorder.sent(text, from: start, on: connection, in: world) }
        } else {
            sendThroughFaults(text, on: connection, in: world, at: now)
            enforceHoldLimit(of: connection, in: world, at: now)
        }
        outputHasGrown(of: connection, at: now)
    }

    /// Handles new output; ends the connection if its client has too much unread output.
    func outputHasGrown(of connection: Connection, at now: Timestamp) {
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
        account(connection)
        if connection.output.count > limits.unsentBytes {
            cutOff(connection, .slowReader(limit: limits.unsentBytes))
        } else {
            enforceMemoryLimits(in: connection.world, at: now)
        }
    }

    func close(_ connection: Connection, code: CloseCode, reason: String, at now: Timestamp) {
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: now)
        _ = connection.webSocket?.close(code: code, reason: reason, into: &connection.output.bytes)
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
    }

    func goAway(_ connection: Connection, at now: Timestamp) {
        connection.record.isShutDown = true
        forgetSocket(of: connection)
        close(connection, code: .goingAway, reason: "The server is shutting down", at: now)
    }

    /// Resets a connection whose client reads too little and would not read a close frame either.
    func cutOff(_ connection: Connection, _ reason: Observation) {
        observe?(reason)
        loseHolds(of: connection)
        recorder.closed(connection, by: .server, .limit, message: reason.description)
        forgetSocket(of: connection)
        connection.output.discard()
        connection.input.discard()
        end(connection, .reset)
    }

    func forgetSocket(of connection: Connection) {
        guard connection.webSocket != nil, let world = connection.world else { return }
        switch connection.webSocketUse {
        case .backend: world.closeSocket(connection.id.socket)
        case .replay(let socket): world.replay?.forget(socket, at: world.turn.now)
        case .upstream:
            guard let upstream = connection.upstream else { return }
            connection.upstream = nil
            world.upstreamSocketCount -= 1
            upstream.close(connection.webSocket?.closeSummary)
            touch(upstream)
        case .echo: break
        }
    }

    /// Applies an exchange's faults and recording to the response that starts at a position in the output.
    ///
    /// If this function holds the output, call ``release(_:in:at:skippingWaits:)`` to start the waits.
    func shape(_ exchange: Exchange, from start: Int) {
        guard exchange.responseFaults != nil || exchange.handshakeFaults != nil || exchange.playback != nil else {
            return
        }
        let connection = exchange.connection
        let response = EncodedResponse(
            Array(connection.output.bytes[start...]),
            isAnswerToHead: (exchange.received?.head ?? exchange.head).method == .head)
        let faults = exchange.responseFaults ?? exchange.handshakeFaults?.response
        var transmission = faults?.apply(to: response)
        if let playback = exchange.playback { transmission = playback.apply(to: response, with: transmission) }
        guard let shaped = transmission else { return }
        exchange.shaped = Exchange.ShapedResponse(shaped, of: response, faults?.faults ?? [])
        // Bytes are missing from the recording, so the response is incomplete even after all recorded bytes have been
        // sent.
        if exchange.playback?.missing ?? 0 > 0, exchange.shaped?.delivery == .complete {
            exchange.shaped?.delivery = .partial
        }
        connection.output.replace(from: start, with: shaped)
    }

    /// Sends a text message through its socket's faults.
    func sendThroughFaults(_ text: [UInt8], on connection: Connection, in world: World, at now: Timestamp) {
        connection.socketFaults?.windowBits = connection.webSocket?.windowBits
        guard connection.webSocket?.canSend == true,
            let outgoing = connection.socketFaults?.send(text, at: world.turn.now)
        else { return }
        deliver(outgoing, on: connection, in: world, at: now)
    }

    /// Writes messages that have passed a socket's faults, and applies lasting and ending faults.
    func write(_ outgoing: Outgoing, on connection: Connection, in world: World, at now: Timestamp) {
        write(outgoing, on: connection, in: world)
        if let rule = outgoing.endingRule { connection.record.endingRule = rule }
        if let close = outgoing.close {
            forgetSocket(of: connection)
            _ = connection.webSocket?.closeAnyway(
                code: close.code.map(CloseCode.init(rawValue:)), reason: close.reason, into: &connection.output.bytes)
        }
        for lasting in outgoing.setIn {
            let effect: RecordedFault.Effect = lasting.fault == .withholdPong ? .withholdPong : .stallReading
            recorder.setIn(effect, by: lasting.ruleName, on: connection, in: world)
        }
        obeySocketFaults(of: connection)
        if !outgoing.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    /// Writes the messages that a fault has delayed.
    ///
    /// - Parameter start: The output position of a close frame that replies to the client and must follow the messages;
    ///   nil if there is none.
    func sendWhatWaits(on connection: Connection, before start: Int? = nil, at now: Timestamp) {
        guard connection.socketFaults != nil, let world = connection.world else { return }
        world.setTime(now)
        endHolds(of: connection, in: world)
        guard let waiting = connection.socketFaults?.close() else { return }
        let closeFrame = start.map { Array(connection.output.bytes[$0...]) }
        if let start { connection.output.replace(from: start, with: Transmission()) }
        write(waiting, on: connection, in: world)
        if let closeFrame { connection.output.append(Transmission(closeFrame)) }
        if !waiting.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    private func write(_ outgoing: Outgoing, on connection: Connection, in world: World) {
        let start = connection.output.writtenOffset
        connection.output.append(outgoing.transmission)
        connection.webSocket?.hasSentOtherwise()
        recorder.sent(outgoing.messages, from: start, on: connection, in: world)
    }

    /// Applies a socket's lasting faults to its connection's state machine.
    func obeySocketFaults(of connection: Connection) {
        guard let faults = connection.socketFaults else { return }
        connection.webSocket?.answersPings = !faults.withholdsPongs
        connection.isReadingStalled = faults.stallsReading
    }
}

extension WebSocket.Event {
    /// Whether the codec has answered the event with a close frame, after which no message may be sent.
    fileprivate var endsMessages: Bool {
        switch self {
        case .closing, .failed: true
        case .text, .binary, .ping, .pong: false
        }
    }
}
