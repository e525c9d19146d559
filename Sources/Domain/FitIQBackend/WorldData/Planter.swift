import FitIQAPI
import JSON

/// Plants a document into a copy of a backend, which the caller adopts if planting succeeds.
struct Planter {
    var backend: Backend
    var turn: Turn
    let room: StorageRoom
    /// Whether the document is a saved world.
    ///
    /// A saved world was consistent, but possibly under different rules, in a different guide, or before the clock was
    /// set back. Data that the world itself wrote may exceed the limits for input.
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
        // The rules for a token's `sub`: a user with any other id could not log in.
        try check(id.text, "\(path).id", AccessToken.userLength, bytes: AccessToken.userBytes)
        if let user = backend.users[id] { return user }
        try check(backend.users.count + 1, "users", limit: limits.users, path)
        try checkStorage(path)
        return backend.add(id)
    }

    /// Rejects additions to a full world, just as requests are rejected.
    func checkStorage(_ path: @autoclosure () -> String, planned: Int = 0) throws(PlantError) {
        guard backend.storedBytes + planned < room.bytes else {
            throw PlantError(path(), .storeFull(limit: room.limit))
        }
    }

    /// Sorts oldest first; the position in the document breaks ties between equal times.
    static func oldestFirst<Draft>(
        _ drafts: [Draft], by createdAt: (Draft) -> Timestamp
    ) -> [(index: Int, draft: Draft)] {
        drafts.enumerated().map { ($0.offset, $0.element) }.sorted { (createdAt($0.1), $0.0) < (createdAt($1.1), $1.0) }
    }

    /// Checks that no id occurs twice, and makes the sequence skip the ids of the document.
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
        // No string has more characters than bytes, and most strings are far below the limit.
        guard text.utf8.count > allowed.upperBound || text.isEmpty || allowed.lowerBound > 1 else { return }
        let count = text.count
        guard allowed.contains(count) else { throw PlantError(path(), .length(count, allowed: allowed)) }
    }

    func check(_ number: Double, _ path: @autoclosure () -> String, _ allowed: ClosedRange<Double>) throws(PlantError) {
        guard allowed.contains(number) else { throw PlantError(path(), .number(number, allowed: allowed)) }
    }

    /// - Parameter what: The counted entities, in the plural.
    func check(_ count: Int, _ what: String, limit: Int, _ path: @autoclosure () -> String) throws(PlantError) {
        guard count <= limit || isRestored else { throw PlantError(path(), .tooMany(what, count, limit: limit)) }
    }

    /// The times of the creation and the last change; a missing one defaults to the other, or to the world's start.
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

/// The length limits of a document's strings, in characters; other limits are in the types of requests.
package enum TextLengths {
    package static let mealText = 1...CreateMealLogRequest.maximumInputLength
    package static let mealNotes = 1...UpdateMealLogRequest.maximumNotesLength
    static let question = SendMessageRequest.lengths
    static let itemName = 1...10_000
    /// More than the parser produces from the longest text.
    static let itemText = 0...10_000

    /// The size limit in bytes for text that coaches or the backend wrote, which has no limit in characters.
    static let maximumBytes = 1024 * 1024
}

/// Why data cannot be planted; nothing was planted.
public struct PlantError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position in the document, by keys and by indexes from 0: `users[0].consultations[2].messages[1].created_at`.
    public var path: String
    /// The problem, what is allowed, and how to fix it.
    public var message: String
    /// Whether the data is valid but does not fit into the world.
    public var isForWantOfRoom = false

    init(_ path: String, _ problem: Problem) {
        (self.path, message) = (path, problem.message)
        if case .storeFull = problem { isForWantOfRoom = true }
    }

    public var description: String { "\(path): \(message)" }

    enum Problem {
        // Ids and references.
        case duplicateID(ResourceID), duplicateUser(String), duplicateName(String)
        case duplicateAddress(String), notAnAddress(String)
        case issuedIDs(Int, maximum: Int), unknownGoal(GoalReference)
        // Consultations.
        case missingContextGoal, strayContextGoal(ContextType), strayContextID(ContextType), linkedAndUnlinked
        case notEnded, nothingToAnswer
        case duplicateTopic(Topic), tooManyActive(limit: Int), twoConversations(other: String)
        // Times, ages in nanoseconds, and the event at the earlier of two times: `the goal was created`.
        case beyondTheBeginning(Timestamp, now: Timestamp), negativeAge(Int64), beforeTheCalendar(Int64)
        case outOfOrder(Timestamp, earlier: Timestamp, String), finishedWhileProcessing
        case photoNotRecognized, mealTypeOfApps(MealType), manualMeal
        // Values.
        case length(Int, allowed: ClosedRange<Int>), tooManyBytes(Int, limit: Int), blank
        case documentTooLarge(Int, limit: Int)
        /// A document violates a rule of its collection; the wording is the same as for a request.
        case document(String)
        case number(Double, allowed: ClosedRange<Double>), negative(Int)
        // Limits, with the counted entities in the plural: `goals`.
        case tooMany(String, Int, limit: Int), storeFull(limit: Int)
    }
}

extension PlantError.Problem {
    var message: String {
        switch self {
        case .duplicateID(let id):
            "The id \(id) occurs twice, but ids must be unique in a world: omit it to have one issued."
        case .duplicateUser(let id): "The user \"\(id)\" occurs twice; put all of the user's data into one entry."
        case .duplicateName(let name):
            "Two of this user's goals are called \"\(name)\"; give each goal a different name."
        case .duplicateAddress(let email):
            "Another user already has the address \"\(email)\" (case is ignored); each account needs a different "
                + "address."
        case .notAnAddress(let email): "\"\(email)\" is not an email address such as \"ada@example.com\"."
        case .issuedIDs(let count, let maximum):
            "\(count) ids cannot have been issued; the number must be from 0 to \(maximum)."
        case .unknownGoal(.named(let name)):
            "This user has no goal called \"\(name)\"; add a goal with this name or id."
        case .unknownGoal(.id(let id)):
            "This user has no goal with the id \(id); add a goal with this name or id."

        case .missingContextGoal:
            "The context is a goal, but no goal is named; name one of the user's goals, or use another context."
        case .strayContextGoal(let context):
            "The context is \"\(context.rawValue)\", so the consultation cannot be about a goal; set the context to "
                + "\"goal\", "
                + "or link the goal with linked_goal."
        case .strayContextID(let context):
            "The context \"\(context.rawValue)\" has no context_id; omit it, or set the context to \"insight\", "
                + "\"mood\" or \"journal\"."
        case .linkedAndUnlinked:
            "The consultation cannot be both unlinked and linked to a goal; omit unlinked or "
                + "linked_goal."
        case .notEnded:
            "An active consultation has not been completed; omit completed_at, or change the status."
        case .nothingToAnswer:
            "Only an active consultation whose last message is from the user can await an answer; omit awaits_answer."
        case .duplicateTopic(let topic):
            "The user already has an active consultation with the \(topic.persona.rawValue) about "
                + "\"\(topic.context.type.rawValue)\(topic.context.id.map { " \($0)" } ?? "")\", "
                + "and one is the limit; archive one of the two, or use another persona or context."
        case .tooManyActive(let limit):
            "A user may have at most \(limit) active consultations; archive or omit some."
        case .twoConversations(let other):
            "The goal is already linked to \(other), and can have only one conversation; set is_goals_conversation: "
                + "false in one of the two consultations."

        case .beyondTheBeginning(let time, let now):
            "\(time.preciseText) is after \(now.preciseText), when the world begins; set an earlier time, or "
                + "omit it."
        case .negativeAge(let age):
            "\(age) ns before the world begins is after the world's start; set a duration of 0 or more, or omit it."
        case .beforeTheCalendar(let age):
            "\(age) ns before the world begins is before 1678, the earliest supported year; set a shorter duration."
        case .outOfOrder(let time, let earlier, let what):
            "\(time.preciseText) is before \(earlier.preciseText), when \(what); set that time or a later one, or omit "
                + "it."
        case .finishedWhileProcessing:
            "A meal log that is being processed has not finished; omit the time, or change the status."
        case .photoNotRecognized: "A photo is recognized immediately; set the status to completed or failed."
        case .mealTypeOfApps(let type):
            "Only the apps use the meal type \"\(type.rawValue)\"; use a different type, or use the guide union."

        case .manualMeal:
            "The guide websocket-architecture has no status \"manual\"; set completed, or use the "
                + "guide union or meal-log-websocket."

        case .length(let count, let allowed):
            "The text has \(count) characters, but must have \(allowed.lowerBound) to \(allowed.upperBound)."
        case .tooManyBytes(let count, let limit):
            "The text has \(count) bytes; the limit is \(limit): make it shorter."
        case .documentTooLarge(let count, let limit):
            "The document has \(count) bytes of JSON, but the limit is \(limit): make it shorter."
        case .document(let refusal): refusal
        case .blank: "The text is blank; write something other than white space."
        case .number(let number, let allowed): "\(number) is not \(allowed.inWords)."
        case .negative(let number): "\(number) is negative; it must be 0 or more."

        case .tooMany(let what, let count, let limit):
            "There are \(count) \(what), but the limit is \(limit): omit some."
        case .storeFull(let limit):
            "A world can hold at most \(limit) bytes, and this world is already full; omit this data and the "
                + "data after it."
        }
    }
}

extension Planter {
    mutating func plantPerson(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        guard data.account != nil || data.profile != nil || data.preferences != nil else { return }
        try checkStorage(path)
        var person = backend.person(of: user, at: now)
        if let profile = data.profile {
            try check(profile.content, at: "\(path).profile")
            person.profile = try planted(profile, "the profile was created", at: "\(path).profile")
        }
        if let account = data.account { person.account = try planted(account, of: user, at: path) }
        if let preferences = data.preferences {
            try check(preferences.content, at: "\(path).preferences")
            person.preferences = try planted(preferences, "the preferences were created", at: "\(path).preferences")
        }
        backend.set(person, of: user)
    }

    private func check(_ details: ProfileDetails, at path: String) throws(PlantError) {
        try check(details.name, "\(path).name", ProfileDetails.nameLengths)
        try check(details.bio, "\(path).bio", ProfileDetails.bioLengths)
        try check(details.languageCode, "\(path).language_code", ProfileDetails.languageCodeLengths)
        try check(details.biologicalSex, "\(path).biological_sex", ProfileDetails.wordLengths)
        try check(details.gender, "\(path).gender", ProfileDetails.wordLengths)
        try check(details.activityLevel, "\(path).activity_level", ProfileDetails.wordLengths)
        if let height = details.height { try check(height, "\(path).height_cm", ProfileDetails.heights) }
        if let weight = details.weight { try check(weight, "\(path).weight", ProfileDetails.weights) }
    }

    private func check(_ lists: PreferenceLists, at path: String) throws(PlantError) {
        for (name, texts) in [
            ("allergies", lists.allergies), ("dietary_restrictions", lists.dietaryRestrictions),
            ("food_dislikes", lists.foodDislikes),
        ] {
            try check(texts.count, "strings", limit: PreferenceLists.limit, "\(path).\(name)")
            for (index, text) in texts.enumerated() {
                try check(text, "\(path).\(name)[\(index)]", PreferenceLists.characters)
            }
        }
    }

    private mutating func planted<Content>(
        _ data: UserRecordData<Content>, _ what: String, at path: String
    ) throws(PlantError) -> UserRecord<Content> {
        let times = try times(data.createdAt, data.updatedAt, what, at: path)
        return UserRecord(
            id: data.id ?? turn.identifiers.next(), data.content, createdAt: times.created, updatedAt: times.updated)
    }

    private mutating func planted(_ data: AccountData, of user: UserID, at path: String) throws(PlantError) -> Account {
        guard EmailAddress.isAddress(data.email) else { throw PlantError("\(path).email", .notAnAddress(data.email)) }
        guard backend.addresses[EmailAddress.key(data.email)] ?? user == user else {
            throw PlantError("\(path).email", .duplicateAddress(data.email))
        }
        try check(data.refreshTokens.count, "refresh tokens", limit: limits.refreshTokens, "\(path).refresh_tokens")
        let password: PasswordHash
        switch data.password {
        case .hash(let hash): password = hash
        case .plain(let text):
            try check(text, "\(path).password", RegisterRequest.passwordLengths)
            password = backend.hash(of: text, &turn)
        }
        return Account(email: data.email, password: password, refreshTokens: data.refreshTokens)
    }
}
