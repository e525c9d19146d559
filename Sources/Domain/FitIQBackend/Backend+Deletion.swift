import FitIQAPI
import JSON

/// Deletion: a deleted entity is not in any list or export, its id is unknown everywhere, and its events are cancelled.
extension Backend {
    /// Deletes a goal (`DELETE /api/v1/goals/{goalId}`); its consultations remain but are unlinked.
    ///
    /// - Throws: A 404.
    public mutating func deleteGoal(_ id: String, by user: UserID, _ turn: inout Turn) throws(APIError) {
        advance(&turn)
        let position = try goalPosition(of: id, ownedBy: user)
        let goal = goals[position].goal.id
        for consultation in users[user].consultations where consultations[consultation].consultation.goalID == goal {
            setGoal(of: consultation, to: nil, at: turn.date)
        }
        users[user].goals.removeAll { $0 == position }
        remove(goal: position)
        // From now on, the goal's consultations keep only its id.
        let name = ExactString("\(goal)")
        for consultation in users[user].consultations
        where consultations[consultation].consultation.context.id == name { consultations.noteChange(consultation) }
    }

    /// Deletes a consultation in any status (`DELETE /api/v1/consultations/{id}`).
    ///
    /// The slot, the topic and the goal become free, and the sockets get an `error` frame and close code 1000.
    ///
    /// - Throws: A 404.
    public mutating func deleteConsultation(_ id: String, by user: UserID, _ turn: inout Turn) throws(APIError) {
        advance(&turn)
        let position = try position(of: id, ownedBy: user)
        users[user].active.removeAll { $0 == position }
        releaseGoal(of: position, at: turn.date)
        list(position, isListed: false)
        remove(consultation: position, &turn)
        dropObsoleteSteps()
    }

    /// Deletes a meal log and cancels its processing (`DELETE /api/v1/meal-logs/{id}`).
    ///
    /// - Throws: A 404.
    public mutating func deleteMealLog(_ id: String, by user: UserID, _ turn: inout Turn) throws(APIError) {
        advance(&turn)
        let position = try mealLogPosition(of: id, ownedBy: user)
        list(mealLog: position, isListed: false)
        remove(mealLog: position)
        dropObsoleteSteps()
    }

    /// Deletes a user and all of the user's data (`DELETE /api/v1/users/me`).
    ///
    /// Closes the sockets, revokes the refresh tokens and frees the address. ``contains(_:)`` is false from now on,
    /// even after a user with the same id is created.
    public mutating func deleteUser(_ user: UserID, _ turn: inout Turn) {
        advance(&turn)
        let owner = users[user]
        for position in owner.consultations { remove(consultation: position, &turn) }
        for position in owner.goals { remove(goal: position) }
        for position in owner.mealLogs { remove(mealLog: position) }
        removeDocuments(of: user)
        closeMealSocket(of: user, &turn)
        mealSockets[user] = nil
        if let email = owner.person?.account?.email { addresses[EmailAddress.key(email)] = nil }
        storedBytes -= owner.byteCount + owner.photos.reduce(0) { $0 + $1.byteCount }
        if !users.isNew(user.index) { unsaved?.removed.append(EntityPlace(.users, of: nil, .user(owner.id))) }
        users.remove(user.index) { $0 = User(id: "") }
        dropObsoleteSteps()
    }

    /// Deletes a user from a copy of this backend; returns the copy and the effects.
    ///
    /// The copy can replace the backend if the only later changes are closed sockets.
    public func deletion(of user: UserID, _ turn: Turn) -> Deferred<(backend: Backend, effects: [Effect])> {
        let owner = users[user]
        var count = owner.consultations.count + owner.goals.count + owner.mealLogs.count
        count += owner.documents.values.reduce(0) { $0 + $1.count }
        // A lower bound is enough.
        for position in owner.consultations where count < 1000 { count += consultations[position].history.count / 4 }
        return Deferred(cost: 100 * count) {
            var (backend, turn) = (self, turn)
            turn.effects = []
            backend.deleteUser(user, &turn)
            return (backend, turn.effects)
        }
    }

    /// Whether a user still exists.
    public func contains(_ user: UserID) -> Bool { users.contains(user.index) }

    private mutating func remove(goal position: Int) {
        storedBytes -= goals[position].encoded.byteCount
        noteRemoval(from: .goals, of: goals[position].owner, goals[position].id, isNew: goals.isNew(position))
        goals.remove(position)
    }

    private mutating func remove(consultation position: Int, _ turn: inout Turn) {
        closeSockets(of: position, &turn, reason: "Consultation was deleted")
        storedBytes -= consultations[position].byteCount
        noteRemoval(
            from: .consultations, of: consultations[position].owner, consultations[position].id,
            isNew: consultations.isNew(position))
        consultations.remove(position) { $0.history = History() }
    }

    private mutating func remove(mealLog position: Int) {
        storedBytes -= mealLogs[position].byteCount
        noteRemoval(
            from: .mealLogs, of: mealLogs[position].owner, mealLogs[position].id, isNew: mealLogs.isNew(position))
        mealLogs.remove(position)
    }

    /// Whether a step still has an effect; its answer may have ended, or its entity may have been deleted.
    @inline(__always)  // A call would copy the backend first.
    func isCurrent(_ step: ScheduledStep) -> Bool {
        switch step.work {
        case .answer(let id): consultations.contains(step.position) && consultations[step.position].answer?.id == id
        case .mealLog: mealLogs.contains(step.position) && mealLogs[step.position].dueAt == step.time
        case .mealSocket(let socket): sockets[socket] != nil
        }
    }

    /// Removes obsolete steps once up to half of the steps may be obsolete, so that they do not accumulate.
    private mutating func dropObsoleteSteps() {
        guard schedule.count > mostSteps else { return }
        let current = self
        schedule.removeAll { !current.isCurrent($0) }
        mostSteps = 2 * schedule.count + Self.spareSteps
    }

    /// The number of obsolete steps that do not trigger a cleanup.
    static var spareSteps: Int { 64 }
}
