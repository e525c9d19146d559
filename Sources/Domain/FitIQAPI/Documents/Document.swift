import JSON

/// An object in a collection that the apps sync, re-encoded whenever it changes.
///
/// The server keeps only its JSON, because a parsed object takes ten times as much memory. Encoding also extracts the
/// members that lists need.
public struct Document: Sendable, Equatable {
    public let id: ResourceID
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    /// The time by which lists are sorted: the member that the collection's row names, or the creation time.
    public let time: DateTime
    /// The users besides the owner who may read and copy the document, in the owner's order.
    public var shares: [TemplateShare]
    /// The object as it appears in responses: the world's members, then the stored members.
    public let encoded: [UInt8]
    /// The length of the world's members, including the opening brace.
    private let headLength: Int
    private let valueCount: Int
    /// The `source_id` that identifies a repeated sleep session; otherwise nil.
    public let sourceID: ExactString?
    /// Whether the template is public or belongs to the system, so that every user may read and copy it.
    public let isOpen: Bool
    /// Whether it is a system template, which has no owner.
    public let isOfSystem: Bool
    /// Whether an insight counts as unread, which means neither read nor archived; meaningless for other documents.
    public let isUnread: Bool

    /// - Parameter object: The members read by ``DocumentRequest``.
    public init(
        id: ResourceID, user: ExactString, object: JSONObject, in collection: DocumentCollection, createdAt: Timestamp,
        updatedAt: Timestamp, shares: [TemplateShare] = []
    ) {
        (self.id, self.createdAt, self.updatedAt, self.shares) = (id, createdAt, updatedAt, shares)
        let row = collection.row
        let object = collection == .workoutTemplates ? object.numberingExercises(of: id, at: createdAt) : object
        time = row.time.flatMap { object.time($0) } ?? DateTime(createdAt)
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.member("id", id)
        // System templates have no owner.
        writer.member("user_id", orNull: object["is_system"] == true ? nil : user.text)
        writer.member("created_at", row.hasFractions ? createdAt.millisecondText : createdAt.wireText)
        writer.member("updated_at", row.hasFractions ? updatedAt.millisecondText : updatedAt.wireText)
        for (name, value) in collection.computedMembers(of: object, at: time) {
            writer.key(escaping: name)
            writer.value(value)
        }
        headLength = writer.count
        for (name, value) in object {
            writer.key(escaping: name)
            writer.value(value)
        }
        writer.endObject()
        encoded = writer.takeBytes()
        valueCount = JSONValue.object(object).count
        sourceID = collection == .sleep ? object.sourceID : nil
        isOfSystem = object["is_system"] == true
        isOpen = isOfSystem || object["is_public"] == true
        isUnread = object["is_read"] != true && object["is_archived"] != true
    }

    /// The stored members, as JSON without braces.
    public var members: ArraySlice<UInt8> { encoded[headLength...].dropLast().drop { $0 == UInt8(ascii: ",") } }

    /// The stored members.
    public var object: JSONObject { JSONObject(encodedMembers: members) }

    /// Throws 400 if the members exceed a document's size limit, including what the server adds to a template's
    /// exercises.
    public func checkSize(in collection: DocumentCollection) throws(APIError) {
        let (size, limit) = (members.count + 2, DocumentRequest.maximumBytes)
        guard size <= limit else { throw .documentTooLarge(collection.row.item, limit: limit, got: size) }
    }

    /// The document's share of the stored size: at least its size in an export, plus 24 bytes for each value.
    public var byteCount: Int {
        max(encoded.count, 24 * valueCount) + 192 + shares.reduce(0) { $0 + $1.byteCount }
    }

    /// The share for a user, if any.
    ///
    /// - Parameter user: The subject of the user's token, which may differ in case from the id in the share.
    public func share(with user: ExactString) -> TemplateShare? {
        guard !shares.isEmpty else { return nil }
        let name = ShareDocumentRequest.user(user)
        return shares.first { $0.user == name }
    }
}

/// A user's right to read and copy another user's workout template.
public struct TemplateShare: Sendable, Equatable {
    public let id: ResourceID
    public let user: ExactString
    public let professionalType: String
    public let notes: String?
    public let sharedAt: Timestamp

    public init(id: ResourceID, user: ExactString, professionalType: String, notes: String?, sharedAt: Timestamp) {
        (self.id, self.user, self.professionalType) = (id, user, professionalType)
        (self.notes, self.sharedAt) = (notes, sharedAt)
    }

    /// The share's escaped size in an export.
    fileprivate var byteCount: Int { 192 + 6 * (user.utf8.count + (notes?.utf8.count ?? 0)) }
}

extension DocumentCollection {
    /// The members that the server computes from other members.
    fileprivate func computedMembers(of object: JSONObject, at time: DateTime) -> [JSONObject.Element] {
        switch self {
        case .moodEntries: [("is_healthkit", .bool(object["source"] == "healthkit"))]
        case .progress: [("date", .string(time.wireText))]
        case .sleep: SleepSession.sums(object)
        case .workoutTemplates: [("exercise_count", .number(JSONNumber(object["exercises"]?.array?.count ?? 0)))]
        case .journal, .insights, .workouts, .profileMetrics: []
        }
    }
}

extension JSONObject {
    /// The template with its exercises in order, including the world's members.
    ///
    /// The exercises' ids derive from the template's id, and their names derive from the exercises' ids unless the
    /// client sent names.
    fileprivate func numberingExercises(of template: ResourceID, at time: Timestamp) -> JSONObject {
        guard let exercises = self["exercises"]?.array, !exercises.isEmpty else { return self }
        var identifiers = ResourceIDSequence(seed: template.seed)
        let sorted = exercises.enumerated().sorted {
            ($0.element["order_index"]?.int ?? 0, $0.offset) < ($1.element["order_index"]?.int ?? 0, $1.offset)
        }
        var result = self
        result["exercises"] = .array(
            sorted.map { _, exercise in
                guard let members = exercise.object else { return exercise }
                let source = members["exercise_id"]?.string ?? members["user_exercise_id"]?.string
                // The order does not depend on the client, so that re-exporting an import yields the same bytes.
                let serverMembers: [JSONObject.Element] = [
                    ("id", .string(identifiers.next().description)), ("template_id", .string(template.description)),
                    ("exercise_name", .string(members["exercise_name"]?.string ?? Self.title(of: source ?? ""))),
                    ("created_at", .string(time.wireText)),
                ]
                return .object(JSONObject(serverMembers + members.withoutMembers(serverMembers.map(\.0))))
            })
        return result
    }

    /// The `source_id`; nil if it is empty.
    public var sourceID: ExactString? {
        self["source_id"]?.exactString.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Names for exercises whose id is a UUID.
    private static let exercises = [
        "Squat", "Bench press", "Deadlift", "Pull-up", "Push-up", "Lunge", "Plank", "Shoulder press", "Hip thrust",
        "Row", "Leg press", "Biceps curl",
    ]

    /// Returns `Goblet squat` for `goblet-squat`; for a UUID, returns a common exercise that is always the same.
    private static func title(of id: String) -> String {
        if let id = ResourceID(id.lowercased()) { return exercises[Int(id.seed % UInt64(exercises.count))] }
        let words = id.map { $0 == "-" || $0 == "_" ? " " : $0 }
        return words.isEmpty ? "Exercise" : String(words[0]).uppercased() + String(words.dropFirst())
    }

    /// - Parameter members: The members of an encoded object, as JSON without braces.
    package init(encodedMembers members: some Collection<UInt8>) {
        guard let object = (try? JSON.parse(Array("{".utf8) + members + Array("}".utf8)))?.object else {
            preconditionFailure("The members must be encoded from an object.")
        }
        self = object
    }
}

extension JSONValue {
    /// The number of values in this value, counting the value itself.
    fileprivate var count: Int {
        switch self {
        case .null, .bool, .number, .string: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let object): object.reduce(1) { $0 + $1.value.count }
        }
    }
}

/// Response bodies of the operations on documents.
public enum DocumentAnswers {
    /// A page of a list with its totals; `data` is the page if the collection's row has no list name.
    ///
    /// - Parameters:
    ///   - items: JSON, in the order of the list.
    ///   - writeMore: Writes the additional members of a collection's list.
    public static func list(
        _ items: some Sequence<[UInt8]>, _ query: DocumentListQuery, total: Int,
        _ writeMore: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        func write(_ array: inout JSONWriter) { for item in items { array.raw(item) } }
        let isSearch = query.words != nil
        guard let name = isSearch ? "results" : query.collection.row.list else {
            return JSONWriter.object { writer in
                writer.member("success", true)
                writer.array("data", write)
            }
        }
        return JSONWriter.success { data in
            data.key(escaping: name)
            data.array(write)
            data.totals(query.page, total: total)
            if query.collection == .insights { data.member("total_pages", query.page.count(of: total)) }
            writeMore(&data)
        }
    }
}

/// Validates a sleep session and sums its stages.
enum SleepSession {
    private struct Stage {
        var name: String
        var start: DateTime
        var end: DateTime
    }

    private static func stages(of object: JSONObject) -> [Stage] {
        (object["stages"]?.array ?? []).compactMap { stage in
            guard let stage = stage.object, let name = stage["stage"]?.string, let start = stage.time("start_time"),
                let end = stage.time("end_time")
            else { return nil }
            return Stage(name: name, start: start, end: end)
        }
    }

    /// Throws 400 if the session or a stage ends before it starts, a stage is outside the session, or two stages
    /// overlap.
    static func check(_ object: JSONObject) throws(APIError) {
        guard let start = object.time("start_time"), let end = object.time("end_time") else { return }
        guard start < end else { throw .endsBeforeStart("end_time", got: end, start: "start_time") }
        let stages = Array(stages(of: object).enumerated())
        for (index, stage) in stages {
            guard stage.start < stage.end else {
                throw .endsBeforeStart("stages[\(index)].end_time", got: stage.end, start: "its start_time")
            }
            guard stage.name == "in_bed" || (start <= stage.start && stage.end <= end) else {
                throw .invalid(
                    "'stages[\(index)]' must lie within the session, from \(start.wireText) to \(end.wireText).")
            }
        }
        // HealthKit's stage "in bed" spans the other stages.
        let sleeping = stages.filter { $0.element.name != "in_bed" }.sorted { $0.element.start < $1.element.start }
        for (one, next) in zip(sleeping, sleeping.dropFirst()) where next.element.start < one.element.end {
            throw .invalid(
                "'stages[\(next.offset)]' begins at \(next.element.start.wireText), before 'stages[\(one.offset)]' "
                    + "ends: stages must not overlap, except for in_bed.")
        }
    }

    /// The members computed from the stages.
    static func sums(_ object: JSONObject) -> [JSONObject.Element] {
        let (start, end) = (object.time("start_time"), object.time("end_time"))
        var seconds: [String: Int64] = [:]  // Keyed by stages of the table, which are constants.
        for stage in stages(of: object) {
            seconds[stage.name, default: 0] += stage.end.secondsSinceEpoch - stage.start.secondsSinceEpoch
        }
        let inBed = start.flatMap { start in end.map { $0.secondsSinceEpoch - start.secondsSinceEpoch } } ?? 0
        let asleep = ["asleep", "core", "deep", "rem"].reduce(0) { $0 + seconds[$1, default: 0] }
        let total = seconds.isEmpty ? inBed : asleep
        func minutes(_ seconds: Int64) -> JSONValue { .number(JSONNumber(Int((Double(seconds) / 60).rounded()))) }
        let efficiency = inBed > 0 ? Double(total) / Double(inBed) * 100 : 0
        return [
            ("time_in_bed_minutes", minutes(inBed)), ("total_sleep_minutes", minutes(total)),
            ("sleep_efficiency_percentage", .number(JSONNumber(efficiency))),
        ]
            + ["awake", "rem", "core", "deep"].map { ("\($0)_minutes", minutes(seconds[$0, default: 0])) }
    }
}
