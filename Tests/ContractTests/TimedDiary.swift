import ContractSuite
import FitIQAPI
import Foundation
import MockServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// A URLSession client whose timers follow the suite's clock; docs/swift-tests.md refers to it.

/// A meal diary that polls every five seconds on a clock that the suite moves.
final class TimedDiary: ClientUnderTest {
    let clock = ClientClock.suite
    let usesSockets = false

    private let here: Surroundings
    private let session: URLSession
    private var state = ClientReport()
    /// The meals to log and poll, with their times.
    private var agenda: [(due: Timestamp, meal: Int, type: MealType?, left: Int)] = []
    private var now: Timestamp

    init(_ here: Surroundings) {
        (self.here, now) = (here, here.now)
        let configuration = URLSessionConfiguration.ephemeral
        // A fault may hold back an answer until the clock moves, and the clock moves only after this call.
        configuration.timeoutIntervalForRequest = 2
        session = URLSession(configuration: configuration)
    }

    func perform(_ instruction: ClientInstruction) async throws {
        guard case .logMeal(let text, let type) = instruction else { throw UnsupportedInstruction(instruction) }
        state.meals.append(.init(id: nil, text: text, status: .processing, calories: nil, error: nil))
        agenda.append((now, state.meals.count - 1, type, 12))
    }

    func report() async throws -> ClientReport {
        var report = state
        report.isBusy = !agenda.isEmpty
        return report
    }

    /// Does everything that is due, waits for the answers, and returns the next due time.
    func settle(at time: Timestamp) async throws -> Timestamp? {
        now = time
        while let place = agenda.firstIndex(where: { $0.due <= now }) {
            let item = agenda.remove(at: place)
            do {
                try await ask(about: item.meal, type: item.type)
                guard state.meals[item.meal].status == .processing, item.left > 0 else { continue }
                let next = now.advanced(byNanoseconds: 5_000_000_000)
                agenda.append((next, item.meal, nil, item.left - 1))
            } catch {
                state.problems.append(.init(kind: .unavailable, message: "\(error)"))
            }
        }
        return agenda.map(\.due).min()
    }

    private func ask(about place: Int, type: MealType?) async throws {
        let meal = state.meals[place]
        let path = type == nil ? meal.id.map { "/\($0)" } ?? "" : "/natural"
        guard let url = URL(string: "\(here.url)/api/v1/meal-logs\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.setValue("Bearer \(here.token)", forHTTPHeaderField: "Authorization")
        request.setValue(here.apiKey, forHTTPHeaderField: "X-API-Key")
        if let type {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(["raw_input": meal.text, "meal_type": type.rawValue])
        }
        let (data, response) = try await session.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, status < 300 else {
            throw URLError(.badServerResponse)
        }
        let log = try JSONDecoder().decode(Answer.self, from: data).data
        let calories = log.items.map { Int($0.reduce(0) { $0 + $1.calories }.rounded()) }
        state.meals[place] = .init(
            id: log.id, text: meal.text, status: .init(rawValue: log.status) ?? .failed, calories: calories,
            error: log.error_message)
        if let message = log.error_message { state.problems.append(.init(kind: .meal, message: message)) }
    }

    private struct Answer: Decodable {
        struct Item: Decodable { var calories: Double }
        struct Log: Decodable {
            var id, status: String
            var items: [Item]?
            var error_message: String?
        }
        var data: Log
    }
}

private let server = Result { try LocalServer() }
private let cases = ContractCase.all.filter { contractCase in
    ["meal/polling/completes", "meal/polling/failure-surfaces", "meal/connected/takes-the-event"]
        .contains { contractCase.isSelected(by: $0) }
}

@Test("The diary keeps the contract without waiting in real time", arguments: cases)
func timedDiary(_ contractCase: ContractCase) async throws {
    var runner = CaseRunner(on: try server.get())
    let result = try await runner.run(contractCase) { TimedDiary($0) }
    #expect(result.isPassed)
    #expect(result.skipped == nil && result.contractTime >= .seconds(3))
}
