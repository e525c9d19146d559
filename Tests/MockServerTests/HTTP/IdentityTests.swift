import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Byte-wise comparison of users, tokens, keys, ids, worlds and faults")
struct IdentityTests {
    private let network = VirtualNetwork()

    private static let goals = "/api/v1/goals"

    private func titles(_ network: VirtualNetwork, of user: String) throws -> [String?] {
        let response = try network.exchange(.authorized(.get, Self.goals, as: user))
        #expect(response.status == 200)
        return (response.json?["goals"]?.array ?? []).map { $0["title"]?.string }
    }

    @Test(
        "Two tokens for canonically equivalent users give access to separate data",
        arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")])
    func users(_ first: String, _ second: String) throws {
        let made = try network.exchange(.authorized(.post, Self.goals, as: first).json(WorldClient.goal))
        #expect(made.status == 201)
        #expect(try [first, second].map { try titles(network, of: $0) } == [["Run"], []])
        let path = "/api/v1/consultations/\(try network.consultation(of: first))"
        #expect(
            try [first, second].map { try network.exchange(.authorized(.get, path, as: $0)).status } == [200, 404])
        let users = network.engine.journalEntries(ofWorld: World.defaultID).compactMap { entry -> ExactString? in
            if case .exchange(let exchange) = entry.event { exchange.user } else { nil }
        }
        #expect(Set(users) == [ExactString(first), ExactString(second)])
        // The journal's query also distinguishes the two users.
        let query = first.utf8.map { "%" + String($0, radix: 16) }.joined()
        let asked = try network.admin(.get, "requests?user=\(query)&limit=1000")
        #expect(asked.json?["entries"]?.array?.allSatisfy { $0["user"]?.exactString == ExactString(first) } == true)
    }

    @Test("The server rejects a token that contains the Kelvin sign instead of K")
    func tokens() throws {
        let token = try #require((0...).lazy.map { Request.token(for: "user-\($0)") }.first { $0.contains("K") })
        let twin = token.replacing("K", with: "\u{212A}")
        #expect(token == twin)
        func status(_ token: String) throws -> Int {
            try network.exchange(Request(target: Self.goals, fields: [Request.bearer(token), Request.apiKey])).status
        }
        #expect(try [status(twin), status(token), status(twin), status(token)] == [401, 200, 401, 200])
        let path = "/api/v1/consultations/\(try network.consultation(of: TestUser.anna))/ws"
        let escaped = twin.replacing("\u{212A}", with: "%E2%84%AA")
        #expect(try network.exchange(.handshake("\(path)?token=\(escaped)")).status == 401)
    }

    @Test("The server compares keys and admin tokens by bytes")
    func keys() throws {
        let network = VirtualNetwork {
            $0.apiKey = "KEY"
            $0.adminToken = "TOKEN"
        }
        func status(_ key: String) throws -> Int {
            let fields = [Request.bearer(Request.token(for: TestUser.anna)), "X-API-Key: \(key)"]
            return try network.exchange(Request(target: Self.goals, fields: fields)).status
        }
        #expect(try [status("KEY"), status("\u{212A}EY")] == [200, 401])
        for (token, status) in [("TOKEN", 200), ("TO\u{212A}EN", 401)] {
            #expect(try network.admin(.get, "worlds", fields: ["X-Admin-Token: \(token)"]).status == status)
        }
    }

    @Test("The server compares fault names by bytes, even in paths")
    func faults() throws {
        let world = try VirtualNetwork().plainWorld()
        for (name, status) in [("K", 201), ("\u{212A}", 201), ("K", 400)] {
            #expect(try world.ask(.post, "faults", #"{"name":"\#(name)","on":"any","status":503}"#).status == status)
        }
        #expect(try world.ask(.delete, "faults/K").status == 204)
        #expect(try world.ask(.get, "faults/K").status == 404)
        #expect(try world.ask(.get, "faults/%E2%84%AA").json?["name"]?.exactString == "\u{212A}")
    }

    @Test(
        "The server compares ids in paths by bytes",
        arguments: ["worlds/w1\u{301}", "worlds/\u{FF57}1", "worlds/w\u{661}"])
    func worlds(_ path: String) throws {
        #expect(try network.world().id == "w1")
        let escaped = path.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }.joined()
        #expect(try network.admin(.get, escaped).status == 404)
        #expect(try network.admin(.get, "worlds/w1").status == 200)
    }
}
