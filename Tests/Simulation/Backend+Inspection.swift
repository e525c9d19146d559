import FitIQAPI
import FitIQBackend
import JSON

/// The simulator's read-only view of a backend.
extension Backend {
    struct ConsultationFacts: Sendable {
        /// The consultation in the form that responses use.
        let consultation: Consultation
        /// Whether the consultation occupies its user's persona and context.
        let isListedAsActive: Bool
        let historyCount: Int
        let lastStoredAt: Timestamp?
        let socketCount: Int
        let isAnswering: Bool
        let waitingCount: Int
    }

    /// The actual totals, and the counts that the backend keeps.
    struct Totals: Sendable, Equatable {
        let users, consultations, goals, mealLogs, sockets: Int
        /// The number of sockets in the consultations' lists.
        let listedSockets: Int
        let answers: Int
        let processing: Int
        /// The number of scheduled steps, including obsolete steps.
        let scheduled: Int
        /// The bytes of JSON, as counted by the backend and as actually stored.
        let countedBytes, heldBytes: Int
    }

    // A user's entities, oldest first; meal logs are ordered by the client's time.
    func consultationIDs(of user: String) -> [ResourceID] {
        contents(of: user)?.consultations.map { consultations[$0].consultation.id } ?? []
    }
    func goalIDs(of user: String) -> [ResourceID] { contents(of: user)?.goals.map { goals[$0].goal.id } ?? [] }
    func mealLogIDs(of user: String) -> [ResourceID] { contents(of: user)?.mealLogs.map { mealLogs[$0].log.id } ?? [] }
    func photoIDs(of user: String) -> [ResourceID] { contents(of: user)?.photos.map(\.log.id) ?? [] }
    func documents(in collection: DocumentCollection, of user: String) -> [Document] {
        contents(of: user)?.documents[collection] ?? []
    }
    func ids(of user: String) -> [ResourceID] {
        consultationIDs(of: user) + goalIDs(of: user) + mealLogIDs(of: user) + photoIDs(of: user)
            + DocumentCollection.allCases.flatMap { documents(in: $0, of: user).map(\.id) }
    }
    /// A user's valid refresh tokens, including those that have expired.
    func ticketIDs(of user: String) -> [ResourceID] {
        contents(of: user)?.person?.account?.refreshTokens.map(\.id) ?? []
    }
    /// A user's profile, generated if there is none.
    func profile(of user: String, at now: Timestamp) -> Profile {
        contents(of: user)?.person?.profile
            ?? MadeUpPerson(ExactString(user), seed: configuration.seed).profile(at: now)
    }
    func preferences(of user: String) -> Preferences? { contents(of: user)?.person?.preferences }
    func account(at email: String) -> String? { addresses[ExactString(email)].map { users[$0].id.text } }
    func hasUser(_ id: String) -> Bool { users[ExactString(id)] != nil }
    func hasAddress(_ email: String) -> Bool { addresses[ExactString(email)] != nil }
    private func contents(of user: String) -> User? { users[ExactString(user)].map { users[$0] } }

    func hasPhoto(_ id: ResourceID) -> Bool { photo(id) != nil }
    func hasDocument(_ id: ResourceID, in collection: DocumentCollection) -> Bool {
        users.contains { $0.documents[collection, default: []].contains { $0.id == id } }
    }
    /// The templates that a user may read, except the user's own: public templates, and templates shared by others.
    func templates(publicOrSharedWith user: String, isPublic: Bool, isShared: Bool) -> [Document] {
        users.flatMap { owner in
            owner.documents[.workoutTemplates, default: []].filter { template in
                let isSharedWith = owner.id != ExactString(user) && template.share(with: ExactString(user)) != nil
                return (isPublic && template.object["is_public"] == true) || (isShared && isSharedWith)
            }
        }
    }
    func inspectGoal(_ id: ResourceID) -> Goal? { goals.position(of: id).map { goals[$0].goal } }
    func hasMealLog(_ id: ResourceID) -> Bool { mealLogs.position(of: id) != nil }
    func status(ofMealLog id: ResourceID) -> MealLogStatus? {
        mealLogs.position(of: id).map { mealLogs[$0].log.status }
    }
    func photo(_ id: ResourceID) -> MealPhoto? { users.lazy.flatMap(\.photos).first { $0.log.id == id } }
    func consultationFacts(_ id: ResourceID) -> ConsultationFacts? {
        consultations.position(of: id).map { position in
            let record = consultations[position]
            return ConsultationFacts(
                consultation: record.consultation,
                isListedAsActive: users[record.owner].active.contains(position),
                historyCount: record.history.count, lastStoredAt: record.history.messages.last?.createdAt,
                socketCount: record.sockets.count, isAnswering: record.answer != nil,
                waitingCount: record.waiting.count)
        }
    }

    /// Computes the totals by visiting all data.
    func inspectTotals() -> Totals {
        let userBytes = users.reduce(0) { $0 + $1.byteCount }
        return Totals(
            users: users.count, consultations: consultations.count, goals: goals.count, mealLogs: mealLogs.count,
            sockets: openSocketCount,
            listedSockets: consultations.reduce(0) { $0 + $1.sockets.count }
                + mealSockets.values.count { $0.open != nil },
            answers: consultations.count { $0.answer != nil },
            processing: mealLogs.count { $0.log.status == .processing }, scheduled: scheduledStepCount,
            countedBytes: storedBytes,
            heldBytes: userBytes + consultations.reduce(0) { $0 + $1.byteCount }
                + goals.reduce(0) { $0 + $1.encoded.byteCount } + mealLogs.reduce(0) { $0 + $1.byteCount }
                + users.flatMap(\.photos).reduce(0) { $0 + $1.byteCount }
                + users.flatMap(\.documents.values).joined().reduce(0) { $0 + $1.byteCount })
    }
}
