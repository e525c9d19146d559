import FitIQAPI
import JSON
import TestSupport
import Testing
import Text

@testable import MockServer

@Suite("A server with a state file") struct SavingTests {
    private let network: VirtualNetwork
    private let file: StateFile

    init() throws {
        file = try StateFile(":memory:")
        network = try Self.network(file)
    }

    static func network(
        _ file: StateFile, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> VirtualNetwork {
        var configuration = Engine.Configuration()
        try configuration.keepState(in: file)
        return VirtualNetwork {
            ($0.stateFile, $0.restored) = (file, configuration.restored)
            $0.clock = .manual
            configure(&$0)
        }
    }

    /// The next server to start.
    static func next(
        _ network: VirtualNetwork, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> VirtualNetwork {
        try network.engine.saveAll()
        let file = try #require(network.engine.configuration.stateFile)
        return try Self.network(file, configure)
    }

    /// Holds the jobs that save, from now on.
    private final class HeldSaves {
        var jobs: [Job] = []

        init(_ network: VirtualNetwork) { network.engine.startSaving = { [self] in jobs.append($0) } }

        func finishAll(_ network: VirtualNetwork) {
            while let job = jobs.popLast() { network.engine.finish(job.run(), at: network.now) }
        }
    }

    private static func put(users count: Int, _ world: WorldClient, clock: String = "") throws {
        let users = (0..<count).map { #"{"id":"u\#($0)"}"# }.joined(separator: ",")
        let imported = try world.ask(.put, "state", "{\"name\":\"a\",\(clock)\"users\":[\(users)]}")
        #expect(imported.status == 200, "\(imported.text)")
    }

    private static let registration =
        #"{"email":"a@b.example","password":"correct horse","name":"A","date_of_birth":"1990-01-01"}"#

    @Test("A restart keeps accounts, tokens, meals being processed and waiting questions")
    func goesOn() throws {
        let network = try Self.network(file) { $0.pace = .human }
        let world = try network.plainWorld()
        let registered = try world.exchange(.post, "/api/v1/auth/register", Self.registration).json?["data"]
        let token = try #require(registered?["access_token"]?.string)
        let refresh = #"{"refresh_token":"\#(try #require(registered?["refresh_token"]?.string))"}"#
        func post(_ path: String, _ body: String) throws -> JSONValue? {
            try world.exchange(.post, path, body, token: token).json?["data"]
        }
        let id = try #require(try post("/api/v1/consultations", #"{"persona":"nutritionist"}"#)?["id"]?.string)
        _ = try post("/api/v1/meal-logs/natural", #"{"raw_input":"two eggs","meal_type":"lunch"}"#)
        var handshake = world.handshake(on: id)
        handshake.fields = handshake.fields.map { $0.hasPrefix("Authorization") ? Request.bearer(token) : $0 }
        let socket = try HTTPClient(try network.open()).upgrade(handshake)
        socket.send(#"{"type":"message","content":"How much water?"}"#)
        let before = try world.exchange(.get, "/api/v1/meal-logs", token: token).text

        let later = try Self.next(network) { $0.pace = .human }
        let again = try later.plainWorld()
        #expect(
            try again.token == world.token && again.exchange(.get, "/api/v1/meal-logs", token: token).text == before)
        try again.advance("10s")
        let meals = try again.exchange(.get, "/api/v1/meal-logs", token: token).json
        #expect(meals?["data"]?["meal_logs"]?.array?.map { $0["status"] } == ["completed"])
        // Reading the history completes the answer.
        let messages = try again.exchange(.get, "/api/v1/consultations/\(id)/messages", token: token).json
        #expect(messages?["data"]?["messages"]?.array?.map { $0["role"] } == ["user", "assistant"])
        let tokens = try again.exchange(.post, "/api/v1/auth/refresh", refresh)
        #expect(tokens.status == 200, "\(tokens.text)")
        // Each refresh token works once, even over several restarts.
        let last = try Self.next(later)
        #expect(try last.plainWorld().exchange(.post, "/api/v1/auth/refresh", refresh).status == 401)
    }

    @Test("The server restores a manual clock and returns to the scenario on a reset")
    func clock() throws {
        func goals(_ world: WorldClient) throws -> Int? {
            try world.exchange(.get, "/api/v1/goals").json?["data"]?["goals"]?.array?.count
        }
        _ = try network.plainWorld().exchange(.post, "/api/v1/goals", WorldClient.goal)
        try network.engine.saveAll()
        // Nothing else changes.
        try network.plainWorld().advance("90s")
        let later = try Self.next(network)
        #expect(later.engine.manualTime?.wireText == "2025-01-29T10:31:30Z")
        let world = try later.plainWorld()
        #expect(try goals(world) == 1 && world.ask(.post, "reset", "{}").status == 200)
        #expect(later.engine.manualTime?.wireText == "2025-01-29T10:30:00Z")
        #expect(try goals(Self.next(later).plainWorld()) == 0)
    }

    @Test("A restart applies new options to the default world but not to other worlds")
    func settings() throws {
        let network = try Self.network(file) { $0.seed = 1 }
        let request = #"{"scenario":{"name":"mine","answers":[{"text":"Mine."}]},"guide":"goal-linking","seed":9}"#
        let mine = try network.world(request)
        let other = try network.world()
        #expect(try other.ask(.post, "reset", #"{"scenario":{"name":"reset","answers":[]},"seed":4}"#).status == 200)
        let fork = try mine.ask(.post, "fork", "{}").json?["id"]?.string
        let gone = try network.world()
        #expect(try network.admin(.delete, "worlds/\(gone.id)").status == 204)
        let later = try Self.next(network) {
            $0.seed = 2
            $0.mode = .consultationWebSocket
        }
        let worlds = later.engine.worlds
        #expect(worlds.keys.map(\.text).sorted() == ["w1", "w2", "w3"] && fork == "w3")
        let restored = [later.engine.defaultWorld] + ["w1", "w2", "w3"].compactMap { worlds[$0] }
        let facts = restored.map { "\($0.settings.scenario.name) \($0.settings.seed)" }
        try #require(facts == ["default 2", "mine 9", "reset 4", "mine 9"])
        #expect(restored[0].mode == .consultationWebSocket)
        for world in [restored[1], restored[3]] {
            #expect(world.settings.mode == .goalLinking && world.settings.scenario.script.answers.count == 1)
        }
        // The server does not issue any id twice.
        #expect(try later.world().id == "w5")
    }

    @Test("The server writes the first change immediately and then commits at most every 0.1 s")
    func pace() throws {
        let engine = network.engine
        func goals() throws -> Int {
            let text = try file.read().worlds.first.map { String(decoding: $0.file, as: UTF8.self) } ?? ""
            return text.ranges(of: "\"title\":\"Run\"").count
        }
        let world = try network.plainWorld()
        network.advance(by: .seconds(1))
        #expect(engine.savingDue == nil)
        for count in 1...3 {
            _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
            #expect(try goals() < count)
        }
        network.catchUp()
        #expect(try goals() == 3 && engine.savingDue == nil)
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        network.advance(by: .milliseconds(99))
        #expect(try goals() == 3 && engine.savingDue != nil)
        network.advance(by: .milliseconds(1))
        #expect(try goals() == 4 && engine.savingDue == nil)
        // Reading changes nothing.
        _ = try world.exchange(.get, "/api/v1/goals")
        #expect(engine.savingDue == nil)
    }

    @Test("The server collects slices during a write and commits when nothing is left")
    func slices() throws {
        let engine = network.engine
        engine.save(at: network.now)
        let held = HeldSaves(network)
        try Self.put(users: 600, network.plainWorld(), clock: #""clock":"manual","#)
        network.advance(by: .seconds(1))
        #expect(held.jobs.count == 1 && engine.savingDue == nil)
        _ = try network.plainWorld().exchange(.post, "/api/v1/goals", WorldClient.goal)
        #expect(engine.savingDue == nil)
        var sliceCount = 0
        while let job = held.jobs.popLast() {
            sliceCount += 1
            let result = job.run()
            #expect(try file.read().worlds.first?.file.count ?? 0 < 1000 || held.jobs.isEmpty)
            engine.finish(result, at: network.now)
        }
        #expect(sliceCount == 2)
        let text = String(decoding: try #require(file.read().worlds.first?.file), as: UTF8.self)
        #expect(text.contains("\"title\":\"Run\"") && text.ranges(of: "\"id\":\"u").count == 600)
    }

    @Test("The server saves other worlds while one pauses")
    func pausedWorld() throws {
        let (one, two) = (try network.world(), try network.world())
        network.advance(by: .seconds(1))
        for world in [one, two] { _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal) }
        let paused = try #require(network.engine.worlds["w1"])
        network.engine.pause(paused)
        network.advance(by: .seconds(1))
        #expect(paused.awaitsSaving && network.engine.savingDue == nil)
        #expect(try #require(network.engine.worlds["w2"]).awaitsSaving == false)
        network.engine.resume(paused, at: network.now)
        network.advance(by: .seconds(1))
        #expect(!paused.awaitsSaving)
    }

    @Test("The server reports a failed save once and retries until everything is written")
    func failure() throws {
        let network = try Self.network(try StateFile(":memory:", largest: 200_000))
        let world = try network.plainWorld()
        let text = String(repeating: "long ", count: 2000)
        func journal(_ name: String) throws -> String? {
            let entry = #"{"title":"\#(name)","content":"\#(text)","logged_at":"2025-01-29T10:30:00Z"}"#
            return try world.exchange(.post, "/api/v1/journal", entry).json?["data"]?["id"]?.string
        }
        let ids = try (0..<40).map { try journal("\($0)") }
        network.advance(by: .seconds(1))
        _ = try journal("last")
        network.advance(by: .seconds(20))
        let failure = "the state could not be saved; the server will try again: ':memory:': database or disk is full"
        #expect(network.observations.map(\.description).filter { $0.contains("state") } == [failure])
        #expect(throws: Refusal.self) { try network.engine.saveAll() }
        for id in ids.compactMap(\.self) { _ = try world.exchange(.delete, "/api/v1/journal/\(id)") }
        network.advance(by: .seconds(20))
        #expect(network.engine.savingDue == nil)
        let later = try Self.next(network)
        let entries = try later.plainWorld().exchange(.get, "/api/v1/journal").json?["data"]?["entries"]?.array
        #expect(entries?.map { $0["title"] } == ["last"])
    }

    /// New options may forbid what earlier options allowed, but the server must start anyway.
    @Test("The server starts even if its saved data is no longer allowed by its options or its clock")
    func otherOptions() throws {
        let world = try network.plainWorld()
        let many =
            #"{"scenario":{"name":"x","consultations":{"per_topic":"many"}},"clock":{"manual":"2030-01-01T00:00:00Z"}}"#
        #expect(try world.ask(.post, "reset", many).status == 200)
        for _ in 0..<2 { _ = try network.plainWorld().consultation() }
        let drink = try network.plainWorld().exchange(
            .post, "/api/v1/meal-logs/natural", #"{"raw_input":"water","meal_type":"drink"}"#)
        #expect(drink.status == 201 || drink.status == 202, "\(drink.text)")
        _ = try network.plainWorld().exchange(.post, "/api/v1/goals", WorldClient.goal)
        var last = network
        let modes: [GuideMode] = [.union, .consultationWebSocket, .mealLogWebSocket, .union]
        for (start, mode) in modes.enumerated() {
            last = try Self.next(last) {
                $0.clock = .real
                $0.mode = mode
            }
            // Times that are ahead of the clock are saved again.
            let (world, backend) = (last.engine.defaultWorld, last.engine.defaultWorld.backend)
            #expect((world.savedPart == nil) == (start == 0))
            let counts = [backend.consultationCount, backend.mealLogCount, backend.goalCount]
            #expect(counts == [2, 1, 1], "\(mode)")
        }
        let goals = try last.plainWorld().exchange(.get, "/api/v1/goals").json?["data"]?["goals"]?.array
        let id = try #require(goals?.first?["id"]?.string)
        let patched = try last.plainWorld().exchange(.patch, "/api/v1/goals/\(id)", #"{"progress":0.5}"#)
        #expect(patched.status == 200, "\(patched.text)")
        #expect(try Self.next(last) { $0.clock = .real }.engine.defaultWorld.backend.goalCount == 1)
    }

    @Test("The server commits a paused world only as a whole")
    func partOfStanding() throws {
        let engine = network.engine
        let (one, two) = (try network.world(), try network.world())
        network.advance(by: .seconds(1))
        let held = HeldSaves(network)
        try Self.put(users: 600, one)
        network.advance(by: .seconds(1))
        let paused = try #require(engine.worlds["w1"])
        #expect(paused.isPartlySaved)
        engine.pause(paused)
        _ = try two.exchange(.post, "/api/v1/goals", WorldClient.goal)
        held.finishAll(network)
        network.advance(by: .seconds(1))
        held.finishAll(network)
        // Another connection would see the previous state, because the transaction is open.
        #expect(throws: Never.self) { try file.flush() }
        #expect(engine.saving?.sliceCount ?? 0 > 0)
        try engine.saveAll()
        let later = try Self.network(file)
        #expect(later.engine.worlds["w1"]?.backend.userCount == 600)
        #expect(later.engine.worlds["w2"]?.backend.goalCount == 1)
    }

    @Test("The server commits under load that exceeds a slice in each round")
    func load() throws {
        let engine = network.engine
        network.advance(by: .seconds(1))
        let held = HeldSaves(network)
        var (rounds, user) = (0, 0)
        repeat {
            for _ in 0..<700 {
                user += 1
                _ = try engine.defaultWorld.backend.user(ExactString("user-\(user)"))
            }
            engine.saving?.noteUnsaved(engine.defaultWorld)
            network.advance(by: .milliseconds(100))
            held.finishAll(network)
            rounds += 1
        } while engine.saving?.sliceCount != 0 && rounds < 100
        #expect(rounds < 40)
    }

    @Test("Data created and deleted between two commits does not reach the file")
    func bounds() throws {
        let world = try network.plainWorld()
        network.advance(by: .seconds(1))
        // No save ends.
        _ = HeldSaves(network)
        func make(_ path: String, _ body: String) throws -> String {
            let id = try world.exchange(.post, path, body).json?["data"]?["id"]?.string
            return path + "/" + (try #require(id))
        }
        func entry(_ title: String) -> String {
            #"{"title":"\#(title)","content":"x","logged_at":"2025-01-29T10:30:00Z"}"#
        }
        let kept = try make("/api/v1/journal", entry("kept"))
        network.advance(by: .seconds(1))
        for number in 0..<50 {
            let document = try make("/api/v1/journal", entry("\(number)"))
            #expect(try world.exchange(.delete, document).status == 204)
            #expect(try world.exchange(.put, kept, entry("\(number)")).status == 200)
            let goal = try make("/api/v1/goals", WorldClient.goal)
            #expect(try world.exchange(.delete, goal).status == 204)
            #expect(try network.admin(.delete, "worlds/\(network.world().id)").status == 204)
        }
        var backend = network.engine.defaultWorld.backend
        let changes = backend.takeChanges(upTo: .max)
        #expect(changes.map(\.place.list) == [.users, .documents(.journal)] && network.engine.saving?.steps.count == 0)
    }

    @Test("The server deletes a world's saved data when the world starts a replay")
    func sessions() throws {
        let world = try network.plainWorld()
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        network.advance(by: .seconds(1))
        let entry =
            #"{"startedDateTime":"2025-01-29T10:30:00Z","time":0,"request":{"method":"GET","url":"https://api.example/","headers":[]},"response":{"status":204,"headers":[],"content":{}},"timings":{}}"#
        let session = #"{"log":{"version":"1.2","entries":[\#(entry)]}}"#
        let scenario = #"{"scenario":{"name":"r","replay":{"session":\#(session)}}}"#
        let reset = try world.ask(.post, "reset", scenario)
        #expect(reset.status == 200, "\(reset.text)")
        #expect(try network.world(scenario).id == "w1")
        network.advance(by: .seconds(1))
        #expect(try network.engine.savingDue == nil && file.read().worlds.isEmpty)
        #expect(try Self.network(file).engine.worlds.serial == 1)
    }

    @Test("The server deletes a world's rows even if the clock goes back before the next save")
    func deletedEarly() throws {
        let network = try Self.network(file) { $0.clock = .real }
        let world = try network.world()
        network.advance(by: .seconds(60))
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        let later = try Self.next(network) { $0.clock = .real }
        #expect(try #require(later.engine.worlds["w1"]).savedPart == nil)
        #expect(try later.admin(.delete, "worlds/w1").status == 204)
        #expect(try Self.next(later) { $0.clock = .real }.engine.worlds.count == 0)
    }

    @Test("The server starts with saved worlds that exceed a scenario's limits")
    func outgrown() throws {
        let late = try network.world(#"{"clock":{"manual":"2199-12-31T23:59:00Z"}}"#)
        let registered = try late.exchange(.post, "/api/v1/auth/register", Self.registration).json?["data"]
        let refresh = try #require(registered?["refresh_token"]?.string)
        let users = #"[{"goals":[{"title":"Old","created_at":"300d ago"}]}]"#
        let early = try network.world(
            #"{"clock":{"manual":"1970-01-01T00:00:00Z"},"scenario":{"name":"e","users":\#(users)}}"#)
        let echo = String(repeating: "{{content}}", count: 100)
        let chat = #"{"id":"\#(Self.conversation)","persona":"nutritionist","made_up_messages":9998}"#
        // Make the document as large as possible, including its defaults.
        let members = #""insight_type":"daily","title":"a","content":"b","kept":"#
        let insight = #"{\#(members)"\#(String(repeating: "x", count: 65_335))"}"#
        let user = #"{"consultations":[\#(chat)],"documents":{"insights":[\#(insight)]}}"#
        let talkative = try network.world(
            #"{"scenario":{"name":"t","answers":[{"text":"\#(echo)"}],"users":[\#(user)]}}"#)
        let socket = try talkative.socket(on: Self.conversation)
        socket.send(#"{"type":"message","content":"\#(String(repeating: "👩‍👩‍👧‍👦", count: 600))"}"#)
        try talkative.advance("1h")
        func insights(_ world: WorldClient) throws -> JSONValue? {
            try world.exchange(.get, "/api/v1/insights").json?["data"]?["insights"]
        }
        let id = try #require(try insights(talkative)?[0]?["id"]?.string)
        #expect(try talkative.exchange(.post, "/api/v1/insights/\(id)/read").status == 200)
        let before = try insights(talkative)

        let later = try Self.next(network)
        func again(_ world: WorldClient) throws -> WorldClient {
            try WorldClient(later, later.admin(.get, "worlds/\(world.id)"))
        }
        let goals = try again(early).exchange(.get, "/api/v1/goals").json?["data"]?["goals"]?.array
        #expect(goals?.map { $0["created_at"] } == ["1969-03-07T00:00:00Z"])
        let refreshed = try again(late).exchange(.post, "/api/v1/auth/refresh", #"{"refresh_token":"\#(refresh)"}"#)
        #expect(refreshed.status == 200, "\(refreshed.text)")
        #expect(try insights(again(talkative)) == before)
        let page = "/api/v1/consultations/\(Self.conversation)/messages?limit=1&offset=9999"
        let last = try again(talkative).exchange(.get, page)
        let length = last.json?["data"]?["messages"]?[0]?["content"]?.string?.utf8.count
        #expect(length == 1_500_000, "\(last.text.prefix(300))")
    }

    private static let conversation = "8f3b2a10-0000-4000-8000-00000000000a"
}
