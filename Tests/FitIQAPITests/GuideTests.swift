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
            #expect(
                (decoded.id, decoded.userID, decoded.persona, decoded.status) == (
                    consultation.id.description, "user-1", consultation.persona.rawValue, consultation.status.rawValue
                ))
            #expect(decoded.messageCount == consultation.messageCount)
            #expect(decoded.goalID == consultation.goalID?.description)
            #expect(decoded.startedAt == Self.date && decoded.createdAt == Self.date)
            #expect(decoded.updatedAt == changed(consultation))
        }
    }

    @Test("consultation-websocket's own decoder cannot decode the dates in the answer to a create request")
    func consultationWebSocketWithoutDates() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                ConsultationWebSocketGuide.CreateConsultationResponse.self, from: body(Self.consultations[0]))
        }
    }

    private func changed(_ consultation: Consultation) -> Date { consultation.isArchived ? Self.date + 2 : Self.date }
    private func lastMessage(_ consultation: Consultation) -> Date? {
        consultation.lastMessageAt == nil ? nil : Self.date + 1
    }

    private func expectEqual(_ decoded: EnhancedConsultationsGuide.Consultation, _ consultation: Consultation) {
        #expect(
            (decoded.id, decoded.userId, decoded.title, decoded.contextId)
                == (consultation.id.description, "user-1", consultation.title, consultation.context.id?.text))
        #expect(
            (decoded.persona.rawValue, decoded.contextType.rawValue)
                == (consultation.persona.rawValue, consultation.context.type.rawValue))
        #expect(
            (decoded.isActive, decoded.isArchived, decoded.messageCount)
                == (consultation.isActive, consultation.isArchived, consultation.messageCount))
        #expect(
            (decoded.createdAt, decoded.updatedAt, decoded.lastMessageAt)
                == (Self.date, changed(consultation), lastMessage(consultation)))
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
        #expect(decoded.goalId == consultation.goalID?.description && decoded.messageCount == consultation.messageCount)
        let persona = consultation.persona
        #expect(
            (decoded.persona.id, decoded.persona.name, decoded.persona.avatar)
                == (persona.rawValue, persona.displayName, persona.avatarURL(origin: "http://127.0.0.1:8080")))
        #expect(
            (decoded.createdAt, decoded.updatedAt, decoded.lastMessageAt)
                == (Self.date, changed(consultation), lastMessage(consultation)))
    }

    @Test("websocket-architecture decodes consultation_id with and without an envelope", arguments: consultations)
    func webSocketArchitecture(consultation: Consultation) throws {
        typealias Guide = WebSocketArchitectureGuide
        let bare = try JSONDecoder().decode(Guide.CreateConsultationResponse.self, from: body(consultation))
        let enveloped = try JSONDecoder().decode(Guide.Enveloped.self, from: body(consultation))
        #expect(
            [bare.consultationID, enveloped.data.consultationID] == [
                consultation.id.description, consultation.id.description,
            ])
    }

    // MARK: Lists

    @Test("enhanced-consultations decodes the list of consultations")
    func list() throws {
        typealias Guide = EnhancedConsultationsGuide
        let body = ListAnswers.consultations(
            Self.consultations.map { $0.listItem(in: .union) }, page: Page(number: 2, size: 40), total: 95)
        let response = try Guide.decoder.decode(Guide.ConsultationsListResponse.self, from: Data(body))
        #expect(response.success && response.data.consultations.count == Self.consultations.count)
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
        let messages = response.data.messages
        #expect(response.success && messages.map(\.id) == Self.messages.map(\.id.description))
        #expect(messages.map(\.role) == ["user", "assistant", "system"])
        #expect(messages.map(\.content) == Self.messages.map(\.content))
        let id = ResourceID.numbered(1).description
        #expect(messages.allSatisfy { $0.consultationID == id && $0.createdAt == Self.date })
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
        let shown = response.data.quickActions
        #expect(response.data.count == 2 && shown.map(\.prompt) == ["P", "Q"])
        #expect(shown.map(\.description) == ["D", nil] && shown.map(\.category) == ["c", nil])
        #expect(shown.map(\.contextType.rawValue) == [context.rawValue, context.rawValue])
        #expect(shown.map(\.persona?.rawValue) == [persona.rawValue, nil])
    }

    // MARK: Refusals

    @Test("consultation-websocket decodes the 409 answer", arguments: consultations)
    func conflict(consultation: Consultation) throws {
        typealias Guide = ConsultationWebSocketGuide
        let body = Data(APIError.consultationExists(consultation).body(in: .union))
        // The answer has no dates, so the guide's own decoder works.
        let response = try JSONDecoder().decode(Guide.ConflictErrorResponse.self, from: body)
        #expect(!response.success && response.error.code == "CONSULTATION_EXISTS")
        let details = response.error.details
        #expect(
            (details.existingConsultationID, details.persona, details.status)
                == (consultation.id.description, consultation.persona.rawValue, consultation.status.rawValue))
        #expect(details.canContinue && details.goalID == consultation.goalID?.description)
    }

    @Test("enhanced-consultations decodes every API error", arguments: APIErrorTests.table.map(\.0))
    func refusal(refusal: APIError) throws {
        let decoded = try JSONDecoder().decode(
            EnhancedConsultationsGuide.APIError.self, from: Data(refusal.body(in: .union)))
        #expect((decoded.error.code, decoded.error.message) == (refusal.code.rawValue, refusal.message))
    }

    // MARK: Frames

    private func bytes(of frame: ServerFrame) -> Data {
        Data(frame.encoded(consultationID: ServerFrameTests.consultation, at: .example, in: .union))
    }

    @Test("consultation-websocket decodes every frame", arguments: ServerFrameTests.golden.map(\.key))
    func framesOfConsultationWebSocket(frame: ServerFrame) throws {
        typealias Guide = ConsultationWebSocketGuide
        let decoded = try Guide.decoder.decode(Guide.WebSocketMessage.self, from: bytes(of: frame))
        let id = frame == .pong ? nil : ServerFrameTests.consultation.description
        #expect((decoded.type, decoded.consultationID, decoded.timestamp) == (frame.type, id, Self.date))
        let (content, error): (String?, String?) =
            switch frame {
            case .streamChunk(let content), .userMessage(_, let content), .assistantMessageChunk(_, let content):
                (content, nil)
            case .error(let error): (nil, error.message)
            case .scriptedError(let message, _): (nil, message)
            default: (nil, nil)
            }
        #expect((decoded.content, decoded.error) == (content, error))
    }

    @Test("enhanced-consultations decodes every frame", arguments: ServerFrameTests.golden.map(\.key))
    func framesOfEnhancedConsultations(frame: ServerFrame) throws {
        typealias Guide = EnhancedConsultationsGuide
        let decoded = try Guide.decoder.decode(Guide.IncomingMessage.self, from: bytes(of: frame))
        let told = (
            Guide.WebSocketMessageType(rawValue: decoded.type), decoded.messageId, decoded.content, decoded.error
        )
        let template = decoded.metadata?.templateCreated
        switch frame {
        case .userMessage(let id, let content): #expect(told == (.userMessage, id.description, content, nil))
        case .assistantMessageStart(let id): #expect(told == (.assistantMessageStart, id.description, nil, nil))
        case .assistantMessageChunk(let id, let content):
            #expect(told == (.assistantMessageChunk, id.description, content, nil))
        case .assistantMessageEnd(let id, let metadata):
            #expect(told == (.assistantMessageEnd, id.description, nil, nil))
            #expect(
                (decoded.metadata?.tokensUsed, decoded.metadata?.functionCalled, template?.id)
                    == (metadata?.tokensUsed, metadata?.functionCalled, metadata?.templateCreated?.id))
        case .templateCreated(let created):
            #expect(told == (.templateCreated, nil, nil, nil))
            #expect((template?.type, template?.id, template?.name) == (created.type, created.id, created.name))
        case .connected: #expect(told == (.connected, nil, nil, nil))
        case .error(let error): #expect(told == (.error, nil, nil, error.message))
        case .scriptedError(let message, _): #expect(told == (.error, nil, nil, message))
        // The other guide's frame, which this guide's client ignores.
        case .messageReceived, .streamChunk, .streamComplete, .pong: #expect(told.0 == nil)
        }
    }

    @Test("websocket-architecture decodes the type of every frame", arguments: ServerFrameTests.golden.map(\.key))
    func framesOfWebSocketArchitecture(frame: ServerFrame) throws {
        let decoded = try JSONDecoder().decode(WebSocketArchitectureGuide.BaseMessage.self, from: bytes(of: frame))
        #expect(decoded.type == frame.type)
    }
}
