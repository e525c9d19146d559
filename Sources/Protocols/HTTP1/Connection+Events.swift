import HTTPTypes
import Text

extension Connection {
    /// The next event in the received bytes.
    ///
    /// Throws the peer's violation, and throws the same error in every later call: nothing is read after an error. A
    /// server may then still respond if ``canRespond``, with or without `close: true`.
    public mutating func nextEvent() throws(RemoteError) -> Event {
        if let failure { throw failure }
        do { return try step() } catch { throw fail(error) }
    }

    private mutating func step() throws(RemoteError) -> Event {
        while true {
            switch theirState {
            case .idle where role == .server: return try requestHead()
            case .sendResponse where role == .client: return try responseHead()
            case .sendBody: if let event = try bodyEvent() { return event }
            case .idle, .sendResponse: return try betweenResponses()
            case .done:
                if buffer.isEmpty && endOfStream { return closed() }
                return .paused
            case .mustClose:
                buffer.removeAll()
                return endOfStream ? closed() : .needsData
            case .closed: return .connectionClosed
            case .mightSwitchProtocol, .switchedProtocol: return .paused
            case .error: preconditionFailure("a failed peer must record its failure")
            }
        }
    }

    private mutating func closed() -> Event {
        process(.close, by: role.peer)
        return .connectionClosed
    }

    // MARK: Server

    private mutating func requestHead() throws(RemoteError) -> Event {
        guard try skipEmptyLines(), try head.advance(buffer, from: .client, limits) else {
            guard endOfStream else { return .needsData }
            if buffer.isEmpty { return closed() }
            throw .truncated("in the middle of a request's head")
        }
        let (head, body) = try head.request(limits)
        buffer.consume(self.head.length)
        request = RequestFacts(
            isHead: head.method == .head, isConnect: head.method == .connect, version: head.version,
            keepAlive: self.head.fields.framing.persists(head.version), awaitsContinue: head.expectsContinue,
            tooLargeBody: head.contentLength.flatMap { $0 > limits.body ? $0 : nil })
        if head.wantsUpgrade { states.proposeSwitch() }
        if !request.keepAlive { states.disableKeepAlive() }
        finishHead(body)
        states.process(.request, by: .client)
        return .request(head)
    }

    /// False until the first line has started.
    ///
    /// "A server that is expecting to receive and parse a request-line SHOULD ignore at least one empty line (CRLF)
    /// received prior to the request-line" (RFC 9112 §2.2).
    private mutating func skipEmptyLines() throws(RemoteError) -> Bool {
        if head.startLine != nil { return true }
        while true {
            let (first, second) = buffer.withUnread { ($0.first, $0.count > 1 ? $0[1] : nil) }
            guard let first else { return false }
            // ContentType handshake(22) starts every TLS connection (RFC 8446 §5.1).
            if first == 0x16 { throw .tlsOnPlainPort }
            guard first == .carriageReturn else { return true }
            guard let second else { return false }
            guard second == .lineFeed else { return true }
            buffer.consume(2)
            emptyLines += 1
            guard emptyLines <= limits.leadingEmptyLines else { throw .tooManyEmptyLines(limits.leadingEmptyLines) }
        }
    }

    // MARK: Client

    private mutating func responseHead() throws(RemoteError) -> Event {
        guard try head.advance(buffer, from: .server, limits) else {
            guard endOfStream else { return .needsData }
            throw .truncated(buffer.isEmpty ? "before a response arrived" : "in the middle of a response's head")
        }
        let (head, body) = try head.response(toHead: request.isHead, limits)
        buffer.consume(self.head.length)
        let persists = self.head.fields.framing.persists(head.version)
        if head.status.code == 101 {
            guard states.client == .mightSwitchProtocol else { throw .unexpectedSwitch }
            finishHead(.none)
            self.head = HeadReader()
            states.process(.switchProtocols, by: .server)
            return .response(head)
        }
        finishHead(body)
        if head.status.code < 200 {
            states.process(.informational, by: .server)
            return .informational(head)
        }
        if !persists || body.endsWithStream { states.disableKeepAlive() }
        states.process(.response, by: .server)
        return .response(head)
    }

    /// A server that has no request to answer must not send bytes.
    private mutating func betweenResponses() throws(RemoteError) -> Event {
        if let byte = buffer.withUnread({ $0.first }) { throw .unexpectedResponse(byte) }
        return endOfStream ? closed() : .needsData
    }

    // MARK: Both roles

    private mutating func finishHead(_ body: BodyReader) {
        self.body = body
        head.finish()
        emptyLines = 0
    }

    /// The next piece of a body; nil if it must not be reported.
    private mutating func bodyEvent() throws(RemoteError) -> Event? {
        if ignoresRest {
            buffer.removeAll()
            return endOfStream ? .connectionClosed : .needsData
        }
        if let length = request.tooLargeBody {
            throw .bodyTooLarge(announced: length, request.raisedLimit ?? limits.body)
        }
        switch try body.advance(&buffer, limits, bodyLimit: request.raisedLimit ?? limits.body) {
        case .needsData:
            guard endOfStream else { return .needsData }
            guard body.endsWithStream else { throw .truncated("in the middle of a body") }
            return endOfMessage()
        case .data(let length):
            request.awaitsContinue = request.awaitsContinue && role == .client
            if role == .server && request.isAnswered {
                buffer.consume(length)
                return nil
            }
            return .body(buffer.take(length))
        case .end: return endOfMessage()
        }
    }

    private mutating func endOfMessage() -> Event? {
        let isReported = role == .client || !request.isAnswered
        process(.end, by: role.peer)
        return isReported ? .end : nil
    }

    // MARK: Bodies sent in pieces, and the switch to another protocol

    /// Sends a piece of a body started with `startResponse` or `startRequest`; empty pieces send nothing.
    public mutating func sendBody(_ bytes: some Collection<UInt8>, into out: inout [UInt8]) {
        if bytes.withContiguousStorageIfAvailable({ sendPiece($0, into: &out) }) == nil {
            Array(bytes).withUnsafeBufferPointer { sendPiece($0, into: &out) }
        }
    }

    private mutating func sendPiece(_ bytes: Bytes, into out: inout [UInt8]) {
        precondition(ourState == .sendBody, "no body was begun")
        if bytes.isEmpty { return }
        switch sending {
        case .none: break
        case .length(let remaining):
            precondition(bytes.count <= remaining, "the body is longer than its Content-Length")
            sending = .length(remaining - bytes.count)
            out.append(contentsOf: bytes)
        case .chunked:
            out.appendHexadecimal(bytes.count)
            out.appendLineEnd()
            out.append(contentsOf: bytes)
            out.appendLineEnd()
        case .untilClose: out.append(contentsOf: bytes)
        }
    }

    /// Ends a body started with `startResponse` or `startRequest`.
    public mutating func endBody(into out: inout [UInt8]) {
        precondition(ourState == .sendBody, "no body was begun")
        switch sending {
        case .none, .untilClose: break
        case .length(let remaining): precondition(remaining == 0, "the body is shorter than its Content-Length")
        case .chunked: out.append(literal: "0\r\n\r\n")
        }
        sending = .none
        process(.end, by: role)
    }

    /// The bytes that arrived after a protocol change; pass them and all later bytes to the new protocol.
    public mutating func takeTrailingBytes() -> [UInt8] {
        precondition(theirState == .switchedProtocol, "the connection must have switched protocols")
        return buffer.takeAll()
    }
}
