import JSON
import Text

/// The body of a request that creates or replaces a document: a JSON object by the row of its collection.
public enum DocumentRequest {
    /// The size limit of a document as JSON.
    public static let maximumBytes = 64 * 1024
    /// Fewer levels than other bodies have: in a scenario file documents lie deeper.
    public static let limits = JSON.Limits(depth: 32, values: BodyReader.limits.values)
    /// How far ahead of the server's clock the time of a mood may be, in seconds.
    public static let graceOfMoods: Int64 = 300

    /// Reads a body into the members that are stored: checked, with defaults, times in their form.
    ///
    /// - Parameters:
    ///   - old: The members that stay unless the body has others; nil if the body is all there is.
    ///   - now: The default of times.
    /// - Throws: 400 that names the member.
    public static func object(
        _ body: [UInt8], for collection: DocumentCollection, changing old: JSONObject? = nil, at now: Timestamp
    ) throws(APIError) -> JSONObject {
        let sent = try BodyReader(body, limits: limits).object.withoutMembers(collection.reservedMembers)
        var object = old ?? [:]
        for (name, value) in sent { object[name] = value }
        object = try collection.row.read(object, at: now)
        // What only scenarios set stays.
        for rule in collection.row.members where rule.isReadOnly {
            object[rule.name] = old?[rule.name] ?? object[rule.name]
        }
        try check(object, of: collection, at: now)
        try checkSize(of: object, for: collection)
        return object
    }

    /// The members of a planted object, in the form in which they are stored; times may be relative to `start`.
    /// - Parameter created: The default of times.
    package static func planted(
        _ object: JSONObject, in collection: DocumentCollection, at start: Timestamp, created: Timestamp
    ) throws(APIError) -> JSONObject {
        let object = try collection.row.read(object, at: created, start: start)
        try check(object, of: collection, at: nil)
        return object
    }

    /// The rules that concern more than one member.
    ///
    /// - Parameter now: Nil if times may lie ahead.
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

    /// Reads the body of a request that is no document.
    func read(body: [UInt8], at now: Timestamp) throws(APIError) -> JSONObject {
        try read(BodyReader(body).object, at: now)
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

    /// Throws 400 unless the text is a profession of those who share.
    package static func check(professionalType: String) throws(APIError) {
        _ = try row.member("professional_type")?.choice(professionalType, of: "professional_type")
    }

    /// A user as shares have it, in lower case if it is a UUID: apps write it in upper case, and tokens either way.
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
                "shared_with_user_ids", expected: "a list of the ids of users", got: .array(ids.map { .string($0) }))
        }
        users = ids.map { Self.user(ExactString($0)) }
        professionalType = members.text("professional_type")
        notes = members["notes"]?.string
    }
}

/// The body of `POST /api/v1/workout-templates/{id}/copy`: nothing, or an object.
public struct CopyTemplateRequest: Equatable, Sendable {
    /// Of the copy; nil for that of the original.
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

    /// The days that an insight looks back on unless the request names a period.
    private static func days(of type: String) -> Int64 {
        switch type {
        case "weekly": 7
        case "pattern": 14
        case "monthly", "milestone": 30
        default: 1
        }
    }

    /// - Throws: 400 for an unknown type, for an unreadable time, and for a period that ends before it begins.
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
