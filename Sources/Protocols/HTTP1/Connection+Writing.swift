import HTTPTypes
import Text

/// The server's half; its methods crash if called on a client or in the wrong state.
extension Connection {
    /// Sends `100 Continue`, for a request whose ``RequestHead/expectsContinue`` is set (RFC 9110 §15.2.1).
    public mutating func sendContinue(into out: inout [UInt8]) {
        precondition(role == .server, "a client cannot respond")
        precondition(request.version == .http11, "HTTP/1.0 has no interim responses")
        process(.informational, by: .server)
        request.awaitsContinue = false
        StatusLine.append(.continue, to: &out)
        out.appendLineEnd()
    }

    /// Sends a whole response in one append: the status line, fields, framing, blank line, body.
    ///
    /// The connection writes Content-Length and Connection; it ignores both and Transfer-Encoding in `fields`, except
    /// that `Connection: close` acts like `close` and an Upgrade field adds `Connection: upgrade` (RFC 9110 §7.8). HEAD
    /// responses have no body; 204 and 304 have no Content-Length either.
    ///
    /// - Precondition: ``canRespond``, and the status is final.
    public mutating func respond(
        status: HTTPResponse.Status, fields: HTTPFields, body: [UInt8], close: Bool = false, into out: inout [UInt8]
    ) {
        let facts = FieldFacts(fields)
        beginResponse(status, close: close || facts.closes)
        StatusLine.append(status, to: &out)
        out.append(fields, facts)
        finishResponse(status, body: body, upgrade: facts.hasUpgrade, into: &out)
    }

    /// Sends a whole response with pre-encoded field lines.
    ///
    /// `encodedFields` are complete field lines, each with its CRLF, and are not checked. The lines must not include
    /// Content-Length, Transfer-Encoding, Connection or Upgrade.
    public mutating func respond(
        status: HTTPResponse.Status, encodedFields: [UInt8], body: [UInt8], close: Bool = false, into out: inout [UInt8]
    ) {
        beginResponse(status, close: close)
        StatusLine.append(status, to: &out)
        out.append(contentsOf: encodedFields)
        finishResponse(status, body: body, upgrade: false, into: &out)
    }

    /// Sends the head of a response whose body follows with ``sendBody(_:into:)`` and ``endBody(into:)``.
    ///
    /// With a `contentLength`, exactly that many bytes must follow. Without one, the body is chunked for HTTP/1.1, and
    /// ends when the connection closes for HTTP/1.0. Pieces are dropped if the response cannot have a body (HEAD, 204,
    /// 304).
    public mutating func startResponse(
        status: HTTPResponse.Status, fields: HTTPFields, contentLength: Int? = nil, close: Bool = false,
        into out: inout [UInt8]
    ) {
        precondition(contentLength ?? 0 >= 0, "a content length must not be negative")
        let facts = FieldFacts(fields)
        let hasBody = status.allowsBody && !request.isHead
        let untilClose = contentLength == nil && request.version == .http10
        beginResponse(status, close: close || facts.closes || (untilClose && hasBody))
        StatusLine.append(status, to: &out)
        out.append(fields, facts)
        if status.allowsBody {
            if let contentLength {
                out.appendContentLength(contentLength)
            } else if !untilClose {
                out.append(literal: "Transfer-Encoding: chunked\r\n")
            }
        }
        endHead(upgrade: facts.hasUpgrade, into: &out)
        sending = hasBody ? contentLength.map { .length($0) } ?? (untilClose ? .untilClose : .chunked) : .none
    }

    /// Sends `101 Switching Protocols` and changes to the other protocol (RFC 9110 §15.2.2).
    ///
    /// `fields` must have an Upgrade field; `Connection: upgrade` is added. Allowed only for a request with
    /// ``RequestHead/wantsUpgrade``, after its body was read.
    public mutating func switchProtocols(fields: HTTPFields, into out: inout [UInt8]) {
        precondition(role == .server, "a client cannot respond")
        let facts = FieldFacts(fields)
        precondition(facts.hasUpgrade, "a 101 must name the protocol in an Upgrade field")
        endRequestWithoutBody()
        precondition(states.client == .mightSwitchProtocol, "the request did not propose a different protocol")
        StatusLine.append(.switchingProtocols, to: &out)
        out.append(fields, facts)
        out.append(literal: "Connection: Upgrade\r\n\r\n")
        process(.switchProtocols, by: .server)
        head = HeadReader()
    }

    /// Stops waiting for a request or its remaining bytes, for example after a timeout.
    ///
    /// From then on, nothing is read, and ``nextEvent()`` throws `error`. One response may follow; it closes the
    /// connection. Call this only between messages or during an incomplete request.
    public mutating func abandonRequest(_ error: RemoteError) {
        precondition(role == .server, "a client cannot wait for requests")
        precondition(
            theirState == .idle || (theirState == .sendBody && ourState == .sendResponse),
            "a client in state \(theirState) has no request in progress")
        fail(error)
    }

    // MARK: Parts of a response

    private mutating func beginResponse(_ status: HTTPResponse.Status, close: Bool) {
        precondition(canRespond, "a \(role) in state \(ourState) cannot respond: no request is waiting for an answer")
        precondition((200...999).contains(status.code), "\(status.code) is not a final response status")
        precondition(!request.isConnect || status.kind != .successful, "tunnels are not supported; refuse the CONNECT")
        endRequestWithoutBody()
        // A client that is waiting for 100 Continue may never send the rest of its request (RFC 9110 §10.1.1).
        let isCutOff = theirState == .error || theirState == .closed
        if close || request.awaitsContinue || isCutOff { states.disableKeepAlive() }
        request.isAnswered = true
        states.process(.response, by: .server)
    }

    private mutating func finishResponse(
        _ status: HTTPResponse.Status, body: [UInt8], upgrade: Bool, into out: inout [UInt8]
    ) {
        // "A server MUST NOT generate content in a 205 response" (RFC 9110 §15.3.6).
        let hasContent = status.allowsBody && status.code != 205
        if status.allowsBody { out.appendContentLength(hasContent ? body.count : 0) }
        endHead(upgrade: upgrade, into: &out)
        if hasContent && !request.isHead { out.append(contentsOf: body) }
        process(.end, by: .server)
    }

    /// Ends a request without a body here, because no further call to `nextEvent` does.
    private mutating func endRequestWithoutBody() {
        if states.client == .sendBody && body.isComplete { process(.end, by: .client) }
    }

    /// Appends the Connection field and the empty line.
    ///
    /// "A server that does not support persistent connections MUST send the close connection option"; an HTTP/1.0
    /// client needs `keep-alive` (RFC 9112 §9.3, §9.6).
    // Mutating, because otherwise Swift copies the connection.
    private mutating func endHead(upgrade: Bool, into out: inout [UInt8]) {
        if !states.keepsAlive {
            out.append(literal: upgrade ? "Connection: close, upgrade\r\n" : "Connection: close\r\n")
        } else if request.version == .http10 {
            out.append(literal: upgrade ? "Connection: keep-alive, upgrade\r\n" : "Connection: keep-alive\r\n")
        } else if upgrade {
            out.append(literal: "Connection: upgrade\r\n")
        }
        out.appendLineEnd()
    }
}

/// The client's half; its methods crash if called on a server or before the last response is complete.
extension Connection {
    /// Sends a whole request in one append.
    ///
    /// `fields` must have a Host (RFC 9112 §3.2). The connection writes Content-Length, and ignores it and
    /// Transfer-Encoding in `fields`. Without a body, methods that anticipate one get `Content-Length: 0` (RFC 9110
    /// §8.6). An Upgrade field must come with `Connection: upgrade` in `fields`. CONNECT is not supported.
    public mutating func sendRequest(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, body: [UInt8]?, into out: inout [UInt8]
    ) {
        beginRequest(method, target, fields, into: &out)
        let anticipatesBody = method == .post || method == .put || method == .patch
        if body != nil || anticipatesBody { out.appendContentLength(body?.count ?? 0) }
        out.appendLineEnd()
        if let body { out.append(contentsOf: body) }
        process(.end, by: .client)
    }

    /// Sends the head of a request whose body follows, chunked or of exactly `contentLength` bytes.
    public mutating func startRequest(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, contentLength: Int? = nil,
        into out: inout [UInt8]
    ) {
        precondition(contentLength ?? 0 >= 0, "a content length must not be negative")
        beginRequest(method, target, fields, into: &out)
        if let contentLength {
            out.appendContentLength(contentLength)
            sending = .length(contentLength)
        } else {
            out.append(literal: "Transfer-Encoding: chunked\r\n")
            sending = .chunked
        }
        out.appendLineEnd()
    }

    private mutating func beginRequest(
        _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields, into out: inout [UInt8]
    ) {
        precondition(role == .client, "a server cannot send requests")
        precondition(ourState == .idle, "a client in state \(ourState) cannot send a request")
        precondition(method != .connect, "tunnels are not supported")
        precondition(!target.isEmpty && target.utf8.allSatisfy(\.isVisible), "a target must consist of visible ASCII")
        let facts = FieldFacts(fields)
        precondition(facts.hasHost, "a request must have a Host field")
        request.isHead = method == .head
        if facts.hasUpgrade && facts.namesUpgrade { states.proposeSwitch() }
        if facts.closes { states.disableKeepAlive() }
        process(.request, by: .client)
        out.append(contentsOf: method.rawValue.utf8)
        out.append(.space)
        out.append(contentsOf: target.utf8)
        out.append(literal: " HTTP/1.1\r\n")
        out.append(fields, facts, includingConnection: true)
    }
}
