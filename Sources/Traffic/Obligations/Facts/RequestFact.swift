import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Recording

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
