import FitIQAPI
import Foundation
import JSON
import Scenarios
import Sockets
import Synchronization
import Testing

@testable import FakeBackend
@testable import MockServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs a test that must report, at the test itself, an issue that contains the given strings; later traits run inside
/// this trait.
struct FoundOutTrait: TestTrait, TestScoping {
    let texts: [String]
    /// Whether the issue must fail the test.
    let fails: Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withKnownIssue {
            try await function()
        } matching: { issue in
            issue.comments.contains { says($0.rawValue) } && issue.sourceLocation == test.sourceLocation
                && (!fails || Self.isFailure(issue))
        }
    }

    /// Whether a comment contains all of the strings and no zero counts.
    private func says(_ comment: String) -> Bool {
        texts.allSatisfy { comment.contains($0) } && !comment.contains("And 0 more")
    }

    private static func isFailure(_ issue: Issue) -> Bool {
        #if compiler(>=6.3)
            return issue.severity == .error
        #else
            // Earlier versions have no issue severities, so every issue fails its test.
            return true
        #endif
    }
}

extension Trait where Self == FoundOutTrait {
    static func foundOut(_ texts: String..., fails: Bool = false) -> FoundOutTrait {
        FoundOutTrait(texts: texts, fails: fails)
    }
}

/// A minimal client.
private struct Client {
    let backend: FakeBackend
    /// A fault that delays one test must not occupy other tests' connections: a session has six by default.
    private static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1000
        return URLSession(configuration: configuration)
    }()

    init() throws { backend = try FakeBackend.current }

    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> (status: Int, json: JSONValue?) {
        var request = URLRequest(url: try #require(URL(string: backend.url + path)))
        request.httpMethod = method
        request.setValue("Bearer \(backend.token)", forHTTPHeaderField: "Authorization")
        request.setValue(backend.apiKey, forHTTPHeaderField: "X-API-Key")
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await Self.session.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, try? JSON.parse(Array(data)))
    }
}

extension FakeBackendTrait {
    /// Two schedules, with enough time for a slow machine.
    fileprivate func exploringTwice() -> FakeBackendTrait {
        exploring(runs: 2, budget: .seconds(900), runLimit: .seconds(120))
    }
}

/// The statuses of this many requests for a list of goals.
func statuses(of count: Int) async throws -> [Int] {
    let client = try Client()
    var statuses: [Int] = []
    for _ in 0..<count { statuses.append(try await client.ask("GET", "/api/v1/goals").status) }
    return statuses
}

@Suite("A fake backend for each test")
struct FakeBackendTests {
    private static let upperCase = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"
    private static let seen = Mutex<Set<String>>([])

    // URLSession repeats lost requests immediately, which exploring also finds.
    @Test(
        "Exploring finds the fault that breaks a test and reports how often the test failed",
        .foundOut("the first GET /api/v1/goals: the command ended", "of 3 runs; seed 1, "),
        .fakeBackend(clock: .manual).exploringTwice().allowing("retry/backoff-on-5xx"))
    func explored() async throws {
        let client = try Client()
        #expect(try await client.ask("GET", "/api/v1/goals").status == 200)
    }

    @Test(
        "Exploring reports no findings for a test that expects faults",
        .fakeBackend(clock: .manual).exploringTwice().allowing("retry/backoff-on-5xx"))
    func exploredInVain() async throws {
        let client = try Client()
        _ = try? await client.ask("GET", "/api/v1/goals")
    }

    @Test(
        "A finding is a scenario that contains the test's world", .foundOut("\nguide: goal-linking\nclock: {"),
        .fakeBackend("conflict", guide: .goalLinking, clock: .manual).exploringTwice()
            .allowing("retry/backoff-on-5xx"))
    func exploredWorld() async throws { #expect(try await Client().ask("GET", "/api/v1/goals").status == 200) }

    @Test(
        "A finding in a world written in Swift has no scenario file",
        .foundOut("in Swift, not in a file. With these lines added, the test fails"),
        .fakeBackend(scenario: Scenario(name: "mine"), clock: .manual).exploringTwice()
            .allowing("retry/backoff-on-5xx"))
    func exploredInSwift() async throws { #expect(try await Client().ask("GET", "/api/v1/goals").status == 200) }

    @Test(
        "Exploring a test that sends no requests reports an issue",
        .foundOut("sent nothing to FakeBackend.current", fails: true),
        .fakeBackend().exploring(runs: 1))
    func exploredInSilence() {}

    @Test(
        "A test can be explored with 1 to 10,000,000 schedules",
        .foundOut("exploring(runs: 0) is out of range", fails: true),
        .fakeBackend().exploring(runs: 0))
    func exploresNothing() {}

    @Test("The server answers requests to the test's world", .fakeBackend())
    func answers() async throws {
        let client = try Client()
        #expect(try await client.ask("GET", "/api/v1/consultations").status == 200)
        let backend = client.backend
        #expect(backend.webSocketURL == "ws" + backend.url.dropFirst(4) && backend.guide == .union)
        #expect(backend.token != backend.freshToken)
        #expect(try await backend.journal().count == 1)
        #expect(try await backend.judgement().hasConnected)
    }

    @Test("Each case of a parameterized test has its own world", .fakeBackend("empty-account"), arguments: 0..<4)
    func cases(_ number: Int) async throws {
        let client = try Client()
        #expect(Self.seen.withLock { $0.insert(client.backend.url).inserted })
        let goal = #"{"title":"Run","description":"d","targetDate":"2030-01-01T00:00:00Z"}"#
        #expect(try await client.ask("POST", "/api/v1/goals", goal).status == 201)
        #expect(try await client.ask("GET", "/api/v1/goals").json?["totalCount"] == 1)
    }

    @Test(
        "A test can set its scenario, guide and clock",
        .fakeBackend(
            scenario: Scenario(name: "mine", tokenLifetime: 25_000_000_000), guide: .goalLinking, clock: .manual))
    func written() async throws {
        let client = try Client()
        let backend = client.backend
        #expect(backend.guide == .goalLinking)
        let start = try await backend.time()
        try await backend.advance(by: .seconds(26))
        #expect(try await backend.time() == start.advanced(byNanoseconds: 26_000_000_000))
        // The journal shows why the token expired.
        #expect(try await backend.journal().contains { $0.contains(#""advanced_by_ns":26000000000"#) })
        #expect(try await client.ask("GET", "/api/v1/goals").status == 401)
    }

    @Test("A test cannot advance a clock that follows the system clock", .fakeBackend())
    func realClock() async throws {
        let backend = try FakeBackend.current
        await #expect(throws: FakeBackend.Refusal.realClock) { try await backend.advance(by: .seconds(1)) }
    }

    @Test("A test can enable and disable faults by name", .fakeBackend("flaky-500"))
    func faults() async throws {
        let client = try Client()
        await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.setFault("nothing", isEnabled: false)
        }
        let rules = try #require(Scenario.builtIn(named: "flaky-500")).faults.map(\.name.text)
        for rule in rules { try await client.backend.setFault(rule, isEnabled: false) }
        for _ in 0..<10 { #expect(try await client.ask("GET", "/api/v1/goals").status == 200) }
    }

    @Test(
        "A test can add faults in the notation of scenarios",
        .fakeBackend().allowing("retry/backoff-on-5xx"))
    func added() async throws {
        let client = try Client()
        let name = try await client.backend.add(fault: "{on: GET /api/v1/goals, status: 503}")
        #expect(try await client.ask("GET", "/api/v1/goals").status == 503)
        try await client.backend.setFault(name, isEnabled: false)
        #expect(try await client.ask("GET", "/api/v1/goals").status == 200)
        try await client.backend.add(fault: "name: mine\non: GET /api/v1/goals\nstatus: 500\n")
        #expect(try await client.ask("GET", "/api/v1/goals").status == 500)
        let taken = await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.add(fault: "{name: mine, on: any, hang: true}")
        }
        #expect(taken?.description.contains("mine") == true)
        let wrong = await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.add(fault: "{on: any, statsu: 500}")
        }
        #expect(wrong?.description.contains("Did you mean 'status'?") == true, "\(wrong?.description ?? "")")
    }

    @Test("A test can read the requests so far and wait for a later request", .fakeBackend())
    func requests() async throws {
        let client = try Client()
        #expect(try await client.backend.requests().isEmpty)
        async let event = client.backend.wait(
            for: .request("POST /api/v1/goals", status: 201).where("data.title", "Run"))
        let goal = #"{"title":"Run","description":"d","targetDate":"2030-01-01T00:00:00Z"}"#
        #expect(try await client.ask("POST", "/api/v1/goals", goal).status == 201)
        let created = try await event
        #expect(created.line.hasPrefix("#1 +") && created.number == 1 && created.json.contains(#""number":1"#))
        let request = try #require(try await client.backend.requests().first)
        #expect(request.method == "POST" && request.target == "/api/v1/goals" && request.status == 201)
        #expect(request.body == goal && request.answer.contains(#""title":"Run""#) && request.number == 1)
        let missing = await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.wait(for: .request("POST /goals"), after: 1, within: .milliseconds(20))
        }
        #expect(missing?.description.hasPrefix("The test waited for POST /goals, which did not happen within") == true)
        let near = await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.wait(for: .request("POST /goals", status: 409), within: .milliseconds(20))
        }
        #expect(near?.description.contains("status is 201, not 409") == true, "\(near?.description ?? "")")
    }

    @Test(
        "The clock advances exactly to the moment when an event happens",
        .timeLimit(.minutes(2)),
        .fakeBackend(yaml: "name: slow\nclock: manual\nfaults:\n  - {on: GET /api/v1/goals, delay: 4s}\n"))
    func movesUntil() async throws {
        let client = try Client()
        let start = try await client.backend.time()
        await #expect(throws: FakeBackend.Refusal.self) {
            try await client.backend.advance(until: .socketOpens, within: .seconds(2))
        }
        #expect(try await client.backend.time() == start.advanced(byNanoseconds: 2_000_000_000))
        async let status = client.ask("GET", "/api/v1/goals").status
        while try await !isAsked(client.backend) { await Task.yield() }
        let event = try await client.backend.advance(until: .request("GET /api/v1/goals"))
        #expect(event.time >= start.advanced(byNanoseconds: 6_000_000_000))
        #expect(try await client.backend.time() == start.advanced(byNanoseconds: 6_000_000_000))
        #expect(try await status == 200)
    }

    /// Whether a request is waiting for the clock.
    private func isAsked(_ backend: FakeBackend) async throws -> Bool {
        try await backend.server.perform { engine, _ in engine.nextStep(ofWorld: backend.access.id) != nil }
    }

    @Test("A test cannot wait for an event on a clock that follows the system clock", .fakeBackend())
    func realClockUntil() async throws {
        let backend = try FakeBackend.current
        await #expect(throws: FakeBackend.Refusal.realClock) { try await backend.advance(until: .socketEnds) }
    }

    @Test("An error in an inline scenario fails the test")
    func badScenario() async throws {
        let trait = FakeBackendTrait.fakeBackend(yaml: "name: mine\nfaulst: []\n")
        let test = try #require(Test.current)
        let error = await #expect(throws: ScenarioErrors.self) {
            try await trait.provideScope(for: test, testCase: nil) {}
        }
        #expect(error?.description.contains("Did you mean 'faults'?") == true)
    }

    @Test(
        "Exploring a test with an inline scenario reports the scenario's text", .foundOut("\nclock: manual\nfaults:\n"),
        .fakeBackend(yaml: "name: mine\nclock: manual\n").exploringTwice().allowing("retry/backoff-on-5xx"))
    func exploredText() async throws { #expect(try await Client().ask("GET", "/api/v1/goals").status == 200) }

    @Test("Exploring reports neither issues nor known issues from its runs")
    func silent() async throws {
        let test = try #require(Test.current)
        let told = Mutex(0)
        let trait = FakeBackendTrait.fakeBackend(clock: .manual).exploringTwice().allowing("retry/backoff-on-5xx")
        let counting: IssueHandlingTrait = .compactMapIssues { _ in
            told.withLock { $0 += 1 }
            return nil
        }
        try await counting.provideScope(for: test, testCase: nil) {
            try await trait.provideScope(for: test, testCase: nil) {
                let status = try await Client().ask("GET", "/api/v1/goals").status
                #expect(status == 200)
            }
        }
        // Expect one issue for the finding.
        #expect(told.withLock { $0 } == 1)
    }

    @Test(
        "A test's known issue does not fail an explored run",
        .fakeBackend(clock: .manual).exploringTwice().allowing("retry/backoff-on-5xx"))
    func known() async throws {
        await withKnownIssue(isIntermittent: true) {
            let status = try await Client().ask("GET", "/api/v1/goals").status
            #expect(status == 200)
        }
    }

    @Test(
        "An explored run takes at most its time limit",
        .fakeBackend().exploring(runs: 1, runLimit: .milliseconds(200)).allowing("explore/hang"))
    func limited() async throws {
        let begin = ContinuousClock.now
        _ = try? await Client().ask("GET", "/api/v1/goals")
        // Wait for an event that never happens.
        let (silence, end) = AsyncStream<Never>.makeStream()
        for await _ in silence {}
        end.finish()
        #expect(ContinuousClock.now - begin < .seconds(30))
    }

    @Test(
        "A test that takes longer than its budget without faults reports an issue",
        .foundOut("used up exploring(budget: 1.0 seconds), so no fault was tried", fails: true),
        .fakeBackend().exploring(runs: 1, budget: .seconds(1)))
    func slow() async throws {
        _ = try? await Client().ask("GET", "/api/v1/goals")
        // Wait for an event that never happens.
        let (silence, end) = AsyncStream<Never>.makeStream()
        for await _ in silence {}
        end.finish()
    }

    @Test("A time limit must be at least 100 ms and at most one hour")
    func runLimit() async throws {
        let test = try #require(Test.current)
        for limit in [Duration.milliseconds(99), .seconds(3601)] {
            let told = Mutex(false)
            let counting: IssueHandlingTrait = .compactMapIssues { issue in
                let isMeant = issue.comments.contains { $0.rawValue.contains("exploring(runLimit:") }
                told.withLock { $0 = isMeant && issue.severity == .error }
                return nil
            }
            try await counting.provideScope(for: test, testCase: nil) {
                try await FakeBackendTrait.fakeBackend().exploring(runs: 1, runLimit: limit)
                    .provideScope(for: test, testCase: nil) {}
            }
            #expect(told.withLock { $0 })
        }
    }

    @Test("An exploration's progress fits on one line")
    func progress() {
        let begin = MonotonicInstant.now()
        let progress = ExploringProgress("a test", since: begin, budget: .seconds(60))
        #expect(progress.line(at: begin) == "Exploring a test: 0 runs, 0 found, 0 s of 60 s")
        progress.note(runs: 34, found: 2)
        #expect(
            progress.line(at: begin.advanced(by: .seconds(10))) == "Exploring a test: 34 runs, 2 found, 10 s of 60 s")
    }

    @Test(
        "A broken must becomes a test issue with evidence and advice",
        .foundOut("ABCDEF00-0000", "use uuidString.lowercased()", fails: true),
        .fakeBackend(guide: .consultationWebSocket))
    func broken() async throws {
        try await Client().ask("GET", Self.upperCase)
    }

    @Test(
        "The evidence is formatted like report lines, with times since the start of the test",
        .foundOut("\n    #1 +0.000 s  → GET /w/"), .fakeBackend(guide: .consultationWebSocket, clock: .manual))
    func evidence() async throws {
        try await Client().ask("GET", Self.upperCase)
    }

    @Test(
        "A breach that the test allows is not an issue",
        .fakeBackend(guide: .consultationWebSocket).allowing("ids/lowercase"))
    func allowed() async throws {
        let client = try Client()
        try await client.ask("GET", Self.upperCase)
        let verdict = try await client.backend.verdicts().first { $0.obligation.id == "ids/lowercase" }
        #expect(verdict?.outcome == .broken)
    }

    @Test(
        "A test cannot allow an unknown obligation",
        .foundOut("There is no obligation 'ids/lowercas'. Did you mean 'ids/lowercase'?"),
        .fakeBackend().allowing("ids/lowercas"))
    func unknownObligation() {}

    @Test("A scenario name that does not exist fails the test")
    func unknownScenario() async throws {
        let trait = FakeBackendTrait.fakeBackend("drop-mid-steam")
        let test = try #require(Test.current)
        let error = await #expect(throws: FakeBackend.Refusal.self) {
            try await trait.provideScope(for: test, testCase: nil) {}
        }
        #expect(error?.description.contains("drop-mid-stream") == true)
    }

    @Test("Outside a test that has a backend, `FakeBackend.current` throws an error with instructions")
    func none() {
        let error = #expect(throws: FakeBackend.Refusal.self) { try FakeBackend.current }
        #expect(error?.description.contains("@Test(.fakeBackend())") == true)
    }

    @Test("The server keeps an idle world for a day")
    func lasts() async throws {
        let limit = try await FakeBackendTrait.server.get().perform { engine, _ in engine.limits.worldIdleTime }
        #expect(limit == .seconds(86_400))
    }

    @Test("The server deletes the world after the test")
    func end() async throws {
        let url = Mutex("")
        let test = try #require(Test.current)
        try await FakeBackendTrait.fakeBackend().provideScope(for: test, testCase: nil) {
            let client = try Client()
            url.withLock { $0 = client.backend.url }
        }
        let text = url.withLock { $0 }
        let address = try #require(URL(string: text + "/api/v1/goals"))
        let (_, response) = try await URLSession.shared.data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 404)
    }
}

@Suite("A fake backend for each test of a suite", .fakeBackend("limit-reached"))
struct FakeBackendSuiteTests {
    @Test("The suite's scenario applies to its tests", arguments: 1...2)
    func scenario(_ number: Int) async throws {
        let created = try await Client().ask("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
        #expect(created.status == 429)
    }

    @Test("A test's own scenario overrides the suite's", .fakeBackend())
    func own() async throws {
        let created = try await Client().ask("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
        #expect(created.status == 201)
    }
}
