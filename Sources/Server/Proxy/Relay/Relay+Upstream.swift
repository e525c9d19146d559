import HTTP1
import HTTPTypes

extension Relay {
    package mutating func receiveFromUpstream(_ bytes: UnsafeRawBufferPointer) {
        guard upstreamNumber != nil, !upstreamHasFinished, !bytes.isEmpty else { return }
        if isTunnel { return toClient.append(bytes) }
        exchange?.hasAnswerBytes = true
        upstreamCodec?.receive(bytes)
        readUpstream()
        readClient()
    }

    /// Handles the end of the upstream's stream (FIN, or TLS's close_notify).
    package mutating func upstreamFinished() {
        guard upstreamNumber != nil, !upstreamHasFinished else { return }
        upstreamHasFinished = true
        if isTunnel {
            if clientEnding == .none { clientEnding = .finish }
            return settleTunnel()
        }
        upstreamCodec?.receiveEndOfStream()
        if exchange?.hasAnswerBytes == true { readUpstream() }
        // If the end of the stream completed an answer, the relay no longer wants the upstream.
        if upstreamNumber != nil, upstreamHasFinished { upstreamIsGone(reset: false) }
        readClient()
    }

    package mutating func upstreamBroke() {
        guard upstreamNumber != nil else { return }
        if isTunnel { return endClient(.reset, resetUpstream: true) }
        upstreamIsGone(reset: true)
        readClient()
    }

    package mutating func upstreamFailed(_ failure: UpstreamFailure) {
        guard upstreamNumber != nil else { return }
        dropUpstream(reset: true)
        fail(failure)
        readClient()
    }

    private mutating func answerTimedOut() {
        guard let exchange else { return closeIdle() }
        if exchange.answer == .awaited {
            dropUpstream(reset: true)
            fail(.answerTimeout(limits.answerTime))
            readClient()
        } else {
            events.append(.brokenOff(Messages.stalledWithinAnswer(exchange.name, limits.answerTime)))
            endClient(.reset, resetUpstream: true)
        }
    }

    mutating func timeIsUp() {
        if phase == .answer { answerTimedOut() } else { closeIdle() }
    }

    /// Whether the relay may have to resend the current request on another connection.
    var mayRepeat: Bool { requestsOnUpstream > 1 && exchange?.isRepeatable == true }

    private mutating func fail(_ failure: UpstreamFailure) {
        guard exchange != nil else { return }
        self.failure = failure
        answer(failure.answer.status, code: failure.answer.code, Messages.failure(failure, upstream: upstream))
    }

    /// Handles the end of the upstream connection, and the exchange in progress on it.
    private mutating func upstreamIsGone(reset: Bool) {
        let isReused = requestsOnUpstream > 1
        dropUpstream(reset: reset)
        // Between requests, the end does not affect the client, because the client's next request gets a new
        // connection.
        guard let exchange else { return }
        // The upstream answered early, and does not want the rest of the request.
        if exchange.answer == .complete { return concludeIfDone() }
        if exchange.answer == .awaited, isReused, exchange.isRepeatable {
            // The upstream closed the idle connection while the request was on its way.
            openUpstream()
            requestsOnUpstream = 1
            sendWithoutBody()
            return
        }
        events.append(
            .brokenOff(Messages.ended(exchange.name, withinAnswer: exchange.answer != .awaited, isReset: reset)))
        endClient(reset ? .reset : .close, resetUpstream: reset)
    }

    // MARK: Answers

    private mutating func readUpstream() {
        while !isTunnel, clientEnding == .none, upstreamCodec != nil {
            let event: HTTP1.Event?
            do throws(RemoteError) { event = try upstreamCodec?.nextEvent() } catch { return upstreamViolated(error) }
            switch event {
            case .informational(let head): passInterim(head)
            case .response(let head):
                if head.status.code == 101 { return beginTunnel(head) }
                beginAnswer(head)
            case .body(let bytes): exchange?.encoder?.appendBody(bytes, into: &toClient.bytes)
            case .end: answerEnded()
            case .needsData, .paused, .connectionClosed, nil: return
            case .request: preconditionFailure("a server must not send requests")
            }
        }
    }

    /// "A proxy MUST forward 1xx responses" (RFC 9110 §15.2), except to HTTP/1.0 clients, which do not support 1xx.
    private mutating func passInterim(_ head: ResponseHead) {
        exchange?.interimCount += 1
        if let exchange, exchange.interimCount > limits.interimAnswers {
            dropUpstream(reset: true)
            return fail(.tooManyInterimAnswers(limits.interimAnswers))
        }
        guard let exchange, exchange.head.version == .http11 else { return }
        if head.status.code == 100 {
            if clientCodec.canRespond { clientCodec.sendContinue(into: &toClient.bytes) }
            self.exchange?.awaitsContinue = false
        } else {
            AnswerEncoder.appendInterim(head, fields: fields(of: head), into: &toClient.bytes)
        }
    }

    private func fields(of head: ResponseHead) -> HTTPFields {
        AnswerHeading.fields(
            of: head, ownOrigin: exchange?.heading.ownOrigin, isClientSecure: isClientSecure, upstream: upstream)
    }

    private mutating func beginAnswer(_ head: ResponseHead) {
        // The codec rejects an answer if there is no request.
        guard let exchange else { preconditionFailure("an answer must belong to a request") }
        // A client that gets a refusal instead of a 100 may still send its body. Closing the connection avoids the
        // ambiguity.
        let closes = exchange.closes || exchange.awaitsContinue || clientHasFinished
        let encoder = AnswerEncoder(
            head, fields: fields(of: head), isHead: exchange.head.method == .head,
            clientVersion: exchange.head.version, closes: closes, into: &toClient.bytes)
        self.exchange?.encoder = encoder
        self.exchange?.answer = .begun
        self.exchange?.status = head.status.code
        self.exchange?.upstreamCloses = head.fields.endConnection(of: head.version)
    }

    private mutating func answerEnded() {
        exchange?.encoder?.appendEnd(into: &toClient.bytes)
        exchange?.answer = .complete
        if let exchange {
            let method = exchange.head.method.rawValue
            events.append(.answered(method: method, target: exchange.path, status: exchange.status))
        }
        concludeIfDone()
    }

    /// Moves on to the next request once this request and its answer are complete.
    mutating func concludeIfDone() {
        guard let exchange, let encoder = exchange.encoder, exchange.answer == .complete else { return }
        let upstreamIsDone = exchange.upstreamCloses || upstreamCodec?.shouldClose ?? true
        let isOver = upstreamIsDone || upstreamHasFinished || (!exchange.isRequestComplete && exchange.awaitsContinue)
        // The upstream may still want the rest of the request, unless it closes the connection.
        guard isOver || exchange.isRequestComplete else { return }
        if isOver { dropUpstream() }
        self.exchange = nil
        // The relay has already written the answer. This response only advances the codec's state.
        var written: [UInt8] = []
        if clientCodec.canRespond {
            clientCodec.respond(status: .ok, fields: [:], body: [], close: encoder.closes, into: &written)
        }
        if clientCodec.shouldClose { closeIdle() }
    }

    private mutating func upstreamViolated(_ error: RemoteError) {
        // The upstream sent bytes between requests, such as a 408 before it closes. The next request gets a new
        // connection.
        guard let exchange else { return dropUpstream() }
        // ``upstreamFinished()`` handles the end of the stream.
        if upstreamHasFinished { return }
        dropUpstream(reset: true)
        let reason = "\(error.message) (\(error.source))"
        if exchange.answer == .awaited {
            fail(.badAnswer(reason))
        } else {
            events.append(.brokenOff(Messages.badWithinAnswer(exchange.name, reason)))
            endClient(.reset, resetUpstream: true)
        }
    }

    // MARK: Another protocol

    private mutating func beginTunnel(_ head: ResponseHead) {
        // The codec rejects a 101 unless the request is complete and asked for an upgrade, so the client's codec can
        // switch.
        guard let exchange, exchange.heading.wantsWebSocket else {
            preconditionFailure("an upgrade (101) must have been requested by the client")
        }
        AnswerEncoder.appendInterim(head, fields: fields(of: head), into: &toClient.bytes)
        events.append(.opened(target: exchange.path))
        var written: [UInt8] = []
        clientCodec.switchProtocols(fields: [.upgrade: "websocket"], into: &written)
        isTunnel = true
        self.exchange = nil
        toUpstream.append(clientCodec.takeTrailingBytes())
        if let early = upstreamCodec?.takeTrailingBytes() { toClient.append(early) }
    }
}
