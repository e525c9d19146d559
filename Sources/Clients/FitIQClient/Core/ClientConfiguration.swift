import FitIQAPI

/// What a client is made with.
///
/// The defaults keep every obligation of every guide; other values are for those who know their backend.
public struct ClientConfiguration: Sendable {
    /// What requests bring along.
    public var credentials: Credentials
    /// The token that takes the place of one that was refused, once; nil where ``ClientEvent/credentialsRefused`` asks for it.
    public var freshToken: String?
    /// Which guide the backend answers as: what it does not serve is not asked for.
    public var guide = GuideMode.union
    /// How it chats, where the guide leaves the choice; see ``chatStyle``.
    public var chat = ChatStyle.message
    /// How requests are repeated.
    public var retries = RetrySchedule()
    /// How sockets are opened again.
    public var reconnects = ReconnectSchedule()
    /// How long things may take.
    public var patience = ClientPatience()
    /// How meals are followed while no socket is open.
    public var mealPolling = MealPolling()
    /// How much is kept.
    public var limits = ClientLimits()
    /// Whether each finished answer is compared with the stored message.
    ///
    /// Chunks carry no numbers, so one that was lost, doubled or late shows only there. Where this is off, the history is read
    /// after visible trouble only: a frame that is no JSON, an `error`, a cut.
    public var checksAnswers = true
    /// Whether a handshake brings the token both in its fields and in its URL: for a backend whose guide is not known.
    public var sendsTokenTwice = false

    /// The two chat protocols of the guides.
    public enum ChatStyle: String, Sendable, CaseIterable {
        /// `message`, answered by `stream_chunk` (consultation-websocket).
        case message
        /// `user_message`, answered by `assistant_message_chunk` (enhanced-consultations).
        case userMessage = "user_message"
    }

    /// Makes the usual configuration.
    public init(credentials: Credentials, freshToken: String? = nil, guide: GuideMode = .union) {
        self.credentials = credentials
        self.freshToken = freshToken
        self.guide = guide
    }

    /// How it chats: as the guide documents it, and by choice where the backend understands both.
    public var chatStyle: ChatStyle {
        switch guide {
        case .enhancedConsultations: .userMessage
        case .consultationWebSocket, .webSocketArchitecture: .message
        case .union, .goalLinking, .mealLogWebSocket: chat
        }
    }
}
