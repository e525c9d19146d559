import JSON
import Text

/// The body of a request that creates or replaces a document: a JSON object that follows its collection's row.
public enum DocumentRequest {
    /// The maximum size of a document's JSON.
    public static let maximumBytes = 64 * 1024
    /// Documents may have fewer nesting levels than other bodies, because scenario files nest them deeper.
    public static let limits = JSON.Limits(depth: 32, values: BodyReader.limits.values)
    /// How far ahead of the server's clock a mood's time may be, in seconds.
    public static let graceOfMoods: Int64 = 300

    /// Reads a body into validated members with defaults and with times in the stored form.
    ///
    /// - Parameters:
    ///   - old: The members that stay unless the body replaces them; nil for a new document.
    ///   - now: The default for times.
    /// - Throws: A 400 that names the member.
    public static func object(
        _ body: [UInt8], for collection: DocumentCollection, changing old: JSONObject? = nil, at now: Timestamp
    ) throws(APIError) -> JSONObject {
        let sent = try BodyReader(body, limits: limits).object.withoutMembers(collection.reservedMembers)
        var object = old ?? [:]
        for (name, value) in sent { object[name] = value }
        object = try collection.row.read(object, at: now)
        // Keep the members that can be set only by scenarios.
        for rule in collection.row.members where rule.isReadOnly {
            object[rule.name] = old?[rule.name] ?? object[rule.name]
        }
        try check(object, of: collection, at: now)
        try checkSize(of: object, for: collection)
        return object
    }

    /// The members of a seeded object, in the stored form; the object's times may be relative to `start`.
    /// - Parameter created: The default for times.
    package static func planted(
        _ object: JSONObject, in collection: DocumentCollection, at start: Timestamp, created: Timestamp
    ) throws(APIError) -> JSONObject {
        let object = try collection.row.read(object, at: created, start: start)
        try check(object, of: collection, at: nil)
        return object
    }

    /// Checks the rules for combinations of members.
    ///
    /// - Parameter now: Nil if times may be in the future.
    private static func check(
        _ object: JSONObject, of collection: DocumentCollection, at now: Timestamp?
    ) throws(APIError) {
        switch collection {
        case .moodEntries:
            guard let now, let time = object.time("logged_at") else { return }
            guard time.secondsSinceEpoch <= now.secondsSinceEpoch + graceOfMoods else {
                throw .timeAhead("logged_at", got: time, now: now)
            }
        case .sleep: try SleepSession.check(object)
        case .workoutTemplates:
            for (index, exercise) in (object["exercises"]?.array ?? []).enumerated()
            where exercise["exercise_id"]?.string == nil && exercise["user_exercise_id"]?.string == nil {
                throw .missingField("exercises[\(index)].exercise_id", expected: "it, or 'user_exercise_id'")
            }
        default: break
        }
    }

    package static func checkSize(of object: JSONObject, for collection: DocumentCollection) throws(APIError) {
        let size = JSONValue.object(object).encoded().count
        guard size <= maximumBytes else { throw .documentTooLarge(collection.row.item, limit: maximumBytes, got: size) }
    }
}

extension CollectionRow {
    fileprivate func read(
        _ object: JSONObject, at now: Timestamp, start: Timestamp? = nil
    ) throws(APIError) -> JSONObject {
        try MemberRule.read(
            object, members, MemberRule.Reading(now: now, start: start, hasFractions: hasFractions))
    }
}

extension JSONObject {
    package func withoutMembers(_ names: [String]) -> JSONObject {
        JSONObject(filter { member in !names.contains { $0.isExactly(member.key) } })
    }

    /// The date-time in a member; nil if the member is absent or not a date-time.
    public func time(_ name: String) -> DateTime? { self[name]?.string.flatMap { DateTime($0) } }
}

/// The body of `POST /api/v1/workout-templates/{id}/share`.
///
/// A client may send `user_ids` or one `user_id` instead of `shared_with_user_ids`; `professional_type` is then
/// optional.
public struct ShareDocumentRequest: Equatable, Sendable {
    public var users: [ExactString]
    public var professionalType: String
    public var notes: String?

    static let row = CollectionRow.builtIn("workout_template_shares")
    public static let usualProfession = "personal_trainer"
    package static let professions = row.member("professional_type")?.choices ?? []

    /// Throws 400 unless the string is a known profession.
    package static func check(professionalType: String) throws(APIError) {
        _ = try row.member("professional_type")?.choice(professionalType, of: "professional_type")
    }

    /// A user id as it is stored in shares: UUIDs in lower case, because apps write upper case and tokens may use
    /// either.
    package static func user(_ id: ExactString) -> ExactString {
        ResourceID(id.text, as: .anyCase).map { ExactString($0.description) } ?? id
    }

    public init(body: [UInt8]) throws(APIError) {
        var object = try BodyReader(body).object
        if object["shared_with_user_ids"] == nil,
            let ids = object["user_ids"] ?? object["user_id"].map({ .array([$0]) })
        {
            object["shared_with_user_ids"] = ids
            if object["professional_type"] == nil { object["professional_type"] = .string(Self.usualProfession) }
        }
        let members = try Self.row.read(object, at: Timestamp(secondsSinceEpoch: 0))
        let ids = members["shared_with_user_ids"]?.array?.compactMap(\.string) ?? []
        guard ids.allSatisfy(AccessToken.isUser) else {
            throw .wrongType(
                "shared_with_user_ids", expected: "a list of user ids", got: .array(ids.map { .string($0) }))
        }
        users = ids.map { Self.user(ExactString($0)) }
        professionalType = members.text("professional_type")
        notes = members["notes"]?.string
    }
}

/// The body of `POST /api/v1/workout-templates/{id}/copy`, which is empty or an object.
public struct CopyTemplateRequest: Equatable, Sendable {
    /// The copy's name; nil uses the original's name.
    public var name: String?

    public init(body: [UInt8]) throws(APIError) {
        guard !body.isEmpty else { return }
        name = try BodyReader(body).text("new_name", characters: 1...255)
    }
}

/// The body of `POST /api/v1/insights/generate/wellness`.
public struct GenerateInsightRequest: Equatable, Sendable {
    public var type: String
    public var period: ClosedRange<DateTime>

    /// The default length of an insight's period in days.
    private static func days(of type: String) -> Int64 {
        switch type {
        case "weekly": 7
        case "pattern": 14
        case "monthly", "milestone": 30
        default: 1
        }
    }

    /// - Throws: A 400 for an unknown type, an unreadable time, or a period that ends before it starts.
    public init(body: [UInt8], at now: Timestamp) throws(APIError) {
        let row = DocumentCollection.insights.row
        let fields = try BodyReader(body)
        let rules = row.members.filter { ["insight_type", "period_start", "period_end"].contains($0.name) }
        let members = try MemberRule.read(fields.object, rules, MemberRule.Reading(now: now))
        type = members.text("insight_type")
        let midnight = DateTime(now).startOfDay.secondsSinceEpoch
        let end = members.time("period_end") ?? DateTime(secondsSinceEpoch: midnight + 86_399)
        let back = Self.days(of: type) * 86_400 - 1
        let start = members.time("period_start") ?? DateTime(secondsSinceEpoch: end.secondsSinceEpoch - back)
        guard start <= end else {
            throw .endsBeforeStart("period_end", got: end, start: "period_start", mayBeEqual: true)
        }
        period = start...end
    }
}

/// A list parameter that filters documents by a member.
struct FilterRule: Sendable {
    let name: String
    let member: String
    let test: Test
    /// The parameter's default.
    let defaultValue: String?

    /// For ``Test/from`` with a default such as `30d ago`, the seconds before now or before the range's end.
    var defaultSpan: Int64? {
        defaultValue.flatMap { Durations.nanoseconds(String($0.dropLast(" ago".count)), atMost: .max) }
            .map { $0 / 1_000_000_000 }
    }

    enum Test: String {
        /// The member equals the string.
        case equals
        /// The member is a list that contains one of the comma-separated strings.
        case any
        /// The boolean member equals the value.
        case flag
        /// The member is true; `false` selects all.
        case only
        // The member is not before or not after a time; a bare date means its whole day in UTC.
        case from, to
    }

    init(name: String, _ rule: JSONObject) {
        guard let test = Test(rawValue: rule.text("test")) else { preconditionFailure("\(name) has an unknown test.") }
        (self.name, self.test, member, defaultValue) = (name, test, rule.text("member"), rule["default"]?.string)
    }
}

/// The query for a document list; each list reads only its own parameters.
public struct DocumentListQuery: Equatable, Sendable {
    /// `limit` 1 to 100; `offset` from 0, or `page` from 1.
    public var page: Page
    /// The collection, whose row defines the list.
    public let collection: DocumentCollection
    /// Words and phrases from `q`; a search uses only these and the page.
    public var words: [String]?
    /// Whose templates to list; nil lists the user's own.
    public var source: TemplateSource?
    /// Whether the list adds public templates to the user's own.
    public var includesPublic = false
    /// The profession in a share.
    public var professionalType: String?
    // The sort order for insights; nil means newest first, as in all lists.
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

    /// The parameters that an operation supports.
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

    /// - Parameter now: The end of a default range.
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

    /// The maximum number of words in a search.
    public static let mostWords = 20

    /// The words and quoted phrases in a search; throws 400 if there are none or too many.
    private static func words(_ text: String?) throws(APIError) -> [String] {
        // Every second piece is inside quotation marks and is therefore a phrase.
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

    /// Whether to parse the members of each document; false if only the time matters.
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
                condition.isOfTime(in: collection) || object.time(condition.member).map(condition.includes) ?? false
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

    /// - Throws: A 400 if `from` or `to` is missing or they are in the wrong order.
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
