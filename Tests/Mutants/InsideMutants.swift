import ContractSuite
import FitIQAPI
import FitIQClient
import JSON

extension Mutant {
    private static let knownTypes = [
        "connected", "message_received", "stream_chunk", "stream_complete", "user_message", "template_created", "pong",
        "error",
    ]

    /// Mistakes that only the client's user sees.
    static let inside = [
        Mutant(
            "trims each chunk before it appends it", breaks: "inside/transcript-equals-chunks",
            saying: "where the server has", in: .suite("chat/answer/is-the-sum-of-its-chunks")
        ) {
            .showing { report in
                for index in report.transcript.indices where report.transcript[index].role == .assistant {
                    report.transcript[index].text.removeAll { $0 == " " }
                }
            }
        },
        Mutant(
            "shows only the newest words of an arriving answer", breaks: "inside/transcript-equals-chunks",
            saying: "Expected every answer to match the beginning of \"About 1.6 g",
            in: .suite("chat/answer/as-scripted")
        ) {
            .showing { report in
                for index in report.transcript.indices where !report.transcript[index].isComplete {
                    report.transcript[index].text = String(report.transcript[index].text.suffix(5))
                }
            }
        },
        Mutant(
            "shows every message as complete once the socket has closed", breaks: "inside/cut-stream-not-complete",
            saying: "complete", in: .suite("interruption/drop/mid-stream")
        ) {
            .showing { report in
                guard report.connection != .connected else { return }
                for index in report.transcript.indices { report.transcript[index].isComplete = true }
            }
        },
        Mutant(
            "only logs error frames", breaks: "inside/server-error-surfaces",
            saying: "The coach is overloaded.", in: .suite("chat/error/surfaces")
        ) {
            .showing { report in report.problems.removeAll { $0.kind == .chat } }
        },
        Mutant(
            "treats 409 as a failure", breaks: "inside/conflict-yields-existing", saying: KnownID.consultation,
            in: .suite("consultation/create/409-continues-existing")
        ) {
            .answers { response, _ in if response.status == 409 { response.status = 400 } }
        },
        Mutant(
            "treats 429 like any other error", breaks: "inside/limit-yields-too-many", saying: "too_many",
            in: .suite("limit/consultations/429-tells-too-many")
        ) {
            .answers { response, _ in if response.status == 429 { response.status = 400 } }
        },
        Mutant(
            "says \"something went wrong\" when a meal fails", breaks: "inside/failed-meal-surfaces",
            saying: "Failed to parse meal input", in: .suite("meal/connected/failure-surfaces")
        ) {
            .showing { report in
                for index in report.meals.indices where report.meals[index].error != nil {
                    report.meals[index].error = "Something went wrong."
                }
            }
        },
        Mutant(
            "fetches the meal instead of using the event that says it failed",
            breaks: "inside/failed-meal-surfaces", saying: "Failed to parse meal input",
            in: .suite("meal/connected/failure-surfaces")
        ) {
            var tampering = Tampering()
            tampering.hear = { input, _, _ in
                guard case .text(_, let text) = input, (try? JSON.parse(text))?["type"] == "meal_log.failed" else {
                    return [input]
                }
                return []
            }
            return tampering
        },
        Mutant(
            "does not report a 400 to its user", breaks: "inside/refusal-surfaces",
            saying: "Expected a problem of kind refused", in: .suite("consultation/create/400-surfaces")
        ) {
            .showing { report in report.problems.removeAll { $0.kind == .refused } }
        },
        Mutant(
            "only logs why the quick actions did not load", breaks: "inside/refusal-surfaces",
            saying: "Expected a problem of kind unavailable", in: .suite("quick-actions/load/failure-surfaces")
        ) {
            .showing { report in if report.quickActions?.isEmpty == true { report.problems = [] } }
        },
        Mutant(
            "applies an event to any meal that is being processed", breaks: "inside/event-of-its-own-meal",
            saying: "Expected the meal \"porridge\" to have no result other than",
            in: .suite("meal/connected/events-in-another-order")
        ) {
            var processing: [String] = []
            var tampering = Tampering()
            tampering.hear = { input, _, _ in
                switch input {
                case .response(let response) where response.status == 201:
                    let data = (try? JSON.parse(response.body))?["data"]
                    if data?["raw_input"] != nil, let id = data?["id"]?.string { processing.append(id) }
                case .text(let socket, let text):
                    let data = (try? JSON.parse(text))?["data"]
                    guard let id = data?["id"]?.string, !processing.isEmpty else { break }
                    let event = String(decoding: text, as: UTF8.self).replacing(id, with: processing.removeFirst())
                    return [.text(socket: socket, Array(event.utf8))]
                default: break
                }
                return [input]
            }
            return tampering
        },
        Mutant(
            "reads only the calories from the event", breaks: "inside/meal-contents-shown",
            saying: "with 16.2 g of protein", in: .suite("meal/connected/contents-are-shown")
        ) {
            .showing { report in
                for index in report.meals.indices {
                    (report.meals[index].protein, report.meals[index].items) = (nil, [])
                }
            }
        },
        Mutant(
            "treats a frame of an unknown type as an error", breaks: "inside/unknown-is-ignored",
            saying: "Expected", in: .suite("chat/frames/unknown-are-ignored")
        ) {
            var tampering = Tampering()
            tampering.hear = { input, _, _ in
                guard case .text(let socket, let text) = input,
                    let type = (try? JSON.parse(text))?["type"]?.string, !knownTypes.contains(type),
                    !type.hasPrefix("assistant_message_"), !type.hasPrefix("meal_log.")
                else { return [input] }
                return [.text(socket: socket, Array(#"{"type":"error","error":"Unknown type"}"#.utf8))]
            }
            return tampering
        },
        Mutant(
            "decodes the persona as an enum without a default", breaks: "inside/unknown-is-ignored",
            saying: "Expected the connection to be connected", in: .suite("chat/persona/unknown-is-shown")
        ) {
            .throwing { Persona(rawValue: $0["data"]?["consultation"]?["persona"]?.string ?? "nutritionist") == nil }
        },
        Mutant(
            "decodes a goal's status as an enum without a default", breaks: "inside/unknown-is-ignored",
            saying: "Expected the goal \"Run 5 km\"", in: .suite("goal/list/unknown-status")
        ) {
            .throwing { body in
                body["goals"]?.array?.contains { GoalWord(rawValue: $0["status"]?.string ?? "") == nil } ?? false
            }
        },
        Mutant(
            "decodes a meal's status as an enum without a default", breaks: "inside/unknown-is-ignored",
            saying: "Expected the meal \"2 eggs\" to be completed", in: .suite("meal/polling/unknown-status")
        ) {
            .throwing { body in
                body["data"]?["raw_input"] != nil
                    && MealLogStatus(rawValue: body["data"]?["status"]?.string ?? "") == nil
            }
        },
        Mutant(
            "shows the goal with its conversation after the conversation was not found",
            breaks: "inside/gone-conversation-cleared",
            saying: "not to be linked to \(KnownID.nothing), which no longer exists",
            in: .suite("goal/chat/404-clears-the-conversation")
        ) {
            var known: [String: String] = [:]
            return .showing { report in
                for index in report.goals.indices {
                    let id = report.goals[index].id
                    known[id] = report.goals[index].conversation ?? known[id]
                    report.goals[index].conversation = known[id]
                }
            }
        },
        Mutant(
            "treats every template from the coach as a goal", breaks: "inside/template-by-its-type",
            saying: "Expected the goal \"Run 5 km\" not to be linked to any consultation",
            in: .suite("template/created/is-no-goal")
        ) {
            .answers { response, request in
                guard request.isTo(.get, "/messages") else { return }
                var text = String(decoding: response.body, as: UTF8.self)
                for type in ["meal", "workout"] {
                    text = text.replacing(#""type":"\#(type)""#, with: #""type":"goal""#)
                }
                response.body = Array(text.utf8)
            }
        },
        Mutant(
            "shows each template as a meal template", breaks: "inside/template-by-its-type",
            saying: "Expected the wellness \"Calm Evenings\" from the coach",
            in: .suite("template/created/is-shown")
        ) {
            .showing { report in
                report.templates = report.templates?.map { ClientReport.Template(type: "meal", name: $0.name) }
            }
        },
        Mutant(
            "keeps every message", breaks: "inside/keeps-100-messages", saying: "Expected at most 100 messages",
            in: .suite("consultation/open/newest-100-messages"), configured: { $0.limits.transcriptLines = 1_000 }
        ),
    ]
}
