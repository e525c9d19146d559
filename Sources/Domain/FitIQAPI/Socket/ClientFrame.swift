import JSON

/// What a client may send over a consultation's socket: one JSON object in one text frame.
public enum ClientFrame: Equatable, Sendable {
    /// A chat message of 1 to 2,000 characters, trimmed.
    case chat(ChatProtocol, content: String)
    /// The JSON keep-alive.
    case ping

    /// The longest chat message, in characters as Swift counts them, after trimming (enhanced-consultations, input validation).
    public static let maximumContentLength = 2000

    /// The most bytes of UTF-8 that a chat message may have, after trimming.
    public static let maximumContentByteCount = 128 * 1024

    /// Reads a text frame.
    ///
    /// - Parameter form: in the form of one guide only its frames are known; the JSON ping is known in every one.
    /// - Throws: what the `error` frame says; the connection stays open.
    public init(text: [UInt8], in form: GuideMode) throws(FrameError) {
        let value: JSONValue
        do {
            value = try JSON.parse(text, limits: BodyReader.limits)
        } catch {
            throw .notJSON(error)
        }
        guard let object = value.object else { throw .notAnObject(value) }
        guard let type = object["type"], type != .null else { throw .missingType(in: form) }
        guard let name = type.string, Self.types(in: form).contains(name) else { throw .unknownType(type, in: form) }
        switch name {
        case "message": self = .chat(.stream, content: try Self.content(of: object))
        case "user_message": self = .chat(.assistantMessage, content: try Self.content(of: object))
        default: self = .ping
        }
    }

    /// The types of frame that a client may send.
    static func types(in form: GuideMode) -> [String] {
        switch form {
        case .union, .goalLinking: ["message", "user_message", "ping"]
        case .consultationWebSocket, .webSocketArchitecture: ["message", "ping"]
        case .enhancedConsultations: ["user_message", "ping"]
        case .mealLogWebSocket: ["ping"]
        }
    }

    private static func content(of object: JSONObject) throws(FrameError) -> String {
        guard let value = object["content"], value != .null else { throw .missingContent }
        guard let text = value.string else { throw .contentIsNotText(value) }
        let content = trimmed(text)
        // Bytes first: a single character can have any number of combining marks, and counting them takes its time.
        guard content.utf8.count <= maximumContentByteCount else { throw .contentTooLarge(content.utf8.count) }
        let count = content.count
        guard count > 0 else { throw .blankContent }
        guard count <= maximumContentLength else { throw .contentTooLong(count) }
        return String(content)
    }

    /// Trims scalar by scalar, which is fast however much there is to trim.
    private static func trimmed(_ text: String) -> Substring {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return Substring(scalars[first...last])
    }
}
