import FitIQAPI
import JSON

/// Goals: creating goals, listing them, and linking them to the consultations in which the coach suggested them.
extension ClientCore {
    /// How long a suggestion counts as the origin of a new goal.
    static let suggestionLife = Duration.seconds(600)

    mutating func createGoal(_ title: String, _ description: String, _ targetDate: Timestamp, at now: Timestamp) {
        guard serves(.createGoal, "goals"), hasRoom() else { return }
        guard !ClientFrame.trimmed(title).isEmpty, title.count <= 200 else {
            return tell(.refused, "The goal needs a title of 1 to 200 characters.")
        }
        guard description.count <= 2000 else { return tell(.refused, ClientMessages.longDescription) }
        lastErrand += 1
        let origin = suggestion.flatMap { now <= $0.at.advanced(by: Self.suggestionLife) ? $0.consultation : nil }
        let draft = GoalDraft(
            number: lastErrand, title: title, description: description, targetDate: targetDate.wireText, begunAt: now,
            consultation: origin)
        // A suggestion belongs to one goal; linking a second goal would unlink the first.
        suggestion = nil
        let body = Body.object([("title", title), ("description", description), ("targetDate", draft.targetDate)])
        submit(.createGoal(draft), .post, "/api/v1/goals", body: body, at: now)
    }

    mutating func finishCreateGoal(_ draft: GoalDraft, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        if case .uncertain = outcome {
            // The list shows whether the backend created the goal. Repeating the request could create a second goal.
            let time = now.advanced(by: configuration.retries.firstDelay)
            return submit(.findGoal(draft), .get, "/api/v1/goals", at: time)
        }
        guard case .answered(let answer) = outcome, answer.isSuccess, let goal = Self.goal(answer.object) else {
            return tellFailure(outcome)
        }
        made(goal, draft, at: now)
    }

    /// Searches for a goal whose creation got no usable response.
    mutating func finishFindGoal(_ draft: GoalDraft, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard case .answered(let answer) = outcome, answer.isSuccess, let list = answer.goals else {
            drop(.createGoal(draft))
            return tellFailure(outcome)
        }
        let known = Set(state.goals.map(\.id))
        let found = list.last { value in
            value["title"]?.string == draft.title && Self.goal(value).map { !known.contains($0.id) } ?? false
                && Self.isRecent(value["createdAt"] ?? value["created_at"], since: draft.begunAt)
        }
        if let goal = Self.goal(found) {
            drop(.createGoal(draft))
            made(goal, draft, at: now)
        } else if !requests.sendAgain(.createGoal(draft), at: now) {
            tell(.unavailable, ClientMessages.noAnswer)
        }
    }

    /// Whether a request that started at this time created the entity; the clocks may differ by up to five minutes.
    static func isRecent(_ value: JSONValue?, since begin: Timestamp) -> Bool {
        guard let time = value?.string.flatMap({ DateTime($0)?.timestamp }) else { return false }
        return time.advanced(by: .seconds(300)) >= begin
    }

    private mutating func made(_ goal: ClientState.Goal, _ draft: GoalDraft, at now: Timestamp) {
        show(goal)
        guard let consultation = draft.consultation, goal.conversation != consultation, !gone.contains(consultation)
        else { return }
        let body = Body.object([("conversationId", consultation)])
        submit(
            .linkGoal(goal: goal.id, consultation: consultation), .patch, "/api/v1/goals/\(goal.id)", body: body,
            at: now)
    }

    mutating func finishLink(_ id: String, _ consultation: String, _ outcome: RequestBook.Outcome) {
        guard case .answered(let answer) = outcome, answer.isSuccess else {
            if case .answered(let answer) = outcome, answer.status == 404 {
                let isConversation = answer.code == ErrorCode.notFound.rawValue
                if isConversation { lose(consultation) } else { gone.insert(id) }
                if isConversation, link.wanted == consultation { leave(.failed) }
            }
            return tellFailure(outcome)
        }
        guard let index = state.goals.firstIndex(where: { $0.id == id }) else { return }
        unlink(consultation)
        state.goals[index].conversation = consultation
        isChanged = true
    }

    /// Unlinks a consultation from all goals because it was deleted or now belongs to another goal.
    mutating func unlink(_ consultation: String) {
        for index in state.goals.indices where state.goals[index].conversation == consultation {
            state.goals[index].conversation = nil
            isChanged = true
        }
    }

    mutating func finishListGoals(_ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard case .answered(let answer) = outcome, answer.isSuccess, let list = answer.goals else {
            if case .goal = intent, let intent { return giveUp(intent, outcome) }
            return tellFailure(outcome)
        }
        let dated = list.compactMap { value in
            Self.goal(value).map { (goal: $0, at: (value["createdAt"] ?? value["created_at"])?.string ?? "") }
        }
        // Times on the wire have a single format, so they sort chronologically as strings.
        let sorted = dated.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        state.goals = sorted.suffix(configuration.limits.goals).map(\.element.goal)
        for goal in state.goals { gone.remove(goal.id) }
        (areGoalsStale, isChanged) = (false, true)
        if case .goal(let id) = intent { chatAboutShownGoal(id, at: now) }
    }

    private mutating func show(_ goal: ClientState.Goal) {
        if let index = state.goals.firstIndex(where: { $0.id == goal.id }) {
            state.goals[index] = goal
        } else {
            state.goals.append(goal)
            if state.goals.count > configuration.limits.goals { state.goals.removeFirst() }
        }
        isChanged = true
    }

    private static func goal(_ value: JSONValue?) -> ClientState.Goal? {
        guard let value, let id = Answer.id(value["id"]), let title = value["title"]?.string else { return nil }
        return ClientState.Goal(
            id: id, title: title, conversation: Answer.id(value["conversationId"] ?? value["conversation_id"]))
    }

    /// Shows the coach's template.
    ///
    /// A suggestion applies to the next goal that the user creates.
    ///
    /// - Parameter suggests: Whether the coach has just created it.
    mutating func created(_ template: Template, suggests: Bool = true, at now: Timestamp) {
        guard let consultation = conversation?.id, seenTemplates.insert("\(consultation) \(template.id)") else {
            return
        }
        state.templates =
            (state.templates ?? []).suffix(max(0, configuration.limits.templates - 1))
            + [ClientState.Template(type: template.type, name: template.name)]
        isChanged = true
        guard suggests, template.type == "goal" else { return }
        suggestion = Suggestion(consultation: consultation, at: now)
    }

    // MARK: The chat about a goal (goal-linking, flow 1)

    mutating func chat(aboutGoal text: String, at now: Timestamp) {
        guard serves(.chatAboutGoal, "chat about a goal"), hasRoom() else { return }
        guard let id = Answer.pathID(text) else { return tell(.notFound, ClientMessages.unknown("goal")) }
        guard !gone.contains(id) else { return tell(.notFound, ClientMessages.gone("goal")) }
        guard intent != .goal(id) else { return }
        forgetBeforehand()
        intent = .goal(id)
        if link.wanted == nil { show(.connecting) }
        // The client sends only IDs issued by the backend, and uses an existing conversation.
        if areGoalsStale || !state.goals.contains(where: { $0.id == id }) {
            submit(.listGoals, .get, "/api/v1/goals", at: now)
        } else {
            chatAboutShownGoal(id, at: now)
        }
    }

    /// Opens the conversation of a goal from the list, or lets the backend create a conversation.
    mutating func chatAboutShownGoal(_ id: String, at now: Timestamp) {
        guard let goal = state.goals.first(where: { $0.id == id }) else {
            tell(.notFound, ClientMessages.unknown("goal"))
            return endIntent()
        }
        if let conversation = goal.conversation, !gone.contains(conversation) {
            intent = nil
            return open(conversation, at: now)
        }
        guard mayCreate(at: now) else { return endIntent() }
        let body = Body.object([("goalId", id)])
        submit(.chatAboutGoal(id), .post, "/api/v1/consultations/chat-about-goal", body: body, at: now)
    }

    mutating func finishChatAboutGoal(_ id: String, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard case .answered(let answer) = outcome, answer.isSuccess, let consultation = answer.conversationID else {
            let status = outcome.answer?.status
            if status == 404 { gone.insert(id) }
            if status == 429 { createsAgainAt = now.advanced(by: configuration.patience.afterTooMany) }
            return giveUp(.goal(id), outcome)
        }
        if let index = state.goals.firstIndex(where: { $0.id == id }) {
            state.goals[index].conversation = consultation
            isChanged = true
        }
        guard intent == .goal(id) else { return }
        intent = nil
        open(consultation, at: now)
    }

    private mutating func endIntent() {
        intent = nil
        if link.wanted == nil { show(.failed) }
    }
}
