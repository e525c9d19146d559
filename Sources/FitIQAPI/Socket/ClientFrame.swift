import JSON

/// What a client may send over a consultation's socket: one JSON object in one text frame.
public enum ClientFrame: Equatable, Sendable {
    /// A chat message of 1 to 2,000 characters, trimmed.
    case chat(ChatProtocol, content: String)
    /// The JSON keep-alive.
    case ping

    /// The longest chat message, in characters as Swift counts them, after trimming (enhanced-consultations, input validation).
    public static let maximumContentLength = 2000

    /// Reads a text frame.
    ///
    /// - Throws: what the `error` frame says; the connection stays open.
    public init(text: [UInt8]) throws(FrameError) {
        let value: JSONValue
        do {
            value = try JSON.parse(text)
        } catch {
            throw .notJSON(error)
        }
        guard let object = value.object else { throw .notAnObject(value) }
        guard let type = object["type"], type != .null else { throw .missingType }
        switch type.string {
        case "message": self = .chat(.stream, content: try Self.content(of: object))
        case "user_message": self = .chat(.assistantMessage, content: try Self.content(of: object))
        case "ping": self = .ping
        default: throw .unknownType(type)
        }
    }

    private static func content(of object: JSONObject) throws(FrameError) -> String {
        guard let value = object["content"], value != .null else { throw .missingContent }
        guard let text = value.string else { throw .contentIsNotText(value) }
        let content = trimmed(text)
        let count = content.count
        guard count > 0 else { throw .blankContent }
        guard count <= maximumContentLength else { throw .contentTooLong(count) }
        return String(content)
    }

    private static func trimmed(_ text: String) -> Substring {
        let head = text.drop(while: \.isWhitespace)
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return head[...last]
    }
}
