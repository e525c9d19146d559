import Text

/// Takes the parameters of a query; of a repeated one the first counts, unknown ones are ignored.
struct QueryReader {
    private let items: [(name: String, value: String)]

    init(_ items: [(name: String, value: String)]) {
        self.items = items
    }

    subscript(_ parameter: String) -> String? {
        items.first { $0.name == parameter }?.value
    }

    /// A whole number in a range, or nil where the parameter is absent.
    func number(_ parameter: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = self[parameter] else { return nil }
        // Int's initialiser takes "+5", which no guide's client sends.
        guard value.utf8.allSatisfy(\.isDigit), let number = Int(value),
            range.contains(number)
        else { throw .outOfRange(parameter, allowed: range, got: value) }
        return number
    }

    /// One of a closed set of names, or nil where the parameter is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Choice.Type
    ) throws(APIError) -> Choice? {
        guard let value = self[parameter] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            throw .unknownChoice(parameter, got: value, allowed: Choice.allCases.map(\.rawValue))
        }
        return choice
    }

    /// `true` or `false`, or nil where the parameter is absent.
    func flag(_ parameter: String) throws(APIError) -> Bool? {
        switch self[parameter] {
        case nil: nil
        case "true": true
        case "false": false
        case let value?: throw .unknownChoice(parameter, got: value, allowed: ["true", "false"])
        }
    }

    /// What a bare date stands for.
    enum SecondOfDay {
        case firstSecond, lastSecond
    }

    /// A date-time or, for one of its day's seconds in UTC, a date; nil where the parameter is absent.
    func dateTime(_ parameter: String, ofDate second: SecondOfDay) throws(APIError) -> DateTime? {
        guard let value = self[parameter] else { return nil }
        if let time = DateTime(value) { return time }
        guard let midnight = DateTime(date: value) else { throw .badDate(parameter, got: value) }
        switch second {
        case .firstSecond: return midnight
        case .lastSecond: return DateTime(secondsSinceEpoch: midnight.secondsSinceEpoch + 86_399)
        }
    }
}

/// The query of `GET /api/v1/consultations` (enhanced-consultations, listConsultations).
public struct ConsultationListQuery: Equatable, Sendable {
    /// `page` from 1, `page_size` 1 to 100, 20 where absent.
    public var page: Page
    /// `is_archived`; absent means both.
    public var isArchived: Bool?
    /// `persona`; absent means all.
    public var persona: Persona?
    /// `context_type`; absent means all.
    public var contextType: ContextType?

    /// Reads a query.
    ///
    /// - Throws: 400 for values out of range or unknown.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        page = Page(
            number: try parameters.number("page", in: 1...Int.max) ?? 1,
            size: try parameters.number("page_size", in: 1...100) ?? 20)
        isArchived = try parameters.flag("is_archived")
        persona = try parameters.choice("persona", of: Persona.self)
        contextType = try parameters.choice("context_type", of: ContextType.self)
    }

    /// Whether a consultation belongs to the list.
    public func matches(_ consultation: Consultation) -> Bool {
        (isArchived ?? consultation.isArchived) == consultation.isArchived
            && (persona ?? consultation.persona) == consultation.persona
            && (contextType ?? consultation.context.type) == consultation.context.type
    }
}

/// The query of `GET /api/v1/consultations/{id}/messages`.
public struct MessageListQuery: Equatable, Sendable {
    /// The page asked for; nil without `page` and `page_size`: the whole history, for the guide that knows no paging.
    public var page: Page?

    /// Reads a query; where only one of the two is given, the other is page 1 or 50 messages.
    ///
    /// consultation-websocket has neither parameter: in its form they are unknown, and so ignored.
    ///
    /// - Throws: 400 for values out of range.
    public init(query: [(name: String, value: String)], in form: GuideMode) throws(APIError) {
        guard form != .consultationWebSocket else { return }
        let parameters = QueryReader(query)
        let number = try parameters.number("page", in: 1...Int.max)
        let size = try parameters.number("page_size", in: 1...100)
        if number != nil || size != nil {
            page = Page(number: number ?? 1, size: size ?? 50)
        }
    }
}

/// The query of `GET /api/v1/consultations/quick-actions`.
public struct QuickActionQuery: Equatable, Sendable {
    /// `context_type`; absent means all.
    public var contextType: ContextType?
    /// `persona`; absent means all.
    public var persona: Persona?

    /// Reads a query.
    ///
    /// - Throws: 400 for unknown values.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        contextType = try parameters.choice("context_type", of: ContextType.self)
        persona = try parameters.choice("persona", of: Persona.self)
    }
}

/// A part of a list: which page, and how long pages are.
public struct Page: Equatable, Sendable {
    /// From 1.
    public var number: Int
    /// From 1.
    public var size: Int

    /// Makes a page.
    public init(number: Int, size: Int) {
        self.number = number
        self.size = size
    }

    /// The positions of the page's items in a list; empty past its end.
    public func range(of total: Int) -> Range<Int> {
        let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        guard !overflow, offset < total else { return total..<total }
        return offset..<(offset + min(size, total - offset))
    }

    /// How many pages the whole list has.
    public func count(of total: Int) -> Int {
        total / size + (total % size == 0 ? 0 : 1)
    }
}

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
