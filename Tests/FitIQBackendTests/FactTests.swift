import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Facts for the administrator") struct FactTests {
    @Test("A socket's facts count the chunks of its current answer")
    func streaming() throws {
        var stage = try Stage([.text("a b"), .template(.run), .anotherAnswer, .text("c d e"), .silence])
        try stage.open(1)
        let socket = SocketID(1)
        let before = try #require(stage.world.backend.facts(of: socket))
        #expect(before == SocketFacts(consultation: ResourceID(stage.id)))
        stage.ask()
        #expect(stage.world.backend.facts(of: socket)?.chatProtocol == .stream)
        #expect(stage.world.backend.facts(of: socket)?.nextTime == World.start.advanced(byNanoseconds: .seconds(0.5)))
        var ids: [ResourceID] = []
        for (milliseconds, expected) in [
            (0, [0, 2]), (500, [1, 2]), (50, [2, 2]), (50, [0, 3]), (500, [1, 3]), (50, [2, 3]), (50, [3, 3]),
            (50, nil),
        ] as [(Int64, [Int]?)] {
            stage.world.wait(milliseconds: milliseconds)
            let answer = stage.world.backend.facts(of: socket)?.streaming
            #expect(answer.map { [$0.piece, $0.count] } == expected)
            if let id = answer?.messageID, id != ids.last { ids.append(id) }
        }
        #expect(ids.count == 2)
        #expect(stage.world.backend.facts(of: SocketID(2)) == nil)
    }

    @Test("The list of due events is sorted and limited")
    func due() throws {
        var (world, anna) = try World().withUser("anna")
        _ = try world.mealID(by: anna)
        world.backend.openMealSocket(SocketID(1), by: anna, &world.turn)
        let due = world.backend.due(limit: 5)
        #expect(due.steps.map(\.what) == [.mealLog, .mealSocketIdle] && due.count == 2)
        #expect(world.backend.due(limit: 1).steps == [due.steps[0]] && world.backend.due(limit: 1).count == 2)
        // This step belongs to a meal log that does not exist.
        let obsolete = ScheduledStep(time: World.start, position: 7, work: .mealLog)
        while world.backend.scheduledStepCount < Backend.mostSortedSteps { world.backend.schedule.insert(obsolete) }
        let most = world.backend.due(limit: 5)
        #expect(most.steps == due.steps && most.count == 2)
        world.backend.schedule.insert(obsolete)
        let long = world.backend.due(limit: 5)
        #expect(long.steps == [DueStep(time: World.start, what: .mealLog)])
        #expect(long.count == Backend.mostSortedSteps + 1)
    }
}
