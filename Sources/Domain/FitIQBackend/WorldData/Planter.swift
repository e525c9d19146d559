import FitIQAPI
import JSON

/// Plants a document into a copy of a backend, which the caller adopts if nothing was refused.
struct Planter {
    var backend: Backend
    var turn: Turn
    let room: StorageRoom
    /// Whether the document is a world that was saved: it fitted together, but maybe under other rules, in another guide,
    /// or with a clock that has been set back since; and what the world made itself may be larger than what it accepts.
    let isRestored: Bool

    var now: Timestamp { turn.date }
    var limits: Limits { backend.configuration.limits }

    mutating func plant(_ data: WorldData) throws(PlantError) {
        try passOverIssuedIDs(of: data)
        var names: Set<ExactString> = []
        for (index, user) in data.users.enumerated() {
            let path = "users[\(index)]"
            guard names.insert(user.id).inserted else { throw PlantError("\(path).id", .duplicateUser(user.id.text)) }
            try plant(user, at: path)
        }
    }

    private mutating func plant(_ data: UserData, at path: String) throws(PlantError) {
        let user = try user(data.id, at: path)
        var goals = try goalDrafts(of: data, user, at: path)
        var consultations = try consultationDrafts(of: data, user, goals: goals, at: path)
        try fillActive(data, user, &consultations, at: path)
        try chooseConversations(of: &goals, in: consultations.drafts, at: path)
        try insert(goals.goals, of: user, at: path)
        insert(consultations.drafts)
        try plantMealLogs(of: data, user, at: path)
        try plantDocuments(of: data, user, at: path)
        try plantPerson(of: data, user, at: path)
    }

    private mutating func user(_ id: ExactString, at path: String) throws(PlantError) -> UserID {
        // The rules of a token's `sub`: a user with any other id could not sign in.
        try check(id.text, "\(path).id", TextLengths.user, bytes: AccessToken.userBytes)
        if let user = backend.users[id] { return user }
        try check(backend.users.count + 1, "users", limit: limits.users, path)
        try checkStorage(path)
        return backend.add(id)
    }

    /// Refuses additions to a full world, as requests are refused.
    func checkStorage(_ path: @autoclosure () -> String, planned: Int = 0) throws(PlantError) {
        guard backend.storedBytes + planned < room.bytes else {
            throw PlantError(path(), .storeFull(limit: room.limit))
        }
    }

    /// Sorts oldest first; the position in the document decides between equal times.
    static func oldestFirst<Draft>(
        _ drafts: [Draft], by createdAt: (Draft) -> Timestamp
    ) -> [(index: Int, draft: Draft)] {
        drafts.enumerated().map { ($0.offset, $0.element) }.sorted { (createdAt($0.1), $0.0) < (createdAt($1.1), $1.0) }
    }

    /// Ensures that no id occurs twice, and that the sequence never issues an id of the document.
    mutating func passOverIssuedIDs(of data: WorldData) throws(PlantError) {
        if let count = data.issuedIDs {
            guard count >= 0 else { throw PlantError("issued_ids", .issuedIDs(count, maximum: .max)) }
            turn.identifiers.skip(toCount: count)
        }
        guard !data.users.isEmpty else { return }
        var ids = ExplicitIDs(backend)
        for (index, user) in data.users.enumerated() { try ids.take(user, at: "users[\(index)]", &turn.identifiers) }
    }

    func check(
        _ text: String?, _ path: @autoclosure () -> String, _ allowed: ClosedRange<Int>,
        bytes limit: Int = ClientFrame.maximumContentByteCount
    ) throws(PlantError) {
        guard let text, !isRestored else { return }
        // Check bytes first: a character can have any number of combining marks, and counting characters is slow.
        guard text.utf8.count <= limit else { throw PlantError(path(), .tooManyBytes(text.utf8.count, limit: limit)) }
        // No text has more characters than bytes, and most are far below the limit.
        guard text.utf8.count > allowed.upperBound || text.isEmpty || allowed.lowerBound > 1 else { return }
        let count = text.count
        guard allowed.contains(count) else { throw PlantError(path(), .length(count, allowed: allowed)) }
    }

    func check(_ number: Double, _ path: @autoclosure () -> String, _ allowed: ClosedRange<Double>) throws(PlantError) {
        guard allowed.contains(number) else { throw PlantError(path(), .number(number, allowed: allowed)) }
    }

    /// - Parameter what: What is counted, in the plural.
    func check(_ count: Int, _ what: String, limit: Int, _ path: @autoclosure () -> String) throws(PlantError) {
        guard count <= limit || isRestored else { throw PlantError(path(), .tooMany(what, count, limit: limit)) }
    }

    /// The times of a creation and of the last change; one that is not given is the other, or the world's start.
    ///
    /// - Parameter what: The creation: `the goal was created`.
    func times(
        _ created: DataTime?, _ updated: DataTime?, _ what: String, at path: String
    ) throws(PlantError) -> (created: Timestamp, updated: Timestamp) {
        let updated = try time(updated, "\(path).updated_at")
        let created = try time(created, "\(path).created_at") ?? updated ?? now
        try check(updated ?? created, "\(path).updated_at", notBefore: created, what)
        return (created, updated ?? created)
    }

    /// The given time, which must not be after the world's start; nil if none is given.
    func time(_ time: DataTime?, _ path: @autoclosure () -> String) throws(PlantError) -> Timestamp? {
        switch time {
        case nil: return nil
        case .at(let time):
            guard time <= now || isRestored else { throw PlantError(path(), .beyondTheBeginning(time, now: now)) }
            return min(time, now)
        case .before(let nanoseconds):
            guard nanoseconds >= 0 else { throw PlantError(path(), .negativeAge(nanoseconds)) }
            let (time, overflow) = now.nanosecondsSinceEpoch.subtractingReportingOverflow(nanoseconds)
            guard !overflow else { throw PlantError(path(), .beforeTheCalendar(nanoseconds)) }
            return Timestamp(nanosecondsSinceEpoch: time)
        }
    }

    /// - Parameter what: The event at the earlier time: `the goal was created`.
    func check(
        _ time: Timestamp, _ path: @autoclosure () -> String, notBefore earlier: Timestamp, _ what: String
    ) throws(PlantError) {
        guard time >= earlier || isRestored else { throw PlantError(path(), .outOfOrder(time, earlier: earlier, what)) }
    }
}

private struct ExplicitIDs {
    private var taken: Set<ResourceID>

    init(_ backend: Backend) {
        taken = Set(backend.goals.map(\.id))
        for record in backend.consultations { taken.formUnion([record.id] + record.history.messages.map(\.id)) }
        for record in backend.mealLogs { taken.formUnion([record.id] + record.log.items.compactMap(\.id)) }
        for user in backend.users {
            for photo in user.photos { taken.formUnion([photo.log.id] + photo.log.items.compactMap(\.id)) }
            for document in user.documents.values.joined() {
                taken.formUnion([document.id] + document.shares.map(\.id))
            }
            guard let person = user.person else { continue }
            taken.formUnion([person.profile.id, person.preferences?.id].compactMap(\.self))
            taken.formUnion(person.account?.refreshTokens.map(\.id) ?? [])
        }
    }

    mutating func take(_ user: UserData, at path: String, _ identifiers: inout ResourceIDSequence) throws(PlantError) {
        try take(user.goals.map(\.id), "\(path).goals", &identifiers)
        for (index, consultation) in user.consultations.enumerated() {
            let path = "\(path).consultations[\(index)]"
            try take(consultation.id, path, &identifiers)
            try take(consultation.messages.map(\.id), "\(path).messages", &identifiers)
        }
        for (name, logs) in [("meal_logs", user.mealLogs), ("photos", user.photos)] {
            for (index, log) in logs.enumerated() {
                try take(log.id, "\(path).\(name)[\(index)]", &identifiers)
                guard case .completed(let items) = log.progress else { continue }
                try take(items.map(\.id), "\(path).\(name)[\(index)].items", &identifiers)
            }
        }
        for collection in DocumentCollection.allCases {
            let (documents, path) = (user.documents[collection] ?? [], "\(path).documents.\(collection.rawValue)")
            try take(documents.map(\.id), path, &identifiers)
            for (index, document) in documents.enumerated() {
                try take(document.shares.map(\.id), "\(path)[\(index)].shared_with", &identifiers)
            }
        }
        try take(user.profile?.id, "\(path).profile", &identifiers)
        try take(user.preferences?.id, "\(path).preferences", &identifiers)
        try take(user.account?.refreshTokens.map(\.id) ?? [], "\(path).refresh_tokens", &identifiers)
    }

    private mutating func take(
        _ ids: [ResourceID?], _ path: String, _ identifiers: inout ResourceIDSequence
    ) throws(PlantError) {
        for (index, id) in ids.enumerated() { try take(id, "\(path)[\(index)]", &identifiers) }
    }

    private mutating func take(
        _ id: ResourceID?, _ path: @autoclosure () -> String, _ identifiers: inout ResourceIDSequence
    ) throws(PlantError) {
        guard let id else { return }
        guard taken.insert(id).inserted else { throw PlantError(path() + ".id", .duplicateID(id)) }
        identifiers.skip(past: id)
    }
}

/// The length limits of a document's texts, in characters: as in requests.
enum TextLengths {
    static let user = 1...200
    static let title = 1...200
    static let contextID = 1...200
    static let mealText = 1...CreateMealLogRequest.maximumInputLength
    static let mealNotes = 1...UpdateMealLogRequest.maximumNotesLength
    static let question = SendMessageRequest.lengths
    static let itemName = 1...10_000
    /// More than the parser produces from the longest text.
    static let itemText = 0...10_000

    /// The size limit in bytes of texts without a length limit in characters: those of a coach or the backend itself.
    static let maximumBytes = 1024 * 1024
}
