import FitIQAPI
import HTTP1
import JSON

/// A request and its result, including a refused WebSocket handshake.
public struct RecordedExchange: Sendable {
    /// The request line and the fields, as received.
    public var head: RequestHead
    public var body: RecordedBody
    /// When the request was complete; the entry's own time is when the response was written, unless a fault delayed it.
    public var requestedAt: Timestamp
    /// The requested operation, or nil if it is not part of the API.
    public var endpoint: Endpoint?
    /// The user whose credentials were accepted.
    public var user: ExactString?
    /// Why no operation matched.
    public var unmatched: Unmatched?
    /// The status of the response, or nil if none was sent.
    public var status: Int?
    /// The response's fields, except the framing fields, which the connection writes.
    public var responseFields: RecordedFields
    /// The body as sent, including faults; for HEAD, the body that a GET would have had.
    public var responseBody: RecordedBody
    /// How much of the response was sent.
    public var delivery: Delivery
    /// The names of the faults that acted, in order.
    public var faults: [String]

    /// Why a request matches no operation.
    public enum Unmatched: String, Sendable, CaseIterable {
        case unknownPath = "unknown_path"
        /// An operation has the path, but not with this method.
        case wrongMethod = "wrong_method"
        /// The operation exists, but not in the world's guide.
        case notInGuide = "not_in_guide"
        /// The world replays a session that has no such request.
        case notRecorded = "not_recorded"
    }

    /// The bytes of the heads and bodies.
    var byteCount: Int {
        head.byteCount + body.bytes.count + responseFields.byteCount + responseBody.bytes.count
    }

    /// The bytes of the larger body.
    var largestBody: Int { max(body.bytes.count, responseBody.bytes.count) }
}

extension RecordedExchange {
    /// Creates an exchange.
    ///
    /// It delegates to the implicit initialiser, because setting the members one by one copies the whole value at the
    /// end.
    public init(
        head: RequestHead, body: [UInt8] = [], requestedAt: Timestamp, endpoint: Endpoint? = nil,
        user: ExactString? = nil,
        unmatched: Unmatched? = nil, status: Int?, responseFields: RecordedFields = .none, responseBody: [UInt8] = [],
        delivery: Delivery = .complete, faults: [String] = []
    ) {
        self.init(
            head: head, body: RecordedBody(body), requestedAt: requestedAt, endpoint: endpoint, user: user,
            unmatched: unmatched, status: status, responseFields: responseFields,
            responseBody: RecordedBody(responseBody), delivery: delivery, faults: faults)
    }
}

/// How much of one side's data was sent.
public enum Delivery: String, Sendable, CaseIterable {
    case complete
    /// Its beginning: it was truncated, or the connection ended before.
    case partial
    case none
}
