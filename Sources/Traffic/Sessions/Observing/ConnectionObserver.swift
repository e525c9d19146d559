import FitIQAPI
import HTTP1
import HTTPTypes
import Recording
import WebSocket

/// Reads along on one HTTP/1.1 connection: the bytes of both directions in, exchanges and WebSocket frames out.
///
/// Bytes are what is left of them after TLS, in pieces of any size; what comes out depends on the pieces only in its
/// times. A request has to be given before its answer. It never stops the program, whatever the bytes: what is no HTTP
/// ends the observation with a note, and what a cut connection left half done is told as far as it went.
/// Memory is bounded by ``Limits``. Content codings are left as they are.
///
/// Within, an `HTTP1.Connection` in each role reads one direction and is told what the other saw. What they would send is
/// thrown away. The end that reads requests is told of an answer once both the request and its answer are over, since it
/// would drop what is left of a request that was answered early; until then later requests wait in its buffer.
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
    /// When the first byte of the next request came.
    var nextRequestBegan: Timestamp?
    /// Whether what the client sends makes no sense any more; the answer to what it sent before may still come.
    var requestsFailed = false
    /// Whether the server said that it answers no more requests on this connection.
    var answersAreOver = false
    /// Who ended its direction first.
    var finishedFirst: Party?
    var serverFinished = false
    var socket: SocketObserver
    /// What the codecs would send.
    var unsent: [UInt8] = []

    /// Begins with a connection that nothing was sent on yet.
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

    /// Takes what the client sent; appends what it amounts to.
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

    /// Takes what the server sent; appends what it amounts to.
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

    /// Takes note that one side sends no more (FIN), while the other still may.
    ///
    /// A body that goes on until its connection closes is complete by that.
    public mutating func finished(by party: Party, at time: Timestamp, into observations: inout [Observation]) {
        finishedFirst = finishedFirst ?? party
        guard party == .server, !serverFinished else { return }
        serverFinished = true
        guard phase == .http else { return }
        answers.receiveEndOfStream()
        advance(at: time, into: &observations)
    }

    /// Takes note that the connection is gone; tells what was half done.
    ///
    /// The party is who ended it, unless one had finished before.
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

    /// Takes note that the recording ends before the connection; tells what was half done, save an open WebSocket's end.
    public mutating func recordingEnded(at time: Timestamp, into observations: inout [Observation]) {
        if phase == .http { tellUnfinished(at: time, into: &observations) }
        phase = .over
    }

    /// Observes no more; tells what was half done, and why it stays so.
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

    /// Takes a 101 that was read.
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

    /// `http` becomes `ws`, `https` becomes `wss`.
    static func webSocketURL(_ url: String) -> String {
        url.utf8.starts(with: "http".utf8) ? "ws" + url.dropFirst(4) : url
    }

    static let plainFields: HTTPFields = [.hostField: "observed"]
    static let upgradeFields: HTTPFields = [.hostField: "observed", .upgrade: "websocket", .connection: "upgrade"]
}
