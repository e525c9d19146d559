import Testing

@testable import FitIQAPI

@Suite("The request to log a meal") struct CreateMealLogRequestTests {
    private static func logged(_ text: String, _ type: MealType = .lunch, at time: DateTime? = nil)
        -> CreateMealLogRequest
    {
        CreateMealLogRequest(rawInput: text, mealType: type, loggedAt: time)
    }

    private static let noon = DateTime(secondsSinceEpoch: 1_738_152_000)
    private static let long = String(repeating: "é", count: 1000)

    static let accepted: KeyValuePairs<String, CreateMealLogRequest> = [
        #"{"raw_input":"2 eggs","meal_type":"breakfast"}"#: logged("2 eggs", .breakfast),
        #"{"meal_type":"dinner","raw_input":"2 eggs","note":[1]}"#: logged("2 eggs", .dinner),
        #"{"raw_input":"x","meal_type":"snack","logged_at":null}"#: logged("x", .snack),
        // The text is stored as sent.
        #"{"raw_input":"  2 eggs\n","meal_type":"lunch"}"#: logged("  2 eggs\n"),
        #"{"raw_input":"\#(long)","meal_type":"lunch"}"#: logged(long),
        #"{"raw_input":"x","meal_type":"lunch","logged_at":"2025-01-29T12:00:00Z"}"#: logged("x", at: noon),
        #"{"raw_input":"x","meal_type":"lunch","logged_at":"2025-01-29T13:00:00.999+01:00"}"#: logged("x", at: noon),
        #"{"raw_input":"x","meal_type":"lunch","logged_at":"2025-01-29t06:30:00-05:30"}"#: logged("x", at: noon),
    ]

    @Test("A request from the guide's client is accepted", arguments: accepted)
    func accepts(body: String, request: CreateMealLogRequest) throws {
        #expect(try CreateMealLogRequest(body: body.bytes) == request)
    }

    private static func withInput(_ json: String) -> String { #"{"raw_input":\#(json),"meal_type":"lunch"}"# }
    private static func withTime(_ json: String) -> String {
        #"{"raw_input":"x","meal_type":"lunch","logged_at":\#(json)}"#
    }
    private static let example = #"an ISO 8601 date-time such as "2025-03-01T00:00:00Z""#

    static let refused: KeyValuePairs<String, String> = [
        "{}": #"The field 'raw_input' is required: the meal in words, such as "2 eggs and toast"."#,
        #"{"meal_type":"lunch","raw_input":null}"#:
            #"The field 'raw_input' is required: the meal in words, such as "2 eggs and toast"."#,
        withInput("7"): "The field 'raw_input' must be a string; got a number: 7.",
        withInput(#""""#): "The field 'raw_input' must have 1 to 1000 characters; it has 0.",
        withInput(#""\#(long)x""#): "The field 'raw_input' must have 1 to 1000 characters; it has 1001.",
        withInput(#"" \t\n\u2003\u00a0""#):
            #"The field 'raw_input' is blank; describe the meal, such as "2 eggs and toast"."#,
        withInput(#""e\#(String(repeating: "\u{301}", count: 8192))""#):
            "The field 'raw_input' must have at most 16384 bytes of UTF-8; it has 16385.",
        #"{"raw_input":"x"}"#: #"The field 'meal_type' is required: one of "breakfast", "lunch", "dinner", "snack"."#,
        #"{"raw_input":"x","meal_type":"lunsh"}"#:
            #"'meal_type' must be one of "breakfast", "lunch", "dinner", "snack"; got "lunsh". Did you mean "lunch"?"#,
        #"{"raw_input":"x","meal_type":1}"#:
            #"The field 'meal_type' must be one of "breakfast", "lunch", "dinner", "snack"; got a number: 1."#,
        withTime("1738152000"):
            "The field 'logged_at' must be \(example); got a number: 1738152000. In Swift, set the JSONEncoder's "
            + "dateEncodingStrategy to .iso8601.",
        withTime(#""2025-01-29""#): #"The field 'logged_at' must be \#(example); got a string: "2025-01-29"."#,
        withTime(#""2025-02-29T12:00:00Z""#):
            #"The field 'logged_at' must be \#(example); got a string: "2025-02-29T12:00:00Z". Month 2 of 2025 has 28 days, so there is no day 29."#,
        withTime(#""2025-01-29T12:00:00""#):
            #"The field 'logged_at' must be \#(example); got a string: "2025-01-29T12:00:00". The time has no offset from UTC: end it with Z, or with an offset such as +02:00."#,
        withTime(#""""#): #"The field 'logged_at' must be \#(example); got a string: ""."#,
        "[]": "The body must be a JSON object; it is an array: [].",
    ]

    @Test("An error message names the field, quotes the input and lists the allowed values", arguments: refused)
    func refuses(body: String, message: String) {
        let refusal = refusal(try CreateMealLogRequest(body: body.bytes))
        #expect(refusal?.message == message && refusal?.status == .badRequest && refusal?.code == .validationFailed)
    }

    @Test("A 16 KiB string is accepted even if it is a single character")
    func bytes() throws {
        // The text has 16,384 bytes: two for "é", and two for each of the 8,191 combining marks.
        let text = "é" + String(repeating: "\u{301}", count: 8191)
        #expect(text.utf8.count == 16_384)
        #expect(try CreateMealLogRequest(body: Self.withInput("\"\(text)\"").bytes).rawInput == text)
    }

    static let failures: KeyValuePairs<MealLogFailure, String> = [
        .noFood: "Could not identify any food items in the input",
        .tooManyFoods(limit: 50):
            "The input names more than 50 food items, which is the limit for a meal log; split it into several meal logs",
        .storeFull(limit: 7):
            "This server has reached its memory limit of 7 bytes, so the items were not stored; restart the server "
            + "to start over",
    ]

    @Test("A failed meal has the guide's message and a reason", arguments: failures)
    func failure(failure: MealLogFailure, details: String) {
        #expect(failure.message == "Failed to parse meal input" && failure.details == details)
    }
}
