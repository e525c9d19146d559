import FitIQAPI
import HTTPTypes
import JSON
import Traffic

/// `request/shape`: requests match the API description.
///
/// The judge parses the recorded request with the API's own decoders, because the response may be from a fault.
struct RequestShape: ObligationJudge {
    static let obligation = Obligation(
        id: "request/shape", level: .must, origin: .all,
        clause: "Each request's body and query match the API description.",
        tolerance:
            "Fields that the API does not define are allowed. The judge does not check a body that the journal "
            + "truncated. In the union, an unknown query parameter violates only a should.",
        advice:
            "Use the guide's names, send Content-Type: application/json, and stay within the lengths and ranges in "
            + "/docs.",
        swiftAdvice:
            "Encode a Codable model whose CodingKeys are the guide's names, and do not combine them with "
            + "convertToSnakeCase.")

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
            let message = Messages.unknownParameters(request.title, unknown, known: endpoint.parameters)
            findings.found(message, level: .should, [fact.entry])
        }
        guard isRead else { return }
        do throws(APIError) {
            if hasBody, endpoint.body == .required || endpoint.body == .optional {
                try APIError.checkMediaType(request.exchange.head.fields[.contentType])
            }
            try Self.read(request, endpoint, in: scene.mode)
        } catch { findings.found("\(request.title) does not match the API: \(error.message)", [fact.entry]) }
    }

    /// Whether the endpoint has query parameters in the mode; the list of goals in goal-linking has none.
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
            // `ids/backend-goal-id` judges IDs that the backend did not issue.
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
                // A change to a template keeps the members that the body omits.
                let old: JSONObject? = endpoint == .replaceWorkoutTemplate ? ["name": "its name"] : nil
                _ = try DocumentRequest.object(body, for: collection, changing: old, at: request.requestedAt)
            } else if endpoint.body == .none {
                _ = try DocumentListQuery(query: query, of: endpoint, in: collection, at: request.requestedAt)
            }
        }
    }
}

extension RequestFact {
    /// Whether all or part of the body is missing from the journal.
    fileprivate var hasLostBody: Bool { exchange.body.isCut || (exchange.body.bytes.isEmpty && exchange.head.hasBody) }
}

struct CredentialsOnEveryRequest: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/credentials-on-every-request", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        clause: "Each REST request has a bearer token and the API key.",
        tolerance:
            "The token need not be valid for this obligation. Requests to paths that are not endpoints need no "
            + "credentials.",
        advice: "Build every request in one place that sets X-API-Key and a bearer token in Authorization.",
        swiftAdvice: "Call setValue(\"Bearer \\(token)\", forHTTPHeaderField: \"Authorization\") and setValue(apiKey, "
            + "forHTTPHeaderField: \"X-API-Key\") on the URLRequest.")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let endpoint = request.restEndpoint else { return }
        findings.exercised()
        var missing: [String] = []
        if endpoint.credentials == .bearer, (request.credentials.bearer ?? "").isEmpty {
            missing.append(Self.nameOfToken(request))
        }
        if scene.mode.requiresAPIKey, (request.credentials.apiKey ?? "").isEmpty { missing.append("X-API-Key") }
        if !missing.isEmpty { findings.found(Messages.missingCredentials(request.title, missing), [fact.entry]) }
    }

    private static func nameOfToken(_ request: RequestFact) -> String {
        guard let value = request.exchange.head.fields[.authorization], !value.isEmpty else { return "a bearer token" }
        // The value may be the token itself, so show only its start.
        return Messages.noBearer(String(value.unicodeScalars.prefix { $0 != " " }.prefix(8)))
    }
}

struct WebSocketCredentials: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/websocket-credentials", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket]),
        clause: "A WebSocket handshake has the token and the API key in its headers, or the token as ?token=.",
        tolerance: "The token need not be valid for this obligation.",
        advice: "Send Authorization and X-API-Key with the handshake, or add ?token=; consultation-websocket's Quick "
            + "Start sends neither.",
        swiftAdvice: "webSocketTask(with: URL) does not send your headers: add them to a URLRequest and use "
            + "webSocketTask(with: request).")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // An accepted handshake had sufficient credentials.
        if case .opened(let opening) = fact.kind, opening.endpoint?.isSocket == true { findings.exercised() }
        guard case .request(let request) = fact.kind, request.isHandshake else { return }
        findings.exercised()
        let credentials = request.credentials
        if let token = credentials.queryToken, !token.isEmpty { return }
        if (credentials.bearer ?? "").isEmpty {
            findings.found("The handshake for \(request.path) has no token in its headers or as ?token=.", [fact.entry])
        } else if (credentials.apiKey ?? "").isEmpty, scene.mode.requiresAPIKey {
            findings.found(
                "The handshake for \(request.path) has a bearer token without X-API-Key; a handshake with "
                    + "headers needs both.", [fact.entry])
        }
    }
}

struct RefreshAfter401: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/refresh-after-401", level: .must, origin: .guides([.consultationWebSocket]), place: "HTTP errors",
        clause: "After a 401, the client repeats the request at most once with the same token.",
        tolerance:
            "The judge ignores requests sent before the 401 arrived, and counts the retries of each request "
            + "separately. The judge cannot tell identical concurrent requests from retries.",
        advice: "On 401, refresh the token once, send the request again with the new token, and report a second 401 to "
            + "the user.",
        scenarios: ["token-expires-mid-session"])

    private struct Refusal: Sendable {
        let entry: JournalEntry
        /// The requests since the refusal, newest last; only as many are kept as the evidence includes.
        var retries: [JournalEntry] = []
        var attempts = 1
    }

    private var refusals = Recent<Target, Refusal>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // If an endpoint does not need a token, its 401 is not about the token.
        guard case .request(let request) = fact.kind, request.restEndpoint?.credentials == .bearer,
            let token = request.credentials.bearer
        else { return }
        let target = Target(request, of: token)
        let isRefused = request.isAnswered && request.status == 401
        guard var refusal = refusals[target] else {
            if isRefused {
                findings.exercised()
                refusals[target] = Refusal(entry: fact.entry)
            }
            return
        }
        if request.requestedAt >= refusal.entry.time {
            refusal.attempts += 1
            if refusal.attempts > 2 {
                findings.found(
                    Messages.sameToken(
                        request.title, attempts: refusal.attempts, refusedAt: findings.date(of: refusal.entry.time)),
                    [refusal.entry] + refusal.retries.suffix(1) + [fact.entry])
            }
            refusal.retries = [fact.entry]
        }
        // A failure before the token check proves nothing about the token, and the client may send another request.
        let isFailed = request.isAnswered && (request.status ?? 0 >= 500 || request.status == 429)
        if isFailed { refusal.attempts -= 1 }
        // If the server now accepts the token, the earlier refusal was wrong.
        refusals[target] = request.isAnswered && !isRefused && !isFailed ? nil : refusal
    }
}

struct RefreshTokenOnce: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/refresh-token-once", level: .must, origin: .ours,
        clause:
            "The client sends each refresh token to /auth/refresh only once, and never after the token has been "
            + "used, refused with 401 or revoked by a logout.",
        tolerance:
            "The client may send the token again if the refresh failed with a status other than 401, got no answer, "
            + "or got an answer affected by a fault.",
        advice: "Let one actor refresh the token, and let every request that got 401 wait for the refresh. Replace the "
            + "old refresh token with the new one immediately; after \"revoked\", delete it and ask for the password.")
    static let needs: Evidence = .credentials

    /// How a request invalidated a token.
    private struct End: Sendable {
        let entry: JournalEntry
        let requestedAt: Timestamp
        let kind: String
    }

    /// The maximum length of a token that a server accepts, in bytes.
    private static let longestToken = 4096

    private var ends = Recent<ExactString, End>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let endpoint = request.restEndpoint,
            endpoint == .refreshTokens || endpoint == .logOut,
            let token = request.body?["refresh_token"]?.exactString, token.utf8.count <= Self.longestToken
        else { return }
        let end = ends[token]
        if endpoint == .refreshTokens {
            findings.exercised()
            // A request that was sent earlier but answered late is not a repeat.
            let isEarlier = end.map { request.requestedAt < $0.requestedAt } ?? false
            if let end, !isEarlier || request.isAnswered && !request.isFaulted {
                let message =
                    "\(request.title) used the refresh token that \(end.kind) at "
                    + "\(Messages.clock(findings.date(of: end.entry.time))); a refresh token works only once."
                findings.found(message, [end.entry, fact.entry])
            }
        }
        guard end == nil, let kind = Self.end(by: request, endpoint) else { return }
        ends[token] = End(entry: fact.entry, requestedAt: request.requestedAt, kind: kind)
    }

    /// How a request invalidated its token as far as the client could know, or nil if the token stayed valid.
    private static func end(by request: RequestFact, _ endpoint: Endpoint) -> String? {
        guard endpoint == .refreshTokens else { return request.isSuccess ? "was revoked by a logout" : nil }
        if request.isSuccess { return request.isFaulted ? nil : "was used" }
        return request.isAnswered && request.status == 401 ? "was refused with 401" : nil
    }
}

struct NoExpiredBearer: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/no-expired-bearer", level: .should, origin: .ours,
        clause: "Requests to /auth/* do not carry an expired bearer token.",
        tolerance:
            "The judge ignores a token whose expiry it cannot read, because the token is redacted or is not a JSON "
            + "Web Token.",
        advice:
            "Omit Authorization when you register, log in, refresh or log out. A server that checks the header first "
            + "would refuse the very request that returns a new token.")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, request.restEndpoint?.credentials == .key else { return }
        guard let bearer = request.credentials.bearer, !bearer.isEmpty else { return findings.exercised() }
        guard let expiry = AccessToken.claimedExpiry(of: bearer.text) else { return }
        findings.exercised()
        guard expiry <= scene.date(of: request.requestedAt) else { return }
        findings.found("\(request.title) had a bearer token that expired at \(Messages.clock(expiry)).", [fact.entry])
    }
}
