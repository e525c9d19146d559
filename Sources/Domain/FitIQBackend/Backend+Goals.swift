import FitIQAPI
import JSON

/// The REST commands for goals; each returns the body of its success response.
extension Backend {
    /// Creates a goal (`POST /api/v1/goals`).
    ///
    /// - Throws: A 507 at the goal limit, or if the world is full.
    public mutating func createGoal(
        _ request: CreateGoalRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let limit = configuration.limits.goals
        guard users[user].goals.count < limit else { throw .storeFull("goals for this user", limit: limit) }
        try checkStorage()

        var goal = Goal(
            id: turn.identifiers.next(), userID: users[user].id, title: request.title, description: request.description,
            category: request.category, targetDate: request.targetDate, createdAt: turn.date)
        request.app?.apply(to: &goal)
        let record = insert(goal, of: user)
        return request.app == nil ? record.encoded.body : record.encoded.appBody(at: turn.date)
    }

    /// Adds a goal to the lists of the world and its user.
    @discardableResult
    mutating func insert(_ goal: Goal, of user: UserID) -> GoalRecord {
        let record = GoalRecord(goal, owner: user, mode: configuration.mode)
        let position = goals.append(record)
        users[user].goals.append(position)
        storedBytes += record.encoded.byteCount
        return record
    }

    /// Returns a goal (`GET /api/v1/goals/{goalId}`), or throws 404.
    public func goal(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        goals[try goalPosition(of: id, ownedBy: user)].encoded.body
    }

    /// Lists a user's goals, oldest first (`GET /api/v1/goals`).
    public func goals(
        _ query: GoalListQuery = GoalListQuery(), for user: UserID, at now: Timestamp
    ) -> Deferred<[UInt8]> {
        let all = users[user].goals
        // Only the apps filter.
        let matching = query.isForAll ? all : all.filter { query.matches(goals[$0].goal) }
        let page = query.page ?? Page(offset: 0, size: max(1, matching.count))
        let listed = matching[page.range(of: matching.count)].map { goals[$0].encoded }
        let (total, form) = (matching.count, configuration.mode.form(of: .listGoals))
        let apps = configuration.mode.servesApps ? (now, page) : nil
        return Deferred(copying: listed.reduce(0) { $0 + $1.camelCase.count + $1.snakeCase.count }) {
            ListAnswers.goals(listed, total: total, in: form, apps: apps)
        }
    }

    /// Changes a goal atomically (`PATCH /api/v1/goals/{goalId}`).
    ///
    /// - Throws: A 404 for the goal, then for the conversation; a 400 for an inactive conversation; a 507 if the world
    ///   is full and the goal would grow.
    public mutating func updateGoal(
        _ id: String, _ request: UpdateGoalRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try goalPosition(of: id, ownedBy: user)
        var conversation: Int?
        if case .link(let id) = request.conversation {
            conversation = try self.position(of: id, ownedBy: user, field: "conversationId")
        }
        if let consultation = conversation.map({ consultations[$0].consultation }), !consultation.isActive {
            throw .consultationNotActive(consultation.id, status: consultation.status)
        }
        try change(goal: position, at: turn.date, request.change.apply)
        if let conversation {
            link(goal: position, with: conversation, at: turn.date)
        } else if request.conversation == .unlink {
            unlinkBothEnds(ofGoal: position, at: turn.date)
        }
        return request.hasFormOfApps ? goals[position].encoded.appBody(at: turn.date) : goals[position].encoded.body
    }

    /// Changes a goal in the apps' form (`PUT /api/v1/goals/{goalId}`).
    ///
    /// - Throws: A 404, or a 507 if the world is full and the goal would grow.
    public mutating func replaceGoal(
        _ id: String, _ request: AppGoalRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try goalPosition(of: id, ownedBy: user)
        try change(goal: position, at: turn.date, request.apply)
        return goals[position].encoded.appBody(at: turn.date)
    }

    /// Changes a goal; rejects growth in a full world.
    private mutating func change(
        goal position: Int, at now: Timestamp, _ change: (inout Goal) -> Void
    ) throws(APIError) {
        var changed = goals[position].goal
        change(&changed)
        if changed.textByteCount > goals[position].goal.textByteCount { try checkStorage() }
        update(goal: position, at: now, change)
    }

    /// Finds or creates the conversation about a goal (`POST /api/v1/consultations/chat-about-goal`).
    ///
    /// The goal's current conversation is preferred, followed by an active one with the same persona and goal, which is
    /// then linked. A duplicate is therefore continued, not rejected.
    ///
    /// - Throws: A 404; if a consultation must be created, also a 429 at the limit on active consultations or a 507 if
    ///   the world is full.
    public mutating func chatAboutGoal(
        _ request: ChatAboutGoalRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try goalPosition(of: request.goalID, ownedBy: user, field: "goalId")
        let goal = goals[position].goal
        let topic = Topic(persona: .generalWellness, context: ConsultationContext(.goal, id: "\(goal.id)"))
        let conversation: Int
        if let linked = self.conversation(ofGoal: position) {
            conversation = linked
        } else if let existing = active(about: topic, of: user) {
            link(goal: position, with: existing, at: turn.date)
            conversation = existing
        } else {
            conversation = try addConsultation(topic, goal: position, title: goal.title, by: user, &turn)
        }
        let form = configuration.mode.form(of: .chatAboutGoal)
        return consultations[conversation].consultation
            .body(answeringChatAboutGoal: goal.id, in: form, origin: configuration.origin)
    }

    /// The position of this user's goal; throws 404 for other users' goals and unknown ids.
    ///
    /// - Parameter field: The body field with the id; nil for the path.
    func goalPosition(of id: String, ownedBy user: UserID, field: String? = nil) throws(APIError) -> Int {
        guard let resource = resource(id), let position = goals.position(of: resource), goals[position].owner == user
        else { throw .unknownGoal(id, field: field, in: configuration.mode) }
        return position
    }

    /// Changes a goal and updates its JSON; without a change, `updated_at` also stays the same.
    mutating func update(goal position: Int, at now: Timestamp, _ change: (inout Goal) -> Void) {
        let old = goals[position]
        var goal = old.goal
        change(&goal)
        guard goal != old.goal else { return }
        goal.updatedAt = now
        let record = GoalRecord(goal, owner: old.owner, mode: configuration.mode)
        storedBytes += record.encoded.byteCount - old.encoded.byteCount
        goals[position] = record
    }
}

extension Goal {
    /// The number of bytes that clients control.
    fileprivate var textByteCount: Int {
        let texts = [title, description, category, measure.type, measure.unit]
        return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

package struct GoalRecord: Identifiable, Sendable {
    let owner: UserID
    package let goal: Goal
    /// The goal in the mode's form, re-encoded whenever it changes.
    package let encoded: EncodedGoal
    package var id: ResourceID { goal.id }

    init(_ goal: Goal, owner: UserID, mode: GuideMode) {
        (self.goal, self.owner) = (goal, owner)
        // A single guide documents all goal endpoints, so they all use the same form.
        encoded = goal.encoded(in: mode.form(of: .showGoal), forApps: mode.servesApps)
    }
}

/// The links between goals and conversations; no other code may set either end.
///
/// Invariant: a goal's conversation is active, belongs to the same user, and refers to the goal. The reverse does not
/// hold: a consultation keeps its goal when it is archived or when the goal gets a different conversation.
extension Backend {
    func conversation(ofGoal goal: Int) -> Int? {
        goals[goal].goal.conversationID.flatMap { consultations.position(of: $0) }
    }

    func goal(conversingIn consultation: Int) -> Int? {
        let consultation = consultations[consultation].consultation
        guard let goal = consultation.goalID.flatMap({ goals.position(of: $0) }) else { return nil }
        return goals[goal].goal.conversationID == consultation.id ? goal : nil
    }

    /// Links both ends after unlinking both from their previous partners.
    mutating func link(goal: Int, with consultation: Int, at now: Timestamp) {
        precondition(consultations[consultation].consultation.isActive, "Only an active consultation may be linked.")
        precondition(
            consultations[consultation].owner == goals[goal].owner,
            "A goal and its linked consultation must have the same owner.")
        if let former = conversation(ofGoal: goal), former != consultation { setGoal(of: former, to: nil, at: now) }
        if let former = self.goal(conversingIn: consultation), former != goal {
            update(goal: former, at: now) { $0.conversationID = nil }
        }
        setGoal(of: consultation, to: goals[goal].goal.id, at: now)
        let id = consultations[consultation].consultation.id
        update(goal: goal, at: now) { $0.conversationID = id }
        // Also save the consultation, which records whether it is the goal's conversation.
        consultations.noteChange(consultation)
    }

    mutating func unlinkBothEnds(ofGoal goal: Int, at now: Timestamp) {
        guard let consultation = conversation(ofGoal: goal) else { return }
        setGoal(of: consultation, to: nil, at: now)
        update(goal: goal, at: now) { $0.conversationID = nil }
    }

    /// Unlinks the goal from a consultation that is no longer active; the consultation keeps the goal as history.
    mutating func releaseGoal(of consultation: Int, at now: Timestamp) {
        guard let goal = goal(conversingIn: consultation) else { return }
        update(goal: goal, at: now) { $0.conversationID = nil }
    }

    mutating func setGoal(of consultation: Int, to goal: ResourceID?, at now: Timestamp) {
        guard consultations[consultation].consultation.goalID != goal else { return }
        update(consultation, at: now) { $0.consultation.goalID = goal }
    }
}
