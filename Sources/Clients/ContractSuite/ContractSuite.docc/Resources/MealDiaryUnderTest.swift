import ContractSuite
import FitIQAPI

/// Lets the suite drive the client: it performs the user's actions and reports what the user sees.
final class MealDiaryUnderTest: ClientUnderTest {
    private let diary: MealDiary
    private var work: [Task<Void, Never>] = []
    private var unfinished = 0

    init(_ surroundings: Surroundings) {
        diary = MealDiary(url: surroundings.url, token: surroundings.token, apiKey: surroundings.apiKey)
    }

    /// Starts the user's action without waiting for it.
    func perform(_ instruction: ClientInstruction) async throws {
        guard case .logMeal(let text, let type) = instruction else { throw UnsupportedInstruction(instruction) }
        work.append(Task { [diary] in await diary.log(text, type: type.rawValue) })
    }

    func report() async throws -> ClientReport {
        var report = ClientReport()
        for meal in await diary.meals {
            report.meals.append(
                ClientReport.Meal(
                    id: meal.id, text: meal.text, status: .init(rawValue: meal.status) ?? .failed,
                    calories: meal.calories, error: meal.error))
            // This app's screen shows the error.
            if let error = meal.error { report.problems.append(.init(kind: .meal, message: error)) }
        }
        if let problem = await diary.problem { report.problems.append(.init(kind: .unavailable, message: problem)) }
        // The client is busy until every meal has a result or the client has given up.
        report.isBusy = await diary.problem == nil && report.meals.contains { $0.status == .processing }
        return report
    }

    func end() async { for task in work { task.cancel() } }
}
