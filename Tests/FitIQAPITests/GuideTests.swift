import Foundation
import GuideModels
import JSON
import Testing

@testable import FitIQAPI

/// One answer satisfies the models of all guides together.
@Suite("The guides' models") struct GuideTests {
    static let date = Date(timeIntervalSince1970: 1_738_146_600)

    static let consultations: [Consultation] = {
        var all: [Consultation] = []
        for persona in Persona.allCases {
            for type in ContextType.allCases {
                for isFull in [false, true] {
                    let goalID: ResourceID? = isFull || type == .goal ? .numbered(9) : nil
                    let contextID = type == .general || (type != .goal && !isFull) ? nil : goalID?.description
                    var consultation = Consultation(
                        id: .numbered(UInt64(all.count + 1)), userID: "user-1", persona: persona,
                        context: ConsultationContext(type, id: contextID.map(ExactString.init(_:))), goalID: goalID,
                        title: isFull ? "A title — “odd” / é 😀 \n" : nil, createdAt: .example)
                    if isFull {
                        consultation.status = .archived
                        consultation.messageCount = 4
                        consultation.lastMessageAt = Timestamp.example.advanced(byNanoseconds: 1_999_999_999)
                        consultation.updatedAt = Timestamp.example.advanced(byNanoseconds: 2_000_000_000)
                    }
                    all.append(consultation)
                }
            }
        }
        return all
    }()

    private func body(_ consultation: Consultation) -> Data {
        Data(consultation.body(answering: .showConsultation, in: .union, origin: "http://127.0.0.1:8080"))
    }

    // MARK: A consultation

    @Test("consultation-websocket decodes the consultation in create and get answers", arguments: consultations)
    func consultationWebSocket(consultation: Consultation) throws {
        typealias Guide = ConsultationWebSocketGuide
        let created = try Guide.decoder.decode(Guide.CreateConsultationResponse.self, from: body(consultation))
        let shown = try Guide.decoder.decode(Guide.ConsultationResponse.self, from: body(consultation))
        #expect(created.success && shown.success)
        for decoded in [created.data.consultation, shown.data] {
            #expect(decoded.id == consultation.id.description)
            #expect(decoded.userID == "user-1")
            #expect(decoded.persona == consultation.persona.rawValue)
            #expect(decoded.status == consultation.status.rawValue)
            #expect(decoded.startedAt == Self.date)
            #expect(decoded.messageCount == consultation.messageCount)
            #expect(decoded.createdAt == Self.date)
            #expect(decoded.updatedAt == (consultation.isArchived ? Self.date + 2 : Self.date))
            #expect(decoded.goalID == consultation.goalID?.description)
        }
    }

    @Test("consultation-websocket's own decoder cannot decode the dates in the answer to a create request")
    func consultationWebSocketWithoutDates() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                ConsultationWebSocketGuide.CreateConsultationResponse.self, from: body(Self.consultations[0]))
        }
    }

    private func expectEqual(_ decoded: EnhancedConsultationsGuide.Consultation, _ consultation: Consultation) {
        #expect(decoded.id == consultation.id.description)
        #expect(decoded.userId == "user-1")
        #expect(decoded.persona.rawValue == consultation.persona.rawValue)
        #expect(decoded.contextType.rawValue == consultation.context.type.rawValue)
        #expect(decoded.contextId == consultation.context.id?.text)
        #expect(decoded.title == consultation.title)
        #expect(decoded.isActive == consultation.isActive)
        #expect(decoded.isArchived == consultation.isArchived)
        #expect(decoded.messageCount == consultation.messageCount)
        #expect(decoded.lastMessageAt == (consultation.lastMessageAt == nil ? nil : Self.date + 1))
        #expect(decoded.createdAt == Self.date)
        #expect(decoded.updatedAt == (consultation.isArchived ? Self.date + 2 : Self.date))
    }

    @Test("enhanced-consultations decodes a consultation", arguments: consultations)
    func enhancedConsultations(consultation: Consultation) throws {
        typealias Guide = EnhancedConsultationsGuide
        let response = try Guide.decoder.decode(Guide.ConsultationResponse.self, from: body(consultation))
        #expect(response.success)
        expectEqual(response.data, consultation)
    }

    @Test("enhanced-consultations cannot decode with both coding keys and convertFromSnakeCase")
    func enhancedConsultationsContradiction() {
        typealias Guide = EnhancedConsultationsGuide
        #expect(throws: DecodingError.self) {
            try Guide.contradictoryDecoder.decode(Guide.ConsultationResponse.self, from: body(Self.consultations[0]))
        }
    }

    @Test("goal-linking decodes a conversation", arguments: consultations)
    func goalLinking(consultation: Consultation) throws {
        typealias Guide = GoalLinkingGuide
        let decoded = try Guide.decoder.decode(Guide.Conversation.self, from: body(consultation))
        #expect(decoded.id.uuidString.lowercased() == consultation.id.description)
        #expect(decoded.goalId == consultation.goalID?.description)
        #expect(decoded.createdAt == Self.date)
        #expect(decoded.updatedAt == (consultation.isArchived ? Self.date + 2 : Self.date))
        #expect(decoded.persona.id == consultation.persona.rawValue)
        #expect(decoded.persona.name == consultation.persona.displayName)
        #expect(decoded.persona.avatar == consultation.persona.avatarURL(origin: "http://127.0.0.1:8080"))
        #expect(decoded.messageCount == consultation.messageCount)
        #expect(decoded.lastMessageAt == (consultation.lastMessageAt == nil ? nil : Self.date + 1))
    }

    @Test("websocket-architecture decodes consultation_id with and without an envelope", arguments: consultations)
    func webSocketArchitecture(consultation: Consultation) throws {
        typealias Guide = WebSocketArchitectureGuide
        let id = consultation.id.description
        let bare = try JSONDecoder().decode(Guide.CreateConsultationResponse.self, from: body(consultation))
        let enveloped = try JSONDecoder().decode(Guide.Enveloped.self, from: body(consultation))
        #expect(bare.consultationID == id)
        #expect(enveloped.data.consultationID == id)
    }

    // MARK: Lists

    @Test("enhanced-consultations decodes the list of consultations")
    func list() throws {
        typealias Guide = EnhancedConsultationsGuide
        let body = ListAnswers.consultations(
            Self.consultations.map { $0.listItem(in: .union) }, page: Page(number: 2, size: 40), total: 95)
        let response = try Guide.decoder.decode(Guide.ConsultationsListResponse.self, from: Data(body))
        #expect(response.success)
        #expect(response.data.consultations.count == Self.consultations.count)
        for (decoded, consultation) in zip(response.data.consultations, Self.consultations) {
            expectEqual(decoded, consultation)
        }
        #expect(
            response.data.pagination
                == Guide.Pagination(page: 2, pageSize: 40, totalPages: 3, totalCount: 95, hasNext: true, hasPrev: true))
    }

    static let messages = MessageRole.allCases.enumerated().map { number, role in
        Message(
            id: .numbered(UInt64(number + 20)), consultationID: .numbered(1), role: role,
            content: "\(role.rawValue): “odd” / \\ \" é 😀 \n\t\u{1}",
            metadata: role == .assistant ? MessageMetadata(tokensUsed: 57) : nil, createdAt: .example)
    }

    private func messagesBody() -> Data {
        var encoded: [UInt8] = []
        for message in Self.messages {
            var writer = JSONWriter()
            message.write(into: &writer, in: .union)
            encoded += (encoded.isEmpty ? [] : [UInt8(ascii: ",")]) + writer.bytes
        }
        return Data(ListAnswers.messages(encoded[...], page: Page(number: 1, size: 50), total: 3, in: .union))
    }

    @Test("consultation-websocket decodes the messages")
    func messagesOfConsultationWebSocket() throws {
        typealias Guide = ConsultationWebSocketGuide
        let response = try Guide.decoder.decode(Guide.MessagesResponse.self, from: messagesBody())
        #expect(response.success)
        #expect(response.data.messages.map(\.id) == Self.messages.map(\.id.description))
        #expect(response.data.messages.map(\.role) == ["user", "assistant", "system"])
        #expect(response.data.messages.map(\.content) == Self.messages.map(\.content))
        #expect(response.data.messages.allSatisfy { $0.consultationID == ResourceID.numbered(1).description })
        #expect(response.data.messages.allSatisfy { $0.createdAt == Self.date })
    }

    @Test("enhanced-consultations decodes the messages")
    func messagesOfEnhancedConsultations() throws {
        typealias Guide = EnhancedConsultationsGuide
        let response = try Guide.decoder.decode(Guide.MessagesResponse.self, from: messagesBody())
        #expect(response.data.messages.map(\.role) == [.user, .assistant, .system])
        #expect(response.data.messages.map(\.content) == Self.messages.map(\.content))
        #expect(response.data.messages.map(\.metadata?.tokensUsed) == [nil, 57, nil])
        #expect(response.data.pagination.totalCount == 3)
    }

    @Test("enhanced-consultations decodes quick actions", arguments: Persona.allCases, ContextType.allCases)
    func quickActions(persona: Persona, context: ContextType) throws {
        typealias Guide = EnhancedConsultationsGuide
        let actions = [
            QuickAction(prompt: "P", description: "D", contextType: context, persona: persona, category: "c"),
            QuickAction(prompt: "Q", contextType: context),
        ]
        let response = try Guide.decoder.decode(
            Guide.QuickActionsResponse.self, from: Data(ListAnswers.quickActions(actions)))
        #expect(response.data.count == 2)
        #expect(response.data.quickActions.map(\.prompt) == ["P", "Q"])
        #expect(response.data.quickActions.map(\.description) == ["D", nil])
        #expect(response.data.quickActions.map(\.contextType.rawValue) == [context.rawValue, context.rawValue])
        #expect(response.data.quickActions.map(\.persona?.rawValue) == [persona.rawValue, nil])
        #expect(response.data.quickActions.map(\.category) == ["c", nil])
    }

    // MARK: Refusals

    @Test("consultation-websocket decodes the 409 answer", arguments: consultations)
    func conflict(consultation: Consultation) throws {
        typealias Guide = ConsultationWebSocketGuide
        let body = Data(APIError.consultationExists(consultation).body(in: .union))
        // The answer has no dates, so the guide's own decoder works.
        let response = try JSONDecoder().decode(Guide.ConflictErrorResponse.self, from: body)
        #expect(!response.success)
        #expect(response.error.code == "CONSULTATION_EXISTS")
        #expect(response.error.details.existingConsultationID == consultation.id.description)
        #expect(response.error.details.persona == consultation.persona.rawValue)
        #expect(response.error.details.status == consultation.status.rawValue)
        #expect(response.error.details.canContinue)
        #expect(response.error.details.goalID == consultation.goalID?.description)
    }

    @Test("enhanced-consultations decodes every API error", arguments: APIErrorTests.table.map(\.0))
    func refusal(refusal: APIError) throws {
        let decoded = try JSONDecoder().decode(
            EnhancedConsultationsGuide.APIError.self, from: Data(refusal.body(in: .union)))
        #expect(decoded.error.message == refusal.message)
        #expect(decoded.error.code == refusal.code.rawValue)
    }

    // MARK: Frames

    @Test("consultation-websocket decodes every frame", arguments: ServerFrameTests.golden.map(\.0))
    func framesOfConsultationWebSocket(frame: ServerFrame) throws {
        typealias Guide = ConsultationWebSocketGuide
        let bytes = frame.encoded(consultationID: ServerFrameTests.consultation, at: .example, in: .union)
        let decoded = try Guide.decoder.decode(Guide.WebSocketMessage.self, from: Data(bytes))
        #expect(decoded.type == frame.type)
        #expect(decoded.consultationID == (frame == .pong ? nil : ServerFrameTests.consultation.description))
        #expect(decoded.timestamp == Self.date)
        switch frame {
        case .streamChunk(let content), .userMessage(_, let content), .assistantMessageChunk(_, let content):
            #expect(decoded.content == content)
        case .error(let error):
            #expect(decoded.error == error.message)
            #expect(decoded.content == nil)
        case .scriptedError(let message, _):
            #expect(decoded.error == message)
            #expect(decoded.content == nil)
        default:
            #expect(decoded.content == nil)
            #expect(decoded.error == nil)
        }
    }

    @Test("enhanced-consultations decodes every frame", arguments: ServerFrameTests.golden.map(\.0))
    func framesOfEnhancedConsultations(frame: ServerFrame) throws {
        typealias Guide = EnhancedConsultationsGuide
        let bytes = frame.encoded(consultationID: ServerFrameTests.consultation, at: .example, in: .union)
        let decoded = try Guide.decoder.decode(Guide.IncomingMessage.self, from: Data(bytes))
        let type = Guide.WebSocketMessageType(rawValue: decoded.type)
        switch frame {
        case .userMessage(let id, let content):
            #expect(type == .userMessage)
            #expect(decoded.messageId == id.description)
            #expect(decoded.content == content)
        case .assistantMessageStart(let id):
            #expect(type == .assistantMessageStart)
            #expect(decoded.messageId == id.description)
        case .assistantMessageChunk(let id, let content):
            #expect(type == .assistantMessageChunk)
            #expect(decoded.messageId == id.description)
            #expect(decoded.content == content)
        case .assistantMessageEnd(let id, let metadata):
            #expect(type == .assistantMessageEnd)
            #expect(decoded.messageId == id.description)
            #expect(decoded.metadata?.tokensUsed == metadata?.tokensUsed)
            #expect(decoded.metadata?.functionCalled == metadata?.functionCalled)
            #expect(decoded.metadata?.templateCreated?.id == metadata?.templateCreated?.id)
        case .templateCreated(let template):
            #expect(type == .templateCreated)
            #expect(decoded.metadata?.templateCreated?.type == template.type)
            #expect(decoded.metadata?.templateCreated?.id == template.id)
            #expect(decoded.metadata?.templateCreated?.name == template.name)
        case .connected:
            #expect(type == .connected)
        case .error(let error):
            #expect(type == .error)
            #expect(decoded.error == error.message)
        case .scriptedError(let message, _):
            #expect(type == .error)
            #expect(decoded.error == message)
        case .messageReceived, .streamChunk, .streamComplete, .pong:
            // The other guide's frame, which this guide's client ignores.
            #expect(type == nil)
        }
    }

    @Test("websocket-architecture decodes the type of every frame", arguments: ServerFrameTests.golden.map(\.0))
    func framesOfWebSocketArchitecture(frame: ServerFrame) throws {
        let bytes = frame.encoded(consultationID: ServerFrameTests.consultation, at: .example, in: .union)
        #expect(
            try JSONDecoder().decode(WebSocketArchitectureGuide.BaseMessage.self, from: Data(bytes)).type == frame.type)
    }
}
