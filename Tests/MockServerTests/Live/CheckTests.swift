import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Live control: checking scenarios")
struct CheckTests {
    private let network = VirtualNetwork()

    private static func body(_ text: String) -> String { "\(JSONValue.object(["text": .string(text)]))" }

    private static func check(_ network: VirtualNetwork, _ text: String) throws -> JSONValue {
        let answer = try network.admin(.post, "check", body(text))
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.json)
    }

    @Test(
        "The scenario check returns each built-in scenario as JSON that creates a world",
        arguments: Scenario.builtInSummaries.map(\.name))
    func builtIn(_ name: String) throws {
        let scenario = try #require(Scenario.builtIn(named: name))
        let text = try #require(try? textOfPackage("Fixtures/scenarios/\(name).yaml"))
        let answer = try Self.check(network, text)
        #expect(answer["ok"] == true && answer["name"]?.string == name && answer["mistakes"] == [])
        let json = try #require(answer["scenario"])
        #expect(try Scenario.read(json: json).isExactly(scenario))
        #expect(try Self.check(network, "\(json)") == answer, "the check also accepts JSON")
        #expect(try network.admin(.post, "reset", "{\"scenario\":\(json)}").status == 200)
    }

    @Test("The scenario check reports each error with its location")
    func mistakes() throws {
        let answer = try Self.check(network, "name: mine\nseed: many\nfaults:\n  - {on: any, status: 99}\n")
        #expect(answer["ok"] == false && answer["scenario"] == nil && answer["omitted"] == 0)
        let mistakes = try #require(answer["mistakes"]?.array)
        #expect(mistakes.map { $0["line"] } == [2, 4] && mistakes.map { $0["path"] } == ["seed", "faults[0].status"])
        #expect(mistakes[0]["column"] == 7 && mistakes[0]["message"]?.string?.hasPrefix("seed ") == true)
        let syntax = try Self.check(network, "a: [")
        #expect(syntax["ok"] == false && syntax["mistakes"]?.array?.count == 1)
        let limit = ScenarioLimits.mistakes
        let many = try Self.check(network, "faults:\n" + String(repeating: "  - {}\n", count: limit + 5))
        #expect(many["mistakes"]?.array?.count == limit && many["omitted"]?.int ?? 0 >= 5)
    }

    @Test("A job checks long text", arguments: [true, false])
    func job(_ isRight: Bool) throws {
        let jobs = HeldJobs(network)
        let client = try network.client()
        let text = "name: mine\n" + (isRight ? "" : "sed: 1\n") + String(repeating: "# comment\n", count: 10_000)
        let request = Request(method: .post, target: "/__admin/check").json(Self.body(text))
        client.wire.send(request.bytes)
        #expect(jobs.count == 1 && client.wire.received.isEmpty)
        try jobs.runAll()
        #expect(try client.response(to: request).json?["ok"] == .bool(isRight))
    }

    @Test("The scenario check accepts only a string", arguments: ["{}", #"{"text":1}"#, #"{"texts":""}"#, "[]"])
    func refused(_ body: String) throws { #expect(try VirtualNetwork().admin(.post, "check", body).status == 400) }
}
