import FitIQAPI

/// The chat about a goal (goal-linking, flow 1).
extension ClientCore {
    mutating func chat(aboutGoal text: String, at now: Timestamp) {
        guard serves(.chatAboutGoal, "chat about a goal"), hasRoom() else { return }
        guard let id = Answer.pathID(text) else { return tell(.notFound, ClientMessages.unknown("goal")) }
        guard !gone.contains(id) else { return tell(.notFound, ClientMessages.gone("goal")) }
        guard intent != .goal(id) else { return }
        forgetBeforehand()
        intent = .goal(id)
        if link.wanted == nil { show(.connecting) }
        // Only an id that the backend issued is sent, and a conversation that there is is used.
        if areGoalsStale || !state.goals.contains(where: { $0.id == id }) {
            submit(.listGoals, .get, "/api/v1/goals", at: now)
        } else {
            chatAboutShownGoal(id, at: now)
        }
    }

    /// Opens the conversation of a goal that was just shown, or has one made.
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
            if case .answered(let answer) = outcome {
                if answer.status == 404 { gone.insert(id) }
                if answer.status == 429 { createsAgainAt = now.advanced(by: configuration.patience.afterTooMany) }
            }
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
