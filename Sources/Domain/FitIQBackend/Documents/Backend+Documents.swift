import FitIQAPI
import JSON

/// The documents that the apps sync, by collection and user.
///
/// Each command returns the body of its success, unless that has none.
extension Backend {
    /// Adds a document, or finds the sleep session of this user with the same `source_id`, which stays as it is.
    ///
    /// - Throws: 507 at the limit of documents, or if the world is full.
    public mutating func createDocument(
        _ object: JSONObject, in collection: DocumentCollection, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> (isNew: Bool, body: [UInt8]) {
        if collection == .sleep, let source = object.sourceID,
            let known = users[user].documents[.sleep, default: []].first(where: { $0.sourceID == source })
        {
            return (false, JSONWriter.success(data: known.encoded))
        }
        return (true, JSONWriter.success(data: try addDocument(object, in: collection, by: user, &turn).encoded))
    }

    mutating func addDocument(
        _ object: JSONObject, in collection: DocumentCollection, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> Document {
        let limit = configuration.limits.documents
        guard users[user].documents[collection, default: []].count < limit else {
            throw .storeFull("documents of this user in \(collection.rawValue)", limit: limit)
        }
        try checkStorage()
        let document = Document(
            id: turn.identifiers.next(), user: users[user].id, object: object, in: collection, createdAt: turn.date,
            updatedAt: turn.date)
        try document.checkSize(in: collection)
        insert(document, in: collection, of: user)
        return document
    }

    mutating func insert(_ document: Document, in collection: DocumentCollection, of user: UserID) {
        users[user].documents[collection, default: []].append(document)
        storedBytes += document.byteCount
        let index = (users[user].documents[collection]?.count ?? 1) - 1
        noteChange(of: document.id, isNew: true, at: index, in: collection, of: user)
        noteSharing(of: document, in: collection, by: user)
    }

    /// Lists a user's documents, the newest first unless the query says otherwise.
    public func documents(_ query: DocumentListQuery, for user: UserID) -> Deferred<[UInt8]> {
        let documents = users[user].documents[query.collection, default: []]
        return Deferred(cost: query.cost(of: [documents])) { query.page(of: documents) }
    }

    /// Returns a document, also another user's if it is shared; otherwise throws 404.
    public func document(
        _ id: String, in collection: DocumentCollection, for user: UserID
    ) throws(APIError) -> [UInt8] {
        JSONWriter.success(data: try readable(id, in: collection, for: user).encoded)
    }

    /// The members of this user's document; throws 404 if the user has none with this id, or 403 if it is shared.
    public func documentMembers(
        _ id: String, in collection: DocumentCollection, of user: UserID
    ) throws(APIError) -> JSONObject {
        users[user].documents[collection, default: []][try index(of: id, in: collection, of: user)].object
    }

    /// Replaces the members of a document.
    ///
    /// - Throws: 404; 403 if it is only shared; 400 for a mood of HealthKit; 507 if the world is full and the document
    ///   would grow.
    public mutating func replaceDocument(
        _ id: String, with object: JSONObject, in collection: DocumentCollection, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: collection, of: user)
        let old = users[user].documents[collection, default: []][index]
        if collection == .moodEntries, old.object["source"] == "healthkit" { throw .editedHealthKit }
        let document = Document(
            id: old.id, user: users[user].id, object: object, in: collection, createdAt: old.createdAt,
            updatedAt: turn.date, shares: old.shares)
        try document.checkSize(in: collection)
        if document.byteCount > old.byteCount { try checkStorage() }
        set(document, at: index, in: collection, of: user)
        return JSONWriter.success(data: document.encoded)
    }

    /// - Throws: 404; 403 if it is only shared.
    public mutating func deleteDocument(
        _ id: String, in collection: DocumentCollection, by user: UserID
    ) throws(APIError) {
        let index = try index(of: id, in: collection, of: user)
        let removed = users[user].documents[collection]?.remove(at: index)
        storedBytes -= removed?.byteCount ?? 0
        if let removed { noteRemoval(of: removed.id, in: collection, of: user) }
        if users[user].documents[collection, default: []].isEmpty { users[user].documents[collection] = nil }
    }

    mutating func set(_ document: Document, at index: Int, in collection: DocumentCollection, of user: UserID) {
        storedBytes += document.byteCount - (users[user].documents[collection]?[index].byteCount ?? 0)
        users[user].documents[collection]?[index] = document
        noteChange(of: document.id, at: index, in: collection, of: user)
        noteSharing(of: document, in: collection, by: user)
    }

    /// The place of this user's document.
    ///
    /// - Throws: 403 for a template that the user may only read, another's or the system's; 404 for any other id.
    @discardableResult
    public func index(of id: String, in collection: DocumentCollection, of user: UserID) throws(APIError) -> Int {
        let resource = resource(id)
        if let resource, let index = users[user].documents[collection]?.firstIndex(where: { $0.id == resource }) {
            if users[user].documents[collection]?[index].isOfSystem == true { throw .notYours(template: id) }
            return index
        }
        if foreignTemplate(resource, in: collection, for: user) != nil { throw .notYours(template: id) }
        throw .unknownDocument(id, in: collection)
    }

    mutating func removeDocuments(of user: UserID) {
        for (collection, documents) in users[user].documents {
            storedBytes -= documents.reduce(0) { $0 + $1.byteCount }
            for document in documents { noteRemoval(of: document.id, in: collection, of: user) }
        }
        users[user].documents = [:]
        sharers.remove(user)
    }
}

extension DocumentListQuery {
    /// The answer with a page of what matches.
    ///
    /// - Parameter documents: In the order of their creation, which decides between equal times.
    func page(of documents: [Document], as encode: (Document) -> [UInt8] = \.encoded) -> [UInt8] {
        if let words { return SearchWords(words).page(of: documents.filter(matches), self) }
        let found = sorted(documents.filter(matches))
        return DocumentAnswers.list(found[page.range(of: found.count)].map(encode), self, total: found.count) { data in
            if collection == .sleep { Self.writeAverages(of: found, into: &data) }
        }
    }

    /// The averages of all sessions that match; null if there are none.
    private static func writeAverages(of sessions: [Document], into data: inout JSONWriter) {
        guard !sessions.isEmpty else { return data.memberNull("averages") }
        let objects = sessions.map { (try? JSON.parse($0.encoded)) ?? .null }
        func average(_ member: String) -> Double {
            objects.reduce(0) { $0 + ($1[member]?.double ?? 0) } / Double(objects.count)
        }
        data.object("averages") { averages in
            averages.member("avg_time_in_bed_minutes", Int(average("time_in_bed_minutes").rounded()))
            averages.member("avg_total_sleep_minutes", Int(average("total_sleep_minutes").rounded()))
            averages.member("avg_sleep_efficiency_percentage", average("sleep_efficiency_percentage"))
        }
    }

    private func sorted(_ documents: [Document]) -> [Document] {
        func order<Key: Comparable>(_ key: (Document) -> Key) -> [Document] {
            let keyed = documents.enumerated().map { (key: key($0.element), place: $0.offset, document: $0.element) }
            let sorted = keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.document)
            return isAscending ? sorted : sorted.reversed()
        }
        switch sortedBy {
        case nil: return order { Moment(second: $0.time, creation: $0.createdAt) }
        case .createdAt: return order(\.createdAt)
        case .updatedAt: return order(\.updatedAt)
        case .periodStart: return order { $0.object.time("period_start") ?? DateTime(secondsSinceEpoch: .min) }
        }
    }

    private struct Moment: Comparable {
        let second: DateTime
        let creation: Timestamp

        static func < (left: Self, right: Self) -> Bool {
            (left.second, left.creation) < (right.second, right.creation)
        }
    }

    /// The ``Deferred/cost`` of finding what matches, or part of it if that is much: all objects are parsed or none.
    ///
    /// - Parameter readsPage: Whether the objects of the page are parsed at least.
    func cost(of lists: [[Document]], readsPage: Bool = false) -> Int {
        var cost = lists.reduce(0) { $0 + 16 * $1.count }
        guard readsMembers || readsPage || collection == .sleep else { return cost }
        for document in lists.joined() where cost < 1 << 20 { cost += document.encoded.count }
        return cost
    }
}
