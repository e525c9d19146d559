import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's client, which does not depend on tests.
struct GoalBook {
    struct Goal: Decodable, Sendable {
        var id, title: String
    }

    var url: String
    var token: String
    var apiKey: String

    func create(_ title: String) async throws -> Goal {
        let body = ["title": title, "description": "From the book of goals", "targetDate": "2030-01-01T00:00:00Z"]
        let answer: Answer<Goal> = try await call("POST", body)
        return answer.data
    }

    func all() async throws -> [Goal] {
        let answer: Answer<Goals> = try await call("GET")
        return answer.data.goals
    }

    private struct Goals: Decodable { var goals: [Goal] }
    private struct Answer<Content: Decodable>: Decodable { var data: Content }

    /// Retries after 1, 2 and 4 seconds if the backend fails.
    private func call<Result: Decodable>(_ method: String, _ body: [String: String]? = nil) async throws -> Result {
        var request = URLRequest(url: URL(string: url + "/api/v1/goals")!)
        request.httpMethod = method
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer \(token)", "X-API-Key": apiKey, "Content-Type": "application/json",
        ]
        if let body { request.httpBody = try JSONEncoder().encode(body) }
        for pause in [1, 2, 4, nil] {
            let (data, response) = try await URLSession.shared.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            if 200..<300 ~= status { return try JSONDecoder().decode(Result.self, from: data) }
            guard status >= 500, let pause else { break }
            try await Task.sleep(for: .seconds(pause))
        }
        throw URLError(.badServerResponse)
    }
}
