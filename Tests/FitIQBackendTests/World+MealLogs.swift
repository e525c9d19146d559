import FitIQAPI
import JSON

@testable import FitIQBackend

extension World {
    /// A world that answers in one guide's mode.
    static func answering(as mode: GuideMode, pace: Pace = .human) -> World {
        var world = World()
        world.backend = Backend(Backend.Configuration(origin: World.origin, pace: pace, mode: mode))
        return world
    }

    /// Logs a meal and returns the body of the 201.
    mutating func logMeal(
        _ text: String = "2 eggs", _ type: MealType = .breakfast, at time: DateTime? = nil, by user: UserID
    ) throws(APIError) -> [UInt8] {
        let request = CreateMealLogRequest(rawInput: text, mealType: type, loggedAt: time)
        return try backend.createMealLog(request, by: user, &turn)
    }

    /// Logs a meal and returns its id.
    mutating func mealID(
        _ text: String = "2 eggs", _ type: MealType = .breakfast, at time: DateTime? = nil, by user: UserID
    ) throws -> String { try JSON.parse(try logMeal(text, type, at: time, by: user))["data"]?["id"]?.string ?? "" }

    func showMeal(_ id: String, for user: UserID) throws -> JSONValue {
        try JSON.parse(try backend.mealLog(id, for: user))["data"] ?? .null
    }

    func listMeals(_ query: [(name: String, value: String)] = [], for user: UserID) throws -> JSONValue {
        try JSON.parse(backend.mealLogs(try MealLogListQuery(query: query), for: user).make())["data"] ?? .null
    }

    /// Waits longer than any processing takes.
    mutating func waitForMeals() { wait(milliseconds: 4501) }

    mutating func takeMeals() -> [Effect] {
        waitForMeals()
        return takeEffects()
    }
}

extension [Effect] {
    /// The meal events that one socket received.
    func mealEvents(of number: UInt64) -> [JSONValue] {
        frames(of: number).filter { $0["type"]?.string?.hasPrefix("meal_log.") == true }
    }
}
