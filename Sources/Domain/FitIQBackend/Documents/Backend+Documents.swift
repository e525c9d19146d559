import FitIQAPI
import JSON
import Patterns

/// The documents that the apps sync: kept as sent, by collection and user.
///
/// Each command returns the body of its success, unless that has none.
extension Backend {
    /// Adds a document.
    ///
    /// - Throws: 507 at the limit of documents, or if the world is full.
    public mutating func createDocument(
        _ object: JSONObject, in collection: DocumentCollection, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        JSONWriter.success(data: try addDocument(object, in: collection, by: user, &turn).encoded)
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
            id: turn.identifiers.next(), user: users[user].id, object: object, createdAt: turn.date,
            updatedAt: turn.date)
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

    /// Lists documents, newest first.
    public func documents(
        in collection: DocumentCollection, _ query: DocumentListQuery, for user: UserID
    ) -> Deferred<[UInt8]> {
        let documents = users[user].documents[collection, default: []]
        return Deferred(cost: query.cost(of: [documents])) { query.page(of: documents.reversed(), in: collection) }
    }

    /// Returns a document, also another user's if it is shared; otherwise throws 404.
    public func document(
        _ id: String, in collection: DocumentCollection, for user: UserID
    ) throws(APIError) -> [UInt8] {
        JSONWriter.success(data: try readable(id, in: collection, for: user).encoded)
    }

    /// Throws 404 if the user has no document with this id; sharing does not count.
    public func checkDocument(_ id: String, in collection: DocumentCollection, of user: UserID) throws(APIError) {
        _ = try index(of: id, in: collection, of: user)
    }

    /// Replaces everything that was sent.
    ///
    /// - Throws: 404; 507 if the world is full and the document would grow.
    public mutating func replaceDocument(
        _ id: String, with object: JSONObject, in collection: DocumentCollection, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: collection, of: user)
        let old = users[user].documents[collection, default: []][index]
        let document = Document(
            id: old.id, user: users[user].id, object: object, createdAt: old.createdAt, updatedAt: turn.date,
            sharedWith: old.sharedWith)
        if document.byteCount > old.byteCount { try checkStorage() }
        set(document, at: index, in: collection, of: user)
        return JSONWriter.success(data: document.encoded)
    }

    public mutating func deleteDocument(
        _ id: String, in collection: DocumentCollection, by user: UserID
    ) throws(APIError) {
        let index = try index(of: id, in: collection, of: user)
        let removed = users[user].documents[collection]?.remove(at: index)
        storedBytes -= removed?.byteCount ?? 0
        if let removed { noteRemoval(of: removed.id, in: collection, of: user) }
        if users[user].documents[collection, default: []].isEmpty { users[user].documents[collection] = nil }
    }

    /// Sets one member to true or false; nil turns it.
    ///
    /// A document that has the value already stays as it is, with its time. Throws 404.
    public mutating func markDocument(
        _ id: String, _ member: String, as value: Bool?, in collection: DocumentCollection, by user: UserID,
        _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: collection, of: user)
        var document = users[user].documents[collection, default: []][index]
        var object = document.object
        let value = value ?? (object[member] != true)
        if object[member] != .bool(value) {
            object[member] = .bool(value)
            document = Document(
                id: document.id, user: users[user].id, object: object, createdAt: document.createdAt,
                updatedAt: turn.date, sharedWith: document.sharedWith)
            set(document, at: index, in: collection, of: user)
        }
        return JSONWriter.success(data: document.encoded)
    }

    mutating func set(_ document: Document, at index: Int, in collection: DocumentCollection, of user: UserID) {
        storedBytes += document.byteCount - (users[user].documents[collection]?[index].byteCount ?? 0)
        users[user].documents[collection]?[index] = document
        noteChange(of: document.id, at: index, in: collection, of: user)
        noteSharing(of: document, in: collection, by: user)
    }

    /// The place of this user's document; throws 404 for another user's, as if it did not exist.
    func index(of id: String, in collection: DocumentCollection, of user: UserID) throws(APIError) -> Int {
        guard let resource = resource(id),
            let index = users[user].documents[collection]?.firstIndex(where: { $0.id == resource })
        else { throw .unknownDocument(id, in: collection) }
        return index
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
    func page(of documents: some Sequence<Document>, in collection: DocumentCollection) -> [UInt8] {
        let matching = documents.filter(matches)
        return DocumentAnswers.list(
            matching[page.range(of: matching.count)], in: collection, self, total: matching.count)
    }

    /// The ``Deferred/cost`` of finding what matches, or part of it if that is much: all objects are parsed or none.
    ///
    /// - Parameter isParsed: Whether all are parsed in any case.
    func cost(of lists: [[Document]], isParsed: Bool = false) -> Int {
        var cost = lists.reduce(0) { $0 + 4 * $1.count }
        guard isParsed || status != nil || words != nil else { return cost }
        for document in lists.joined() where cost < 1 << 20 { cost += document.encoded.count }
        return cost
    }

    /// Whether a document is among those asked for; the words are prepared once for all.
    var matches: (Document) -> Bool {
        let sought = words.map { SoughtWords($0) }
        return { document in
            guard created.contains(document.createdAt) else { return false }
            guard status != nil || sought != nil else { return true }
            let object = document.object
            guard status == nil || object["status"]?.exactString == status else { return false }
            guard let sought else { return true }
            return JSONValue.object(object).contains { sought.isFound(in: $0) }
        }
    }
}
