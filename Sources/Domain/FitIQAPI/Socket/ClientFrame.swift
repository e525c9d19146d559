import JSON
import Text

/// A frame that a client sends over a consultation's socket as a JSON object in one text frame.
public enum ClientFrame: Equatable, Sendable {
    /// A chat message, trimmed.
    case chat(ChatProtocol, content: String)
    /// The JSON keep-alive.
    case ping

    /// The longest chat message in Swift characters, after trimming (enhanced-consultations, input validation).
    public static let maximumContentLength = 2000
    /// The size limit of a chat message in UTF-8 bytes, after trimming.
    public static let maximumContentByteCount = 128 * 1024

    /// Reads a text frame.
    ///
    /// - Parameter form: A guide's form allows only that guide's frames and the JSON ping.
    /// - Throws: The content of the `error` frame; the connection stays open.
    public init(text: [UInt8], in form: GuideMode) throws(FrameError) {
        let value: JSONValue
        do { value = try JSON.parse(text, limits: BodyReader.limits) } catch { throw .notJSON(error) }
        guard let object = value.object else { throw .notAnObject(value) }
        guard let type = object["type"], type != .null else { throw .missingType(in: form) }
        guard let name = type.string, Self.types(in: form).contains(name) else { throw .unknownType(type, in: form) }
        switch name {
        case "message": self = .chat(.stream, content: try Self.content(of: object))
        case "user_message": self = .chat(.assistantMessage, content: try Self.content(of: object))
        default: self = .ping
        }
    }

    /// The frame types that a client may send.
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
        // Check bytes first: a character can have any number of combining marks, and counting characters is slow.
        guard content.utf8.count <= maximumContentByteCount else { throw .contentTooLarge(content.utf8.count) }
        let count = content.count
        guard count > 0 else { throw .blankContent }
        guard count <= maximumContentLength else { throw .contentTooLong(count) }
        return String(content)
    }

    /// Trims by scalar, which is fast for any amount of white space.
    package static func trimmed(_ text: String) -> Substring {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return Substring(scalars[first...last])
    }
}

/// An error on the socket: the `error` frame's `error` and `code`.
public struct FrameError: Error, Equatable, Sendable {
    public var code: ErrorCode
    /// The text for the client's developer.
    public var message: String

    init(_ code: ErrorCode, _ message: String) { (self.code, self.message) = (code, message) }

    // MARK: Frames that cannot be read

    static func notJSON(_ error: JSONError) -> Self {
        Self(.invalidJSON, "The frame is not valid JSON: \(error.description).")
    }
    static func notAnObject(_ value: JSONValue) -> Self {
        Self(.invalidJSON, "A frame must be one JSON object; this is \(value.typeName): \(value.excerpt()).")
    }
    static func missingType(in form: GuideMode) -> Self {
        Self(.invalidMessageType, "The frame has no 'type'; send \(choice(of: ClientFrame.types(in: form))).")
    }
    static func unknownType(_ value: JSONValue, in form: GuideMode) -> Self {
        let known = ClientFrame.types(in: form)
        var reason = ""
        var near = NearestWord.hint(value.string.flatMap { NearestWord.find($0, among: known) }, quote: "\"")
        if let name = value.string, !known.contains(name), ClientFrame.types(in: .union).contains(name) {
            let guide = name == "message" ? "consultation-websocket" : "enhanced-consultations"
            reason = ", which belongs to the guide \(guide), but this server follows \(form.rawValue)"
            near = ""
        }
        return Self(
            .invalidMessageType, "The frame's 'type' is \(value.excerpt())\(reason); send \(choice(of: known)).\(near)")
    }

    /// `"a", "b" or "c"`.
    private static func choice(of names: [String]) -> String { Words.list(names.map { "\"\($0)\"" }, last: "or") }

    private static let advice = "send a text of 1 to \(ClientFrame.maximumContentLength) characters"
    static let missingContent = Self(.invalidContent, "The frame has no 'content'; \(advice).")
    static let blankContent = content("is blank; \(advice)")
    static func contentIsNotText(_ value: JSONValue) -> Self {
        content("must be a string; got \(value.typeName): \(value.excerpt())")
    }
    static func contentTooLong(_ count: Int) -> Self {
        content("has \(count) characters after trimming; at most \(ClientFrame.maximumContentLength) are allowed")
    }
    static func contentTooLarge(_ count: Int) -> Self {
        content("has \(count) bytes of UTF-8; at most \(ClientFrame.maximumContentByteCount) are allowed")
    }

    private static func content(_ problem: String) -> Self {
        Self(.invalidContent, "The frame's 'content' \(problem).")
    }
    public static let binaryFrame = Self(.unsupportedData, "A binary frame arrived; send JSON in text frames.")

    // MARK: Messages that cannot be stored

    public static func tooManyWaiting(limit: Int) -> Self {
        Self(
            .tooManyWaitingMessages,
            "\(limit) messages are already waiting for an answer, so this message was not stored. Wait for an answer "
                + "to complete, and send the message again.")
    }

    /// If a mode is given, the message recommends only what that mode serves.
    public static func historyFull(limit: Int, in mode: GuideMode = .union) -> Self {
        let remedy = mode.serves(.archiveConsultation) ? "Archive it and create another" : "Chat in another"
        return Self(
            .historyFull,
            "This consultation has reached its limit of \(limit) messages, so this message was not "
                + "stored. \(remedy).")
    }

    /// The fake's storage limit has been reached.
    public static func storeFull(limit: Int) -> Self {
        Self(
            .storeFull,
            "This server has reached its memory limit of \(limit) bytes, so this message was not stored. Restart "
                + "the server to start over.")
    }

    /// The consultation was archived while the socket was open; the socket then closes with 1000.
    public static let consultationNotActive = Self(.consultationNotActive, "Consultation is not active")
}
