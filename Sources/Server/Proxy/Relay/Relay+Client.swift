import FitIQAPI
import HTTP1
import HTTPTypes

extension Relay {
    package mutating func receiveFromClient(_ bytes: UnsafeRawBufferPointer) {
        guard !clientHasFinished, clientEnding == .none || clientEnding == .finish else { return }
        if isTunnel {
            toUpstream.append(bytes)
        } else {
            clientCodec.receive(bytes)
            readClient()
        }
    }

    /// Handles the end of the client's stream (FIN, or TLS's close_notify).
    package mutating func clientFinished() {
        guard !clientHasFinished, clientEnding == .none || clientEnding == .finish else { return }
        clientHasFinished = true
        if isTunnel { return settleTunnel() }
        clientCodec.receiveEndOfStream()
        readClient()
    }

    package mutating func clientBroke() {
        if let exchange { events.append(.brokenOff(Messages.clientWentAway(exchange.name))) }
        endClient(.reset, resetUpstream: true)
    }

    /// Ends a connection after ``RelayLimits/idleTime``, or because it is no longer needed.
    mutating func closeIdle() { endClient(.close, resetUpstream: false) }

    mutating func readClient() {
        while !isTunnel, clientEnding == .none {
            let event: HTTP1.Event
            do throws(RemoteError) { event = try clientCodec.nextEvent() } catch { return clientViolated(error) }
            switch event {
            case .request(let head): begin(head)
            case .body(let bytes):
                exchange?.awaitsContinue = false
                upstreamCodec?.sendBody(bytes, into: &toUpstream.bytes)
            case .end: requestEnded()
            case .needsData, .paused: return
            case .connectionClosed:
                // A client that has sent a request waits for its answer.
                if exchange == nil { closeIdle() }
                return
            case .response, .informational: preconditionFailure("a client must not send answers")
            }
        }
    }

    private mutating func begin(_ head: RequestHead) {
        guard head.method != .connect else {
            let message = Messages.connectRefused(upstream: upstream)
            return answer(.notImplemented, code: "NOT_IMPLEMENTED", message, close: true)
        }
        let heading = RequestHeading(head, isClientSecure: isClientSecure, upstream: upstream)
        exchange = RelayExchange(head, heading)
        if upstreamCodec == nil { openUpstream() }
        requestsOnUpstream += 1
        if head.hasBody {
            upstreamCodec?.startRequest(
                method: head.method, target: heading.target, fields: heading.fields,
                contentLength: head.isChunked ? nil : head.contentLength, into: &toUpstream.bytes)
        } else {
            sendWithoutBody()
        }
    }

    /// Sends a request that has no body, possibly for the second time.
    mutating func sendWithoutBody() {
        guard let exchange else { return }
        upstreamCodec?.sendRequest(
            method: exchange.head.method, target: exchange.heading.target, fields: exchange.heading.fields,
            body: nil, into: &toUpstream.bytes)
    }

    private mutating func requestEnded() {
        guard let exchange else { return }
        if exchange.head.hasBody { upstreamCodec?.endBody(into: &toUpstream.bytes) }
        self.exchange?.isRequestComplete = true
        self.exchange?.awaitsContinue = false
        concludeIfDone()
    }

    /// Handles a client that violated HTTP, or ended its stream within a request.
    private mutating func clientViolated(_ error: RemoteError) {
        let hasBegun = exchange.map { $0.answer != .awaited } ?? false
        exchange = nil
        dropUpstream(reset: true)
        if hasBegun {
            clientEnding = .reset
        } else {
            // The codec itself asks to close the connection after an error.
            answer(error.status, code: Self.code(of: error.status), "\(error.message) (\(error.source))")
            clientEnding = .close
        }
    }

    // MARK: The proxy's own answers

    /// Answers in the upstream's place with an error in the API's format; must be called before the upstream's answer
    /// begins.
    mutating func answer(_ status: HTTPResponse.Status, code: String, _ message: String, close: Bool = false) {
        exchange = nil
        guard clientCodec.canRespond else {
            clientEnding = .close
            return
        }
        events.append(.refused(status: status.code, message: message))
        clientCodec.respond(
            status: status, fields: [.contentType: "application/json"],
            body: APIError.body(code: code, message: message, in: .union), close: close, into: &toClient.bytes)
        if clientCodec.shouldClose { closeIdle() }
    }

    private static func code(of status: HTTPResponse.Status) -> String {
        // "Content Too Large" → "CONTENT_TOO_LARGE"
        String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
    }
}
