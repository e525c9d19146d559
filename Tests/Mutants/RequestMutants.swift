import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON

extension Mutant {
    private static let goalTwice = ContractCase.story([
        .createGoal("Run 5 km"), .until(.idle, within: .seconds(30)),
        .createGoal("Run 5 km"), .until(.all([.goal("Run 5 km"), .idle]), within: .seconds(30)),
    ])
    private static let goalChatTwice = ContractCase.story([
        .createGoal("Run 5 km"), .until(.all([.goal("Run 5 km"), .idle]), within: .seconds(30)),
        .chatAboutGoal(titled: "Run 5 km"), .until(.idle, within: .seconds(30)),
        .loadGoals, .until(.idle, within: .seconds(30)), .chatAboutGoal(titled: "Run 5 km"), .untilReady, .disconnect,
    ])

    /// Mistakes in ids and in the form of requests.
    static let requests = [
        Mutant(
            "fetches its consultation by uuidString, which is upper case", breaks: "ids/lowercase",
            saying: "; the backend's id is ", in: .chat
        ) {
            .besides({ $0.isTo(.get, "/messages") }) { request in
                var other = request
                let parts = request.target.split(separator: "/")
                other.target = "/api/v1/consultations/" + parts[3].uppercased()
                return other
            }
        },
        Mutant(
            "fetches its history by uuidString, and treats the 404 as an empty history", breaks: "ids/lowercase",
            saying: "; the backend's id is ", in: .chat
        ) {
            var asked: Int?
            var tampering = Tampering()
            tampering.act = { action, _, _ in
                guard asked == nil, case .send(var request) = action, request.isTo(.get, "/messages") else {
                    return [action]
                }
                asked = request.number
                let id = request.target.split(separator: "/")[3].uppercased()
                request.target = "/api/v1/consultations/\(id)/messages"
                return [.send(request)]
            }
            tampering.hear = { input, _, _ in
                guard case .response(let response) = input, response.number == asked else { return [input] }
                let empty: JSONValue = ["data": ["messages": []]]
                return [.response(ClientResponse(number: response.number, status: 200, body: empty.encoded()))]
            }
            return tampering
        },
        Mutant(
            "sends a goal's local id", breaks: "ids/backend-goal-id",
            saying: "which the backend never issued to this user; it answered with 404.", in: goalChatTwice
        ) {
            var isDone = false
            return .requests { request in
                guard !isDone, request.isTo(.post, "/chat-about-goal") else { return }
                request.body = Array(#"{"goalId": "0f8fad5b-d9cb-469f-a165-70867728950e"}"#.utf8)
                isDone = true
            }
        },
        Mutant(
            "sends a goal's index in a list instead of its id", breaks: "ids/backend-goal-id",
            saying: "which is not a backend id: backend ids are lower-case UUIDs.",
            in: .story([
                .createGoal("Run 5 km"), .until(.all([.goal("Run 5 km"), .idle]), within: .seconds(30)),
                .chatAboutGoal(titled: "Run 5 km"), .until(.idle, within: .seconds(30)),
            ])
        ) {
            .requests { request in
                guard request.isTo(.post, "/chat-about-goal") else { return }
                request.body = Array(#"{"goalId": "1"}"#.utf8)
            }
        },
        Mutant(
            "repeats a request that got 404", breaks: "ids/gone-not-reused",
            saying: "requested it again 2 s later.",
            in: .suite("consultation/open/404-is-not-asked-again")
        ) {
            .repeating(after: .seconds(2)) { _, status in status == 404 }
        },
        Mutant(
            "misspells names that the guide writes in camelCase", breaks: "request/shape",
            saying: "POST /api/v1/goals does not match the API: ", in: goalTwice
        ) {
            var isDone = false
            return .requests { request in
                guard !isDone, request.isTo(.post, "/api/v1/goals"), let body = request.body else { return }
                let text = String(decoding: body, as: UTF8.self).replacing("targetDate", with: "targetdate")
                request.body = Array(text.utf8)
                isDone = true
            }
        },
        Mutant(
            "once omits Content-Type", breaks: "request/shape", saying: "POST /api/v1/goals does not match the API: ",
            in: goalTwice
        ) {
            var isDone = false
            return .requests { request in
                guard !isDone, request.isTo(.post, "/api/v1/goals") else { return }
                request.fields[.contentType] = nil
                isDone = true
            }
        },
    ]
}
