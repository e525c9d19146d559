import FitIQAPI
import Foundation
import GuideModels
import TestSupport
import Testing

@testable import MockServer

@Suite("A client of enhanced-consultations reads every answer") struct EnhancedConsultationsAnswerTests {
    typealias Guide = EnhancedConsultationsGuide

    static let servers = [GuideMode.union, .enhancedConsultations]

    private func create(
        _ client: GuideClient, _ request: Guide.CreateConsultationRequest, _ shape: Shape = Guide.shown
    ) throws -> Guide.Consultation {
        let response = try client.post("consultations", request)
        return try client.read(Guide.ConsultationResponse.self, shape, response, status: 201).data
    }

    @Test("The client decodes create, get and archive in each context", arguments: servers, Guide.ContextType.allCases)
    func createGetArchive(server: GuideMode, context: Guide.ContextType) throws {
        let client = GuideClient(.enhancedConsultations, of: server)
        let id = try context == .general ? nil : client.goal()
        let created = try create(
            client,
            .init(persona: .fitnessCoach, contextType: context, contextId: id, title: id.map { _ in "A title" }),
            id == nil ? Guide.shown : Guide.shown.requiring("data.context_id", "data.title"))
        #expect(created.contextType == context && created.contextId == id && created.persona == .fitnessCoach)
        #expect(created.isActive && !created.isArchived && created.lastMessageAt == nil)
        let response = try client.get("consultations/\(created.id)")
        #expect(try client.read(Guide.ConsultationResponse.self, Guide.shown, response).data.id == created.id)
        let archived = try client.post("consultations/\(created.id)/archive")
        let data = try client.read(Guide.ConsultationResponse.self, Guide.shown, archived).data
        #expect(!data.isActive && data.isArchived && data.contextId == id)
    }

    @Test("The client decodes the list page by page and with filters", arguments: servers)
    func list(server: GuideMode) throws {
        let client = GuideClient(.enhancedConsultations, of: server)
        let shape = Guide.list
        let empty = try client.read(Guide.ConsultationsListResponse.self, shape, client.get("consultations")).data
        #expect(empty.consultations.isEmpty)
        var ids: [String] = []
        for persona in Guide.Persona.allCases {
            ids.append(try create(client, .init(persona: persona, contextType: .general)).id)
            client.network.advance(by: .seconds(1))
        }
        let path = "consultations?page_size=3"
        let first = try client.read(Guide.ConsultationsListResponse.self, shape, client.get(path)).data
        let second = try client.read(Guide.ConsultationsListResponse.self, shape, client.get(path + "&page=2")).data
        #expect((first.consultations + second.consultations).map(\.id) == ids.reversed())
        let expected = Guide.Pagination(
            page: 2, pageSize: 3, totalPages: 2, totalCount: 4, hasNext: false, hasPrev: true)
        #expect(second.pagination == expected)
        let filtered = try client.get("consultations?persona=nutritionist&context_type=general&is_archived=false")
        let found = try client.read(Guide.ConsultationsListResponse.self, shape, filtered).data.consultations
        #expect(found.map(\.persona) == [.nutritionist])
    }

    @Test("The client decodes quick actions for every persona and context", arguments: servers)
    func quickActions(server: GuideMode) throws {
        let client = GuideClient(.enhancedConsultations, of: server)
        for context in Guide.ContextType.allCases {
            for persona in Guide.Persona.allCases {
                let query = "context_type=\(context.rawValue)&persona=\(persona.rawValue)"
                let response = try client.get("consultations/quick-actions?\(query)")
                let data = try client.read(Guide.QuickActionsResponse.self, Guide.quickActions, response).data
                #expect(data.count == data.quickActions.count && data.count > 0)
                #expect(data.quickActions.allSatisfy { $0.contextType == context })
                #expect(data.quickActions.allSatisfy { $0.persona == nil || $0.persona == persona })
            }
        }
    }

    @Test("The client decodes a chat on the socket, errors and the history in pages", arguments: servers)
    func chat(server: GuideMode) throws {
        let client = GuideClient(.enhancedConsultations, of: server)
        let id = try client.consultation()
        let socket = try client.connect(id)
        try socket.send(Guide.OutgoingMessage(content: "How do I sleep better?", metadata: ["screen": "chat"]))
        client.network.advance(by: .seconds(5))
        try socket.send(Guide.OutgoingMessage(content: ""))
        let frames = socket.takeFrames()
        #expect(
            frames.story == [
                "connected", "user_message", "assistant_message_start", "assistant_message_chunk",
                "assistant_message_end", "error",
            ])
        let messages = try frames.map { frame in
            let type = try #require(Guide.WebSocketMessageType(rawValue: frame["type"]?.string ?? ""))
            return try client.read(Guide.IncomingMessage.self, Guide.frame(type), frame)
        }
        #expect(messages.last?.error?.isEmpty == false)

        let path = "consultations/\(id)/messages"
        let history = try client.read(Guide.MessagesResponse.self, Guide.messages, client.get(path)).data
        #expect(history.messages.map(\.role) == [.user, .assistant] && history.pagination.totalCount == 2)
        #expect(messages[1].messageId == history.messages[0].id)
        let answer = messages[2...].dropLast()
        #expect(answer.allSatisfy { $0.messageId == history.messages[1].id })
        #expect(answer.compactMap(\.content).joined() == history.messages[1].content)
        let second = try client.get(path + "?page=2&page_size=1")
        let page = try client.read(Guide.MessagesResponse.self, Guide.messages, second).data
        #expect(page.messages.map(\.id) == [history.messages[1].id] && page.pagination.hasPrev)
        let shape = Guide.shown.requiring("data.last_message_at")
        let shown = try client.read(Guide.ConsultationResponse.self, shape, client.get("consultations/\(id)")).data
        #expect(shown.messageCount == 2 && shown.lastMessageAt == history.messages[1].createdAt)
    }

    @Test("The client decodes the error members that its models have", arguments: servers)
    func refusals(server: GuideMode) throws {
        let client = GuideClient(.enhancedConsultations, of: server)
        let bad = Guide.CreateConsultationRequest(persona: .nutritionist, contextType: .goal, contextId: TestUser.ben)
        for (response, status) in [
            (try client.post("consultations", bad), 404), (try client.get("consultations?page=0"), 400),
            (try client.get("consultations/\(TestUser.ben)"), 404),
            (try client.get("consultations/quick-actions?persona=chef"), 400),
        ] {
            let error = try client.read(Guide.APIError.self, Shape.failure, response, status: status).error
            #expect(error.code?.isEmpty == false && !error.message.isEmpty)
        }
    }
}
