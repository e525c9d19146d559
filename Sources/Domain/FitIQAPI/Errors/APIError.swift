import HTTPTypes
import JSON

/// The machine-readable name of a refusal: `error.code` in a body, `code` in an error frame.
public enum ErrorCode: String, CaseIterable, Sendable {
    case badRequest = "BAD_REQUEST"
    case conflict = "CONFLICT"
    case consultationExists = "CONSULTATION_EXISTS"
    case consultationNotActive = "CONSULTATION_NOT_ACTIVE"
    case forbidden = "FORBIDDEN"
    case goalNotFound = "GOAL_NOT_FOUND"
    case historyFull = "HISTORY_FULL"
    case invalidContent = "INVALID_CONTENT"
    case invalidJSON = "INVALID_JSON"
    case invalidMessageType = "INVALID_MESSAGE_TYPE"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case notFound = "NOT_FOUND"
    case requestTimeout = "REQUEST_TIMEOUT"
    case storeFull = "STORE_FULL"
    case tooManyActiveConsultations = "TOO_MANY_ACTIVE_CONSULTATIONS"
    case tooManyWaitingMessages = "TOO_MANY_WAITING_MESSAGES"
    case unauthorized = "UNAUTHORIZED"
    case unsupportedData = "UNSUPPORTED_DATA"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case upgradeRequired = "UPGRADE_REQUIRED"
    case validationFailed = "VALIDATION_FAILED"
}

/// A refusal of a request.
///
/// Its body is `{"success": false, "error": {"code", "message", "details"?}}`, which every guide's decoder accepts, or
/// `{"error": {"message", "code"}}` in the form of meal-log-websocket.
public struct APIError: Error, Equatable, Sendable {
    public var status: HTTPResponse.Status
    public var code: ErrorCode
    /// A sentence or two for the client's developer.
    public var message: String
    /// Facts for the client's code, only if a guide documents them.
    public var details: JSONObject?
    /// The header fields that HTTP requires with the status: `Allow`, `Upgrade`, `WWW-Authenticate`.
    public var fields: HTTPFields

    public init(
        _ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String, details: JSONObject? = nil,
        fields: HTTPFields = [:]
    ) {
        (self.status, self.code, self.message) = (status, code, message)
        (self.details, self.fields) = (details, fields)
    }

    /// The JSON body of the response, in the form of the union or of one guide.
    public func body(in form: GuideMode, forApps: Bool = false) -> [UInt8] {
        Self.body(code: code.rawValue, message: message, details: details, in: form, forApps: forApps)
    }

    /// The body of a refusal that does not come from the API itself.
    ///
    /// - Parameter forApps: Whether the message stands at the top level too, where the apps look for it.
    public static func body(
        code: String, message: String, details: JSONObject? = nil, in form: GuideMode, forApps: Bool = false
    ) -> [UInt8] {
        if form == .mealLogWebSocket {
            return JSONValue.object(["error": .object(["message": .string(message), "code": .string(code)])]).encoded()
        }
        var error: JSONObject = ["code": .string(code), "message": .string(message)]
        if let details { error["details"] = .object(details) }
        var body: JSONObject = ["success": false, "error": .object(error)]
        if forApps { body["message"] = .string(message) }
        return JSONValue.object(body).encoded()
    }
}

/// The reason no foods were found in a meal log's text, for the failed log and its event.
public struct MealLogFailure: Equatable, Sendable {
    /// The kind of a failure, for the apps.
    public enum Code: String, CaseIterable, Sendable {
        case parsing = "PARSING_FAILED"
        case aiService = "AI_SERVICE_ERROR"
        case rateLimit = "RATE_LIMIT"
        case server = "SERVER_ERROR"
    }

    /// A message for the app's user: `error_message`, and `error` in websocket-architecture.
    public var message: String
    /// The reason as a sentence without a full stop, as websocket-architecture prints it.
    public var details: String
    public var code: Code
    /// What the app's user can do about it, for the apps.
    public var suggestions: [String]

    /// The most suggestions of a failure.
    public static let mostSuggestions = 10

    /// The details default to the message, because websocket-architecture's event requires some.
    public init(
        message: String = "Failed to parse meal input", details: String? = nil, code: Code = .parsing,
        suggestions: [String] = []
    ) {
        (self.message, self.details) = (message, details ?? message)
        (self.code, self.suggestions) = (code, suggestions)
    }

    /// The text names no known food (websocket-architecture, meal_log.failed).
    public static let noFood = MealLogFailure(
        details: "Could not identify any food items in the input",
        suggestions: ["Name each food with its amount, such as \"2 eggs and toast\""])

    public static func tooManyFoods(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "The input names more than \(limit) food items, the limit of a meal log; split it into several")
    }

    /// The fake's storage limit is reached.
    public static func storeFull(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "This server holds its limit of \(limit) bytes, so the items were not stored; they live in memory "
                + "only: restart it to start over", code: .server)
    }
}
