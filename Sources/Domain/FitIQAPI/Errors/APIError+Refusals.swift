import HTTPTypes
import JSON
import Text

// This file holds every refusal of a REST request; those of the socket are in FrameError.swift.

extension APIError {
    // MARK: Credentials

    static func unauthorized(_ message: String) -> APIError {
        APIError(.unauthorized, .unauthorized, message, fields: [.wwwAuthenticate: "Bearer"])
    }

    public static let missingToken = unauthorized(
        "This endpoint needs 'Authorization: Bearer <JWT>', and the request has no Authorization field. "
            + tokenAdvice)

    public static let notABearerToken = unauthorized(
        "The Authorization field must read 'Bearer <JWT>'; it begins with something else. "
            + tokenAdvice)

    public static func badToken(_ error: AccessToken.Refusal) -> APIError {
        unauthorized(
            "The bearer token is not valid: \(error.description) \(tokenAdvice)")
    }

    /// The advice on where a token comes from, at the end of refusals of a missing or bad token.
    static let tokenAdvice = "'fitiq-mock token' prints a token that works."

    /// Returns the refusal with different advice on where a token comes from, or unchanged if it contains none.
    public func advisingOnTokens(_ advice: String) -> APIError {
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
    public static func missingWebSocketCredentials(in mode: GuideMode) -> APIError {
        let key = mode.requiresAPIKey ? " and 'X-API-Key: <key>'" : ""
        let headers = "'Authorization: Bearer <JWT>'\(key) on the handshake"
        let needed =
            switch mode.webSocketCredentials {
            case .headers: "\(headers); no such field arrived."
            case .queryToken: "'?token=<JWT>' in its URL; there is none."
            case .either: "\(headers), or '?token=<JWT>' in its URL; neither arrived."
            }
        // Only this guide's Quick Start opens the socket without credentials; clients of other guides do not need the
        // hint.
        let quickStart =
            mode == .union || mode == .consultationWebSocket
            ? " The Quick Start of the guide consultation-websocket leaves credentials out: its full listing sends them."
            : ""
        return unauthorized("The WebSocket needs \(needed)\(quickStart)")
    }

    /// The handshake carries the token in the URL, but the guide that the server follows uses a header field.
    public static func queryTokenNotInGuide(_ mode: GuideMode) -> APIError {
        unauthorized(
            "The handshake has '?token=' alone, which the guide \(mode.rawValue) does not know, and this server answers as it: "
                + "send 'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'.")
    }

    /// The handshake carries the token in a header field, but the guide that the server follows uses the URL.
    public static func headersNotInGuide(_ mode: GuideMode) -> APIError {
        unauthorized(
            "The handshake has header fields alone, which the guide \(mode.rawValue) does not know, and this server answers "
                + "as it: append '?token=<JWT>' to its URL.")
    }

    // MARK: Paths

    public static func unknownPath(_ path: String, nearest: String?) -> APIError {
        let hint = nearest.map { " The nearest endpoint is \($0)." } ?? ""
        return APIError(.notFound, .notFound, "There is no endpoint \(quoted(path)).\(hint)")
    }

    /// The guide that the server follows does not contain the endpoint.
    ///
    /// - Parameter method: The request's method, which need not be the endpoint's.
    public static func notInGuide(
        _ endpoint: Endpoint, method: HTTPRequest.Method, path: String, mode: GuideMode
    ) -> APIError {
        let guides = endpoint.guides.map(\.rawValue).joined(separator: " and ")
        let isDocumented = endpoint.guides.contains { $0.provision(of: endpoint) == .documented }
        return APIError(
            .notFound, .notFound,
            "\(method.rawValue) \(quoted(path)) is not in the guide \(mode.rawValue), which this server answers as. "
                + "\(isDocumented ? "Documented by" : "Presupposed by") \(guides); a server that answers as union serves all."
        )
    }

    /// The path `/ws`, which a guide names as the wrong endpoint.
    public static let bareWebSocketPath = APIError(
        .notFound, .notFound,
        "There is no endpoint \"/ws\": each consultation has a socket of its own, at /api/v1/consultations/{id}/ws "
            + "(guide websocket-architecture). Create a consultation first.")

    public static func methodNotAllowed(_ method: HTTPRequest.Method, path: String, allowed: [HTTPRequest.Method])
        -> APIError
    {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        // The diagram of meal-log-websocket abbreviates the path.
        let isMeantForMeals = method == .post && path == Endpoint.listMealLogs.template
        let hint = isMeantForMeals ? " Log a meal with POST \(Endpoint.createMealLog.template)." : ""
        return APIError(
            .methodNotAllowed, .methodNotAllowed,
            "\(quoted(path)) does not answer \(quoted(method.rawValue)); it answers \(list).\(hint)",
            fields: [.allow: list])
    }

    /// The user has no consultation with this id, which came from the path or a field of the body.
    public static func unknownConsultation(_ id: String, field: String? = nil) -> APIError {
        APIError(.notFound, .notFound, "This user has no consultation \(quoted(id))\(place(field)).\(idHint(id))")
    }

    /// The user has no goal with this id, which came from the path or a field of the body.
    ///
    /// - Parameter mode: In a mode without goals no id can be right.
    public static func unknownGoal(_ id: String, field: String? = nil, in mode: GuideMode = .union) -> APIError {
        let hint =
            mode.serves(.createGoal)
            ? "\(idHint(id)) \(goalIDHint)"
            : " The guide \(mode.rawValue), which this server answers as, has no goals: leave the field out."
        return APIError(.notFound, .goalNotFound, "This user has no goal \(quoted(id))\(place(field)).\(hint)")
    }

    private static let goalIDHint =
        "Send the id that POST /api/v1/goals answered with, never the app's local one (guide goal-linking, critical rule)."

    private static func place(_ field: String?) -> String { field.map { " (field '\($0)')" } ?? "" }

    private static func idHint(_ id: String) -> String {
        switch ResourceID.read(id) {
        case .id: ""
        case .wrongCase:
            " Ids are compared as text: lower-case it to \(quoted(id.lowercased())) "
                + "(guide consultation-websocket, best practice 1; Swift's uuidString is upper case)."
        case .malformed: " Ids that this backend issues are lower-case UUIDs."
        }
    }

    // MARK: Bodies and queries

    public static func unsupportedMediaType(_ value: String?) -> APIError {
        let arrived = value.map { "arrived as \(quoted($0))" } ?? "came without a Content-Type"
        return APIError(
            .unsupportedMediaType, .unsupportedMediaType,
            "The body \(arrived); send it as 'Content-Type: application/json'.", fields: [.accept: "application/json"])
    }

    /// Refuses a `Content-Type` other than JSON in UTF-8; call it only if there is a body.
    public static func checkMediaType(_ value: String?) throws(APIError) {
        guard let value else { throw .unsupportedMediaType(nil) }
        let parts = value.lowercased().split(separator: ";").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let isJSON = parts.first == "application/json" || (parts.first?.hasSuffix("+json") ?? false)
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard isJSON, charset == nil || charset == "charset=utf-8" || charset == "charset=\"utf-8\"" else {
            throw .unsupportedMediaType(value)
        }
    }

    public static func invalidJSON(_ error: JSONError) -> APIError {
        APIError(.badRequest, .invalidJSON, "The body is not valid JSON: \(error.description).")
    }

    /// A required body is missing.
    public static let emptyBody = APIError(
        .badRequest, .invalidJSON, "This endpoint needs a JSON object as its body, and the body is empty.")

    /// The body is JSON, but not an object.
    public static func bodyIsNotAnObject(_ value: JSONValue) -> APIError {
        APIError(
            .badRequest, .validationFailed,
            "The body must be a JSON object; it is \(value.typeName): \(value.excerpt()).")
    }

    package static func invalid(_ message: String) -> APIError {
        APIError(.badRequest, .validationFailed, message)
    }

    public static func missingField(_ field: String, expected: String) -> APIError {
        invalid("The field '\(field)' is required: \(expected).")
    }

    /// A field does not have the type that the guides give it.
    public static func wrongType(_ field: String, expected: String, got value: JSONValue) -> APIError {
        invalid("The field '\(field)' must be \(expected); got \(value.typeName): \(value.excerpt()).")
    }

    /// A field or parameter names an unknown value.
    public static func unknownChoice(_ field: String, got value: String, allowed: [String]) -> APIError {
        let near = NearestWord.hint(value, among: allowed, quote: "\"")
        let list = allowed.map { quoted($0) }.joined(separator: ", ")
        return invalid("'\(field)' must be one of \(list); got \(quoted(value)).\(near)")
    }

    public static func wrongLength(_ field: String, allowed: ClosedRange<Int>, got count: Int) -> APIError {
        invalid(
            "The field '\(field)' must have \(allowed.lowerBound) to \(allowed.upperBound) characters; it has \(count)."
        )
    }

    /// A text field has few enough characters, but too many bytes.
    public static func tooManyBytes(_ field: String, limit: Int, got count: Int) -> APIError {
        invalid("The field '\(field)' must have at most \(limit) bytes of UTF-8; it has \(count).")
    }

    /// A field is not a number or is out of range.
    public static func numberExpected(_ field: String, allowed: ClosedRange<Double>, got value: JSONValue) -> APIError {
        let bounds = [allowed.lowerBound, allowed.upperBound].map { JSONNumber($0).text }
        return wrongType(field, expected: "a number from \(bounds[0]) to \(bounds[1])", got: value)
    }

    /// A field is not a date-time or does not exist in the calendar.
    public static func dateTimeExpected(_ field: String, got value: JSONValue) -> APIError {
        var refusal = wrongType(field, expected: BodyReader.expectedDateTime, got: value)
        if value.number != nil {
            refusal.message += " Swift's JSONEncoder writes dates so with dateEncodingStrategy = .iso8601."
        }
        return refusal
    }

    /// A goal id does not have the backend's format.
    public static func malformedGoalID(_ id: String, field: String) -> APIError {
        invalid(
            "The field '\(field)' must be the id of a goal, a lower-case UUID such as "
                + "\"6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab\"; got \(quoted(id)). \(goalIDHint)")
    }

    /// A query parameter is not a whole number in range.
    public static func outOfRange(_ parameter: String, allowed: ClosedRange<Int>, got value: String) -> APIError {
        let range =
            allowed.upperBound == Int.max
            ? "of at least \(allowed.lowerBound)" : "from \(allowed.lowerBound) to \(allowed.upperBound)"
        return invalid("The parameter '\(parameter)' must be a whole number \(range); got \(quoted(value)).")
    }

    /// The context `general` came with an id.
    public static func generalWithID(_ id: String) -> APIError {
        invalid(
            "A 'general' consultation has no context, but 'context_id' is \(quoted(id)). "
                + "Leave it out, or name the 'context_type' it belongs to: goal, insight, mood or journal.")
    }

    /// The context is a goal, but the id is missing.
    public static func goalWithoutID(in form: GuideMode) -> APIError {
        // The form with a context type and an id has no second name for the id.
        let names = form == .enhancedConsultations ? "'context_id'" : "'goal_id' or as 'context_id'"
        return invalid("'context_type' is \"goal\", so the goal's id is required, as \(names).")
    }

    /// `goal_id` and the context contradict each other.
    public static func contradictingContexts(goalID: String, type: String, id: String?) -> APIError {
        let other =
            id.map { "'context_type' \(quoted(type)) with 'context_id' \(quoted($0))" }
            ?? "'context_type' \(quoted(type))"
        return invalid("'goal_id' \(quoted(goalID)) and \(other) contradict each other; send one or the other.")
    }

    // MARK: Rules

    /// The user already has this conversation, and it is active.
    ///
    /// - Parameter mode: The message only advises what this mode serves.
    public static func consultationExists(_ existing: Consultation, in mode: GuideMode = .union) -> APIError {
        var details: JSONObject = [
            "existing_consultation_id": .string(existing.id.description),
            "persona": .string(existing.persona.rawValue),
            "status": .string(existing.status.rawValue),
            "can_continue": true,
        ]
        if let goalID = existing.goalID { details["goal_id"] = .string(goalID.description) }
        let show = mode.serves(.showConsultation) ? " (GET /api/v1/consultations/\(existing.id))" : ""
        let archive = mode.serves(.archiveConsultation) ? " or archive it" : " instead of creating another"
        return APIError(
            .conflict, .consultationExists,
            "An active consultation with the persona \(quoted(existing.persona.rawValue)) and the same context exists: "
                + "continue \(existing.id)\(show)\(archive).",
            details: details)
    }

    /// The user has reached the limit of active consultations.
    ///
    /// - Parameter mode: The message only advises what this mode serves.
    public static func tooManyActiveConsultations(limit: Int, in mode: GuideMode = .union) -> APIError {
        let remedy = mode.serves(.archiveConsultation) ? "Complete or archive some" : "Complete some"
        return APIError(
            .tooManyRequests, .tooManyActiveConsultations,
            "You have reached the maximum of \(limit) active consultations. \(remedy) before starting new ones."
        )
    }

    public static func consultationNotActive(_ id: ResourceID, status: ConsultationStatus) -> APIError {
        APIError(
            .badRequest, .consultationNotActive,
            "Consultation is not active: \(id) is \(status.rawValue), and only an active one can be chatted in or linked with a goal."
        )
    }

    /// The fake's storage limit is reached.
    public static func storeFull(_ what: String, limit: Int) -> APIError {
        APIError(
            .insufficientStorage, .storeFull,
            "This server holds its limit of \(limit) \(what). They live in memory only: restart it to begin anew.")
    }

    // MARK: Origins

    /// A page of another site attempts to write or to open a socket.
    ///
    /// - Parameters:
    ///   - text: The value of the `Origin` field.
    ///   - origin: The origin that the server must allow for that page; nil if the field is not an origin.
    public static func foreignOrigin(_ text: String, origin: String?) -> APIError {
        guard let origin else {
            return APIError(
                .forbidden, .forbidden,
                "The field 'Origin' is \(quoted(text)), which is no origin: it has to be scheme://host or "
                    + "scheme://host:port, once, as browsers send it, or left out.")
        }
        return APIError(
            .forbidden, .forbidden,
            "The request comes from a web page of another origin, \(quoted(text)), which may neither write nor open a "
                + "WebSocket here. If that page is yours, have the server allow the origin \(origin).")
    }

    // MARK: WebSocket handshakes

    /// A plain request arrived where a WebSocket handshake is expected.
    public static let upgradeRequired = APIError(
        .upgradeRequired, .upgradeRequired,
        "This is a WebSocket: connect with 'Upgrade: websocket' and 'Connection: Upgrade' (ws:// in the URL), not with a plain request.",
        fields: [.upgrade: "websocket", .connection: "Upgrade"])

    // MARK: Meal logs

    public static func unknownMealLog(_ id: String) -> APIError {
        APIError(.notFound, .notFound, "This user has no meal log \(quoted(id)).\(idHint(id))")
    }

    /// The meal's text is only white space.
    public static let blankRawInput = invalid(
        "The field 'raw_input' is blank; describe the meal, such as \"2 eggs and toast\".")

    public static func badDate(_ parameter: String, got value: String) -> APIError {
        // Form decoding turns "+01:00" into this.
        let hint = value.contains(" ") ? " A '+' in a query stands for a space: write it as %2B." : ""
        return invalid(
            "The parameter '\(parameter)' must be a date, such as \"2025-01-29\", or a date-time, such as "
                + "\"2025-01-29T10:30:00Z\"; got \(quoted(value)).\(hint)")
    }
}

/// Returns a client's value in quotation marks, truncated and free of control characters.
func quoted(_ text: String) -> String { text.quoted(limit: 80) }

extension HTTPResponse.Status {
    /// 507 (RFC 4918 §11.5), which swift-http-types does not name.
    public static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
