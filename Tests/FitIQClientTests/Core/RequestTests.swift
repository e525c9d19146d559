import FitIQAPI
import HTTPTypes
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: repeating requests")
struct RequestTests {
    @Test(
        "After a 5xx, silence or a dropped connection, the client retries after 1 s and then after 2 s",
        arguments: ["5xx", "failed", "silent", "bad"])
    func repeats(kind: String) {
        var bench = CoreBench.asked(.loadGoals)
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
        let silent = ["0 \(line)", "30 cancel", "31 \(line)", "61 cancel", "63 \(line)", "93 cancel"]
        #expect(bench.take() == (kind == "silent" ? silent : ["0 \(line)", "1 \(line)", "4 \(line)"]))
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
        #expect(bench.core.nextDeadline == nil && !bench.events.contains(.credentialsRefused))
        if kind == "5xx" { #expect(bench.state.problems.first?.message == "Down.") }
    }

    @Test("The client honours Retry-After and does not shorten later waits")
    func retryAfter() {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(503, nil, [.retryAfter: "5"])
        bench.wait(5)
        bench.answer(500)
        bench.wait(6)
        #expect(bench.take() == ["0 GET /api/v1/goals", "5 GET /api/v1/goals", "11 GET /api/v1/goals"])
    }

    @Test("The client repeats an unanswered create request")
    func lostCreate() {
        var bench = CoreBench.asked(.startConsultation(persona: .nutritionist))
        bench.answer(502)
        bench.wait(1)
        bench.answer(409, ["error": ["details": ["existing_consultation_id": .string(CoreBench.consultation)]]])
        #expect(bench.state.consultation == CoreBench.consultation && bench.state.problems.isEmpty)
    }

    @Test("Repeating one request does not delay other requests")
    func others() {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(503)
        bench.perform(.startConsultation(persona: .nutritionist))
        #expect(bench.take().map { $0.prefix(6) } == ["0 GET ", "0 POST"])
        bench.answer(503, nil, [.retryAfter: "5"])
        bench.wait(5)
        #expect(bench.take().map { $0.prefix(6) } == ["1 GET ", "5 POST"])
    }

    @Test("The client asks the user for another token each time the server rejects one")
    func asksAgain() {
        var bench = CoreBench.asked(.loadGoals)
        for token in ["b", "c", "d"] {
            bench.answer(401)
            bench.perform(.useToken(token))
        }
        #expect(bench.events.count { $0 == .credentialsRefused } == 3 && bench.state.problems.isEmpty)
        #expect(bench.bearers == ["Bearer d"])
    }

    @Test("Late, duplicate and unsolicited answers have no effect")
    func strays() {
        var bench = CoreBench.asked(.loadGoals)
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

    @Test("The number of concurrent requests is limited")
    func limit() {
        var bench = CoreBench { $0.limits.requests = 3 }
        for number in 1...3 { bench.perform(.logMeal(text: "meal \(number)", type: .snack)) }
        #expect(bench.state.problems.isEmpty)
        bench.perform(.logMeal(text: "one over", type: .snack))
        #expect(bench.state.problems.map(\.kind) == [.refused] && bench.take().count == 3)
    }

    @Test("A request that was never sent cannot be repeated")
    func unknown() {
        var book = CoreBench().core.requests
        let isSent = book.sendAgain(.listGoals, at: CoreBench.start)
        #expect(!isSent && book.entries.isEmpty)
    }

    @Test("Two requests are equal if their method, target and body are equal")
    func twins() {
        func entry(
            _ errand: Errand = .listGoals, _ method: HTTPRequest.Method = .get, target: String = "/a",
            body: [UInt8]? = nil
        ) -> RequestBook.Entry {
            RequestBook.Entry(errand: errand, method: method, target: target, body: body, phase: .uncertain)
        }
        #expect(entry().isTwin(of: entry(.findMeal(1))))
        for other in [entry(.listGoals, .post), entry(target: "/b"), entry(body: [1])] {
            #expect(!entry().isTwin(of: other))
        }
        // Each meal is polled at its own pace.
        #expect(!entry(.loadMeal(1)).isTwin(of: entry()))
    }

    @Test("The client may repeat a failed request after 61 s", arguments: [(60, 1), (61, 2)])
    func failureTime(seconds: Int, sent: Int) {
        var book = CoreBench { $0.retries.maximumAttempts = 1 }.core.requests
        let credentials = Credentials(token: "old", apiKey: "key")
        var number = 0
        for time in [0, seconds] {
            let now = CoreBench.start.advanced(by: .seconds(time))
            book.submit(.listGoals, .get, "/goals", at: now)
            _ = book.pump(at: now, credentials: credentials, number: &number)
            _ = book.fail(number: number, at: now)
        }
        #expect(number == sent)
    }

    @Test("The client stores the last 64 failed requests", arguments: [64, 65])
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
