import JSON

/// An object of a collection that the apps sync, encoded when it changes.
///
/// Only its JSON is kept, because a parsed object takes ten times as much memory; what lists need of it is read when it
/// is encoded.
public struct Document: Sendable, Equatable {
    public let id: ResourceID
    public let createdAt: Timestamp
    public let updatedAt: Timestamp
    /// The users who may read and copy it, in addition to its own; in the order in which they were named.
    public var sharedWith: [ExactString]
    /// The object in responses: the world's members, then those that were sent.
    public let encoded: [UInt8]
    /// The length of the world's members, with the brace before them.
    private let headLength: Int
    private let valueCount: Int
    /// Whether its member `is_public` is true.
    public let isPublic: Bool
    /// Whether its member `is_read` is true.
    public let isRead: Bool

    /// - Parameter object: The members as they were sent, without those that the world sets.
    public init(
        id: ResourceID, user: ExactString, object: JSONObject, createdAt: Timestamp, updatedAt: Timestamp,
        sharedWith: [ExactString] = []
    ) {
        (self.id, self.createdAt, self.updatedAt, self.sharedWith) = (id, createdAt, updatedAt, sharedWith)
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.member("id", id)
        writer.member("user_id", user.text)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        headLength = writer.count
        for (name, value) in object {
            writer.key(escaping: name)
            writer.value(value)
        }
        writer.endObject()
        encoded = writer.takeBytes()
        valueCount = JSONValue.object(object).count
        isPublic = object["is_public"] == true
        isRead = object["is_read"] == true
    }

    /// The members that were sent, as JSON without braces.
    public var members: ArraySlice<UInt8> { encoded[headLength...].dropLast().drop { $0 == UInt8(ascii: ",") } }

    /// The members that were sent.
    public var object: JSONObject { JSONObject(encodedMembers: members) }

    /// What it counts for: at least what it takes in an export, and 24 bytes for each value of it.
    public var byteCount: Int {
        max(encoded.count, 24 * valueCount) + 192 + sharedWith.reduce(0) { $0 + 24 + 6 * $1.utf8.count }
    }
}

extension JSONObject {
    /// - Parameter members: Of an encoded object, as JSON without braces.
    package init(encodedMembers members: some Collection<UInt8>) {
        guard let object = (try? JSON.parse(Array("{".utf8) + members + Array("}".utf8)))?.object else {
            preconditionFailure("The members were encoded from an object.")
        }
        self = object
    }
}

extension JSONValue {
    /// The number of values in it, itself included.
    fileprivate var count: Int {
        switch self {
        case .null, .bool, .number, .string: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let object): object.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Whether a text in it, at any depth, contains the words, ignoring case.
    public func contains(_ isContained: (String) -> Bool) -> Bool {
        switch self {
        case .null, .bool, .number: false
        case .string(let text): isContained(text)
        case .array(let elements): elements.contains { $0.contains(isContained) }
        case .object(let object): object.contains { $0.value.contains(isContained) }
        }
    }
}

/// Response bodies of the operations on documents.
public enum DocumentAnswers {
    /// The most members with numbers that analytics name, in the order of their names.
    public static let mostFigures = 100

    /// A page of a list, newest first, with its totals.
    public static func list(
        _ documents: some Sequence<Document>, in collection: DocumentCollection, _ query: DocumentListQuery, total: Int
    ) -> [UInt8] {
        JSONWriter.success { data in
            data.key(escaping: collection.rawValue)
            data.array { array in for document in documents { array.raw(document.encoded) } }
            data.totals(query.page, total: total)
        }
    }
}
