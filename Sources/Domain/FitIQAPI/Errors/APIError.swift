import HTTPTypes
import JSON

/// A refusal: what is answered instead of what was asked for.
///
/// Its body is `{"success": false, "error": {"code", "message", "details"?}}`, which every guide's decoder accepts, or
/// `{"error": {"message", "code"}}` where the server answers as meal-log-websocket.
public struct APIError: Error, Equatable, Sendable {
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// The machine-readable name.
    public var code: ErrorCode
    /// A sentence or two for the person who writes the client.
    public var message: String
    /// Facts for the client's code, only where a guide documents them.
    public var details: JSONObject?
    /// Fields that HTTP asks for beside the status: `Allow`, `Upgrade`, `WWW-Authenticate`.
    public var fields: HTTPFields

    /// Makes a refusal.
    public init(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String, details: JSONObject? = nil,
        fields: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.fields = fields
    }

    /// The body of the response, as JSON, in the form of the union or of one guide.
    public func body(in form: GuideMode) -> [UInt8] {
        Self.body(code: code.rawValue, message: message, details: details, in: form)
    }

    /// The body of a refusal that is not the API's own.
    public static func body(
        code: String, message: String, details: JSONObject? = nil, in form: GuideMode
    ) -> [UInt8] {
        if form == .mealLogWebSocket {
            return JSONValue.object([
                "error": .object(["message": .string(message), "code": .string(code)])
            ]).encoded()
        }
        var error: JSONObject = ["code": .string(code), "message": .string(message)]
        if let details { error["details"] = .object(details) }
        return JSONValue.object(["success": false, "error": .object(error)]).encoded()
    }
}
