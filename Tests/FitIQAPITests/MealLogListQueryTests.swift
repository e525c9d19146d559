import Testing

@testable import FitIQAPI

@Suite("The query for meal logs") struct MealLogListQueryTests {
    typealias Query = [(name: String, value: String)]

    /// 2025-01-29T00:00:00Z.
    static let midnight: Int64 = 1_738_108_800

    @Test("A meal log query defaults to the first fifty logs")
    func defaults() throws {
        let query = try MealLogListQuery(query: [("page_size", "x"), ("x", "")])
        #expect(query.page == Page(number: 1, size: 50))
        #expect(query.status == nil && query.mealType == nil && query.start == nil && query.end == nil)
        #expect(query.matches(MealLogExamples.processing.kind) && query.matches(MealLogExamples.failed.kind))
    }

    @Test(
        "A meal log query accepts pages, statuses and meal types", arguments: MealLogStatus.allCases,
        MealType.known(isForApps: false))
    func values(status: MealLogStatus, type: MealType) throws {
        let query = try MealLogListQuery(query: [
            ("limit", "100"), ("page", "3"), ("status", status.rawValue), ("meal_type", type.rawValue),
        ])
        #expect(query.page == Page(number: 3, size: 100) && query.status == status && query.mealType == type)
        for log in [MealLogExamples.processing, MealLogExamples.completed, MealLogExamples.failed] {
            #expect(query.matches(log.kind) == (log.status == status && type == .lunch))
        }
    }

    @Test("The apps' status 'pending' selects logs that are being processed")
    func pending() throws {
        #expect(try MealLogListQuery(query: [("status", "pending")], isForApps: true).status == .processing)
        for status in MealLogStatus.allCases {
            #expect(try MealLogListQuery(query: [("status", status.rawValue)], isForApps: true).status == status)
        }
        let refusals = try [true, false].map { isForApps in
            refusal(try MealLogListQuery(query: [("status", "open")], isForApps: isForApps))?.message
        }
        let known = #"'status' must be one of "processing", "completed", "failed", "manual""#
        #expect(refusals == [known + #", "pending"; got "open"."#, known + #"; got "open"."#])
    }

    static let edges: [(String, start: Int64, end: Int64)] = [
        ("2025-01-29", midnight, midnight + 86_399), ("2025-01-29T00:00:00Z", midnight, midnight),
        ("2025-01-29T01:30:00.9+01:30", midnight, midnight), ("2025-01-28T23:59:60Z", midnight, midnight),
        ("0000-01-01", -62_167_219_200, -62_167_219_200 + 86_399), ("9999-12-31", 253_402_214_400, 253_402_300_799),
    ]

    @Test("A meal log query accepts dates and date-times", arguments: edges)
    func dates(text: String, start: Int64, end: Int64) throws {
        let query = try MealLogListQuery(query: [("start_date", text), ("end_date", text)])
        #expect(query.start == DateTime(secondsSinceEpoch: start) && query.end == DateTime(secondsSinceEpoch: end))
    }

    /// The example was logged at 10:15:00.
    static let ranges: [(Query, Bool)] = [
        ([("start_date", "2025-01-29T10:15:00Z")], true), ([("start_date", "2025-01-29T10:15:01Z")], false),
        ([("start_date", "2025-01-29T10:15:00.999Z")], true),
        ([("end_date", "2025-01-29T10:15:00Z")], true), ([("end_date", "2025-01-29T10:14:59Z")], false),
        ([("start_date", "2025-01-29")], true), ([("start_date", "2025-01-30")], false),
        ([("end_date", "2025-01-29")], true), ([("end_date", "2025-01-28")], false),
        ([("start_date", "2025-01-29"), ("end_date", "2025-01-29")], true),
        ([("start_date", "2025-01-30"), ("end_date", "2025-01-28")], false),
        ([("start_date", "2025-01-29T11:15:00+01:00"), ("end_date", "2025-01-29T10:15:00-00:00")], true),
    ]

    @Test("A time range includes the whole seconds at both ends", arguments: ranges)
    func span(query: Query, isMatch: Bool) throws {
        let (query, time) = (try MealLogListQuery(query: query), MealLogExamples.completed.loggedAt)
        #expect(((query.start ?? time) <= time && time <= (query.end ?? time)) == isMatch)
    }

    static let refused: KeyValuePairs<Query, String> = [
        [("page", "0")]: "The parameter 'page' must be a whole number of at least 1; got \"0\".",
        [("limit", "101")]: "The parameter 'limit' must be a whole number from 1 to 100; got \"101\".",
        [("limit", "0")]: "The parameter 'limit' must be a whole number from 1 to 100; got \"0\".",
        [("status", "done")]: #"'status' must be one of "processing", "completed", "failed", "manual"; got "done"."#,
        [("meal_type", "Lunch")]:
            #"'meal_type' must be one of "breakfast", "lunch", "dinner", "snack"; got "Lunch". Did you mean "lunch"?"#,
        [("start_date", "29.1.2025")]:
            #"The parameter 'start_date' must be a date, such as "2025-01-29", or a date-time, such as "2025-01-29T10:30:00Z"; got "29.1.2025"."#,
        [("end_date", "2025-01-29T10:30:00 01:00")]:
            #"The parameter 'end_date' must be a date, such as "2025-01-29", or a date-time, such as "2025-01-29T10:30:00Z"; got "2025-01-29T10:30:00 01:00". A '+' in a query means a space: write it as %2B."#,
        [("end_date", "")]:
            #"The parameter 'end_date' must be a date, such as "2025-01-29", or a date-time, such as "2025-01-29T10:30:00Z"; got ""."#,
    ]

    @Test("An error message names the parameter, quotes the input and lists the allowed values", arguments: refused)
    func refuses(query: Query, message: String) {
        let refusal = refusal(try MealLogListQuery(query: query))
        #expect(refusal?.message == message && refusal?.status == .badRequest && refusal?.code == .validationFailed)
    }
}
