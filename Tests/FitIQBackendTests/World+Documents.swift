import FitIQAPI
import JSON

@testable import FitIQBackend

extension DocumentCollection {
    /// The operation that lists the collection.
    var list: Endpoint {
        switch self {
        case .moodEntries: .listMoodEntries
        case .journal: .listJournalEntries
        case .insights: .listInsights
        case .progress: .listProgress
        case .sleep: .listSleep
        case .workouts: .listWorkouts
        case .profileMetrics: .listProfileMetrics
        case .workoutTemplates: .listWorkoutTemplates
        }
    }
}

extension World {
    typealias Query = [(name: String, value: String)]

    /// Adds a document with any members.
    mutating func post(
        _ object: JSONObject, in collection: DocumentCollection = .journal, by user: UserID
    ) throws -> JSONValue {
        try data(try create(object, in: collection, by: user))
    }

    /// Adds a document with the members of a request.
    @discardableResult
    mutating func send(_ json: String, to collection: DocumentCollection, by user: UserID) throws -> JSONValue {
        try post(DocumentRequest.object(json.bytes, for: collection, at: turn.date), in: collection, by: user)
    }

    /// The id of a document that is added with the members of a request.
    mutating func id(of json: String, in collection: DocumentCollection, by user: UserID) throws -> String {
        try send(json, to: collection, by: user)["id"]?.string ?? ""
    }

    // Changes the backend and the turn together, which a captured variable does not allow.
    mutating func create(_ object: JSONObject, in collection: DocumentCollection, by user: UserID) throws(APIError)
        -> [UInt8]
    { try add(object, to: collection, by: user).body }

    mutating func add(_ object: JSONObject, to collection: DocumentCollection, by user: UserID) throws(APIError)
        -> (isNew: Bool, body: [UInt8])
    { try backend.createDocument(object, in: collection, by: user, &turn) }

    mutating func replace(
        _ id: String, with object: JSONObject, in collection: DocumentCollection, by user: UserID
    ) throws(APIError) -> [UInt8] {
        try backend.replaceDocument(id, with: object, in: collection, by: user, &turn)
    }

    mutating func mark(_ id: String, _ member: String, as value: Bool?, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.markInsight(id, member, as: value, by: user, &turn)
    }

    mutating func generate(_ json: String, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.generateInsight(GenerateInsightRequest(body: json.bytes, at: turn.date), by: user, &turn)
    }

    mutating func share(_ id: String, _ json: String, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.shareTemplate(id, ShareDocumentRequest(body: json.bytes), by: user, &turn)
    }

    mutating func unshare(_ id: String, with other: String, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.unshareTemplate(id, with: other, by: user, at: turn.date)
    }

    mutating func copy(_ id: String, as name: String? = nil, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.copyTemplate(id, as: name, by: user, &turn)
    }

    // MARK: Reading

    func query(_ endpoint: Endpoint, _ collection: DocumentCollection, _ query: Query) throws -> DocumentListQuery {
        try DocumentListQuery(query: query, of: endpoint, in: collection, at: turn.date)
    }

    func documents(
        _ collection: DocumentCollection = .journal, _ query: Query = [], for user: UserID
    ) throws -> JSONValue {
        try data(backend.documents(try self.query(collection.list, collection, query), for: user).make())
    }

    func search(_ words: String, _ query: Query = [], for user: UserID) throws -> JSONValue {
        let query = try self.query(.searchJournal, .journal, query + [("q", words)])
        return try data(backend.documents(query, for: user).make())
    }

    func templates(_ query: Query = [], for user: UserID) throws -> JSONValue {
        try data(backend.templates(try self.query(.listWorkoutTemplates, .workoutTemplates, query), for: user).make())
    }

    func publicTemplates(_ query: Query = []) throws -> JSONValue {
        let query = try self.query(.listPublicWorkoutTemplates, .workoutTemplates, query)
        return try data(backend.publicTemplates(query).make())
    }

    func sharedTemplates(with user: UserID, _ query: Query = []) throws -> JSONValue {
        let query = try self.query(.listSharedWorkoutTemplates, .workoutTemplates, query)
        return try data(backend.templatesShared(with: user, query, at: turn.date).make())
    }

    func data(_ body: [UInt8]) throws -> JSONValue { try JSON.parse(body)["data"] ?? .null }
}

extension JSONValue {
    /// A member of each object in a list.
    func texts(_ list: String, _ member: String) -> [String?] { (self[list]?.array ?? []).map { $0[member]?.string } }
}
