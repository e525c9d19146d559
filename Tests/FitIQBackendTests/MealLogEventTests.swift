import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Meal log events") struct MealLogEventTests {
    @Test("A meal event reaches exactly its user's open sockets")
    func audience() throws {
        var (world, anna, ben) = try World().withTwoUsers("anna", "ben")
        let (first, second) = (try world.create(by: anna), try world.create(.fitnessCoach, by: anna))
        try world.open(1, on: first, by: anna)
        try world.open(2, on: second, by: anna)
        try world.open(3, on: first, by: anna)
        try world.open(4, on: try world.create(by: ben), by: ben)
        // One socket chats, one disconnects, one has an archived consultation, and one opens too late.
        world.message("Hello", from: 2)
        try world.open(5, on: first, by: anna)
        world.close(5)
        try world.open(6, on: try world.create(.wellnessSpecialist, by: anna), by: anna)
        _ = world.takeEffects(after: 10_000)

        let id = try world.mealID(by: anna)
        _ = try world.archive(try #require(world.backend.consultations.last).consultation.id.description, by: anna)
        #expect(world.takeEffects().story(of: 6) == ["error", "close 1000 Consultation is not active"])
        world.waitForMeals()
        try world.open(7, on: first, by: anna)
        let effects = world.takeEffects()
        #expect(effects.mealEvents(of: 7).isEmpty && effects.story(of: 7) == ["connected"])
        // Events are sent in consultation order.
        let told = effects.compactMap { effect -> UInt64? in
            guard case .send(let socket, _) = effect, socket.number != 7 else { return nil }
            return socket.number
        }
        #expect(told == [1, 3, 2])
        #expect(Set([1, 2, 3].map { effects.texts(of: $0) }).count == 1)
        let event = try #require(effects.frames(of: 1).first)
        #expect(event.object?.keys == ["type", "data", "timestamp"] && event["type"] == "meal_log.completed")
        #expect(event["data"] == (try world.showMeal(id, for: anna)))
        #expect(event["timestamp"] == event["data"]?["processing_completed_at"])
        #expect(world.takeEffects(after: 60_000).isEmpty)
    }

    @Test("A failed log also sends an event")
    func failed() throws {
        var (world, user) = try World().withUser()
        try world.open(1, on: try world.create(by: user), by: user)
        let id = try world.mealID("qwertyuiop", by: user)
        let event = try #require(world.takeMeals().mealEvents(of: 1).first)
        #expect(event["type"] == "meal_log.failed" && event["data"]?["meal_log_id"]?.string == id)
        #expect(event["data"] == (try world.showMeal(id, for: user)))
    }

    @Test(
        "A meal event has the form of the mode's guide",
        arguments: [GuideMode.union, .webSocketArchitecture, .mealLogWebSocket])
    func forms(mode: GuideMode) throws {
        var world = World.answering(as: mode)
        let user = try world.backend.user("user-1")
        try world.open(1, on: try world.create(by: user), by: user)
        _ = try (world.logMeal("120g chicken breast", by: user), world.logMeal("qwertyuiop", by: user))
        let events = world.takeMeals().texts(of: 1).filter { $0.contains("meal_log.") }
        let expected = world.backend.mealLogs.map(\.log).sorted { $0.updatedAt < $1.updatedAt }
            .compactMap { MealLogEvent.frame(of: $0, in: mode) }
        #expect(events == expected.map { String(decoding: $0, as: UTF8.self) })
        #expect(Set(world.backend.mealLogs.map(\.log.status)) == [.completed, .failed])
    }

    @Test("Events keep their times and their order even if the loop handles them late")
    func oneLeap() throws {
        var (world, user) = try World().withUser()
        try world.open(1, on: try world.create(by: user), by: user)
        for _ in 0..<20 {
            _ = try world.logMeal(by: user)
            world.pass(milliseconds: 7)
        }
        world.message("Hello", from: 1)
        var patient = world
        world.wait(milliseconds: 3_600_000)
        patient.waitForAllAnswers()
        let (late, punctual) = (world.takeEffects(), patient.takeEffects())
        #expect(late == punctual)
        let due = world.backend.mealLogs.map(\.log).map { log in
            log.createdAt.advanced(byNanoseconds: MealProcessing.duration(at: .human, seed: log.id.seed))
        }
        #expect(world.backend.mealLogs.map(\.log.updatedAt) == due)
        #expect(late.mealEvents(of: 1).map { $0["timestamp"]?.string } == due.sorted().map(\.wireText))
        #expect(world.turn.now == patient.turn.now || world.backend.nextDeadline == nil)
        // Chunks and events are interleaved by time, not in sequence.
        let types = late.frames(of: 1).compactMap { $0["type"]?.string }
        let event = try #require(types.firstIndex(of: "meal_log.completed"))
        #expect(types[event...].contains("stream_complete") || types[event...].contains("stream_chunk"))
    }

    @Test("Due events are sent before a later command takes effect")
    func lateCommand() throws {
        var (world, user, id) = try World().chatting()
        _ = try world.logMeal(by: user)
        _ = world.takeEffects()
        world.pass(milliseconds: 60_000)
        _ = try world.archive(id, by: user)
        #expect(
            world.takeEffects().story(of: 1)
                == ["meal_log.completed", "error", "close 1000 Consultation is not active"])
    }

    @Test("After any series of openings and closings, events reach exactly the open sockets", arguments: UInt64(1)...5)
    func openSockets(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        var (world, user) = try World(seed: seed, pace: .instant).withUser()
        let ids = try Persona.allCases.map { try world.create($0, by: user) }
        var open: [UInt64] = []
        for number in UInt64(1)...100 {
            if numbers.below(3) == 0, !open.isEmpty {
                world.close(open.remove(at: numbers.below(open.count)))
            } else {
                try world.open(number, on: ids[numbers.below(4)], by: user)
                open.append(number)
            }
            _ = world.takeEffects()
            _ = try world.logMeal(by: user)
            world.backend.advance(&world.turn)
            let told = world.takeEffects().compactMap { effect -> UInt64? in
                if case .send(let socket, _) = effect { socket.number } else { nil }
            }
            #expect(told.sorted() == open, "seed \(seed), step \(number)")
        }
    }
}
