import JSON
import Text

/// A refusal on the socket: the `error` frame's `error` and `code`.
public struct FrameError: Error, Equatable, Sendable {
    /// The machine-readable name.
    public var code: ErrorCode
    /// A sentence or two for the person who writes the client.
    public var message: String

    init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    static func notJSON(_ error: JSONError) -> FrameError {
        FrameError(.invalidJSON, "The frame is not valid JSON: \(error.description).")
    }

    static func notAnObject(_ value: JSONValue) -> FrameError {
        FrameError(.invalidJSON, "A frame must be one JSON object; this is \(value.typeName): \(value.excerpt()).")
    }

    static func missingType(in form: GuideMode) -> FrameError {
        FrameError(.invalidMessageType, "The frame has no 'type'; send \(choice(of: ClientFrame.types(in: form))).")
    }

    static func unknownType(_ value: JSONValue, in form: GuideMode) -> FrameError {
        let known = ClientFrame.types(in: form)
        let reason: String
        if let name = value.string, !known.contains(name), ClientFrame.types(in: .union).contains(name) {
            let guide = name == "message" ? "consultation-websocket" : "enhanced-consultations"
            reason = ", which belongs to the guide \(guide), and this server answers as \(form.rawValue) (--guide)"
        } else {
            reason = ""
        }
        let near = NearestWord.hint(value.string.flatMap { NearestWord.find($0, among: known) }, quote: "\"")
        return FrameError(
            .invalidMessageType,
            "The frame's 'type' is \(value.excerpt())\(reason); send \(choice(of: known)).\(reason.isEmpty ? near : "")"
        )
    }

    /// `"a", "b" or "c"`.
    private static func choice(of names: [String]) -> String {
        Words.list(names.map { "\"\($0)\"" }, last: "or")
    }

    static let missingContent = FrameError(
        .invalidContent,
        "The frame has no 'content'; send a text of 1 to \(ClientFrame.maximumContentLength) characters.")

    static func contentIsNotText(_ value: JSONValue) -> FrameError {
        FrameError(
            .invalidContent, "The frame's 'content' must be a string; got \(value.typeName): \(value.excerpt()).")
    }

    static let blankContent = FrameError(
        .invalidContent,
        "The frame's 'content' is blank; send a text of 1 to \(ClientFrame.maximumContentLength) characters.")

    static func contentTooLong(_ count: Int) -> FrameError {
        FrameError(
            .invalidContent,
            "The frame's 'content' has \(count) characters after trimming; at most \(ClientFrame.maximumContentLength) are allowed."
        )
    }

    static func contentTooLarge(_ count: Int) -> FrameError {
        FrameError(
            .invalidContent,
            "The frame's 'content' has \(count) bytes of UTF-8; at most \(ClientFrame.maximumContentByteCount) are allowed."
        )
    }

    /// A binary frame arrived where JSON text is due.
    public static let binaryFrame = FrameError(
        .unsupportedData, "A binary frame arrived; send JSON in text frames.")

    /// More messages wait for an answer than the server queues.
    public static func tooManyWaiting(limit: Int) -> FrameError {
        FrameError(
            .tooManyWaitingMessages,
            "\(limit) messages wait for an answer already; this one was not stored. Wait for an answer to complete and send it again."
        )
    }

    /// The consultation holds as many messages as the fake keeps.
    ///
    /// - Parameter mode: what it serves is what the message advises.
    public static func historyFull(limit: Int, in mode: GuideMode = .union) -> FrameError {
        let remedy = mode.serves(.archiveConsultation) ? "Archive it and create another" : "Chat in another"
        return FrameError(
            .historyFull,
            "This consultation holds its limit of \(limit) messages; this one was not stored. \(remedy)."
        )
    }

    /// The fake holds as much as it is willing to.
    public static func storeFull(limit: Int) -> FrameError {
        FrameError(
            .storeFull,
            "This server holds its limit of \(limit) bytes; this message was not stored. They live in memory only: restart it to begin anew."
        )
    }

    /// The consultation was archived while the socket was open; the socket closes with 1000 after this.
    public static let consultationNotActive = FrameError(.consultationNotActive, "Consultation is not active")
}
