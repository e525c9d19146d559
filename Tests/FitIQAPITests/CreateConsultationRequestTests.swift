import Testing

@testable import FitIQAPI

@Suite("The request to create a consultation") struct CreateConsultationRequestTests {
    static let goal = ResourceIDTests.text

    private static func request(
        _ persona: Persona, _ context: ConsultationContext = .general, title: String? = nil,
        field: String = "context_id", note: String? = nil
    ) -> CreateConsultationRequest {
        var request = CreateConsultationRequest(persona: persona, context: context, title: title)
        request.contextField = field
        request.note = note
        return request
    }

    private static let coach = request(.nutritionist)

    static let accepted: KeyValuePairs<String, CreateConsultationRequest> = [
        #"{"persona":"nutritionist"}"#: coach, #"{"persona":"fitness_coach"}"#: request(.fitnessCoach),
        #"{"persona":"wellness_specialist"}"#: request(.wellnessSpecialist),
        #"{"persona":"general_wellness"}"#: request(.generalWellness),
        "  {\n\"persona\" : \"nutritionist\"\t}\r\n": coach, #"{"persona":"nutr\u0069tionist"}"#: coach,
        // Unknown fields are ignored regardless of their values, and the last of several repeated fields wins.
        #"{"persona":"nutritionist","mood":[{}],"coach":1}"#: coach, #"{"persona":7,"persona":"nutritionist"}"#: coach,
        // null means absent.
        #"{"persona":"nutritionist","goal_id":null,"context_type":null,"context_id":null,"title":null}"#: coach,
        #"{"persona":null,"coach_type":"nutritionist"}"#: coach,
        // The context, in both guides' vocabularies.
        #"{"persona":"nutritionist","context_type":"general"}"#: coach,
        #"{"persona":"nutritionist","context_type":"general","context_id":null}"#: coach,
        #"{"persona":"nutritionist","goal_id":"\#(goal)"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal), field: "goal_id"),
        #"{"persona":"nutritionist","context_type":"goal","context_id":"\#(goal)"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal)),
        #"{"persona":"nutritionist","context_type":"goal","goal_id":"\#(goal)"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal), field: "goal_id"),
        #"{"persona":"nutritionist","context_type":"goal","goal_id":"\#(goal)","context_id":"\#(goal)"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal), field: "goal_id"),
        #"{"persona":"nutritionist","goal_id":"\#(goal)","context_id":"\#(goal)"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal), field: "goal_id"),
        // The backend decides whether a goal with any form of id exists, so it returns 404 with a hint, not 400.
        #"{"persona":"nutritionist","goal_id":"\#(goal.uppercased())"}"#: request(
            .nutritionist, ConsultationContext(.goal, id: goal.uppercased()), field: "goal_id"),
        #"{"persona":"nutritionist","context_type":"insight"}"#: request(.nutritionist, ConsultationContext(.insight)),
        #"{"persona":"nutritionist","context_type":"mood"}"#: request(.nutritionist, ConsultationContext(.mood)),
        #"{"persona":"nutritionist","context_type":"journal"}"#: request(.nutritionist, ConsultationContext(.journal)),
        #"{"persona":"nutritionist","context_type":"mood","context_id":"m 1"}"#: request(
            .nutritionist, ConsultationContext(.mood, id: "m 1")),
        #"{"persona":"nutritionist","context_type":"journal","context_id":"\#(String(repeating: "é", count: 200))"}"#:
            request(.nutritionist, ConsultationContext(.journal, id: String(repeating: "é", count: 200))),
        // Titles.
        #"{"persona":"nutritionist","title":"T"}"#: request(.nutritionist, title: "T"),
        #"{"persona":"nutritionist","title":" \n"}"#: request(.nutritionist, title: " \n"),
        #"{"persona":"nutritionist","title":"\#(String(repeating: "👩‍👩‍👧‍👦", count: 200))"}"#: request(
            .nutritionist, title: String(repeating: "👩‍👩‍👧‍👦", count: 200)),
        // websocket-architecture.
        #"{"coach_type":"nutritionist"}"#: coach,
        #"{"coach_type":"nutritionist","context":"meal_log_tracking"}"#: request(
            .nutritionist, note: "meal_log_tracking"),
        #"{"coach_type":"nutritionist","context":""}"#: request(.nutritionist, note: ""),
        #"{"coach_type":"nutritionist","context":null}"#: coach,
        // If there is a persona, `coach_type` and `context` are ignored.
        #"{"persona":"nutritionist","coach_type":"doctor","context":5}"#: coach,
    ]

    @Test("The request may be in any guide's form", arguments: accepted)
    func acceptedForms(body: String, expected: CreateConsultationRequest) throws {
        #expect(try CreateConsultationRequest(body: body.bytes, in: .union) == expected)
    }

    // MARK: Refused

    private func refusalOf(_ body: String) -> APIError? {
        refusal(try CreateConsultationRequest(body: body.bytes, in: .union))
    }

    static let personas = #""nutritionist", "fitness_coach", "wellness_specialist", "general_wellness""#
    static let contexts = #""general", "goal", "insight", "mood", "journal""#

    /// Values of the wrong type, each with the way a message shows it.
    static let notStrings: KeyValuePairs<String, String> = [
        "5": "a number: 5", "1.50": "a number: 1.50", "true": "a boolean: true", "false": "a boolean: false",
        "[]": "an array: []", #"["a"]"#: #"an array: ["a"]"#, "{}": "an object: {}",
        #"{"id":"x"}"#: #"an object: {"id":"x"}"#,
    ]

    @Test("The error for a value that is not a string names its field", arguments: notStrings)
    func wrongTypes(value: String, shown: String) {
        for (field, expected) in [
            ("persona", "one of \(Self.personas)"), ("coach_type", "one of \(Self.personas)"),
            ("context_type", "one of \(Self.contexts)"), ("goal_id", "a string"), ("context_id", "a string"),
            ("title", "a string"), ("context", "a string"),
        ] {
            let persona =
                switch field {
                case "persona", "coach_type": ""
                case "context": #""coach_type":"nutritionist","#
                default: #""persona":"nutritionist","#
                }
            let message = "The field '\(field)' must be \(expected); got \(shown)."
            #expect(refusalOf("{\(persona)\"\(field)\":\(value)}") == APIError(.badRequest, .validationFailed, message))
        }
    }

    @Test("A string with few characters but too many bytes is rejected", arguments: ["goal_id", "context_id", "title"])
    func tooManyBytes(field: String) {
        let type = field == "context_id" ? #","context_type":"mood""# : ""
        for (marks, isAllowed) in [(8191, true), (8192, false), (200_000, false)] {
            // The text has two characters, both letters; each mark on the second letter adds two bytes.
            let value = "ae" + String(repeating: "\u{301}", count: marks)
            let refusal = refusalOf(#"{"persona":"nutritionist"\#(type),"\#(field)":"\#(value)"}"#)
            let message = "The field '\(field)' must have at most 16384 bytes of UTF-8; it has \(2 + 2 * marks)."
            #expect(refusal?.message == (isAllowed ? nil : message))
        }
    }

    @Test("Character limits count characters as Swift does", arguments: ["goal_id", "context_id", "title"])
    func lengths(field: String) {
        let type = field == "context_id" ? #","context_type":"mood""# : ""
        for (count, isAllowed) in [(0, false), (1, true), (200, true), (201, false), (1000, false)] {
            for character in ["a", "é", "e\u{301}", "🇩🇪", "👩🏽‍🚀"] {
                let value = String(repeating: character, count: count)
                let refusal = refusalOf(#"{"persona":"nutritionist"\#(type),"\#(field)":"\#(value)"}"#)
                let message = "The field '\(field)' must have 1 to 200 characters; it has \(count)."
                #expect(refusal?.message == (isAllowed ? nil : message))
            }
        }
    }

    @Test("A context sent with coach_type may have up to 1,000 characters")
    func noteLength() {
        func body(_ count: Int) -> String {
            #"{"coach_type":"nutritionist","context":"\#(String(repeating: "n", count: count))"}"#
        }
        #expect(refusalOf(body(1000)) == nil)
        #expect(refusalOf(body(1001))?.message == "The field 'context' must have 0 to 1000 characters; it has 1001.")
    }

    static let refused: KeyValuePairs<ErrorCode, KeyValuePairs<String, String>> = [
        .invalidJSON: [
            "": "This endpoint needs a JSON object as its body, and the body is empty.",
            " ": "The body is not valid JSON: line 1, column 2: expected a value but found the end of the text.",
            "persona=nutritionist":
                "The body is not valid JSON: line 1, column 1: expected a value but found 'persona'; strings need double quotes.",
            #"{"persona":"nutritionist",}"#:
                "The body is not valid JSON: line 1, column 27: expected a member name after ',' but found '}'; remove the trailing comma.",
        ],
        .validationFailed: [
            #""nutritionist""#: #"The body must be a JSON object; it is a string: "nutritionist"."#,
            "[]": "The body must be a JSON object; it is an array: [].",
            "null": "The body must be a JSON object; it is null: null.",
            "{}": "The field 'persona' is required: one of \(personas).",
            #"{"persona":null}"#: "The field 'persona' is required: one of \(personas).",
            #"{"Persona":"nutritionist"}"#: "The field 'persona' is required: one of \(personas).",
            #"{"persona":"nutritonist"}"#:
                #"'persona' must be one of \#(personas); got "nutritonist". Did you mean "nutritionist"?"#,
            #"{"persona":""}"#: #"'persona' must be one of \#(personas); got ""."#,
            #"{"persona":"doctor"}"#: #"'persona' must be one of \#(personas); got "doctor"."#,
            #"{"persona":"doctor","coach_type":"nutritionist"}"#:
                #"'persona' must be one of \#(personas); got "doctor"."#,
            #"{"coach_type":"fitnessCoach"}"#:
                #"'coach_type' must be one of \#(personas); got "fitnessCoach". Did you mean "fitness_coach"?"#,
            #"{"persona":"nutritionist","context_type":"Goal","context_id":"x"}"#:
                #"'context_type' must be one of \#(contexts); got "Goal". Did you mean "goal"?"#,
            #"{"persona":"nutritionist","context_type":"goal"}"#:
                #"'context_type' is "goal", so the goal's id is required, as 'goal_id' or as 'context_id'."#,
            #"{"persona":"nutritionist","context_type":"general","context_id":"x"}"#:
                #"A 'general' consultation has no context, but 'context_id' is "x". Omit 'context_id', or set the "#
                + #"'context_type' that the id belongs to: goal, insight, mood or journal."#,
            #"{"persona":"nutritionist","context_id":"x"}"#:
                #"A 'general' consultation has no context, but 'context_id' is "x". Omit 'context_id', or set the "#
                + #"'context_type' that the id belongs to: goal, insight, mood or journal."#,
            #"{"persona":"nutritionist","goal_id":"a","context_type":"goal","context_id":"b"}"#:
                #"'goal_id' "a" and 'context_type' "goal" with 'context_id' "b" contradict each other; send only one of them."#,
            #"{"persona":"nutritionist","goal_id":"a","context_id":"b"}"#:
                #"'goal_id' "a" and 'context_type' "goal" with 'context_id' "b" contradict each other; send only one of them."#,
            #"{"persona":"nutritionist","goal_id":"a","context_type":"mood"}"#:
                #"'goal_id' "a" and 'context_type' "mood" contradict each other; send only one of them."#,
            #"{"persona":"nutritionist","goal_id":"a","context_type":"general"}"#:
                #"'goal_id' "a" and 'context_type' "general" contradict each other; send only one of them."#,
            #"{"persona":"nutritionist","goal_id":"a","context_type":"journal","context_id":"a"}"#:
                #"'goal_id' "a" and 'context_type' "journal" with 'context_id' "a" contradict each other; send only one of them."#,
        ],
    ]

    static let refusals = refused.flatMap { code, rows in rows.map { ($0.key, APIError(.badRequest, code, $0.value)) } }

    @Test("An error message quotes the input and lists the allowed values", arguments: refusals)
    func refusedForms(body: String, error: APIError) { #expect(refusalOf(body) == error) }

    @Test(
        "A goal context requires an id, and every other context except general allows one",
        arguments: ContextType.allCases)
    func ids(context: ContextType) {
        let type = #""persona":"nutritionist","context_type":"\#(context.rawValue)""#
        #expect((refusalOf("{\(type)}") == nil) == (context != .goal))
        #expect((refusalOf("{\(type),\"context_id\":\"x\"}") == nil) == (context != .general))
        #expect((refusalOf("{\(type),\"goal_id\":\"x\"}") == nil) == (context == .goal))
    }

    @Test("A truncated request is rejected")
    func cut() {
        let body = #"{"persona":"nutritionist","context_type":"mood","context_id":"é😀","title":"T"}"#.bytes
        for length in body.indices {
            let refusal = refusal(try CreateConsultationRequest(body: Array(body[..<length]), in: .union))
            #expect(refusal?.status == .badRequest && refusal?.code == .invalidJSON)
        }
    }

    @Test("Bytes that are not UTF-8 are rejected")
    func notUTF8() {
        for byte in [UInt8(0x80), 0xC0, 0xFF] {
            let body = #"{"persona":"nutritionist","title":""#.bytes + [byte] + #""}"#.bytes
            let refusal = refusal(try CreateConsultationRequest(body: body, in: .union))
            #expect(refusal?.code == .invalidJSON && refusal?.message.contains("not valid UTF-8") == true)
        }
    }

    @Test("An error message shortens a long value")
    func longValues() throws {
        let message = try #require(refusalOf(#"{"persona":"\#(String(repeating: "x", count: 100_000))"}"#)?.message)
        #expect(message.count < 300 && message.contains("…"))
    }

    @Test("A deeply nested body is rejected")
    func nesting() {
        let body = #"{"x":"# + String(repeating: "[", count: 100_000)
        #expect(refusalOf(body)?.code == .invalidJSON)
    }
}
