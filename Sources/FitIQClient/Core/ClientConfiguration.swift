/// What a client is made with.
public struct ClientConfiguration: Sendable {
    /// What requests bring along.
    public var credentials: Credentials
    /// The token that takes the place of one that was refused; nil where there is no other.
    public var freshToken: String?
    /// How it chats.
    public var chat = ChatStyle.message

    /// The two chat protocols of the guides.
    public enum ChatStyle: String, Sendable, CaseIterable {
        /// `message`, answered by `stream_chunk` (consultation-websocket).
        case message
        /// `user_message`, answered by `assistant_message_chunk` (enhanced-consultations).
        case userMessage = "user_message"
    }

    /// Makes the usual configuration.
    public init(credentials: Credentials, freshToken: String? = nil) {
        self.credentials = credentials
        self.freshToken = freshToken
    }
}
