import Testing

@testable import FitIQAPI

@Suite("The apps' consultation requests") struct ChatRequestTests {
    private func create(_ body: String, isForApps: Bool = true) throws(APIError) -> CreateConsultationRequest {
        try CreateConsultationRequest(body: body.bytes, in: .union, isForApps: isForApps)
    }

    @Test("A first question is trimmed and accepted only from the apps")
    func firstQuestion() throws {
        let body = #"{"persona":"nutritionist","initial_message":" \n Hi\t","quick_action":"x"}"#
        let request = try create(body)
        #expect(request.question == "Hi" && request.quickAction == "x")
        let guided = try create(body, isForApps: false)
        #expect(guided.question == nil && guided.quickAction == nil)
        #expect(try create(#"{"persona":"nutritionist","initial_message":null}"#).question == nil)
    }

    static let refusals: KeyValuePairs<String, String> = [
        #"{"content":7}"#: "The field 'content' must be a string; got a number: 7.",
        #"{}"#: "The field 'content' is required: a question for the coach, 1 to 5000 characters long.",
        #"{"content":""}"#: "The field 'content' must have 1 to 5000 characters; it has 0.",
        #"{"content":" \u2003\n"}"#: "The field 'content' is blank.",
        #"{"content":"\#(String(repeating: "a", count: 5001))"}"#:
            "The field 'content' must have 1 to 5000 characters; it has 5001.",
        #"{"content":"\#(String(repeating: "a", count: 131_073))"}"#:
            "The field 'content' must have at most 131072 bytes of UTF-8; it has 131073.",
        "": APIError.emptyBody.message,
    ]

    @Test("A message without valid content is rejected", arguments: refusals)
    func refuses(body: String, message: String) {
        #expect { try SendMessageRequest(body: body.bytes) } throws: { ($0 as? APIError)?.message == message }
    }

    @Test("A message may have up to 5,000 characters and any number of bytes")
    func longest() throws {
        let text = String(repeating: "😀", count: 5000)
        #expect(try SendMessageRequest(body: #"{"content":"\#(text)"}"#.bytes).content == text)
    }

    @Test("A consultation change may have a title, a persona and an archive flag")
    func changes() throws {
        let all = try UpdateConsultationRequest(
            body: #"{"title":"T","persona":"fitness_coach","is_archived":false,"id":"x","user_id":"y"}"#.bytes)
        #expect(all.title == "T" && all.persona == .fitnessCoach && all.isArchived == false)
        let none = try UpdateConsultationRequest(body: #"{"title":null,"is_archived":null}"#.bytes)
        #expect(none.title == nil && none.persona == nil && none.isArchived == nil)
        for bad in [#"{"title":""}"#, #"{"persona":"doctor"}"#, #"{"is_archived":"true"}"#, "[]", ""] {
            #expect(throws: APIError.self, "\(bad)") { try UpdateConsultationRequest(body: bad.bytes) }
        }
    }

    @Test("The number of suggestions defaults to three and is at most ten")
    func suggestions() throws {
        func limit(_ body: String) throws -> Int { try SuggestGoalsRequest(body: body.bytes).limit }
        #expect(try limit("") == 3 && limit("{}") == 3 && limit(#"{"max_suggestions":null}"#) == 3)
        #expect(try limit(#"{"max_suggestions":1}"#) == 1 && limit(#"{"max_suggestions":1e1}"#) == 10)
        for bad in ["0", "11", "2.5", "\"3\"", "-1", "1e99"] {
            #expect { try limit(#"{"max_suggestions":\#(bad)}"#) } throws: {
                ($0 as? APIError)?.message.hasPrefix("The field 'max_suggestions' must be a whole number from 1 to 10;")
                    ?? false
            }
        }
    }
}
