import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Proxy
import Scenarios
import Text
import Traffic
import WebSocket

/// Answers requests and passes frames on from a world's real server; and relays whole connections, unread, to the server
/// whose traffic is recorded.
struct UpstreamAnswerer {
    let engine: Engine

    // MARK: Requests

    /// Decides who answers a request in a world that has an upstream.
    ///
    /// The fake answers CONNECT and the server's own paths, and requests that the upstream did not answer.
    func chooseAnswerer(_ exchange: Exchange, _ upstream: Upstream) -> RecordedExchange.Answerer {
        guard !exchange.isOfServer, exchange.head.method != .connect, exchange.answeredBy != .fake else { return .fake }
        if upstream.answerer(of: exchange.endpoint) != .fake { return .real }
        exchange.answeredBy = .fake
        return .fake
    }

    /// Sends a request to the world's real server, and makes the request wait for the answer, so the result is nil.
    func request(_ exchange: Exchange, from upstream: Upstream) throws(APIError) -> Answer? {
        // Refuse an invalid handshake here, just as the server does when there is no upstream.
        if exchange.head.isWebSocketHandshake { _ = try engine.acceptHandshake(exchange, in: exchange.world) }
        guard engine.reachesUpstreams, let url = upstream.url else { throw .unreachable(upstream) }
        exchange.requestedAt = exchange.requestedAt ?? exchange.world.turn.now
        exchange.connection.waiting = .forUpstream
        let connection = connect(exchange.connection, to: url)
        connection.send(
            exchange, target: exchange.upstreamTarget(credentials(for: exchange)),
            fields: fields(of: exchange))
        engine.touch(connection)
        engine.account(exchange.connection)
        return nil
    }

    /// The client's connection to an upstream: the one used for its last request, or a new one.
    private func connect(_ connection: Connection, to url: UpstreamURL) -> UpstreamConnection {
        if let present = connection.upstream, present.isReady(for: url) { return present }
        leave(connection)
        let upstream = UpstreamConnection(connection, to: url, engine.configuration)
        connection.upstream = upstream
        return upstream
    }

    func leave(_ connection: Connection) {
        guard let upstream = connection.upstream else { return }
        if let exchange = upstream.exchange, connection.waiting == .forUpstream {
            engine.recorder.record(.exchange(exchange.abandoned), on: connection, in: exchange.world)
        }
        connection.upstream = nil
        upstream.leave()
        if connection.speaks == .relayed { report(upstream) }
        engine.touch(upstream)
    }

    /// The credentials for a world's upstream.
    ///
    /// The operator's credentials are only for the operator's own upstream, not for an upstream named in a request that
    /// created a world.
    private func credentials(for exchange: Exchange) -> UpstreamCredentials {
        let (url, known) = (exchange.world.settings.scenario.upstream?.url, engine.configuration.upstreamCredentials)
        let isOwn = url == engine.configuration.scenario.upstream?.url || url.map(known.servers.contains) ?? false
        return isOwn ? known : UpstreamCredentials()
    }

    /// The request's fields for the relay, with the operator's credentials in place of the fake's credentials.
    private func fields(of exchange: Exchange) -> HTTPFields {
        let hopByHop = HopByHop(exchange.head.fields)
        let (world, credentials) = (exchange.world, credentials(for: exchange))
        var fields = HTTPFields()
        for field in exchange.head.fields.httpFields {
            var field = field
            switch field.name.canonicalName {
            // Faults and the journal need bodies as text, so the engine itself handles the client's content coding.
            case "accept-encoding", "expect", "x-fake-fault": continue
            // Each request needs a Host field (RFC 9112 §3.2), even if `Connection` lists it.
            case "host": break
            case "content-encoding": if case .done? = exchange.inflation { continue }
            case "x-api-key" where field.value == world.settings.apiKey:
                field.value = credentials.apiKey ?? field.value
            case "authorization" where field.value.lowercased().hasPrefix("bearer "):
                if let token = credentials.token, world.isOwn(token: String(field.value.dropFirst(7))) {
                    field.value = "Bearer \(token)"
                }
            case let name where hopByHop.contains(name): continue
            default: break
            }
            fields.append(field)
        }
        // An HTTP/1.0 client may send no Host field.
        if !exchange.head.fields.contains(.hostField), let own = URLParts(engine.configuration.origin).authority {
            fields.append(HTTPField(name: .hostField, value: String(own)))
        }
        if exchange.head.isWebSocketHandshake {
            fields.append(HTTPField(name: .connection, value: "Upgrade"))
            fields.append(HTTPField(name: .upgrade, value: "websocket"))
        }
        return fields
    }

    // MARK: Answers

    func receive(from upstream: UpstreamConnection, on connection: Connection, at now: Timestamp) {
        if upstream.exchange != nil {
            receiveAnswer(from: upstream, on: connection, at: now)
        } else if case .upstream = connection.webSocketUse, connection.speaks == .webSocket {
            receiveFrames(from: upstream, on: connection, at: now)
        } else if connection.speaks == .relayed {
            receiveBytes(from: upstream, on: connection, at: now)
        }
        engine.account(connection)
        // If the server has taken output, the transport may be able to read from the client again.
        if connection.speaks != .http { engine.touch(connection) }
        engine.memory.enforceLimits(at: now)
    }

    private func receiveAnswer(from upstream: UpstreamConnection, on connection: Connection, at now: Timestamp) {
        guard let exchange = upstream.exchange else { return }
        let reply = upstream.readAnswer { head in
            // The engine has sent its own 100, and HTTP/1.0 clients do not support 1xx.
            guard head.status.code != 100, exchange.sentHead.version == .http11 else { return }
            engine.lendOutput(to: connection)
            AnswerEncoder.appendInterim(head, fields: head.fields.httpFields, into: &connection.output.bytes)
            engine.carry(connection, at: now)
            engine.touch(connection)
        }
        guard let reply else { return }
        exchange.reply = reply
        // An answer that never began gets its own note.
        for case .brokenOff(let reason) in upstream.relay.takeEvents() {
            guard case .answer = reply else { continue }
            engine.recorder.record(.note(UpstreamMessages.failed(reason)), on: connection, in: exchange.world)
        }
        if exchange.world.isPaused {
            upstream.waiting = exchange
            exchange.world.awaitResumption(of: connection.id)
        } else {
            processReply(to: exchange, at: now)
        }
    }

    /// Continues with the data that an upstream sent while the world was paused.
    func resume(_ connection: Connection, at now: Timestamp) {
        guard let upstream = connection.upstream else { return }
        if let exchange = upstream.waiting.take() {
            // A connection that resumed earlier may have paused the world again.
            guard exchange.world.isPaused else { return processReply(to: exchange, at: now) }
            upstream.waiting = exchange
            return exchange.world.awaitResumption(of: connection.id)
        }
        receive(from: upstream, on: connection, at: now)
    }

    /// Serves a request again with the upstream's reply, or lets the fake answer the request.
    private func processReply(to exchange: Exchange, at now: Timestamp) {
        let (connection, world) = (exchange.connection, exchange.world)
        connection.waiting = nil
        engine.touch(connection)
        guard connection.isServed else { return }
        engine.lendOutput(to: connection)
        engine.arm(connection, .idle, after: engine.patience.idle, at: now)
        (exchange.now, exchange.isReleased) = (now, true)
        engine.enter(world, at: now)
        if world.settings.scenario.upstream?.answerer(of: exchange.endpoint) == .realElseFake,
            let reason = exchange.reply?.absence
        {
            (exchange.answeredBy, exchange.reply) = (.fake, nil)
            let (method, path) = (exchange.head.method.rawValue, exchange.head.target.path)
            engine.recorder.record(
                .note(UpstreamMessages.fellBack(method, path, because: reason)), on: connection, in: world)
        }
        engine.process(exchange)
        engine.readFurtherRequests(of: connection, at: now)
    }

    /// Replaces the operator's token with the client's own token in a redirect that repeats the query.
    private func returnToken(in answer: inout Answer, to exchange: Exchange) {
        guard let token = credentials(for: exchange).token,
            let own = exchange.head.target.queryItems().first(where: exchange.isOwnToken)
        else { return }
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let value = answer.fields?[name] else { continue }
            answer.fields?[name] = value.replacing(PercentCoding.encoded(token), with: PercentCoding.encoded(own.value))
        }
    }

    /// The answer from a reply; nil if the request opened a WebSocket.
    func answer(_ exchange: Exchange, with reply: UpstreamReply) throws(APIError) -> Answer? {
        let (connection, world) = (exchange.connection, exchange.world)
        if case .socket(let head) = reply {
            let accepted = try engine.acceptHandshake(exchange, in: world)
            exchange.answeredBy = .real
            exchange.user = exchange.head.upstreamUser
            engine.open(.upstream, HTTPFields(Array(accepted) + head.fieldsOfAnswer), exchange)
            world.upstreamSocketCount += 1
            if let upstream = connection.upstream { receive(from: upstream, on: connection, at: exchange.now) }
            engine.receiveTrailingBytes(of: connection, at: exchange.now)
            return nil
        }
        var answer: Answer
        switch reply {
        case .answer(let received):
            exchange.answeredBy = .real
            if received.head.status.code != 401 { exchange.user = exchange.head.upstreamUser }
            if received.missing > 0 { exchange.playback = Playback(missing: received.missing, ending: .reset) }
            if received.head.status.code == 404, exchange.endpoint == nil { exchange.unmatched = .unknownPath }
            answer = Answer(received, to: exchange)
            returnToken(in: &answer, to: exchange)
        case .refused(let refusal, _):
            answer = Answer(refusal, to: exchange)
            engine.recorder.record(.note(UpstreamMessages.failed(refusal.sentence)), on: connection, in: world)
        case .failed(let message), .unreadable(let message):
            engine.recorder.record(.note(UpstreamMessages.failed(message)), on: connection, in: world)
            let body = APIError.body(
                code: "UPSTREAM_ANSWER_INVALID", message: message, in: exchange.errorForm, forApps: exchange.servesApps)
            answer = Answer(status: .badGateway, body: body)
        case .socket: preconditionFailure("An open socket must not wait for an answer.")
        }
        guard let faults = exchange.responseFaults, faults.replacement != nil else { return answer }
        // The client loses the answer, but the server has handled the request.
        exchange.playback = nil
        exchange.created = RecordedExchange.created(answer.status.code, answer.body)
        return faults.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(Answer.init)
    }

    // MARK: Frames

    private func receiveFrames(from upstream: UpstreamConnection, on connection: Connection, at now: Timestamp) {
        guard let world = connection.world, !world.isPaused, upstream.hasNews,
            connection.output.count <= engine.limits.unsentBytesBeforeReadingPauses
        else { return }
        engine.enter(world, at: now)
        engine.withEvents { events in
            upstream.receiveFrames(&events)
            for event in events { pass(event, on: connection, in: world, at: now) }
        }
        engine.touch(upstream)
        guard let ending = upstream.ending else { return }
        let hasSentClose = connection.isClosingWebSocket
        engine.forgetSocket(of: connection)
        if !hasSentClose, connection.isServed { engine.drop(connection, ending, in: world, at: now) }
    }

    private func pass(_ event: WebSocket.Event, on connection: Connection, in world: World, at now: Timestamp) {
        guard connection.ending == .none else { return }
        switch event {
        case .text(let text): engine.send(text, on: connection, in: world, at: now)
        case .binary(let bytes): engine.send(bytes, .binary, on: connection, in: world, at: now)
        case .ping(let bytes): engine.send(bytes, .ping, on: connection, in: world, at: now)
        // The engine never pings the upstream, so this pong is a heartbeat; the engine sends its own heartbeats to the
        // client.
        case .pong: break
        case .closing(let code, let reason): engine.closeAnyway(connection, code: code, reason: reason, at: now)
        case .failed(_, let message):
            let sentence = UpstreamMessages.badFrames(connection.upstream?.relay.upstream, message)
            engine.recorder.record(.note(UpstreamMessages.failed(sentence)), on: connection, in: world)
            engine.close(connection, code: .badGateway, reason: "The upstream broke the protocol", at: now)
        }
    }

    // MARK: Relayed connections, whose bytes stay as they are in a recording

    func relay(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: Timestamp) {
        guard let url = engine.configuration.relayed else { preconditionFailure("A relay must have a server.") }
        guard let upstream = connection.upstream else {
            guard !engine.isTLS(bytes, on: connection) else {
                connection.speaks = .http
                return engine.refuseTLS(on: connection, at: now)
            }
            connection.endRequests()
            // From here on, only the relay's time limits apply.
            connection.deadline = nil
            connection.upstream = UpstreamConnection(connection, to: url, engine.configuration)
            return relay(bytes, on: connection, at: now)
        }
        upstream.relay.receiveFromClient(bytes)
        noteProgress(of: upstream)
    }

    /// Serves a relay again after its client has sent or read bytes, and restarts the relay's time limits.
    func noteProgress(of upstream: UpstreamConnection) {
        upstream.side.hasMoved = true
        engine.touch(upstream)
    }

    func receiveEndOfStream(on connection: Connection) {
        guard let upstream = connection.upstream else { return }
        upstream.relay.clientFinished()
        noteProgress(of: upstream)
    }

    /// Whether an upstream's client must wait before it sends more.
    func isFull(_ upstream: UpstreamConnection, of connection: Connection) -> Bool {
        connection.speaks == .relayed
            ? !upstream.relay.wantsClientBytes
            : upstream.relay.toUpstream.count > engine.limits.unsentBytesBeforeReadingPauses
    }

    private func receiveBytes(from upstream: UpstreamConnection, on connection: Connection, at now: Timestamp) {
        report(upstream)
        let side = upstream.side
        let isOver = side.relay.clientEnding == .close || side.relay.clientEnding == .reset
        guard isOver || connection.output.count <= engine.limits.unsentBytesBeforeReadingPauses else { return }
        let wasFull = !side.relay.wantsUpstreamBytes
        engine.lendOutput(to: connection)
        side.relay.toClient.withBytes { connection.output.bytes += $0 }
        side.relay.sentToClient(side.relay.toClient.count)
        if wasFull, side.relay.wantsUpstreamBytes { engine.touch(upstream) }
        switch side.relay.clientEnding {
        case .none: break
        // The other direction of a tunnel continues.
        case .finish: if connection.ending == .none { engine.end(connection, .lingering) }
        case .close:
            forget(upstream, of: connection)
            side.relay.clientHasFinished ? engine.end(connection, .close) : engine.linger(connection, at: now)
        case .reset:
            forget(upstream, of: connection)
            engine.end(connection, .resetAfterOutput)
            engine.awaitReader(of: connection, at: now)
        }
    }

    /// Releases a relay that has already ended.
    private func forget(_ upstream: UpstreamConnection, of connection: Connection) {
        connection.upstream = nil
        upstream.side.isAbandoned = true
        engine.touch(upstream)
    }

    func report(_ upstream: UpstreamConnection) {
        let events = upstream.relay.takeEvents()
        guard let observe = engine.observe else { return }
        for event in events where engine.observesRequests || event.level > .info {
            observe(.relayed(message: event.message, level: event.level))
        }
    }
}

extension Exchange {
    /// The path and the query for the upstream: the world's prefix is removed, and the operator's token replaces the
    /// fake's token.
    fileprivate func upstreamTarget(_ credentials: UpstreamCredentials) -> String {
        var path = head.target.path
        if destination.worldID != nil {
            path =
                "/" + path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).joined()
        }
        let items = head.target.queryItems()
        guard let token = credentials.token, items.contains(where: isOwnToken) else {
            return path + (head.target.query.map { "?" + $0 } ?? "")
        }
        return items.reduce(into: path) { target, item in
            target += target.utf8.count == path.utf8.count ? "?" : "&"
            let value = isOwnToken(item) ? token : item.value
            target += PercentCoding.encoded(item.name) + "=" + PercentCoding.encoded(value)
        }
    }

    fileprivate func isOwnToken(_ item: (name: String, value: String)) -> Bool {
        item.name == "token" && world.isOwn(token: item.value)
    }
}

extension World {
    /// Whether a token is one of the fake's own tokens, which a real server would refuse.
    func isOwn(token: String) -> Bool {
        settings.scenario.rules.tokens[ExactString(token)] != nil
            || (try? AccessToken.verify(token, secret: Array(settings.jwtSecret.utf8))) != nil
    }
}

extension Answer {
    /// A server's answer, with `Location` rewritten to point to the client's world.
    fileprivate init(_ answer: UpstreamAnswer, to exchange: Exchange) {
        self.init(status: answer.head.status, body: answer.body, fields: answer.head.fieldsOfAnswer)
        isRecorded = true
        if exchange.head.method == .head { declaredLength = answer.head.contentLength }
        guard let id = exchange.destination.worldID?.text, let location = fields?[.location] else { return }
        let origin = URLParts(location).origin
        // The relay has already replaced the server's origin with the origin of the client's request.
        guard location.hasPrefix("/") || exchange.head.authority.map({ origin.hasSuffix("://" + $0) }) == true else {
            return
        }
        fields?[.location] = origin + "/w/\(id)" + location.dropFirst(origin.count)
    }
}

extension ResponseHead {
    /// The fields for the client, except for the framing fields, which the engine writes.
    fileprivate var fieldsOfAnswer: HTTPFields {
        let ofConnection = ["connection", "content-length", "sec-websocket-accept", "transfer-encoding", "upgrade"]
        return HTTPFields(fields.httpFields.filter { !ofConnection.contains($0.name.canonicalName) })
    }
}

extension CloseCode {
    /// 1014, "Bad Gateway": the server behind a gateway sent something invalid (IANA).
    fileprivate static let badGateway = CloseCode(rawValue: 1014)
}
