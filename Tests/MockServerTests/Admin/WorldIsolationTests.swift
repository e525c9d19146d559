import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: isolation of worlds") struct WorldIsolationTests {
    /// Three worlds that differ as little as possible.
    private static func worlds() throws -> [WorldClient] {
        let network = VirtualNetwork.manual()
        return [try network.plainWorld(), try network.world(#"{"seed":1}"#), try network.world(#"{"seed":1}"#)]
    }

    /// Calls the body with each ordered pair of different worlds.
    private static func eachPair(_ body: (WorldClient, WorldClient) throws -> Void) throws {
        let worlds = try worlds()
        for one in worlds { for other in worlds where one.id != other.id { try body(one, other) } }
    }

    @Test("Two worlds with the same seed issue the same ids")
    func sameIDs() throws {
        let ids = try Self.worlds().map { try $0.consultation() }
        #expect(Set(ids).count == 1)
    }

    @Test("A world rejects another world's tokens and keys on any connection")
    func credentials() throws {
        try Self.eachPair { one, other in
            #expect(one.token != other.token && one.apiKey != other.apiKey)
            func request(_ path: WorldClient, _ token: String, _ key: String) -> Request {
                Request(
                    target: path.prefix + "/api/v1/goals", fields: [Request.bearer(token), "X-API-Key: \(key)"])
            }
            let client = try one.network.client()
            #expect(try client.exchange(request(one, one.token, one.apiKey)).status == 200)
            #expect(try client.exchange(request(other, one.token, other.apiKey)).status == 401)
            #expect(try client.exchange(request(other, other.token, one.apiKey)).status == 401)
            #expect(try client.exchange(request(other, other.token, other.apiKey)).status == 200)
            #expect(try client.exchange(request(one, other.token, one.apiKey)).status == 401)
        }
    }

    @Test("A world's sockets and goals receive no data from another world")
    func ids() throws {
        let worlds = try Self.worlds()
        let ids = try worlds.map { try $0.consultation() }
        let sockets = try zip(worlds, ids).map { try $0.socket(on: $1) }
        _ = sockets.map { $0.takeTypes() }
        for (index, world) in worlds.enumerated() {
            let goal = try world.exchange(
                .post, "/api/v1/goals", WorldClient.goal.replacing("Run", with: "Run \(index)")
            ).json?["id"]?.string
            let title = try world.exchange(.get, "/api/v1/goals/\(try #require(goal))").json?["title"]?.string
            #expect(title == "Run \(index)")
            sockets[index].send(#"{"type":"message","content":"question \#(index)"}"#)
            #expect(sockets[index].takeTypes() == ["message_received"])
            for other in sockets.indices where other != index { #expect(sockets[other].takeTypes().isEmpty) }
        }
        for (index, world) in worlds.enumerated() {
            try world.advance("10s")
            #expect(sockets[index].takeTypes().contains("stream_complete"))
            for other in sockets.indices where other > index { #expect(sockets[other].takeTypes().isEmpty) }
            let messages = try world.exchange(.get, "/api/v1/consultations/\(ids[index])/messages").text
            #expect(messages.contains("question \(index)"))
            for other in sockets.indices where other != index { #expect(!messages.contains("question \(other)")) }
        }
    }

    @Test("A world returns 404 for an id from another world")
    func unknownIDs() throws {
        let network = VirtualNetwork()
        let (one, other) = (try network.world(#"{"seed":1}"#), try network.world(#"{"seed":2}"#))
        for (mine, theirs) in [(one, other), (other, one)] {
            let id = try mine.consultation()
            #expect(try theirs.exchange(.get, "/api/v1/consultations/\(id)").status == 404)
            #expect(try network.client().exchange(theirs.handshake(on: id)).status == 404)
            #expect(try mine.exchange(.get, "/api/v1/consultations/\(id)").status == 200)
        }
    }

    @Test("Each world has its own journal, clock and faults")
    func theRest() throws {
        try Self.eachPair { one, other in
            #expect(try one.ask(.post, "faults", #"{"name":"f","on":"any","status":503}"#).status == 201)
            #expect(try other.ask(.get, "faults/f").status == 404)
            #expect(try one.exchange(.get, "/api/v1/goals").status == 503)
            #expect(try other.exchange(.get, "/api/v1/goals").status == 200)
            try one.advance("5s")
            let theirs = try other.ask(.get, "clock").json?["now"]?.string
            #expect(theirs != (try one.ask(.get, "clock").json?["now"]?.string))
            let statuses = try [one, other].map { world in
                try world.journal().map { ($0["response"]?["status"]?.int ?? 0) }.filter { $0 != 0 }
            }
            #expect(statuses[0].suffix(1) == [503] && statuses[1].suffix(1) == [200])
            #expect(try one.journal().allSatisfy { $0["world"]?.string == (one.prefix.isEmpty ? nil : one.id) })
            // Reset both worlds for the next pair.
            for world in [one, other] { #expect(try world.ask(.post, "reset").status == 200) }
        }
    }

    @Test("The default world's journal records a request for an unknown world as unmatched")
    func unknownWorld() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        #expect(try network.exchange(.authorized(.get, "/w/w9/api/v1/goals")).status == 404)
        #expect(try world.journal().isEmpty)
        let entries = try network.admin(.get, "requests/unmatched").json?["entries"]?.array
        #expect(entries?.count == 1 && entries?[0]["request"]?["target"]?.string == "/w/w9/api/v1/goals")
    }
}
