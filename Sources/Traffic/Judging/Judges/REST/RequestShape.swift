import FitIQAPI
import HTTPTypes
import JSON

/// `request/shape`: requests match the API description.
///
/// The API's own decoders read the recorded request, because the response may come from a fault.
struct RequestShape: ObligationJudge {
    static let obligation = Obligation(
        id: "request/shape", level: .must, origin: .all,
        clause: "Each request's body and query fit the API description.",
        tolerance:
            "Fields that the API does not know are allowed, and so is a body that the journal cut. In the union a "
            + "parameter that it does not know is a should.",
        advice: "Send the guide's names with Content-Type: application/json, and mind the lengths and ranges in /docs.",
        swiftAdvice: "Encode a Codable model that has the guide's names as its CodingKeys, and do not combine them "
            + "with convertToSnakeCase.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let endpoint = request.restEndpoint else { return }
        let target = request.exchange.head.target
        let unknown =
            scene.mode.servesApps && target.query != nil ? endpoint.unknownParameters(in: target.queryItems()) : []
        let hasBody = !request.exchange.body.bytes.isEmpty
        let isRead =
            switch endpoint.body {
            case _ where request.hasLostBody: false
            case .required, .form: true
            case .optional: hasBody
            case .none: target.query != nil && Self.readsQuery(endpoint, in: scene.mode)
            }
        guard isRead || !unknown.isEmpty else { return }
        findings.exercised()
        if !unknown.isEmpty {
            let message = RESTMessages.unknownParameters(request.title, unknown, known: endpoint.parameters)
            findings.found(message, level: .should, [fact.entry])
        }
        guard isRead else { return }
        do throws(APIError) {
            if hasBody, endpoint.body == .required || endpoint.body == .optional {
                try APIError.checkMediaType(request.exchange.head.fields[.contentType])
            }
            try Self.read(request, endpoint, in: scene.mode)
        } catch { findings.found(RESTMessages.misshapen(request.title, error.message), [fact.entry]) }
    }

    /// Whether it has parameters in the mode: in goal-linking, the list of goals has none.
    private static func readsQuery(_ endpoint: Endpoint, in mode: GuideMode) -> Bool {
        !endpoint.parameters.isEmpty && (endpoint != .listGoals || mode.servesApps)
    }

    private static func read(_ request: RequestFact, _ endpoint: Endpoint, in mode: GuideMode) throws(APIError) {
        let (form, isForApps) = (mode.form(of: endpoint), mode.servesApps)
        let body = request.exchange.body.bytes
        let query = request.exchange.head.target.queryItems()
        switch endpoint {
        case .createConsultation: _ = try CreateConsultationRequest(body: body, in: form, isForApps: isForApps)
        case .updateConsultation: _ = try UpdateConsultationRequest(body: body)
        case .sendMessage: _ = try SendMessageRequest(body: body)
        case .suggestConsultationGoals: _ = try SuggestGoalsRequest(body: body)
        case .createGoal: _ = try CreateGoalRequest(body: body, isForApps: isForApps)
        case .updateGoal: _ = try UpdateGoalRequest(body: body, isForApps: isForApps)
        case .replaceGoal: _ = try AppGoalRequest(body: body)
        case .createMealLog: _ = try CreateMealLogRequest(body: body, isForApps: isForApps)
        case .createMealLogs: _ = try CreateMealLogsRequest(body: body)
        case .updateMealLog: _ = try UpdateMealLogRequest(body: body)
        case .recognizeMealPhoto:
            _ = try MealPhotoRequest(body: body, contentType: request.exchange.head.fields[.contentType])
        case .confirmMealPhoto: _ = try ConfirmMealPhotoRequest(body: body)
        case .chatAboutGoal:
            // An ID that the backend did not issue is judged by `ids/backend-goal-id`.
            if request.body?["goalId"]?.exactString == nil { _ = try ChatAboutGoalRequest(body: body) }
        case .listConsultations: _ = try ConsultationListQuery(query: query, isForApps: isForApps)
        case .listMessages: _ = try MessageListQuery(query: query, in: form, isForApps: isForApps)
        case .listGoals: _ = try GoalListQuery(query: query, isForApps: isForApps)
        case .listQuickActions: _ = try QuickActionQuery(query: query)
        case .listMealLogs: _ = try MealLogListQuery(query: query, isForApps: isForApps)
        case .register: _ = try RegisterRequest(body: body, at: request.requestedAt)
        case .logIn: _ = try LogInRequest(body: body)
        case .refreshTokens: _ = try RefreshRequest(body: body)
        case .logOut: _ = try RefreshRequest(logout: body)
        case .createProfile, .updateProfile, .updatePhysicalProfile:
            _ = try ProfileRequest(body: body, of: endpoint, at: request.requestedAt)
        case .updatePreferences: _ = try PreferencesRequest(body: body)
        case .shareWorkoutTemplate: _ = try ShareDocumentRequest(body: body)
        case .copyWorkoutTemplate: _ = try CopyTemplateRequest(body: body)
        case .generateInsights: _ = try GenerateInsightRequest(body: body, at: request.requestedAt)
        case .analyzeMoodEntries: _ = try MoodAnalyticsQuery(query: query)
        default:
            guard let collection = endpoint.documents else { break }
            if endpoint.body == .required {
                // Of a template that is changed, the members that the body lacks stay.
                let old: JSONObject? = endpoint == .replaceWorkoutTemplate ? ["name": "its name"] : nil
                _ = try DocumentRequest.object(body, for: collection, changing: old, at: request.requestedAt)
            } else if endpoint.body == .none {
                _ = try DocumentListQuery(query: query, of: endpoint, in: collection, at: request.requestedAt)
            }
        }
    }
}

extension RequestFact {
    /// Whether the journal lacks the body as it was sent.
    fileprivate var hasLostBody: Bool { exchange.body.isCut || (exchange.body.bytes.isEmpty && exchange.head.hasBody) }
}
