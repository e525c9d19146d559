import Text

/// Reads a query's parameters; if a parameter is repeated, the first value wins, and unknown parameters are ignored.
///
/// Unknown and out-of-range values throw a 400; an absent parameter is nil.
package struct QueryReader {
    private let items: [(name: String, value: String)]

    package init(_ items: [(name: String, value: String)]) { self.items = items }
    package subscript(_ parameter: String) -> String? { items.first { $0.name == parameter }?.value }

    package func number(_ parameter: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = self[parameter] else { return nil }
        // Int's initializer accepts "+5", which no guide's client sends.
        guard value.utf8.allSatisfy(\.isDigit), let number = Int(value), range.contains(number)
        else { throw .outOfRange(parameter, allowed: range, got: value) }
        return number
    }

    /// The requested page; nil if the query has none of its parameters.
    ///
    /// - Parameters:
    ///   - size: The guides' name for the page size, 1 to 100.
    ///   - isForApps: Whether to read the apps' `limit` and `offset` too; an offset replaces the page number.
    func page(size: String, default usual: Int, isForApps: Bool) throws(APIError) -> Page? {
        let number = try self.number("page", in: 1...Int.max)
        var length = try self.number(size, in: 1...100)
        if isForApps, length == nil { length = try self.number("limit", in: 1...100) }
        if isForApps, let offset = try self.number("offset", in: 0...Int.max) {
            return Page(offset: offset, size: length ?? usual)
        }
        return number ?? length == nil ? nil : Page(number: number ?? 1, size: length ?? usual)
    }

    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, among known: [Choice] = Array(Choice.allCases)
    ) throws(APIError) -> Choice? {
        try self[parameter].map { value throws(APIError) in try .named(value, among: known, in: parameter) }
    }

    package func flag(_ parameter: String) throws(APIError) -> Bool? {
        switch self[parameter] {
        case nil: nil
        case "true": true
        case "false": false
        case let value?: throw .unknownChoice(parameter, got: value, allowed: ["true", "false"])
        }
    }

    /// A date-time, or a date that means the given second of its UTC day, counted from 0.
    func dateTime(_ parameter: String, secondOfDate second: Int64) throws(APIError) -> DateTime? {
        guard let value = self[parameter] else { return nil }
        if let time = DateTime(value) { return time }
        guard let midnight = DateTime(date: value) else { throw .badDate(parameter, got: value) }
        return DateTime(secondsSinceEpoch: midnight.secondsSinceEpoch + second)
    }
}

/// A query with a fixed list of parameters.
protocol ListQuery { static var parameters: [String] { get } }

/// The apps' filter by creation time, from `from` to `to`; a bare date means its whole day in UTC.
public struct CreationSpan: Equatable, Sendable {
    /// The first included second; nil means no bound.
    public var first: DateTime?
    /// The last included second; nil means no bound.
    public var last: DateTime?

    static let parameters = ["from", "to"]

    public init() {}

    init(_ parameters: QueryReader) throws(APIError) {
        first = try parameters.dateTime("from", secondOfDate: 0)
        last = try parameters.dateTime("to", secondOfDate: 86_399)
    }

    public func contains(_ time: Timestamp) -> Bool {
        let time = DateTime(time)
        return first ?? time <= time && time <= last ?? time
    }
}

/// The query of `GET /api/v1/consultations` (enhanced-consultations, listConsultations).
public struct ConsultationListQuery: ListQuery, Equatable, Sendable {
    /// `page` from 1, `page_size` 1 to 100, default 20.
    public var page: Page
    // Absent filters match all.
    public var isArchived: Bool?
    public var persona: Persona?
    public var contextType: ContextType?
    // Only the apps send these parameters.
    public var status: Status?
    public var created = CreationSpan()

    static let parameters =
        ["page", "page_size", "limit", "offset", "status", "is_archived", "persona", "context_type"]
        + CreationSpan.parameters

    /// The apps' statuses; no consultation here is ever pending or abandoned.
    public enum Status: String, CaseIterable, Sendable { case pending, active, completed, abandoned, archived }

    /// - Parameter isForApps: Whether to read the apps' parameters: `limit`, `offset`, `status`, `from` and `to`.
    public init(query: [(name: String, value: String)], isForApps: Bool = false) throws(APIError) {
        let parameters = QueryReader(query)
        page = try parameters.page(size: "page_size", default: 20, isForApps: isForApps) ?? Page(number: 1, size: 20)
        if isForApps { (status, created) = (try parameters.choice("status"), try CreationSpan(parameters)) }
        isArchived = try parameters.flag("is_archived")
        persona = try parameters.choice("persona")
        contextType = try parameters.choice("context_type")
    }

    /// Whether consultations of a kind match, apart from their creation time.
    public func matches(_ kind: Consultation.Kind) -> Bool {
        (isArchived ?? (kind.status == .archived)) == (kind.status == .archived)
            && (persona ?? kind.persona) == kind.persona && (contextType ?? kind.contextType) == kind.contextType
            && (status?.rawValue ?? kind.status.rawValue) == kind.status.rawValue
    }
}

/// The query of `GET /api/v1/consultations/{id}/messages`.
public struct MessageListQuery: ListQuery, Equatable, Sendable {
    /// The requested page; nil means the whole history, as in the guide that has no paging.
    public var page: Page?
    /// The apps' filter by creation time.
    public var created = CreationSpan()

    static let parameters = ["page", "page_size", "limit", "offset"] + CreationSpan.parameters

    /// Reads a query; the defaults are the first page and 50 messages.
    ///
    /// consultation-websocket has no paging, so its form ignores the page.
    public init(query: [(name: String, value: String)], in form: GuideMode, isForApps: Bool = false) throws(APIError) {
        guard form != .consultationWebSocket else { return }
        let parameters = QueryReader(query)
        page = try parameters.page(size: "page_size", default: 50, isForApps: isForApps)
        if isForApps { created = try CreationSpan(parameters) }
    }
}

/// The query of `GET /api/v1/consultations/quick-actions`.
public struct QuickActionQuery: ListQuery, Equatable, Sendable {
    // Absent filters match all.
    public var contextType: ContextType?
    public var persona: Persona?

    static let parameters = ["context_type", "persona"]

    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        contextType = try parameters.choice("context_type")
        persona = try parameters.choice("persona")
    }
}

/// The query of `GET /api/v1/goals`: empty in goal-linking; the apps send a page and filters.
public struct GoalListQuery: ListQuery, Equatable, Sendable {
    /// The requested page; nil means all goals.
    public var page: Page?
    // Absent filters match all.
    public var status: GoalWord?
    public var category: String?
    public var created = CreationSpan()

    static let parameters = ["page", "limit", "offset", "status", "category"] + CreationSpan.parameters

    public init() {}

    public init(query: [(name: String, value: String)], isForApps: Bool) throws(APIError) {
        guard isForApps else { return }
        let parameters = QueryReader(query)
        page = try parameters.page(size: "limit", default: 20, isForApps: true)
        status = try parameters.choice("status")
        category = parameters["category"]
        created = try CreationSpan(parameters)
    }

    /// Whether there is no filter.
    public var isForAll: Bool { status == nil && category == nil && created == CreationSpan() }

    public func matches(_ goal: Goal) -> Bool {
        let isOfStatus = status == nil || status == goal.state.appStatus || status?.rawValue == goal.state.rawValue
        return isOfStatus && (category == nil || category.isExactly(goal.category)) && created.contains(goal.createdAt)
    }
}

/// A page of a list: an offset and a number of items.
public struct Page: Equatable, Sendable {
    /// The number of the page that contains the offset, from 1.
    public let number: Int
    public let size: Int
    /// The position of its first item in the list, at most `Int.max`.
    public let offset: Int

    public init(number: Int, size: Int) {
        (self.number, self.size) = (number, size)
        let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        self.offset = overflow ? Int.max : offset
    }

    public init(offset: Int, size: Int) {
        (number, self.offset, self.size) = (min(offset / size, .max - 1) + 1, offset, size)
    }

    /// The positions of the page's items in a list; empty past the end.
    public func range(of total: Int) -> Range<Int> {
        guard offset < total else { return total..<total }
        return offset..<(offset + min(size, total - offset))
    }

    /// Whether more items follow the page.
    public func hasNext(of total: Int) -> Bool { range(of: total).upperBound < total }
    /// The number of pages in the whole list.
    public func count(of total: Int) -> Int { total / size + (total % size == 0 ? 0 : 1) }
}

/// The query of `GET /api/v1/meal-logs`.
public struct MealLogListQuery: ListQuery, Equatable, Sendable {
    /// `page` from 1, `limit` 1 to 100, default 50.
    public var page: Page
    // Absent filters match all.
    public var status: MealLogStatus?
    public var mealType: MealType?
    /// The first included second, from `start_date` or `from`; a bare date starts at midnight UTC.
    public var start: DateTime?
    /// The last included second, from `end_date` or `to`; a bare date ends at the end of its day in UTC.
    public var end: DateTime?

    static let parameters = [
        "page", "limit", "offset", "status", "meal_type", "start_date", "end_date", "from", "to",
    ]

    private enum AppStatus: String, CaseIterable { case processing, completed, failed, manual, pending }

    /// Reads a query; a start after the end yields an empty list.
    ///
    /// - Parameter isForApps: Whether to read the apps' parameters and values: `offset`, `from`, `to`, their meal
    ///   types, and the status `pending`, which means processing.
    public init(query: [(name: String, value: String)], isForApps: Bool = false) throws(APIError) {
        let parameters = QueryReader(query)
        page = try parameters.page(size: "limit", default: 50, isForApps: isForApps) ?? Page(number: 1, size: 50)
        if isForApps {
            let status: AppStatus? = try parameters.choice("status")
            self.status = status == .pending ? .processing : status.flatMap { MealLogStatus(rawValue: $0.rawValue) }
        } else {
            status = try parameters.choice("status")
        }
        mealType = try parameters.choice("meal_type", among: MealType.known(isForApps: isForApps))
        start = try parameters.dateTime("start_date", secondOfDate: 0)
        end = try parameters.dateTime("end_date", secondOfDate: 86_399)
        guard isForApps else { return }
        if let from = try parameters.dateTime("from", secondOfDate: 0) { start = max(start ?? from, from) }
        if let last = try parameters.dateTime("to", secondOfDate: 86_399) { end = min(end ?? last, last) }
    }

    /// Whether logs of a kind match, apart from their time.
    public func matches(_ kind: MealLog.Kind) -> Bool {
        (status ?? kind.status) == kind.status && (mealType ?? kind.mealType) == kind.mealType
    }
}
