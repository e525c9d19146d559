import Digests
import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Replay
import Traffic
import WebSocket

/// Replay: in some worlds, a recorded session answers in place of the backend.
extension Engine {
    /// The recorded answer to a request; nil if the request opened a WebSocket or waits; throws 404 if none was
    /// recorded.
    func replayAnswer(_ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, world, now) = (exchange.head, exchange.world, exchange.now)
        let isHandshake = head.isWebSocketHandshake
        switch try intercept(exchange, isHandshake: isHandshake) {
        case .held: return nil
        case .answered(let answer): return answer
        case .passed: break
        }
        let replacement = exchange.responseFaults?.replacement
        let accepted = isHandshake ? try acceptHandshake(head, in: world) : HTTPFields()
        // Send due frames before matching the request.
        advanceReplay(of: world, at: now)
        defer { queueDeadline(of: world) }
        let request = exchange.replayRequest(
            secureOrigin: exchange.connection.isSecure ? configuration.secureOrigin : nil)
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
            open(.replay(opening.socket), HTTPFields(Array(accepted) + HTTPFields(opening.fields)), exchange)
            world.replay?.open(opening.socket, on: connection.id)
            world.replay?.player.opened(opening.socket, at: world.turn.now.advanced(byNanoseconds: opening.after))
            advanceReplay(of: world, at: now)
            queuePing(on: connection, in: world, at: now)
            receiveTrailingBytes(of: connection, at: now)
            return nil
        }
    }

    /// The effect of faults and breakpoints on a request, before a recording or a real server answers it.
    enum Interception {
        case passed, held
        /// A fault answers instead; nil if the fault sends no answer.
        case answered(Answer?)
    }

    func intercept(_ exchange: Exchange, isHandshake: Bool) throws(APIError) -> Interception {
        let world = exchange.world
        if !exchange.isReleased {
            if isHandshake {
                exchange.handshakeFaults = world.faults.openSocket(exchange.endpoint, at: world.turn.now)
            } else {
                exchange.responseFaults = try responseFaults(of: exchange)
            }
            if passBreakpoints(exchange) == .stopped { return .held }
        }
        if let refusal = exchange.refusedHandshake { return .answered(refusal) }
        guard let faults = exchange.responseFaults, let replacement = faults.replacement, !replacement.isProcessed
        else { return .passed }
        return .answered(faults.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(Answer.init))
    }

    func replay(_ frame: ReplayMessage, from socket: ReplaySocket, in world: World, at now: Timestamp) {
        advanceReplay(of: world, at: now)
        world.replay?.player.receive(frame, on: socket, at: world.turn.now, date: world.turn.date)
        advanceReplay(of: world, at: now)
    }

    /// Sends the recorded frames that are due by the world's time.
    func advanceReplay(of world: World, at now: Timestamp) {
        let effects = world.replay?.player.advance(to: world.turn.now) ?? []
        for effect in effects { play(effect, in: world, at: now) }
        queueDeadline(of: world)
    }

    private func play(_ effect: ReplayEffect, in world: World, at now: Timestamp) {
        // A fault may have ended or silenced the connection.
        guard let id = world.replay?.connection(of: effect.socket), let connection = self[id], connection.isServed
        else { return }
        switch effect.action {
        case .text(let text): send(text, on: connection, in: world, at: now)
        case .binary(let bytes): send(bytes, .binary, on: connection, in: world, at: now)
        case .ping(let bytes): send(bytes, .ping, on: connection, in: world, at: now)
        case .close(let code, let reason):
            closeAnyway(connection, code: code.map(CloseCode.init(rawValue:)), reason: reason, at: now)
        case .finish: drop(connection, .finish, in: world, at: now)
        case .reset: drop(connection, .reset, in: world, at: now)
        }
    }

    /// Sends a recorded or real server's close frame after the messages held by faults.
    func closeAnyway(_ connection: Connection, code: CloseCode?, reason: String, at now: Timestamp) {
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: now)
        _ = connection.webSocket?.closeAnyway(code: code, reason: reason, into: &connection.output.bytes)
        touch(connection)
        carry(connection, at: now)
        awaitReader(of: connection, at: now)
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
        if isSent == true { recorder.sent(payload, opcode, faults: faults, from: start, on: connection, in: world) }
        outputHasGrown(of: connection, at: now)
    }

    /// Ends a connection once the remaining output is sent, without a close frame.
    func drop(_ connection: Connection, _ ending: WireAction, in world: World, at now: Timestamp) {
        lendOutput(to: connection)
        sendWhatWaits(on: connection, at: now)
        connection.output.append(Transmission(marks: [.init(0, ending)]))
        release(connection, in: world, at: now)
    }
}

extension Engine {
    /// Whether the default world's session has paths below `/w/{id}` and no world has that id.
    func replaysPath(below id: ExactString) -> Bool {
        guard configuration.hasDefaultWorld, let replay = defaultWorld.replay else { return false }
        return replay.player.plan.worlds.contains(id) && worlds[id] == nil
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
    func replayRequest(secureOrigin: String?) -> ReplayRequest {
        var target = head.target.path
        if let query = head.target.query { target += "?" + query }
        return ReplayRequest(
            method: head.method.rawValue, target: target,
            fields: head.fields.httpFields.map { SessionField($0.name.rawName, $0.value) }, body: body,
            isHandshake: head.isWebSocketHandshake,
            origin: secureOrigin.map { $0 + (destination.worldID.map { "/w/\($0)" } ?? "") })
    }
}

extension RequestHead {
    var isWebSocketHandshake: Bool { wantsUpgrade && fields.hasToken("websocket", in: .upgrade) }

    /// The user of the credentials, which are not verified, because the recorded server accepted them.
    ///
    /// The user is the token's subject, `replayed` if the token has no subject, and nil if there are no credentials.
    var presentedUser: ExactString? { user { _ in "replayed" } }

    /// The user for a real server; each token that has no subject counts as a separate user.
    var upstreamUser: ExactString? {
        user { ExactString("token-" + String(Array($0.utf8).fnv1a, radix: 16)) }
    }

    private func user(ofOpaque name: (_ token: String) -> ExactString) -> ExactString? {
        guard let token = presentedToken else { return fields.contains(.xAPIKey) ? "replayed" : nil }
        return Self.subject(of: token) ?? name(token)
    }

    private var presentedToken: String? {
        let field = fields[.authorization].map { $0.lowercased().hasPrefix("bearer ") ? String($0.dropFirst(7)) : $0 }
        return field ?? target.queryItems().first { $0.name == "token" }?.value
    }

    /// The `sub` claim of a JSON Web Token (RFC 7519 §4.1.2); nil unless it can be a user's id.
    private static func subject(of token: String) -> ExactString? {
        guard token.utf8.count <= 4096 else { return nil }
        // Compare bytes, because splitting a token by characters costs more than the rest of a request.
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(String(Substring(parts[1]))),
            let subject = (try? JSON.parse(payload))?["sub"]?.string, AccessToken.isUser(subject)
        else { return nil }
        return ExactString(subject)
    }
}

extension Playback {
    convenience init(_ response: ReplayResponse) {
        let isCut = response.then == .finish
        // If the length is unknown, at least one byte is missing, because the recording marks the body as truncated.
        let missing = isCut ? max((response.declaredLength ?? 0) - response.body.count, 1) : 0
        self.init(wait: response.after, missing: missing, ending: isCut ? .finish : nil)
    }
}

extension HTTPFields {
    /// Creates fields from recorded fields, except for those that have invalid names.
    init(_ fields: [SessionField]) {
        self.init()
        for field in fields {
            if let name = HTTPField.Name(field.name) { append(HTTPField(name: name, value: field.value)) }
        }
    }
}

/// When to send a recorded answer, and how to end its connection.
///
/// This is a class so that it takes little memory in the many exchanges that have no recorded time.
final class Playback {
    /// The recorded server's response time, in nanoseconds by the world's clock.
    let wait: Int64
    /// The number of body bytes that are missing from the recording.
    let missing: Int
    let isEmpty: Bool
    let ending: WireAction?

    init(wait: Int64 = 0, missing: Int = 0, isEmpty: Bool = false, ending: WireAction? = nil) {
        (self.wait, self.missing, self.isEmpty, self.ending) = (wait, missing, isEmpty, ending)
    }

    /// The response with the recorded wait and ending, applied after any faults; nil if it stays unchanged.
    func apply(to response: EncodedResponse, with faulty: Transmission?) -> Transmission? {
        guard wait > 0 || ending != nil else { return faulty }
        var result = faulty ?? original(response)
        if let ending, !result.endsConnection { result.marks.append(.init(result.bytes.count, ending)) }
        if wait > 0 { result.marks.insert(.init(0, .wait(min(wait, FaultLimits.longestWait))), at: 0) }
        return result
    }

    private func original(_ response: EncodedResponse) -> Transmission {
        if isEmpty { return Transmission() }
        // A `Content-Length` greater than the number of bytes shows the client that the body is incomplete.
        return missing > 0 ? response.apply([.contentLength(off: missing)], seed: 0) : Transmission(response.bytes)
    }
}
