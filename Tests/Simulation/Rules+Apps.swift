import FitIQAPI
import FitIQBackend
import JSON

/// The rules for answers to the apps.
extension Rules {
    func answer(to request: AppRequest) -> Answer {
        if let collection = request.endpoint.documents { return answer(to: request, in: collection) }
        let id = request.ids.first ?? ""
        switch request.endpoint {
        case .createConsultation, .updateConsultation, .completeConsultation, .sendMessage, .suggestConsultationGoals,
            .listConsultations, .listMessages:
            return chatAnswer(to: request, on: id)
        case .logIn, .refreshTokens, .logOut: return signIn(request)
        case .showProfile, .createProfile, .updateProfile, .updatePhysicalProfile, .showPreferences,
            .updatePreferences, .deletePreferences:
            return profileAnswer(to: request)
        case .createGoal: return backend.goalIDs(of: user).count < limits.goals ? (201, .new(.goal)) : (507, .refusal)
        case .replaceGoal: return goal(id).map { (200, .entity($0.id)) } ?? (404, .refusal)
        case .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            return goal(id).map { (200, .about($0.id)) } ?? (404, .refusal)
        case .listSuggestedGoals, .suggestGoals: return (200, .counted("suggestions", 0...5))
        case .listGoals: return part("goals", request, of: backend.goalIDs(of: user).count)
        case .listMealLogs: return part("meal_logs", request, of: backend.mealLogIDs(of: user).count)
        default: return mealAnswer(to: request, on: id)
        }
    }

    private func part(_ name: String?, _ request: AppRequest, of total: Int, usually size: Int = 20) -> Answer {
        (200, .part(name, request.part?.page ?? Page(offset: 0, size: size), total: total))
    }

    // MARK: Accounts

    private func signIn(_ request: AppRequest) -> Answer {
        switch request.body {
        case .login(let address, let isRight):
            let isKnown = backend.account(at: SimulatedAccount.email(address)) != nil
            return isKnown && isRight ? (200, .tokens(replacing: nil)) : (401, .refusal)
        case .token(let ticket) where request.endpoint == .logOut: return (204, .loggedOut(ticket))
        case .token(let ticket):
            if now >= ticket.expiresAt { return (401, .refusal) }
            let works = !ticket.isSpent && backend.ticketIDs(of: ticket.subject).contains(ticket.id)
            return works ? (200, .tokens(replacing: ticket)) : (401, .revoked)
        default: return (400, .refusal)
        }
    }

    private func profileAnswer(to request: AppRequest) -> Answer {
        let profile = backend.profile(of: user, at: now)
        var texts = [("user_id", user), ("id", user)]
        if case .profile(let sent) = request.body {
            texts.append(("name", sent))
        } else {
            texts.append(("name", profile.content.name))
        }
        let preferences = backend.preferences(of: user)
        let own = [("user_profile_id", profile.id.description)]
        switch request.endpoint {
        case .createProfile: return profile.content.isProvisional ? (201, .texts(texts)) : (409, .refusal)
        case .showPreferences: return preferences == nil ? (404, .refusal) : (200, .texts(own))
        case .updatePreferences: return (200, .texts(own))
        case .deletePreferences: return preferences == nil ? (404, .refusal) : (204, .none)
        default: return (200, .texts(texts))
        }
    }

    // MARK: Chat

    private func chatAnswer(to request: AppRequest, on id: String) -> Answer {
        if case .question(let persona, _) = request.body { return create(persona, .general) }
        if request.endpoint == .listConsultations {
            return part("consultations", request, of: backend.consultationIDs(of: user).count)
        }
        guard let facts = owned(id) else { return (404, .refusal) }
        let consultation = facts.consultation
        switch request.endpoint {
        case .listMessages: return part("messages", request, of: count(ofMessagesIn: facts))
        case .completeConsultation: return consultation.isArchived ? (400, .refusal) : (200, .entity(consultation.id))
        case .suggestConsultationGoals: return (200, .counted("suggestions", 1...2))
        case .sendMessage: return send(in: facts)
        default: break
        }
        guard case .change(let persona, let isArchived) = request.body else { return (200, .entity(consultation.id)) }
        let isReopened = consultation.isArchived && isArchived == false && consultation.completedAt == nil
        if consultation.isActive || isReopened, isArchived != true {
            let existing = active(persona ?? consultation.persona, consultation.context, except: consultation.id)
            if let existing { return (409, .conflict(existing)) }
            if isReopened, activeCount >= limits.activeConsultations { return (429, .refusal) }
        }
        return (200, isArchived == true ? .archived(consultation.id) : .entity(consultation.id))
    }

    private func send(in facts: Backend.ConsultationFacts) -> Answer {
        guard facts.consultation.isActive else { return (400, .refusal) }
        let isHeard = facts.socketCount > 0
        if isHeard, facts.isAnswering, facts.waitingCount >= limits.waitingMessages { return (429, .refusal) }
        // Each question has one answer; a streaming answer is stored at its end.
        let count = facts.historyCount + facts.waitingCount + (facts.isAnswering ? 1 : 0)
        guard count + 2 <= limits.messages else { return (507, .refusal) }
        return (201, .answered(isAtOnce: !isHeard))
    }

    // MARK: Meals

    private func mealAnswer(to request: AppRequest, on id: String) -> Answer {
        let room = limits.mealLogs - backend.mealLogIDs(of: user).count
        let photo = ResourceID(id).flatMap { backend.photoIDs(of: user).contains($0) ? $0 : nil }
        switch request.endpoint {
        case .createMealLogs:
            if case .foods(let count, _, let isTyped) = request.body, count > 0, isTyped {
                return room > 0 ? (201, .manual(calories: 200 * count)) : (507, .refusal)
            }
            guard case .meals(let count) = request.body, (1...50).contains(count) else { return (400, .refusal) }
            return count <= room ? (201, .batch("meal_logs", .mealLog, count: count)) : (507, .refusal)
        case .updateMealLog:
            guard let log = mealLog(id) else { return (404, .refusal) }
            guard case .foods(let count, _, _) = request.body else { return (200, .entity(log)) }
            let isFinished = [.completed, .manual].contains(backend.status(ofMealLog: log))
            return count > 0 && isFinished ? (200, .entity(log)) : (400, .refusal)
        case .recognizeMealPhoto: return (201, .new(.photo))
        case .showMealPhoto: return photo == nil ? (404, .refusal) : (200, .none)
        case .deleteMealPhoto: return photo.map { (204, .deleted(.photo, $0)) } ?? (404, .refusal)
        case .confirmMealPhoto:
            guard let photo else { return (404, .refusal) }
            guard backend.photo(photo)?.mealLogID == nil else { return (400, .refusal) }
            return room > 0 ? (200, .confirmed(photo: photo)) : (507, .refusal)
        default: preconditionFailure("No client sends \(request.endpoint.name).")
        }
    }

    // MARK: Documents

    private func answer(to request: AppRequest, in collection: DocumentCollection) -> Answer {
        let own = backend.documents(in: collection, of: user)
        let id = request.ids.first.flatMap { ResourceID($0) }
        let held = own.first { $0.id == id }
        let others = backend.templates(publicOrSharedWith: user, isPublic: true, isShared: true)
        let shared = collection == .workoutTemplates ? others.first { $0.id == id } : nil
        func list(isPublic: Bool) -> [Document] {
            backend.templates(publicOrSharedWith: user, isPublic: isPublic, isShared: !isPublic)
        }
        /// Applies to the user's own document; a readable template of another user gets 403, and any other document
        /// gets 404.
        func whereHeld(_ answer: (Document) -> Answer) -> Answer {
            held.map(answer) ?? (shared == nil ? 404 : 403, .refusal)
        }
        func whereValid(_ answer: @autoclosure () -> Answer) -> Answer {
            if case .invalid = request.body { (400, .refusal) } else { answer() }
        }
        func created(_ check: BodyCheck) -> Answer { own.count < limits.documents ? (201, check) : (507, .refusal) }
        switch request.endpoint {
        case .generateInsights: return whereValid(created(.new(.document(collection))))
        case .listPublicWorkoutTemplates: return part("templates", request, of: list(isPublic: true).count)
        case .listSharedWorkoutTemplates: return part("templates", request, of: list(isPublic: false).count)
        case .analyzeMoodEntries:
            return request.query == nil ? (400, .refusal) : (200, .figure("summary.total_entries", own.count))
        case .countUnreadInsights:
            return (
                200,
                .figure("count", own.count { $0.object["is_read"] != true && $0.object["is_archived"] != true })
            )
        case .searchJournal:
            let words = request.query.map { $0.dropFirst("q=".count).split(separator: "+") } ?? []
            let found = own.count { entry in
                let text = entry.object["content"]?.string ?? ""
                return words.allSatisfy { text.contains($0) }
            }
            return words.isEmpty ? (400, .refusal) : part("results", request, of: found, usually: 30)
        case .readInsight, .favoriteInsight, .archiveInsight, .unarchiveInsight:
            return whereHeld { (200, .entity($0.id)) }
        case .shareWorkoutTemplate: return whereHeld { _ in whereValid((201, .figure("total_shared", 1))) }
        case .unshareWorkoutTemplate:
            let other = request.ids.last ?? ""
            return whereHeld {
                $0.share(with: ExactString(other)) == nil
                    ? (404, .refusal) : (200, .texts([("revoked_from_user_id", other)]))
            }
        case .showWorkoutTemplate: return (held ?? shared).map { (200, .entity($0.id)) } ?? (404, .refusal)
        case .copyWorkoutTemplate:
            return held == nil && shared == nil ? (404, .refusal) : created(.new(.document(collection)))
        case .replaceMoodEntry where held?.object["source"] == "healthkit": return (400, .refusal)
        default: break
        }
        switch request.endpoint.method {
        case .get:
            let size = [.moodEntries: 50, .journal: 30, .sleep: 30][collection, default: 20]
            let total = own.count { isListed($0, in: collection) }
            return part(Self.names[collection], request, of: total, usually: size)
        case .post:
            if let session = same(as: request, among: own) { return (200, .entity(session.id)) }
            return whereValid(created(.new(.document(collection))))
        case .put: return whereHeld { held in whereValid((200, .entity(held.id))) }
        default: return whereHeld { (204, .deleted(.document(collection), $0.id)) }
        }
    }

    private static let names: [DocumentCollection: String] = [
        .moodEntries: "entries", .journal: "entries", .insights: "insights", .progress: "entries", .sleep: "sessions",
        .workouts: "workouts", .workoutTemplates: "templates",
    ]

    /// Whether the default list contains a document, which must be neither archived nor old.
    private func isListed(_ document: Document, in collection: DocumentCollection) -> Bool {
        switch collection {
        case .insights: return document.object["is_archived"] != true
        case .moodEntries, .journal, .progress, .sleep:
            let time = document.object.time(collection == .sleep ? "start_time" : "logged_at")
            let midnight = now.secondsSinceEpoch - now.secondsSinceEpoch % 86_400
            return time.map { $0.secondsSinceEpoch >= midnight - 30 * 86_400 } ?? true
        case .workouts, .profileMetrics, .workoutTemplates: return true
        }
    }

    /// The existing sleep session with the request's `source_id`.
    private func same(as request: AppRequest, among sessions: [Document]) -> Document? {
        guard request.endpoint == .createSleep, case .members(let members) = request.body,
            let source = (try? JSON.parse(Array("{\(members)}".utf8)))?["source_id"]?.string
        else { return nil }
        return sessions.first { $0.object["source_id"]?.string == source }
    }
}
