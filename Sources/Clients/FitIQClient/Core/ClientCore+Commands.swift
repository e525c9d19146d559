import FitIQAPI

extension ClientCore {
    /// Starts a command.
    ///
    /// Reports a problem if the backend would refuse the text.
    public mutating func perform(_ command: ClientCommand, at now: Timestamp) {
        // The client follows the user's command even if an identical request has failed before.
        if case .send = command {} else { requests.forgetFailures() }
        switch command {
        case .startConsultation(let persona): start(persona, at: now)
        case .openConsultation(let id):
            forgetBeforehand()
            intent = nil
            open(id, at: now)
        case .send(let text): say(text)
        case .archive: archive(at: now)
        case .disconnect: disconnect()
        case .createGoal(let title, let description, let targetDate):
            createGoal(title, description, targetDate, at: now)
        case .chatAboutGoal(let id): chat(aboutGoal: id, at: now)
        case .logMeal(let text, let type): logMeal(text, type, at: now)
        case .listenToMeals: listenToMeals()
        case .loadGoals:
            guard serves(.listGoals, "list of goals"), hasRoom() else { break }
            submit(.listGoals, .get, "/api/v1/goals", at: now)
        case .loadQuickActions:
            guard serves(.listQuickActions, "quick actions"), hasRoom() else { break }
            submit(.listQuickActions, .get, Endpoint.listQuickActions.template, at: now)
        case .signIn(let email, let password): signIn(.logIn, [("email", email), ("password", password)], at: now)
        case .register(let email, let password, let name, let dateOfBirth):
            let members = [("email", email), ("password", password), ("name", name), ("date_of_birth", dateOfBirth)]
            signIn(.register, members, at: now)
        case .useToken(let token): use(token: token, at: now)
        case .giveUpToken: if requests.tokens.deadline != nil { giveUpTokens(at: now) }
        }
        settle(at: now)
    }

    private mutating func start(_ persona: Persona, at now: Timestamp) {
        guard intent != .consultation(persona), serves(.createConsultation, "way to create a consultation"),
            hasRoom(), mayCreate(at: now)
        else { return }
        forgetBeforehand()
        intent = .consultation(persona)
        // One guide uses a different name for the coach; backends ignore unknown fields.
        let body = Body.object([("persona", persona.rawValue), ("coach_type", persona.rawValue)])
        submit(.createConsultation(persona), .post, "/api/v1/consultations", body: body, at: now)
        if link.wanted == nil { show(.connecting) }
    }

    /// Whether the client may create a consultation; reports a problem if the backend would refuse again.
    mutating func mayCreate(at now: Timestamp) -> Bool {
        guard let createsAgainAt, now < createsAgainAt else { return true }
        tell(.tooMany, "There are too many active consultations. Archive one, or try again in a minute.")
        return false
    }

    mutating func finishCreate(_ persona: Persona, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard case .answered(let answer) = outcome else { return giveUp(.consultation(persona), outcome) }
        if answer.status == 429 { createsAgainAt = now.advanced(by: configuration.patience.afterTooMany) }
        let id = answer.status == 409 ? answer.existingConsultationID : answer.isSuccess ? answer.consultationID : nil
        guard let id else { return giveUp(.consultation(persona), outcome) }
        guard intent == .consultation(persona) else { return }
        intent = nil
        open(id, at: now)
    }

    mutating func giveUp(_ intent: Intent, _ outcome: RequestBook.Outcome) {
        tellFailure(outcome)
        guard self.intent == intent else { return }
        self.intent = nil
        if link.wanted == nil { show(.failed) }
    }

    /// Opens a consultation's chat: first the history, then the socket.
    mutating func open(_ text: String, at now: Timestamp) {
        guard let id = Answer.pathID(text) else {
            if link.wanted == nil { show(.failed) }
            return tell(.notFound, ClientMessages.unknown("consultation"))
        }
        guard !gone.contains(id) else {
            if link.wanted == nil { show(.failed) }
            return tell(.notFound, ClientMessages.gone("consultation"))
        }
        guard link.wanted != id else { return }
        if let old = link.wanted { drop(.history(consultation: old)) }
        if conversation?.id != id {
            let unsent = conversation?.waiting.count ?? 0
            if unsent > 0 { tell(.refused, ClientMessages.notSent(unsent)) }
            conversation = Conversation(id: id, limits: configuration.limits)
            showTalk()
        }
        state.consultation = id
        link.want(id)
        show(.connecting)
        if isHistoryServed { readHistory(at: now) } else { link.isReady = true }
    }

    private mutating func disconnect() {
        intent = nil
        mealLink.want(nil)
        leave(.disconnected)
    }

    /// Leaves the chat by closing its socket.
    mutating func leave(_ connection: ClientState.Connection) {
        if let wanted = link.wanted { drop(.history(consultation: wanted)) }
        link.want(nil)
        show(connection)
        guard conversation?.turn != nil else { return }
        loseQuestion()
    }

    private mutating func archive(at now: Timestamp) {
        guard serves(.archiveConsultation, "way to archive a consultation"), hasRoom() else { return }
        guard let id = state.consultation else { return tell(.refused, ClientMessages.noChat) }
        guard !gone.contains(id) else { return tell(.notFound, ClientMessages.gone("consultation")) }
        guard archiving == nil else { return }
        archiving = id
        submit(.archive(consultation: id), .post, "/api/v1/consultations/\(id)/archive", at: now)
    }

    mutating func finishArchive(_ id: String, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        archiving = nil
        guard case .answered(let answer) = outcome, answer.isSuccess else {
            tellFailure(outcome)
            if outcome.answer?.status == 404 {
                lose(id)
                if link.wanted == id { leave(.failed) }
            }
            // Reopen the socket, because the server may have closed it for another reason.
            if link.wanted == id, link.socket == nil, link.isReady { retry(.chat, at: now) }
            return
        }
        createsAgainAt = nil
        if suggestion?.consultation == id { suggestion = nil }
        unlink(id)
        areGoalsStale = true
        if conversation?.id == id, conversation?.waiting.isEmpty == false {
            tell(.refused, ClientMessages.notSent(conversation?.waiting.count ?? 0))
            conversation?.waiting = []
            showTalk()
        }
        if link.wanted == id { leave(.disconnected) }
    }

    mutating func finishListQuickActions(_ outcome: RequestBook.Outcome) {
        guard case .answered(let answer) = outcome, answer.isSuccess, let prompts = answer.quickActions else {
            return tellFailure(outcome)
        }
        state.quickActions = prompts
        isChanged = true
    }

    // MARK: Signing in, and replacing a refused token

    mutating func signIn(_ endpoint: Endpoint, _ members: [(key: String, value: String)], at now: Timestamp) {
        guard serves(endpoint, "accounts"), hasRoom() else { return }
        drop(.signIn)
        // `submit` would require a token.
        requests.submit(.signIn, .post, endpoint.template, body: Body.object(members), at: now)
    }

    mutating func finishSignIn(_ outcome: RequestBook.Outcome) {
        guard let tokens = outcome.answer?.tokens else { return tellFailure(outcome) }
        requests.tokens.use(tokens, fromRefresh: false)
    }

    /// Continues with the new tokens, or asks the user for different tokens; a refresh token is used only once.
    mutating func finishRefresh(_ outcome: RequestBook.Outcome, at now: Timestamp) {
        if let tokens = outcome.answer?.tokens { return requests.tokens.use(tokens, fromRefresh: true) }
        let deadline = now.advanced(by: configuration.patience.token)
        if requests.tokens.failToRefresh(until: deadline) { tell(.credentialsRefused) }
    }
}
