import ContractSuite
import FitIQAPI

/// A minimal client that logs meals and goals, and polls the meals.
final class MealClient: ClientUnderTest {
    /// Its mistake, if any.
    enum Manner: Sendable, CaseIterable {
        case right
        /// The client polls much too often.
        case hasty
        /// The client shows calories that differ from what it received.
        case miscounts
        /// The client does not show why a meal failed.
        case hidesErrors
        /// The client sends ids in upper case, as `uuidString` writes them.
        case capitals
        /// The client reports that a timer is due but never handles it.
        case restless
        /// The client throws at the third report.
        case breaks
        /// The client claims to follow the system's clock, but does nothing.
        case idle
        /// The client claims to follow the system's clock and to be busy, but does nothing.
        case busy
    }

    private let stage: TestStage
    private let surroundings: Surroundings
    private let manner: Manner
    private var state = ClientReport()
    private var now: Timestamp
    private var nextPoll: Timestamp?
    private var reportCount = 0

    let usesSockets: Bool

    init(_ manner: Manner, on stage: TestStage, _ surroundings: Surroundings, usesSockets: Bool = true) {
        self.usesSockets = usesSockets
        (self.manner, self.stage, self.surroundings) = (manner, stage, surroundings)
        now = surroundings.now
    }

    var clock: ClientClock { [.idle, .busy].contains(manner) ? .system : .suite }

    struct Broken: Error {}

    func perform(_ instruction: ClientInstruction) async throws {
        guard clock == .suite else { return }
        switch instruction {
        case .logMeal(let text, let type):
            let body = #"{"raw_input":"\#(text)","meal_type":"\#(type.rawValue)"}"#
            let answer = try stage.exchange("POST", "/meal-logs/natural", body, of: surroundings)
            let id = answer.json?["data"]?["id"]?.string
            state.meals.append(ClientReport.Meal(id: id, text: text, status: .processing))
            state.isBusy = true
            nextPoll = now.advanced(byNanoseconds: interval)
        case .createGoal(let title, let description):
            let body = #"{"title":"\#(title)","description":"\#(description)","targetDate":"2025-06-30T00:00:00Z"}"#
            let answer = try stage.exchange("POST", "/goals", body, of: surroundings)
            state.goals.append(ClientReport.Goal(id: answer.json?["id"]?.string ?? "", title: title))
        case .loadGoals: _ = try stage.exchange("GET", "/goals", of: surroundings)
        default: throw UnsupportedInstruction(instruction)
        }
    }

    private var interval: Int64 { manner == .hasty ? 500_000_000 : 5_000_000_000 }

    func report() async throws -> ClientReport {
        reportCount += 1
        if manner == .breaks, reportCount > 2 { throw Broken() }
        if manner == .busy { state.isBusy = true }
        return state
    }

    func settle(at time: Timestamp) async throws -> Timestamp? {
        now = time
        if manner == .restless { return time }
        while let due = nextPoll, due <= now { try poll() }
        return nextPoll
    }

    private func poll() throws {
        nextPoll = nil
        for (index, meal) in state.meals.enumerated() where meal.status == .processing {
            let id = manner == .capitals ? meal.id?.uppercased() : meal.id
            let answer = try stage.exchange("GET", "/meal-logs/\(id ?? "")", of: surroundings)
            guard let data = answer.json?["data"], let status = data["status"]?.string.flatMap(MealLogStatus.init)
            else { continue }
            state.meals[index].status = status
            state.meals[index].calories = data["total_calories"]?.int.map { manner == .miscounts ? $0 + 7 : $0 }
            if manner != .hidesErrors, let reason = data["error_message"]?.string {
                state.meals[index].error = reason
                state.problems.append(ClientReport.Problem(kind: .meal, message: reason))
            }
        }
        state.isBusy = state.meals.contains { $0.status == .processing }
        if state.isBusy { nextPoll = now.advanced(byNanoseconds: interval) }
    }
}
