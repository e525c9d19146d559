import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import Replay
import WebSocket

/// Worlds in which a recorded session answers in place of the backend.
extension Engine {
    /// The recorded answer to a request; nil where it opened a WebSocket.
    ///
    /// - Throws: 404 for what was not recorded, and what is wrong with a handshake.
    func replayAnswer(
        _ exchange: inout Exchange, in world: World, on connection: Connection, at now: Timestamp
    ) throws(APIError) -> Answer? {
        let head = exchange.head
        let isHandshake = head.isWebSocketHandshake
        if isHandshake {
            exchange.handshakeFaults = world.faults.openSocket(at: world.turn.now)
        } else {
            exchange.responseFaults = world.faults.respond(to: exchange.endpoint, at: world.turn.now)
        }
        let form = errorForm(of: exchange, in: world)
        if let faults = exchange.handshakeFaults, !faults.opensSocket {
            // Without a refusal of its own the connection ends before a byte of this.
            return faults.answer(in: form).map(Answer.init) ?? Answer(status: .serviceUnavailable, body: [])
        }
        let replacement = exchange.responseFaults?.replacement
        if let replacement, !replacement.isProcessed {
            return exchange.responseFaults?.answer(in: form).map(Answer.init)
        }
        let accepted = isHandshake ? try acceptHandshake(head) : HTTPFields()
        // What was due happens before the request is looked at.
        advanceReplay(of: world, at: now)
        defer { queueDeadline(of: world) }
        let answer = ask(&exchange, in: world, on: connection)
        guard replacement == nil else {
            // The answer alone is lost: the session goes on as if it had come.
            exchange.playback = nil
            return exchange.responseFaults?.answer(in: form).map(Answer.init)
        }
        switch answer {
        case .answer(let answer): return answer
        case .refusal(let refusal): throw refusal
        case .socket(let socket, let fields):
            open(socket, HTTPFields(Array(accepted) + Array(fields)), &exchange, in: world, on: connection, at: now)
            return nil
        }
    }

    /// What becomes of a request.
    private enum Outcome {
        case answer(Answer)
        case socket(ReplaySocket, HTTPFields)
        case refusal(APIError)
    }

    private func ask(_ exchange: inout Exchange, in world: World, on connection: Connection) -> Outcome {
        let request = exchange.replayRequest(secureOrigin: connection.isSecure ? configuration.secureOrigin : nil)
        guard let answer = world.replay?.player.answer(request, at: world.turn.now) else {
            preconditionFailure("Only a world that plays a session back is asked.")
        }
        switch answer {
        case .response(let response):
            exchange.playback = Playback(response)
            if response.status != 401 { exchange.user = exchange.head.presentedUser }
            return .answer(Answer(response))
        case .noAnswer(let wait):
            exchange.playback = Playback(wait: wait, isEmpty: true, ending: .finish)
            return .answer(Answer(status: .serviceUnavailable, body: []))
        case .socket(let opening):
            exchange.playback = Playback(wait: opening.after)
            exchange.user = exchange.head.presentedUser
            return .socket(opening.socket, HTTPFields(opening.fields))
        case .unexpected(let miss):
            exchange.unmatched = exchange.endpoint == nil ? .unknownPath : .notRecorded
            return .refusal(.notRecorded(miss))
        }
    }

    private func open(
        _ socket: ReplaySocket, _ fields: HTTPFields, _ exchange: inout Exchange, in world: World,
        on connection: Connection, at now: Timestamp
    ) {
        let start = connection.output.bytes.count
        let offset = connection.output.writtenOffset
        let fields = switchProtocols(exchange.head, fields, on: connection, use: .replay(socket), at: now)
        let wait = exchange.playback?.wait ?? 0
        let isHeld = shape(&exchange, from: start, on: connection)
        recorder.opened(exchange, fields, from: offset, on: connection, in: world)
        if isHeld { release(connection, in: world, at: now) }
        connection.socketFaults = exchange.handshakeFaults?.socket
        world.replay?.open(socket, on: connection.id)
        world.replay?.player.opened(socket, at: world.turn.now.advanced(byNanoseconds: wait))
        advanceReplay(of: world, at: now)
        receiveTrailingBytes(of: connection, at: now)
    }

    /// Takes a message of a client's.
    func replay(_ frame: ReplayMessage, from socket: ReplaySocket, in world: World, at now: Timestamp) {
        advanceReplay(of: world, at: now)
        world.replay?.player.receive(frame, on: socket, at: world.turn.now)
        advanceReplay(of: world, at: now)
    }

    /// Has the server's frames go that are due by the world's time.
    func advanceReplay(of world: World, at now: Timestamp) {
        let effects = world.replay?.player.advance(to: world.turn.now) ?? []
        for effect in effects { play(effect, in: world, at: now) }
        queueDeadline(of: world)
    }

    private func play(_ effect: ReplayEffect, in world: World, at now: Timestamp) {
        // A fault may have ended it before, or have it say nothing more.
        guard let id = world.replay?.connection(of: effect.socket), let connection = self[id],
            connection.ending == .none, !connection.isSilent
        else { return }
        switch effect.action {
        case .text(let text): send(text, on: connection, in: world, at: now)
        case .binary(let bytes): send(bytes, .binary, on: connection, in: world, at: now)
        case .ping(let bytes): send(bytes, .ping, on: connection, in: world, at: now)
        case .close(let code, let reason):
            lendOutput(to: connection)
            sendWhatWaits(on: connection, at: now)
            _ = connection.webSocket?.closeAnyway(
                code: code.map(CloseCode.init(rawValue:)), reason: reason, into: &connection.output.bytes)
            touch(connection)
            awaitReader(of: connection, at: now)
        case .finish: drop(connection, .finish, in: world, at: now)
        case .reset: drop(connection, .reset, in: world, at: now)
        }
    }

    /// Sends a binary message or a ping, which no fault touches.
    private func send(
        _ payload: [UInt8], _ opcode: Opcode, on connection: Connection, in world: World, at now: Timestamp
    ) {
        lendOutput(to: connection)
        let start = connection.output.writtenOffset
        let isSent =
            opcode == .ping
            ? connection.webSocket?.ping(payload, into: &connection.output.bytes)
            : connection.webSocket?.send(binary: payload, into: &connection.output.bytes)
        if isSent ?? false { recorder.sent(payload, opcode, from: start, on: connection, in: world) }
        outputHasGrown(of: connection, at: now)
    }

    /// Ends a connection without a close frame, as the recorded one ended, behind what is still to be sent.
    private func drop(
        _ connection: Connection, _ ending: WireAction, in world: World, at now: Timestamp
    ) {
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: now)
        connection.output.append(Transmission(marks: [.init(0, ending)]))
        release(connection, in: world, at: now)
    }
}
