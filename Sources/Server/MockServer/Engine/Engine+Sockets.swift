import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes
import Traffic
import WebSocket

/// The walk of a message: from a client to the answerer, and from the answerer through the faults, the breakpoints and
/// the waits to the client.
extension Engine {
    // MARK: The handshake

    /// The fields of the 101 response.
    ///
    /// - Throws: A 426 or a different status for an invalid handshake, or a 400 if the client does not offer required
    ///   compression or has sent too much while the handshake was waiting.
    func acceptHandshake(_ exchange: Exchange, in world: World) throws(APIError) -> HTTPFields {
        let head = exchange.head
        let outcome = ServerHandshake.evaluate(
            method: head.method, isHTTP11: head.version == .http11, fields: head.fields.httpFields)
        switch outcome {
        case .notAnUpgrade: throw .upgradeRequired
        case .refuse(let status, let fields, let message):
            throw APIError(status, status.code == 426 ? .upgradeRequired : .badRequest, message, fields: fields)
        case .accept(var fields):
            // The codec has dropped bytes that belong to the new protocol.
            if let error = exchange.connection.http.failure { throw APIError(error.status, .badRequest, error.message) }
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
        recorder.recordOpening(exchange, fields, from: offset)
        if connection.output.isHeld { release(connection, in: exchange.world, at: exchange.now) }
        connection.socketFaults = exchange.handshakeFaults?.socket
    }

    /// Switches a connection to WebSocket, and returns the fields of the 101 response.
    func switchProtocols(
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
        connections.countWebSocket(on: connection)
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

    // MARK: From a client's bytes to the answerer

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
                    switch event {
                    // The codec has answered with a close frame, after which no message may be sent.
                    case .closing, .failed: sendDelayedMessages(on: connection, before: start, at: now)
                    case .text, .binary, .ping, .pong: break
                    }
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
        if connection.socketFaults != nil, breakpoints.pass(event, on: connection, in: world) == .stopped { return }
        recorder.recordReceived(event, on: connection, in: world)
        forward(event, on: connection, in: world, at: now)
    }

    func forward(_ event: WebSocket.Event, on connection: Connection, in world: World, at now: Timestamp) {
        switch (event, connection.webSocketUse) {
        case (.text(let text), .backend):
            world.backend.receive(text: text, from: connection.id.socket, &world.turn)
        case (.binary, .backend): world.backend.receiveBinary(from: connection.id.socket, &world.turn)
        case (.text(let text), .echo): _ = connection.webSocket?.send(text: text, into: &connection.output.bytes)
        case (.binary(let bytes), .echo): _ = connection.webSocket?.send(binary: bytes, into: &connection.output.bytes)
        case (.text(let text), .replay(let socket)): player.receive(.text(text), from: socket, in: world, at: now)
        case (.binary(let bytes), .replay(let socket)): player.receive(.binary(bytes), from: socket, in: world, at: now)
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
            recorder.recordEnd(of: connection, by: .client, .violation, message: message)
            observe?(.webSocketFailed(code: code.rawValue, message: message))
            forgetSocket(of: connection)
            linger(connection, at: now)
        }
    }

    /// Whether input on a socket has to wait: its world is paused, or earlier input is waiting or held.
    func waitsForWorld(_ connection: Connection) -> Bool {
        guard let world = connection.world else { return false }
        return world.isPaused || !connection.unreadFrames.isEmpty || connection.heldEvent != nil
    }

    func receiveUnreadFrames(of connection: Connection, at now: Timestamp) {
        let bytes = connection.unreadFrames
        connection.unreadFrames = []
        touch(connection)
        if connection.isServed {
            lendOutput(to: connection)
            bytes.withUnsafeBytes { receiveFrames($0, on: connection, at: now) }
        }
        account(connection)
    }

    // MARK: From an answerer's message to the client

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
        guard connection.socketFaults != nil else { return send(text, .text, on: connection, in: world, at: now) }
        lendOutput(to: connection)
        sendThroughFaults(text, on: connection, in: world, at: now)
        enforceHoldLimit(of: connection, in: world, at: now)
        handleNewOutput(of: connection, at: now)
    }

    private func sendThroughFaults(_ text: [UInt8], on connection: Connection, in world: World, at now: Timestamp) {
        connection.socketFaults?.windowBits = connection.webSocket?.windowBits
        guard connection.webSocket?.canSend == true,
            let outgoing = connection.socketFaults?.send(text, at: world.turn.now)
        else { return }
        deliver(outgoing, on: connection, in: world, at: now)
    }

    /// Writes the messages that have passed a socket's faults, up to the next message that a breakpoint holds.
    func deliver(_ outgoing: Outgoing, on connection: Connection, in world: World, at now: Timestamp) {
        var outgoing = outgoing
        write(outgoing, on: connection, in: world, at: now)
        while let held = outgoing.held, breakpoints.pass(held, on: connection, in: world) == .passed,
            let next = connection.socketFaults?.release(isDeclined: true)
        {
            outgoing = next
            write(outgoing, on: connection, in: world, at: now)
        }
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
            recorder.recordStart(of: effect, by: lasting.ruleName, on: connection, in: world)
        }
        obeySocketFaults(of: connection)
        if !outgoing.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }

    private func write(_ outgoing: Outgoing, on connection: Connection, in world: World) {
        let start = connection.output.writtenOffset
        connection.output.append(outgoing.transmission)
        connection.webSocket?.hasSentOtherwise()
        recorder.recordSent(outgoing.messages, from: start, on: connection, in: world)
    }

    /// Releases held messages while too many bytes are waiting behind them; resets the connection if an operator
    /// silenced it.
    private func enforceHoldLimit(of connection: Connection, in world: World, at now: Timestamp) {
        if connection.socketFaults?.isGated == true {
            guard connection.socketFaults?.heldBytes ?? 0 > limits.heldFrameBytes else { return }
            return cutOff(connection, .slowReader(limit: limits.heldFrameBytes))
        }
        while connection.socketFaults?.isHolding == true,
            connection.socketFaults?.heldBytes ?? 0 > limits.heldFrameBytes,
            let thing = world.live?.holds.things.first(where: { $0.connection == connection.id && $0.sender == .server }
            )
        {
            breakpoints.release(thing, of: world, as: .expired, at: now)
        }
    }

    /// Applies a socket's lasting faults to its connection's state machine.
    func obeySocketFaults(of connection: Connection) {
        guard let faults = connection.socketFaults else { return }
        connection.webSocket?.answersPings = !faults.withholdsPongs
        connection.isReadingStalled = faults.stallsReading
    }

    /// Sends a message or a ping, bypassing all faults; `faults` are only names for the journal.
    func send(
        _ payload: [UInt8], _ opcode: Opcode, faults: [String] = [], on connection: Connection, in world: World,
        at now: Timestamp
    ) {
        lendOutput(to: connection)
        let start = connection.output.writtenOffset
        let isSent =
            switch opcode {
            case .ping: connection.webSocket?.ping(payload, into: &connection.output.bytes)
            case .text: connection.webSocket?.send(text: payload, into: &connection.output.bytes)
            default: connection.webSocket?.send(binary: payload, into: &connection.output.bytes)
            }
        if isSent == true {
            recorder.recordSent(payload, opcode, faults: faults, from: start, on: connection, in: world)
        }
        handleNewOutput(of: connection, at: now)
    }

    /// Handles new output; ends the connection if its client has too much unread output.
    func handleNewOutput(of connection: Connection, at now: Timestamp) {
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
        account(connection)
        if connection.output.count > limits.unsentBytes {
            cutOff(connection, .slowReader(limit: limits.unsentBytes))
        } else {
            memory.enforceLimits(in: connection.world, at: now)
        }
    }

    // MARK: Output that faults and networks hold

    func carry(_ connection: Connection, at now: Timestamp) {
        guard connection.output.line != nil, connection.output.isHeld, let world = connection.world else { return }
        release(connection, in: world, at: now)
    }

    /// Passes the holds that are due in a connection's output, or all waits, and then ends or breaks the connection if
    /// required.
    func release(_ connection: Connection, in world: World, at now: Timestamp, skippingWaits: Bool = false) {
        let release = connection.output.release(at: world.turn.now, skippingWaits: skippingWaits)
        recorder.recordReleased(connection, in: world)
        switch release {
        case .all: connection.heldTime = 0
        case .until(let time):
            // Additional faults on the same output may call this function again before that time.
            guard connection.queuedRelease != time else { break }
            connection.queuedRelease = time
            queue(connection, in: world, at: time)
        case .broken: network.breakOff(connection, in: world, at: now)
        case .end(.silence):
            breakpoints.dropHolds(of: connection)
            recorder.recordAbandoned(connection, in: world)
            if let rule = connection.record.endingRule {
                recorder.recordStart(of: .silence, by: rule, on: connection, in: world)
            }
            fallSilent(connection, at: now)
        case .end(let action):
            precondition(action == .finish || action == .reset, "A wait must end at its own time.")
            breakpoints.dropHolds(of: connection)
            recorder.recordAbandoned(connection, in: world)
            let recorded: RecordedClosing.Cause = action == .reset ? .reset : .finish
            recorder.recordEnd(of: connection, by: .server, connection.endsAsRecorded ? recorded : .fault)
            forgetSocket(of: connection)
            if action == .reset {
                end(connection, .resetAfterOutput)
            } else {
                connection.endsAbruptly = true
                linger(connection, at: now)
            }
        }
        touch(connection)
        awaitReader(of: connection, at: now)
        // The client's time for reading starts with the release.
        if connection.deadline?.purpose == .idle { arm(connection, .idle, after: patience.idle, at: now) }
        account(connection)
    }

    /// Stops reading from and writing to a connection, but keeps it open until its client closes it or a time-out
    /// passes.
    private func fallSilent(_ connection: Connection, at now: Timestamp) {
        forgetSocket(of: connection)
        connection.isSilent = true
        // Otherwise, the transport would send FIN after an answer with `Connection: close`.
        if connection.ending == .lingering { connection.ending = .none }
        if connection.speaks == .http {
            connection.http = HTTP1.Connection(role: .server)
        } else {
            connection.endRequests()
        }
        connection.hasWaitingRequests = false
        arm(connection, .silence, after: Engine.longestSilence, at: now)
    }

    /// How long a silenced connection stays open, in nanoseconds: 10 minutes.
    static let longestSilence = FaultLimits.hang

    // MARK: Closing

    func close(_ connection: Connection, code: CloseCode, reason: String, at now: Timestamp) {
        lendOutput(to: connection)
        sendDelayedMessages(on: connection, at: now)
        _ = connection.webSocket?.close(code: code, reason: reason, into: &connection.output.bytes)
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
    }

    /// Sends a recorded or real server's close frame after the messages held by faults.
    func closeAnyway(_ connection: Connection, code: CloseCode?, reason: String, at now: Timestamp) {
        lendOutput(to: connection)
        sendDelayedMessages(on: connection, at: now)
        _ = connection.webSocket?.closeAnyway(code: code, reason: reason, into: &connection.output.bytes)
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
    }

    /// Ends a connection once the remaining output is sent, without a close frame.
    func drop(_ connection: Connection, _ ending: WireAction, in world: World, at now: Timestamp) {
        lendOutput(to: connection)
        sendDelayedMessages(on: connection, at: now)
        connection.output.append(Transmission(marks: [.init(0, ending)]))
        release(connection, in: world, at: now)
    }

    func goAway(_ connection: Connection, at now: Timestamp) {
        connection.record.isShutDown = true
        forgetSocket(of: connection)
        close(connection, code: .goingAway, reason: "The server is shutting down", at: now)
    }

    /// Resets a connection whose client reads too little and would not read a close frame either.
    func cutOff(_ connection: Connection, _ reason: Observation) {
        observe?(reason)
        breakpoints.dropHolds(of: connection)
        recorder.recordEnd(of: connection, by: .server, .limit, message: reason.description)
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

    /// Writes the messages that a fault has delayed.
    ///
    /// - Parameter start: The output position of a close frame that replies to the client and must follow the messages;
    ///   nil if there is none.
    func sendDelayedMessages(on connection: Connection, before start: Int? = nil, at now: Timestamp) {
        guard connection.socketFaults != nil, let world = connection.world else { return }
        world.setTime(now)
        breakpoints.endHolds(of: connection, in: world)
        guard let waiting = connection.socketFaults?.close() else { return }
        let closeFrame = start.map { Array(connection.output.bytes[$0...]) }
        if let start { connection.output.replace(from: start, with: Transmission()) }
        write(waiting, on: connection, in: world)
        if let closeFrame { connection.output.append(Transmission(closeFrame)) }
        if !waiting.transmission.marks.isEmpty { release(connection, in: world, at: now) }
    }
}
