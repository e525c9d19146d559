import FitIQAPI
import FitIQBackend
import TestSupport

extension SimulatedClient {
    func drawAppTarget() -> Target {
        switch draw.place(in: [7, 5, 4, 7, 18, 4, 9, hasAccounts ? 10 : 0]) {
        case 0: .app(drawChat())
        case 1: .app(drawGoalRequest())
        case 2: .app(drawMealRequest())
        case 3: .app(drawPhotoRequest())
        case 4: .app(drawDocumentRequest())
        case 5: .app(drawList())
        case 6: .app(drawProfileRequest())
        default: drawAccountTarget()
        }
    }

    private func drawChat() -> AppRequest {
        let id = drawConsultation(activeOnly: draw.below(4) > 0)
        let question = draw.element(of: Texts.messages)
        switch draw.below(8) {
        case 0: return AppRequest(endpoint: .completeConsultation, ids: [id])
        case 1:
            return AppRequest(endpoint: .suggestConsultationGoals, ids: [id], body: .members(#""max_suggestions":2"#))
        case 2, 3:
            let persona = draw.once(in: 2) ? draw.element(of: Persona.allCases) : nil
            let isArchived = [nil, nil, true, false][draw.below(4)]
            let any = drawConsultation(activeOnly: draw.once(in: 3))
            return AppRequest(endpoint: .updateConsultation, ids: [any], body: .change(persona, isArchived: isArchived))
        case 4, 5:
            return AppRequest(
                endpoint: .createConsultation, body: .question(draw.element(of: Persona.allCases), question))
        default: return AppRequest(endpoint: .sendMessage, ids: [id], body: .members(#""content":"\#(question)""#))
        }
    }

    private func drawGoalRequest() -> AppRequest {
        let endpoints: [Endpoint] = [
            .createGoal, .replaceGoal, .listGoalTips, .listGoalSuggestions, .analyzeGoal, .listSuggestedGoals,
            .suggestGoals,
        ]
        let endpoint = draw.element(of: endpoints)
        let ids = endpoint.template.contains("{") ? [drawGoal()] : []
        switch endpoint {
        case .createGoal:
            return AppRequest(
                endpoint: endpoint,
                body: .members(#""title":"Walk","description":"","target_date":"2025-06-01","target_value":5"#))
        case .replaceGoal:
            let status = draw.element(of: ["active", "completed", "paused", "archived"])
            return AppRequest(
                endpoint: endpoint, ids: ids,
                body: .members(#""status":"\#(status)","current_value":\#(draw.below(9))"#))
        default: return AppRequest(endpoint: endpoint, ids: ids)
        }
    }

    private func drawMealRequest() -> AppRequest {
        let count = draw.once(in: 9) ? 0 : 1 + draw.below(4)
        if draw.once(in: 2) {
            let foods = AppBody.foods(count, in: "items", typed: !draw.once(in: 9))
            return AppRequest(endpoint: .createMealLogs, body: draw.once(in: 3) ? foods : .meals(count))
        }
        if draw.once(in: 3) {
            return AppRequest(
                endpoint: .updateMealLog, ids: [drawMeal()], body: .foods(count, in: "items", typed: draw.once(in: 2)))
        }
        let members = draw.element(of: [
            #""raw_input":"3 eggs""#, #""notes":"late""#, #""logged_at":"2025-01-01T08:00:00Z""#,
            #""meal_type":"water""#,
            #""raw_input":"toast","id":"x","user_id":"user-0","created_at":"2020-01-01T00:00:00Z""#,
        ])
        return AppRequest(endpoint: .updateMealLog, ids: [drawMeal()], body: .members(members))
    }

    private func drawPhotoRequest() -> AppRequest {
        let endpoint = draw.element(of: [
            Endpoint.recognizeMealPhoto, .recognizeMealPhoto, .showMealPhoto, .confirmMealPhoto, .deleteMealPhoto,
        ])
        if endpoint == .recognizeMealPhoto { return AppRequest(endpoint: endpoint, body: .photo) }
        let id = drawID { $0.photoIDs(of: $1) }
        guard endpoint == .confirmMealPhoto else { return AppRequest(endpoint: endpoint, ids: [id]) }
        let foods = AppBody.foods(draw.below(3), in: "confirmed_items", typed: false)
        return AppRequest(endpoint: endpoint, ids: [id], body: foods)
    }

    private func drawDocumentRequest() -> AppRequest {
        let held = simulator.engine.inspectBackend(ofWorld: world.id) { backend in
            DocumentCollection.allCases.filter { !backend.documents(in: $0, of: user.subject).isEmpty }
        }
        let operations = Endpoint.allCases.filter { $0.documents != nil }
        let makers = operations.filter { $0.method == .post && !$0.template.contains("{") }
        let changers = operations.filter { endpoint in
            endpoint.template.contains("{id}") && endpoint.documents.map { held?.contains($0) } == true
        }
        let endpoint =
            switch draw.below(7) {
            case 0: draw.element(of: operations)
            case 1, 2: draw.element(of: makers)
            case 3 where held?.contains(.workoutTemplates) == true:
                draw.element(of: [Endpoint.shareWorkoutTemplate, .shareWorkoutTemplate, .unshareWorkoutTemplate])
            default: draw.element(of: changers.isEmpty ? makers : changers)
            }
        guard let collection = endpoint.documents else { preconditionFailure("Filtered above.") }
        var request = AppRequest(endpoint: endpoint)
        if endpoint.template.contains("{id}") { request.ids = [drawDocument(in: collection)] }
        let other = draw.once(in: 6) ? "nobody" : draw.element(of: world.users).subject
        switch endpoint {
        case .shareWorkoutTemplate:
            request.body = draw.once(in: 6) ? .invalid(#""shared_with_user_ids":[]"#) : .sharing(with: other)
        case .unshareWorkoutTemplate:
            let shared = simulator.engine.inspectBackend(ofWorld: world.id) { backend in
                backend.documents(in: collection, of: user.subject).first { !$0.shares.isEmpty }
            }
            request.ids.append(other)
            if let shared = shared ?? nil, draw.below(4) > 0 {
                request.ids = [shared.id.description, shared.shares[0].user.text]
            }
        case .generateInsights: request.body = draw.once(in: 6) ? .invalid("") : .members(#""insight_type":"weekly""#)
        case _ where endpoint.body == .required:
            request.body = draw.once(in: 6) ? drawInvalidDocument(in: collection) : drawDocument(of: collection)
        case .analyzeMoodEntries:
            if draw.below(4) > 0 { request.query = "from=1970-01-01&to=2199-12-31" }
        case .searchJournal: request.query = draw.once(in: 6) ? nil : "q=walk"
        default: break
        }
        if endpoint.parameters.contains("limit") { request.part = drawPart(byOffset: true) }
        return request
    }

    /// The id of a document; for templates, sometimes another user's readable template.
    private func drawDocument(in collection: DocumentCollection) -> String {
        if collection == .workoutTemplates, draw.once(in: 4) {
            let readable = simulator.engine.inspectBackend(ofWorld: world.id) { backend in
                backend.templates(publicOrSharedWith: user.subject, isPublic: true, isShared: true).last
            }
            if let template = readable ?? nil { return template.id.description }
        }
        return drawID { backend, user in backend.documents(in: collection, of: user).map(\.id) }
    }

    /// A time, usually within the last 30 days, in quotation marks.
    private func drawTime() -> String {
        let now = simulator.now(in: world).secondsSinceEpoch
        let ages: [Int64] = [0, 3600, 86_400, 30 * 86_400, 31 * 86_400, 40 * 86_400]
        return "\"\(DateTime(secondsSinceEpoch: now - draw.element(of: ages)).wireText)\""
    }

    /// A body that is stored as sent, except that the world adds members.
    private func drawDocument(of collection: DocumentCollection) -> AppBody {
        let number = draw.below(10)
        let members =
            switch collection {
            case .moodEntries:
                #""valence":-0.\#(number),"logged_at":\#(drawTime()),"source":"\#(number < 2 ? "healthkit" : "manual")""#
            case .journal:
                #""content":"\#(draw.element(of: ["A walk", "Rest"]))","logged_at":\#(drawTime()),"tags":["\#(number)"]"#
            case .progress:
                #""type":"steps","quantity":\#(number)"# + (number < 3 ? "" : #","logged_at":\#(drawTime())"#)
            case .sleep: drawSleep(source: number)
            case .workouts: #""activity_type":"Running","started_at":\#(drawTime()),"intensity":\#(number + 1)"#
            case .profileMetrics:
                #""recorded_at":\#(drawTime()),"metrics":[{"metric_type":"bmi","quantity":\#(number),"unit":"%"}]"#
            case .workoutTemplates:
                #""name":"Legs","is_public":\#(number < 3),"exercises":[{"exercise_id":"squat","order_index":\#(number)}]"#
            case .insights: preconditionFailure("No client sends an insight.")
            }
        return .members(members + #","user_id":"somebody","id":"x","kept":\#(number)"#)
    }

    /// A random sleep session; half of the sessions have one of a few `source_id`s.
    private func drawSleep(source number: Int) -> String {
        let start = simulator.now(in: world).secondsSinceEpoch - 8 * 3600 - Int64(draw.below(35)) * 86_400
        func time(_ hours: Int64) -> String { "\"\(DateTime(secondsSinceEpoch: start + hours * 3600).wireText)\"" }
        let stages = #"{"stage":"core","start_time":\#(time(1)),"end_time":\#(time(6))}"#
        return #""start_time":\#(time(0)),"end_time":\#(time(7)),"stages":[\#(stages)]"#
            + (number < 5 ? #","source_id":"hk-\#(number)""# : "")
    }

    private func drawInvalidDocument(in collection: DocumentCollection) -> AppBody {
        let time = #""2024-12-01T08:00:00Z""#
        let bodies =
            switch collection {
            case .moodEntries:
                [
                    #""valence":1.5,"logged_at":\#(time)"#, #""valence":0"#,
                    #""valence":0,"logged_at":"2199-01-01T00:00:00Z""#,
                ]
            case .journal: [#""content":"","logged_at":\#(time)"#, #""content":"a","logged_at":"yesterday""#]
            case .progress: [#""type":"weight_kg","quantity":1"#, #""type":"weight","quantity":-1"#]
            case .sleep:
                [
                    #""start_time":\#(time),"end_time":\#(time)"#,
                    #""start_time":\#(time),"end_time":"2024-12-01T09:00:00Z","source_id":"hk-0","notes":5"#,
                ]
            case .workouts: [#""activity_type":"Running""#, #""activity_type":"","started_at":\#(time)"#]
            case .profileMetrics: [#""recorded_at":\#(time),"metrics":[]"#, #""metrics":[{"metric_type":"weight"}]"#]
            case .workoutTemplates: [#""name":"""#, #""name":"a","exercises":[{"order_index":0}]"#]
            case .insights: preconditionFailure("No client sends an insight.")
            }
        return .invalid(draw.element(of: bodies))
    }

    private func drawProfileRequest() -> AppRequest {
        let endpoint = draw.element(of: [
            Endpoint.showProfile, .showProfile, .createProfile, .updateProfile, .updatePhysicalProfile,
            .updatePreferences, .updatePreferences, .showPreferences, .deletePreferences,
        ])
        switch endpoint {
        case .createProfile, .updateProfile:
            return AppRequest(endpoint: endpoint, body: .profile(name: "Ada \(draw.below(100))"))
        case .updatePhysicalProfile: return AppRequest(endpoint: endpoint, body: .members(#""height_cm":170.5"#))
        case .updatePreferences:
            return AppRequest(endpoint: endpoint, body: .members(#""allergies":["nuts"],"id":"x""#))
        default: return AppRequest(endpoint: endpoint)
        }
    }

    private func drawList() -> AppRequest {
        let endpoint = draw.element(of: [
            Endpoint.listConsultations, .listGoals, .listMealLogs, .listMessages, .searchJournal,
        ])
        let ids = endpoint == .listMessages ? [drawConsultation(activeOnly: false)] : []
        let isSearch = endpoint == .searchJournal
        return AppRequest(
            endpoint: endpoint, ids: ids, part: drawPart(byOffset: isSearch || draw.once(in: 2)),
            query: isSearch ? "q=A+walk" : nil)
    }

    private func drawPart(byOffset isOffset: Bool) -> ListPart {
        ListPart(isOffset: isOffset, start: draw.below(6) + (isOffset ? 0 : 1), size: 1 + draw.below(5))
    }

    // MARK: Accounts

    private func drawAccountTarget() -> Target {
        let body = AppBody.login(address: draw.below(3), isRight: draw.below(4) > 0)
        let ticket = world.tickets.isEmpty ? nil : drawTicket()
        switch draw.below(8) {
        case 0: return .register(address: draw.below(3))
        case 1, 2:
            guard let ticket else { break }
            return .app(AppRequest(endpoint: draw.once(in: 4) ? .logOut : .refreshTokens, body: .token(ticket)))
        case 3, 4:
            guard !world.accounts.isEmpty else { break }
            let account = drawAccount()
            if draw.once(in: 6) { return .deleteAccount(account) }
            if draw.once(in: 3) { return .showAccount(account) }
            var request = [drawDocumentRequest, drawMealRequest, drawProfileRequest][draw.below(3)]()
            request.account = account
            return .app(request)
        default: break
        }
        return .app(AppRequest(endpoint: .logIn, body: body))
    }

    /// A random refresh token, usually a new one.
    private func drawTicket() -> SimulatedTicket {
        draw.once(in: 3) ? draw.element(of: world.tickets) : draw.element(of: world.tickets.suffix(3).map { $0 })
    }

    func drawAccount() -> SimulatedAccount {
        draw.once(in: 3) ? draw.element(of: world.accounts) : draw.element(of: world.accounts.suffix(4).map { $0 })
    }
}
