import HTTPTypes
import JSON
import Testing

@testable import FitIQAPI

/// Every API error that a REST client can get.
@Suite("Refusals") struct APIErrorTests {
    static let id = ResourceIDTests.text

    static let existing: Consultation = {
        var consultation = Consultation(
            id: .numbered(7), userID: "u", persona: .fitnessCoach, context: ConsultationContext(.mood), goalID: nil,
            title: nil, createdAt: .example)
        consultation.goalID = .numbered(8)
        return consultation
    }()

    static let token = "'fitiq-mock token' prints a token that works."

    static let localID =
        "Send the id that POST /api/v1/goals answered with, never the app's local one (guide goal-linking, critical rule)."

    static let messages: KeyValuePairs<(Int, ErrorCode), KeyValuePairs<APIError, String>> = [
        (401, .unauthorized): [
            .missingToken:
                "This endpoint needs 'Authorization: Bearer <JWT>', and the request has no Authorization field. \(token)",
            .notABearerToken:
                "The Authorization field must read 'Bearer <JWT>'; it begins with something else. \(token)",
            .badToken(.wrongTokenAlgorithm("none")):
                #"The bearer token is not valid: it is signed with "none", but only "HS256" is accepted. \#(token)"#,
            .badToken(.expiredToken(at: .example)):
                "The bearer token is not valid: it expired at 2025-01-29T10:30:00Z; refresh it. \(token)",
            .missingAPIKey:
                "This endpoint needs 'X-API-Key: <key>', and the request has no X-API-Key field. The server prints its key when it starts.",
            .wrongAPIKey: "The X-API-Key is not this server's. The server prints its key when it starts.",
            .missingWebSocketCredentials(in: .union):
                "The WebSocket needs 'Authorization: Bearer <JWT>' and 'X-API-Key: <key>' on the handshake, or '?token=<JWT>' in its URL; neither arrived. The Quick Start of the guide consultation-websocket leaves credentials out: its full listing sends them.",
        ],
        (404, .notFound): [
            .unknownPath("/x", nearest: nil): #"There is no endpoint "/x"."#,
            .unknownPath("/helth", nearest: "/health"):
                #"There is no endpoint "/helth". The nearest endpoint is /health."#,
            .bareWebSocketPath("/ws", in: .webSocketArchitecture):
                #"There is no endpoint "/ws": each consultation has a socket of its own, at /api/v1/consultations/{id}/ws (guide websocket-architecture). Create a consultation first."#,
            .bareWebSocketPath("/ws/meals", in: .union):
                #"There is no endpoint "/ws/meals": each consultation has a socket of its own, at /api/v1/consultations/{id}/ws (guide websocket-architecture). Create a consultation first. All of a user's meal events arrive at /ws/meal-logs."#,
            .unknownConsultation(id): #"This user has no consultation "\#(id)"."#,
            .unknownConsultation(id.uppercased()):
                #"This user has no consultation "\#(id.uppercased())". Ids are compared as text: lower-case it to "\#(id)" (guide consultation-websocket, best practice 1; Swift's uuidString is upper case)."#,
            .unknownConsultation("1"):
                #"This user has no consultation "1". Ids that this backend issues are lower-case UUIDs."#,
            .unknownMealLog(id.uppercased()):
                #"This user has no meal log "\#(id.uppercased())". Ids are compared as text: lower-case it to "\#(id)" (guide consultation-websocket, best practice 1; Swift's uuidString is upper case)."#,
            .unknownMealLog(id): #"This user has no meal log "\#(id)"."#,
            .unknownMealLog("x"): #"This user has no meal log "x". Ids that this backend issues are lower-case UUIDs."#,
            .notInGuide(.listConsultations, method: .get, path: "/api/v1/consultations", mode: .consultationWebSocket):
                #"GET "/api/v1/consultations" is not in the guide consultation-websocket, which this server follows. "#
                + "Documented by enhanced-consultations; a server that answers as union serves all.",
            .notInGuide(.listMealLogs, method: .get, path: "/api/v1/meal-logs", mode: .goalLinking):
                #"GET "/api/v1/meal-logs" is not in the guide goal-linking, which this server follows. "#
                + "Presupposed by websocket-architecture and meal-log-websocket; a server that answers as union serves all.",
            .unknownConsultation("1", field: "conversationId"):
                #"This user has no consultation "1" (field 'conversationId'). Ids that this backend issues are lower-case UUIDs."#,
        ],
        (405, .methodNotAllowed): [
            .methodNotAllowed(.post, path: "/api/v1/meal-logs", allowed: [.get, .head, .post]):
                #""/api/v1/meal-logs" does not answer "POST"; it answers GET, HEAD, POST. "#
                + "Log a meal with POST /api/v1/meal-logs/natural.",
            .methodNotAllowed(.delete, path: "/api/v1/meal-logs", allowed: [.get, .head, .post]):
                #""/api/v1/meal-logs" does not answer "DELETE"; it answers GET, HEAD, POST."#,
            .methodNotAllowed(.delete, path: "/api/v1/consultations", allowed: [.get, .head, .post]):
                #""/api/v1/consultations" does not answer "DELETE"; it answers GET, HEAD, POST."#,
        ],
        (404, .goalNotFound): [
            .unknownGoal(id, field: "goal_id"): #"This user has no goal "\#(id)" (field 'goal_id'). \#(localID)"#,
            .unknownGoal(id): #"This user has no goal "\#(id)". \#(localID)"#,
            .unknownGoal(id.uppercased(), field: "context_id"):
                #"This user has no goal "\#(id.uppercased())" (field 'context_id'). Ids are compared as text: lower-case it to "\#(id)" (guide consultation-websocket, best practice 1; Swift's uuidString is upper case). \#(localID)"#,
            .unknownGoal("1"):
                #"This user has no goal "1". Ids that this backend issues are lower-case UUIDs. \#(localID)"#,
        ],
        (400, .validationFailed): [
            .malformedGoalID("backend-123", field: "goalId"):
                #"The field 'goalId' must be the id of a goal, a lower-case UUID such as "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab"; got "backend-123". \#(localID)"#,
            .numberExpected("progress", allowed: 0...1, got: 45):
                "The field 'progress' must be a number from 0 to 1; got a number: 45.",
            .numberExpected("f", allowed: -0.5...2.25, got: "a"):
                #"The field 'f' must be a number from -0.5 to 2.25; got a string: "a"."#,
            .dateTimeExpected("targetDate", got: "tomorrow"):
                #"The field 'targetDate' must be an ISO 8601 date-time such as "2025-03-01T00:00:00Z"; got a string: "tomorrow"."#,
            .dateTimeExpected("targetDate", got: "2025-03-01T00:00:00+0200"):
                #"The field 'targetDate' must be an ISO 8601 date-time such as "2025-03-01T00:00:00Z"; got a string: "2025-03-01T00:00:00+0200". An offset needs a colon between its hours and minutes: write +02:00."#,
            .badDate("start_date", got: "2025-02-30"):
                #"The parameter 'start_date' must be a date, such as "2025-01-29", or a date-time, such as "2025-01-29T10:30:00Z"; got "2025-02-30". Month 2 of 2025 has 28 days, so there is no day 30."#,
            .dateTimeExpected("targetDate", got: 762_480_000):
                #"The field 'targetDate' must be an ISO 8601 date-time such as "2025-03-01T00:00:00Z"; got a number: 762480000. In Swift, set the JSONEncoder's dateEncodingStrategy to .iso8601."#,
            .bodyIsNotAnObject([1, 2]): "The body must be a JSON object; it is an array: [1,2].",
            .missingField("persona", expected: "a name"): "The field 'persona' is required: a name.",
            .wrongType("title", expected: "a string", got: 5): "The field 'title' must be a string; got a number: 5.",
            .unknownChoice("persona", got: "dog", allowed: ["cat", "dig"]):
                #"'persona' must be one of "cat", "dig"; got "dog". Did you mean "dig"?"#,
            .wrongLength("title", allowed: 1...200, got: 201):
                "The field 'title' must have 1 to 200 characters; it has 201.",
            .outOfRange("page_size", allowed: 1...100, got: "x"):
                #"The parameter 'page_size' must be a whole number from 1 to 100; got "x"."#,
            .outOfRange("page", allowed: 1...Int.max, got: "0"):
                #"The parameter 'page' must be a whole number of at least 1; got "0"."#,
            .generalWithID("x"):
                #"A 'general' consultation has no context, but 'context_id' is "x". Omit 'context_id', or set the "#
                + #"'context_type' that the id belongs to: goal, insight, mood or journal."#,
            .goalWithoutID(in: .union):
                #"'context_type' is "goal", so the goal's id is required, as 'goal_id' or as 'context_id'."#,
            .contradictingContexts(goalID: "a", type: "mood", id: nil):
                #"'goal_id' "a" and 'context_type' "mood" contradict each other; send only one of them."#,
        ],
        (415, .unsupportedMediaType): [
            .unsupportedMediaType("text/plain"):
                #"The body arrived as "text/plain"; send it as 'Content-Type: application/json'."#,
            .unsupportedMediaType(nil):
                "The body came without a Content-Type; send it as 'Content-Type: application/json'.",
        ],
        (400, .invalidJSON): [
            .invalidJSON(JSONError(line: 2, column: 3, offset: 9, message: "expected this but found that")):
                "The body is not valid JSON: line 2, column 3: expected this but found that.",
            .emptyBody: "This endpoint needs a JSON object as its body, and the body is empty.",
        ],
        (409, .consultationExists): [
            .consultationExists(existing):
                #"An active consultation with the persona "fitness_coach" and the same context exists: continue 00000000-0000-4000-8000-000000000007 (GET /api/v1/consultations/00000000-0000-4000-8000-000000000007) or archive it."#
        ],
        (429, .tooManyActiveConsultations): [
            .tooManyActiveConsultations(limit: 10):
                "You have reached the maximum of 10 active consultations. Complete or archive some before starting new ones."
        ],
        (400, .consultationNotActive): [
            .consultationNotActive(.numbered(7), status: .archived):
                "Consultation is not active: 00000000-0000-4000-8000-000000000007 is archived, and only an active one can be chatted in or linked with a goal."
        ],
        (507, .storeFull): [
            .storeFull("users", limit: 5):
                "This server has reached its limit of 5 users. Data is kept only in memory: restart the server to start "
                + "over."
        ],
        (403, .forbidden): [
            .foreignOrigin("http://a:1", origin: "http://a:1"):
                #"The request comes from a web page of another origin, "http://a:1", which may neither write nor open a WebSocket here. If that page is yours, make the server allow the origin http://a:1."#,
            .foreignOrigin("http://a/b", origin: nil):
                #"The field 'Origin' is "http://a/b", which is not an origin: send scheme://host or scheme://host:port once, as browsers do, or omit the field."#,
        ],
        (426, .upgradeRequired): [
            .upgradeRequired:
                "This is a WebSocket: connect with 'Upgrade: websocket' and 'Connection: Upgrade' (ws:// in the URL), not with a plain request."
        ],
    ]
    static let table = messages.flatMap { outcome, rows in rows.map { ($0.key, outcome.0, outcome.1, $0.value) } }

    @Test("Each API error has a status, a code and a message that says what to do", arguments: table)
    func message(refusal: APIError, status: Int, code: ErrorCode, message: String) {
        #expect((refusal.status.code, refusal.code, refusal.message) == (status, code, message))
        #expect(message.hasSuffix(".") || message.hasSuffix("?"))
    }

    @Test("Every guide's decoder accepts an API error's body", arguments: table)
    func body(refusal: APIError, status: Int, code: ErrorCode, message: String) {
        var error: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        if let details = refusal.details { error["details"] = .object(details) }
        let expected = JSONValue.object(["success": false, "error": .object(error)])
        #expect(text(refusal.body(in: .union)) == text(expected.encoded()))
    }

    @Test("An API error has the header fields that HTTP requires")
    func fields() {
        for (refusal, status, _, _) in Self.table {
            switch status {
            // RFC 9110 §15.5.2: "MUST send a WWW-Authenticate header field".
            case 401: #expect(refusal.fields == [.wwwAuthenticate: "Bearer"])
            // §15.5.6: "MUST generate an Allow header field".
            case 405: #expect(refusal.fields == [.allow: "GET, HEAD, POST"])
            case 415: #expect(refusal.fields == [.accept: "application/json"])
            // §15.5.22: "MUST send an Upgrade header field".
            case 426: #expect(refusal.fields == [.upgrade: "websocket", .connection: "Upgrade"])
            default: #expect(refusal.fields.isEmpty)
            }
        }
        #expect(APIError.storeFull("users", limit: 1).status.reasonPhrase == "Insufficient Storage")
    }

    static let golden: KeyValuePairs<APIError, String> = [
        .tooManyActiveConsultations(limit: 10):
            #"{"success":false,"error":{"code":"TOO_MANY_ACTIVE_CONSULTATIONS","message":"You have reached the maximum of 10 active consultations. Complete or archive some before starting new ones."}}"#,
        .unknownConsultation("\"\n/é"):
            #"{"success":false,"error":{"code":"NOT_FOUND","message":"This user has no consultation \"\\\"\\n/é\". Ids that this backend issues are lower-case UUIDs."}}"#,
        .consultationExists(existing):
            #"{"success":false,"error":{"code":"CONSULTATION_EXISTS","message":"An active consultation with the persona \"fitness_coach\" and the same context exists: continue 00000000-0000-4000-8000-000000000007 (GET /api/v1/consultations/00000000-0000-4000-8000-000000000007) or archive it.","details":{"existing_consultation_id":"00000000-0000-4000-8000-000000000007","persona":"fitness_coach","status":"active","can_continue":true,"goal_id":"00000000-0000-4000-8000-000000000008"}}}"#,
    ]

    @Test("Each API error is encoded as the expected bytes", arguments: golden)
    func goldenBody(refusal: APIError, body: String) { #expect(text(refusal.body(in: .union)) == body) }

    @Test("The error for a duplicate without a goal omits the goal's id")
    func duplicateWithoutGoal() {
        var consultation = Self.existing
        consultation.goalID = nil
        #expect(
            APIError.consultationExists(consultation).details?.keys
                == ["existing_consultation_id", "persona", "status", "can_continue"])
    }

    static let mediaTypes: [(value: String?, isTaken: Bool)] = [
        ("application/json", true), ("Application/JSON; charset=UTF-8", true), ("application/problem+json", true),
        ("application/json;charset=\"utf-8\"", true), ("application/json; charset=latin1", false),
        ("application/jsonp", false), ("text/plain; charset=utf-8", false), ("", false), (";", false), (nil, false),
    ]

    @Test("A body with a media type other than UTF-8 JSON is rejected", arguments: mediaTypes)
    func mediaType(value: String?, isTaken: Bool) {
        let expected: APIError? = isTaken ? nil : .unsupportedMediaType(value)
        #expect(refusal(try APIError.checkMediaType(value)) == expected)
    }

    @Test("An error message quotes at most 80 characters of the input", arguments: [81, 1000, 1_000_000])
    func cut(length: Int) {
        let long = String(repeating: "x", count: length)
        for refusal in [
            APIError.unknownPath(long, nearest: nil), .unknownConsultation(long), .unknownGoal(long, field: "goal_id"),
            .unsupportedMediaType(long), .unknownChoice("persona", got: long, allowed: ["a"]), .generalWithID(long),
            .outOfRange("page", allowed: 1...2, got: long), .contradictingContexts(goalID: long, type: long, id: long),
            .wrongType("f", expected: "a string", got: .array([.string(long)])), .bodyIsNotAnObject(.string(long)),
            .malformedGoalID(long, field: "goalId"), .unknownConsultation(long, field: "conversationId"),
            .numberExpected("f", allowed: 0...1, got: .string(long)), .dateTimeExpected("f", got: .string(long)),
            .unknownMealLog(long), .badDate("end_date", got: long),
        ] { #expect(refusal.message.contains("xxx…") && !refusal.message.contains(String(repeating: "x", count: 80))) }
    }
}

/// The errors on a socket, in addition to the errors in ``ClientFrameTests``.
@Suite("Refusals on the socket") struct FrameErrorTests {
    static let table: KeyValuePairs<FrameError, FrameError> = [
        .binaryFrame: FrameError(.unsupportedData, "A binary frame arrived; send JSON in text frames."),
        .tooManyWaiting(limit: 16): FrameError(
            .tooManyWaitingMessages,
            "16 messages are already waiting for an answer, so this message was not stored. Wait for an answer to complete, and send the message again."
        ),
        .historyFull(limit: 10_000): FrameError(
            .historyFull,
            "This consultation has reached its limit of 10000 messages, so this message was not stored. Archive it and create another."
        ),
        .storeFull(limit: 5): FrameError(
            .storeFull,
            "This server has reached its memory limit of 5 bytes, so this message was not stored. Restart the "
                + "server to start over."),
        .consultationNotActive: FrameError(.consultationNotActive, "Consultation is not active"),
    ]

    @Test("Each socket error has a code and a message", arguments: table)
    func message(refusal: FrameError, expected: FrameError) { #expect(refusal == expected) }
}
