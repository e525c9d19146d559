import FitIQAPI
import Replay
import TestSupport
import Testing

@testable import MockServer

@Suite("Replayed worlds: the admin API")
struct ReplayWorldTests {
    private let network = VirtualNetwork()

    static let take = Take().asked("GET", "/api/v1/goals", answer: "[]").asked("GET", "/api/v1/meal-logs", answer: "{}")

    @Test("A request with a HAR creates a world that replays the HAR under the world's prefix")
    func overTheNetwork() throws {
        let body = #"{"answer":"\#(Take.origin)/api/v1/goals"}"#
        let take = Take().asked("GET", "/api/v1/goals", answer: body)
        let world = try network.world(#"{"scenario":\#(take.json)}"#)
        // Our origin replaces the recorded origin.
        #expect(
            try world.exchange(.get, "/api/v1/goals").text
                == #"{"answer":"http://127.0.0.1:8080/w/\#(world.id)/api/v1/goals"}"#)
        #expect(try network.exchange(.authorized(.get, "/api/v1/goals")).text != body)
        #expect(try world.ask(.get, "verdicts").status == 200)
    }

    @Test("The report lists served, missing and unexpected requests")
    func report() throws {
        let network = try Self.take.network()
        _ = try network.get("/api/v1/goals")
        _ = try network.get("/api/v1/goal")
        for path in ["replay", "worlds/default/replay"] {
            let report = try network.admin(.get, path)
            let json = try #require(report.json)
            #expect(report.status == 200 && json["served"] == 1 && json["recorded"] == 2)
            let counts = ["never_asked", "unexpected"].map { json[$0]?.array?.count }
            #expect(counts == [1, 1], "\(report.text)")
            #expect(json["unexpected"]?[0]?["message"]?.string?.contains("/api/v1/goal") == true)
        }
        #expect(try network.admin(.post, "reset").status == 200)
        let anew = try #require(try network.admin(.get, "replay").json)
        #expect(anew["served"]?.int == 0 && anew["unexpected"]?.array?.isEmpty == true)
    }

    @Test("A world without a session returns 404 for the replay report")
    func noReplay() throws {
        let response = try network.admin(.get, "replay")
        #expect(response.status == 404 && response.message.hasPrefix("This world does not replay a session"))
    }

    @Test("A replaying world exports no state and can import only another session")
    func state() throws {
        let network = try Self.take.network()
        #expect(try network.admin(.get, "state").status == 409)
        let refused = try network.admin(.put, "state", #"{"name":"x"}"#)
        #expect(refused.status == 409 && refused.message.hasPrefix("This world replays a session"))
        #expect(throws: APIError.self) { try network.engine.exportState(at: network.now) }
        let other = Take().asked("GET", "/other", answer: "1")
        #expect(try network.admin(.put, "state", other.json).status == 200)
        #expect(try network.get("/other").text == "1")
        #expect(try network.admin(.post, "reset", #"{"scenario":"default"}"#).status == 200)
        #expect(try network.admin(.get, "state").status == 200)
    }

    @Test("An import can turn a world with scripts into a replaying world")
    func becoming() throws {
        let network = try VirtualNetwork.faulty("{on: any, delay: 1ms}", answers: "[{text: Hi}]", clock: .real)
        #expect(try network.admin(.put, "state", Self.take.json).status == 200)
        let client = try network.sending(Request(target: "/api/v1/goals"))
        // The faults are kept, as with any imported state.
        #expect(client.wire.received.isEmpty)
        network.advance(by: .milliseconds(1))
        #expect(try client.response().text == "[]")
        #expect(try network.admin(.post, "reset").status == 200)
    }

    @Test("The API rejects a path as a session")
    func files() throws {
        let response = try network.admin(.post, "worlds", #"{"scenario":{"name":"x","replay":"a.har"}}"#)
        #expect(response.status == 400 && response.message.contains("\"a.har\" is a file"))
        #expect(try network.admin(.get, "worlds").json?["count"]?.int == 1)
    }

    @Test("The error for an invalid HAR gives the location of the problem")
    func mistakes() throws {
        let body = #"{"scenario":{"name":"x","replay":{"session":{"log":{"entries":[{"request":{}}]}}}}}"#
        let response = try network.admin(.post, "worlds", body)
        #expect(response.status == 400 && response.message.hasPrefix("replay.session cannot be played back:"))
    }

    @Test("A session's size counts against the limit shared by all worlds")
    func storage() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 100_000 }
        let big = Take().asked("GET", "/a", answer: String(repeating: "x", count: 90_000))
        let world = try network.world(#"{"scenario":\#(big.json)}"#)
        #expect(try network.admin(.post, "worlds", #"{"scenario":\#(big.json)}"#).status == 507)
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        _ = try network.world(#"{"scenario":\#(big.json)}"#)
    }

    @Test("A reload keeps the current session until a reset")
    func reload() throws {
        let network = try Self.take.network()
        let new = try Take().asked("GET", "/new", answer: "new").scenario(
            faults: "[{on: any, status: 418, requests: 1}]")
        #expect(try network.engine.reload(new, at: network.now) == .restAfterReset)
        #expect(try network.get("/api/v1/goals").status == 418)
        #expect(try network.get("/api/v1/goals").text == "[]")
        #expect(try network.admin(.post, "reset").status == 200)
        _ = try network.get("/new")
        #expect(try network.get("/new").text == "new")
    }

    @Test("A strict replay passes only if each recorded request arrives once and in order")
    func strict() throws {
        let network = try Self.take.network(ReplaySettings(match: .strict))
        #expect(network.replayOutcome?.failures.isEmpty == false)
        _ = try network.get("/api/v1/goals")
        _ = try network.get("/api/v1/meal-logs")
        #expect(network.replayOutcome?.failures.isEmpty == true)
        #expect(try network.get("/api/v1/goals").status == 404)
        #expect(network.replayOutcome?.failures.isEmpty == false)
    }
}
