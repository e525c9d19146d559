import JSON
import Texts

/// A list of JSON objects of each user that the apps sync in the background.
///
/// What is in the objects, and how they are listed, is a row of `Fixtures/data/collections.json`. The raw value is the
/// row's name, and that of the list in scenario files.
public enum DocumentCollection: String, CaseIterable, Sendable, Hashable {
    case moodEntries = "mood_entries"
    case journal
    case insights
    case progress
    case sleep
    case workouts
    case profileMetrics = "profile_metrics"
    case workoutTemplates = "workout_templates"

    private static let rows = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, CollectionRow.builtIn($0.rawValue)) })

    public var row: CollectionRow {
        guard let row = Self.rows[self] else { preconditionFailure("Every collection has a row.") }
        return row
    }

    /// The members that the server sets; it ignores them in requests.
    public var reservedMembers: [String] {
        switch self {
        case .workoutTemplates: row.reservedMembers + ["shared_with"]
        // Of what a search finds.
        case .journal: row.reservedMembers + ["relevance_score"]
        default: row.reservedMembers
        }
    }
}

/// A row of the table of collections.
public final class CollectionRow: Sendable {
    /// One of its objects, for messages: `mood entry`.
    public let item: String
    /// Below `/api/v1`.
    let path: String
    /// The name of the list in an answer; nil if `data` is the list.
    let list: String?
    /// Items on a page unless a query says how many.
    let pageSize: Int
    /// The member with the time by which the list is sorted; nil for the creation.
    let time: String?
    /// Whether times are written with milliseconds, as one of the apps needs them: `2025-01-29T10:30:00.000Z`.
    let hasFractions: Bool
    let members: [MemberRule]
    /// In the order of the table.
    let filters: [FilterRule]

    /// The members that the world sets in every object, and those that it computes.
    let reservedMembers: [String]

    /// Reads a row of the embedded table; crashes if the row is missing or malformed, which a test rules out.
    static func builtIn(_ name: String) -> CollectionRow {
        guard let row = CollectionTable.builtIn[name]?.object else { preconditionFailure("No row \(name).") }
        return CollectionRow(row)
    }

    private init(_ row: JSONObject) {
        item = row.text("item")
        (path, list) = (row["path"]?.string ?? "", row["list"]?.string)
        (pageSize, time) = (row["limit"]?.int ?? 20, row["time"]?.string)
        hasFractions = row["fractions"] == true
        members = MemberRule.list(row["members"])
        filters = (row["filters"]?.object ?? [:]).map { FilterRule(name: $0.key, $0.value.object ?? [:]) }
        reservedMembers = ["id", "user_id", "created_at", "updated_at"] + members.filter(\.isComputed).map(\.name)
    }

    func member(_ name: String) -> MemberRule? { members.first { $0.name == name } }
}

/// `Fixtures/data/collections.json`: JSON Schema's words for the members, of which `MemberRule` knows some.
enum CollectionTable {
    static let builtIn: JSONObject = {
        let text = EmbeddedText(path: "Fixtures/data/collections.json")
        let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
        guard let table = (try? JSON.parse(bytes))?.object else { preconditionFailure("The table is a JSON object.") }
        return table
    }()
}

extension JSONObject {
    /// A text of the table.
    func text(_ name: String) -> String {
        guard let text = self[name]?.string else { preconditionFailure("The table lacks \(name): \(self)") }
        return text
    }
}
