import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The smallest client: it loads goals.
public struct SampleClient: Sendable {
    let base: URL
    let fields: [String: String]

    public init(environment: [String: String]) {
        base = URL(string: environment["FITIQ_MOCK_URL"] ?? "")!
        fields = [
            "Authorization": "Bearer \(environment["FITIQ_MOCK_TOKEN"] ?? "")",
            "X-API-Key": environment["FITIQ_MOCK_API_KEY"] ?? "",
        ]
    }

    public func loadGoals() async throws -> Int {
        var request = URLRequest(url: base.appending(path: "api/v1/goals"))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}
