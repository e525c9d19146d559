import FitIQAPI
import FitIQClient
import JSON
import Testing

@testable import ContractSuite

/// A client that was copied from a guide, with the guide's own mistake in it.
struct GuideMistake: Sendable, CustomTestStringConvertible {
    /// The name of its golden report.
    let name: String
    /// What is wrong, as the report's heading.
    let title: String
    /// What the suite plays with it.
    let cases: [ContractCase]
    /// The obligations and checks from within by which it is found out; empty where only its user's view shows it.
    let breaks: Set<String>
    let configure: @Sendable (inout ClientConfiguration) -> Void
    let tampering: @Sendable () -> Tampering

    init(
        _ name: String, _ title: String, cases: [ContractCase], breaks: Set<String>,
        configured configure: @escaping @Sendable (inout ClientConfiguration) -> Void = { _ in },
        by tampering: @escaping @Sendable () -> Tampering
    ) {
        self.name = name
        self.title = title
        self.cases = cases
        self.breaks = breaks
        self.configure = configure
        self.tampering = tampering
    }

    var testDescription: String { name }

    static let all: [GuideMistake] = [
        GuideMistake(
            "quick-start-without-credentials", "consultation-websocket, Quick Start",
            cases: [.suite("guide/consultation-websocket/chat")], breaks: ["auth/websocket-credentials"],
            configured: {
                // The Quick Start knows of no other token, and waits for none.
                $0.freshToken = nil
                $0.patience.token = .zero
            }
        ) {
            .handshakes { $0.fields = [:] }
        },
        GuideMistake(
            "snake-case-answers", "enhanced-consultations, ConsultationService",
            cases: [.suite("guide/enhanced-consultations/chat")], breaks: []
        ) {
            .answers { response, _ in response.body = undecoded(response.body) }
        },
        GuideMistake(
            "snake-case-frames", "enhanced-consultations, IncomingMessage",
            cases: [.suite("guide/enhanced-consultations/chat")], breaks: ["inside/transcript-equals-chunks"]
        ) {
            .hearing { withoutSnakeCase($0, key: "message_id") }
        },
        GuideMistake(
            "snake-case-meals", "meal-log-websocket, MealLogCompletedData",
            cases: [.suite("guide/meal-log-websocket/meal-event")], breaks: []
        ) {
            .hearing { $0["type"]?.string?.hasPrefix("meal_log.") == true ? nil : $0 }
        },
        GuideMistake(
            "reconnects-for-ever", "consultation-websocket, reconnectAttempts = 0 in connect()",
            cases: [.suite("interruption/drop/handshakes-refused-for-good")], breaks: ["ws/reconnect-limit"],
            configured: { $0.reconnects = ReconnectSchedule(.constant(.seconds(1)), maximumTries: 10_000) },
            by: { Tampering() }),
        GuideMistake(
            "reconnects-without-delay", "connect() in the error branch of receive",
            cases: [.suite("interruption/drop/handshakes-refused-for-good")],
            breaks: ["ws/reconnect-backoff", "ws/reconnect-limit"],
            configured: { $0.reconnects = ReconnectSchedule(.constant(.zero), maximumTries: 50) },
            by: { Tampering() }),
        GuideMistake(
            "upper-case-conversation", "goal-linking, Conversation.id is a UUID",
            cases: [.suite("goal/chat/opens-a-conversation")], breaks: ["ids/lowercase"]
        ) {
            .requests { request in
                var parts = request.target.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
                for index in parts.indices where parts[index].utf8.count == 36 {
                    parts[index] = parts[index].uppercased()
                }
                request.target = parts.joined(separator: "/")
            }
        },
        GuideMistake(
            "meal-socket", "websocket-architecture, WebSocketConfiguration with /ws",
            cases: [.suite("guide/websocket-architecture/meal-event")], breaks: ["ws/endpoint"]
        ) {
            .handshakes { request in
                let query = request.target.drop { $0 != "?" }
                request.target = "/ws" + query
            }
        },
    ]
}

/// CodingKeys in snake_case together with convertFromSnakeCase: the decoder looks for `created_at` among keys that it has
/// converted to `createdAt`, so what is required is not found, and what is optional is nil.
private func undecoded(_ body: [UInt8]) -> [UInt8] {
    guard let value = try? JSON.parse(body), value["error"] == nil else { return body }
    return Array("{}".utf8)
}

private func withoutSnakeCase(_ frame: JSONValue, key: String) -> JSONValue? {
    guard var object = frame.object else { return frame }
    object[key] = nil
    return .object(object)
}

extension Tampering {
    /// Changes frames before the client reads them; nil for those that it cannot read.
    fileprivate static func hearing(_ change: @escaping (JSONValue) -> JSONValue?) -> Tampering {
        var tampering = Tampering()
        tampering.hear = { input, _, _ in
            guard case .text(let socket, let text) = input, let frame = try? JSON.parse(text) else { return [input] }
            return change(frame).map { [.text(socket: socket, $0.encoded())] } ?? []
        }
        return tampering
    }
}
