import FitIQAPI

extension Backend {
    /// Everything in the world as a document; planted into a new world, it gives the same REST responses.
    ///
    /// Sockets are not included, so a streaming answer is stored in full, as in archiving, and waiting questions stay
    /// without an answer. Call ``advance(_:)`` first to perform what is due.
    ///
    /// - Parameters:
    ///   - now: The completion time of a streaming answer.
    ///   - dateShift: That of the world's turn (``Turn/dateShift``).
    ///   - issuedIDs: The `issuedCount` of the turn's ids.
    public func data(at now: Timestamp, dateShift: Int64 = 0, issuedIDs: Int? = nil) -> WorldData {
        let settled = settled(at: now, dateShift: dateShift)
        let users = settled.users.ids.map { settled.data(of: $0) }
        return WorldData(users: users, issuedIDs: issuedIDs)
    }

    /// This world with every streaming answer stored.
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
            // Kept in the order of their lists; written in the order of arrival.
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
        // The id of a deleted goal is only a text.
        let subject = consultation.context.type == .goal ? consultation.context.id : nil
        let contextGoal = subject.flatMap { try? goalPosition(of: $0.text, ownedBy: record.owner) }
            .map { goals[$0].goal.id }
        let isLinkedOtherwise = consultation.goalID != contextGoal
        var data = ConsultationData(
            id: consultation.id, persona: consultation.persona, contextType: consultation.context.type,
            contextID: contextGoal == nil ? consultation.context.id : nil, contextGoal: contextGoal.map { .id($0) },
            linkedGoal: isLinkedOtherwise ? consultation.goalID.map { .id($0) } : nil,
            // Only stated if a goal could name it.
            isGoalsConversation: !consultation.isActive || consultation.goalID == nil
                || goal(conversingIn: position) != nil,
            title: consultation.title, status: consultation.status,
            messages: messages,
            createdAt: .at(consultation.createdAt), updatedAt: .at(consultation.updatedAt),
            isUnlinked: isLinkedOtherwise && consultation.goalID == nil,
            completedAt: consultation.completedAt.map { .at($0) }, awaitsAnswer: record.awaitsAnswer)
        data.quickAction = consultation.quickAction
        return data
    }

    /// Creates everything in a document, usually in a new world; the turn's time is the world's start.
    ///
    /// Missing values are generated: ids come from the turn, in the order of the document (for each user goals, then
    /// consultations, each with its messages, then what fills up the active ones, then meal logs). Afterwards all
    /// invariants of a backend hold.
    ///
    /// A live world may exceed its limit, because what had started when it became full was finished. A document that
    /// names the issued ids, as exports do, is therefore not held to the limit of a world.
    ///
    /// - Parameters:
    ///   - exportRoom: The bytes that such a document may fill; nil for no limit.
    ///   - isRestored: Whether the document is a world that was saved, which is not refused for its sizes, its times, its
    ///     topics or its meal types: times beyond the world's start become that.
    /// - Throws: The position in the document that breaks a rule or a limit; nothing is planted then.
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
    /// Adds what is the user's and in no list of the world.
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
            createdAt: .at(log.createdAt), progress: progress, finishedAt: finishedAt)
        (notes, isManual) = (log.notes, log.isManual)
        if log.startedAt != log.createdAt { startedAt = .at(log.startedAt) }
        updatedAt = log.changedAt.map { .at($0) }
    }
}
