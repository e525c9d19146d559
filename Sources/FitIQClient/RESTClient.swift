import HTTP1
import HTTPTypes
import JSON
import Sockets

/// The REST side of the API, one connection for each request; calls block.
public struct RESTClient {
    /// Where the backend is.
    public let base: BaseURL
    /// What requests bring along.
    public let credentials: Credentials
    /// The longest silence that is waited for.
    public var timeout = Duration.seconds(30)

    /// Makes a client.
    public init(base: BaseURL, credentials: Credentials) {
        self.base = base
        self.credentials = credentials
    }

    /// A response: its status, and its body as JSON.
    public struct Response: Sendable {
        /// The status code.
        public let status: Int
        /// The body.
        public let body: JSONValue
    }

    /// Sends a request and waits for the response, of whatever status.
    ///
    /// - Throws: where the transport or the protocol fails, or the body is not JSON.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil
    ) throws(ClientError) -> Response {
        var exchange = try HTTPExchange(base: base, timeout: timeout)
        defer { exchange.close() }
        var fields = credentials.fields
        fields[.connection] = "close"
        if body != nil { fields[.contentType] = "application/json" }
        try exchange.send(method, path, fields: fields, body: body?.encoded())
        let head = try exchange.receiveHead()
        let bytes = try exchange.receiveBody()
        guard let value = try? JSON.parse(bytes) else { throw .notJSON(status: head.status.code) }
        return Response(status: head.status.code, body: value)
    }

    /// The id of an active consultation with a coach: a new one, or the one that a 409 names.
    ///
    /// - Throws: as ``send(_:_:body:)``, and `refused` for any other status.
    public func startConsultation(persona: String) throws(ClientError) -> String {
        // One guide calls the coach by another name; whoever does not know a field ignores it.
        let response = try send(
            .post, "/api/v1/consultations", body: ["persona": .string(persona), "coach_type": .string(persona)])
        let id =
            switch response.status {
            case 201: Self.createdID(in: response.body)
            case 409: response.body["error"]?["details"]?["existing_consultation_id"]?.string
            default: String?.none
            }
        guard let id else {
            let message = response.body["error"]?["message"]?.string ?? response.body.excerpt(limit: 200)
            throw .refused(status: response.status, message: message)
        }
        return id.lowercased()
    }

    /// The id where the guides put it: in `data`, in `data.consultation`, or as `consultation_id`.
    private static func createdID(in body: JSONValue) -> String? {
        (body["data"]?["id"] ?? body["data"]?["consultation"]?["id"] ?? body["consultation_id"])?.string
    }
}
