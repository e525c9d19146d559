import JSON

/// A frame, other than a meal event, that the server sends over a socket as a JSON object in one text frame.
///
/// In the union each frame has `type` and `timestamp`, and all except `pong` have `consultation_id` on the socket of a
/// consultation. The meal socket has only `connected`, `pong` and errors.
public enum ServerFrame: Equatable, Sendable {
    /// Contains the user for the apps and on the meal socket.
    case connected(user: ExactString?)

    // consultation-websocket: a stored message, a piece of the answer, and a complete stored answer.
    case messageReceived
    case streamChunk(content: String)
    /// Contains metadata for the apps.
    case streamComplete(MessageMetadata?)

    // enhanced-consultations: a stored message; an answer's start, chunks, creations and end.
    case userMessage(id: ResourceID, content: String)
    case assistantMessageStart(id: ResourceID)
    case assistantMessageChunk(id: ResourceID, content: String)
    case templateCreated(CreatedTemplate)
    case assistantMessageEnd(id: ResourceID, metadata: MessageMetadata?)

    /// The answer to the JSON keep-alive.
    case pong
    /// An error, or the announcement of a close.
    case error(FrameError)
    /// An error from a script, with any code, or an error on the meal socket.
    case scriptedError(message: String, code: String)

    public var type: String {
        switch self {
        case .connected: "connected"
        case .messageReceived: "message_received"
        case .streamChunk: "stream_chunk"
        case .streamComplete: "stream_complete"
        case .userMessage: "user_message"
        case .assistantMessageStart: "assistant_message_start"
        case .assistantMessageChunk: "assistant_message_chunk"
        case .templateCreated: "template_created"
        case .assistantMessageEnd: "assistant_message_end"
        case .pong: "pong"
        case .error, .scriptedError: "error"
        }
    }

    /// Whether the guide lists the frame: websocket-architecture does not list `message_received`.
    public func isKnown(in form: GuideMode) -> Bool { self != .messageReceived || form != .webSocketArchitecture }

    /// The size of the frame without escapes, including the writer's spare bytes for the timestamp.
    ///
    /// Chunks get no spare bytes, because a journal keeps thousands of them.
    private var usualSize: Int {
        switch self {
        case .streamChunk(let content): 144 + content.utf8.count
        case .assistantMessageChunk(_, let content): 208 + content.utf8.count
        default: 256
        }
    }

    /// The frame's text, in the form of the union or of one guide.
    ///
    /// enhanced-consultations reads neither `consultation_id` nor `timestamp` from its frames, meal-log-websocket does
    /// not read `consultation_id`, and only the union has `code`. `pong` is the same in all forms.
    ///
    /// - Parameter consultationID: Nil on the meal socket, where the apps read `code` as `error_code`.
    public func encoded(consultationID: ResourceID?, at time: Timestamp, in form: GuideMode) -> [UInt8] {
        var writer = JSONWriter(reserving: usualSize)
        writer.beginObject()
        writer.member("type", type)
        if self != .pong, form != .enhancedConsultations, form != .mealLogWebSocket {
            writer.member("consultation_id", ifPresent: consultationID)
        }
        func write(_ error: String, _ code: String) {
            writer.member("error", error)
            if form == .union { writer.member(consultationID == nil ? "error_code" : "code", code) }
        }
        switch self {
        case .messageReceived, .pong: break
        case .connected(let user): writer.member("user_id", ifPresent: user?.text)
        case .streamComplete(let metadata): metadata?.writeStreamEnd(into: &writer)
        case .streamChunk(let content): writer.member("content", content)
        case .userMessage(let id, let content), .assistantMessageChunk(let id, let content):
            writer.member("message_id", id)
            writer.member("content", content)
        case .assistantMessageStart(let id): writer.member("message_id", id)
        case .templateCreated(let template):
            writer.member("metadata", ifPresent: MessageMetadata(templateCreated: template))
        case .assistantMessageEnd(let id, let metadata):
            writer.member("message_id", id)
            writer.member("metadata", ifPresent: metadata)
        case .error(let error): write(error.message, error.code.rawValue)
        case .scriptedError(let message, let code): write(message, code)
        }
        if self == .pong || form != .enhancedConsultations { writer.member("timestamp", time) }
        writer.endObject()
        return writer.takeBytes()
    }
}

/// The event that all of a user's open sockets get when processing of a meal log ends.
///
/// The frame is `{"type", "data", "timestamp"}`, without `consultation_id`.
public enum MealLogEvent: String, CaseIterable, Sendable {
    /// The foods were found; `data` is the log with its items.
    case completed = "meal_log.completed"
    /// No foods were found in the text; `data` has the reason.
    case failed = "meal_log.failed"

    /// The frame's text, with the time when processing ended; nil during processing.
    public static func frame(of log: MealLog, in mode: GuideMode) -> [UInt8]? {
        guard let event = MealLogEvent(rawValue: "meal_log.\(log.status.rawValue)") else { return nil }
        let data = log.object(in: mode, isForApps: mode.servesApps)
        return JSONWriter.object(reserving: data.count + 96) { writer in
            writer.member("type", event.rawValue)
            writer.member("data", raw: data)
            writer.member("timestamp", log.updatedAt)
        }
    }
}

/// The two chat protocols of a consultation's socket; the client's frames select one of them.
public enum ChatProtocol: Sendable, Hashable, CaseIterable {
    /// `message` → `message_received`, `stream_chunk`…, `stream_complete` (consultation-websocket).
    case stream
    /// `user_message` → `user_message`, `assistant_message_start`, `…_chunk`…, `…_end` (enhanced-consultations).
    case assistantMessage
}

/// An error on the meal socket: the `error` frame's `error` and `error_code`, or the announcement of a close.
public struct MealSocketError: Error, Equatable, Sendable {
    /// The apps' error codes; only scenarios send `RATE_LIMIT`.
    public enum Code: String, Sendable {
        case authFailed = "AUTH_FAILED"
        case connectionLimit = "CONNECTION_LIMIT"
        case serverError = "SERVER_ERROR"
    }

    public var code: Code
    /// The text for the client's developer.
    public var message: String
    /// The reason in the close frame, if the server closes the socket: at most 123 bytes.
    public var reason = ""

    package var frame: ServerFrame { .scriptedError(message: message, code: code.rawValue) }

    /// A newer connection from the same user replaced this one.
    public static let replaced = Self(
        code: .connectionLimit,
        message:
            "The same user has opened a newer meal socket. Only one meal socket per user is allowed: keep it open and "
            + "reuse it.",
        reason: "Replaced by a newer connection")

    /// The user's account was deleted.
    public static let userIsGone = Self(
        code: .authFailed, message: "This token's account was deleted.", reason: "Account deleted")

    public static func tooManyConnections(limit: Int) -> Self {
        Self(
            code: .connectionLimit,
            message:
                "This user has opened \(limit) meal sockets within a minute, which is the limit. Keep one socket open, "
                + "and wait longer after each failure before reconnecting.",
            reason: "Too many connections")
    }

    /// The client sent a frame for another socket; the connection stays open.
    public static let onlyPings = Self(
        code: .serverError,
        message: "This socket accepts only \"ping\" frames. Chat over a consultation's socket, "
            + "\(Endpoint.webSocket.template).")

    /// The server cannot read the frame; the connection stays open.
    public static func unusable(_ error: FrameError) -> Self {
        let isReadable = error.code != .invalidJSON && error.code != .unsupportedData
        return isReadable ? onlyPings : Self(code: .serverError, message: error.message)
    }
}
