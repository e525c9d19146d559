import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes

extension Mutant {
    /// Mistakes in repeats, and in requests about goals.
    static let retries = [
        Mutant(
            "retries after a tenth of a second", breaks: "retry/backoff-on-5xx",
            saying: "was repeated 0.1 s after it was answered with 500 at 10:30:00; the client must wait at least 1 s.",
            in: .suite("consultation/create/500-twice"),
            configured: { $0.retries.firstDelay = .milliseconds(100) }),
        Mutant(
            "makes six attempts", breaks: "retry/backoff-on-5xx",
            saying: "was sent 4 times although it kept failing; the client should give up after 3 attempts.",
            in: .suite("consultation/create/500-for-good"), configured: { $0.retries.maximumAttempts = 6 }),
        Mutant(
            "repeats a meal's POST after 5xx without checking the list", breaks: "retry/creates-once",
            saying: "so the user now has a duplicate.", in: .suite("meal/create/answer-lost")
        ) {
            .repeating(after: .seconds(1)) { request, status in
                request.isTo(.post, "/meal-logs/natural") && status >= 500
            }
        },
        Mutant(
            "waits less before each retry", breaks: "retry/backoff-on-5xx",
            saying: "was repeated after 2 s, but the wait before that was 3 s; waits must not shrink.",
            in: .suite("consultation/create/500-for-good"), configured: { $0.retries.maximumAttempts = 1 }
        ) { .pausing([.seconds(3), .seconds(2)]) },
        Mutant(
            "waits a second before each retry", breaks: "retry/backoff-on-5xx",
            saying: "was repeated after 1 s, but the second wait should be longer",
            in: .suite("consultation/create/500-for-good"), configured: { $0.retries.maximumAttempts = 1 }
        ) { .pausing([.seconds(1), .seconds(1)]) },
    ]

    static let goals = [
        Mutant(
            "has no conversationId in its goal model", breaks: "goal/reuses-conversation",
            saying: "chat-about-goal was sent for the goal ", in: .suite("goal/chat/reuses-the-conversation")
        ) {
            .answers { response, request in
                guard request.isTo(.get, "/api/v1/goals") else { return }
                let text = String(decoding: response.body, as: UTF8.self)
                    .replacing("conversationId", with: "unread").replacing("conversation_id", with: "unread_too")
                response.body = Array(text.utf8)
            }
        },
        Mutant(
            "assumes that creating a goal links it", breaks: "goal/links-created-goal",
            saying: "after the coach suggested a goal, was not linked to the consultation ", in: linkedAndLate,
            configured: { $0.chat = .userMessage }
        ) {
            .answering { $0.method == .patch ? (200, [:]) : nil }
        },
    ]

    private static let linkedAndLate = ContractCase.story(
        .builtIn("scripted-coach"),
        [
            .start(.wellnessSpecialist), .untilReady, .send("I want to set myself a goal"), .untilAnswered(2),
            .createGoal("Run 5 km"), .until(.all([.goal("Run 5 km"), .idle]), within: .seconds(60)),
            .pass(.seconds(40)), .disconnect,
        ])
}

extension Tampering {
    /// Repeats requests after a 5xx, with these pauses.
    fileprivate static func pausing(_ all: [Duration]) -> Tampering {
        var pauses = all
        var asked: [Int: (number: Int, action: ClientAction)] = [:]
        var tampering = Tampering()
        tampering.act = { action, _, _ in
            if case .send(let request) = action, asked[request.number] == nil {
                asked[request.number] = (request.number, action)
            }
            return [action]
        }
        tampering.hear = { input, schedule, now in
            guard case .response(var response) = input, let entry = asked[response.number] else { return [input] }
            guard response.status >= 500, !pauses.isEmpty, case .send(var request) = entry.action else {
                response.number = entry.number
                return [.response(response)]
            }
            request.number = schedule.number()
            asked[request.number] = entry
            schedule.add(.send(request), in: pauses.removeFirst(), from: now)
            return []
        }
        return tampering
    }
}
