import FitIQAPI
import HTTP1
import JSON

/// A request and what became of it; a WebSocket's handshake too, where it was refused.
public struct RecordedExchange: Sendable {
    /// The request line and the fields, as they arrived.
    public var head: RequestHead
    /// The request's body.
    public var body: RecordedBody
    /// When the request was complete; the entry's own time is when the answer was written, though a fault may have held it back.
    public var requestedAt: Timestamp
    /// The operation that was asked for; nil for what is not of the API.
    public var endpoint: Endpoint?
    /// The user whose credentials were accepted.
    public var user: ExactString?
    /// Why no operation was asked for.
    public var unmatched: Unmatched?
    /// The status of the response; nil where none was sent.
    public var status: Int?
    /// The response's fields, save those of framing, which the connection writes.
    public var responseFields: RecordedFields
    /// The body as it was sent, faults included; of a HEAD's answer what a GET would have had.
    public var responseBody: RecordedBody
    /// How much of the response went on the wire.
    public var delivery: Delivery
    /// The names of the faults that acted, in the order in which they did.
    public var faults: [String]

    /// Why a request belongs to no operation.
    public enum Unmatched: String, Sendable, CaseIterable {
        /// No operation has the path.
        case unknownPath = "unknown_path"
        /// The path is one, and the method is not.
        case wrongMethod = "wrong_method"
        /// The operation exists, but not in the guide that the world answers as.
        case notInGuide = "not_in_guide"
        /// The world plays a session back in which there is no such request.
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
    /// Describes an exchange.
    ///
    /// Delegates to the implicit initialiser, because one that sets members one by one copies the whole value in the end.
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

/// How much of what one side had to say went on the wire.
public enum Delivery: String, Sendable, CaseIterable {
    /// All of it.
    case complete
    /// Its beginning: it was cut, or the connection ended before.
    case partial
    /// Nothing.
    case none
}
