/// The query of `GET /api/v1/consultations` (enhanced-consultations, listConsultations).
public struct ConsultationListQuery: Equatable, Sendable {
    /// `page` from 1, `page_size` 1 to 100, 20 where absent.
    public var page: Page
    /// `is_archived`; absent means both.
    public var isArchived: Bool?
    /// `persona`; absent means all.
    public var persona: Persona?
    /// `context_type`; absent means all.
    public var contextType: ContextType?

    /// Reads a query.
    ///
    /// - Throws: 400 for values out of range or unknown.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        page = Page(
            number: try parameters.number("page", in: 1...Int.max) ?? 1,
            size: try parameters.number("page_size", in: 1...100) ?? 20)
        isArchived = try parameters.flag("is_archived")
        persona = try parameters.choice("persona", of: Persona.self)
        contextType = try parameters.choice("context_type", of: ContextType.self)
    }

    /// Whether a consultation belongs to the list.
    public func matches(_ consultation: Consultation) -> Bool {
        (isArchived ?? consultation.isArchived) == consultation.isArchived
            && (persona ?? consultation.persona) == consultation.persona
            && (contextType ?? consultation.context.type) == consultation.context.type
    }
}

/// The query of `GET /api/v1/consultations/{id}/messages`.
public struct MessageListQuery: Equatable, Sendable {
    /// The page asked for; nil without `page` and `page_size`: the whole history, for the guide that knows no paging.
    public var page: Page?

    /// Reads a query; where only one of the two is given, the other is page 1 or 50 messages.
    ///
    /// consultation-websocket has neither parameter: in its form they are unknown, and so ignored.
    ///
    /// - Throws: 400 for values out of range.
    public init(query: [(name: String, value: String)], in form: GuideMode) throws(APIError) {
        guard form != .consultationWebSocket else { return }
        let parameters = QueryReader(query)
        let number = try parameters.number("page", in: 1...Int.max)
        let size = try parameters.number("page_size", in: 1...100)
        if number != nil || size != nil {
            page = Page(number: number ?? 1, size: size ?? 50)
        }
    }
}

/// The query of `GET /api/v1/consultations/quick-actions`.
public struct QuickActionQuery: Equatable, Sendable {
    /// `context_type`; absent means all.
    public var contextType: ContextType?
    /// `persona`; absent means all.
    public var persona: Persona?

    /// Reads a query.
    ///
    /// - Throws: 400 for unknown values.
    public init(query: [(name: String, value: String)]) throws(APIError) {
        let parameters = QueryReader(query)
        contextType = try parameters.choice("context_type", of: ContextType.self)
        persona = try parameters.choice("persona", of: Persona.self)
    }
}
