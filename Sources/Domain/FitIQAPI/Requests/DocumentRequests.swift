import JSON

/// The body of a request that creates or replaces a document: any JSON object.
public enum DocumentRequest {
    /// The size limit of a document as JSON.
    public static let maximumBytes = 64 * 1024
    /// Fewer levels than other bodies have: in a scenario file documents lie deeper.
    public static let limits = JSON.Limits(depth: 32, values: BodyReader.limits.values)

    /// Reads the object without the members that the world sets.
    public static func object(_ body: [UInt8], for collection: DocumentCollection) throws(APIError) -> JSONObject {
        let object = try BodyReader(body, limits: limits).object.withoutMembers(collection.reservedMembers)
        try checkSize(of: object, for: collection)
        return object
    }

    package static func checkSize(of object: JSONObject, for collection: DocumentCollection) throws(APIError) {
        let size = JSONValue.object(object).encoded().count
        guard size <= maximumBytes else { throw .documentTooLarge(collection.item, limit: maximumBytes, got: size) }
    }
}

extension JSONObject {
    package func withoutMembers(_ names: [String]) -> JSONObject {
        JSONObject(filter { member in !names.contains { $0.isExactly(member.key) } })
    }
}

/// The query of a list of documents; only the parameters that issue each list are read.
public struct DocumentListQuery: Equatable, Sendable {
    /// `limit` 1 to 100, default 20; `offset` from 0, or `page` from 1.
    public var page: Page
    // Absent filters match all.
    public var created: CreationSpan
    /// The value of the document's member `status`.
    public var status: ExactString?
    /// Words from `q`, in any text of the document; only a search reads them.
    public var words: String?

    static let filters = CreationSpan.parameters + ["status"]
    static let parameters = ["page", "limit", "offset"] + filters

    public init(query: [(name: String, value: String)], searches: Bool = false) throws(APIError) {
        let parameters = QueryReader(query)
        page = try parameters.page(size: "limit", default: 20, isForApps: true) ?? Page(number: 1, size: 20)
        created = try CreationSpan(parameters)
        status = parameters["status"].map(ExactString.init(_:))
        words = searches ? parameters["q"] : nil
    }
}

/// The body of `POST /api/v1/workout-templates/{id}/share`: `user_ids`, or one `user_id`.
public struct ShareDocumentRequest: Equatable, Sendable {
    public var users: [ExactString]

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        let expected = "the ids of the users to share with, a list of strings of 1 to 200 characters"
        let list = fields["user_ids"] ?? fields["user_id"].map { .array([$0]) }
        guard let list else { throw .missingField("user_ids", expected: expected) }
        let ids = (list.array ?? []).compactMap(\.string).filter(AccessToken.isUser)
        guard !ids.isEmpty, ids.count == list.array?.count else {
            throw .wrongType("user_ids", expected: expected, got: list)
        }
        users = ids.map(ExactString.init(_:))
    }
}
