import FitIQAPI
import HTTP1
import HTTPTypes
import WebSocket

/// Observes one HTTP/1.1 connection: the bytes of both directions in, exchanges and WebSocket frames out.
///
/// The input is the decrypted bytes in pieces of any size; only the times of the output depend on the pieces. A request
/// must be passed in before its response. No input stops the program: bytes that are not HTTP end the observation with
/// a note, and unfinished parts of a broken connection are reported as far as they went. Memory is bounded by
/// ``Limits``. Content codings are kept.
///
/// Internally, an `HTTP1.Connection` in each role reads one direction and learns what the other saw. Their output is
/// discarded. The connection that reads requests learns of a response only once both the request and its response are
/// over, since it would drop the rest of a request that was answered early; until then, later requests wait in its
/// buffer.
public struct ConnectionObserver: Sendable {
    enum Phase: Sendable {
        case http
        case webSocket
        /// Nothing more is read.
        case over
    }

    let scheme: String
    let authority: String?
    let limits: Limits
    var phase = Phase.http
    /// Reads what the client sends.
    var requests: HTTP1.Connection
    /// Reads what the server sends.
    var answers: HTTP1.Connection
    var current: ExchangeInProgress?
    /// When the first byte of the next request arrived.
    var nextRequestBegan: Timestamp?
    /// Whether the client's bytes are no longer valid HTTP; the response to an earlier request may still come.
    var requestsFailed = false
    /// Whether the server announced that it answers no more requests on this connection.
    var answersAreOver = false
    /// The side that ended its direction first.
    var finishedFirst: Party?
    var serverFinished = false
    var socket: SocketObserver
    /// The discarded output of the codecs.
    var unsent: [UInt8] = []

    /// Starts with a fresh connection.
    ///
    /// The scheme is `http` or `https`. URLs have the host that the requests name, unless an authority (`host:port`) is
    /// given.
    public init(scheme: String, authority: String? = nil, limits: Limits = Limits()) {
        self.scheme = scheme
        self.authority = authority
        self.limits = limits
        requests = HTTP1.Connection(role: .server, limits: limits.http)
        answers = HTTP1.Connection(role: .client, limits: limits.http)
        socket = SocketObserver(limits: limits)
    }

    /// Whether nothing more will be seen on this connection.
    public var isOver: Bool { phase == .over }

    /// Receives bytes from the client and appends the resulting observations.
    public mutating func clientSent(
        _ bytes: UnsafeRawBufferPointer, at time: Timestamp, into observations: inout [Observation]
    ) {
        guard !bytes.isEmpty else { return }
        switch phase {
        case .http:
            if current?.requested != nil || current == nil { nextRequestBegan = nextRequestBegan ?? time }
            requests.receive(bytes)
            advance(at: time, into: &observations)
        case .webSocket: readFrames(bytes, from: .client, at: time, into: &observations)
        case .over: break
        }
    }

    /// Receives bytes from the server and appends the resulting observations.
    public mutating func serverSent(
        _ bytes: UnsafeRawBufferPointer, at time: Timestamp, into observations: inout [Observation]
    ) {
        guard !bytes.isEmpty, !serverFinished else { return }
        switch phase {
        case .http:
            if current?.response == nil, current?.answerBegan == nil { current?.answerBegan = time }
            answers.receive(bytes)
            advance(at: time, into: &observations)
        case .webSocket: readFrames(bytes, from: .server, at: time, into: &observations)
        case .over: break
        }
    }

    /// Records that one side sends no more (FIN), while the other still may.
    ///
    /// This completes a body that continues until its connection closes.
    public mutating func finished(by party: Party, at time: Timestamp, into observations: inout [Observation]) {
        finishedFirst = finishedFirst ?? party
        guard party == .server, !serverFinished else { return }
        serverFinished = true
        guard phase == .http else { return }
        answers.receiveEndOfStream()
        advance(at: time, into: &observations)
    }

    /// Records that the connection is gone, and reports what was unfinished.
    ///
    /// The party is the side that ended it, unless one had finished before.
    public mutating func ended(
        by party: Party, isReset: Bool, at time: Timestamp, into observations: inout [Observation]
    ) {
        if !isReset { finished(by: party, at: time, into: &observations) }
        switch phase {
        case .http: tellUnfinished(at: time, into: &observations)
        case .webSocket:
            let cause: SessionEnding.Cause = isReset ? .reset : .finish
            let ending = socket.ending(at: time, by: isReset ? party : finishedFirst ?? party, cause: cause)
            observations.append(.socketEnded(ending))
        case .over: break
        }
        phase = .over
    }

    /// Records that the recording ends before the connection, and reports what was unfinished, except an open
    /// WebSocket's end.
    public mutating func recordingEnded(at time: Timestamp, into observations: inout [Observation]) {
        if phase == .http { tellUnfinished(at: time, into: &observations) }
        phase = .over
    }

    /// Stops observing, and reports what was unfinished and why it stays so.
    mutating func giveUp(_ note: String, at time: Timestamp, into observations: inout [Observation]) {
        recordingEnded(at: time, into: &observations)
        stop(note, into: &observations)
        requests = HTTP1.Connection(role: .server)
        answers = HTTP1.Connection(role: .client)
        socket = SocketObserver(limits: limits)
    }

    /// How many bytes of unfinished messages are kept.
    var heldByteCount: Int {
        switch phase {
        case .http: requests.bufferedByteCount + answers.bufferedByteCount + (current?.heldByteCount ?? 0)
        case .webSocket: socket.heldByteCount
        case .over: 0
        }
    }

    private mutating func readFrames(
        _ bytes: UnsafeRawBufferPointer, from party: Party, at time: Timestamp,
        into observations: inout [Observation]
    ) {
        socket.receive(bytes, from: party, at: time, into: &observations)
        if socket.isClosed {
            observations.append(.socketEnded(socket.ending(at: time, by: party, cause: .closeFrame)))
            phase = .over
        }
    }

    // MARK: From HTTP to WebSocket

    /// Handles a 101.
    mutating func switchProtocols(_ head: ResponseHead, at time: Timestamp, into observations: inout [Observation]) {
        guard var exchange = current else { preconditionFailure("a 101 answers a request") }
        let response = SessionResponse(status: 101, fields: Self.fields(head.fields))
        guard requests.theirState == .mightSwitchProtocol, head.fields.hasToken("websocket", in: .upgrade) else {
            exchange.response = response
            exchange.answered = time
            observations.append(.exchange(exchange.exchange(at: time, limit: limits.body)))
            stop(Messages.otherProtocol(exchange.request.url), into: &observations)
            return
        }
        requests.switchProtocols(fields: Self.upgradeFields, into: &unsent)
        unsent.removeAll(keepingCapacity: true)
        let early = (client: requests.takeTrailingBytes(), server: answers.takeTrailingBytes())
        var request = exchange.exchange(at: time, limit: limits.body).request
        request.url = Self.webSocketURL(request.url)
        current = nil
        phase = .webSocket
        observations.append(
            .socketOpened(
                SessionSocket(started: exchange.started, opened: time, request: request, response: response)))
        let extensions = head.fields.values(.secWebSocketExtensions).joined(separator: ", ")
        if !extensions.isEmpty {
            socket.stopReading()
            observations.append(.note(Messages.extensions(extensions, url: request.url)))
        }
        early.client.withUnsafeBytes { readFrames($0, from: .client, at: time, into: &observations) }
        guard phase == .webSocket else { return }
        early.server.withUnsafeBytes { readFrames($0, from: .server, at: time, into: &observations) }
    }

    /// Ends the observation.
    mutating func stop(_ note: String, into observations: inout [Observation]) {
        current = nil
        phase = .over
        observations.append(.note(note))
    }

    // MARK: Texts

    static func fields(_ block: FieldBlock) -> [SessionField] {
        block.nameValuePairs.map { SessionField($0.name, $0.value) }
    }

    func url(_ head: RequestHead) -> String {
        let host = authority ?? head.authority ?? "unknown"
        let path = head.target.path
        let start = path.isEmpty || path.utf8.first == UInt8(ascii: "/") ? "" : "/"
        return scheme + "://" + host + start + path + (head.target.query.map { "?" + $0 } ?? "")
    }

    /// Turns `http` into `ws` and `https` into `wss`.
    static func webSocketURL(_ url: String) -> String {
        url.utf8.starts(with: "http".utf8) ? "ws" + url.dropFirst(4) : url
    }

    static let plainFields: HTTPFields = [.hostField: "observed"]
    static let upgradeFields: HTTPFields = [.hostField: "observed", .upgrade: "websocket", .connection: "upgrade"]
}
