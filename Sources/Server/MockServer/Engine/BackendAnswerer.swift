import FitIQAPI
import FitIQBackend
import HTTPTypes
import JSON
import Text
import Traffic

/// Answers requests from the world's own backend.
struct BackendAnswerer {
    let engine: Engine

    /// Answers for a REST endpoint, and applies any faults; nil if the request is held or waits for a job.
    func answer(_ exchange: Exchange) throws(APIError) -> Answer? {
        guard exchange.isReleased || !exchange.world.faults.isEmpty || engine.asksForFault(exchange.head) else {
            return try answerWithOverlay(exchange)
        }
        if !exchange.isReleased {
            exchange.responseFaults = try engine.selectResponseFaults(for: exchange)
            if engine.breakpoints.pass(exchange) == .stopped { return nil }
        }
        guard let faults = exchange.responseFaults, let replacement = faults.replacement else {
            return try answerWithOverlay(exchange)
        }
        // The client loses the answer, but the backend still handles the request.
        if replacement.isProcessed {
            let hidden = try? answerWithOverlay(exchange)
            if exchange.connection.waiting != nil { return nil }
            exchange.created = hidden.flatMap { RecordedExchange.created($0.status.code, $0.body) }
        }
        return faults.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(Answer.init)
    }

    /// Answers for a REST endpoint, and applies the world's overlay; nil if the request waits for a job.
    private func answerWithOverlay(_ exchange: Exchange) throws(APIError) -> Answer? {
        guard let overlay = exchange.world.settings.scenario.overlay, let endpoint = exchange.endpoint,
            overlay.concerns(endpoint)
        else { return try answerWithoutOverlay(exchange) }
        if let made = exchange.made as? ChangedAnswer { return Answer(made) }
        let answer: Answer
        do throws(APIError) {
            guard let own = try answerWithoutOverlay(exchange) else { return nil }
            answer = own
        } catch {
            answer = Answer(exchange.world.advising(error), in: exchange.errorForm, forApps: exchange.servesApps)
        }
        let own = ChangedAnswer(answer)
        // Each change may traverse the whole answer.
        let cost = own.body.count * overlay.count(for: endpoint)
        let changed = Deferred(parsing: cost) { own.changed(by: overlay, of: endpoint) }
        return engine.make(changed, for: exchange, at: exchange.world.turn.now).map(Answer.init)
    }

    /// Answers for a REST endpoint, before any overlay is applied; nil if the request waits for a job.
    private func answerWithoutOverlay(_ exchange: Exchange) throws(APIError) -> Answer? {
        if exchange.isReleased, exchange.made is HTTPResponse.Status { return .noContent }
        guard let endpoint = exchange.endpoint else {
            preconditionFailure(
                "A path without an operation must have been refused earlier.")
        }
        if endpoint.credentials == .key { return try answerWithoutToken(endpoint, exchange) }
        let world = exchange.world
        defer { engine.applyEffects(of: world, at: exchange.now) }
        // Pass the backend as `inout`, because each method call on `world.backend` would copy it first.
        return try answer(endpoint, on: exchange.id, exchange, &world.backend, &world.turn)
    }

    /// Answers for an endpoint that needs a bearer token; nil if the request waits for a job.
    ///
    /// - Parameter id: The first id in the path; empty if the path has no id.
    /// - Throws: A 401 for invalid credentials, a 404 for an unknown id, a 415, 413 or 400 for an invalid body, a 400
    ///   for an invalid query, or a 507 if the world is full.
    private func answer(
        _ endpoint: Endpoint, on id: String, _ exchange: Exchange, _ backend: inout Backend, _ turn: inout Turn
    ) throws(APIError) -> Answer? {
        let world = exchange.world
        let user = try world.authenticator.authenticate(
            exchange.head.fields, needsKey: endpoint.credentials != .token,
            last: &exchange.connection.lastAuthorization, in: &backend, at: turn.date)
        exchange.user = backend.name(of: user)
        if let hint = world.authenticator.takeHint() {
            engine.recorder.record(.note(hint), on: exchange.connection, in: world)
        }
        // First run the events that are due, even if the request is then refused.
        backend.advance(&turn)
        let isForApps = world.mode.servesApps
        switch endpoint {
        case .showConsultation: return .ok(try backend.consultation(id, for: user))
        case .showGoal: return .ok(try backend.goal(id, for: user))
        case .showMealLog: return .ok(try backend.mealLog(id, for: user))
        case .listConsultations:
            let query = try ConsultationListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return .ok(backend.consultations(query, for: user))
        case .listMessages:
            let messages = try backend.messages(id, query: exchange.head.target.queryItems(), for: user, turn)
            return engine.answer(exchange, with: messages, at: turn.now)
        case .listQuickActions:
            return .ok(backend.quickActions(try QuickActionQuery(query: exchange.head.target.queryItems())))
        case .listGoals:
            let query = try GoalListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return engine.answer(exchange, with: backend.goals(query, for: user, at: turn.date), at: turn.now)
        case .listMealLogs:
            let query = try MealLogListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return engine.answer(exchange, with: backend.mealLogs(query, for: user), at: turn.now)
        default: return try answerCommand(endpoint, on: id, by: user, exchange, &backend, &turn)
        }
    }

    // MARK: Operations that change data, and operations that only the apps use

    /// Performs an operation and answers; nil if the request waits for a job.
    ///
    /// - Parameter id: The first id in the path; empty if the path has no id.
    /// - Throws: A 404 for an unknown id, 415, 413 or 400 for an invalid body, 400 for an invalid query, or 507 if the
    ///   world is full.
    private func answerCommand(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange, _ backend: inout Backend,
        _ turn: inout Turn
    ) throws(APIError) -> Answer? {
        try checkBody(of: endpoint, on: id, by: user, exchange, &backend)
        let (body, mode) = (exchange.body, exchange.world.mode)
        switch endpoint {
        case .createConsultation:
            let request = try CreateConsultationRequest(
                body: body, in: mode.form(of: endpoint), isForApps: mode.servesApps)
            return .created(try backend.createConsultation(request, by: user, &turn))
        case .updateConsultation:
            return .ok(try backend.updateConsultation(id, UpdateConsultationRequest(body: body), by: user, &turn))
        case .completeConsultation: return .ok(try backend.complete(id, by: user, &turn))
        case .archiveConsultation: return .ok(try backend.archive(id, by: user, &turn))
        case .deleteConsultation: try backend.deleteConsultation(id, by: user, &turn)
        case .sendMessage:
            return .created(try backend.sendMessage(SendMessageRequest(body: body), in: id, by: user, &turn))
        case .suggestConsultationGoals:
            return .ok(try backend.suggestGoals(in: id, limit: SuggestGoalsRequest(body: body).limit, for: user))

        case .createGoal:
            let request = try CreateGoalRequest(body: body, isForApps: mode.servesApps)
            return .created(try backend.createGoal(request, by: user, &turn))
        case .updateGoal:
            let request = try UpdateGoalRequest(body: body, isForApps: mode.servesApps)
            return .ok(try backend.updateGoal(id, request, by: user, &turn))
        case .replaceGoal: return .ok(try backend.replaceGoal(id, AppGoalRequest(body: body), by: user, &turn))
        case .deleteGoal: try backend.deleteGoal(id, by: user, &turn)
        case .chatAboutGoal:
            let request = try ChatAboutGoalRequest(body: body, ids: backend.configuration.rules.ids)
            return .created(try backend.chatAboutGoal(request, by: user, &turn))
        case .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            return .ok(try backend.goalAdvice(endpoint, on: id, for: user, at: turn.date))
        case .listSuggestedGoals, .suggestGoals: return .ok(backend.suggestedGoals(for: user))

        case .createMealLog:
            let request = try CreateMealLogRequest(body: body, isForApps: mode.servesApps)
            return .created(try backend.createMealLog(request, by: user, &turn))
        case .createMealLogs:
            return .created(try backend.createMealLogs(CreateMealLogsRequest(body: body), by: user, &turn))
        case .updateMealLog:
            return .ok(try backend.updateMealLog(id, UpdateMealLogRequest(body: body), by: user, &turn))
        case .deleteMealLog: try backend.deleteMealLog(id, by: user, &turn)
        case .recognizeMealPhoto:
            let type = exchange.head.fields[.contentType]
            let reading = Deferred(parsing: body.count) {
                Result { () throws(APIError) in try MealPhotoRequest(body: body, contentType: type) }
            }
            guard let request = engine.make(reading, for: exchange, at: turn.now) else { return nil }
            return .created(try backend.recognizeMealPhoto(request.get(), by: user, &turn))
        case .showMealPhoto: return .ok(try backend.mealPhoto(id, for: user))
        case .confirmMealPhoto:
            return .ok(try backend.confirmMealPhoto(id, ConfirmMealPhotoRequest(body: body), by: user, &turn))
        case .deleteMealPhoto: try backend.deleteMealPhoto(id, by: user)

        case .showProfile: return .ok(backend.profile(of: user, at: turn.date))
        case .createProfile, .updateProfile, .updatePhysicalProfile:
            let request = try ProfileRequest(body: body, of: endpoint, at: turn.date)
            if endpoint == .createProfile { return .created(try backend.createProfile(request, of: user, &turn)) }
            return .ok(try backend.updateProfile(request, of: user, &turn))
        case .deleteUser:
            let deletion = backend.deletion(of: user, turn)
            guard engine.isJob(deletion) else {
                backend.deleteUser(user, &turn)
                break
            }
            engine.makeInJob(deletion, for: exchange, at: turn.now) { engine, deleted in
                let world = exchange.world
                // A reload may have set a different script, because reloads do not wait for a paused world.
                let script = world.backend.script
                engine.discard(world.backend)
                world.backend = deleted.backend
                world.backend.setScript(script)
                world.turn.effects += deleted.effects
                return HTTPResponse.Status.noContent
            }
            return nil
        case .showPreferences: return .ok(try backend.preferences(of: user))
        case .updatePreferences:
            return .ok(try backend.updatePreferences(PreferencesRequest(body: body), of: user, &turn))
        case .deletePreferences: try backend.deletePreferences(of: user)

        default:
            guard let collection = endpoint.documents else {
                preconditionFailure("\(endpoint.name) must have been answered earlier.")
            }
            return try answerForDocuments(endpoint, in: collection, on: id, by: user, exchange, &backend, &turn)
        }
        return .noContent
    }

    /// Refuses an unknown id in the path, and then a body that is not JSON.
    private func checkBody(
        of endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange, _ backend: inout Backend
    ) throws(APIError) {
        if endpoint.body == .form { return try engine.coding.check(exchange) }
        guard endpoint.body == .required || endpoint.body == .optional else { return }
        switch endpoint {
        case _ where id.isEmpty: break
        case .updateConsultation, .completeConsultation, .archiveConsultation, .sendMessage, .suggestConsultationGoals:
            _ = try backend.consultation(id, for: user)
        case .updateGoal, .replaceGoal: _ = try backend.goal(id, for: user)
        case .updateMealLog: _ = try backend.mealLog(id, for: user)
        case .confirmMealPhoto: _ = try backend.mealPhoto(id, for: user)
        // A user may also copy another user's shared template.
        case .copyWorkoutTemplate: _ = try backend.document(id, in: .workoutTemplates, for: user)
        default: if let collection = endpoint.documents { _ = try backend.index(of: id, in: collection, of: user) }
        }
        try checkContent(of: exchange)
    }

    /// Performs an operation on documents and answers; nil if the request waits for a job.
    ///
    /// - Throws: A 404 for an unknown id, 400 for an invalid body or query, or 507 if the world is full.
    private func answerForDocuments(
        _ endpoint: Endpoint, in collection: DocumentCollection, on id: String, by user: UserID, _ exchange: Exchange,
        _ backend: inout Backend, _ turn: inout Turn
    ) throws(APIError) -> Answer? {
        let body = exchange.body
        func query() throws(APIError) -> DocumentListQuery {
            try DocumentListQuery(
                query: exchange.head.target.queryItems(), of: endpoint, in: collection, at: turn.date)
        }
        func object(changing old: JSONObject? = nil) throws(APIError) -> JSONObject {
            try DocumentRequest.object(body, for: collection, changing: old, at: turn.date)
        }
        func mark(_ member: String, as value: Bool?) throws(APIError) -> Answer {
            .ok(try backend.markInsight(id, member, as: value, by: user, &turn))
        }
        switch endpoint {
        case .analyzeMoodEntries:
            let query = try MoodAnalyticsQuery(query: exchange.head.target.queryItems())
            return engine.answer(exchange, with: backend.moodAnalytics(query, for: user), at: turn.now)
        case .countUnreadInsights: return .ok(backend.unreadInsights(of: user))
        case .generateInsights:
            let request = try GenerateInsightRequest(body: body, at: turn.date)
            return .created(try backend.generateInsight(request, by: user, &turn))
        case .readInsight: return try mark("is_read", as: true)
        case .favoriteInsight: return try mark("is_favorite", as: nil)
        case .archiveInsight: return try mark("is_archived", as: true)
        case .unarchiveInsight: return try mark("is_archived", as: false)
        case .listWorkoutTemplates:
            return engine.answer(exchange, with: backend.templates(try query(), for: user), at: turn.now)
        case .listSharedWorkoutTemplates:
            let templates = backend.templatesShared(with: user, try query(), at: turn.date)
            return engine.answer(exchange, with: templates, at: turn.now)
        case .shareWorkoutTemplate:
            return .created(try backend.shareTemplate(id, ShareDocumentRequest(body: body), by: user, &turn))
        case .unshareWorkoutTemplate:
            let other = exchange.head.target.segments.last ?? ""
            return .ok(try backend.unshareTemplate(id, with: other, by: user, at: turn.date))
        case .copyWorkoutTemplate:
            return .created(try backend.copyTemplate(id, as: CopyTemplateRequest(body: body).name, by: user, &turn))
        case .replaceWorkoutTemplate:
            let old = try backend.documentMembers(id, in: collection, of: user)
            return .ok(
                try backend.replaceDocument(id, with: object(changing: old), in: collection, by: user, &turn))
        default: break
        }
        // Several collections share these operations.
        switch endpoint.method {
        case .get where id.isEmpty:
            return engine.answer(exchange, with: backend.documents(try query(), for: user), at: turn.now)
        case .get: return .ok(try backend.document(id, in: collection, for: user))
        case .post:
            let created = try backend.createDocument(object(), in: collection, by: user, &turn)
            return created.isNew ? .created(created.body) : .ok(created.body)
        case .put: return .ok(try backend.replaceDocument(id, with: object(), in: collection, by: user, &turn))
        default:
            try backend.deleteDocument(id, in: collection, by: user)
            return .noContent
        }
    }

    // MARK: Registration, login, refresh tokens, and public templates

    /// Answers for an endpoint that needs only the API key; nil if the request waits for a job.
    private func answerWithoutToken(_ endpoint: Endpoint, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (body, world) = (exchange.body, exchange.world)
        try world.authenticator.checkAPIKey(of: exchange.head.fields)
        defer { engine.applyEffects(of: world, at: exchange.now) }
        world.backend.advance(&world.turn)
        if endpoint.body != .none { try checkContent(of: exchange) }
        let secret = Array(world.settings.jwtSecret.utf8)
        switch endpoint {
        case .listPublicWorkoutTemplates:
            let query = try DocumentListQuery(
                query: exchange.head.target.queryItems(), of: endpoint, in: .workoutTemplates, at: world.turn.date)
            return engine.answer(exchange, with: world.backend.publicTemplates(query), at: world.turn.now)
        case .register:
            let request = try RegisterRequest(body: body, at: world.turn.date)
            var hash: PasswordHash?
            if let deferred = world.backend.passwordHash(for: request, world.turn) {
                hash = engine.make(deferred, for: exchange, at: world.turn.now)
                if hash == nil { return nil }
            }
            let (tokens, profile) = try world.backend.register(request, hash: hash, &world.turn)
            return .created(tokens.body(registering: profile, signedWith: secret))
        case .logIn:
            let request = try LogInRequest(body: body)
            let check = world.backend.passwordCheck(for: request)
            guard let isRight = engine.make(check, for: exchange, at: world.turn.now) else { return nil }
            let tokens = try world.backend.logIn(request, isRight: isRight, &world.turn)
            return .ok(tokens.body(signedWith: secret))
        case .refreshTokens:
            let token = try verify(RefreshRequest(body: body), secret)
            return .ok(try world.backend.refresh(token, &world.turn).body(signedWith: secret, isFlat: true))
        case .logOut:
            if let request = try RefreshRequest(logout: body) {
                world.backend.revoke(try verify(request, secret), &world.turn)
            }
            return .noContent
        default: preconditionFailure("\(endpoint.name) needs a bearer token.")
        }
    }

    /// Verifies a refresh token, except for its expiry and use; throws 400 unless the world issued it.
    private func verify(_ request: RefreshRequest, _ secret: [UInt8]) throws(APIError) -> AccessToken {
        do throws(Refusal) {
            let token = try AccessToken.verify(request.refreshToken, secret: AccessToken.refreshSecret(of: secret))
            guard token.id != nil else {
                throw .malformedToken("its 'jti' claim must be an id that this server issued")
            }
            return token
        } catch {
            throw .badRefreshToken(error)
        }
    }

    /// Checks that a body is JSON and no longer has a content coding.
    private func checkContent(of exchange: Exchange) throws(APIError) {
        try engine.coding.check(exchange)
        try engine.checkMediaType(exchange.head.fields, exchange.body)
    }

    // MARK: Sockets

    /// Opens a socket for a consultation or for a user's meals.
    ///
    /// - Throws: A 401 for invalid credentials; 404 for an unknown consultation, or 400 for an inactive one; then 426
    ///   or 400 for handshake errors.
    func openSocket(of route: Route, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, world, connection) = (exchange.head, exchange.world, exchange.connection)
        if head.wantsUpgrade, !exchange.isReleased {
            exchange.handshakeFaults = world.faults.openSocket(exchange.endpoint, at: world.turn.now)
            if exchange.handshakeFaults != nil, engine.breakpoints.pass(exchange) == .stopped { return nil }
        }
        if let refusal = exchange.refusedHandshake { return refusal }
        let queryToken = head.target.queryItems().first { $0.name == "token" }?.value
        let user = try world.authenticator.authenticateSocket(
            head.fields, queryToken: queryToken, last: &connection.lastAuthorization, in: &world.backend,
            at: world.turn.date)
        if let hint = world.authenticator.takeHint() { engine.recorder.record(.note(hint), on: connection, in: world) }
        let consultation = route.id
        if let consultation { try world.backend.checkSocket(on: consultation, by: user) }
        exchange.user = world.backend.name(of: user)
        engine.open(.backend, try engine.acceptHandshake(exchange, in: world), exchange)
        if let consultation {
            try world.backend.openSocket(connection.id.socket, on: consultation, by: user, &world.turn)
        } else {
            world.backend.openMealSocket(connection.id.socket, by: user, &world.turn)
        }
        engine.queuePing(on: connection, in: world, at: exchange.now)
        engine.applyEffects(of: world, at: exchange.now)
        engine.receiveTrailingBytes(of: connection, at: exchange.now)
        return nil
    }
}
