import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's client, which does not depend on tests.
actor MealDiary {
    struct Meal: Sendable {
        var id: String?
        var text: String
        var status = "processing"
        var calories: Int?
        var error: String?
    }

    private let url: URL
    private let headers: [String: String]
    private(set) var meals: [Meal] = []
    private(set) var problem: String?

    init(url: String, token: String, apiKey: String) {
        self.url = URL(string: url)!.appending(path: "api/v1/")
        headers = ["Authorization": "Bearer \(token)", "X-API-Key": apiKey, "Content-Type": "application/json"]
    }

    /// Logs a meal and polls for the result every five seconds, at most twelve times.
    func log(_ text: String, type: String) async {
        let place = meals.count
        meals.append(Meal(text: text))
        do {
            let body = ["raw_input": text, "meal_type": type]
            var answer: Answer = try await call("POST", "meal-logs/natural", body)
            for _ in 0..<12 where answer.data.status == "processing" {
                meals[place].id = answer.data.id
                try await Task.sleep(for: .seconds(5))
                answer = try await call("GET", "meal-logs/\(answer.data.id)")
            }
            let calories = answer.data.items?.reduce(0) { $0 + $1.calories }
            meals[place] = Meal(
                id: answer.data.id, text: text, status: answer.data.status,
                calories: calories.map { Int($0.rounded()) },
                error: answer.data.error_message)
        } catch {
            problem = "\(error)"
        }
    }

    private struct Answer: Decodable {
        struct Log: Decodable {
            struct Item: Decodable { var calories: Double }
            var id, status: String
            var items: [Item]?
            var error_message: String?
        }
        var data: Log
    }

    private func call<Result: Decodable>(_ method: String, _ path: String, _ body: [String: String]? = nil) async throws
        -> Result
    {
        var request = URLRequest(url: URL(string: path, relativeTo: url)!)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        if let body { request.httpBody = try JSONEncoder().encode(body) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse).map({ 200..<300 ~= $0.statusCode }) ?? false else {
            throw URLError(.badServerResponse)
        }
        return try JSONDecoder().decode(Result.self, from: data)
    }
}
