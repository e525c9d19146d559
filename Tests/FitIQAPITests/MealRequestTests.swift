import JSON
import Testing

@testable import FitIQAPI

@Suite("The apps' meal requests") struct MealRequestTests {
    private static func batch(_ meals: String...) -> String { #"{"meal_logs":[\#(meals.joined(separator: ","))]}"# }
    private static let tea = #"{"raw_input":"tea","meal_type":"drink"}"#

    @Test("A batch of up to fifty meals keeps its order and accepts the apps' meal types")
    func batches() throws {
        let body = Self.batch(
            Self.tea, #"{"raw_input":"2 eggs","meal_type":"lunch","logged_at":"2025-01-29T12:00:00Z"}"#)
        let request = try CreateMealLogsRequest(body: body.bytes)
        #expect(request.mealLogs.map(\.rawInput) == ["tea", "2 eggs"])
        #expect(request.mealLogs.map(\.mealType) == [.drink, .lunch])
        let fifty = #"{"meal_logs":[\#(Array(repeating: Self.tea, count: 50).joined(separator: ","))]}"#
        #expect(try CreateMealLogsRequest(body: fifty.bytes).mealLogs.count == 50)
    }

    static let badBatches: [(String, String)] = [
        ("{}", "required: a list of 1 to 50 objects, or one meal as 'meal_type' and 'items'."),
        (batch(), "The field 'meal_logs' must be a list of 1 to 50 objects; got an array: []."),
        (batch(tea, "1"), "The field 'meal_logs[1]' must be an object; got a number: 1."),
        (batch(tea, tea, #"{"meal_type":"drink"}"#), "In meal_logs[2]: The field 'raw_input' is required"),
        (batch(tea, #"{"raw_input":" ","meal_type":"drink"}"#), "In meal_logs[1]: The field 'raw_input' is blank"),
        (batch(#"{"raw_input":"x","meal_type":"tea"}"#), "In meal_logs[0]: 'meal_type' must be one of"),
        (#"{"meal_logs":[\#(Array(repeating: tea, count: 51).joined(separator: ","))]}"#, "a list of 1 to 50 objects"),
        (#"{"meal_type":"lunch"}"#, "The field 'items' is required: a list of 1 to 50 objects."),
        (#"{"items":[\#(food())]}"#, "The field 'meal_type' is required"),
        (#"{"items":[\#(food())],"meal_type":"tea"}"#, "'meal_type' must be one of"),
        (#"{"items":[],"meal_type":"lunch"}"#, "'items' must be a list of 1 to 50 objects; got an array: []."),
        (#"{"items":[\#(food())],"meal_type":"lunch","notes":1}"#, "'notes' must be a string"),
        (#"{"items":[\#(food())],"meal_type":"lunch","logged_at":1}"#, "'logged_at' must be"),
    ]

    /// A food as sent, with some members replaced or missing.
    static func food(named name: String = "food_name", _ others: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            name: #""Tea""#, "quantity": "1.5", "unit": #""cups""#, "calories": "2.5", "protein_g": "0.06",
            "carbs_g": "1", "fat_g": "0", "fiber_g": "null",
        ]
        members.merge(others) { $1 }
        return "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    @Test("A manual meal's text consists of its foods' names")
    func manual() throws {
        let foods = Self.food() + "," + Self.food(["food_name": #""Pie""#])
        let body = #"{"meal_type":"lunch","notes":"n","items":[\#(foods)]}"#
        let request = try CreateMealLogsRequest(body: body.bytes)
        let meal = try #require(request.mealLogs.first)
        #expect(request.isManual && meal.rawInput == "Tea, Pie" && meal.mealType == .lunch && meal.notes == "n")
        #expect(meal.items.map(\.nutrients) == [Self.contents, Self.contents])
        #expect(try !CreateMealLogsRequest(body: Self.batch(Self.tea).bytes).isManual)
    }

    private static let contents = MealNutrients(calories: 3, proteinTenths: 1, carbsTenths: 10)

    static let badFoods: [(String, String?, String)] = [
        ("food_name", nil, "'food_name' is required"), ("food_name", "1", "'food_name' must be a string"),
        ("food_name", "\"\"", "'food_name' must have 1 to 200 characters"),
        ("quantity", nil, "'quantity' is required"), ("quantity", "-1", "'quantity' must be a number from 0"),
        ("unit", nil, "'unit' is required"), ("unit", "true", "'unit' must be a string"),
        ("calories", nil, "'calories' is required"), ("calories", #""9""#, "'calories' must be a number"),
        ("protein_g", nil, "'protein_g' is required"), ("protein_g", "null", "'protein_g' is required"),
        ("carbs_g", nil, "'carbs_g' is required"), ("carbs_g", "[]", "'carbs_g' must be a number"),
        ("fat_g", nil, "'fat_g' is required"), ("fat_g", "1e9", "'fat_g' must be a number from 0 to 1000000"),
        ("fiber_g", "-0.1", "'fiber_g' must be a number from 0"), ("sugar_g", "{}", "'sugar_g' must be a number"),
    ]

    @Test("Every request with foods validates each member of a food", arguments: badFoods)
    func refusesFood(member: String, value: String?, message: String) {
        let food = Self.food([member: value])
        let batch = refusal(try CreateMealLogsRequest(body: #"{"meal_type":"lunch","items":[\#(food)]}"#.bytes))
        let change = refusal(try UpdateMealLogRequest(body: #"{"items":[\#(Self.food()),\#(food)]}"#.bytes))
        let confirmed = Self.food(named: "name", [member == "food_name" ? "name" : member: value])
        let confirmation = refusal(try ConfirmMealPhotoRequest(body: #"{"confirmed_items":[\#(confirmed)]}"#.bytes))
        for (refusal, place, message) in [
            (batch, "items[0]", message), (change, "items[1]", message),
            (confirmation, "confirmed_items[0]", message.replacing("food_name", with: "name")),
        ] {
            #expect(refusal?.status == .badRequest)
            let text = refusal?.message ?? ""
            #expect(text.hasPrefix("In \(place): The field \(message)"), "\(text)")
        }
    }

    @Test("The error for a batch names the invalid meal's index", arguments: badBatches)
    func refusesBatch(body: String, message: String) {
        let refusal = refusal(try CreateMealLogsRequest(body: body.bytes))
        #expect(refusal?.message.contains(message) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.status == .badRequest)
    }

    @Test("The guides have four meal types, but the apps have eight")
    func types() throws {
        let body = Self.tea.bytes
        #expect(try CreateMealLogRequest(body: body, isForApps: true).mealType == .drink)
        let refusal = refusal(try CreateMealLogRequest(body: body))
        #expect(
            refusal?.message == #"'meal_type' must be one of "breakfast", "lunch", "dinner", "snack"; got "drink"."#)
        #expect(try MealLogListQuery(query: [("meal_type", "water")], isForApps: true).mealType == .water)
        #expect(throws: APIError.self) { try MealLogListQuery(query: [("meal_type", "water")]) }
    }

    @Test("A meal change sets only the members that are present and not null")
    func changes() throws {
        var log = MealLogExamples.completed
        let old = log
        try UpdateMealLogRequest(body: #"{"id":"1","user_id":"x","created_at":"y","raw_input":null}"#.bytes)
            .apply(to: &log)
        #expect(log == old)
        let body = #"{"raw_input":"tea","meal_type":"water","logged_at":"2025-01-28T12:00:00Z","notes":"n"}"#
        try UpdateMealLogRequest(body: body.bytes).apply(to: &log)
        #expect(log.rawInput == "tea" && log.mealType == .water && log.notes == "n" && log.loggedAt < old.loggedAt)
        try UpdateMealLogRequest(body: #"{"notes":""}"#.bytes).apply(to: &log)
        #expect(log.notes == nil)
        #expect(try UpdateMealLogRequest(body: #"{"items":[\#(Self.food())]}"#.bytes).items?.count == 1)
        #expect(try UpdateMealLogRequest(body: #"{"items":null}"#.bytes).items == nil)
        for bad in [
            #"{"raw_input":" "}"#, #"{"meal_type":"tea"}"#, #"{"logged_at":1}"#, #"{"notes":1}"#, "[]",
            #"{"items":[]}"#, #"{"items":{}}"#,
        ] { #expect(throws: APIError.self) { try UpdateMealLogRequest(body: bad.bytes) } }
    }

    @Test("Confirmed foods are rounded to the precision of a meal log")
    func confirmation() throws {
        let body = #"{"confirmed_items":[\#(Self.food(named: "name"))]}"#
        let item = try #require(try ConfirmMealPhotoRequest(body: body.bytes).items.first)
        #expect(item.name == "Tea" && item.quantity == 1.5 && item.unit == "cups" && item.nutrients == Self.contents)
        for empty in ["", "{}", #"{"confirmed_items":[]}"#, #"{"confirmed_items":null,"notes":null}"#] {
            let request = try ConfirmMealPhotoRequest(body: empty.bytes)
            #expect(request.items.isEmpty && request.notes == nil)
        }
        func notes(_ count: Int) -> [UInt8] { #"{"notes":"\#(String(repeating: "n", count: count))"}"#.bytes }
        #expect(try ConfirmMealPhotoRequest(body: notes(500)).notes?.count == 500)
        #expect(throws: APIError.wrongLength("notes", allowed: 0...500, got: 501)) {
            try ConfirmMealPhotoRequest(body: notes(501))
        }
        for bad in [#"{"confirmed_items":{}}"#, #"{"confirmed_items":[1]}"#, "[]"] {
            #expect(throws: APIError.self) { try ConfirmMealPhotoRequest(body: bad.bytes) }
        }
    }

    // MARK: Photos

    private static let image =
        "Content-Disposition: form-data; name=\"photo\"; filename=\"a;b.jpg\"\r\n"
        + "Content-Type: image/jpeg\r\n\r\n\r\n\rJPG\r\n-"

    private static func form(_ parts: String...) -> String { parts.map { "--x\r\n\($0)\r\n" }.joined() + "--x--\r\n" }

    private func read(_ body: String, _ type: String? = "multipart/form-data; boundary=x") throws(APIError)
        -> MealPhotoRequest
    {
        try MealPhotoRequest(body: body.bytes, contentType: type)
    }

    @Test("A multipart form with an image is accepted with its fields")
    func form() throws {
        #expect(try read(Self.form(Self.image)) == MealPhotoRequest())
        let fields = Self.form(
            "content-disposition: form-data; name=meal_type\r\n\r\nlunch", Self.image,
            "Content-Disposition: form-data; name=\"logged_at\"\r\n\r\n2025-01-29T12:00:00Z",
            "Content-Disposition: form-data; name=notes\r\n\r\n" + String(repeating: "n", count: 500))
        var expected = MealPhotoRequest(mealType: .lunch, loggedAt: DateTime("2025-01-29T12:00:00Z"))
        expected.notes = String(repeating: "n", count: 500)
        for type in ["multipart/form-data; boundary=x", "Multipart/Form-Data;charset=utf-8; Boundary=\"x\""] {
            #expect(try read(fields, type) == expected)
        }
        #expect(try read("preamble\r\n" + fields) == expected)
        #expect(try read(Self.form("Content-Disposition: form-data; name=f; filename=f\r\n\r\nJPG")).mealType == .other)
        let parts = try FormPart.parts(of: fields.bytes, contentType: "multipart/form-data; boundary=x")
        #expect(parts.map(\.name) == ["meal_type", "photo", "logged_at", "notes"])
        #expect(parts.map(\.content.count) == [5, 9, 20, 500])
        // The same photo as JSON.
        let json =
            #"{"image_data":"/9j/","meal_type":"lunch","logged_at":"2025-01-29T12:00:00Z","#
            + #""notes":"\#(expected.notes ?? "")"}"#
        #expect(try read(json, "application/json; charset=utf-8") == expected)
    }

    static let badJSON: [(String, String)] = [
        ("", "the body is empty"), ("{", "not valid JSON"), ("[]", "must be a JSON object"),
        (#"{"meal_type":"lunch"}"#, "'image_data' is required"),
        (#"{"image_data":1,"meal_type":"lunch"}"#, "'image_data' must be the picture in base64"),
        (#"{"image_data":"","meal_type":"lunch"}"#, "has no image in a usable format: 'image_data' is not"),
        (#"{"image_data":"/9j","meal_type":"lunch"}"#, "has no image in a usable format: 'image_data' is not"),
        (#"{"image_data":"/9j/"}"#, "'meal_type' is required"),
        (#"{"image_data":"/9j/","meal_type":"tea"}"#, "'meal_type' must be one of"),
        (#"{"image_data":"/9j/","meal_type":"lunch","logged_at":"noon"}"#, "'logged_at' must be"),
        (#"{"image_data":"/9j/","meal_type":"lunch","notes":7}"#, "'notes' must be a string"),
    ]

    @Test("JSON without a valid base64 image is rejected", arguments: badJSON)
    func refusesJSON(body: String, message: String) {
        let refusal = refusal(try read(body, "application/json"))
        #expect(refusal?.status == .badRequest)
        #expect(refusal?.message.contains(message) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.message.contains("format") == message.contains("format"), "\(refusal?.message ?? "")")
    }

    static let badForms: [(String, String?, Int, String)] = [
        (form(image), nil, 415, "came without a Content-Type"),
        (form(image), "image/jpeg", 415, "send it as 'Content-Type: multipart/form-data'"),
        (form(image), "application/json", 400, "not valid JSON"),
        (form(image), "application/json; charset=latin1", 415, "arrived as"),
        (form(image), "multipart/form-data", 400, "no boundary"),
        (form(image), "multipart/form-data; boundary=", 400, "no boundary"),
        (form(image), "multipart/form-data; boundary=\(String(repeating: "x", count: 71))", 400, "no boundary"),
        (form(image), "multipart/form-data; boundary=y", 400, "does not contain the boundary"),
        ("", "multipart/form-data; boundary=x", 400, "does not contain the boundary"),
        ("--x", "multipart/form-data; boundary=x", 400, "has no header"),
        ("--x\r\n\(image)", "multipart/form-data; boundary=x", 400, "not followed by a boundary"),
        ("--x\r\n\(image)\r\n--x", "multipart/form-data; boundary=x", 400, "part 2"),
        ("--x--", "multipart/form-data; boundary=x", 400, "has no image in a usable format: no part"),
        (form("Content-Type: text/plain\r\n\r\na"), "multipart/form-data; boundary=x", 400, "format: no part is"),
        (form("Content-Type: image/png\r\n\r\n"), "multipart/form-data; boundary=x", 400, "format: it has no bytes"),
        (
            form(image, "Content-Disposition: form-data; name=notes\r\n\r\n" + String(repeating: "n", count: 501)),
            "multipart/form-data; boundary=x", 400, "'notes' must have 0 to 500 characters; it has 501"
        ),
        (
            form(image, "Content-Disposition: form-data; name=meal_type\r\n\r\ntea"),
            "multipart/form-data; boundary=x", 400, "'meal_type' must be one of"
        ),
    ]

    @Test("An invalid form is rejected", arguments: badForms)
    func refusesForm(body: String, type: String?, status: Int, message: String) {
        let refusal = refusal(try read(body, type))
        #expect(refusal?.status.code == status)
        #expect(refusal?.message.contains(message) == true, "\(refusal?.message ?? "")")
    }

    @Test("A form has at most 20 parts with heads of at most 4 KiB")
    func limits() throws {
        let part = "--x\r\nContent-Type: image/png\r\n\r\nPNG\r\n"
        #expect(throws: Never.self) { try read(String(repeating: part, count: 20) + "--x--") }
        #expect(throws: APIError.self) { try read(String(repeating: part, count: 21) + "--x--") }
        func head(_ count: Int) -> String {
            let field = "\r\nContent-Type: image/png\r\nX: "
            return "--x" + field + String(repeating: "y", count: count - field.utf8.count) + "\r\n\r\nPNG\r\n--x--"
        }
        #expect(throws: Never.self) { try read(head(4096)) }
        #expect(throws: APIError.self) { try read(head(4097)) }
    }

    @Test("Reading a truncated form never crashes")
    func cut() {
        let body = Self.form(Self.image, Self.image)
        for count in 0...body.utf8.count {
            _ = try? MealPhotoRequest(
                body: Array(body.utf8.prefix(count)), contentType: "multipart/form-data; boundary=x")
        }
    }

    @Test("A meal log in the apps' form has notes, an error code and suggestions")
    func members() throws {
        func object(_ log: MealLog, isForApps: Bool) throws -> JSONValue {
            try JSON.parse(log.object(in: .union, isForApps: isForApps))
        }
        var log = MealLogExamples.log(
            .failed(MealLogFailure(message: "No", code: .rateLimit, suggestions: ["Wait."]), at: .example))
        log.notes = "n"
        let failed = try object(log, isForApps: true)
        #expect(failed["error_code"] == "RATE_LIMIT" && failed["suggestions"] == ["Wait."] && failed["notes"] == "n")
        let plain = try object(log, isForApps: false)
        #expect(plain["error_code"] == nil && plain["suggestions"] == nil && plain["notes"] == nil)
        let item = try object(MealLogExamples.completed, isForApps: true)["items"]?.array?.first
        #expect(item?["food_type"] == "food")
        #expect(try object(MealLogExamples.completed, isForApps: false)["items"]?.array?.first?["food_type"] == nil)
    }
}
