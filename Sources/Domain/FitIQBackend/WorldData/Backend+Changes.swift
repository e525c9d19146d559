import FitIQAPI
import JSON

/// The place of an entity in a world: its list in a scenario file, and its owner.
public struct EntityPlace: Hashable, Sendable {
    /// The lists in a scenario file that a world saves by entity.
    public enum List: Hashable, Sendable {
        case users, goals, consultations, messages, mealLogs
        case documents(DocumentCollection)

        /// The name of the list in a scenario file; for documents a path such as `documents.journal`.
        public var name: String {
            switch self {
            case .users: "users"
            case .goals: "goals"
            case .consultations: "consultations"
            case .messages: "messages"
            case .mealLogs: "meal_logs"
            case .documents(let collection): "documents.\(collection.rawValue)"
            }
        }
    }

    public var list: List
    /// The id of the user, or of the messages' consultation; nil for users.
    public var owner: EntityID?
    public var id: EntityID

    init(_ list: List, of owner: EntityID?, _ id: EntityID) { (self.list, self.owner, self.id) = (list, owner, id) }
}

/// An id that is converted to text only on demand.
public enum EntityID: Hashable, Sendable {
    case user(ExactString)
    case resource(ResourceID)

    public var text: String {
        switch self {
        case .user(let id): id.text
        case .resource(let id): id.description
        }
    }
}

/// An entity as it appears in a scenario file, without its dependent entities.
///
/// Indirect, because it is large, and lists of changes move their elements.
public indirect enum EntityData: Sendable, Equatable {
    case user(UserData)
    case goal(GoalData)
    case consultation(ConsultationData)
    case message(MessageData)
    case mealLog(MealLogData)
    case document(DocumentData)
}

/// A new, changed or removed entity.
public struct EntityChange: Sendable {
    public let place: EntityPlace
    /// The data; nil if the entity and its dependents were removed.
    public let data: EntityData?
}

/// The changes that no shelf tracks.
struct UnsavedEntities: Sendable {
    /// Removed entities that were saved before, in any order.
    var removed: [EntityPlace] = []
    /// New and changed documents.
    var documents: [Document: Note] = [:]
    /// The number of the last note.
    private var noteCount = 0
    /// Documents in the order in which they were noted, including taken and deleted ones.
    private var queue: [(number: Int, document: Document)] = []
    /// The number of queue entries already taken.
    private var takenCount = 0

    struct Document: Hashable, Sendable {
        let user: UserID
        let collection: DocumentCollection
        let id: ResourceID
    }

    struct Note: Sendable {
        /// The number of the first note, which keeps new documents in order of creation.
        let number: Int
        let isNew: Bool
        /// The entity's former index in its list; the index can only decrease.
        let index: Int
    }

    mutating func note(_ document: Document, isNew: Bool, at index: Int) {
        guard documents[document] == nil else { return }
        noteCount += 1
        documents[document] = Note(number: noteCount, isNew: isNew, index: index)
        queue.append((noteCount, document))
    }

    /// Removes the oldest note and returns its document; nil if there is none.
    mutating func takeDocument() -> (Document, Note)? {
        while takenCount < queue.count {
            let (number, document) = queue[takenCount]
            takenCount += 1
            // Skip documents that were deleted, even if noted again.
            guard let note = documents[document], note.number == number else { continue }
            documents[document] = nil
            dropTaken()
            return (document, note)
        }
        return nil
    }

    /// Drops taken and deleted entries from the queue once they are the majority.
    private mutating func dropTaken() {
        guard queue.count > 2 * documents.count + 64 else { return }
        queue = queue[takenCount...].filter { documents[$0.document]?.number == $0.number }
        takenCount = 0
    }

    /// Notes the removal of a document; drops one that was never saved.
    mutating func noteRemoval(of document: Document, at place: EntityPlace) {
        let note = documents.removeValue(forKey: document)
        dropTaken()
        if note?.isNew ?? false { return }
        removed.append(place)
    }
}

/// The changes since the last save, one entity at a time.
///
/// Applying the changes in order reproduces the world as of the last save. A streaming answer is saved once it is
/// complete; until then its question is saved as unanswered.
extension Backend {
    /// Starts tracking changes.
    ///
    /// - Parameter allSaved: Whether the world's current contents are already saved.
    public mutating func noticeChanges(allSaved: Bool) {
        users.noticeChanges(allSaved: allSaved)
        goals.noticeChanges(allSaved: allSaved)
        consultations.noticeChanges(allSaved: allSaved)
        mealLogs.noticeChanges(allSaved: allSaved)
        unsaved = UnsavedEntities()
        guard allSaved else { return }
        for position in consultations.positions {
            consultations[unnoticed: position].savedMessages = consultations[position].history.count
        }
    }

    /// Mutating, because otherwise each call would copy the whole value.
    public mutating func hasUnsavedChanges() -> Bool {
        guard unsaved != nil else { return false }
        return users.hasUnsaved || mealLogs.hasUnsaved || consultations.hasUnsaved || goals.hasUnsaved
            || unsaved?.removed.isEmpty == false || unsaved?.documents.isEmpty == false
    }

    /// Takes unsaved changes: first deleted entities, then changed and new ones, each after its owner and in order of
    /// creation.
    ///
    /// - Parameter limit: The approximate number to take; a consultation's new messages stay together, and a long
    ///   document counts as several.
    public mutating func takeChanges(upTo limit: Int) -> [EntityChange] {
        var changes: [EntityChange] = []
        changes.reserveCapacity(min(limit, 1024))
        while changes.count < limit, let place = unsaved?.removed.popLast() {
            changes.append(EntityChange(place: place, data: nil))
        }
        func room() -> Int { max(0, limit - changes.count) }
        for (position, isNew) in users.takeUnsaved(upTo: room()) {
            changes.append(change(ofUser: position))
            if isNew { noteDocuments(ofUser: position) }
        }
        takeDocuments(upTo: room(), into: &changes)
        for (position, _) in goals.takeUnsaved(upTo: room()) {
            let goal = goals[position].goal
            changes.append(
                .init(place: users.place(.goals, of: goals[position].owner, goal.id), data: .goal(GoalData(goal))))
        }
        for (position, isNew) in consultations.takeUnsaved(upTo: room()) {
            append(consultation: position, isNew, to: &changes)
        }
        for (position, _) in mealLogs.takeUnsaved(upTo: room()) {
            let log = mealLogs[position].log
            let place = users.place(.mealLogs, of: mealLogs[position].owner, log.id)
            changes.append(EntityChange(place: place, data: .mealLog(MealLogData(log))))
        }
        return changes
    }

    private func change(ofUser position: Int) -> EntityChange {
        var data = UserData(id: users[position].id)
        data.addPerson(of: users[position])
        return EntityChange(place: EntityPlace(.users, of: nil, .user(data.id)), data: .user(data))
    }

    /// Notes all documents of a user who has not been saved yet.
    private mutating func noteDocuments(ofUser position: Int) {
        for (collection, documents) in users[position].documents {
            for (index, document) in documents.enumerated() {
                unsaved?.note(
                    .init(user: UserID(index: position), collection: collection, id: document.id), isNew: true,
                    at: index)
            }
        }
    }

    private mutating func takeDocuments(upTo limit: Int, into changes: inout [EntityChange]) {
        guard var unsaved = unsaved.take() else { return }
        defer { self.unsaved = unsaved }
        var weight = 0
        while weight < limit, let (noted, note) = unsaved.takeDocument() {
            let all = users[noted.user].documents[noted.collection] ?? []
            let index = all.prefix(note.index + 1).lastIndex { $0.id == noted.id }
            guard let index else { preconditionFailure("A deleted document must not be recorded.") }
            let place = users.place(.documents(noted.collection), of: noted.user, noted.id)
            changes.append(EntityChange(place: place, data: .document(DocumentData(all[index]))))
            weight += 1 + all[index].byteCount / Self.weightOfDocument
        }
    }

    /// The number of document bytes that take as long to copy as any other entity takes to save.
    private static let weightOfDocument = 4096

    private mutating func append(consultation position: Int, _ isNew: Bool, to changes: inout [EntityChange]) {
        let record = consultations[position]
        let messages = record.history.messages
        var data = data(ofConsultation: position, [])
        data.awaitsAnswer =
            data.status == .active && messages.last?.role == .user && (record.answer != nil || !record.waiting.isEmpty)
        let place = users.place(.consultations, of: record.owner, record.id)
        changes.append(EntityChange(place: place, data: .consultation(data)))
        for message in messages[(isNew ? 0 : record.savedMessages)...] {
            let place = EntityPlace(.messages, of: place.id, .resource(message.id))
            changes.append(EntityChange(place: place, data: .message(MessageData(message))))
        }
        consultations[unnoticed: position].savedMessages = messages.count
    }

    /// Notes that a document is new or changed.
    mutating func noteChange(
        of document: ResourceID, isNew: Bool = false, at index: Int, in collection: DocumentCollection, of user: UserID
    ) {
        // A new user's entities are taken with the user.
        guard unsaved != nil, !users.isNew(user.index) else { return }
        unsaved?.note(.init(user: user, collection: collection, id: document), isNew: isNew, at: index)
    }

    mutating func noteRemoval(of document: ResourceID, in collection: DocumentCollection, of user: UserID) {
        guard unsaved != nil, !users.isNew(user.index) else { return }
        let place = users.place(.documents(collection), of: user, document)
        unsaved?.noteRemoval(of: .init(user: user, collection: collection, id: document), at: place)
    }

    /// Notes the removal of an entity and its dependents.
    ///
    /// - Parameter isNew: Whether the entity has never been saved.
    mutating func noteRemoval(from list: EntityPlace.List, of owner: UserID, _ id: ResourceID, isNew: Bool) {
        guard unsaved != nil, !isNew else { return }
        let place = users.place(list, of: owner, id)
        unsaved?.removed.append(place)
    }
}

extension Shelf<User> {
    /// The place of a user's entity.
    fileprivate func place(_ list: EntityPlace.List, of owner: UserID, _ id: ResourceID) -> EntityPlace {
        EntityPlace(list, of: .user(self[owner].id), .resource(id))
    }
}

extension Backend {
    /// Returns the world's contents as a document; a new world seeded with the document returns the same REST
    /// responses.
    ///
    /// Sockets are not included. A streaming answer is stored in full, as it is when its consultation is archived, and
    /// waiting questions stay unanswered. Call ``advance(_:)`` first to perform the steps that are due.
    ///
    /// - Parameters:
    ///   - now: The completion time of a streaming answer.
    ///   - dateShift: The shift of the world's turn (``Turn/dateShift``).
    ///   - issuedIDs: The `issuedCount` of the turn's ids.
    public func data(at now: Timestamp, dateShift: Int64 = 0, issuedIDs: Int? = nil) -> WorldData {
        let settled = settled(at: now, dateShift: dateShift)
        let users = settled.users.ids.map { settled.data(of: $0) }
        return WorldData(users: users, issuedIDs: issuedIDs)
    }

    /// A copy of this world with streaming answers stored.
    public func settled(at now: Timestamp, dateShift: Int64 = 0) -> Backend {
        var settled = self
        let turn = Turn(now: now, dateShift: dateShift, identifiers: ResourceIDSequence(seed: 0))
        for position in consultations.positions where consultations[position].answer != nil {
            settled.finishAnswerSilently(position, turn)
        }
        return settled
    }

    private func data(of user: UserID) -> UserData {
        let owner = users[user]
        var result = UserData(
            id: owner.id, goals: owner.goals.map { GoalData(goals[$0].goal) },
            // Consultations are listed by their latest change but written in order of creation.
            consultations: owner.consultations.sorted().map {
                data(ofConsultation: $0, consultations[$0].history.messages.map(MessageData.init))
            },
            mealLogs: owner.mealLogs.sorted().map { MealLogData(mealLogs[$0].log) },
            documents: owner.documents.mapValues { $0.map(DocumentData.init) })
        result.addPerson(of: owner)
        return result
    }

    func data(ofConsultation position: Int, _ messages: [MessageData]) -> ConsultationData {
        let record = consultations[position]
        let consultation = record.consultation
        // A deleted goal's id is only a string.
        let subject = consultation.context.type == .goal ? consultation.context.id : nil
        let contextGoal = subject.flatMap { try? goalPosition(of: $0.text, ownedBy: record.owner) }
            .map { goals[$0].goal.id }
        let isLinkedOtherwise = consultation.goalID != contextGoal
        return ConsultationData(
            id: consultation.id, persona: consultation.persona, contextType: consultation.context.type,
            contextID: contextGoal == nil ? consultation.context.id : nil, contextGoal: contextGoal.map { .id($0) },
            linkedGoal: isLinkedOtherwise ? consultation.goalID.map { .id($0) } : nil,
            // False only if a goal could refer to the consultation.
            isGoalsConversation: !consultation.isActive || consultation.goalID == nil
                || goal(conversingIn: position) != nil,
            isUnlinked: isLinkedOtherwise && consultation.goalID == nil,
            title: consultation.title, status: consultation.status, messages: messages,
            createdAt: .at(consultation.createdAt), updatedAt: .at(consultation.updatedAt),
            completedAt: consultation.completedAt.map { .at($0) }, awaitsAnswer: record.awaitsAnswer,
            quickAction: consultation.quickAction)
    }

    /// Creates a document's contents, usually in a new world that starts at the turn's time.
    ///
    /// Missing values are generated. Ids come from the turn in document order: for each user, the goals, the
    /// consultations with their messages, the added active consultations, and the meal logs. Afterwards all invariants
    /// of a backend hold.
    ///
    /// A live world may exceed its limit while it finishes work that it has already started. A document that contains
    /// the number of issued ids, such as an export, may therefore also exceed a world's limit.
    ///
    /// - Parameters:
    ///   - exportRoom: The maximum size of a document that contains the number of issued ids, in bytes; nil for no
    ///     limit.
    ///   - isRestored: Whether the document is a saved world. A saved world is not rejected for its sizes, times,
    ///     topics or meal types, and the world's start replaces later times.
    /// - Throws: The first position in the document that violates a rule or a limit; in that case, nothing is created.
    public mutating func plant(
        _ data: WorldData, _ turn: inout Turn, exportRoom: StorageRoom? = nil, isRestored: Bool = false
    ) throws(PlantError) {
        advance(&turn)
        let room = data.issuedIDs == nil ? storageRoom : exportRoom ?? StorageRoom(bytes: .max, limit: .max)
        var planter = Planter(backend: self, turn: turn, room: room, isRestored: isRestored)
        try planter.plant(data)
        self = planter.backend
        turn = planter.turn
    }
}

extension UserData {
    /// Adds the user's data outside the world's lists.
    mutating func addPerson(of user: User) {
        photos = user.photos.map { photo in
            var data = MealLogData(photo.log)
            data.mealLogID = photo.mealLogID
            return data
        }
        guard let person = user.person else { return }
        account = person.account.map {
            AccountData(email: $0.email, password: .hash($0.password), refreshTokens: $0.refreshTokens)
        }
        profile = UserRecordData(person.profile)
        preferences = person.preferences.map(UserRecordData.init)
    }
}

extension GoalData {
    init(_ goal: Goal) {
        self.init(
            id: goal.id, title: goal.title, description: goal.description, category: goal.category,
            targetDate: goal.targetDate, status: goal.state, progress: goal.progress, measure: goal.measure,
            createdAt: .at(goal.createdAt), updatedAt: .at(goal.updatedAt))
    }
}

extension MessageData {
    init(_ message: Message) {
        self.init(
            id: message.id, role: message.role, content: message.content, metadata: message.metadata,
            createdAt: .at(message.createdAt))
    }
}

extension MealLogData {
    init(_ log: MealLog) {
        let (progress, finishedAt): (Progress, DataTime?) =
            switch log.progress {
            case .processing: (.processing, nil)
            case .completed(let items, let time): (.completed(items), .at(time))
            case .failed(let failure, let time): (.failed(failure), .at(time))
            }
        self.init(
            id: log.id, rawInput: log.rawInput, mealType: log.mealType, loggedAt: log.loggedAt,
            createdAt: .at(log.createdAt), progress: progress,
            startedAt: log.startedAt == log.createdAt ? nil : .at(log.startedAt), finishedAt: finishedAt,
            updatedAt: log.changedAt.map { .at($0) }, notes: log.notes, isManual: log.isManual)
    }
}
