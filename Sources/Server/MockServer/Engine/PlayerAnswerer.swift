import FitIQAPI
import HTTPTypes
import Replay
import Traffic
import WebSocket

/// Answers requests and sends frames from a recorded session, in worlds that replay one.
struct PlayerAnswerer {
    let engine: Engine

    /// The recorded answer to a request; nil if the request opened a WebSocket or waits; throws 404 if none was
    /// recorded.
    func answer(_ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, world, now) = (exchange.head, exchange.world, exchange.now)
        let isHandshake = head.isWebSocketHandshake
        let replacement = exchange.responseFaults?.replacement
        let accepted = isHandshake ? try engine.acceptHandshake(exchange, in: world) : HTTPFields()
        // Send due frames before matching the request.
        advance(world, at: now)
        defer { engine.queueDeadline(of: world) }
        let request = exchange.replayRequest(
            secureOrigin: exchange.connection.isSecure ? engine.configuration.secureOrigin : nil)
        guard let answer = world.replay?.player.answer(request, at: world.turn.date) else {
            preconditionFailure("The world must replay a session.")
        }
        exchange.note(answer)
        guard replacement == nil else {
            // The client loses the answer, but the session continues as if it had been sent.
            exchange.playback = nil
            return exchange.responseFaults?.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(
                Answer.init)
        }
        switch answer {
        case .response(let response): return Answer(response)
        case .noAnswer: return Answer(status: .serviceUnavailable, body: [])
        case .unexpected(let miss): throw .notRecorded(miss)
        case .socket(let opening):
            let connection = exchange.connection
            engine.open(.replay(opening.socket), HTTPFields(Array(accepted) + HTTPFields(opening.fields)), exchange)
            world.replay?.connections[opening.socket] = connection.id
            world.replay?.player.opened(opening.socket, at: world.turn.now.advanced(byNanoseconds: opening.after))
            advance(world, at: now)
            engine.queuePing(on: connection, in: world, at: now)
            engine.receiveTrailingBytes(of: connection, at: now)
            return nil
        }
    }

    func receive(_ frame: ReplayMessage, from socket: ReplaySocket, in world: World, at now: Timestamp) {
        advance(world, at: now)
        world.replay?.player.receive(frame, on: socket, at: world.turn.now, date: world.turn.date)
        advance(world, at: now)
    }

    /// Sends the recorded frames that are due by the world's time.
    func advance(_ world: World, at now: Timestamp) {
        let effects = world.replay?.player.advance(to: world.turn.now) ?? []
        for effect in effects { play(effect, in: world, at: now) }
        engine.queueDeadline(of: world)
    }

    private func play(_ effect: ReplayEffect, in world: World, at now: Timestamp) {
        // A fault may have ended or silenced the connection.
        guard let id = world.replay?.connections[effect.socket], let connection = engine[id], connection.isServed
        else { return }
        switch effect.action {
        case .text(let text): engine.send(text, on: connection, in: world, at: now)
        case .binary(let bytes): engine.send(bytes, .binary, on: connection, in: world, at: now)
        case .ping(let bytes): engine.send(bytes, .ping, on: connection, in: world, at: now)
        case .close(let code, let reason):
            engine.closeAnyway(connection, code: code.map(CloseCode.init(rawValue:)), reason: reason, at: now)
        case .finish: engine.drop(connection, .finish, in: world, at: now)
        case .reset: engine.drop(connection, .reset, in: world, at: now)
        }
    }
}

extension Exchange {
    /// Stores a session's answer for the journal.
    fileprivate func note(_ answer: ReplayAnswer) {
        switch answer {
        case .response(let response):
            playback = Playback(response)
            if response.status != 401 { user = head.presentedUser }
        case .noAnswer(let wait): playback = Playback(wait: wait, isEmpty: true, ending: .finish)
        case .socket(let opening):
            playback = Playback(wait: opening.after)
            user = head.presentedUser
        case .unexpected: unmatched = endpoint == nil ? .unknownPath : .notRecorded
        }
    }

    /// The request as a replay reads it; if `secureOrigin` is not nil, URLs in the answer start with that origin.
    fileprivate func replayRequest(secureOrigin: String?) -> ReplayRequest {
        var target = head.target.path
        if let query = head.target.query { target += "?" + query }
        return ReplayRequest(
            method: head.method.rawValue, target: target,
            fields: head.fields.httpFields.map { SessionField($0.name.rawName, $0.value) }, body: body,
            isHandshake: head.isWebSocketHandshake,
            origin: secureOrigin.map { $0 + (destination.worldID.map { "/w/\($0)" } ?? "") })
    }
}
