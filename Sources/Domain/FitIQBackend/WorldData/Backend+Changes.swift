import FitIQAPI
import JSON

/// The place of an entity in a world: a list of a scenario file, and whose list it is.
public struct EntityPlace: Hashable, Sendable {
    /// The lists of a scenario file that a world saves one entity at a time.
    public enum List: Hashable, Sendable {
        case users, goals, consultations, messages, mealLogs
        case documents(DocumentCollection)

        /// The name of the list in a scenario file; of documents the path, `documents.journal`.
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
    public var owner: ExactString?
    public var id: ExactString

    public init(_ list: List, of owner: ExactString?, _ id: ExactString) {
        (self.list, self.owner, self.id) = (list, owner, id)
    }
}

/// An entity as a scenario file has it, without the entities that belong to it.
public enum EntityData: Sendable, Equatable {
    case user(UserData)
    case goal(GoalData)
    case consultation(ConsultationData)
    case message(MessageData)
    case mealLog(MealLogData)
    case document(DocumentData)
}

/// An entity that is new, was changed or is gone.
public struct EntityChange: Sendable {
    public let place: EntityPlace
    /// Nil for an entity that was removed, with everything that belongs to it.
    public let data: EntityData?
}

/// The changes that no shelf notices.
struct UnsavedEntities: Sendable {
    /// In the order of removal.
    var removed: [EntityPlace] = []
    /// Documents that are new, were changed or are gone, in the order of their first change; some more than once.
    var documents: [Document] = []

    struct Document: Hashable, Sendable {
        let user: UserID
        let collection: DocumentCollection
        let id: ResourceID
    }
}

/// What has changed since it was last saved, one entity at a time.
///
/// All changes since a moment at which nothing was unsaved, applied in order, give the world of the next such moment.
/// A streaming answer is saved once it is complete; until then its question awaits one.
extension Backend {
    /// Notices changes from now on.
    ///
    /// - Parameter allSaved: Whether everything that the world holds now is saved already.
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

    public var hasUnsavedChanges: Bool {
        guard let unsaved else { return false }
        return users.hasUnsaved || mealLogs.hasUnsaved || consultations.hasUnsaved || goals.hasUnsaved
            || !unsaved.removed.isEmpty || !unsaved.documents.isEmpty
    }

    /// Takes unsaved changes: entities that are gone come first, a new one after that to which it belongs, and those
    /// of one list in the order of their creation.
    ///
    /// - Parameter limit: About how many to take; what is new of one consultation or user comes as a whole.
    public mutating func takeChanges(upTo limit: Int) -> [EntityChange] {
        guard let unsaved else { return [] }
        self.unsaved?.removed = []
        var changes = unsaved.removed.map { EntityChange(place: $0, data: nil) }
        func room() -> Int { max(0, limit - changes.count) }
        for (position, isNew) in users.takeUnsaved(upTo: room()) { append(user: position, isNew, to: &changes) }
        let documents = unsaved.documents.prefix(room())
        self.unsaved?.documents.removeFirst(documents.count)
        var known: Set<UnsavedEntities.Document> = []
        for document in documents where known.insert(document).inserted { append(document, to: &changes) }
        for (position, _) in goals.takeUnsaved(upTo: room()) {
            let goal = goals[position].goal
            changes.append(.init(place: place(.goals, of: goals[position].owner, goal.id), data: .goal(GoalData(goal))))
        }
        for (position, isNew) in consultations.takeUnsaved(upTo: room()) {
            append(consultation: position, isNew, to: &changes)
        }
        for (position, _) in mealLogs.takeUnsaved(upTo: room()) {
            let log = mealLogs[position].log
            let place = place(.mealLogs, of: mealLogs[position].owner, log.id)
            changes.append(EntityChange(place: place, data: .mealLog(MealLogData(log))))
        }
        return changes
    }

    private func append(user position: Int, _ isNew: Bool, to changes: inout [EntityChange]) {
        let user = users[position]
        var data = UserData(id: user.id)
        data.addPerson(of: user)
        changes.append(EntityChange(place: EntityPlace(.users, of: nil, user.id), data: .user(data)))
        guard isNew else { return }
        for (collection, documents) in user.documents {
            for document in documents {
                let place = EntityPlace(.documents(collection), of: user.id, ExactString("\(document.id)"))
                changes.append(EntityChange(place: place, data: .document(DocumentData(document))))
            }
        }
    }

    private func append(_ document: UnsavedEntities.Document, to changes: inout [EntityChange]) {
        // What a user had was noted when the user was deleted.
        guard contains(document.user) else { return }
        let present = users[document.user].documents[document.collection]?.first { $0.id == document.id }
        let place = place(.documents(document.collection), of: document.user, document.id)
        changes.append(EntityChange(place: place, data: present.map { .document(DocumentData($0)) }))
    }

    private mutating func append(consultation position: Int, _ isNew: Bool, to changes: inout [EntityChange]) {
        let record = consultations[position]
        let messages = record.history.messages
        var data = data(ofConsultation: position, [])
        data.awaitsAnswer =
            data.status == .active && messages.last?.role == .user && (record.answer != nil || !record.waiting.isEmpty)
        let place = place(.consultations, of: record.owner, record.id)
        changes.append(EntityChange(place: place, data: .consultation(data)))
        for message in messages[(isNew ? 0 : record.savedMessages)...] {
            let place = EntityPlace(.messages, of: place.id, ExactString("\(message.id)"))
            changes.append(EntityChange(place: place, data: .message(MessageData(message))))
        }
        consultations[unnoticed: position].savedMessages = messages.count
    }

    private func place(_ list: EntityPlace.List, of owner: UserID, _ id: ResourceID) -> EntityPlace {
        EntityPlace(list, of: users[owner].id, ExactString("\(id)"))
    }

    mutating func noteChange(of document: ResourceID, in collection: DocumentCollection, of user: UserID) {
        // Those of a new user are taken with the user.
        guard unsaved != nil, !users.isNew(user.index) else { return }
        let document = UnsavedEntities.Document(user: user, collection: collection, id: document)
        if unsaved?.documents.last != document { unsaved?.documents.append(document) }
    }

    /// Notes that an entity, and what belongs to it, is gone.
    mutating func noteRemoval(from list: EntityPlace.List, of owner: UserID, _ id: ResourceID) {
        guard unsaved != nil else { return }
        let place = place(list, of: owner, id)
        unsaved?.removed.append(place)
    }
}
