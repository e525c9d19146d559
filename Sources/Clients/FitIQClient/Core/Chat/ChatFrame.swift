import FitIQAPI
import JSON

/// A frame from the server, in either protocol; types that no guide defines are not an error.
enum ChatFrame: Sendable, Equatable {
    case connected
    /// `message_received`, or the echo of a `user_message` with its id and text.
    case received(id: ExactString?, content: String?)
    case answerBegins(id: ExactString)
    /// `stream_chunk` has no id.
    case piece(id: ExactString?, content: String)
    case answerEnds(id: ExactString?)
    case templateCreated(type: String, id: String)
    case error(message: String, code: String?)
    case meal(MealNews)
    case pong
    /// A type that no guide defines.
    case unknown
    /// Not a JSON object with a type, or one that lacks what its type requires.
    case broken

    /// Parses a text message: one frame, or several separated by newlines, as servers in the field send them.
    static func frames(in text: [UInt8]) -> [ChatFrame] {
        if let value = try? JSON.parse(text) { return frames(of: value) }
        let lines = text.split(separator: 0x0A)
        guard lines.count > 1 else { return [.broken] }
        return lines.flatMap { line in (try? JSON.parse(line)).map(frames) ?? [.broken] }
    }

    /// A frame, and what its metadata adds.
    private static func frames(of value: JSONValue) -> [ChatFrame] {
        guard let type = value["type"]?.string else { return [.broken] }
        let frame = frame(of: type, value)
        guard type != "template_created", let template = Template(value["metadata"]) else { return [frame] }
        return [.templateCreated(type: template.type, id: template.id), frame]
    }

    private static func frame(of type: String, _ value: JSONValue) -> ChatFrame {
        let content = value["content"]?.string
        let id = value["message_id"]?.exactString
        switch type {
        case "connected": return .connected
        case "message_received": return .received(id: id, content: nil)
        case "user_message": return .received(id: id, content: content)
        case "stream_chunk": return content.map { .piece(id: nil, content: $0) } ?? .broken
        case "stream_complete": return .answerEnds(id: nil)
        case "assistant_message_start": return id.map { .answerBegins(id: $0) } ?? .broken
        case "assistant_message_chunk":
            guard let id, let content else { return .broken }
            return .piece(id: id, content: content)
        case "assistant_message_end": return id.map { .answerEnds(id: $0) } ?? .broken
        case "template_created":
            return Template(value["metadata"]).map { .templateCreated(type: $0.type, id: $0.id) } ?? .broken
        case "error":
            return .error(message: value["error"]?.string ?? ClientMessages.coachFailed, code: value["code"]?.string)
        case "pong": return .pong
        case "meal_log.completed", "meal_log.failed":
            return MealNews(value["data"], status: type == "meal_log.failed" ? .failed : .completed)
                .map { .meal($0) } ?? .broken
        default: return .unknown
        }
    }
}

/// Something that the coach made while it answered, as named in metadata.
struct Template: Sendable, Equatable {
    let type: String
    let id: String

    init?(_ metadata: JSONValue?) {
        guard let template = metadata?["template_created"], let type = template["type"]?.string else { return nil }
        self.type = type
        id = template["id"]?.string ?? ""
    }
}

enum ChatMessage {
    static func frame(_ text: String, style: ClientConfiguration.ChatStyle) -> [UInt8] {
        let value: JSONValue = ["type": .string(style.rawValue), "content": .string(text)]
        return value.encoded()
    }
}
