import JSON
import Text

/// A parameter of a list that selects documents by one of their members.
struct FilterRule: Sendable {
    let name: String
    let member: String
    let test: Test
    /// The value of a parameter that is absent.
    let defaultValue: String?

    /// For ``Test/from`` the seconds before now, or before the end of a range that is given: of `30d ago`.
    var defaultSpan: Int64? {
        defaultValue.flatMap { Durations.nanoseconds(String($0.dropLast(" ago".count)), atMost: .max) }
            .map { $0 / 1_000_000_000 }
    }

    enum Test: String {
        /// The member is the text.
        case equals
        /// The member, a list, has one of the texts, which commas separate, and spaces after them.
        case any
        /// The member is true, or is not.
        case flag
        /// The member is true; `false` selects all.
        case only
        // The member is not before or not after a time; a bare date is its whole day in UTC.
        case from, to
    }

    init(name: String, _ rule: JSONObject) {
        guard let test = Test(rawValue: rule.text("test")) else { preconditionFailure("\(name) has an unknown test.") }
        (self.name, self.test, member, defaultValue) = (name, test, rule.text("member"), rule["default"]?.string)
    }
}

/// The query of a list of documents; only the parameters that issue each list are read.
public struct DocumentListQuery: Equatable, Sendable {
    /// `limit` 1 to 100; `offset` from 0, or `page` from 1.
    public var page: Page
    /// The collection's row says what is in the list.
    public let collection: DocumentCollection
    /// Words and phrases from `q`; a search reads nothing else but the page.
    public var words: [String]?
    /// Whose templates are listed; nil for the user's own.
    public var source: TemplateSource?
    /// Whether public templates join the user's own.
    public var includesPublic = false
    /// Of a share.
    public var professionalType: String?
    // How insights are sorted; absent for the order of all lists, the newest first.
    public var sortedBy: InsightOrder?
    public var isAscending = false
    private var conditions: [Condition] = []

    public enum TemplateSource: String, CaseIterable, Sendable { case owned, system, shared }
    public enum InsightOrder: String, CaseIterable, Sendable {
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case periodStart = "period_start"
    }
    private enum SortOrder: String, CaseIterable { case asc, desc }

    private struct Condition: Equatable, Sendable {
        let member: String
        let value: Value

        enum Value: Equatable, Sendable {
            case equals(JSONValue), any([JSONValue]), isTrue(Bool)
            case from(DateTime), to(DateTime)
        }

        func isOfTime(in collection: DocumentCollection) -> Bool {
            switch value {
            case .from, .to: member == collection.row.time
            default: false
            }
        }

        func includes(_ time: DateTime) -> Bool {
            switch value {
            case .from(let first): first <= time
            case .to(let last): time <= last
            default: true
            }
        }
    }

    static let pageParameters = ["page", "limit", "offset"]

    /// The parameters that an operation reads.
    static func parameters(of endpoint: Endpoint, in collection: DocumentCollection) -> [String] {
        let filters = collection.row.filters.map(\.name)
        return switch endpoint {
        case .countUnreadInsights, .showWorkoutTemplate: []
        case .analyzeMoodEntries: MoodAnalyticsQuery.parameters
        case .searchJournal: pageParameters + ["q"]
        case .listInsights: pageParameters + filters + ["sort_by", "sort_order"]
        case .listWorkoutTemplates: pageParameters + filters + ["source", "include_public"]
        case .listSharedWorkoutTemplates: pageParameters + ["professional_type"]
        default: endpoint.method == .get ? pageParameters + filters : []
        }
    }

    /// - Parameter now: What the default of a range counts back from.
    public init(
        query: [(name: String, value: String)], of endpoint: Endpoint, in collection: DocumentCollection,
        at now: Timestamp
    ) throws(APIError) {
        let row = collection.row
        let known = Self.parameters(of: endpoint, in: collection)
        let parameters = QueryReader(query.filter { known.contains($0.name) })
        self.collection = collection
        page =
            try parameters.page(size: "limit", default: row.pageSize, isForApps: true)
            ?? Page(number: 1, size: row.pageSize)
        let filters = row.filters.filter { known.contains($0.name) }
        let last = try filters.first { $0.test == .to }.flatMap { filter throws(APIError) in
            try parameters.dateTime(filter.name, secondOfDate: 86_399)
        }
        for filter in filters {
            if let value = try Self.value(filter, parameters, row, last ?? DateTime(now)) {
                conditions.append(Condition(member: filter.member, value: value))
            }
        }
        if endpoint == .searchJournal { words = try Self.words(parameters["q"]) }
        if endpoint == .listWorkoutTemplates { source = try parameters.choice("source") }
        includesPublic = try parameters.flag("include_public") ?? false
        professionalType = parameters["professional_type"]
        if let professionalType { try ShareDocumentRequest.check(professionalType: professionalType) }
        sortedBy = try parameters.choice("sort_by")
        isAscending = try parameters.choice("sort_order", among: SortOrder.allCases) == .asc
    }

    /// The most words that a search looks for.
    public static let mostWords = 20

    /// The words of a search, and phrases, which stand in quotation marks; throws 400 if there are none, or too many.
    private static func words(_ text: String?) throws(APIError) -> [String] {
        // Every second piece between quotation marks is a phrase.
        let pieces = (text ?? "").split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        let words = pieces.flatMap { index, piece in
            index % 2 == 1 ? [piece] : piece.split(whereSeparator: \.isWhitespace)
        }.filter { !String($0).isBlank }
        guard !words.isEmpty else { throw .missingParameter("q", expected: "the words to search for") }
        guard words.count <= mostWords else { throw .tooManyWords(limit: mostWords, got: words.count) }
        return words.map(String.init)
    }

    private static func value(
        _ filter: FilterRule, _ parameters: QueryReader, _ row: CollectionRow, _ last: DateTime
    ) throws(APIError) -> Condition.Value? {
        let text = parameters[filter.name] ?? filter.defaultValue
        switch filter.test {
        case .equals:
            return try text.flatMap { text throws(APIError) in
                try row.member(filter.member)?.choice(text, of: filter.name)
            }.map { .equals($0) }
        case .any:
            let texts = (text ?? "").split(separator: ",").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
            return texts.isEmpty ? nil : .any(texts.map { .string(String($0)) })
        case .flag:
            if let flag = try parameters.flag(filter.name) { return .isTrue(flag) }
            return text.map { .isTrue($0 == "true") }
        case .only: return try parameters.flag(filter.name) == true ? .isTrue(true) : nil
        case .from:
            if let time = try parameters.dateTime(filter.name, secondOfDate: 0) { return .from(time) }
            guard let defaultSpan = filter.defaultSpan else { return nil }
            return .from(DateTime(secondsSinceEpoch: last.secondsSinceEpoch - defaultSpan).startOfDay)
        case .to: return try parameters.dateTime(filter.name, secondOfDate: 86_399).map { .to($0) }
        }
    }

    /// Whether to read the members of each document: not if its time is all that counts.
    public var readsMembers: Bool {
        words != nil || sortedBy == .periodStart || conditions.contains { !$0.isOfTime(in: collection) }
    }

    public func matches(_ document: Document) -> Bool {
        for condition in conditions where condition.isOfTime(in: collection) {
            guard condition.includes(document.time) else { return false }
        }
        guard readsMembers else { return true }
        let object = document.object
        return conditions.allSatisfy { condition in
            switch condition.value {
            case .equals(let value): object[condition.member] == value
            case .any(let values): object[condition.member]?.array?.contains(where: values.contains) == true
            case .isTrue(let isTrue): (object[condition.member] == true) == isTrue
            case .from, .to:
                condition.isOfTime(in: collection)
                    || object.time(condition.member).map(condition.includes) ?? false
            }
        }
    }
}

/// The query of `GET /api/v1/wellness/mood-entries/analytics`.
public struct MoodAnalyticsQuery: Equatable, Sendable {
    public var first: DateTime
    public var last: DateTime
    public var includesDays: Bool
    public var labelLimit: Int
    public var associationLimit: Int

    static let parameters = [
        "from", "to", "include_daily_breakdown", "top_labels_limit", "top_associations_limit",
    ]

    /// - Throws: 400 without `from` or `to`, and if they are in the wrong order.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        func time(_ parameter: String, _ second: Int64) throws(APIError) -> DateTime {
            guard let time = try parameters.dateTime(parameter, secondOfDate: second) else {
                throw .missingParameter(parameter, expected: "a date such as \"2025-01-29\", or a date-time")
            }
            return time
        }
        first = try time("from", 0)
        last = try time("to", 86_399)
        guard first <= last else { throw .endsBeforeStart("to", got: last, start: "from", mayBeEqual: true) }
        includesDays = try parameters.flag("include_daily_breakdown") ?? false
        labelLimit = try parameters.number("top_labels_limit", in: 1...20) ?? 10
        associationLimit = try parameters.number("top_associations_limit", in: 1...20) ?? 10
    }
}
