import HTTPTypes
import JSON
import Text

/// An error's machine-readable name: `error.code` in a body, `code` in an error frame.
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

/// The error that a rejected request gets.
///
/// The body is `{"success": false, "error": {"code", "message", "details"?}}`, which all guides' decoders accept, or
/// meal-log-websocket's `{"error": {"message", "code"}}`.
public struct APIError: Error, Equatable, Sendable {
    public var status: HTTPResponse.Status
    public var code: ErrorCode
    /// The text for the client's developer.
    public var message: String
    /// Data for the client's code, if a guide documents any.
    public var details: JSONObject?
    /// The header fields that HTTP requires for the status: `Allow`, `Upgrade`, `WWW-Authenticate`.
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

    /// The body of an error outside the API.
    ///
    /// - Parameter forApps: Whether the message is also at the top level, where the apps expect it.
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

/// Why no foods were found in a meal log's text, for the failed log and its event.
public struct MealLogFailure: Equatable, Sendable {
    /// The failure's kind, for the apps.
    public enum Code: String, CaseIterable, Sendable {
        case parsing = "PARSING_FAILED"
        case aiService = "AI_SERVICE_ERROR"
        case rateLimit = "RATE_LIMIT"
        case server = "SERVER_ERROR"
    }

    /// A message for the app's user: `error_message`, and `error` in websocket-architecture.
    public var message: String
    /// The reason as a sentence without a full stop, as in websocket-architecture.
    public var details: String
    public var code: Code
    /// Advice for the app's user, for the apps only.
    public var suggestions: [String]

    /// The maximum number of suggestions.
    public static let mostSuggestions = 10

    /// The details default to the message, because websocket-architecture's event requires them.
    public init(
        message: String = "Failed to parse meal input", details: String? = nil, code: Code = .parsing,
        suggestions: [String] = []
    ) {
        (self.message, self.details) = (message, details ?? message)
        (self.code, self.suggestions) = (code, suggestions)
    }

    /// The text contains no known food (websocket-architecture, meal_log.failed).
    public static let noFood = MealLogFailure(
        details: "Could not identify any food items in the input",
        suggestions: ["Name each food with its amount, such as \"2 eggs and toast\""])

    public static func tooManyFoods(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "The input names more than \(limit) food items, which is the limit for a meal log; split it into "
                + "several meal logs")
    }

    /// The fake's storage limit has been reached.
    public static func storeFull(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "This server has reached its memory limit of \(limit) bytes, so the items were not stored; "
                + "restart the server to start over", code: .server)
    }
}

/// Errors that occur before the body or query is read: credentials, origin, path and method.
extension APIError {
    // MARK: Credentials

    static func unauthorized(_ message: String) -> Self {
        Self(.unauthorized, .unauthorized, message, fields: [.wwwAuthenticate: "Bearer"])
    }
    public static let missingToken = unauthorized(
        "This endpoint needs 'Authorization: Bearer <JWT>', and the request has no Authorization field. " + tokenAdvice)
    public static let notABearerToken = unauthorized(
        "The Authorization field must read 'Bearer <JWT>'; it begins with something else. " + tokenAdvice)
    public static func badToken(_ error: Refusal) -> Self {
        unauthorized("The bearer token is not valid: \(error.description) \(tokenAdvice)")
    }

    /// The advice on getting a token, which ends the errors for missing and bad tokens.
    static let tokenAdvice = "'fitiq-mock token' prints a token that works."

    /// Returns the error with different advice on getting a token; unchanged if it has no such advice.
    public func advisingOnTokens(_ advice: String) -> Self {
        guard message.hasSuffix(Self.tokenAdvice) else { return self }
        var refusal = self
        refusal.message = message.dropLast(Self.tokenAdvice.count) + advice
        return refusal
    }
    public static let missingAPIKey = unauthorized(
        "This endpoint needs 'X-API-Key: <key>', and the request has no X-API-Key field. "
            + "The server prints its key when it starts.")
    public static let wrongAPIKey = unauthorized(
        "The X-API-Key is not this server's. The server prints its key when it starts.")

    /// A WebSocket handshake arrived without any credentials.
    public static func missingWebSocketCredentials(in mode: GuideMode) -> Self {
        let key = mode.requiresAPIKey ? " and 'X-API-Key: <key>'" : ""
        let headers = "'Authorization: Bearer <JWT>'\(key) on the handshake"
        let needed =
            switch mode.webSocketCredentials {
            case .headers: "\(headers); no such field arrived."
            case .queryToken: "'?token=<JWT>' in its URL; no token arrived."
            case .either: "\(headers), or '?token=<JWT>' in its URL; neither arrived."
            }
        // Only this guide's Quick Start opens the socket without credentials; clients of other guides need no hint.
        let quickStart =
            mode == .union || mode == .consultationWebSocket
            ? " The Quick Start of the guide consultation-websocket leaves credentials out: its full listing sends them."
            : ""
        return unauthorized("The WebSocket needs \(needed)\(quickStart)")
    }

    /// The token is in the URL, but the mode's guide uses a header field.
    public static func queryTokenNotInGuide(_ mode: GuideMode) -> Self {
        unauthorized(
            "The handshake has only '?token=', which the guide \(mode.rawValue) does not know; this server follows "
                + "that guide: send 'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'.")
    }

    /// The token is in a header field, but the mode's guide uses the URL.
    public static func headersNotInGuide(_ mode: GuideMode) -> Self {
        unauthorized(
            "The handshake has only header fields, which the guide \(mode.rawValue) does not know; this server follows "
                + "that guide: append '?token=<JWT>' to its URL.")
    }

    // MARK: Origins

    /// A page on another site tries to write or to open a socket.
    ///
    /// - Parameters:
    ///   - text: The value of the `Origin` field.
    ///   - origin: The origin that the server must allow for that page; nil if the field is not an origin.
    public static func foreignOrigin(_ text: String, origin: String?) -> Self {
        let problem =
            if let origin {
                "The request comes from a web page of another origin, \(quoted(text)), which may neither write nor "
                    + "open a WebSocket here. If that page is yours, make the server allow the origin \(origin)."
            } else {
                "The field 'Origin' is \(quoted(text)), which is not an origin: send scheme://host or "
                    + "scheme://host:port once, as browsers do, or omit the field."
            }
        return Self(.forbidden, .forbidden, problem)
    }

    // MARK: Paths and methods

    static func notFound(_ message: String) -> Self { Self(.notFound, .notFound, message) }
    public static func unknownPath(_ path: String, nearest: String?) -> Self {
        let hint = nearest.map { " The nearest endpoint is \($0)." } ?? ""
        return notFound("There is no endpoint \(quoted(path)).\(hint)")
    }

    /// The mode's guide does not contain the endpoint.
    ///
    /// - Parameter method: The request's method, which may differ from the endpoint's.
    public static func notInGuide(
        _ endpoint: Endpoint, method: HTTPRequest.Method, path: String, mode: GuideMode
    ) -> Self {
        let guides = endpoint.guides.map(\.rawValue).joined(separator: " and ")
        return notFound(
            "\(method.rawValue) \(quoted(path)) is not in the guide \(mode.rawValue), which this server follows. "
                + "\(endpoint.isDocumented ? "Documented by" : "Presupposed by") \(guides); a server that answers as union "
                + "serves all.")
    }

    /// The path `/ws`, which a guide calls the wrong endpoint, or a similar path.
    ///
    /// The guide warns against a meal-only socket, so the error mentions the apps' meal socket only if the path is
    /// about meals.
    public static func bareWebSocketPath(_ path: String, in mode: GuideMode) -> Self {
        let meals = " All of a user's meal events arrive at \(Endpoint.mealSocket.template)."
        return notFound(
            "There is no endpoint \(quoted(mode.servesApps ? path : "/ws")): each consultation has a socket of its own, at "
                + "\(Endpoint.webSocket.template) (guide websocket-architecture). Create a consultation first."
                + (mode.servesApps && path.contains("meal") ? meals : ""))
    }
    public static func methodNotAllowed(
        _ method: HTTPRequest.Method, path: String, allowed: [HTTPRequest.Method]
    ) -> Self {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        // meal-log-websocket's diagram abbreviates the path.
        let isMeantForMeals = method == .post && path.hasSuffix(Endpoint.listMealLogs.template)
        let hint = isMeantForMeals ? " Log a meal with POST \(Endpoint.createMealLog.template)." : ""
        return Self(
            .methodNotAllowed, .methodNotAllowed,
            "\(quoted(path)) does not answer \(quoted(method.rawValue)); it answers \(list).\(hint)",
            fields: [.allow: list])
    }

    /// A plain request arrived where a WebSocket handshake is expected.
    public static let upgradeRequired = APIError(
        .upgradeRequired, .upgradeRequired,
        "This is a WebSocket: connect with 'Upgrade: websocket' and 'Connection: Upgrade' (ws:// in the URL), "
            + "not with a plain request.", fields: [.upgrade: "websocket", .connection: "Upgrade"])
    public static let compressionRequired = APIError(
        .badRequest, .badRequest,
        "This server requires compressed WebSockets: offer 'Sec-WebSocket-Extensions: permessage-deflate', optionally "
            + "with parameters from RFC 7692 §7.1.")
}
