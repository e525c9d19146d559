import FitIQAPI
import HTTP1
import HTTPTypes

/// The HTTP side of a connection: reads requests and writes responses in sequence.
extension Engine {
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
                if worlds.useNetworks, passNetwork(head, on: connection, at: now) == .stopped { return }
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
        if holdsAnswer, exchange.responseFaults != nil, passBreakpoints(exchange, answer) == .stopped { return }
        let source = answer.source ?? source(ofLong: answer, to: exchange)
        let text = answer.body
        coding.encode(&answer, for: exchange)
        guard reply(answer, from: source, to: exchange.sentHead, in: world, on: connection, at: now) else { return }
        // A body that is produced while it is being sent counts as sent, because faults do not affect it.
        if source == nil { shape(exchange, from: start) }
        recorder.answered(exchange, answer, text: text, from: offset)
        if connection.output.isHeld { release(connection, in: world, at: now) }
    }

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

    /// Sends an answer; if the answer exceeds the memory limit, sends a refusal and returns false.
    ///
    /// - Parameter head: The request's head, which is not copied for most answers, because they do not need it.
    @discardableResult
    func reply(
        _ answer: Answer, from source: (any BodySource)?, to head: @autoclosure () -> RequestHead, in world: World,
        on connection: Connection, at now: Timestamp
    ) -> Bool {
        guard makeRoom(forBytes: source?.heldByteCount ?? answer.body.count, in: world, at: now) else {
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
        if !isAdmin { recorder.refused(refusal, on: connection, in: world) }
        observe?(.refused(status: refusal.status, message: refusal.message))
        linger(connection, at: now)
        carry(connection, at: now)
    }
}
