import FitIQAPI
import HTTP1
import HTTPTypes
import Text
import WebSocket

/// Observes one HTTP/1.1 connection: accepts the bytes from both directions, and reports exchanges and WebSocket
/// frames.
///
/// Pass in decrypted bytes, in pieces of any size, with each request before its response. How the bytes are split
/// affects only the times in the output. Bytes that are not HTTP end the observation with a note. When the connection
/// ends, the received parts of unfinished messages are reported. ``Limits`` bound the memory. Bodies compressed with
/// gzip or deflate become text.
///
/// Internally, an `HTTP1.Connection` in each role reads one direction; the output is discarded. The connection that
/// reads requests gets a response only after both messages end, because otherwise it would drop the rest of a request
/// that was answered early. Until then, later requests wait in its buffer.
public struct ConnectionObserver: Sendable {
    enum Phase: Sendable {
        case http, webSocket
        /// The observer has stopped reading.
        case over
    }

    let scheme: String
    let authority: String?
    let limits: Limits
    var phase = Phase.http
    var requests: HTTP1.Connection
    var answers: HTTP1.Connection
    var current: ExchangeInProgress?
    /// The arrival time of the next request's first byte.
    var nextRequestBegan: Timestamp?
    /// Whether the client's bytes are no longer valid HTTP; the response to an earlier request may still arrive.
    var requestsFailed = false
    /// Whether the server has announced that it will not answer any more requests on this connection.
    var answersAreOver = false
    /// The side that was first to end its direction.
    private var finishedFirst: Party?
    private(set) var serverFinished = false
    private var socket: SocketObserver
    /// The discarded output of the codecs.
    var unsent: [UInt8] = []
    /// The observations made since they were last taken.
    private var observations: [WireEvent] = []

    /// URLs start with the scheme (`http` or `https`) and the authority, which defaults to the request's host.
    init(scheme: String, authority: String? = nil, limits: Limits = Limits()) {
        (self.scheme, self.authority, self.limits) = (scheme, authority, limits)
        requests = HTTP1.Connection(role: .server, limits: limits.http)
        answers = HTTP1.Connection(role: .client, limits: limits.http)
        socket = SocketObserver(limits: limits)
    }

    mutating func takeObservations() -> [WireEvent] {
        guard !observations.isEmpty else { return [] }
        defer { observations = [] }
        return observations
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp) {
        guard !bytes.isEmpty, party == .client || !serverFinished else { return }
        switch (phase, party) {
        case (.http, .client):
            if current?.requested != nil || current == nil { nextRequestBegan = nextRequestBegan ?? time }
            requests.receive(bytes)
            advance(at: time)
        case (.http, .server):
            if current?.response == nil, current?.answerBegan == nil { current?.answerBegan = time }
            answers.receive(bytes)
            advance(at: time)
        case (.webSocket, _): readFrames(bytes, from: party, at: time)
        case (.over, _): break
        }
    }

    /// Handles one side's FIN, which completes a body without a length.
    mutating func finished(by party: Party, at time: Timestamp) {
        finishedFirst = finishedFirst ?? party
        guard party == .server, !serverFinished else { return }
        serverFinished = true
        guard phase == .http else { return }
        answers.receiveEndOfStream()
        advance(at: time)
    }

    /// Ends the connection for this side, unless one side had already finished, and reports unfinished messages.
    mutating func ended(by party: Party, isReset: Bool, at time: Timestamp) {
        if !isReset { finished(by: party, at: time) }
        if phase == .webSocket {
            let party = isReset ? party : finishedFirst ?? party
            report(.socketEnded(socket.ending(at: time, by: party, cause: isReset ? .reset : .finish)))
        }
        recordingEnded(at: time)
    }

    /// Handles a recording that ends before the connection, and reports unfinished messages; a WebSocket stays open.
    mutating func recordingEnded(at time: Timestamp) {
        if phase == .http { reportUnfinished(at: time) }
        phase = .over
    }

    /// Stops observing with a note and reports unfinished messages.
    mutating func giveUp(_ note: String, at time: Timestamp) {
        recordingEnded(at: time)
        stop(note)
        requests = HTTP1.Connection(role: .server)
        answers = HTTP1.Connection(role: .client)
        socket = SocketObserver(limits: limits)
    }

    /// The number of bytes stored for unfinished messages.
    var heldByteCount: Int {
        switch phase {
        case .http: requests.bufferedByteCount + answers.bufferedByteCount + (current?.heldByteCount ?? 0)
        case .webSocket: socket.heldByteCount
        case .over: 0
        }
    }

    mutating func report(_ observation: WireEvent) { observations.append(observation) }

    /// Ends the observation.
    mutating func stop(_ note: String) {
        current = nil
        phase = .over
        report(.note(note))
    }

    // MARK: WebSocket

    private mutating func readFrames(_ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp) {
        socket.receive(bytes, from: party, at: time, into: &observations)
        guard socket.isClosed else { return }
        report(.socketEnded(socket.ending(at: time, by: party, cause: .closeFrame)))
        phase = .over
    }

    /// Handles a 101 response.
    mutating func switchProtocols(_ head: ResponseHead, at time: Timestamp) {
        guard var exchange = current else { preconditionFailure("a 101 must answer a request") }
        let response = SessionResponse(status: 101, fields: Self.fields(head.fields))
        guard requests.theirState == .mightSwitchProtocol, head.fields.hasToken("websocket", in: .upgrade) else {
            exchange.response = response
            exchange.answered = time
            report(.exchange(exchange.exchange(at: time)))
            return stop(Messages.otherProtocol(exchange.request.url))
        }
        requests.switchProtocols(fields: Self.upgradeFields, into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        let early = (client: requests.takeTrailingBytes(), server: answers.takeTrailingBytes())
        var request = exchange.exchange(at: time).request
        // `http` becomes `ws`, and `https` becomes `wss`.
        if request.url.utf8.starts(with: "http".utf8) { request.url = "ws" + request.url.dropFirst(4) }
        current = nil
        phase = .webSocket
        report(
            .exchange(SessionExchange(started: exchange.started, opened: time, request: request, response: response)))
        let extensions = head.fields.values(.secWebSocketExtensions).joined(separator: ", ")
        if let terms = CompressionTerms(agreedIn: head.fields.httpFields) {
            socket = SocketObserver(limits: limits, compression: terms)
        } else if !extensions.isEmpty {
            socket.stopReading()
            report(.note(Messages.extensions(extensions, url: request.url)))
        }
        early.client.withUnsafeBytes { readFrames($0, from: .client, at: time) }
        guard phase == .webSocket else { return }
        early.server.withUnsafeBytes { readFrames($0, from: .server, at: time) }
    }

    static func fields(_ block: FieldBlock) -> [SessionField] {
        block.nameValuePairs.map { SessionField($0.name, $0.value) }
    }

    static let plainFields: HTTPFields = [.hostField: "observed"]
    static let upgradeFields: HTTPFields = [.hostField: "observed", .upgrade: "websocket", .connection: "upgrade"]

    /// The memory limits for observing a connection.
    public struct Limits: Sendable, Equatable {
        /// The maximum number of bytes to store of a body or message.
        ///
        /// For a longer body or message, only the start and the true size are stored.
        public var body = 16 * 1024 * 1024
        /// The maximum size of a message in bytes.
        ///
        /// A longer message ends the observation of its direction with a note.
        public var message = 64 * 1024 * 1024
        /// The maximum size of a request or status line in bytes; a longer line ends the observation with a note.
        public var startLine = 64 * 1024
        /// The maximum size of a head's field lines in bytes; a larger head ends the observation with a note.
        public var headerBlock = 1024 * 1024
        /// The maximum number of field lines in a head; more lines end the observation with a note.
        public var fieldCount = 2000
        /// The maximum size of pipelined requests that wait for a response, in bytes; more bytes end the observation
        /// with a note.
        public var pipelined = 4 * 1024 * 1024

        public init() {}

        var http: HTTP1.Limits {
            var limits = HTTP1.Limits()
            limits.requestLine = startLine
            limits.methodName = min(256, startLine / 2)
            limits.headerBlock = headerBlock
            limits.fieldCount = fieldCount
            // The observer truncates long bodies instead of refusing them; a size has at most 16 digits.
            limits.body = Int.max / 2
            limits.chunkLine = 16 * 1024
            limits.leadingEmptyLines = 1000
            limits.pipelined = pipelined
            return limits
        }
    }

    /// Reads as many bytes as the state of the other direction allows.
    mutating func advance(at time: Timestamp) {
        repeat {
            readRequest(at: time)
            if phase == .http { readAnswer(at: time) }
        } while phase == .http && reportFinished(at: time)
    }

    private mutating func readRequest(at time: Timestamp) {
        while phase == .http, current?.requested == nil, !requestsFailed {
            do throws(RemoteError) {
                switch try requests.nextEvent() {
                case .request(let head): begin(head, at: time)
                case .body(let piece): current?.requestBody.append(piece)
                case .end:
                    current?.requested = time
                    // The remaining bytes arrived now or earlier.
                    nextRequestBegan = requests.bufferedByteCount > 0 ? time : nil
                default: return
                }
            } catch {
                requestsFailed = true
                guard current != nil else { return stop(Messages.badRequest(error)) }
                // The server may still respond to a request with an invalid body.
                report(.note(Messages.badRequest(error)))
                current?.requested = time
            }
        }
    }

    private mutating func begin(_ head: RequestHead, at time: Timestamp) {
        current = ExchangeInProgress(
            started: nextRequestBegan ?? time,
            request: SessionRequest(method: head.method.rawValue, url: url(head), fields: Self.fields(head.fields)),
            isConnect: head.method == .connect, expectsContinue: head.expectsContinue, hasBody: head.hasBody,
            requestBody: BodyCollector(limit: limits.body), responseBody: BodyCollector(limit: limits.body))
        nextRequestBegan = nil
        guard !answersAreOver else { return }
        // The connection that reads responses sends only the request data that determines the response's framing.
        answers.sendRequest(
            method: head.method == .head ? .head : .get, target: "/",
            fields: head.wantsUpgrade ? Self.upgradeFields : Self.plainFields, body: nil, into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        if answers.bufferedByteCount > 0 { current?.answerBegan = time }
    }

    private func url(_ head: RequestHead) -> String {
        let host = authority ?? head.authority ?? "unknown"
        let path = head.target.path
        let start = path.isEmpty || path.utf8.first == .slash ? "" : "/"
        return scheme + "://" + host + start + path + (head.target.query.map { "?" + $0 } ?? "")
    }

    private mutating func readAnswer(at time: Timestamp) {
        // Bytes after an early response are held until its request ends, up to a limit.
        let mayWait = current == nil ? 0 : current?.answered == nil ? Int.max : limits.pipelined
        guard answers.bufferedByteCount <= mayWait else {
            if let current { report(.exchange(current.exchange(at: time))) }
            return stop(Messages.unaskedAnswer(answers.bufferedByteCount))
        }
        while phase == .http, current != nil, current?.answered == nil, !answersAreOver {
            do throws(RemoteError) {
                switch try answers.nextEvent() {
                case .informational: current?.answerBegan = answers.bufferedByteCount > 0 ? time : nil
                case .response(let head) where head.status.code == 101: switchProtocols(head, at: time)
                case .response(let head): takeHead(head, at: time)
                case .body(let piece): current?.responseBody.append(piece)
                case .end:
                    current?.answered = time
                    answersAreOver = answers.ourState != .idle
                default: return
                }
            } catch {
                // If the end of the connection truncated the response, the code that handles that end reports it.
                guard !serverFinished, let exchange = current else { return }
                report(.exchange(exchange.exchange(at: time)))
                stop(Messages.badAnswer(error, url: exchange.request.url))
            }
        }
    }

    private mutating func takeHead(_ head: ResponseHead, at time: Timestamp) {
        current?.response = SessionResponse(status: head.status.code, fields: Self.fields(head.fields))
        guard var tunnel = current, tunnel.isConnect, head.status.kind == .successful else { return }
        // "Any 2xx response indicates that the sender will switch to tunnel mode" (RFC 9110 §9.3.6).
        tunnel.answered = time
        report(.exchange(tunnel.exchange(at: time)))
        stop(Messages.tunnel(tunnel.request.url))
    }

    /// Reports a finished exchange; returns false if no exchange is finished or no request can follow.
    private mutating func reportFinished(at time: Timestamp) -> Bool {
        guard let exchange = current, exchange.requested != nil, exchange.answered != nil || answersAreOver else {
            return false
        }
        report(.exchange(exchange.exchange(at: time)))
        return goOn(after: exchange)
    }

    /// Allows the next request to be read; returns false if no request can follow.
    private mutating func goOn(after exchange: ExchangeInProgress) -> Bool {
        current = nil
        guard !requestsFailed, requests.canRespond else {
            phase = .over
            return false
        }
        // The body has arrived, but the connection would end if the request were still waiting for 100 Continue.
        if exchange.expectsContinue { requests.sendContinue(into: &unsent) }
        // Any response would do here; HTTP allows this one after every request, including CONNECT.
        requests.respond(status: .badRequest, fields: [:], body: [], into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        return true
    }

    /// Reports the exchanges that were truncated or left unanswered when the connection ended.
    mutating func reportUnfinished(at time: Timestamp) {
        while phase == .http, let exchange = current {
            report(.exchange(exchange.exchange(at: time)))
            // The buffer may contain pipelined requests that will not be answered.
            guard exchange.requested != nil, goOn(after: exchange) else { return }
            answersAreOver = true
            readRequest(at: time)
        }
    }
}

enum WireEvent: Sendable, Equatable {
    /// A request and its response, if any; an accepted WebSocket handshake has no frames and no ending yet.
    case exchange(SessionExchange)
    /// A message or a control frame on the WebSocket that was opened last.
    case frame(SessionFrame)
    /// The end of the WebSocket that was opened last.
    case socketEnded(SessionEnding)
    /// Why the recording is incomplete, as a sentence for the user.
    case note(String)
}

/// The received part of an unfinished exchange.
struct ExchangeInProgress: Sendable {
    let started: Timestamp
    var request: SessionRequest
    let isConnect: Bool
    let expectsContinue: Bool
    let hasBody: Bool
    var requestBody: BodyCollector
    var responseBody: BodyCollector
    var requested: Timestamp?
    /// The arrival time of the final response's first byte.
    var answerBegan: Timestamp?
    /// The head of the response; the body is collected separately.
    var response: SessionResponse?
    var answered: Timestamp?

    var heldByteCount: Int { requestBody.heldByteCount + responseBody.heldByteCount }

    /// The exchange as received so far.
    func exchange(at time: Timestamp) -> SessionExchange {
        var (request, response) = (request, response)
        if hasBody {
            var body = requestBody.body
            request.coding = body.inflate(&request.fields, limit: requestBody.limit)
            request.body = body
        }
        if var answer = response {
            (answer.body, answer.isComplete) = (responseBody.body, answered != nil)
            answer.coding = answer.body.inflate(&answer.fields, limit: responseBody.limit)
            response = answer
        }
        var waited: Int64 = 0
        if let answerBegan, let requested { waited = requested.nanoseconds(until: answerBegan) }
        return SessionExchange(
            started: started, waited: waited, lasted: started.nanoseconds(until: answered ?? time), request: request,
            response: response)
    }
}

extension Timestamp {
    /// The nanoseconds until another time; 0 if that time is earlier, and the largest number on overflow.
    fileprivate func nanoseconds(until other: Timestamp) -> Int64 {
        let (difference, overflow) = other.nanosecondsSinceEpoch.subtractingReportingOverflow(nanosecondsSinceEpoch)
        return other < self ? 0 : overflow ? .max : difference
    }
}

/// Collects a body's start and its total size.
struct BodyCollector: Sendable {
    let limit: Int
    private var bytes: [UInt8] = []
    private var byteCount = 0

    init(limit: Int) { self.limit = limit }

    var heldByteCount: Int { bytes.count }

    /// Appends a piece; bytes beyond the limit are only counted.
    mutating func append(_ piece: ArraySlice<UInt8>) {
        byteCount += piece.count
        // The byte just beyond the limit shows whether the limit splits a character.
        bytes.append(contentsOf: piece.prefix(max(0, limit + 1 - bytes.count)))
    }

    /// The body so far.
    var body: RecordedBody {
        var body = RecordedBody(bytes, of: byteCount)
        body.cut(to: limit)
        return body
    }
}

/// Observes both directions of one WebSocket.
///
/// A codec in the receiver's role reads each direction. The codec's output is discarded, because the wire has the real
/// frames. A protocol violation ends the observation of only its direction.
struct SocketObserver: Sendable {
    private let limits: ConnectionObserver.Limits
    private var toServer: WebSocket.Connection
    private var toClient: WebSocket.Connection
    private var closedFirst: Party?
    /// Whether both close frames have been seen.
    private(set) var isClosed = false
    private var isReadable = true
    private var events: [WebSocket.Event] = []
    private var unsent: [UInt8] = []

    init(limits: ConnectionObserver.Limits, compression: CompressionTerms? = nil) {
        self.limits = limits
        let socketLimits = WebSocket.Limits(message: limits.message)
        toServer = WebSocket.Connection(role: .server, limits: socketLimits, compression: compression)
        toClient = WebSocket.Connection(role: .client, limits: socketLimits, compression: compression)
        toServer.answersPings = false
        toClient.answersPings = false
    }

    var heldByteCount: Int { toServer.bufferedByteCount + toClient.bufferedByteCount }

    /// Stops reading; the connection's end is still reported.
    mutating func stopReading() { isReadable = false }

    /// How the socket ended: with close frames if both sides sent one, otherwise by this party and with this cause.
    func ending(at time: Timestamp, by party: Party, cause: SessionEnding.Cause) -> SessionEnding {
        SessionEnding(time: time, party: closedFirst ?? party, cause: closedFirst == nil ? cause : .closeFrame)
    }

    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp,
        into observations: inout [WireEvent]
    ) {
        guard isReadable, !bytes.isEmpty else { return }
        var rest = bytes
        // Take one event at a time, because the codec stores the wire size of only the latest message.
        while !rest.isEmpty {
            let count =
                switch party {
                case .client: toServer.receiveUntilEvent(rest, events: &events, output: &unsent)
                case .server: toClient.receiveUntilEvent(rest, events: &events, output: &unsent)
                }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            unsent.removeAll(keepingCapacity: true)
            let size = party == .client ? toServer.receivedSize : toClient.receivedSize
            for event in events { observations.append(observation(of: event, size, from: party, at: time)) }
            events.removeAll(keepingCapacity: true)
        }
    }

    private mutating func observation(
        of event: WebSocket.Event, _ compressedSize: Int?, from party: Party, at time: Timestamp
    ) -> WireEvent {
        let (opcode, bytes): (Opcode, [UInt8])
        switch event {
        case .text(let payload): (opcode, bytes) = (.text, payload)
        case .binary(let payload): (opcode, bytes) = (.binary, payload)
        case .ping(let payload): (opcode, bytes) = (.ping, payload)
        case .pong(let payload): (opcode, bytes) = (.pong, payload)
        case .closing(let code, let reason):
            isClosed = closedFirst != nil && closedFirst != party
            closedFirst = closedFirst ?? party
            let payload = code.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] + Array(reason.utf8) }
            (opcode, bytes) = (.close, payload ?? [])
        case .failed(_, let message): return .note(Messages.badFrame(message, from: party))
        }
        var frame = SessionFrame(sender: party, time: time, opcode: opcode, payload: RecordedBody(bytes))
        frame.payload.cut(to: limits.body)
        if !opcode.isControl { frame.compressedSize = compressedSize }
        return .frame(frame)
    }
}
