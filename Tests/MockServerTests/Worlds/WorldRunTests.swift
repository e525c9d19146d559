import JSON
import Scenarios
import TestSupport
import Testing

@testable import Judging
@testable import MockServer

@Suite("Worlds in another world's run")
struct WorldRunTests {
    private static let badPath = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"

    /// A run, with a client that creates worlds below the run's prefix.
    private struct Run {
        let network = VirtualNetwork()
        let id: String

        init() throws { id = try network.engine.makeWorld(Scenario(), at: network.now).id }

        func world(_ json: String = "{}", below id: String? = nil) throws -> (client: WorldClient, json: JSONValue) {
            let request = Request(method: .post, target: "/w/\(id ?? self.id)/__admin/worlds").json(json)
            let response = try network.exchange(request)
            try #require(response.status == 201, "\(response.text)")
            return (try WorldClient(network, response), try #require(response.json))
        }

        var judgements: [RunJudgement] { network.engine.runJudgements(ofWorld: id, at: network.now) }
    }

    private func broken(_ judgement: RunJudgement) throws -> Verdict {
        try #require(judgement.judgement.verdicts.first { $0.obligation.id == "ids/lowercase" })
    }

    @Test("A run judges its worlds from the start and keeps verdicts after their deletion")
    func judged() throws {
        let run = try Run()
        #expect(run.judgements.isEmpty)
        let (one, json) = try run.world(#"{"scenario":"conflict","label":"ChatTests"}"#)
        #expect(json["belongs_to"]?.string == run.id)
        #expect(run.network.engine.worlds[ExactString(one.id)]?.judge != nil)
        _ = try one.exchange(.get, Self.badPath)
        #expect(run.judgements.map(\.scenario) == ["conflict"])
        let before = try broken(run.judgements[0])
        #expect(before.outcome == .broken && before.findings[0].message.hasSuffix(" (ChatTests)"))
        #expect(try run.network.admin(.delete, "worlds/\(one.id)").status == 204)
        #expect(try broken(run.judgements[0]).findings.map(\.message) == before.findings.map(\.message))

        let (two, _) = try run.world(#"{"scenario":"conflict"}"#)
        run.network.advance(by: .seconds(3))
        _ = try two.exchange(.get, Self.badPath)
        _ = try run.world(#"{"scenario":"conflict","guide":"consultation-websocket"}"#)
        let judgements = run.judgements
        #expect(judgements.map(\.worldCount) == [2, 1] && judgements.map(\.mode) == [.union, .consultationWebSocket])
        let both = try broken(judgements[0])
        #expect(both.findingCount == 2 && both.exercisedCount == 2 && judgements[0].judgement.hasConnected)
        #expect(!judgements[1].judgement.hasConnected)
    }

    @Test("The verdicts of a run's first world include the verdicts of its other worlds")
    func verdicts() throws {
        let run = try Run()
        let path = "worlds/\(run.id)/verdicts"
        #expect(try run.network.admin(.get, path).json?["worlds"] == nil)
        let (one, _) = try run.world(#"{"scenario":"conflict"}"#)
        _ = try one.exchange(.get, Self.badPath)
        #expect(try run.network.admin(.delete, "worlds/\(one.id)").status == 204)
        _ = try run.world(#"{"scenario":"conflict"}"#)
        let answer = try #require(try run.network.admin(.get, path + "?verdict=broken&evidence=lines").json)
        #expect(answer["verdicts"] == [] && answer["has_connected"] == false)
        let made = try #require(answer["worlds"]?.array?.first)
        #expect(made["scenario"] == "conflict" && made["guide"] == "union" && made["world_count"] == 2)
        #expect(made["has_connected"] == true && made["started_at"]?.string?.hasPrefix("2025-") == true)
        let verdict = made["verdicts"]?[0]
        #expect(made["verdicts"]?.array?.count == 1 && verdict?["id"] == "ids/lowercase")
        #expect(verdict?["findings"]?[0]?["evidence"]?[0]?.string?.contains(Self.badPath) == true, "\(made)")
    }

    @Test("A run shifts evidence from worlds with different start times to the first world's time")
    func times() throws {
        let run = try Run()
        let (one, _) = try run.world(#"{"clock":{"manual":"2025-01-29T10:30:00Z"}}"#)
        let (two, _) = try run.world(#"{"clock":{"manual":"2030-01-29T10:30:00Z"}}"#)
        for world in [one, two] {
            try world.advance("2s")
            _ = try world.exchange(.get, Self.badPath)
        }
        let judgement = try #require(run.judgements.first)
        let times = try broken(judgement).findings.compactMap(\.evidence.first?.time)
        #expect(times.map { $0.nanoseconds(since: judgement.startedAt) } == [2_000_000_000, 2_000_000_000])
    }

    @Test("A run includes the worlds that its worlds create, and deletes them at its end")
    func ends() throws {
        let run = try Run()
        let (one, _) = try run.world()
        #expect(try run.world(below: one.id).json["belongs_to"]?.string == run.id)
        #expect(try one.ask(.post, "fork").json?["belongs_to"]?.string == run.id)
        let free = try run.network.world()
        #expect(run.judgements.map(\.worldCount) == [3])
        run.network.engine.deleteWorld(run.id, at: run.network.now)
        #expect(run.network.engine.inspectedWorlds == [free.id] && run.judgements.isEmpty)
    }

    @Test("Beyond the scenario limit, worlds count under their guide's last scenario")
    func limit() throws {
        let run = try Run()
        for number in 0...WorldRun.mostScenarios {
            let (world, _) = try run.world("{\"scenario\":{\"name\":\"s\(number)\"}}")
            #expect(try run.network.admin(.delete, "worlds/\(world.id)").status == 204)
        }
        #expect(run.judgements.count == WorldRun.mostScenarios && run.judgements.last?.worldCount == 2)
    }

    @Test("Summed verdicts keep a broken must among their findings")
    func kept() throws {
        let obligation = try #require(Judge.obligations.first { $0.level == .must })
        func verdict(_ levels: [Obligation.Level]) -> Verdict {
            Verdict(
                obligation: obligation, outcome: .broken, exercisedCount: levels.count,
                findings: levels.map { Finding(level: $0, message: "", evidence: []) }, findingCount: levels.count)
        }
        var sum = verdict(Array(repeating: .should, count: Findings.keptCount))
        sum.add(verdict([.must]))
        #expect(sum.findings.map(\.level) == [.should, .should, .should, .should, .must] && sum.findingCount == 6)
    }
}
