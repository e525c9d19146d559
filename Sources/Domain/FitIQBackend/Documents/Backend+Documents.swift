import FitIQAPI
import JSON
import Patterns
import Text

/// The documents that the apps sync, by collection and user.
///
/// Each command returns the body of its success response, if any.
extension Backend {
    /// Adds a document, or returns the user's sleep session with the same `source_id` unchanged.
    ///
    /// - Throws: A 507 at the document limit, or if the world is full.
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
            throw .storeFull("documents for this user in \(collection.rawValue)", limit: limit)
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

    /// Lists a user's documents, newest first unless the query says otherwise.
    public func documents(_ query: DocumentListQuery, for user: UserID) -> Deferred<[UInt8]> {
        let documents = users[user].documents[query.collection, default: []]
        return Deferred(cost: query.cost(of: [documents])) { query.page(of: documents) }
    }

    /// Returns a document that belongs to or is shared with the user, or throws 404.
    public func document(
        _ id: String, in collection: DocumentCollection, for user: UserID
    ) throws(APIError) -> [UInt8] {
        JSONWriter.success(data: try readable(id, in: collection, for: user).encoded)
    }

    /// The members of this user's document; throws 404 for an unknown id and 403 for a document that is only shared.
    public func documentMembers(
        _ id: String, in collection: DocumentCollection, of user: UserID
    ) throws(APIError) -> JSONObject {
        users[user].documents[collection, default: []][try index(of: id, in: collection, of: user)].object
    }

    /// Replaces the members of a document.
    ///
    /// - Throws: A 404; a 403 if the document is only shared; a 400 for a mood from HealthKit; a 507 if the world is
    ///   full and the document would grow.
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

    /// - Throws: A 404, or a 403 if the document is only shared.
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

    /// The index of this user's document.
    ///
    /// - Throws: A 403 for a template that the user can only read, or a 404 for any other id.
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
    /// The body with a page of the matching documents.
    ///
    /// - Parameter documents: The documents in creation order, which breaks ties between equal times.
    func page(of documents: [Document], as encode: (Document) -> [UInt8] = \.encoded) -> [UInt8] {
        if let words { return SearchWords(words).page(of: documents.filter(matches), self) }
        let found = sorted(documents.filter(matches))
        return DocumentAnswers.list(found[page.range(of: found.count)].map(encode), self, total: found.count) { data in
            if collection == .sleep { Self.writeAverages(of: found, into: &data) }
        }
    }

    /// The averages over all matching sessions; null if there are none.
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

    /// The approximate ``Deferred/cost`` of finding the matches, which parses all objects or none.
    ///
    /// - Parameter readsPage: Whether at least the page's objects are parsed.
    func cost(of lists: [[Document]], readsPage: Bool = false) -> Int {
        var cost = lists.reduce(0) { $0 + 16 * $1.count }
        guard readsMembers || readsPage || collection == .sleep else { return cost }
        for document in lists.joined() where cost < 1 << 20 { cost += document.encoded.count }
        return cost
    }
}

/// The words of a journal search; all of them must occur, regardless of letter case.
struct SearchWords {
    private let words: [SoughtWords]

    init(_ words: [String]) { self.words = words.map { SoughtWords($0) } }

    /// The body with a page of the entries that contain all words, ordered by relevance, then newest first.
    func page(of entries: [Document], _ query: DocumentListQuery) -> [UInt8] {
        var found: [(relevance: Double, time: DateTime, place: Int, entry: Document)] = []
        for (place, entry) in entries.enumerated() {
            guard let relevance = relevance(of: entry.object) else { continue }
            found.append((relevance, entry.time, place, entry))
        }
        found.sort { ($0.relevance, $0.time, $0.place) > ($1.relevance, $1.time, $1.place) }
        let items = found[query.page.range(of: found.count)].map { item in
            item.entry.encoded.dropLast() + Array(",\"relevance_score\":\(JSONNumber(item.relevance).text)}".utf8)
        }
        return DocumentAnswers.list(items, query, total: found.count)
    }

    /// The mean relevance of the words, from 0 to 1: 1 in the title, 0.75 in a tag, 0.5 in the text; nil if a word is
    /// missing.
    private func relevance(of entry: JSONObject) -> Double? {
        let title = entry["title"]?.string ?? ""
        let tags = entry["tags"]?.array?.compactMap(\.string) ?? []
        var sum = 0.0
        for word in words {
            if word.isFound(in: title) {
                sum += 1
            } else if tags.contains(where: word.isFound(in:)) {
                sum += 0.75
            } else if word.isFound(in: entry["content"]?.string ?? "") {
                sum += 0.5
            } else {
                return nil
            }
        }
        return sum / Double(words.count)
    }
}

/// Insights, which the backend writes and the app's user reads, marks and archives.
extension Backend {
    /// `GET /api/v1/insights/unread/count`: counts insights that are neither read nor archived.
    public func unreadInsights(of user: UserID) -> [UInt8] {
        let count = users[user].documents[.insights, default: []].count(where: \.isUnread)
        return JSONWriter.success { $0.member("count", count) }
    }

    /// Sets a mark on an insight, or toggles it if the value is nil; an unchanged mark keeps its time.
    ///
    /// - Throws: A 404.
    public mutating func markInsight(
        _ id: String, _ member: String, as value: Bool?, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: .insights, of: user)
        let insight = users[user].documents[.insights, default: []][index]
        var object = insight.object
        let value = value ?? (object[member] != true)
        if object[member] != .bool(value) {
            object[member] = .bool(value)
            let marked = Document(
                id: insight.id, user: users[user].id, object: object, in: .insights, createdAt: insight.createdAt,
                updatedAt: turn.date)
            set(marked, at: index, in: .insights, of: user)
        }
        return JSONWriter.success { data in
            let state = member.dropFirst("is_".count)
            data.member(
                "message", "The insight is \(value ? "" : "not ")\(state == "favorite" ? "a favorite" : state).")
            data.member("id", insight.id)
            for mark in ["is_read", "is_favorite", "is_archived"] {
                data.key(escaping: mark)
                data.value(object[mark] == true)
            }
        }
    }

    /// Adds an insight that counts a period's records (`POST /api/v1/insights/generate/wellness`).
    ///
    /// - Throws: A 507 at the document limit, or if the world is full.
    public mutating func generateInsight(
        _ request: GenerateInsightRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        func count(_ collection: DocumentCollection) -> Int {
            users[user].documents[collection, default: []].count { request.period.contains($0.time) }
        }
        let (moods, entries) = (count(.moodEntries), count(.journal))
        let states = users[user].goals.map { goals[$0].goal.state.appStatus }
        let (active, completed) = (states.count { $0 == .active }, states.count { $0 == .completed })
        let parts = [
            Text.Words.counted(moods, "mood"), Text.Words.counted(entries, "journal entry", "journal entries"),
            Text.Words.counted(active, "active goal"),
        ]
        let summary = parts.joined(separator: ", ") + "."
        func time(_ time: DateTime) -> JSONValue { .string(time.millisecondText) }
        func number(_ count: Int) -> JSONValue { .number(JSONNumber(count)) }
        let suggestions: [JSONValue] = [
            moods == 0 ? "Record a mood once a day." : "Look at what your best days have in common.",
            entries == 0 ? "Write two sentences before you sleep." : "Reread what you wrote last week.",
        ]
        let insight = try addDocument(
            [
                "insight_type": .string(request.type), "title": .string("Your \(request.type) wellness insight"),
                "content": .string(
                    "From \(request.period.lowerBound.wireText.prefix(10)) to "
                        + "\(request.period.upperBound.wireText.prefix(10)) you recorded " + summary),
                "summary": .string(summary), "period_start": time(request.period.lowerBound),
                "period_end": time(request.period.upperBound),
                "metrics": [
                    "mood_entries_count": number(moods), "journal_entries_count": number(entries),
                    "goals_active": number(active), "goals_completed": number(completed),
                ],
                "suggestions": .array(suggestions), "is_read": false, "is_favorite": false, "is_archived": false,
            ], in: .insights, by: user, &turn)
        return JSONWriter.success(data: insight.encoded)
    }
}
