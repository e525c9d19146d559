import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Long-running API requests")
struct DeferredTests {
    private let network = VirtualNetwork()

    private static let login = #"{"email":"ada@example.com","password":"correct horse"}"#
    private static let registration =
        #"{"email":"bob@example.com","password":"correct horse","name":"Bob","date_of_birth":"1990-05-17"}"#
    private static let long = String(repeating: "calm and rested ", count: 1200)

    /// A world with a lot of data of each kind, and costly password hashing.
    private static func world(in network: VirtualNetwork) throws -> WorldClient {
        let goal = #"{"title":"Run","description":"\#(String(repeating: "\u{1F9D8}", count: 2000))"}"#
        func list(_ item: String, _ count: Int) -> String {
            "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
        }
        let more = #""logged_at":"1d ago","note":"\#(long)""#
        let documents = [
            "mood_entries": #"{"valence":0.4,\#(more)}"#, "journal": #"{"content":"calm and rested",\#(more)}"#,
            "workout_templates": #"{"name":"Legs","is_public":true,\#(more)}"#,
        ].map { #""\#($0.key)":\#(list($0.value, 5))"# }.sorted()
        // A few bytes create a lot of data.
        let consultation = #"{"persona":"nutritionist","id":"\#(consultation)","made_up_messages":8000}"#
        let users = """
            [{"email":"ada@example.com","password":"correct horse","goals":\(list(goal, 150)),
              "documents":{\(documents.joined(separator: ","))},"consultations":[\(consultation)]}]
            """
        let world = try network.world()
        let state = #"{"name":"a","accounts":{"password_cost":3000},"users":\#(users)}"#
        try #require(try world.ask(.put, "state", state).status == 200)
        return world
    }

    private static let consultation = "5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"

    private static func photo(_ end: String) -> String {
        #"{"meal_type":"lunch","image_data":"\#(String(repeating: "/9j/", count: 20_000))\#(end)"}"#
    }

    private static let calls: [(method: String, path: String, body: String?)] = [
        ("GET", "/api/v1/goals", nil),
        ("GET", "/api/v1/wellness/mood-entries/analytics?from=2025-01-01&to=2025-02-01", nil),
        ("GET", "/api/v1/wellness/mood-entries?source=manual", nil), ("GET", "/api/v1/journal/search?q=RESTED", nil),
        ("GET", "/api/v1/workout-templates/public?category=strength", nil),
        ("GET", "/api/v1/workout-templates?include_public=true&category=strength", nil),
        ("GET", "/api/v1/workout-templates/shared-with-me", nil), ("POST", "/api/v1/meal-logs/photo", photo("AAAA")),
        ("POST", "/api/v1/meal-logs/photo", photo("AAA!")),
        ("GET", "/api/v1/consultations/\(consultation)/messages", nil), ("POST", "/api/v1/auth/login", login),
        ("POST", "/api/v1/auth/login", login.replacing("horse", with: "house")),
        ("POST", "/api/v1/auth/register", registration), ("DELETE", "/api/v1/users/me", nil),
    ]

    @Test("A job produces the same bytes, state and journal as work on the loop", arguments: calls)
    func sameBytes(method: String, path: String, body: String?) throws {
        func outcome(_ isBeside: Bool) throws -> [String] {
            let network = VirtualNetwork()
            let (world, other) = (try Self.world(in: network), try network.world())
            let jobs = isBeside ? HeldJobs(network) : nil
            let request = world.request(.init(rawValue: method)!, path, body)
            let goal = world.request(.post, "/api/v1/goals", WorldClient.goal)
            let (asking, later) = (try network.sending(request), try network.sending(goal))
            if let jobs {
                #expect(jobs.count == 1 && asking.wire.received.isEmpty && later.wire.received.isEmpty)
                #expect(try other.exchange(.get, "/api/v1/goals").status == 200, "other worlds do not wait")
                try jobs.runAll()
            }
            let answers = [try asking.response(to: request).text, try later.response(to: goal).text]
            network.engine.startJob = nil
            return answers + (try ["journal", "state"].map { try world.ask(.get, $0).text })
        }
        #expect(try outcome(true) == outcome(false))
    }

    @Test("Each of several simultaneous logins runs as its own job, in order")
    func logins() throws {
        let world = try Self.world(in: network)
        let jobs = HeldJobs(network)
        let request = world.request(.post, "/api/v1/auth/login", Self.login)
        let clients = try (0..<20).map { _ in try network.sending(request) }
        for (number, client) in clients.enumerated() {
            #expect(jobs.count == 1)
            #expect(clients.map { !$0.wire.received.isEmpty } == clients.indices.map { $0 < number })
            try jobs.runNext()
            #expect(try client.response(to: request).status == 200)
        }
        #expect(jobs.count == 0)
    }

    @Test("A world continues if a client leaves during its job")
    func leaves() throws {
        let world = try Self.world(in: network)
        let jobs = HeldJobs(network)
        let client = try network.sending(world.request(.post, "/api/v1/auth/login", Self.login))
        client.wire.vanish()
        try jobs.runAll()
        let entry = try world.journal().last
        #expect(entry?["endpoint"] == "logIn" && entry?["status"] ?? .null == .null)
        #expect(try world.exchange(.get, "/api/v1/quick-actions").status == 404)
        #expect(network.engine.jobs.heldBytes == 0 && network.engine.connections.heldBytes == 0)
    }

    @Test(
        "A fault applies once to a request that runs as a job",
        arguments: [#""status":503"#, #""status":503,"processed":true"#])
    func faults(fault: String) throws {
        func outcome(_ isBeside: Bool) throws -> [String] {
            let network = VirtualNetwork()
            let world = try Self.world(in: network)
            let rule = #"{"name":"r","on":"POST /api/v1/auth/login","requests":"2",\#(fault)}"#
            #expect(try world.ask(.post, "faults", rule).status == 201)
            let jobs = isBeside ? HeldJobs(network) : nil
            let request = world.request(.post, "/api/v1/auth/login", Self.login)
            let received = try (0..<3).map { _ in
                let client = try network.sending(request)
                try jobs?.runAll()
                return String(decoding: client.wire.received, as: UTF8.self)
            }
            network.engine.startJob = nil
            return received + [try world.ask(.get, "faults").text, try world.ask(.get, "state").text]
        }
        #expect(try outcome(true) == outcome(false))
    }

    @Test("A deleted user with a lot of data is immediately invisible to other requests")
    func deletion() throws {
        let world = try Self.world(in: network)
        let backend = { network.engine.worlds.named(world.id)?.backend }
        let ben = try world.token(of: "ben")
        let chat = try world.exchange(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#, token: ben)
        let talk = try #require(chat.json?["data"]?["id"]?.string)
        var handshake = Request.handshake("\(world.prefix)/api/v1/consultations/\(talk)/ws")
        handshake.fields += [Request.bearer(ben), "X-API-Key: \(world.apiKey)"]
        let wire = try network.client().upgrade(handshake).wire
        let own = try world.socket(on: try world.consultation(#"{"persona":"wellness_specialist"}"#))
        #expect(backend()?.openSocketCount == 2)
        let jobs = HeldJobs(network)
        let deletion = world.request(.delete, "/api/v1/users/me")
        let deleting = try network.sending(deletion)
        let reading = try network.sending(world.request(.get, "/api/v1/goals"))
        wire.vanish()
        #expect(jobs.count == 1 && backend()?.goalCount == 150 && own.closeCode == nil)
        #expect(deleting.wire.received.isEmpty && reading.wire.received.isEmpty)
        try jobs.runAll()
        #expect(try deleting.response(to: deletion).status == 204)
        #expect(own.closeReason == "Consultation was deleted")
        #expect(backend()?.goalCount == 0 && backend()?.openSocketCount == 0)
        // Afterwards, the token creates its user again, or is rejected if its account was deleted.
        #expect(try reading.response().status == 200)
        #expect(try world.ask(.get, "state").json?["users"]?.array?.count == 2)
        let later = try world.exchange(
            .post, "/api/v1/consultations/\(talk)/messages", #"{"content":"Hello"}"#, token: ben)
        #expect(later.status == 201, "the socket that closed meanwhile is waited for: \(later.text)")
    }

    @Test("A script loaded during a user's deletion is kept")
    func script() throws {
        try #require(try network.admin(.put, "state", largeState(goals: 1000)).status == 200)
        let jobs = HeldJobs(network)
        let deletion = Request.authorized(.delete, "/api/v1/users/me", as: "u0")
        let client = try network.sending(deletion)
        #expect(jobs.count == 1)
        let scenario = try Scenario.read("{name: b, answers: [{text: New.}]}")
        _ = try network.engine.reload(scenario, at: network.now)
        try jobs.runAll()
        #expect(try client.response(to: deletion).status == 204)
        let backend = network.engine.defaultWorld.backend
        #expect(backend.script == scenario.script && backend.goalCount == 0)
    }

    @Test("Small tasks do not become jobs")
    func little() throws {
        let world = try network.world(#"{"scenario":{"name":"a","accounts":{"password_cost":2000}}}"#)
        let jobs = HeldJobs(network)
        for status in [201, 409] {
            #expect(try world.exchange(.post, "/api/v1/auth/register", Self.registration).status == status)
        }
        let entry = #"{"content":"rest","logged_at":"2025-01-29T10:00:00Z"}"#
        for _ in 0..<20 { #expect(try world.exchange(.post, "/api/v1/journal", entry).status == 201) }
        for path in ["/api/v1/journal/search?q=rest", "/api/v1/goals"] {
            #expect(try world.exchange(.get, path).status == 200)
        }
        #expect(jobs.count == 0)
    }
}
