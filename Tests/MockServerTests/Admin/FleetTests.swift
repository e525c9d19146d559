import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

@Suite("A node in a fleet") struct FleetTests {
    private static func node(
        _ name: String = "n2", _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) -> VirtualNetwork {
        VirtualNetwork { configuration in
            configuration.node = NodeName(name)
            configuration.hasDefaultWorld = false
            configure(&configuration)
        }
    }

    private static func get(_ network: VirtualNetwork, _ path: String) throws -> Response {
        try network.exchange(Request(method: .get, target: path, fields: ["X-Admin-Token: none"]))
    }

    @Test(
        "A node's name must be a valid host name label",
        arguments: [
            ("n2", true), ("fake-0", true), ("a", true), (String(repeating: "a", count: 63), true), ("", false),
            ("2n", false), ("N2", false), ("n_2", false), ("n2-", false), ("-n", false), ("n.2", false), ("né", false),
            (String(repeating: "a", count: 64), false),
        ])
    func names(_ text: String, _ isName: Bool) {
        #expect((NodeName(text) != nil) == isName)
        #expect((WorldID(text + "-w1")?.node?.text == text) == isName)
    }

    @Test("The world id parser accepts only the canonical spelling")
    func ids() {
        for text in ["w1", "n2-w17", "a-w1-w2", "w-w3", "fake-0-w9223372036854775807"] {
            #expect(WorldID(text)?.text == text)
        }
        #expect(WorldID("a-w1-w2")?.node?.text == "a-w1" && WorldID("w17")?.node == nil)
        let invalid = [
            "", "w", "w0", "w01", "w+1", "w-1", "1", "W1", "n2w1", "-w1", "n2-w", "n2-w1/", "n2-w9223372036854775808",
        ]
        #expect(invalid.filter { WorldID($0) != nil } == [])
    }

    @Test("World ids contain the node's name and start time, so they are unique")
    func made() throws {
        let network = Self.node { $0.publicOrigin = "https://fake.example" }
        let first = 1_738_146_600_001
        for number in [first, first + 1] {
            let world = try network.admin(.post, "worlds", "{}")
            #expect(world.json?["id"]?.string == "n2-w\(number)")
            #expect(world.json?["api_key"]?.string?.hasSuffix("-n2-w\(number)") ?? false)
        }
        let fork = try network.admin(.post, "worlds/n2-w\(first)/fork", "{}")
        #expect(fork.json?["id"]?.string == "n2-w\(first + 2)")
        #expect(try network.admin(.get, "metrics").text.contains("worlds_made_total 3\n"))
    }

    @Test("A request for another node's world returns 421 with the owner's name")
    func foreign() throws {
        let network = Self.node()
        for path in ["/w/n3-w5/api/v1/goals", "/w/n3-w5", "/__admin/worlds/n3-w5", "/__admin/worlds/n3-w5/clock"] {
            let response = try Self.get(network, path)
            #expect(response.status == 421 && response.json?["error"]?["details"]?["node"] == "n3", "\(path)")
            #expect(response.message.contains("belongs to the node \"n3\", but this node is \"n2\""))
        }
        for id in ["n2-w5", "w5", "n3", "n3-w05", "N3-w5"] {
            #expect(try Self.get(network, "/w/\(id)/api/v1/goals").status == 404, "\(id)")
        }
        #expect(try Self.get(VirtualNetwork(), "/w/n3-w5/api/v1/goals").status == 404)
    }

    @Test("Without a default world, plain paths serve only server-wide resources")
    func noDefaultWorld() throws {
        let network = Self.node()
        for path in ["/api/v1/goals", "/nothing", "/__admin/clock", "/__admin/worlds/default", "/__admin/state"] {
            let response = try Self.get(network, path)
            #expect(response.status == 404 && response.message.contains("no default world"), "\(path)")
        }
        for path in ["/health", "/ready", "/docs", "/openapi.yaml", "/__admin/", "/__admin/health", "/__admin/worlds"] {
            #expect(try Self.get(network, path).status == 200, "\(path)")
        }
        #expect(try network.admin(.get, "worlds").json?["count"]?.int == 0)
        #expect(try network.admin(.get, "health").json?.values(of: "node", "worlds") == ["n2", 0])
        #expect(try network.world().exchange(.get, "/api/v1/goals").status == 200)
        #expect(try network.admin(.get, "health").json?["worlds"]?.int == 1)
    }

    @Test("A world from another server keeps its id and its tokens")
    func moved() throws {
        let old = Self.node("n3")
        let world = try old.world()
        #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        let goals = try world.exchange(.get, "/api/v1/goals").text
        let state = try old.admin(.get, "worlds/\(world.id)/state").text

        func make(_ network: VirtualNetwork, _ id: String) throws -> Response {
            try network.admin(.post, "worlds", #"{"id": \#(id)}"#)
        }
        for new in [Self.node("n3"), Self.node("n1"), VirtualNetwork()] {
            let response = try make(new, "\"\(world.id)\"")
            #expect(response.status == 201, "\(response.text)")
            #expect(try new.admin(.put, "worlds/\(world.id)/state", state).status == 200)
            #expect(try WorldClient(new, response).exchange(.get, "/api/v1/goals").text == goals)
            let again = try make(new, "\"\(world.id)\"")
            #expect(again.status == 409 && again.message.contains("There is already a world \"\(world.id)\""))
        }
        let network = VirtualNetwork()
        // The server does not use any number up to that world's.
        #expect(try make(network, "\"w5\"").status == 201 && network.world().id == "w6")
        #expect(try network.admin(.delete, "worlds/w5").status == 204)
        #expect(try make(network, "\"w3\"").status == 201 && network.world().id == "w8")
        for id in ["5", "\"default\"", "\"n2-w05\"", "\"N2-w5\""] {
            let response = try make(network, id)
            #expect(response.status == 400 && response.message.contains("'id'"), "\(response.message)")
        }
        #expect(try network.admin(.post, "reset", #"{"id": "w9"}"#).status == 400)
    }

    @Test("A large id chosen by a client does not exhaust the sequence of ids", arguments: [nil, "n2"])
    func largestID(of node: String?) throws {
        let network = node.map { Self.node($0) } ?? VirtualNetwork()
        let prefix = node.map { $0 + "-" } ?? ""
        for number in ["9223372036854775807", "9223372036854775806", "1000000000000000000"] {
            let refusal = try network.admin(.post, "worlds", #"{"id": "\#(prefix)w\#(number)"}"#)
            #expect(refusal.status == 400 && refusal.message.contains("with at most 18 digits"), "\(refusal.message)")
        }
        #expect(try network.admin(.post, "worlds", #"{"id": "\#(prefix)w999999999999999999"}"#).status == 201)
        // The server assigns the following numbers itself.
        let next = try network.world()
        #expect(try next.id == "\(prefix)w1000000000000000000" && next.exchange(.get, "/api/v1/goals").status == 200)
        let fork = try network.admin(.post, "worlds/\(next.id)/fork", "{}")
        #expect(fork.json?["id"]?.string == "\(prefix)w1000000000000000001")
    }

    @Test("A node with a clock before 1970 can create and serve worlds")
    func startBefore1970() throws {
        var configuration = Engine.Configuration()
        configuration.node = NodeName("n2")
        let start = Timestamp(secondsSinceEpoch: -86_400)
        let network = VirtualNetwork(try Engine(configuration, now: start), now: start)
        #expect(try network.world().exchange(.get, "/api/v1/goals").status == 200)
    }

    @Test("A draining server creates no worlds and finishes when the last world is deleted")
    func drain() throws {
        let network = Self.node()
        let (first, second) = (try network.world(), try network.world())
        #expect(try network.admin(.get, "drain").json?["draining"]?.bool == false && !network.engine.isDrained)
        #expect(try Self.get(network, "/ready").status == 200)
        let answer = try network.admin(.post, "drain", "{}")
        #expect(answer.status == 202 && answer.text == #"{"draining":true,"worlds":2,"web_sockets":0}"#)
        let ready = try Self.get(network, "/ready")
        #expect(ready.status == 503 && ready.text == #"{"status":"draining"}"#)
        for path in ["worlds", "worlds/\(first.id)/fork"] {
            let refusal = try network.admin(.post, path, "{}")
            #expect(refusal.status == 503 && refusal.message.contains("is draining"), "\(path)")
        }
        #expect(try first.exchange(.get, "/api/v1/goals").status == 200)
        for (world, isDrained) in [(first, false), (second, true)] {
            #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
            #expect(network.engine.isDrained == isDrained)
        }
        network.engine.beginShutdown(at: network.now)
        #expect(!network.engine.isDrained)
    }

    @Test("Draining deletes idle worlds after the idle time but keeps worlds with sockets")
    func idle() throws {
        let network = Self.node()
        let (talking, idle) = (try network.world(), try network.world())
        let socket = try talking.socket(on: talking.consultation())
        #expect(try network.admin(.post, "drain", #"{"idle": "90s"}"#).status == 202)
        for (seconds, left) in [(89, 2), (62, 1)] {
            network.advance(by: .seconds(seconds))
            #expect(try network.admin(.get, "drain").json?["worlds"]?.int == left)
        }
        #expect(try network.admin(.get, "worlds/\(idle.id)").status == 404)
        socket.wire.vanish()
        network.advance(by: .seconds(160))
        #expect(try network.engine.isDrained && network.admin(.post, "drain", #"{"idle": "soon"}"#).status == 400)
    }
}
