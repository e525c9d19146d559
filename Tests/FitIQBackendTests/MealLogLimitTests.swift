import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Meal log limits") struct MealLogLimitTests {
    @Test("A log beyond the user's limit gets 507 and is not stored", arguments: [0, 1, 3])
    func ofAUser(limit: Int) throws {
        var (world, user, other) = try World(limits: .with { $0.mealLogs = limit }).withTwoUsers()
        for _ in 0..<limit { _ = try world.logMeal(by: user) }
        let bytes = world.backend.storedBytes
        let refusal = refusal(try world.logMeal(by: user))
        #expect(refusal == .storeFull("meal logs for this user", limit: limit) && refusal?.status.code == 507)
        #expect(world.backend.mealLogCount == limit && world.backend.storedBytes == bytes)
        if limit > 0 { #expect(try world.listMeals(for: user)["total_count"]?.int == limit) }
        // Each user has a separate limit.
        #expect((FitIQBackendTests.refusal(try world.logMeal(by: other)) == nil) == (limit > 0))
    }

    @Test("Meals being processed fail when stored bytes reach the limit")
    func storedBytes() throws {
        var limits = Limits()
        limits.storedBytes = 700
        var (world, user) = try World(limits: limits).withUser()
        try world.open(1, on: try world.create(by: user), by: user)
        let refusal = refusal(try world.logMeal(by: user))
        #expect(refusal == .storeFull("bytes", limit: 700))

        limits.storedBytes = world.backend.storedBytes + 1
        world.backend = Backend(Backend.Configuration(origin: World.origin, limits: limits))
        let again = try world.backend.user("user-1")
        try world.open(1, on: try world.create(by: again), by: again)
        _ = world.takeEffects()
        let id = try world.mealID(by: again)
        let event = try #require(world.takeMeals().mealEvents(of: 1).first)
        #expect(event["type"] == "meal_log.failed")
        #expect(event["data"]?["details"]?.string == MealLogFailure.storeFull(limit: limits.storedBytes).details)
        #expect(try world.showMeal(id, for: again)["status"] == "failed")
    }

    @Test("Meals being processed fail when no bytes are left", arguments: [(0, "failed"), (1, "completed")])
    func lastByte(spare: Int, status: String) throws {
        var (world, user) = try World().withUser()
        let id = try world.mealID(by: user)
        world.backend.storageRoom = StorageRoom(bytes: world.backend.storedBytes + spare, limit: 7)
        world.waitForMeals()
        #expect(try world.showMeal(id, for: user)["status"]?.string == status)
    }

    static let hostile: [String] = {
        let eggs = Array(repeating: "eggs", count: 50).joined(separator: ", ") + " "
        let marks = String(repeating: "\u{301}", count: 20)
        return [
            eggs + String(repeating: "x", count: 690), eggs + String(repeating: "z\(marks)", count: 370),
            eggs + String(repeating: "very odd ", count: 70), String(repeating: "\u{0}", count: 990) + " eggs",
            String(repeating: "9", count: 990) + " eggs", "e" + String(repeating: "\u{301}", count: 8190),
        ]
    }()

    @Test("The result for a hostile text is smaller than 128 KiB", arguments: hostile)
    func largest(text: String) throws {
        #expect(text.count <= CreateMealLogRequest.maximumInputLength && text.utf8.count <= 16 * 1024)
        var (world, user) = try World(pace: .instant).withUser()
        let id = try world.mealID(text, by: user)
        world.waitForMeals()
        #expect(try world.showMeal(id, for: user)["status"] != "processing")
        #expect(try world.backend.mealLog(id, for: user).count < 128 * 1024)
    }

    @Test("Simultaneous results exceed the stored-bytes limit by at most one meal")
    func storedBytesAtOnce() throws {
        var (world, user) = try World(limits: .with { $0.storedBytes = 100_000 }).withUser()
        let text = Array(repeating: "eggs", count: 50).joined(separator: ", ")
        for _ in 0..<40 { _ = try world.logMeal(text, by: user) }
        world.waitForMeals()
        let statuses = world.backend.mealLogs.map(\.log.status)
        #expect(statuses.contains(.completed) && statuses.contains(.failed) && !statuses.contains(.processing))
        let largest = world.backend.mealLogs.map(\.byteCount).max() ?? 0
        #expect((100_000..<(100_000 + largest + 40 * 300)).contains(world.backend.storedBytes))
        #expect(Invariants.deepViolations(of: world) == [])
    }
}
