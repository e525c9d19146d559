import FitIQAPI
import FitIQClient
import JSON
import Mutants
import Testing

@testable import ContractSuite

/// A client copied from a guide, with the guide's own mistake.
struct GuideMistake: Sendable, CustomTestStringConvertible {
    /// The name of the client's golden report.
    let name: String
    /// The mistake, which is also the report's heading.
    let title: String
    /// The cases that the suite plays with this client.
    let cases: [ContractCase]
    /// The obligations and internal checks that reveal the mistake; empty if only the user's view reveals it.
    let breaks: Set<String>
    let configure: @Sendable (inout ClientConfiguration) -> Void
    let tampering: @Sendable () -> Tampering

    init(
        _ name: String, _ title: String, cases: [ContractCase], breaks: Set<String>,
        configured configure: @escaping @Sendable (inout ClientConfiguration) -> Void = { _ in },
        by tampering: @escaping @Sendable () -> Tampering
    ) {
        (self.name, self.title, self.cases) = (name, title, cases)
        (self.breaks, self.configure, self.tampering) = (breaks, configure, tampering)
    }

    var testDescription: String { name }

    static let all: [GuideMistake] = [
        GuideMistake(
            "quick-start-without-credentials", "consultation-websocket, Quick Start",
            cases: [.suite("guide/consultation-websocket/chat")], breaks: ["auth/websocket-credentials"],
            configured: {
                // The Quick Start has no other token and does not wait for one.
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
            cases: [.suite("guide/enhanced-consultations/chat")], breaks: [],
            // The guide's client waits for chunks for as long as its user does.
            configured: { $0.patience.answer = .seconds(3600) }
        ) {
            // Without messageId, no chunk matches its message.
            .hearing { $0["message_id"] == nil }
        },
        GuideMistake(
            "snake-case-meals", "meal-log-websocket, MealLogService and MealLogCompletedData",
            cases: [.suite("guide/meal-log-websocket/meal-event")], breaks: []
        ) {
            let answers = Tampering.answers { response, request in
                if request.target.contains("/meal-logs") { response.body = undecoded(response.body) }
            }
            var tampering = Tampering.hearing { $0["type"]?.string?.hasPrefix("meal_log.") != true }
            let hearsFrame = tampering.hear
            tampering.act = answers.act
            tampering.hear = { input, schedule, now in
                answers.hear(input, &schedule, now).flatMap { hearsFrame($0, &schedule, now) }
            }
            return tampering
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

/// Decodes nothing, because CodingKeys in snake_case clash with convertFromSnakeCase.
///
/// The decoder looks for `created_at` among keys that it has converted to `createdAt`, so required members are missing,
/// and optional members are nil.
private func undecoded(_ body: [UInt8]) -> [UInt8] {
    guard let value = try? JSON.parse(body), value["error"] == nil else { return body }
    return Array("{}".utf8)
}

extension Tampering {
    /// Passes only frames that the client can read.
    fileprivate static func hearing(_ isRead: @escaping (JSONValue) -> Bool) -> Tampering {
        var tampering = Tampering()
        tampering.hear = { input, _, _ in
            guard case .text(_, let text) = input, let frame = try? JSON.parse(text) else { return [input] }
            return isRead(frame) ? [input] : []
        }
        return tampering
    }
}
