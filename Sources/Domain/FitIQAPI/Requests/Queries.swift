import Text

/// Reads the parameters of a query; the first of a repeated one counts, unknown ones are ignored.
///
/// Values that are unknown or out of range are refused with a 400; an absent parameter is nil.
struct QueryReader {
    private let items: [(name: String, value: String)]

    init(_ items: [(name: String, value: String)]) { self.items = items }
    subscript(_ parameter: String) -> String? { items.first { $0.name == parameter }?.value }

    func number(_ parameter: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = self[parameter] else { return nil }
        // Int's initializer accepts "+5", which no guide's client sends.
        guard value.utf8.allSatisfy(\.isDigit), let number = Int(value), range.contains(number)
        else { throw .outOfRange(parameter, allowed: range, got: value) }
        return number
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Choice.Type
    ) throws(APIError) -> Choice? {
        guard let value = self[parameter] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            throw .unknownChoice(parameter, got: value, allowed: Choice.allCases.map(\.rawValue))
        }
        return choice
    }

    func flag(_ parameter: String) throws(APIError) -> Bool? {
        switch self[parameter] {
        case nil: nil
        case "true": true
        case "false": false
        case let value?: throw .unknownChoice(parameter, got: value, allowed: ["true", "false"])
        }
    }

    /// A date-time, or a date, which stands for one second of its day in UTC, counted from 0.
    func dateTime(_ parameter: String, secondOfDate second: Int64) throws(APIError) -> DateTime? {
        guard let value = self[parameter] else { return nil }
        if let time = DateTime(value) { return time }
        guard let midnight = DateTime(date: value) else { throw .badDate(parameter, got: value) }
        return DateTime(secondsSinceEpoch: midnight.secondsSinceEpoch + second)
    }
}

/// The query of `GET /api/v1/consultations` (enhanced-consultations, listConsultations).
public struct ConsultationListQuery: Equatable, Sendable {
    /// `page` from 1, `page_size` 1 to 100, default 20.
    public var page: Page
    // Absent filters match all.
    public var isArchived: Bool?
    public var persona: Persona?
    public var contextType: ContextType?

    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        page = Page(
            number: try parameters.number("page", in: 1...Int.max) ?? 1,
            size: try parameters.number("page_size", in: 1...100) ?? 20)
        isArchived = try parameters.flag("is_archived")
        persona = try parameters.choice("persona", of: Persona.self)
        contextType = try parameters.choice("context_type", of: ContextType.self)
    }

    public func matches(_ consultation: Consultation) -> Bool {
        (isArchived ?? consultation.isArchived) == consultation.isArchived
            && (persona ?? consultation.persona) == consultation.persona
            && (contextType ?? consultation.context.type) == consultation.context.type
    }
}

/// The query of `GET /api/v1/consultations/{id}/messages`.
public struct MessageListQuery: Equatable, Sendable {
    /// The requested page; nil without `page` and `page_size` means the whole history, for the guide without paging.
    public var page: Page?

    /// Reads a query; if only one of the two is given, the other defaults to page 1 or 50 messages.
    ///
    /// consultation-websocket has neither parameter, so its form ignores them.
    public init(query: [(name: String, value: String)], in form: GuideMode) throws(APIError) {
        guard form != .consultationWebSocket else { return }
        let parameters = QueryReader(query)
        let number = try parameters.number("page", in: 1...Int.max)
        let size = try parameters.number("page_size", in: 1...100)
        if number != nil || size != nil { page = Page(number: number ?? 1, size: size ?? 50) }
    }
}

/// The query of `GET /api/v1/consultations/quick-actions`.
public struct QuickActionQuery: Equatable, Sendable {
    // Absent filters match all.
    public var contextType: ContextType?
    public var persona: Persona?

    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        contextType = try parameters.choice("context_type", of: ContextType.self)
        persona = try parameters.choice("persona", of: Persona.self)
    }
}

/// A page of a list.
public struct Page: Equatable, Sendable {
    public var number: Int
    public var size: Int

    public init(number: Int, size: Int) { (self.number, self.size) = (number, size) }

    /// The positions of the page's items in a list; empty past the end.
    public func range(of total: Int) -> Range<Int> {
        let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        guard !overflow, offset < total else { return total..<total }
        return offset..<(offset + min(size, total - offset))
    }

    /// The number of pages of the whole list.
    public func count(of total: Int) -> Int { total / size + (total % size == 0 ? 0 : 1) }
}

/// The query of `GET /api/v1/meal-logs`.
public struct MealLogListQuery: Equatable, Sendable {
    /// `page` from 1, `limit` 1 to 100, default 50.
    public var page: Page
    // Absent filters match all.
    public var status: MealLogStatus?
    public var mealType: MealType?
    /// The first included second, from `start_date`; a bare date starts at midnight UTC.
    public var start: DateTime?
    /// The last included second, from `end_date`; a bare date ends at the end of its day in UTC.
    public var end: DateTime?

    /// Reads a query; a start after the end gives an empty list.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        page = Page(
            number: try parameters.number("page", in: 1...Int.max) ?? 1,
            size: try parameters.number("limit", in: 1...100) ?? 50)
        status = try parameters.choice("status", of: MealLogStatus.self)
        mealType = try parameters.choice("meal_type", of: MealType.self)
        start = try parameters.dateTime("start_date", secondOfDate: 0)
        end = try parameters.dateTime("end_date", secondOfDate: 86_399)
    }

    public func matches(_ log: MealLog) -> Bool {
        (status ?? log.status) == log.status && (mealType ?? log.mealType) == log.mealType
            && (start ?? log.loggedAt) <= log.loggedAt && log.loggedAt <= (end ?? log.loggedAt)
    }
}
