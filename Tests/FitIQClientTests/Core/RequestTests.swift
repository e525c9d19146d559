import FitIQAPI
import HTTPTypes
import JSON
import Testing

@testable import FitIQClient

@Suite("The client core repeats requests")
struct RequestTests {
    @Test(
        "After 5xx, silence or no connection twice more, 1 s and 2 s later",
        arguments: ["5xx", "failed", "silent", "bad"])
    func repeats(kind: String) {
        var bench = CoreBench()
        bench.perform(.loadGoals)
        for _ in 1...3 {
            switch kind {
            case "5xx": bench.answer(503, CoreBench.refusal("X", "Down."))
            case "bad": bench.answer(200)
            case "failed":
                let number = bench.requests.removeFirst().number
                bench.receive(.requestFailed(number: number, "refused"))
            default: bench.wait(30)
            }
            bench.wait(2)
        }
        let line = "GET /api/v1/goals"
        #expect(
            bench.take()
                == (kind == "silent"
                    ? ["0 \(line)", "30 cancel", "31 \(line)", "61 cancel", "63 \(line)", "93 cancel"]
                    : ["0 \(line)", "1 \(line)", "4 \(line)"]))
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
        #expect(bench.core.nextDeadline == nil)
        if kind == "5xx" { #expect(bench.state.problems.first?.message == "Down.") }
    }

    @Test("Retry-After is waited for, and a later wait is not shorter")
    func retryAfter() {
        var bench = CoreBench()
        bench.perform(.loadGoals)
        bench.answer(503, nil, [.retryAfter: "5"])
        bench.wait(5)
        bench.answer(500)
        bench.wait(5)
        #expect(bench.take() == ["0 GET /api/v1/goals", "5 GET /api/v1/goals", "10 GET /api/v1/goals"])
    }

    @Test("A create without an answer is repeated, and 409 gives what was made")
    func lostCreate() {
        var bench = CoreBench()
        bench.perform(.startConsultation(persona: .nutritionist))
        bench.answer(502)
        bench.wait(1)
        bench.answer(
            409, ["error": ["details": ["existing_consultation_id": .string(CoreBench.consultation)]]])
        #expect(bench.state.consultation == CoreBench.consultation && bench.state.problems.isEmpty)
    }

    @Test("What is answered late, twice or to nobody changes nothing")
    func strays() {
        var bench = CoreBench()
        bench.perform(.loadGoals)
        let (before, events) = (bench.state, bench.events)
        for number in [0, 99, -1] {
            bench.receive(.response(ClientResponse(number: number, status: 401)))
            bench.receive(.requestFailed(number: number, ""))
            bench.receive(.socketOpened(number))
            bench.receive(.socketRefused(ClientResponse(number: number, status: 404)))
            bench.receive(.text(socket: number, [0xFF]))
        }
        #expect(bench.state == before && bench.events == events && bench.take().count == 1)
    }

    @Test("There is a limit to requests at a time")
    func limit() {
        var bench = CoreBench { $0.limits.requests = 3 }
        for number in 1...3 { bench.perform(.logMeal(text: "meal \(number)", type: .snack)) }
        #expect(bench.state.problems.isEmpty)
        bench.perform(.logMeal(text: "one over", type: .snack))
        #expect(bench.state.problems.map(\.kind) == [.refused] && bench.take().count == 3)
    }

    @Test("A request that nobody made is not sent again")
    func unknown() {
        var book = CoreBench().core.requests
        let isSent = book.sendAgain(.listGoals, at: CoreBench.start)
        #expect(!isSent && book.entries.isEmpty)
    }

    @Test("64 failures are remembered; with one more the first may be tried again", arguments: [64, 65])
    func failures(count: Int) {
        var book = CoreBench { $0.retries.maximumAttempts = 1 }.core.requests
        let credentials = Credentials(token: "old", apiKey: "key")
        var number = 0
        for place in Array(1...count) + [1] {
            book.submit(.history(consultation: "\(place)"), .get, "/\(place)", at: CoreBench.start)
            _ = book.pump(at: CoreBench.start, credentials: credentials, number: &number)
            _ = book.fail(number: number, at: CoreBench.start)
        }
        #expect(number == (count > RequestBook.mostFailures ? count + 1 : count))
    }
}
