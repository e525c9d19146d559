import ContractSuite
import FitIQAPI
import HTTPTypes

extension Mutant {
    static let consultations = [
        Mutant(
            "sends the create request again after 409", breaks: "consultation/conflict-continues-existing",
            saying:
                "was sent again 1 s later, although the client had not used the existing consultation \(KnownID.consultation).",
            in: .suite("consultation/create/409-continues-existing")
        ) {
            .repeating(after: .seconds(1)) { request, status in request.method == .post && status == 409 }
        },
        Mutant(
            "sends the create request again after 429", breaks: "consultation/limit-stops-creating",
            saying: "A create request got another 429 5 s after the 429 at ",
            in: .story(
                .builtIn("limit-reached"),
                [.start(.nutritionist), .until(.all([.problem(.tooMany), .idle]), within: .seconds(30))])
        ) {
            .repeating(after: .seconds(5)) { request, status in request.method == .post && status == 429 }
        },
        Mutant(
            "lets its user try again immediately after 429", breaks: "consultation/limit-stops-creating",
            saying: "A create request got another 429 20 s after the 429 at ",
            in: .suite("limit/consultations/429-tells-too-many"),
            configured: { $0.patience.afterTooMany = .zero }),
        Mutant(
            "opens the socket first and reads the history later", breaks: "consultation/history-before-connect",
            saying: "at 10:30:00 before it fetched the messages.", in: .chat
        ) {
            var isDone = false
            return .answering { request in
                guard !isDone, request.isTo(.get, "/messages") else { return nil }
                isDone = true
                return (200, ["data": ["messages": []]])
            }
        },
    ]
}
