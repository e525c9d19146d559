import JSON

/// The body of `POST /api/v1/consultations`, in the forms of all guides that document it.
public struct CreateConsultationRequest: Equatable, Sendable {
    /// The coach, from `persona` or, if absent, `coach_type` (websocket-architecture).
    public var persona: Persona
    /// The context, from `goal_id` or from `context_type` and `context_id`.
    public var context: ConsultationContext
    /// The body's name for the context's id, for messages.
    public var contextField = "context_id"
    /// 1 to 200 characters.
    public var title: String?
    /// The free text next to `coach_type` in websocket-architecture; it has no effect.
    public var note: String?
    /// The first question, from the apps' `initial_message`; trimmed.
    public var question: String?
    /// The apps' `quick_action`, 1 to 500 characters; without `initial_message` its prompt is the question.
    public var quickAction: String?

    package static let titleLengths = 1...200
    package static let contextIDLengths = 1...200
    package static let quickActionLengths = 1...500

    public init(persona: Persona, context: ConsultationContext = .general, title: String? = nil) {
        (self.persona, self.context, self.title) = (persona, context, title)
    }

    /// Reads a body; a guide's form ignores the other guides' fields.
    ///
    /// - Parameter isForApps: Whether to read the apps' members.
    public init(body: [UInt8], in form: GuideMode, isForApps: Bool = false) throws(APIError) {
        let fields = try BodyReader(body, known: Self.fields(in: form))
        if let persona: Persona = try fields.choice("persona") {
            self.persona = persona
        } else {
            let field = form == .webSocketArchitecture ? "coach_type" : "persona"
            persona = try fields.choice("coach_type")
                .required(field, expected: BodyReader.names(among: Persona.allCases))
            note = try fields.text("context", characters: 0...1000)
        }
        title = try fields.text("title", characters: Self.titleLengths)
        if isForApps {
            question = try fields.question("initial_message")
            quickAction = try fields.text("quick_action", characters: Self.quickActionLengths)
        }

        let goalID = try fields.text("goal_id", characters: Self.contextIDLengths)
        let type: ContextType? = try fields.choice("context_type")
        let id = try fields.text("context_id", characters: Self.contextIDLengths)
        if goalID != nil { contextField = "goal_id" }
        switch (goalID, type, id) {
        case (let goalID?, nil, _), (let goalID?, .goal, _):
            if let id, !goalID.isExactly(id) { throw .contradictingContexts(goalID: goalID, type: "goal", id: id) }
            context = ConsultationContext(.goal, id: goalID)
        case (let goalID?, let type?, _): throw .contradictingContexts(goalID: goalID, type: type.rawValue, id: id)
        case (nil, .goal, nil) where !isForApps: throw .goalWithoutID(in: form)
        case (nil, nil, let id?), (nil, .general, let id?): throw .generalWithID(id)
        case (nil, let type, _): context = ConsultationContext(type ?? .general, id: id.map(ExactString.init(_:)))
        }
    }

    /// The fields of one guide's request; nil for the union, which has all fields.
    private static func fields(in form: GuideMode) -> [String]? {
        switch form {
        case .consultationWebSocket: ["persona", "goal_id"]
        case .enhancedConsultations: ["persona", "context_type", "context_id", "title"]
        case .webSocketArchitecture: ["coach_type", "context"]
        case .union, .goalLinking, .mealLogWebSocket: nil
        }
    }
}

/// The body of `PUT /api/v1/consultations/{id}`: absent members stay unchanged.
public struct UpdateConsultationRequest: Equatable, Sendable {
    /// 1 to 200 characters.
    public var title: String?
    public var persona: Persona?
    public var isArchived: Bool?

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        title = try fields.text("title", characters: CreateConsultationRequest.titleLengths)
        persona = try fields.choice("persona")
        isArchived = try fields.value("is_archived", expected: "true or false", \.bool)
    }
}

/// The body of `POST /api/v1/consultations/{id}/messages`.
public struct SendMessageRequest: Equatable, Sendable {
    /// Trimmed.
    public var content: String

    /// The allowed lengths of a message over REST, in Swift characters.
    public static let lengths = 1...5000

    public init(body: [UInt8]) throws(APIError) {
        content = try BodyReader(body).question("content")
            .required("content", expected: "a question for the coach, 1 to 5000 characters long")
    }
}

/// The body of `POST /api/v1/consultations/{id}/suggest-goals`, which may be empty.
public struct SuggestGoalsRequest: Equatable, Sendable {
    /// The number of suggestions, 1 to 10.
    public var limit = 3

    public init(body: [UInt8]) throws(APIError) {
        guard !body.isEmpty else { return }
        let number = try BodyReader(body).value("max_suggestions", expected: "a whole number from 1 to 10") { value in
            value.int.flatMap { (1...10).contains($0) ? $0 : nil }
        }
        limit = number ?? limit
    }
}

extension BodyReader {
    /// A message to the coach, trimmed.
    fileprivate func question(_ field: String) throws(APIError) -> String? {
        let bytes = ClientFrame.maximumContentByteCount
        guard let text = try text(field, characters: SendMessageRequest.lengths, bytes: bytes) else { return nil }
        let question = ClientFrame.trimmed(text)
        guard !question.isEmpty else { throw .blank(field) }
        return String(question)
    }
}

/// A consultation's subject, which identifies duplicates.
public struct ConsultationContext: Hashable, Sendable {
    public var type: ContextType
    /// The id of the subject: absent for `general`, required for a goal in the guides, otherwise optional.
    public var id: ExactString?

    public init(_ type: ContextType, id: ExactString? = nil) { (self.type, self.id) = (type, id) }
    public init(_ type: ContextType, id: String) { self.init(type, id: ExactString(id)) }

    public static let general = ConsultationContext(.general)
}
