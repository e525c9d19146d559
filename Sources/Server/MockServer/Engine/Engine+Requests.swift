import Faults
import FitIQAPI
import HTTP1

/// The walk of a request: network, codec, routing, answerer, codec, faults, output.
extension Engine {
    // MARK: Codec: from bytes to a request

    /// Serves received requests until a request is incomplete or must wait, the connection upgrades, or the peer reads
    /// too little.
    func readRequests(of connection: Connection, at now: Timestamp) {
        touch(connection)
        connection.hasWaitingRequests = false
        while connection.isServed, connection.speaks == .http {
            if isReadingPaused(connection) {
                connection.hasWaitingRequests = true
                return
            }
            let event: HTTP1.Event
            do throws(RemoteError) {
                event = try connection.http.nextEvent()
            } catch {
                // An event stream's answer has started, so no other answer can follow.
                guard !connection.isFollower else { return end(connection, .reset) }
                return respond(.violation(error), on: connection, at: now)
            }
            switch consume event {
            case .request(let head):
                // Most requests need no more checks, so move their heads instead of copying them.
                guard head.hasBody || worlds.useNetworks else {
                    connection.request = head
                    continue
                }
                connection.request = head
                if worlds.useNetworks, network.pass(head, on: connection, at: now) == .stopped { return }
                // Few requests may have a larger body, so look up the route only for PUT requests and for large or
                // chunked bodies.
                if head.hasBody, head.method == .put || connection.http.refusesBody || head.isChunked {
                    admitLargeBody(head, on: connection)
                }
                if head.expectsContinue, !connection.http.refusesBody {
                    connection.http.sendContinue(into: &connection.output.bytes)
                    carry(connection, at: now)
                }
            case .body(let bytes): connection.takeBody(bytes)
            case .end: routeRequest(of: connection, at: now)
            case .connectionClosed: end(connection, .close)
            case .needsData, .paused: return awaitMore(on: connection, at: now)
            case .response, .informational: preconditionFailure("A server's connection must read requests.")
            }
        }
    }

    private func awaitMore(on connection: Connection, at now: Timestamp) {
        guard !connection.isFollower else { return }
        if connection.http.isIdle, !isShuttingDown {
            // This is the most common case.
            arm(connection, .idle, after: patience.idle, at: now)
        } else if connection.http.isReadingBody {
            if connection.deadline?.purpose != .readBody { arm(connection, .readBody, after: patience.read, at: now) }
        } else if connection.http.isReadingHead {
            if connection.deadline?.purpose != .readHead { arm(connection, .readHead, after: patience.read, at: now) }
        } else if isShuttingDown {
            end(connection, .close)
        } else {
            arm(connection, .idle, after: patience.idle, at: now)
        }
    }

    // MARK: Routing: from a request to its world

    /// Serves a complete request, unless its world is paused.
    func routeRequest(of connection: Connection, at now: Timestamp) {
        guard let head = connection.request.take() else { preconditionFailure("A request must begin before it ends.") }
        // Restart the time limit for the next request.
        arm(connection, .idle, after: patience.idle, at: now)
        let exchange = Exchange(head, body: connection.body, on: connection, in: self, at: now)
        if passPause(exchange) == .stopped {
            connection.request = exchange.head
            return
        }
        connection.body = []

        let world = exchange.world
        // Credentials are valid in only one world, and a reset world has no users.
        if connection.world !== world { connection.lastAuthorization = nil }
        // A request to the server belongs to no world, and neither do its time-outs.
        connection.world = exchange.isOfServer ? nil : exchange.destination.world
        enter(world, at: now)
        process(exchange)
    }

    /// Makes a request wait if its world is paused.
    func passPause(_ exchange: Exchange) -> Passage {
        guard let world = world(of: exchange), world.isPaused else { return .passed }
        exchange.connection.waiting = .forWorld
        world.pause?.connections.append(exchange.connection.id)
        return .stopped
    }

    /// The world that a request needs; nil for a request to the server.
    private func world(of exchange: Exchange) -> World? {
        guard exchange.destination.isAdmin, case .admin(let route)? = exchange.destination.route else {
            return exchange.isOfServer ? nil : exchange.destination.world
        }
        return route.resource.scope != .world ? nil : route.worldID.map { worlds[$0] } ?? defaultWorld
    }

    /// Answers a request; must be called after setting the world's time.
    ///
    /// - Parameters:
    ///   - known: The existing answer, if a breakpoint held the request or its response.
    ///   - holdsAnswer: Whether a breakpoint may hold the answer.
    // Inlined so that this argument costs nothing for most requests, which have no known answer.
    @inline(__always)
    func process(_ exchange: Exchange, _ known: Answer? = nil, holdsAnswer: Bool = true) {
        let (world, connection, now) = (exchange.world, exchange.connection, exchange.now)
        let start = connection.output.bytes.count
        let offset = connection.output.writtenOffset
        let outer = answering
        answering = connection
        defer {
            answering = outer
            _ = connection.takeBodyPieces()
        }
        var answer: Answer
        do throws(APIError) {
            if let known {
                answer = known
            } else {
                guard let made = try self.answer(exchange) else { return }
                answer = consume made
                if connection.isSecure { origins.secure(&answer) }
            }
        } catch {
            answer = Answer(world.advising(error), in: exchange.errorForm, forApps: exchange.servesApps)
        }
        origins.share(&answer, to: exchange.head, isAdmin: exchange.destination.isAdmin)
        if holdsAnswer, exchange.responseFaults != nil, breakpoints.pass(exchange, answer) == .stopped { return }
        let source = answer.source ?? source(ofLong: answer, to: exchange)
        let text = answer.body
        coding.encode(&answer, for: exchange)
        guard reply(answer, from: source, to: exchange.sentHead, in: world, on: connection, at: now) else { return }
        // A body that is produced while it is being sent counts as sent, because faults do not affect it.
        if source == nil { shape(exchange, from: start) }
        recorder.recordAnswer(exchange, answer, text: text, from: offset)
        if connection.output.isHeld { release(connection, in: world, at: now) }
    }

    // MARK: Answerer

    /// The answer to a request; nil if the request opened a WebSocket or waits.
    ///
    /// Checks follow the order in openapi/DEVIATIONS.md: unknown endpoint (404, 405), credentials (401), id (404),
    /// media type (415), body (400), then the rest.
    func answer(_ exchange: Exchange) throws(APIError) -> Answer? {
        let world = exchange.world
        if exchange.head.target.form == .asterisk {
            let served = Set(Endpoint.allCases.filter(world.mode.serves).map(\.method))
            let others = [.put, .delete].filter(served.contains).map(\.rawValue)
            return .options(["GET", "HEAD", "POST", "PATCH"] + others + ["OPTIONS"])
        }
        // Faults and sessions do not apply to preflights, because browsers send preflights automatically.
        if let answer = origins.preflightAnswer(exchange.head, exchange.destination, in: world.mode) { return answer }
        guard exchange.destination.world != nil else {
            exchange.unmatched = .unknownPath
            throw exchange.destination.worldID.map { refusal(ofWorld: $0.text) } ?? .noDefaultWorld
        }
        if !exchange.destination.isAdmin { try origins.check(exchange.head, on: exchange.connection) }
        let server = ServerAnswerer(engine: self)
        if let answer = server.answerFromPortal(exchange) { return answer }
        coding.inflateBody(of: exchange)
        if world.replay?.answers(exchange) ?? false {
            return try intercept(exchange) { () throws(APIError) in try player.answer(exchange) }
        }
        if let answer = server.answerFromStub(exchange) { return answer }
        if let upstream = world.settings.scenario.upstream, upstreams.chooseAnswerer(exchange, upstream) == .real {
            if let reply = exchange.reply { return try upstreams.answer(exchange, with: reply) }
            return try intercept(exchange) { () throws(APIError) in try upstreams.request(exchange, from: upstream) }
        }
        guard let endpoint = exchange.endpoint, world.mode.serves(endpoint), !endpoint.isSocket else {
            return try server.answer(exchange)
        }
        return try BackendAnswerer(engine: self).answer(exchange)
    }

    /// The refusal for an unknown world: 421 if another node created the world, otherwise 404.
    func refusal(ofWorld id: String) -> APIError {
        guard let own = configuration.node, let owner = WorldID(id)?.node, owner != own else {
            return .unknownWorld(id)
        }
        return .foreignWorld(id, owner: owner.text, node: own.text)
    }

    /// Checks that a body is JSON; a request that has no body needs no Content-Type.
    func checkMediaType(_ fields: FieldBlock, _ body: [UInt8]) throws(APIError) {
        guard !body.isEmpty, !fields.onlyValue(of: .contentType, is: Self.jsonMediaType) else { return }
        try APIError.checkMediaType(fields[.contentType])
    }

    /// The value that most clients send, which is compared with the field before the field is parsed.
    private static let jsonMediaType = Array("application/json".utf8)

    // MARK: Faults on requests

    func asksForFault(_ head: RequestHead) -> Bool {
        !configuration.hasStrictHeaders && (head.fields.contains(.xFakeFault) || head.fields.contains(.prefer))
    }

    /// Selects the fault that a REST request asks for, or the faults of matching rules; nil if there are none.
    func selectResponseFaults(for exchange: Exchange) throws(APIError) -> ResponseFaults? {
        let world = exchange.world
        do throws(FaultBookError) {
            guard asksForFault(exchange.head),
                let requested = try RequestedFault(
                    name: exchange.head.fields[.xFakeFault], preferences: exchange.head.fields[.prefer])
            else {
                return world.faults.respond(to: exchange.endpoint, at: world.turn.now)
            }
            return try world.faults.respond(with: requested, at: world.turn.now)
        } catch {
            throw .invalid(error.message)
        }
    }

    /// Applies faults and breakpoints to a request before a recording or a real server answers it; a fault may answer
    /// instead.
    private func intercept(
        _ exchange: Exchange, answering answer: () throws(APIError) -> Answer?
    ) throws(APIError) -> Answer? {
        let world = exchange.world
        if !exchange.isReleased {
            if exchange.head.isWebSocketHandshake {
                exchange.handshakeFaults = world.faults.openSocket(exchange.endpoint, at: world.turn.now)
            } else {
                exchange.responseFaults = try selectResponseFaults(for: exchange)
            }
            if breakpoints.pass(exchange) == .stopped { return nil }
        }
        if let refusal = exchange.refusedHandshake { return refusal }
        guard let faults = exchange.responseFaults, let replacement = faults.replacement, !replacement.isProcessed
        else { return try answer() }
        return faults.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(Answer.init)
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

    // MARK: Codec: from an answer to bytes

    /// Sends an answer; if the answer exceeds the memory limit, sends a refusal and returns false.
    ///
    /// - Parameter head: The request's head, which is not copied for most answers, because they do not need it.
    @discardableResult
    func reply(
        _ answer: Answer, from source: (any BodySource)?, to head: @autoclosure () -> RequestHead, in world: World,
        on connection: Connection, at now: Timestamp
    ) -> Bool {
        guard memory.makeRoom(forBytes: source?.heldByteCount ?? answer.body.count, in: world, at: now) else {
            respond(.tooMuchHeld(limit: limits.heldBytes), on: connection, at: now)
            return false
        }
        if let source {
            begin(source, of: answer, to: head(), in: world, on: connection)
        } else {
            respond(answer, to: head(), in: world, on: connection, at: now)
        }
        return true
    }

    func respond(
        _ answer: Answer, to head: @autoclosure () -> RequestHead, in world: World, on connection: Connection,
        at now: Timestamp
    ) {
        if answer.hasUsualFields {
            connection.http.respond(
                status: answer.status, encodedFields: world.responseFields.json, body: answer.body,
                close: isShuttingDown, into: &connection.output.bytes)
        } else if let length = answer.declaredLength, head().method == .head {
            connection.http.startResponse(
                status: answer.status, fields: answer.allFields(at: world.turn.date), contentLength: length,
                close: isShuttingDown, into: &connection.output.bytes)
            connection.http.endBody(into: &connection.output.bytes)
        } else {
            connection.http.respond(
                status: answer.status, fields: answer.allFields(at: world.turn.date), body: answer.body,
                close: isShuttingDown, into: &connection.output.bytes)
        }
        noteAnswer(answer, to: head())
        if connection.http.shouldClose { linger(connection, at: now) }
    }

    /// Abandons an incomplete or missing request, sends a refusal, and ends the connection.
    func refuse(_ connection: Connection, _ refusal: TransportRefusal, at now: Timestamp) {
        connection.http.abandonRequest(
            RemoteError(status: refusal.status, message: refusal.message, source: "RFC 9112 §9.5"))
        respond(refusal, on: connection, at: now)
    }

    private func respond(_ refusal: TransportRefusal, on connection: Connection, at now: Timestamp) {
        // The request was refused before it was complete, so it has not reached a world.
        let destination = connection.request.map { Destination(of: $0.target, in: self) }
        let world = destination?.world ?? connection.world ?? defaultWorld
        world.setTime(now)
        let isAdmin = destination?.isAdmin ?? false
        var answer = Answer(status: refusal.status, body: refusal.body(in: world.mode))
        if let head = connection.request { origins.share(&answer, to: head, isAdmin: isAdmin) }
        connection.request = nil
        connection.body = []
        _ = connection.takeBodyPieces()
        connection.http.respond(
            status: answer.status, fields: answer.allFields(at: world.turn.date), body: answer.body, close: true,
            into: &connection.output.bytes)
        recorder.counts.refusals += 1
        if !isAdmin { recorder.recordRefusal(refusal, on: connection, in: world) }
        observe?(.refused(status: refusal.status, message: refusal.message))
        linger(connection, at: now)
        carry(connection, at: now)
    }

    // MARK: Long answers, whose bodies the engine produces while sending them

    /// The source for a body that is too long to copy as a whole; nil for other answers, and if faults or a recording
    /// may change the body.
    private func source(ofLong answer: Answer, to exchange: Exchange) -> BytesSource? {
        guard answer.body.count > Self.longestWholeBody, exchange.head.method != .head,
            exchange.responseFaults == nil, exchange.playback == nil
        else { return nil }
        return BytesSource([answer.body])
    }

    /// The maximum size of a body that is copied into a connection's output as a whole, in bytes.
    static let longestWholeBody = 1024 * 1024

    func begin(
        _ source: any BodySource, of answer: Answer, to head: RequestHead, in world: World, on connection: Connection
    ) {
        connection.stream = BodyStream(source, answer, to: head, in: world)
        connection.isReadingStalled = true
        if source.keepsJournal { streams.journalReaders.insert(connection.id) }
        queueStream(of: connection)
        account(connection)
    }

    /// Queues the next slice of an answer if the reader has room for it.
    func queueStream(of connection: Connection) {
        guard let stream = connection.stream, !stream.isQueued, !stream.isWaiting,
            connection.output.count <= limits.unsentBytesBeforeReadingPauses
        else { return }
        stream.isQueued = true
        streams.waiting.append(connection.id)
    }

    /// Queues all answers that are waiting for a world or a clock.
    func wakeStreams() {
        for id in streams.idle {
            guard let connection = self[id], let stream = connection.stream else { continue }
            stream.isWaiting = false
            queueStream(of: connection)
        }
        streams.idle = []
    }

    func wakeStream(of connection: Connection) {
        guard let stream = connection.stream, stream.isWaiting else { return }
        streams.idle.removeAll { $0 == connection.id }
        stream.isWaiting = false
        queueStream(of: connection)
    }

    func feed(_ connection: Connection, _ stream: BodyStream, at now: Timestamp) -> Int {
        stream.isQueued = false
        var buffer: [UInt8] = []
        swap(&buffer, &streams.buffer)
        var slice = BodySlice(size: streams.sliceSize, at: now, reusing: buffer)
        buffer = []
        lendOutput(to: connection)
        do throws(APIError) {
            let progress = try stream.source.fill(&slice)
            send(slice.bytes, progress, of: stream, on: connection, at: now)
            if progress == .waiting {
                stream.isWaiting = true
                streams.idle.append(connection.id)
            }
        } catch {
            if let (_, head, world) = stream.unsent {
                endStream(of: connection)
                respond(Answer(error, in: .union), to: head, in: world, on: connection, at: now)
            } else {
                end(connection, .reset)
            }
        }
        let cost = streams.sliceSize - slice.bytesLeft
        slice.bytes.removeAll(keepingCapacity: slice.bytes.capacity <= 4 * streams.sliceSize)
        swap(&slice.bytes, &streams.buffer)
        touch(connection)
        // The client had to wait for the server, so restart its idle timer.
        if connection.ending == .none {
            if let stream = connection.stream, stream.isWaiting, let time = stream.source.wakesAt {
                let span = time.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
                arm(connection, .wake, after: max(span, 0), at: now)
            } else {
                arm(connection, .idle, after: patience.idle, at: now)
            }
        }
        if connection.stream == nil {
            readRequests(of: connection, at: now)
        } else {
            queueStream(of: connection)
        }
        account(connection)
        return cost
    }

    private func send(
        _ bytes: [UInt8], _ progress: BodyProgress, of stream: BodyStream, on connection: Connection, at now: Timestamp
    ) {
        if let (answer, head, world) = stream.unsent {
            if progress == .end {
                // The whole answer fits into its first slice.
                var answer = answer
                answer.body = bytes
                endStream(of: connection)
                return respond(answer, to: head, in: world, on: connection, at: now)
            }
            guard !bytes.isEmpty else { return }
            stream.unsent = nil
            connection.http.startResponse(
                status: answer.status, fields: answer.allFields(at: world.turn.date),
                contentLength: stream.source.length, close: isShuttingDown, into: &connection.output.bytes)
            noteAnswer(answer, to: head)
            if head.method == .head { return endBody(on: connection, at: now) }
        }
        connection.sendBody(bytes)
        if progress == .end { endBody(on: connection, at: now) }
        carry(connection, at: now)
    }

    private func endBody(on connection: Connection, at now: Timestamp) {
        endStream(of: connection)
        connection.http.endBody(into: &connection.output.bytes)
        if connection.http.shouldClose { linger(connection, at: now) }
    }

    func endStream(of connection: Connection) {
        if let source = connection.stream?.source as? BytesSource, source.heldByteCount > Engine.largestWorkOnLoop {
            discard(source.takeRest())
        }
        connection.stream = nil
        connection.isReadingStalled = false
        // If this answer advanced a clock, other answers may be waiting for it to end.
        wakeStreams()
    }
}
