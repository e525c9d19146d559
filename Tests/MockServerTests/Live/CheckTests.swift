import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Live control: checking scenarios")
struct CheckTests {
    private static func check(_ network: VirtualNetwork, _ text: String) throws -> JSONValue {
        let body = JSONValue.object(["text": .string(text)]).encoded()
        let answer = try network.admin(.post, "check", String(decoding: body, as: UTF8.self))
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.json)
    }

    @Test(
        "The scenario check returns each built-in scenario as JSON that creates a world",
        arguments: Scenario.builtInSummaries.map(\.name))
    func builtIn(_ name: String) throws {
        let network = VirtualNetwork()
        let scenario = try #require(Scenario.builtIn(named: name))
        let text = try #require(try? textOfPackage("Fixtures/scenarios/\(name).yaml"))
        let answer = try Self.check(network, text)
        #expect(answer["ok"] == true && answer["name"]?.string == name && answer["mistakes"] == [])
        let json = try #require(answer["scenario"])
        #expect(try Scenario.read(json: json).isExactly(scenario))
        // The check also accepts JSON.
        let again = try Self.check(network, String(decoding: json.encoded(), as: UTF8.self))
        #expect(again == answer)
        let body = JSONValue.object(["scenario": json]).encoded()
        #expect(try network.admin(.post, "reset", String(decoding: body, as: UTF8.self)).status == 200)
    }

    @Test("The scenario check reports each error with its location")
    func mistakes() throws {
        let network = VirtualNetwork()
        let answer = try Self.check(network, "name: mine\nseed: many\nfaults:\n  - {on: any, status: 99}\n")
        #expect(answer["ok"] == false && answer["scenario"] == nil && answer["omitted"] == 0)
        let mistakes = try #require(answer["mistakes"]?.array)
        #expect(mistakes.map { $0["line"] } == [2, 4] && mistakes.map { $0["path"] } == ["seed", "faults[0].status"])
        #expect(mistakes[0]["column"] == 7 && mistakes[0]["message"]?.string?.hasPrefix("seed ") == true)
        let syntax = try Self.check(network, "a: [")
        #expect(syntax["ok"] == false && syntax["mistakes"]?.array?.count == 1)
        let many = try Self.check(
            network, "faults:\n" + String(repeating: "  - {}\n", count: ScenarioLimits.mistakes + 5))
        #expect(many["mistakes"]?.array?.count == ScenarioLimits.mistakes)
        #expect(try #require(many["omitted"]?.int) >= 5)
    }

    @Test("A job checks long text", arguments: [true, false])
    func job(_ isRight: Bool) throws {
        let network = VirtualNetwork()
        let jobs = HeldJobs(network)
        let client = try network.client()
        let text = "name: mine\n" + (isRight ? "" : "sed: 1\n") + String(repeating: "# comment\n", count: 10_000)
        let body = JSONValue.object(["text": .string(text)]).encoded()
        let request = Request(method: .post, target: "/__admin/check").json(String(decoding: body, as: UTF8.self))
        client.wire.send(request.bytes)
        #expect(jobs.count == 1 && client.wire.received.isEmpty)
        try jobs.runAll()
        #expect(try client.response(to: request).json?["ok"] == .bool(isRight))
    }

    @Test("The scenario check accepts only a string", arguments: ["{}", #"{"text":1}"#, #"{"texts":""}"#, "[]"])
    func refused(_ body: String) throws { #expect(try VirtualNetwork().admin(.post, "check", body).status == 400) }
}
