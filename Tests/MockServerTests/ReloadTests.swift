import FitIQBackend
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Reloading a scenario")
struct ReloadTests {
    private func network(_ yaml: String) throws -> VirtualNetwork {
        let scenario = try Scenario.read(yaml)
        return VirtualNetwork { $0.adopt(scenario) }
    }

    private func goalStatus(_ network: VirtualNetwork) throws -> Int { try network.exchange(.goals).status }

    @discardableResult
    private func reload(_ yaml: String, _ network: VirtualNetwork) throws -> Engine.Reloaded {
        let reloaded = try network.engine.reload(try Scenario.read(yaml), at: network.now)
        network.settle()
        return reloaded
    }

    private func answer(_ socket: VirtualSocket, _ network: VirtualNetwork) -> String {
        socket.send(#"{"type":"message","content":"Hello"}"#)
        network.advance(by: .seconds(5))
        return socket.takeFrames().filter { $0["type"] == "stream_chunk" }.compactMap { $0["content"]?.string }.joined()
    }

    @Test("A reload changes answers on open sockets and keeps data and ids")
    func answers() throws {
        let network = try network("{name: a, seed: 5, answers: [{text: Old.}]}")
        let (id, socket) = try network.chat()
        #expect(answer(socket, network) == "Old.")
        #expect(try reload("{name: b, seed: 5, answers: [{text: New.}]}", network) == .entirely)
        #expect(answer(socket, network) == "New." && network.engine.scenario.name == "b")
        // The ids would differ if the seed were different or if ids were issued again.
        #expect(try self.network("{name: a, seed: 5}").consultation() == id)
        let list = try network.exchange(.authorized(.get, "/api/v1/consultations", as: TestUser.anna))
        #expect(list.json?["data"]?["consultations"]?.array?.count == 1)
    }

    @Test("After a reload, meals follow the new scenario's rules")
    func meals() throws {
        let network = try network("{name: a, meals: [{fail: Old.}]}")
        func failure() throws -> String? {
            let created = try network.exchange(.logMeal())
            network.advance(by: .seconds(10))
            let id = try #require(created.json?["data"]?["id"]?.string)
            return try network.exchange(.mealLog(id)).json?["data"]?["error_message"]?.string
        }
        #expect(try failure() == "Old.")
        try reload("{name: a, meals: [{fail: New.}]}", network)
        #expect(try failure() == "New.")
    }

    static let second = "{name: flaky, on: GET /api/v1/goals, requests: 2, status: 503}"

    @Test(
        "A reload keeps the counts of unchanged rules and restarts the counts of changed rules",
        arguments: [
            ("name: a\nfaults: [\(second)]", [503, 200]),
            ("name: b\nseed: 9\nfaults: [{on: any, empty_reply: true, enabled: false}, \(second)]", [503, 200]),
            ("name: a\nfaults: [{name: flaky, on: GET /api/v1/goals, requests: 2, status: 502}]", [200, 502]),
            ("name: a", [200, 200]),
        ])
    func counts(yaml: String, statuses: [Int]) throws {
        let network = try network("name: a\nfaults: [\(Self.second)]")
        #expect(try goalStatus(network) == 200)
        try reload(yaml, network)
        #expect(try (0..<2).map { _ in try goalStatus(network) } == statuses)
    }

    @Test(
        "After a reload, a rule applies to open sockets only if it is unchanged and enabled",
        arguments: [
            ("faults: [{name: hush, on: socket, at: {frame: 2..}, lose: true}]", true),
            ("faults: [{name: hush, on: socket, at: {frame: 2..}, lose: true, enabled: false}]", false),
            ("faults: [{name: hush, on: socket, at: {frame: 2..}, double: true}]", false),
            ("faults: [{name: other, on: socket, at: {frame: 2..}, lose: true}]", false),
            ("faults: []", false),
        ])
    func openSockets(faults: String, isSilent: Bool) throws {
        let network = try network(
            "name: a\nanswers: [{text: Hi.}]\nfaults: [{name: hush, on: socket, at: {frame: 2..}, lose: true}]")
        let socket = try network.socket(on: network.consultation())
        #expect(answer(socket, network) == "")
        try reload("name: a\nanswers: [{text: Hi.}]\n" + faults, network)
        #expect(answer(socket, network) == (isSilent ? "" : "Hi."))
    }

    @Test("A reload that keeps a rule also keeps its live switch")
    func liveSwitch() throws {
        let faults = "faults: [{name: down, on: any, status: 503}]"
        let network = try network("name: a\n" + faults)
        #expect(try goalStatus(network) == 503)
        network.engine.defaultWorld.faults.setEnabled(false, named: ["down"])
        try reload("name: a\nanswers: [{text: Hi.}]\n" + faults, network)
        #expect(try goalStatus(network) == 200)
    }

    @Test("A reload's initial data takes effect at a reset and in new worlds")
    func restAfterReset() throws {
        let network = try network("{name: a, guide: union, seed: 5}")
        let new = """
            {name: b, guide: goal-linking, seed: 6, clock: manual, token_lifetime: 90s, users: [{id: ben, goals: [{title: Run}]}]}
            """
        let token = network.engine.token
        #expect(try reload(new, network) == .restAfterReset)
        #expect(network.engine.token == token)
        let keys = ["guide", "seed", "clock", "goals"]
        let before = try network.admin(.get, "worlds/default").json
        #expect(keys.map { before?[$0] } == ["union", "5", "real", 0] && before?["scenario"] == "b")
        for path in ["worlds", "reset"] {
            let world = try network.admin(.post, path, "{}").json
            #expect(keys.map { world?[$0] } == ["goal-linking", "6", "manual", 1], "\(path)")
        }
        #expect(network.engine.manualTime == VirtualNetwork.start && network.engine.token != token)
    }

    @Test("A reload with inconsistent data changes nothing")
    func badData() throws {
        let network = try network(
            "{name: a, answers: [{text: Old.}], faults: [{name: f, on: any, status: 503, enabled: false}]}")
        let socket = try network.socket(on: network.consultation())
        let error = #expect(throws: PlantError.self) {
            try reload(
                "{name: b, answers: [{text: New.}], users: [{id: ben, goals: [{title: Run, created_at: 1d ago, updated_at: 2d ago}]}]}",
                network)
        }
        #expect(error?.path == "users[0].goals[0].updated_at")
        #expect(answer(socket, network) == "Old.")
        #expect(network.engine.scenario.name == "a" && network.engine.configuration.scenario.name == "a")
        #expect(network.engine.defaultWorld.faults.rules.map(\.rule.name) == ["f"])
    }

    @Test("A state without scripts and faults keeps the old scripts and faults")
    func continuing() throws {
        let scenario = try Scenario.read(
            "{name: a, summary: A., seed: 1, guide: union, clock: manual, answers: [{text: A.}], faults: [{on: any, status: 503}]}"
        )
        let data = try Scenario.read("{name: s, seed: 2, clock: real, users: [{id: ben}]}")
        let result = scenario.continuing(from: data)
        #expect(result.name == "a" && result.summary == "A." && result.guide == .union)
        #expect(result.seed == 2 && result.clock == .real)
        #expect(result.data == data.data && result.script == scenario.script && result.faults == scenario.faults)
        let scripted = try Scenario.read("{name: s, answers: [{text: B.}], faults: [{on: any, status: 500}]}")
        let other = scenario.continuing(from: scripted)
        #expect(other.script == scripted.script && other.faults == scripted.faults && other.data == scripted.data)
        let front = try Scenario.read("{name: a, upstream: 'http://real.example'}")
        let ruled = front.continuing(from: try Scenario.read("{name: s, upstream: {answers: real-else-fake}}"))
        #expect(ruled.upstream?.url?.description == "http://real.example" && ruled.upstream?.answers == .realElseFake)
    }

    @Test("A JSON state may be larger than a hand-written scenario file")
    func largeState() throws {
        let padding = [UInt8](repeating: 0x20, count: ScenarioLimits.fileBytes)
        let json = Array(#"{"name":"a","seed":7"#.utf8) + padding + Array("}".utf8)
        #expect(try Scenario.readState(json, file: "a.json").seed == 7)
        let bad = #expect(throws: ScenarioErrors.self) {
            try Scenario.readState(Array(#"{"name":,"#.utf8) + padding, file: "a.json")
        }
        #expect(bad?.description.hasPrefix("a.json:1:9: ") == true)
        #expect(throws: ScenarioErrors.self) {
            try Scenario.readState(Array("name: a\n".utf8) + padding, file: "a.yaml")
        }
    }

    @Test("A reload keeps the effect of a reset or import that happens while it is prepared", arguments: [false, true])
    func whileWaiting(isImport: Bool) throws {
        func goals(_ title: String) -> String {
            let goals = (0..<500).map { "{title: \(title) \($0)}" }.joined(separator: ", ")
            return "{name: \(title), users: [{goals: [\(goals)]}], answers: [{text: \(title).}]}"
        }
        let network = try network(goals("old"))
        let jobs = HeldJobs(network)
        let (preparation, new, now) = (network.engine.reloadPreparation, try Scenario.read(goals("new")), network.now)
        network.engine.runJob(at: now) {
            Result { () throws(PlantError) in try preparation.prepare(new, at: now) }
        } then: { engine, prepared, now in
            if let prepared = try? prepared.take().get() { _ = engine.adopt(prepared, at: now) }
        }
        let world = try network.plainWorld()
        let state = String(repeating: " ", count: 70_000) + #"{"name":"state","users":[]}"#
        let client = try isImport ? world.send(.put, "state", state) : world.send(.post, "reset")
        #expect(jobs.count == 2)
        try jobs.runAll()
        #expect(try client.response().status == 200)
        let scenario = network.engine.defaultWorld.settings.scenario
        #expect(scenario.script == new.script && scenario.name == (isImport ? "state" : "new"))
        #expect(scenario.data.users.first?.goals.first?.title == (isImport ? nil : "new 0"))
    }

    @Test("A reload treats text in a different normalization form as a change")
    func normalForms() throws {
        func scenario(_ text: String, title: String = "a") -> String {
            "{name: a, users: [{goals: [{title: \(title)}]}], "
                + "faults: [{name: f, on: any, status: 500, body: \(text)}]}"
        }
        let network = try network(scenario("\u{E9}"))
        #expect(try reload(scenario("e\u{301}"), network) == .entirely)
        #expect(try network.exchange(.goals).text.isExactly("e\u{301}"))
        #expect(try reload(scenario("e\u{301}", title: "e\u{301}"), network) == .restAfterReset)
        #expect(try network.admin(.post, "reset", "{}").status == 200)
        #expect(try reload(scenario("e\u{301}", title: "\u{E9}"), network) == .restAfterReset)
        #expect(try reload(scenario("e\u{301}", title: "e\u{301}"), network) == .entirely)
    }
}
