import HTTPTypes
import JSON
import Testing

@testable import FitIQAPI

@Suite("Guide modes") struct GuideModeTests {
    @Test("The modes have the guides' short names")
    func names() {
        #expect(
            GuideMode.allCases.map(\.rawValue) == [
                "union", "consultation-websocket", "enhanced-consultations", "goal-linking", "websocket-architecture",
                "meal-log-websocket",
            ])
        #expect(GuideMode.guides.count == 5 && !GuideMode.guides.contains(.union))
    }

    /// The contract's table: D documented, S support, - absent; in the order of `GuideMode.guides`.
    static let table: [(Endpoint, String)] = [
        (.createConsultation, "DD-DS"), (.listConsultations, "-D---"), (.listQuickActions, "-D---"),
        (.chatAboutGoal, "--D--"), (.showConsultation, "DDDS-"), (.listMessages, "DDSS-"),
        (.archiveConsultation, "SDS--"), (.webSocket, "DDSDD"), (.createGoal, "SSD--"), (.listGoals, "SSD--"),
        (.showGoal, "SSD--"), (.updateGoal, "SSD--"), (.createMealLog, "---SD"), (.listMealLogs, "---SS"),
        (.showMealLog, "---SD"), (.deleteGoal, "--S--"), (.deleteConsultation, "--S--"),
    ]

    @Test("A mode serves the endpoints documented or presupposed by its guide", arguments: table)
    func provision(endpoint: Endpoint, row: String) {
        for (mode, letter) in zip(GuideMode.guides, row) {
            let provision = mode.provision(of: endpoint)
            #expect(provision == (letter == "D" ? .documented : letter == "S" ? .support : .absent), "\(mode)")
            #expect(mode.serves(endpoint) == (letter != "-"))
            #expect(mode.form(of: endpoint) == (letter == "D" ? mode : .union))
        }
        #expect(GuideMode.union.provision(of: endpoint) == .documented)
    }

    @Test("The modes together cover every endpoint of the table")
    func tableIsComplete() { #expect(Self.table.map(\.0) == Endpoint.allCases.filter(\.isOfGuides)) }

    @Test("An endpoint names the guides that document it or, failing that, the guides that assume it")
    func guidesOfEndpoints() {
        #expect(Endpoint.listConsultations.guides == [.enhancedConsultations])
        #expect(Endpoint.createGoal.guides == [.goalLinking])
        #expect(Endpoint.listMealLogs.guides == [.webSocketArchitecture, .mealLogWebSocket])
        #expect(Endpoint.deleteMealLog.guides.isEmpty && !Endpoint.deleteMealLog.isOfGuides)
        #expect(Endpoint.allCases.allSatisfy { $0.guides.isEmpty != $0.isOfGuides })
    }

    @Test("Advice in messages mentions only endpoints that the mode serves")
    func advice() {
        let existing = AnswerTests.plain
        for mode in GuideMode.allCases {
            let conflict = APIError.consultationExists(existing, in: mode).message
            #expect(conflict.contains("GET /api/v1") == mode.serves(.showConsultation), "\(conflict)")
            #expect(conflict.contains("archive") == mode.serves(.archiveConsultation), "\(conflict)")
            let limit = APIError.tooManyActiveConsultations(limit: 10, in: mode).message
            #expect(limit.contains("archive") == mode.serves(.archiveConsultation), "\(limit)")
            let history = FrameError.historyFull(limit: 10, in: mode).message
            #expect(history.contains("Archive") == mode.serves(.archiveConsultation), "\(history)")
            let goal = APIError.unknownGoal("x", field: "goal_id", in: mode).message
            #expect(goal.contains("POST /api/v1/goals") == mode.serves(.createGoal), "\(goal)")
        }
        #expect(
            APIError.unknownGoal("x", field: "goal_id", in: .mealLogWebSocket).message
                == "This user has no goal \"x\" (field 'goal_id'). The guide meal-log-websocket, which this server "
                + "follows, has no goals: leave the field out.")
    }

    @Test("A hint names only paths that the mode serves", arguments: GuideMode.allCases)
    func templates(mode: GuideMode) {
        let refusal = Route.refusal(ofUnknownPath: "/api/v1/gaols", in: mode)
        #expect(refusal.message.contains("/api/v1/goals.") == mode.serves(.listGoals), "\(refusal.message)")
    }

    @Test("The allowed methods of a path are the methods that the mode serves", arguments: GuideMode.allCases)
    func methods(mode: GuideMode) {
        #expect(Route.of(.listConsultations).methods(in: mode).contains(.get) == mode.serves(.listConsultations))
        #expect(Route.of(.listConsultations).methods(in: mode).contains(.head) == mode.serves(.listConsultations))
        #expect(Route.of(.listConsultations).methods(in: mode).contains(.post) == mode.serves(.createConsultation))
        #expect(Route.of(.webSocket, "x").methods(in: mode) == [.get])
        #expect(Route.avatar(.nutritionist).methods(in: mode) == [.get, .head])
    }

    // MARK: Refusals

    @Test("Errors have the union's form in every mode except meal-log-websocket")
    func errorForm() {
        let refusal = APIError(.notFound, .notFound, "No.", details: ["a": 1])
        for mode in GuideMode.allCases where mode != .mealLogWebSocket {
            #expect(
                text(refusal.body(in: mode))
                    == #"{"success":false,"error":{"code":"NOT_FOUND","message":"No.","details":{"a":1}}}"#)
        }
        #expect(text(refusal.body(in: .mealLogWebSocket)) == #"{"error":{"message":"No.","code":"NOT_FOUND"}}"#)
    }

    // MARK: Consultations

    private func body(_ consultation: Consultation, _ endpoint: Endpoint, _ mode: GuideMode) -> String {
        text(consultation.body(answering: endpoint, in: mode, origin: "http://127.0.0.1:8080"))
    }

    /// `AnswerTests.plain` or `AnswerTests.full` in a guide's own form.
    static let plain =
        #"{"id":"00000000-0000-4000-8000-000000000001","user_id":"user-1","persona":"general_wellness","status":"active","#
        + #""started_at":"2025-01-29T10:30:00Z","message_count":0,"created_at":"2025-01-29T10:30:00Z","#
        + #""updated_at":"2025-01-29T10:30:00Z"}"#
    static let enhanced =
        #"{"id":"00000000-0000-4000-8000-000000000002","user_id":"Zoë \"😀\"","persona":"fitness_coach","#
        + #""context_type":"goal","context_id":"00000000-0000-4000-8000-000000000009","title":"A/B \\","#
        + #""is_active":false,"is_archived":true,"message_count":12,"last_message_at":"2025-01-29T10:30:04Z","#
        + #""created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:05Z"}"#
    static let bare =
        #"{"id":"00000000-0000-4000-8000-000000000001","userId":"user-1","goalId":null,"#
        + #""persona":{"id":"general_wellness","name":"Wellness Coach","#
        + #""avatar":"http://127.0.0.1:8080/avatars/general_wellness.svg"},"#
        + #""createdAt":"2025-01-29T10:30:00Z","updatedAt":"2025-01-29T10:30:00Z","messageCount":0,"#
        + #""lastMessageAt":null}"#

    static let forms: [(GuideMode, Endpoint, Consultation, String)] = [
        (.consultationWebSocket, .createConsultation, AnswerTests.plain, envelope(#"{"consultation":\#(plain)}"#)),
        (.consultationWebSocket, .showConsultation, AnswerTests.plain, envelope(plain)),
        (.enhancedConsultations, .createConsultation, AnswerTests.full, envelope(enhanced)),
        (.enhancedConsultations, .showConsultation, AnswerTests.full, envelope(enhanced)),
        (.enhancedConsultations, .archiveConsultation, AnswerTests.full, envelope(enhanced)),
        (.goalLinking, .showConsultation, AnswerTests.plain, bare),
        (
            .webSocketArchitecture, .createConsultation, AnswerTests.plain,
            #"{"consultation_id":"00000000-0000-4000-8000-000000000001"}"#
        ),
    ]

    private static func envelope(_ data: String) -> String { #"{"success":true,"data":\#(data)}"# }

    @Test("Each guide has its own form of a consultation", arguments: forms)
    func form(mode: GuideMode, endpoint: Endpoint, consultation: Consultation, json: String) {
        #expect(body(consultation, endpoint, mode) == json)
    }

    /// Removes the members that union mode adds only for the apps.
    private func withoutApps(_ body: String) -> String {
        body.replacing(#/,"has_context_for_goal_suggestions":(true|false)/#, with: "")
    }

    @Test("Where a guide has no form of its own, it gets the union's without the apps' members")
    func unionForm() {
        let (plain, full) = (AnswerTests.plain, AnswerTests.full)
        for (consultation, endpoint, mode) in [
            (full, Endpoint.archiveConsultation, GuideMode.consultationWebSocket),
            (plain, .showConsultation, .webSocketArchitecture),
        ] { #expect(body(consultation, endpoint, mode) == withoutApps(body(consultation, endpoint, .union))) }
        #expect(text(full.listItem(in: .goalLinking)) == withoutApps(text(full.listItem(in: .union))))
        #expect(text(full.listItem(in: .enhancedConsultations)) == Self.enhanced)
        let goal = #""goal_id":"00000000-0000-4000-8000-000000000009"}"#
        #expect(body(full, .showConsultation, .consultationWebSocket).contains(goal))
    }

    @Test("The mode determines whether a message list has paging and metadata")
    func messages() throws {
        let message = Message(
            id: .numbered(3), consultationID: .numbered(1), role: .assistant, content: "A",
            metadata: MessageMetadata(tokensUsed: 1), createdAt: .example)
        func body(_ form: GuideMode) throws -> JSONValue {
            var writer = JSONWriter()
            message.write(into: &writer, in: form)
            return try JSON.parse(
                ListAnswers.messages(writer.bytes[...], page: Page(number: 1, size: 1), total: 1, in: form))
        }
        let bare = try body(.consultationWebSocket)
        #expect(bare["data"]?.object?.keys == ["messages"])
        #expect(
            bare["data"]?["messages"]?[0]?.object?.keys == ["id", "consultation_id", "role", "content", "created_at"])
        for form in [GuideMode.union, .enhancedConsultations] {
            let paged = try body(form)
            #expect(paged["data"]?.object?.keys == ["messages", "pagination"])
            #expect(paged["data"]?["messages"]?[0]?["metadata"]?["tokens_used"]?.int == 1)
        }
    }

    @Test("The mode determines whether the paging parameters for messages have an effect")
    func messageQuery() throws {
        let query = [(name: "page", value: "nonsense")]
        #expect(try MessageListQuery(query: query, in: .consultationWebSocket).page == nil)
        #expect(refusal(try MessageListQuery(query: query, in: .union)) != nil)
    }

    // MARK: Requests

    @Test("A mode accepts its own guide's fields and ignores the other guides' fields")
    func createRequest() throws {
        let everything = #"""
            {"persona":"nutritionist","coach_type":"fitness_coach","goal_id":"g","context_type":"mood","context_id":"m",
             "title":"T","context":"free text"}
            """#.bytes
        func request(_ form: GuideMode) throws -> CreateConsultationRequest {
            try CreateConsultationRequest(body: everything, in: form)
        }
        let consultationWebSocket = try request(.consultationWebSocket)
        #expect(consultationWebSocket.persona == .nutritionist)
        #expect(consultationWebSocket.context == ConsultationContext(.goal, id: "g"))
        #expect(consultationWebSocket.title == nil)
        let enhanced = try request(.enhancedConsultations)
        #expect(enhanced.context == ConsultationContext(.mood, id: "m") && enhanced.title == "T")
        let architecture = try request(.webSocketArchitecture)
        #expect(architecture.persona == .fitnessCoach && architecture.context == .general)
        #expect(architecture.note == "free text")
        #expect(refusal(try CreateConsultationRequest(body: everything, in: .union)) != nil)
    }

    @Test("A mode reads the coach from the field that its guide names")
    func missingCoach() {
        func message(_ body: String, _ form: GuideMode) -> String? {
            refusal(try CreateConsultationRequest(body: body.bytes, in: form))?.message
        }
        #expect(message(#"{"persona":"nutritionist"}"#, .webSocketArchitecture)?.contains("'coach_type'") == true)
        #expect(message(#"{"coach_type":"nutritionist"}"#, .consultationWebSocket)?.contains("'persona'") == true)
        #expect(
            message(#"{"persona":"nutritionist","context_type":"goal"}"#, .enhancedConsultations)?
                .hasSuffix("as 'context_id'.") == true)
    }

    // MARK: Credentials

    @Test("A mode requires an API key unless its guide does not mention API keys")
    func apiKeys() {
        #expect(GuideMode.allCases.filter { !$0.requiresAPIKey } == [.goalLinking, .webSocketArchitecture])
    }

    @Test("A mode says where the WebSocket's credentials belong")
    func webSocketCredentials() {
        for mode in GuideMode.allCases {
            let message = APIError.missingWebSocketCredentials(in: mode).message
            #expect(message.contains("?token=") == (mode.webSocketCredentials != .headers), "\(message)")
            #expect(message.contains("Authorization: Bearer") == (mode.webSocketCredentials != .queryToken))
        }
        #expect(!APIError.missingWebSocketCredentials(in: .goalLinking).message.contains("X-API-Key"))
        #expect(APIError.queryTokenNotInGuide(.consultationWebSocket).message.contains("consultation-websocket"))
        #expect(APIError.headersNotInGuide(.enhancedConsultations).message.contains("?token=<JWT>"))
    }
}
