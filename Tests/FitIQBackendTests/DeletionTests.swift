import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Deletion") struct DeletionTests {
    @Test("Deleting a goal unlinks its conversations but keeps them")
    func goal() throws {
        var (world, user) = try World().withUser("anna")
        let goal = try world.createGoal(by: user)
        let old = try world.chatAboutGoal(goal, by: user)
        _ = try world.archive(old, by: user)
        let conversation = try world.chatAboutGoal(goal, by: user)
        #expect(try [old, conversation].map { try world.goalID(of: $0, for: user) } == [goal, goal])
        try world.backend.deleteGoal(goal, by: user, &world.turn)
        #expect(refusal(try world.backend.goal(goal, for: user))?.status == .notFound)
        #expect(try [old, conversation].map { try world.goalID(of: $0, for: user) } == [nil, nil])
        #expect(try world.show(conversation, for: user)["context_id"]?.string == goal)
        #expect(try world.show(conversation, for: user)["status"]?.string == "active")
        for attempt in [
            refusal(try world.backend.deleteGoal(goal, by: user, &world.turn)),
            refusal(try world.chatAboutGoal(goal, by: user)),
            refusal(try world.update(goal, by: user) { $0.change.progress = 1 }),
        ] { #expect(attempt?.status == .notFound) }

        // The conversation may now be linked to another goal, and everything is exported.
        let other = try world.createGoal(by: user)
        try world.link(other, with: conversation, by: user)
        let copy = try world.replanted()
        #expect(copy.data == world.data && Invariants.deepViolations(of: copy) == [])
        #expect(try copy.everything() == world.everything())
    }

    @Test(
        "Deleting a consultation closes its sockets and frees its goal, its slot and its topic",
        arguments: [true, false])
    func consultation(isActive: Bool) throws {
        var (world, user) = try World().withUser("anna")
        let goal = try world.createGoal(by: user)
        let id = try world.chatAboutGoal(goal, by: user)
        try world.open(1, on: id, by: user)
        world.message("Hello", from: 1)
        world.message("Hello again", from: 1)
        if !isActive { _ = try world.archive(id, by: user) }
        let bytes = world.backend.storedBytes
        _ = world.takeEffects()
        try world.backend.deleteConsultation(id, by: user, &world.turn)
        let closing = ["error", "close 1000 Consultation was deleted"]
        #expect(world.takeEffects().story(of: 1) == (isActive ? closing : []))
        #expect(world.backend.openSocketCount == 0 && world.backend.storedBytes < bytes)
        for attempt in [
            refusal(try world.backend.consultation(id, for: user)),
            refusal(try world.backend.messages(id, query: [], for: user, world.turn)),
            refusal(try world.backend.checkSocket(on: id, by: user)), refusal(try world.archive(id, by: user)),
            refusal(try world.backend.deleteConsultation(id, by: user, &world.turn)),
            refusal(try world.link(goal, with: id, by: user)),
        ] { #expect(attempt?.status == .notFound) }
        world.message("Anyone?", from: 1)
        #expect(world.takeAnswers() == [] && Invariants.deepViolations(of: world) == [])
        #expect(try world.conversation(of: goal, for: user) == nil && world.chatAboutGoal(goal, by: user) != id)
    }

    @Test("A deleted meal log never completes")
    func mealLog() throws {
        var (world, user) = try World().withUser("anna")
        try world.open(1, on: world.create(by: user), by: user)
        let first = try world.mealID(by: user)
        let second = try world.mealID(by: user)
        _ = world.takeEffects()
        try world.backend.deleteMealLog(first, by: user, &world.turn)
        #expect(refusal(try world.backend.mealLog(first, for: user))?.status == .notFound)
        let events = world.takeAnswers().frames(of: 1).compactMap { $0["data"]?["id"]?.string }
        #expect(events == [second])
        #expect(refusal(try world.backend.deleteMealLog(first, by: user, &world.turn)) == .unknownMealLog(first))
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("Deleting a user deletes all of that user's data and no other data")
    func user() throws {
        var (world, anna, bert) = try World().withTwoUsers("anna", "bert")
        let before = (world.backend.storedBytes, world.data.users[1])
        for user in [anna, bert] {
            let goal = try world.createGoal(by: user)
            try world.open(user == anna ? 1 : 2, on: world.chatAboutGoal(goal, by: user), by: user)
            _ = try world.mealID(by: user)
            _ = try world.post(["is_public": true], in: .workoutTemplates, by: user)
        }
        world.message("Hello", from: 1)
        let bertsData = world.data.users[1]
        _ = world.takeEffects()
        world.backend.deleteUser(anna, &world.turn)
        #expect(world.takeEffects().story(of: 1).last == "close 1000 Consultation was deleted")
        #expect(!world.backend.contains(anna) && world.backend.contains(bert))
        #expect(world.data.users == [bertsData] && world.backend.userCount == 1)
        #expect(try world.publicTemplates()["total"] == 1)
        let again = try world.backend.user("anna")
        #expect(again != anna && !world.backend.contains(anna) && world.backend.contains(again))
        world.backend.deleteUser(bert, &world.turn)
        _ = world.takeEffects()
        #expect(world.takeAnswers() == [] && Invariants.deepViolations(of: world) == [])
        #expect(world.backend.consultationCount == 0 && world.backend.goalCount == 0 && world.backend.mealLogCount == 0)
        #expect(world.backend.storedBytes < before.0 && before.1.goals == [])
    }

    @Test("Repeatedly creating and deleting records does not increase the stored bytes")
    func memory() throws {
        var limits = Limits()
        (limits.users, limits.goals, limits.mealLogs) = (2, 1, 1)
        var world = World(limits: limits)
        // Keep the first records, so that some are followed by empty slots.
        let user = try world.backend.user("anna")
        let first = try world.create(.fitnessCoach, by: user)
        let bytes = world.backend.storedBytes
        for _ in 0..<1000 {
            let guest = try world.backend.user("guest")
            try world.backend.deleteGoal(try world.createGoal(by: user), by: user, &world.turn)
            try world.backend.deleteMealLog(try world.mealID(by: user), by: user, &world.turn)
            let id = try world.create(by: user)
            try world.open(1, on: id, by: user)
            world.message("Hello", from: 1)
            try world.backend.deleteConsultation(id, by: user, &world.turn)
            world.backend.deleteUser(guest, &world.turn)
            _ = world.takeEffects()
        }
        #expect(world.backend.storedBytes == bytes && Invariants.deepViolations(of: world) == [])
        #expect(world.backend.scheduledStepCount <= 2 * Backend.spareSteps)
        #expect(try world.show(first, for: user)["id"]?.string == first)
    }
}

@Suite("Shelf") struct ShelfTests {
    struct Numbered: Identifiable, Equatable {
        let id: Int
        var number: UInt64
    }

    @Test(
        "A shelf behaves like a dictionary with ascending keys and uses at most twice its size",
        arguments: UInt64(1)...10)
    func model(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var (shelf, model) = (Shelf<Numbered>(), [Int: Numbered]())
        for step in 0..<3000 {
            // Use more than one page of positions, and alternately grow and shrink.
            let isAdding = numbers.next(below: 10) < (step / 500 % 2 == 0 ? 7 : 3)
            if isAdding || model.isEmpty {
                let value = Numbered(id: step, number: numbers.next())
                let position = shelf.append(value)
                #expect(model.keys.allSatisfy { $0 < position })
                model[position] = value
            } else {
                let position = model.keys.sorted()[Int(numbers.next(below: UInt64(model.count)))]
                let id = shelf[position].id
                shelf.remove(position)
                model[position] = nil
                #expect(!shelf.contains(position) && shelf.position(of: id) == nil)
            }
            if let position = model.keys.first {
                shelf[position].number &+= 1
                model[position]?.number &+= 1
            }
            guard step.isMultiple(of: 50) else { continue }
            let positions = model.keys.sorted()
            #expect(Array(shelf.positions) == positions && Array(shelf) == positions.map { model[$0] })
            #expect(shelf.count == model.count && positions.allSatisfy { shelf.contains($0) && shelf[$0] == model[$0] })
            #expect(positions.allSatisfy { shelf.position(of: shelf[$0].id) == $0 })
            let pages = (model.keys.max() ?? 0) / 1024 + 1
            #expect(shelf.placeCount <= 2 * shelf.count + pages * Shelf<Numbered>.spareCount)
        }
        #expect(!shelf.contains(1_000_000))
    }

    @Test("A shelf keeps a limited number of slots for removed records")
    func spare() {
        var shelf = Shelf<Numbered>()
        let count = Shelf<Numbered>.spareCount + 2
        for id in 0..<count { _ = shelf.append(Numbered(id: id, number: 0)) }
        for position in 1..<count { shelf.remove(position) }
        #expect(shelf.placeCount == count)
        // The next removal drops all empty places, leaving only the first record's.
        _ = shelf.append(Numbered(id: count, number: 0))
        _ = shelf.append(Numbered(id: count + 1, number: 0))
        shelf.remove(count + 1)
        shelf.remove(count)
        #expect(shelf.placeCount == 1 && shelf.contains(0) && !shelf.contains(count))
        #expect(Array(shelf.positions) == [0] && shelf.map(\.id) == [0])
    }

    @Test("A removal moves only the records of one page")
    func bound() {
        var shelf = Shelf<Numbered>()
        for id in 0..<100_000 { _ = shelf.append(Numbered(id: id, number: 0)) }
        var (places, mostDropped) = (shelf.placeCount, 0)
        for position in 0..<60_000 {
            shelf.remove(position)
            mostDropped = max(mostDropped, places - shelf.placeCount)
            places = shelf.placeCount
        }
        #expect(mostDropped <= 1024 && places <= 41_000)
        #expect(
            shelf.first { _ in true }?.id == 60_000 && shelf.count == 40_000 && shelf.position(of: 60_000) == 60_000)
    }
}
