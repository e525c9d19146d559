import HTTPTypes
import JSON
import Text

// Every sentence that a REST client can be refused with stands in this file; the socket's are in FrameError.swift.

extension APIError {
    // MARK: Credentials

    static func unauthorized(_ message: String) -> APIError {
        APIError(.unauthorized, .unauthorized, message, fields: [.wwwAuthenticate: "Bearer"])
    }

    /// No `Authorization` field arrived.
    public static let missingToken = unauthorized(
        "This endpoint needs 'Authorization: Bearer <JWT>', and the request has no Authorization field. "
            + tokenAdvice)

    /// The `Authorization` field holds something other than a bearer token.
    public static let notABearerToken = unauthorized(
        "The Authorization field must read 'Bearer <JWT>'; it begins with something else. "
            + tokenAdvice)

    /// The bearer token was refused.
    public static func badToken(_ error: AccessToken.Refusal) -> APIError {
        unauthorized(
            "The bearer token is not valid: \(error.description) \(tokenAdvice)")
    }

    /// Where a token comes from, as the refusals of a missing or bad one end.
    static let tokenAdvice = "'fitiq-mock token' prints a token that works."

    /// The refusal with other advice on where a token comes from; itself where it gives none.
    public func advisingOnTokens(_ advice: String) -> APIError {
        guard message.hasSuffix(Self.tokenAdvice) else { return self }
        var refusal = self
        refusal.message = message.dropLast(Self.tokenAdvice.count) + advice
        return refusal
    }

    /// No `X-API-Key` field arrived.
    public static let missingAPIKey = unauthorized(
        "This endpoint needs 'X-API-Key: <key>', and the request has no X-API-Key field. "
            + "The server prints its key when it starts.")

    /// The `X-API-Key` field holds another key.
    public static let wrongAPIKey = unauthorized(
        "The X-API-Key is not this server's. The server prints its key when it starts; --api-key sets it.")

    /// No credentials of either kind came with a WebSocket handshake.
    public static func missingWebSocketCredentials(in mode: GuideMode) -> APIError {
        let key = mode.requiresAPIKey ? " and 'X-API-Key: <key>'" : ""
        let headers = "'Authorization: Bearer <JWT>'\(key) on the handshake"
        let needed =
            switch mode.webSocketCredentials {
            case .headers: "\(headers); no such field arrived."
            case .queryToken: "'?token=<JWT>' in its URL; there is none."
            case .either: "\(headers), or '?token=<JWT>' in its URL; neither arrived."
            }
        // The one guide whose Quick Start opens the socket without any; the others' clients need no telling of it.
        let quickStart =
            mode == .union || mode == .consultationWebSocket
            ? " The Quick Start of the guide consultation-websocket leaves credentials out: its full listing sends them."
            : ""
        return unauthorized("The WebSocket needs \(needed)\(quickStart)")
    }

    /// The handshake's token is in the URL, and the guide that the server answers as sends it in a field.
    public static func queryTokenNotInGuide(_ mode: GuideMode) -> APIError {
        unauthorized(
            "The handshake has '?token=' alone, which the guide \(mode.rawValue) does not know, and this server answers as it "
                + "(--guide): send 'Authorization: Bearer <JWT>' and 'X-API-Key: <key>'.")
    }

    /// The handshake's token is in a field, and the guide that the server answers as sends it in the URL.
    public static func headersNotInGuide(_ mode: GuideMode) -> APIError {
        unauthorized(
            "The handshake has header fields alone, which the guide \(mode.rawValue) does not know, and this server answers "
                + "as it (--guide): append '?token=<JWT>' to its URL.")
    }

    // MARK: Paths

    /// No endpoint has this path.
    public static func unknownPath(_ path: String, nearest: String?) -> APIError {
        let hint = nearest.map { " The nearest endpoint is \($0)." } ?? ""
        return APIError(.notFound, .notFound, "There is no endpoint \(quoted(path)).\(hint)")
    }

    /// The endpoint is in no part of the guide that the server answers as.
    ///
    /// - Parameter method: the one that arrived, which need not be the endpoint's.
    public static func notInGuide(
        _ endpoint: Endpoint, method: HTTPRequest.Method, path: String, mode: GuideMode
    ) -> APIError {
        let guides = endpoint.guides.map(\.rawValue).joined(separator: " and ")
        let isDocumented = endpoint.guides.contains { $0.provision(of: endpoint) == .documented }
        return APIError(
            .notFound, .notFound,
            "\(method.rawValue) \(quoted(path)) is not in the guide \(mode.rawValue), which this server answers as "
                + "(--guide). \(isDocumented ? "Documented by" : "Presupposed by") \(guides); without --guide all are served."
        )
    }

    /// The path `/ws`, which a guide calls out as the wrong endpoint.
    public static let bareWebSocketPath = APIError(
        .notFound, .notFound,
        "There is no endpoint \"/ws\": each consultation has a socket of its own, at /api/v1/consultations/{id}/ws "
            + "(guide websocket-architecture). Create a consultation first.")

    /// The endpoint exists, but not with this method.
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

    /// No consultation of this user has this id, which stood in the path or in a field of the body.
    public static func unknownConsultation(_ id: String, field: String? = nil) -> APIError {
        APIError(.notFound, .notFound, "This user has no consultation \(quoted(id))\(place(field)).\(idHint(id))")
    }

    /// No goal of this user has this id, which stood in the path or in a field of the body.
    ///
    /// - Parameter mode: in one that serves no goals no id can be right.
    public static func unknownGoal(_ id: String, field: String? = nil, in mode: GuideMode = .union) -> APIError {
        let hint =
            mode.serves(.createGoal)
            ? "\(idHint(id)) \(goalIDHint)"
            : " The guide \(mode.rawValue), which this server answers as (--guide), has no goals: leave the field out."
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

    /// The body has a media type other than JSON.
    public static func unsupportedMediaType(_ value: String?) -> APIError {
        let arrived = value.map { "arrived as \(quoted($0))" } ?? "came without a Content-Type"
        return APIError(
            .unsupportedMediaType, .unsupportedMediaType,
            "The body \(arrived); send it as 'Content-Type: application/json'.", fields: [.accept: "application/json"])
    }

    /// The body is not JSON.
    public static func invalidJSON(_ error: JSONError) -> APIError {
        APIError(.badRequest, .invalidJSON, "The body is not valid JSON: \(error.description).")
    }

    /// A body is due and none came.
    public static let emptyBody = APIError(
        .badRequest, .invalidJSON, "This endpoint needs a JSON object as its body, and the body is empty.")

    /// The body is JSON, but no object.
    public static func bodyIsNotAnObject(_ value: JSONValue) -> APIError {
        APIError(
            .badRequest, .validationFailed,
            "The body must be a JSON object; it is \(value.typeName): \(value.excerpt()).")
    }

    static func invalid(_ message: String) -> APIError {
        APIError(.badRequest, .validationFailed, message)
    }

    /// A required field is absent or null.
    public static func missingField(_ field: String, expected: String) -> APIError {
        invalid("The field '\(field)' is required: \(expected).")
    }

    /// A field has another type than the guides give it.
    public static func wrongType(_ field: String, expected: String, got value: JSONValue) -> APIError {
        invalid("The field '\(field)' must be \(expected); got \(value.typeName): \(value.excerpt()).")
    }

    /// A field or parameter names a value that does not exist.
    public static func unknownChoice(_ field: String, got value: String, allowed: [String]) -> APIError {
        let near = NearestWord.hint(value, among: allowed, quote: "\"")
        let list = allowed.map { quoted($0) }.joined(separator: ", ")
        return invalid("'\(field)' must be one of \(list); got \(quoted(value)).\(near)")
    }

    /// A text field is empty or too long.
    public static func wrongLength(_ field: String, allowed: ClosedRange<Int>, got count: Int) -> APIError {
        invalid(
            "The field '\(field)' must have \(allowed.lowerBound) to \(allowed.upperBound) characters; it has \(count)."
        )
    }

    /// A text field has few characters, but far too many bytes.
    public static func tooManyBytes(_ field: String, limit: Int, got count: Int) -> APIError {
        invalid("The field '\(field)' must have at most \(limit) bytes of UTF-8; it has \(count).")
    }

    /// A field is no number, or one out of its range.
    public static func numberExpected(_ field: String, allowed: ClosedRange<Double>, got value: JSONValue) -> APIError {
        let bounds = [allowed.lowerBound, allowed.upperBound].map { JSONNumber($0).text }
        return wrongType(field, expected: "a number from \(bounds[0]) to \(bounds[1])", got: value)
    }

    /// A field is no date-time, or one that no calendar has.
    public static func dateTimeExpected(_ field: String, got value: JSONValue) -> APIError {
        var refusal = wrongType(field, expected: BodyReader.expectedDateTime, got: value)
        if value.number != nil {
            refusal.message += " Swift's JSONEncoder writes dates so with dateEncodingStrategy = .iso8601."
        }
        return refusal
    }

    /// The id of a goal has another format than the backend's.
    public static func malformedGoalID(_ id: String, field: String) -> APIError {
        invalid(
            "The field '\(field)' must be the id of a goal, a lower-case UUID such as "
                + "\"6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab\"; got \(quoted(id)). \(goalIDHint)")
    }

    /// A query parameter is no whole number in its range.
    public static func outOfRange(_ parameter: String, allowed: ClosedRange<Int>, got value: String) -> APIError {
        let range =
            allowed.upperBound == Int.max
            ? "of at least \(allowed.lowerBound)" : "from \(allowed.lowerBound) to \(allowed.upperBound)"
        return invalid("The parameter '\(parameter)' must be a whole number \(range); got \(quoted(value)).")
    }

    /// `general` came with an id.
    public static func generalWithID(_ id: String) -> APIError {
        invalid(
            "A 'general' consultation has no context, but 'context_id' is \(quoted(id)). "
                + "Leave it out, or name the 'context_type' it belongs to: goal, insight, mood or journal.")
    }

    /// The context is a goal, and no id says which.
    public static func goalWithoutID(in form: GuideMode) -> APIError {
        // The form that names a context type and an id has no second name for the id.
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

    /// The user has this conversation already, and it is active.
    ///
    /// - Parameter mode: what it serves is what the message advises.
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

    /// The user has as many active consultations as one may have.
    ///
    /// - Parameter mode: what it serves is what the message advises.
    public static func tooManyActiveConsultations(limit: Int, in mode: GuideMode = .union) -> APIError {
        let remedy = mode.serves(.archiveConsultation) ? "Complete or archive some" : "Complete some"
        return APIError(
            .tooManyRequests, .tooManyActiveConsultations,
            "You have reached the maximum of \(limit) active consultations. \(remedy) before starting new ones."
        )
    }

    /// The consultation is archived or completed.
    public static func consultationNotActive(_ id: ResourceID, status: ConsultationStatus) -> APIError {
        APIError(
            .badRequest, .consultationNotActive,
            "Consultation is not active: \(id) is \(status.rawValue), and only an active one can be chatted in or linked with a goal."
        )
    }

    /// The fake holds as much as it is willing to.
    public static func storeFull(_ what: String, limit: Int) -> APIError {
        APIError(
            .insufficientStorage, .storeFull,
            "This server holds its limit of \(limit) \(what). They live in memory only: restart it to begin anew.")
    }

    // MARK: Origins

    /// A page of another site writes, or opens a socket.
    ///
    /// - Parameters:
    ///   - text: what the field `Origin` says.
    ///   - option: what the server has to be started with for that page; nil where the field is no origin.
    public static func foreignOrigin(_ text: String, option: String?) -> APIError {
        guard let option else {
            return APIError(
                .forbidden, .forbidden,
                "The field 'Origin' is \(quoted(text)), which is no origin: it has to be scheme://host or "
                    + "scheme://host:port, once, as browsers send it, or left out.")
        }
        return APIError(
            .forbidden, .forbidden,
            "The request comes from a web page of another origin, \(quoted(text)), which may neither write nor open a "
                + "WebSocket here. If that page is yours, start the server with \(option).")
    }

    // MARK: WebSocket handshakes

    /// A plain request arrived where a WebSocket handshake is due.
    public static let upgradeRequired = APIError(
        .upgradeRequired, .upgradeRequired,
        "This is a WebSocket: connect with 'Upgrade: websocket' and 'Connection: Upgrade' (ws:// in the URL), not with a plain request.",
        fields: [.upgrade: "websocket", .connection: "Upgrade"])

    // MARK: Meal logs

    /// No meal log of this user has this id.
    public static func unknownMealLog(_ id: String) -> APIError {
        APIError(.notFound, .notFound, "This user has no meal log \(quoted(id)).\(idHint(id))")
    }

    /// The meal's text consists of white space.
    public static let blankRawInput = invalid(
        "The field 'raw_input' is blank; describe the meal, such as \"2 eggs and toast\".")

    /// A query parameter is neither a date nor a date-time.
    public static func badDate(_ parameter: String, got value: String) -> APIError {
        // What a form-decoded query makes of "+01:00".
        let hint = value.contains(" ") ? " A '+' in a query stands for a space: write it as %2B." : ""
        return invalid(
            "The parameter '\(parameter)' must be a date, such as \"2025-01-29\", or a date-time, such as "
                + "\"2025-01-29T10:30:00Z\"; got \(quoted(value)).\(hint)")
    }
}

/// A value from the client in quotation marks, cut where it is long and free of control characters.
func quoted(_ text: String) -> String { text.quoted(limit: 80) }

extension HTTPResponse.Status {
    /// 507 (RFC 4918 §11.5), which swift-http-types does not name.
    public static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
