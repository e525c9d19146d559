import ContractSuite
import FitIQAPI
import FitIQClient

extension Mutant {
    /// What only the client's user sees.
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
            "calls every message complete once the socket is gone", breaks: "inside/cut-stream-not-complete",
            saying: "complete", in: .suite("interruption/drop/mid-stream")
        ) {
            .showing { report in
                guard report.connection != .connected else { return }
                for index in report.transcript.indices { report.transcript[index].isComplete = true }
            }
        },
        Mutant(
            "prints error frames to its log", breaks: "inside/server-error-surfaces",
            saying: "The coach is overloaded.", in: .suite("chat/error/surfaces")
        ) {
            .showing { report in report.problems.removeAll { $0.kind == .chat } }
        },
        Mutant(
            "takes 409 for a failure", breaks: "inside/conflict-yields-existing", saying: KnownID.consultation,
            in: .suite("consultation/create/409-continues-existing")
        ) {
            .answers { response, _ in if response.status == 409 { response.status = 400 } }
        },
        Mutant(
            "takes 429 for a refusal like any other", breaks: "inside/limit-yields-too-many", saying: "too_many",
            in: .suite("limit/consultations/429-tells-too-many")
        ) {
            .answers { response, _ in if response.status == 429 { response.status = 400 } }
        },
        Mutant(
            "says \"something went wrong\" where a meal failed", breaks: "inside/failed-meal-surfaces",
            saying: "Failed to parse meal input", in: .suite("meal/connected/failure-surfaces")
        ) {
            .showing { report in
                for index in report.meals.indices where report.meals[index].error != nil {
                    report.meals[index].error = "Something went wrong."
                }
            }
        },
    ]
}
