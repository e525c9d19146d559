/// The query of `GET /api/v1/meal-logs` (CONTRACT: meal logs).
public struct MealLogListQuery: Equatable, Sendable {
    /// `page` from 1, `limit` 1 to 100, 50 where absent.
    public var page: Page
    /// `status`; absent means all.
    public var status: MealLogStatus?
    /// `meal_type`; absent means all.
    public var mealType: MealType?
    /// The first second that belongs to the list, from `start_date`; a bare date begins at midnight in UTC.
    public var start: DateTime?
    /// The last second that belongs to the list, from `end_date`; a bare date reaches to the end of its day in UTC.
    public var end: DateTime?

    /// Reads a query; a start after the end is no error, but an empty list.
    ///
    /// - Throws: 400 for values out of range or unknown.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        page = Page(
            number: try parameters.number("page", in: 1...Int.max) ?? 1,
            size: try parameters.number("limit", in: 1...100) ?? 50)
        status = try parameters.choice("status", of: MealLogStatus.self)
        mealType = try parameters.choice("meal_type", of: MealType.self)
        start = try parameters.dateTime("start_date", ofDate: .firstSecond)
        end = try parameters.dateTime("end_date", ofDate: .lastSecond)
    }

    /// Whether a log belongs to the list.
    public func matches(_ log: MealLog) -> Bool {
        (status ?? log.status) == log.status && (mealType ?? log.mealType) == log.mealType
            && (start ?? log.loggedAt) <= log.loggedAt && log.loggedAt <= (end ?? log.loggedAt)
    }
}
