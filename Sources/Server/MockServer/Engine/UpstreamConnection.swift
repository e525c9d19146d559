import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Proxy
import Scenarios
import Text
import WebSocket

/// A client's connection to its world's real server: a relay, and the codecs that exchange data with it.
///
/// The engine is the relay's client: it writes requests and frames to the relay, and reads the relay's output. The
/// transport connects the relay to the server. The relay therefore handles heads, failures and time-outs as a proxy
/// does.
final class UpstreamConnection {
    let side: RelaySide
    /// The request that is waiting for its answer.
    private(set) var exchange: Exchange?
    /// The request whose reply arrived while its world was paused.
    var waiting: Exchange?
    private var head: ResponseHead?
    private var body: [UInt8] = []
    private var http: HTTP1.Connection
    private var webSocket: WebSocket.Connection?
    /// Frames that arrived with the answer to the handshake.
    private var early: [UInt8] = []
    /// Whether the connection is in the list for ``Engine/takeTouchedUpstreams()``.
    var isTouched = false
    private let longestBody: Int

    init(_ connection: Connection, to url: UpstreamURL, _ configuration: Engine.Configuration) {
        let limits = configuration.relayLimits
        side = RelaySide(
            Relay(upstream: url, isClientSecure: connection.isSecure, limits: limits), id: connection.id.number)
        longestBody = configuration.limits.upstreamBody
        var codec = HTTP1.Limits()
        (codec.headerBlock, codec.fieldCount, codec.body) = (limits.headBytes * 2, 512, longestBody)
        http = HTTP1.Connection(role: .client, limits: codec)
    }

    var relay: Relay {
        _read { yield side.relay }
        _modify { yield &side.relay }
    }
    /// The bytes that the connection holds in both directions.
    var heldBytes: Int {
        body.count + relay.toClient.count + relay.toUpstream.count + (webSocket?.bufferedByteCount ?? 0)
    }

    /// Whether the connection can send a request to this server: the relay has not ended, and no exchange is in
    /// progress.
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
            // An operator may have given a held request a body.
            body: exchange.head.hasBody || !exchange.body.isEmpty ? exchange.body : nil, into: &out)
        out.withUnsafeBytes { relay.receiveFromClient($0) }
    }

    /// Reads the received part of the answer; returns nil until the answer is complete.
    ///
    /// - Parameter passInterim: Called with each 1xx.
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
                // Masking protects intermediaries that might mistake frames for requests. This connection has no
                // intermediaries, so the seed need not be secret.
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
            case .request: preconditionFailure("A server must not send requests.")
            }
        }
    }

    /// The beginning of an answer if the relay ended before the rest arrived; otherwise nil.
    private func broken() -> UpstreamReply? {
        guard relay.clientEnding != .none else { return nil }
        guard let head else { return .failed(UpstreamMessages.noAnswer(from: relay.upstream)) }
        // If the length is unknown, at least one byte counts as missing, so that the client notices.
        return .answer(UpstreamAnswer(head, body, missing: max((head.contentLength ?? 0) - body.count, 1)))
    }

    // MARK: Frames

    /// Reads the frames that have arrived.
    func receiveFrames(_ events: inout [WebSocket.Event]) {
        var out: [UInt8] = []
        webSocket?.receive(early, events: &events, output: &out)
        early = []
        relay.toClient.withBytes { webSocket?.receive($0, events: &events, output: &out) }
        relay.sentToClient(relay.toClient.count)
        pass(out)
    }

    /// Forwards an event from the client.
    func send(_ event: WebSocket.Event) {
        var out: [UInt8] = []
        switch event {
        case .text(let text): webSocket?.send(text: text, into: &out)
        case .binary(let bytes): webSocket?.send(binary: bytes, into: &out)
        case .pong(let payload): webSocket?.pong(payload, into: &out)
        // The engine itself answers pings, and ``close(_:)`` forwards the end.
        case .ping, .closing, .failed: break
        }
        pass(out)
    }

    private func pass(_ bytes: [UInt8]) {
        if !bytes.isEmpty { bytes.withUnsafeBytes { relay.receiveFromClient($0) } }
    }

    /// Whether frames or the end of the stream have arrived but have not been sent to the client.
    var hasNews: Bool { webSocket != nil && (!relay.toClient.isEmpty || relay.clientEnding != .none || !early.isEmpty) }

    /// How the server's frame stream has ended; nil while it continues.
    var ending: WireAction? {
        guard relay.toClient.isEmpty else { return nil }
        return switch relay.clientEnding {
        case .none: nil
        case .finish, .close: .finish
        case .reset: .reset
        }
    }

    // MARK: Ending

    /// Ends the connection, because its client is gone or uses a different server.
    func leave() {
        guard !side.isAbandoned else { return }
        side.isAbandoned = true
        exchange = nil
        relay.clientBroke()
    }

    /// Ends a socket with the client's close frame, or with 1001 if the client did not send a close frame.
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

/// The outcome of a request to a world's real server.
// This enum is indirect so that it takes little memory in each request, because few requests need it.
indirect enum UpstreamReply {
    /// The server's answer, perhaps cut off.
    case answer(UpstreamAnswer)
    /// The relay's own 502 or 504.
    case refused(UpstreamAnswer, isBeforeRequest: Bool)
    /// There is no answer, or the answer cannot be forwarded; the sentence says why.
    case failed(String), unreadable(String)
    /// The server opens the socket.
    case socket(ResponseHead)

    /// Why the fake may answer in the server's place; nil if the fake may not answer.
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
    /// The number of body bytes that did not arrive.
    let missing: Int

    init(_ head: ResponseHead, _ body: [UInt8], missing: Int) {
        (self.head, self.body, self.missing) = (head, body, missing)
    }

    /// The message in the body of the relay's refusal.
    var sentence: String { (try? JSON.parse(body))?["error"]?["message"]?.string ?? "" }
}

/// Credentials that replace the fake's own credentials in requests to real servers.
public struct UpstreamCredentials: Sendable, Equatable {
    public var token: String?
    public var apiKey: String?
    /// The servers that receive the credentials, in addition to the upstream of the server's own scenario.
    public var servers: Set<UpstreamURL> = []

    public init(token: String? = nil, apiKey: String? = nil) { (self.token, self.apiKey) = (token, apiKey) }
}

/// Messages about upstreams, for clients and journals.
enum UpstreamMessages {
    static func noAnswer(from url: UpstreamURL) -> String {
        "\(url) ended the connection without an answer. The request was not repeated, because the server may have "
            + "received it."
    }
    static func unreadable(_ reason: String, from url: UpstreamURL) -> String {
        "The answer from \(url) cannot be passed on: \(reason)"
    }
    static func fellBack(_ method: String, _ path: String, because reason: String) -> String {
        "the fake answered \(method) \(TerminalText.quoted(path)), because the upstream could not serve it: \(reason)"
    }
    static func said(_ status: Int) -> String { "the answer was \(status)" }
    static func failed(_ reason: String) -> String { "upstream: \(reason)" }
    static func badFrames(_ url: UpstreamURL?, _ reason: String) -> String {
        "\(url?.description ?? "the server") broke the WebSocket protocol: \(reason)"
    }
    static let noTransport =
        "This server runs in memory and cannot reach an upstream; start it with 'fitiq-mock serve'."
    static let notWithSession =
        "A world that replays a session cannot have an upstream: remove the session or the upstream."
    static let noURL = "The world's upstream has no URL: set 'url', or set the URL when the server starts."
}

extension APIError {
    static func unreachable(_ upstream: Upstream) -> APIError {
        APIError(.badGateway, .badRequest, upstream.url == nil ? UpstreamMessages.noURL : UpstreamMessages.noTransport)
    }
}
