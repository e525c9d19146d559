import HTTPTypes
import Text

/// Refusals that a request meets before its body or query is read: credentials, origin, path and method.
extension APIError {
    // MARK: Credentials

    static func unauthorized(_ message: String) -> Self {
        Self(.unauthorized, .unauthorized, message, fields: [.wwwAuthenticate: "Bearer"])
    }
    public static let missingToken = unauthorized(
        "This endpoint needs 'Authorization: Bearer <JWT>', and the request has no Authorization field. " + tokenAdvice)
    public static let notABearerToken = unauthorized(
        "The Authorization field must read 'Bearer <JWT>'; it begins with something else. " + tokenAdvice)
    public static func badToken(_ error: AccessToken.Refusal) -> Self {
        unauthorized("The bearer token is not valid: \(error.description) \(tokenAdvice)")
    }

    /// The advice on where a token comes from, at the end of refusals of a missing or bad token.
    static let tokenAdvice = "'fitiq-mock token' prints a token that works."

    /// Returns the refusal with different advice on where a token comes from, or unchanged if it contains none.
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
            case .queryToken: "'?token=<JWT>' in its URL; there is none."
            case .either: "\(headers), or '?token=<JWT>' in its URL; neither arrived."
            }
        // Only this guide's Quick Start opens the socket without credentials; other guides' clients need no hint.
        let quickStart =
            mode == .union || mode == .consultationWebSocket
            ? " The Quick Start of the guide consultation-websocket leaves credentials out: its full listing sends them."
            : ""
        return unauthorized("The WebSocket needs \(needed)\(quickStart)")
    }

    /// The handshake carries the token in the URL, but the guide that the server follows uses a header field.
    public static func queryTokenNotInGuide(_ mode: GuideMode) -> Self {
        unauthorized(
            "The handshake has only '?token=', which the guide \(mode.rawValue) does not know; this server follows "
                + "that guide: send 'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'.")
    }

    /// The handshake carries the token in a header field, but the guide that the server follows uses the URL.
    public static func headersNotInGuide(_ mode: GuideMode) -> Self {
        unauthorized(
            "The handshake has only header fields, which the guide \(mode.rawValue) does not know; this server follows "
                + "that guide: append '?token=<JWT>' to its URL.")
    }

    // MARK: Origins

    /// A page of another site attempts to write or to open a socket.
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
                "The field 'Origin' is \(quoted(text)), which is not an origin: it has to be scheme://host or "
                    + "scheme://host:port, once, as browsers send it, or left out."
            }
        return Self(.forbidden, .forbidden, problem)
    }

    // MARK: Paths and methods

    static func notFound(_ message: String) -> Self { Self(.notFound, .notFound, message) }
    public static func unknownPath(_ path: String, nearest: String?) -> Self {
        let hint = nearest.map { " The nearest endpoint is \($0)." } ?? ""
        return notFound("There is no endpoint \(quoted(path)).\(hint)")
    }

    /// The guide that the server follows does not contain the endpoint.
    ///
    /// - Parameter method: The request's method, which need not be the endpoint's.
    public static func notInGuide(
        _ endpoint: Endpoint, method: HTTPRequest.Method, path: String, mode: GuideMode
    ) -> Self {
        let guides = endpoint.guides.map(\.rawValue).joined(separator: " and ")
        let isDocumented = endpoint.guides.contains { $0.provision(of: endpoint) == .documented }
        return notFound(
            "\(method.rawValue) \(quoted(path)) is not in the guide \(mode.rawValue), which this server follows. "
                + "\(isDocumented ? "Documented by" : "Presupposed by") \(guides); a server that answers as union "
                + "serves all.")
    }

    /// The path `/ws`, which a guide names as the wrong endpoint, or one that looks like a socket's.
    ///
    /// The same guide warns of a socket for meals alone, so only a path about meals learns where the apps' one is.
    public static func bareWebSocketPath(_ path: String, in mode: GuideMode) -> Self {
        let meals = " The events of all meals of a user are at \(Endpoint.mealSocket.template)."
        return notFound(
            "There is no endpoint \(quoted(mode.servesApps ? path : "/ws")): each consultation has a socket of its own, at "
                + "\(Endpoint.webSocket.template) (guide websocket-architecture). Create a consultation first."
                + (mode.servesApps && path.contains("meal") ? meals : ""))
    }
    public static func methodNotAllowed(
        _ method: HTTPRequest.Method, path: String, allowed: [HTTPRequest.Method]
    ) -> Self {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        // The diagram of meal-log-websocket abbreviates the path.
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
        "This server requires compressed WebSockets: offer 'Sec-WebSocket-Extensions: permessage-deflate' with "
            + "parameters of RFC 7692 §7.1, if any.")
}
