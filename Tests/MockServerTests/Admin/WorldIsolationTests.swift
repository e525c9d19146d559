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
        #expect(Set(try Self.worlds().map { try $0.consultation() }).count == 1)
    }

    @Test("A world rejects another world's tokens and keys on any connection")
    func credentials() throws {
        try Self.eachPair { one, other in
            #expect(one.token != other.token && one.apiKey != other.apiKey)
            let client = try one.network.client()
            for (path, token, key, status) in [
                (one, one, one, 200), (other, one, other, 401), (other, other, one, 401), (other, other, other, 200),
                (one, other, one, 401),
            ] {
                let request = Request(
                    target: path.prefix + "/api/v1/goals",
                    fields: [Request.bearer(token.token), "X-API-Key: \(key.apiKey)"])
                #expect(try client.exchange(request).status == status)
            }
        }
    }

    @Test("A world's sockets and goals receive no data from another world")
    func ids() throws {
        let worlds = try Self.worlds()
        let ids = try worlds.map { try $0.consultation() }
        let sockets = try zip(worlds, ids).map { try $0.socket(on: $1) }
        _ = sockets.map { $0.takeTypes() }
        for (index, world) in worlds.enumerated() {
            let goal = WorldClient.goal.replacing("Run", with: "Run \(index)")
            let id = try #require(try world.exchange(.post, "/api/v1/goals", goal).json?["id"]?.string)
            #expect(try world.exchange(.get, "/api/v1/goals/\(id)").json?["title"]?.string == "Run \(index)")
            sockets[index].send(#"{"type":"message","content":"question \#(index)"}"#)
            #expect(sockets[index].takeTypes() == ["message_received"])
            for other in sockets.indices where other != index { #expect(sockets[other].takeTypes().isEmpty) }
        }
        for (index, world) in worlds.enumerated() {
            try world.advance("10s")
            #expect(sockets[index].takeTypes().contains("stream_complete"))
            for other in sockets.indices where other > index { #expect(sockets[other].takeTypes().isEmpty) }
            let messages = try world.exchange(.get, "/api/v1/consultations/\(ids[index])/messages").text
            for other in sockets.indices { #expect(messages.contains("question \(other)") == (other == index)) }
        }
    }

    @Test("A world returns 404 for an id from another world")
    func unknownIDs() throws {
        let network = VirtualNetwork()
        let (one, other) = (try network.world(#"{"seed":1}"#), try network.world(#"{"seed":2}"#))
        for (mine, theirs) in [(one, other), (other, one)] {
            let id = try mine.consultation()
            #expect(
                try [mine, theirs].map { try $0.exchange(.get, "/api/v1/consultations/\(id)").status } == [200, 404])
            #expect(try network.client().exchange(theirs.handshake(on: id)).status == 404)
        }
    }

    @Test("Each world has its own journal, clock and faults")
    func theRest() throws {
        try Self.eachPair { one, other in
            #expect(try one.ask(.post, "faults", #"{"name":"f","on":"any","status":503}"#).status == 201)
            #expect(try other.ask(.get, "faults/f").status == 404)
            #expect(try [one, other].map { try $0.exchange(.get, "/api/v1/goals").status } == [503, 200])
            try one.advance("5s")
            let times = try [one, other].map { try $0.ask(.get, "clock").json?["now"] }
            #expect(times[0] != times[1])
            let statuses = try [one, other].map { try $0.journal().compactMap { $0["response"]?["status"] }.last }
            #expect(statuses == [503, 200])
            #expect(try one.journal().allSatisfy { $0["world"]?.string == (one.prefix.isEmpty ? nil : one.id) })
            // Reset both worlds for the next pair.
            for world in [one, other] { #expect(try world.ask(.post, "reset").status == 200) }
        }
    }

    @Test("The default world's journal records a request for an unknown world as unmatched")
    func unknownWorld() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        #expect(try network.exchange(.authorized(.get, "/w/w9/api/v1/goals")).status == 404 && world.journal().isEmpty)
        let entries = try network.admin(.get, "requests/unmatched").json?["entries"]?.array
        #expect(entries?.count == 1 && entries?[0]["request"]?["target"]?.string == "/w/w9/api/v1/goals")
    }
}
