import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Recording
import WebSocket

/// An entry of the journal, read the way judges ask.
struct Fact: Sendable {
    /// The entry itself: evidence.
    ///
    /// Judges keep thousands, so of long bodies it has the beginning only.
    let entry: JournalEntry
    let kind: Kind

    /// What it tells.
    enum Kind: Sendable {
        /// A request that was answered or given up; a handshake too, where it was refused.
        case request(RequestFact)
        /// A WebSocket was opened.
        case opened(OpeningFact)
        /// A message or control frame.
        case frame(FrameFact)
        /// A WebSocket ended.
        case closed(RecordedClosing)
        /// A fault set in on a WebSocket that lasts.
        case fault(RecordedFault)
        /// What no client did.
        case other
    }

    init(_ entry: JournalEntry) {
        self.entry = entry.excerpt(bodies: Self.evidenceBytes)
        kind =
            switch entry.event {
            case .exchange(let exchange): .request(RequestFact(exchange, entry))
            case .opened(let opening): .opened(OpeningFact(opening, entry))
            case .frame(let frame): .frame(FrameFact(frame))
            case .closed(let closing): .closed(closing)
            case .fault(let fault): .fault(fault)
            case .clock, .note: .other
            }
    }

    /// How much of a body is kept as evidence: 4 KiB.
    static let evidenceBytes = 4096

    /// When it happened: when an answer or frame was let go, a request's answer included.
    var time: Timestamp { entry.time }
    var connection: UInt64 { entry.connection }
}

/// A request and its answer, read once.
final class RequestFact: Sendable {
    let exchange: RecordedExchange
    /// When the request was complete.
    let requestedAt: Timestamp
    /// When the answer was let go, or the client gave up.
    let answeredAt: Timestamp
    let credentials: PresentedCredentials
    /// The path's segments within its world, percent-decoded.
    let segments: [String]
    /// The body as JSON; nil where it is none.
    let body: JSONValue?
    /// The answer as JSON; nil where it is none or was cut, and for histories and quick actions, which are long and
    /// tell no judge anything.
    let answer: JSONValue?

    init(_ exchange: RecordedExchange, _ entry: JournalEntry) {
        self.exchange = exchange
        requestedAt = exchange.requestedAt
        answeredAt = entry.time
        credentials = PresentedCredentials(exchange.head)
        segments = exchange.head.target.segmentsInWorld
        body = exchange.body.bytes.isEmpty ? nil : try? JSON.parse(exchange.body.bytes)
        let isRead = exchange.endpoint != .listMessages && exchange.endpoint != .listQuickActions
        answer =
            !isRead || exchange.responseBody.bytes.isEmpty ? nil : try? JSON.parse(exchange.responseBody.bytes)
    }

    var endpoint: Endpoint? { exchange.endpoint }
    var method: HTTPRequest.Method { exchange.head.method }
    /// The user whose credentials were accepted.
    var user: ExactString? { exchange.user }
    /// Whose request it is: the user, or where nobody asked for credentials whom the token names; nil without a token.
    var client: ExactString? {
        if let user { return user }
        return credentials.token.map { AccessToken.claimedSubject(of: $0.text) ?? $0 }
    }
    /// The endpoint, where the mode has it and it is no WebSocket's handshake.
    var restEndpoint: Endpoint? { exchange.unmatched == nil && !isHandshake ? endpoint : nil }
    /// Whether the client was told so: it was done.
    var isSuccess: Bool { isAnswered && (200..<300).contains(exchange.status ?? 0) }
    /// Whether a fault acted on it: the answer need not be what the backend thinks of the request.
    var isFaulted: Bool { !exchange.faults.isEmpty }
    /// Nil where no answer was sent.
    var status: Int? { exchange.status }
    var delivery: Delivery { exchange.delivery }
    /// Whether the client has got the whole answer.
    var isAnswered: Bool { exchange.status != nil && exchange.delivery == .complete }
    /// Whether it is a WebSocket's handshake that was refused.
    var isHandshake: Bool { exchange.endpoint == .webSocket }
    /// What stands in the path where the endpoint has `{id}` or `{goalId}`; nil for paths without.
    var pathID: ExactString? {
        guard let endpoint else { return nil }
        let template = endpoint.template.split(separator: "/")
        guard let place = template.firstIndex(where: { $0.hasPrefix("{") }), place < segments.count else { return nil }
        return ExactString(segments[place])
    }
}

/// What a request proves itself with.
struct PresentedCredentials: Sendable, Hashable {
    /// The token of `Authorization: Bearer`.
    var bearer: ExactString?
    /// The value of `X-API-Key`.
    var apiKey: ExactString?
    /// The value of `?token=`.
    var queryToken: ExactString?

    /// The token that counts: the field's before the query's.
    var token: ExactString? { bearer ?? queryToken }

    init(_ head: RequestHead) {
        let scheme = "bearer "
        if let field = head.fields[.authorization], field.prefix(scheme.count).lowercased() == scheme {
            bearer = ExactString(field.dropFirst(scheme.count))
        }
        apiKey = Self.apiKeyName.flatMap { head.fields[$0].map(ExactString.init(_:)) }
        if head.target.query != nil {
            queryToken = head.target.queryItems().first { $0.name == "token" }.map { ExactString($0.value) }
        }
    }

    private static let apiKeyName = HTTPField.Name("X-API-Key")
}

/// A handshake that was accepted.
struct OpeningFact: Sendable {
    let opening: RecordedOpening
    /// When the request was complete.
    let requestedAt: Timestamp
    /// When the 101 was let go.
    let openedAt: Timestamp
    let credentials: PresentedCredentials
    /// The consultation in the path.
    let consultation: ExactString

    init(_ opening: RecordedOpening, _ entry: JournalEntry) {
        self.opening = opening
        requestedAt = opening.requestedAt
        openedAt = entry.time
        credentials = PresentedCredentials(opening.head)
        let segments = opening.head.target.segmentsInWorld
        consultation = segments.count > 3 ? ExactString(segments[3]) : ""
    }
}

/// A message or a control frame on a WebSocket.
///
/// A class, because most of a journal is frames, and each judge takes the fact apart.
final class FrameFact: Sendable {
    let frame: RecordedFrame
    /// The text as JSON; nil for what is none, and for the chunks of answers, whose words tell no judge anything.
    let json: JSONValue?
    /// The `type` of a text frame that is a JSON object with one.
    let type: String?

    init(_ frame: RecordedFrame) {
        self.frame = frame
        // Most of a journal is chunks, and reading them as JSON would take most of the time of judging.
        if let chunk = Self.chunkTypes.first(where: { Self.isWellFormed(frame, beginningWith: $0.leader) }) {
            json = nil
            type = chunk.type
        } else {
            json = frame.opcode == .text ? try? JSON.parse(frame.payload.bytes) : nil
            type = json?["type"]?.string
        }
    }

    private static func isWellFormed(_ frame: RecordedFrame, beginningWith leader: [UInt8]) -> Bool {
        frame.sender == .server && frame.opcode == .text && frame.faults.isEmpty && frame.delivery == .complete
            && frame.payload.bytes.starts(with: leader)
    }

    private static let chunkTypes = ["stream_chunk", "assistant_message_chunk", "pong"].map {
        (type: $0, leader: Array(#"{"type":"\#($0)""#.utf8))
    }

    var isFromClient: Bool { frame.sender == .client }
    /// Whether the client can have it all.
    var isDelivered: Bool { frame.delivery == .complete }
    /// Whether it is a question to the coach, in either protocol.
    var isChatMessage: Bool { isFromClient && (type == "message" || type == "user_message") }
    /// Whether it is a ping, as a control frame or as JSON.
    var isPing: Bool { isFromClient && (frame.opcode == .ping || type == "ping") }
}
