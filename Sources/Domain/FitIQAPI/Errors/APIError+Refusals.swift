import HTTPTypes
import JSON
import Text

/// Errors about a request's contents: ids, bodies, queries and violated backend rules.
///
/// Errors that occur before a body is read are in `APIError.swift`, and socket errors are in `ClientFrame.swift`. If a
/// mode is given, a message recommends only what that mode serves.
extension APIError {
    // MARK: Ids

    /// The user has no consultation with this id from the path or a body field.
    public static func unknownConsultation(_ id: String, field: String? = nil) -> Self {
        notFound("This user has no consultation \(quoted(id))\(place(field)).\(idHint(id))")
    }

    /// The user has no goal with this id from the path or a body field.
    ///
    /// - Parameter mode: In a mode without goals no id is valid.
    public static func unknownGoal(_ id: String, field: String? = nil, in mode: GuideMode = .union) -> Self {
        let hint =
            mode.serves(.createGoal)
            ? "\(idHint(id)) \(goalIDHint)"
            : " The guide \(mode.rawValue), which this server follows, has no goals: leave the field out."
        return Self(.notFound, .goalNotFound, "This user has no goal \(quoted(id))\(place(field)).\(hint)")
    }
    public static func unknownMealLog(_ id: String) -> Self {
        notFound("This user has no meal log \(quoted(id)).\(idHint(id))")
    }
    public static func unknownMealPhoto(_ id: String) -> Self {
        notFound("This user has no photo session \(quoted(id)).\(idHint(id))")
    }
    public static func confirmedMealPhoto(_ id: ResourceID, as mealLog: ResourceID) -> Self {
        invalid("The photo session \(id) is already confirmed as the meal log \(mealLog): change the meal log instead.")
    }
    public static let nothingRecognized = invalid(
        "No food was recognized in this photo, so 'confirmed_items' must list the foods.")
    public static func foodsNotReplaceable(_ status: MealLogStatus) -> Self {
        invalid(
            "You can replace 'items' only in a completed or manual meal log; this meal log is \(status.rawValue).")
    }

    /// The user has no document with this id, and cannot read another user's.
    public static func unknownDocument(_ id: String, in collection: DocumentCollection) -> Self {
        notFound("This user has no \(collection.row.item) \(quoted(id)).\(idHint(id))")
    }
    /// The user may read the template but does not own it.
    public static func notYours(template id: String) -> Self {
        Self(
            .forbidden, .forbidden,
            "The workout template \(quoted(id)) belongs to another user: you can read and copy it, but not change it.")
    }
    public static let editedHealthKit = invalid(
        "This mood entry comes from HealthKit, so only HealthKit can change it: post the new value as a separate entry."
    )
    public static func notShared(_ id: ResourceID, with user: String) -> Self {
        notFound("The workout template \(id) is not shared with the user \(quoted(user)).")
    }
    public static func malformedGoalID(_ id: String, field: String) -> Self {
        invalid(
            "The field '\(field)' must be the id of a goal, a lower-case UUID such as "
                + "\"6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab\"; got \(quoted(id)). \(goalIDHint)")
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

    // MARK: Bodies

    public static func unsupportedMediaType(_ value: String?, expected: String = "application/json") -> Self {
        let arrived = value.map { "arrived as \(quoted($0))" } ?? "came without a Content-Type"
        return Self(
            .unsupportedMediaType, .unsupportedMediaType,
            "The body \(arrived); send it as 'Content-Type: \(expected)'.", fields: [.accept: expected])
    }

    /// A form with a file violates RFC 7578.
    static func badForm(_ problem: String) -> Self { invalid("The body is not a valid form: \(problem).") }

    /// The uploaded bytes are not an image; FitIQ looks for the word "format" in the message.
    static func badImage(_ problem: String) -> Self {
        invalid("The request has no image in a usable format: \(problem).")
    }

    /// Rejects a `Content-Type` other than JSON in UTF-8; call this function only if there is a body.
    public static func checkMediaType(_ value: String?) throws(APIError) {
        guard let value else { throw .unsupportedMediaType(nil) }
        // The usual value requires no parsing.
        if value == "application/json" { return }
        let parts = FormPart.pieces(of: value.lowercased())
        let isJSON = parts.first == "application/json" || (parts.first?.hasSuffix("+json") ?? false)
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard isJSON, [nil, "charset=utf-8", "charset=\"utf-8\""].contains(charset) else {
            throw .unsupportedMediaType(value)
        }
    }
    /// A request has an unsupported content coding (RFC 9110 §15.5.16).
    public static func unsupportedCoding(_ coding: String, isGzipKnown: Bool) -> Self {
        let known = isGzipKnown ? "gzip" : "identity"
        return Self(
            .unsupportedMediaType, .unsupportedMediaType,
            "The body has the 'Content-Encoding' \(quoted(coding)); "
                + (isGzipKnown ? "send it with gzip, or uncompressed." : "send it uncompressed: gzip is off."),
            fields: [.acceptEncoding: known])
    }
    public static let corruptGzip = APIError(
        .badRequest, .badRequest,
        "The body has 'Content-Encoding: gzip', but it cannot be decompressed: send a complete gzip file (RFC 1952).")
    public static func inflatedTooLarge(limit: Int) -> Self {
        Self(.contentTooLarge, .badRequest, "The decompressed body has more than \(limit) bytes. Send less.")
    }
    public static func invalidJSON(_ error: JSONError) -> Self {
        Self(.badRequest, .invalidJSON, "The body is not valid JSON: \(error.description).")
    }
    public static let emptyBody = APIError(
        .badRequest, .invalidJSON, "This endpoint needs a JSON object as its body, and the body is empty.")
    package static func invalid(_ message: String) -> Self { Self(.badRequest, .validationFailed, message) }
    public static func bodyIsNotAnObject(_ value: JSONValue) -> Self {
        invalid("The body must be a JSON object; it is \(value.typeName): \(value.excerpt()).")
    }
    public static func missingField(_ field: String, expected: String) -> Self {
        invalid("The field '\(field)' is required: \(expected).")
    }

    /// A field has the wrong type.
    public static func wrongType(_ field: String, expected: String, got value: JSONValue) -> Self {
        invalid("The field '\(field)' must be \(expected); got \(value.typeName): \(value.excerpt()).")
    }
    public static func unknownChoice(_ field: String, got value: String, allowed: [String]) -> Self {
        let near = NearestWord.hint(value, among: allowed, quote: "\"")
        let list = allowed.map { quoted($0) }.joined(separator: ", ")
        return invalid("'\(field)' must be one of \(list); got \(quoted(value)).\(near)")
    }
    public static func wrongLength(_ field: String, allowed: ClosedRange<Int>, got count: Int) -> Self {
        let (least, most) = (allowed.lowerBound, allowed.upperBound)
        return invalid("The field '\(field)' must have \(least) to \(most) characters; it has \(count).")
    }

    /// A string field has too many bytes, although not too many characters.
    public static func tooManyBytes(_ field: String, limit: Int, got count: Int) -> Self {
        invalid("The field '\(field)' must have at most \(limit) bytes of UTF-8; it has \(count).")
    }
    public static func documentTooLarge(_ item: String, limit: Int, got count: Int) -> Self {
        invalid("The \(item) must have at most \(limit) bytes of JSON; it has \(count).")
    }
    public static func numberExpected(_ field: String, allowed: ClosedRange<Double>, got value: JSONValue) -> Self {
        wrongType(field, expected: allowed.inWords, got: value)
    }

    /// A field is not a date-time, or the date does not exist.
    package static func dateTimeExpected(
        _ field: String, expected: String = BodyReader.expectedDateTime, got value: JSONValue
    ) -> Self {
        var refusal = wrongType(field, expected: expected, got: value)
        if let problem = value.string.flatMap(RFC3339.problem) { refusal.message += " " + problem }
        if value.number != nil {
            refusal.message += " In Swift, set the JSONEncoder's dateEncodingStrategy to .iso8601."
        }
        return refusal
    }
    static func timeAhead(_ field: String, got time: DateTime, now: Timestamp) -> Self {
        invalid(
            "The field '\(field)' is in the future: it is \(time.wireText), but the server's clock says "
                + "\(now.wireText); a time may be at most five minutes ahead.")
    }
    static func endsBeforeStart(_ field: String, got end: DateTime, start: String, mayBeEqual: Bool = false) -> Self {
        invalid("'\(field)' must \(mayBeEqual ? "not be before" : "be after") \(start); got \(end.wireText).")
    }
    public static let blankRawInput = invalid(
        "The field 'raw_input' is blank; describe the meal, such as \"2 eggs and toast\".")
    public static func generalWithID(_ id: String) -> Self {
        invalid(
            "A 'general' consultation has no context, but 'context_id' is \(quoted(id)). "
                + "Omit 'context_id', or set the 'context_type' that the id belongs to: goal, insight, mood or journal."
        )
    }
    public static func goalWithoutID(in form: GuideMode) -> Self {
        // The form with a context type has only one name for the id.
        let names = form == .enhancedConsultations ? "'context_id'" : "'goal_id' or as 'context_id'"
        return invalid("'context_type' is \"goal\", so the goal's id is required, as \(names).")
    }
    public static func contradictingContexts(goalID: String, type: String, id: String?) -> Self {
        let other = "'context_type' \(quoted(type))" + (id.map { " with 'context_id' \(quoted($0))" } ?? "")
        return invalid("'goal_id' \(quoted(goalID)) and \(other) contradict each other; send only one of them.")
    }

    // MARK: Queries

    public static func outOfRange(_ parameter: String, allowed: ClosedRange<Int>, got value: String) -> Self {
        let (low, high) = (allowed.lowerBound, allowed.upperBound)
        let range = high == Int.max ? "of at least \(low)" : "from \(low) to \(high)"
        return invalid("The parameter '\(parameter)' must be a whole number \(range); got \(quoted(value)).")
    }
    static func missingParameter(_ parameter: String, expected: String) -> Self {
        invalid("The parameter '\(parameter)' is required: \(expected).")
    }
    static func tooManyWords(limit: Int, got count: Int) -> Self {
        invalid("A search can have at most \(limit) words and phrases; 'q' has \(count).")
    }
    public static func badDate(_ parameter: String, got value: String) -> Self {
        // Form decoding turns the plus sign in "+01:00" into a space.
        let isSpaced = value.contains(" ")
        let hint =
            isSpaced
            ? " A '+' in a query means a space: write it as %2B."
            : RFC3339.problem(value).map { " " + $0 } ?? ""
        return invalid(
            "The parameter '\(parameter)' must be a date, such as \"2025-01-29\", or a date-time, such as "
                + "\"2025-01-29T10:30:00Z\"; got \(quoted(value)).\(hint)")
    }

    // MARK: Rules

    /// The user already has this conversation, and it is active.
    public static func consultationExists(_ existing: Consultation, in mode: GuideMode = .union) -> Self {
        var details: JSONObject = [
            "existing_consultation_id": .string(existing.id.description),
            "persona": .string(existing.persona.rawValue),
            "status": .string(existing.status.rawValue),
            "can_continue": true,
        ]
        if let goalID = existing.goalID { details["goal_id"] = .string(goalID.description) }
        let show = mode.serves(.showConsultation) ? " (GET /api/v1/consultations/\(existing.id))" : ""
        let archive = mode.serves(.archiveConsultation) ? " or archive it" : " instead of creating another"
        return Self(
            .conflict, .consultationExists,
            "An active consultation with the persona \(quoted(existing.persona.rawValue)) and the same context exists: "
                + "continue \(existing.id)\(show)\(archive).", details: details)
    }
    public static func tooManyActiveConsultations(limit: Int, in mode: GuideMode = .union) -> Self {
        let remedy = mode.serves(.archiveConsultation) ? "Complete or archive some" : "Complete some"
        return Self(
            .tooManyRequests, .tooManyActiveConsultations,
            "You have reached the maximum of \(limit) active consultations. \(remedy) before starting new ones.")
    }
    public static func consultationNotActive(_ id: ResourceID, status: ConsultationStatus) -> Self {
        Self(
            .badRequest, .consultationNotActive,
            "Consultation is not active: \(id) is \(status.rawValue), "
                + "and only an active one can be chatted in or linked with a goal.")
    }

    /// A message over REST cannot be stored: 429 for too many pending questions, 507 if storage is full.
    public init(refusing error: FrameError) {
        let waits = error.code == .tooManyWaitingMessages
        self.init(waits ? .tooManyRequests : .insufficientStorage, error.code, error.message)
    }

    /// The fake's storage limit has been reached.
    public static func storeFull(_ what: String, limit: Int) -> Self {
        Self(
            .insufficientStorage, .storeFull,
            "This server has reached its limit of \(limit) \(what). Data is kept only in memory: restart the server to "
                + "start over.")
    }
}

/// Returns a client's value in quotation marks, truncated and free of control characters.
func quoted(_ text: String) -> String { text.quoted(limit: 80) }

extension HTTPResponse.Status {
    /// 507 (RFC 4918 §11.5), which swift-http-types lacks.
    public static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension ClosedRange<Double> {
    /// The allowed values for messages: `a number from 0 to 1`, or `a number above 0, up to 1`.
    public var inWords: String {
        let least = lowerBound == .leastNonzeroMagnitude ? "above 0, up" : "from \(JSONNumber(lowerBound).text)"
        return "a number \(least) to \(JSONNumber(upperBound).text)"
    }
}
