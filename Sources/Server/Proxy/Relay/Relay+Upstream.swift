import HTTP1
import HTTPTypes

extension Relay {
    /// Handles bytes from the wanted upstream connection.
    public mutating func receiveFromUpstream(_ bytes: UnsafeRawBufferPointer) {
        guard upstreamNumber != nil, !upstreamHasFinished, !bytes.isEmpty else { return }
        if isTunnel {
            toClient.append(bytes)
            return
        }
        exchange?.hasAnswerBytes = true
        upstreamCodec?.receive(bytes)
        readUpstream()
        readClient()
    }

    /// Handles the end of the upstream's stream (FIN, or TLS's close_notify).
    public mutating func upstreamFinished() {
        guard upstreamNumber != nil, !upstreamHasFinished else { return }
        upstreamHasFinished = true
        if isTunnel {
            if clientEnding == .none { clientEnding = .finish }
            tunnelMayBeOver()
            return
        }
        upstreamCodec?.receiveEndOfStream()
        if exchange?.hasAnswerBytes == true { readUpstream() }
        // This concludes an answer that lasts until the end of the stream.
        if upstreamNumber != nil, upstreamHasFinished { upstreamIsGone(reset: false) }
        readClient()
    }

    public mutating func upstreamBroke() {
        guard upstreamNumber != nil else { return }
        if isTunnel {
            endClient(.reset, resetUpstream: true)
            return
        }
        upstreamIsGone(reset: true)
        readClient()
    }

    public mutating func upstreamFailed(_ failure: UpstreamFailure) {
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

    /// Handles the time-out of the present ``phase``.
    public mutating func timeIsUp() {
        if phase == .answer { answerTimedOut() } else { closeIdle() }
    }

    /// Whether the current request may have to be sent again, on another connection.
    public var mayRepeat: Bool { requestsOnUpstream > 1 && exchange?.isRepeatable == true }

    private mutating func fail(_ failure: UpstreamFailure) {
        guard exchange != nil else { return }
        answer(failure.status, code: failure.code, Messages.failure(failure, upstream: upstream))
    }

    /// Handles the end of the connection, and of what was in progress on it.
    private mutating func upstreamIsGone(reset: Bool) {
        let isReused = requestsOnUpstream > 1
        dropUpstream(reset: reset)
        // Between requests the client need not know: the next one gets a fresh connection.
        guard let exchange else { return }
        if exchange.answer == .complete {
            // It answered early, and does not want the rest of the request.
            concludeIfDone()
            return
        }
        if exchange.answer == .awaited, isReused, exchange.isRepeatable {
            // It closed the connection while it was idle, and the request crossed that on its way.
            openUpstream()
            requestsOnUpstream = 1
            sendWithoutBody()
            finishesUpstream = clientHasFinished
            return
        }
        let message =
            exchange.answer == .awaited
            ? Messages.endedBeforeAnswer(exchange.name, isReset: reset)
            : Messages.endedWithinAnswer(exchange.name, isReset: reset)
        events.append(.brokenOff(message))
        endClient(reset ? .reset : .close, resetUpstream: reset)
    }

    // MARK: Answers

    private mutating func readUpstream() {
        while !isTunnel, clientEnding == .none, upstreamCodec != nil {
            let event: HTTP1.Event?
            do throws(RemoteError) {
                event = try upstreamCodec?.nextEvent()
            } catch {
                upstreamViolated(error)
                return
            }
            switch event {
            case .informational(let head): passInterim(head)
            case .response(let head):
                if head.status.code == 101 { return beginTunnel(head) }
                beginAnswer(head)
            case .body(let bytes): exchange?.encoder?.appendBody(bytes, into: &toClient.bytes)
            case .end: answerEnded()
            case .needsData, .paused, .connectionClosed, nil: return
            case .request: preconditionFailure("a server sends no requests")
            }
        }
    }

    /// "A proxy MUST forward 1xx responses" (RFC 9110 §15.2), but not to a client of HTTP/1.0, which knows none.
    private mutating func passInterim(_ head: ResponseHead) {
        exchange?.interimCount += 1
        if let exchange, exchange.interimCount > limits.interimAnswers {
            dropUpstream(reset: true)
            return fail(.tooManyInterimAnswers(limits.interimAnswers))
        }
        guard let exchange, exchange.version == .http11 else { return }
        if head.status.code == 100 {
            if clientCodec.canRespond { clientCodec.sendContinue(into: &toClient.bytes) }
            self.exchange?.awaitsContinue = false
        } else {
            AnswerEncoder.appendInterim(head, fields: heading(of: head).fields, into: &toClient.bytes)
        }
    }

    private func heading(of head: ResponseHead) -> AnswerHeading {
        AnswerHeading(
            head, ownOrigin: exchange?.heading.ownOrigin, isClientSecure: isClientSecure, upstream: upstream)
    }

    private mutating func beginAnswer(_ head: ResponseHead) {
        // The codec rejects an answer without a request.
        guard let exchange else { preconditionFailure("an answer without a request") }
        // A client refused before it sent its body may still send it: only a fresh connection avoids the ambiguity.
        let closes = exchange.closes || exchange.awaitsContinue || clientHasFinished
        let encoder = AnswerEncoder(
            head, fields: heading(of: head).fields, isHead: exchange.method == .head, clientVersion: exchange.version,
            closes: closes, into: &toClient.bytes)
        self.exchange?.encoder = encoder
        self.exchange?.answer = .begun
        self.exchange?.status = head.status.code
        let keepsAlive = head.version == .http11 || head.fields.hasToken("keep-alive", in: .connection)
        self.exchange?.upstreamCloses = !keepsAlive || head.fields.hasToken("close", in: .connection)
    }

    private mutating func answerEnded() {
        exchange?.encoder?.appendEnd(into: &toClient.bytes)
        exchange?.answer = .complete
        if let exchange {
            events.append(
                .answered(method: exchange.method.rawValue, target: exchange.path, status: exchange.status))
        }
        concludeIfDone()
    }

    /// Moves on to the next request once this one and its answer are complete.
    mutating func concludeIfDone() {
        guard let exchange, let encoder = exchange.encoder, exchange.answer == .complete else { return }
        let upstreamIsDone = exchange.upstreamCloses || upstreamCodec?.shouldClose ?? true
        if !exchange.isRequestComplete {
            // The upstream may still want the rest of the request, unless it said otherwise.
            guard upstreamIsDone || exchange.awaitsContinue || upstreamHasFinished else { return }
            dropUpstream()
        } else if upstreamIsDone || upstreamHasFinished {
            dropUpstream()
        }
        self.exchange = nil
        // Only the codec's state matters: the answer itself was written already.
        var written: [UInt8] = []
        if clientCodec.canRespond {
            clientCodec.respond(status: .ok, fields: [:], body: [], close: encoder.closes, into: &written)
        }
        if clientCodec.shouldClose { endClient(.close, resetUpstream: false) }
    }

    private mutating func upstreamViolated(_ error: RemoteError) {
        guard let exchange else {
            // Unsolicited bytes between requests, such as a 408 before closing: the next request gets a fresh
            // connection.
            dropUpstream()
            return
        }
        // Ends of the stream are reported as such.
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
        // The codec rejects a 101 to a request that proposed nothing, or is not complete; then ours is just as far.
        guard let exchange, exchange.heading.wantsWebSocket else { preconditionFailure("a 101 that was not proposed") }
        AnswerEncoder.appendInterim(head, fields: heading(of: head).fields, into: &toClient.bytes)
        events.append(.opened(target: exchange.path))
        var written: [UInt8] = []
        clientCodec.switchProtocols(fields: [.upgrade: "websocket"], into: &written)
        isTunnel = true
        self.exchange = nil
        toUpstream.append(clientCodec.takeTrailingBytes())
        if let early = upstreamCodec?.takeTrailingBytes() { toClient.append(early) }
        if clientHasFinished { finishesUpstream = true }
    }
}
