import FitIQAPI
import Scenarios
import TestSupport
import Testing

@testable import FitIQBackend
@testable import MockServer

@Suite("Worlds: sizes and room")
struct WorldSizeTests {
    private static func goals(_ count: Int) -> [UserData] {
        [UserData(id: "a", goals: Array(repeating: GoalData(title: "a"), count: count))]
    }

    @Test("A world counts as large if it has more than fifty entities of any kind", arguments: [0, 1])
    func entities(_ more: Int) {
        let message = MessageData(role: .user, content: "a")
        let meal = MealLogData(rawInput: "a", mealType: .snack, progress: .processing)
        // Each user and each consultation also counts.
        let messages = Array(repeating: message, count: 48 + more)
        let users: [[UserData]] = [
            Self.goals(49 + more), [UserData(id: "a", mealLogs: Array(repeating: meal, count: 49 + more))],
            [UserData(id: "a", consultations: [ConsultationData(persona: .nutritionist, messages: messages)])],
            (0..<50 + more).map { UserData(id: "\($0)") },
        ]
        for (index, users) in users.enumerated() {
            #expect(Scenario(data: WorldData(users: users)).isLarge == (more == 1), "\(index)")
        }
    }

    @Test(
        "A scenario counts as large if it has more than forty thousand password iterations",
        arguments: [(20_000, false), (20_001, true)])
    func passwords(_ cost: Int, _ isLarge: Bool) throws {
        let users = ["a", "b"].map { "{id: \($0), email: \($0)@b.example, password: correct horse}" }
        let text = "{name: a, accounts: {password_cost: \(cost)}, users: [\(users.joined(separator: ", "))]}"
        #expect(try Scenario.read(text).isLarge == isLarge)
    }

    @Test("A world with a large scenario counts as large when it is freed")
    func freeing() {
        let world = VirtualNetwork().engine.defaultWorld
        #expect(!world.isLargeToFree)
        world.settings.scenario.data = WorldData(users: Self.goals(50))
        #expect(world.isLargeToFree)
    }

    @Test("Worlds can use the shared limit to the last byte")
    func shared() {
        let room = SharedRoom(all: 60, held: 0, limit: 100, own: 50)
        #expect(throws: Never.self) { try room.check(bringing: 40) }
        #expect(throws: APIError.self) { try room.check(bringing: 41) }
        let narrow = SharedRoom(all: 0, held: 0, limit: 12, own: 10)
        #expect(narrow.storage(written: 2) == StorageRoom(bytes: 10, limit: 10))
        #expect(narrow.storage(written: 3) == StorageRoom(bytes: 9, limit: 12))
    }

    @Test("A world that was prepared while other worlds grew starts if it still fits")
    func beginning() throws {
        let network = VirtualNetwork()
        var settings = network.engine.defaultWorld.settings
        settings.scenario.data = WorldData(users: Self.goals(1))
        func room(_ all: Int) -> SharedRoom { SharedRoom(all: all, held: 0, limit: 100_000, own: 100_000) }
        let beginning = try WorldBeginning(WorldDraft(settings: settings), in: room(0), now: network.now)
        let bytes = beginning.state.storedBytes
        #expect(bytes > 0)
        #expect(throws: Never.self) { try beginning.check(in: room(100_000 - bytes)) }
        #expect(throws: APIError.self) { try beginning.check(in: room(100_001 - bytes)) }
    }

    @Test("A journal beyond its limit loses its older half")
    func journal() throws {
        func journal(limit: Int) throws -> (count: Int, weight: Int) {
            let network = VirtualNetwork { $0.limits.journalBytes = limit }
            for _ in 0..<4 { _ = try network.exchange(Request(target: "/nowhere")) }
            let journal = network.engine.defaultWorld.journal
            return (journal.count, journal.weight)
        }
        let weight = try journal(limit: .max).weight
        #expect(try journal(limit: weight).count == 4)
        #expect(try journal(limit: weight - 1).count < 4)
    }

    private static func saving(in file: StateFile) throws -> VirtualNetwork {
        var configuration = Engine.Configuration()
        try configuration.keepState(in: file)
        let restored = configuration.restored
        return VirtualNetwork { ($0.stateFile, $0.restored) = (file, restored) }
    }

    @Test("The server saves an unsaved world's number so that the number is not reused")
    func savedNumber() throws {
        let file = try StateFile(":memory:")
        let network = try Self.saving(in: file)
        network.advance(by: .seconds(1))
        #expect(network.engine.savingDue == nil)
        let take = Take().asked("GET", "/", status: 204, answer: "")
        #expect(try network.world(#"{"scenario":\#(take.json)}"#).id == "w1")
        network.advance(by: .seconds(1))
        #expect(try Self.saving(in: file).engine.worlds.serial == 1)
    }

    @Test("A world that pauses before its first save does not delay other worlds' saves")
    func pausedWorld() throws {
        let network = try Self.saving(in: try StateFile(":memory:"))
        _ = try network.world()
        network.engine.pause(try #require(network.engine.worlds["w1"]))
        network.advance(by: .seconds(1))
        #expect(network.engine.saving?.needsCommit == false && network.engine.savingDue == nil)
    }
}
