import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Manual meal logs") struct ManualMealTests {
    @Test("Every mode except websocket-architecture accepts manual meals", arguments: GuideMode.allCases)
    func modes(mode: GuideMode) throws {
        var meal = MealLogData(rawInput: "a pie", mealType: .lunch)
        meal.isManual = true
        let data = WorldData(users: [UserData(id: "u", mealLogs: [meal])])
        var world = World(mode: mode)
        guard mode == .webSocketArchitecture else { return try world.backend.plant(data, &world.turn) }
        let error = #expect(throws: PlantError.self) { try world.backend.plant(data, &world.turn) }
        #expect(error?.path == "users[0].meal_logs[0].status" && error?.message.contains("set completed") == true)
    }
}
