import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Proxy
import Scenarios
import Text
import WebSocket

/// A client's connection to the real server of its world: a relay, and the codecs that speak with it.
///
/// The engine writes requests and frames to the relay as a client, and reads what the relay passes on; the transport
/// connects the relay with the server. So what a proxy does with heads, failures and time-outs is done here, too.
final class UpstreamConnection {
    let side: RelaySide
    /// The request that waits for its answer, and the answer as far as it has arrived.
    private(set) var exchange: Exchange?
    /// The request whose reply has come while its world stood still.
    var waiting: Exchange?
    private var head: ResponseHead?
    private var body: [UInt8] = []
    private var http: HTTP1.Connection
    private var webSocket: WebSocket.Connection?
    /// Frames that came with the answer to the handshake.
    private var early: [UInt8] = []
    /// Whether the engine's list of those with news for the transport has it.
    var isTouched = false
    private let longestBody: Int

    init(_ connection: Connection, to url: UpstreamURL, _ limits: ServerLimits) {
        side = RelaySide(Relay(upstream: url, isClientSecure: connection.isSecure), id: connection.id.number)
        longestBody = limits.upstreamBody
        var codec = HTTP1.Limits()
        (codec.headerBlock, codec.fieldCount, codec.body) = (RelayLimits().headBytes * 2, 512, longestBody)
        http = HTTP1.Connection(role: .client, limits: codec)
    }

    var relay: Relay {
        _read { yield side.relay }
        _modify { yield &side.relay }
    }
    /// Bytes that it holds, in both directions.
    var heldBytes: Int {
        body.count + relay.toClient.count + relay.toUpstream.count + (webSocket?.bufferedByteCount ?? 0)
    }

    /// Whether it can take a request: the relay has not ended, and nothing is under way.
    func isReady(for url: UpstreamURL) -> Bool {
        relay.upstream == url && relay.clientEnding == .none && exchange == nil && webSocket == nil
    }

    // MARK: Requests

    func send(_ exchange: Exchange, target: String, fields: HTTPFields) {
        self.exchange = exchange
        (head, body, relay.failure) = (nil, [], nil)
        var out: [UInt8] = []
        http.sendRequest(
            method: exchange.head.method, target: target, fields: fields,
            // A breakpoint may have given it one.
            body: exchange.head.hasBody || !exchange.body.isEmpty ? exchange.body : nil, into: &out)
        out.withUnsafeBytes { relay.receiveFromClient($0) }
    }

    /// Reads the answer as far as it has arrived; nil if there is more to come.
    ///
    /// - Parameter passInterim: Receives each 1xx.
    func readAnswer(_ passInterim: (ResponseHead) -> Void) -> UpstreamReply? {
        guard exchange != nil else { return nil }
        relay.toClient.withBytes { http.receive($0) }
        relay.sentToClient(relay.toClient.count)
        let reply: UpstreamReply?
        do throws(RemoteError) {
            reply = try nextReply(passInterim)
        } catch {
            reply = .unreadable(UpstreamMessages.unreadable(error.message, from: relay.upstream))
        }
        guard var reply = reply ?? broken() else { return nil }
        if case .answer(let answer) = reply, let failure = relay.failure {
            reply = .refused(answer, isBeforeRequest: failure.isBeforeRequest)
        }
        switch reply {
        case .failed, .unreadable: leave()
        default: break
        }
        (exchange, head, body) = (nil, nil, [])
        if case .socket = reply {
            early = http.takeTrailingBytes()
            webSocket = WebSocket.Connection(
                role: .client, limits: WebSocket.Limits(message: ServerLimits().webSocketMessage),
                // Nothing between here and the server takes frames for requests, which the mask would prevent.
                maskSeed: side.id)
            webSocket?.answersPings = false
        }
        return reply
    }

    private func nextReply(_ passInterim: (ResponseHead) -> Void) throws(RemoteError) -> UpstreamReply? {
        while true {
            switch try http.nextEvent() {
            case .informational(let head): passInterim(head)
            case .response(let head) where head.status.code == 101: return .socket(head)
            case .response(let head): self.head = head
            case .body(let bytes): body += bytes
            case .end:
                if let head { return .answer(UpstreamAnswer(head, body, missing: 0)) }
            case .needsData, .paused, .connectionClosed: return nil
            case .request: preconditionFailure("A server sends no requests.")
            }
        }
    }

    /// What there is of an answer if the relay has ended without the rest; nil unless it has.
    private func broken() -> UpstreamReply? {
        guard relay.clientEnding != .none else { return nil }
        guard let head else { return .failed(UpstreamMessages.noAnswer(from: relay.upstream)) }
        // Without a length the client learns by an impossible one that something is missing.
        return .answer(UpstreamAnswer(head, body, missing: max((head.contentLength ?? 0) - body.count, 1)))
    }

    // MARK: Frames

    /// Reads what has arrived of frames.
    func receiveFrames(_ events: inout [WebSocket.Event]) {
        var out: [UInt8] = []
        webSocket?.receive(early, events: &events, output: &out)
        early = []
        relay.toClient.withBytes { webSocket?.receive($0, events: &events, output: &out) }
        relay.sentToClient(relay.toClient.count)
        pass(out)
    }

    /// Passes on what the client sent.
    func send(_ event: WebSocket.Event) {
        var out: [UInt8] = []
        switch event {
        case .text(let text): webSocket?.send(text: text, into: &out)
        case .binary(let bytes): webSocket?.send(binary: bytes, into: &out)
        case .pong(let payload): webSocket?.pong(payload, into: &out)
        // The client has its pong from here, and its end follows.
        case .ping, .closing, .failed: break
        }
        pass(out)
    }

    private func pass(_ bytes: [UInt8]) {
        if !bytes.isEmpty { bytes.withUnsafeBytes { relay.receiveFromClient($0) } }
    }

    /// Whether there is something that the client has not got.
    var hasNews: Bool { webSocket != nil && (!relay.toClient.isEmpty || relay.clientEnding != .none || !early.isEmpty) }

    /// How the server's stream of frames has ended; nil as long as it has not.
    var ending: WireAction? {
        guard relay.toClient.isEmpty else { return nil }
        return switch relay.clientEnding {
        case .none: nil
        case .finish, .close: .finish
        case .reset: .reset
        }
    }

    // MARK: Leaving

    /// Ends it for a client that is gone or goes elsewhere.
    func leave() {
        guard !side.isAbandoned else { return }
        side.isAbandoned = true
        exchange = nil
        relay.clientBroke()
    }

    /// Ends a socket with the close frame that the client sent, or with 1001 for one that sent none.
    func close(_ summary: CloseSummary?) {
        guard webSocket != nil, !side.isAbandoned else { return leave() }
        side.isAbandoned = true
        var out: [UInt8] = []
        let frame = summary?.received ?? CloseSummary.Frame(code: .goingAway)
        _ = webSocket?.close(code: frame.code, reason: frame.reason, into: &out)
        pass(out)
        relay.clientFinished()
    }
}

/// What a world gets for a request from its real server.
// Indirect, because every request has room for one, and few have one.
indirect enum UpstreamReply {
    /// The server's, perhaps cut off.
    case answer(UpstreamAnswer)
    /// The relay's own 502 or 504.
    case refused(UpstreamAnswer, isBeforeRequest: Bool)
    /// No answer, or none that could be passed on; the sentence says why.
    case failed(String), unreadable(String)
    /// The server opens the socket.
    case socket(ResponseHead)

    /// Why the fake may answer in its place; nil if it may not.
    var absence: String? {
        switch self {
        case .answer(let answer) where Upstream.statusesOfAbsence.contains(answer.head.status.code):
            UpstreamMessages.said(answer.head.status.code)
        case .refused(let answer, isBeforeRequest: true): answer.sentence
        default: nil
        }
    }
}

struct UpstreamAnswer {
    let head: ResponseHead
    let body: [UInt8]
    /// How many bytes of the body did not come.
    let missing: Int

    init(_ head: ResponseHead, _ body: [UInt8], missing: Int) {
        (self.head, self.body, self.missing) = (head, body, missing)
    }

    /// The message of the relay's refusal.
    var sentence: String { (try? JSON.parse(body))?["error"]?["message"]?.string ?? "" }
}

/// The credentials that take the place of the fake's own in requests to real servers.
public struct UpstreamCredentials: Sendable, Equatable {
    public var token: String?
    public var apiKey: String?

    public init(token: String? = nil, apiKey: String? = nil) { (self.token, self.apiKey) = (token, apiKey) }
}

/// The sentences about upstreams, for clients and journals.
enum UpstreamMessages {
    static func noAnswer(from url: UpstreamURL) -> String {
        "\(url) ended the connection without an answer. The request was not repeated, because the server may have "
            + "received it."
    }
    static func unreadable(_ reason: String, from url: UpstreamURL) -> String {
        "The answer of \(url) cannot be passed on: \(reason)"
    }
    static func fellBack(_ method: String, _ path: String, because reason: String) -> String {
        "the fake answers \(method) \(TerminalText.quoted(path)), because the upstream did not: \(reason)"
    }
    static func said(_ status: Int) -> String { "it said \(status)" }
    static func failed(_ reason: String) -> String { "upstream: \(reason)" }
    static func badFrames(_ url: UpstreamURL?, _ reason: String) -> String {
        "\(url?.description ?? "the server") broke the WebSocket protocol: \(reason)"
    }
    static let noTransport =
        "This server runs in memory and cannot reach an upstream; start it with 'fitiq-mock serve'."
    static let notWithSession = "A world that replays a session has no upstream: leave out one of the two."
    static let noURL = "The world's upstream has no URL: give it one as 'url', or name one when the server starts."
}

extension APIError {
    static func unreachableUpstream(hasURL: Bool) -> APIError {
        APIError(.badGateway, .badRequest, hasURL ? UpstreamMessages.noTransport : UpstreamMessages.noURL)
    }
}
