import FitIQAPI
import HTTPTypes
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: rate limits")
struct ThrottleTests {
    private static let line = "GET /api/v1/goals"
    private static let refusal = CoreBench.refusal("RATE_LIMITED", "Slow down.")

    @Test(
        "A 429 requires a pause if it has the code RATE_LIMITED or a Retry-After",
        arguments: [
            (429, "RATE_LIMITED", nil, true), (429, "X", "5", true), (429, "X", nil, false),
            (429, "TOO_MANY_ACTIVE_CONSULTATIONS", "5", false), (503, "RATE_LIMITED", "5", false),
        ] as [(Int, String, String?, Bool)])
    func recognized(status: Int, code: String, retryAfter: String?, isThrottled: Bool) {
        var fields = HTTPFields()
        fields[.retryAfter] = retryAfter
        let body = CoreBench.refusal(code).encoded()
        let answer = Answer(ClientResponse(number: 1, status: status, fields: fields, body: body))
        #expect(answer.isThrottled == isThrottled)
    }

    @Test("The client gives up on a request after three 429 answers and keeps its token")
    func thrice() {
        var bench = CoreBench.asked(.loadGoals)
        while !bench.requests.isEmpty {
            bench.answer(429, Self.refusal)
            bench.wait(1)
        }
        #expect(bench.take() == ["0 \(Self.line)", "1 \(Self.line)", "2 \(Self.line)"])
        #expect(bench.state.problems == [.init(kind: .unavailable, message: "Slow down.")] && !bench.state.isBusy)
        #expect(!bench.events.contains(.credentialsRefused))
    }

    @Test("The client accepts a pause of up to 300 s", arguments: [(300, true), (301, false)])
    func longest(seconds: Int, isWaitedFor: Bool) {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(429, Self.refusal, [.retryAfter: "\(seconds)"])
        #expect(bench.state.isBusy == isWaitedFor)
        bench.wait(300)
        #expect(bench.take() == ["0 \(Self.line)"] + (isWaitedFor ? ["300 \(Self.line)"] : []))
    }

    @Test("For a minute after a pause, the client sends one request at a time", arguments: [(59.9, 1), (60.0, 2)])
    func oneByOne(seconds: Double, count: Int) {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(429, Self.refusal, [.retryAfter: "5"])
        bench.wait(5)
        bench.answer(200, ["goals": []])
        bench.wait(seconds)
        _ = bench.take()
        for text in ["2 eggs", "3 eggs"] { bench.perform(.logMeal(text: text, type: .lunch)) }
        #expect(bench.take().count == count)
    }
}
