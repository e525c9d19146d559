import FitIQMockTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server for these tests, started from the built binary.
enum Mock {
    static let server = MockServer.starting(binary: binary)

    /// The build puts the binary next to the test bundle.
    static var binary: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let directory = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        return directory.appendingPathComponent("fitiq-mock")
    }
}

/// An app's client, with or without a mistake.
struct PlannedClient: Sendable {
    enum Mistake: Sendable { case idsInCapitals, noKey }

    let world: MockWorld
    var mistake: Mistake?

    /// A session with enough connections for all tests; with the default of six, they would queue up.
    static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 512
        return URLSession(configuration: configuration)
    }()

    /// The status and the body of an answer.
    func call(_ method: String, _ path: String, _ body: String? = nil) async throws -> (status: Int, body: Data) {
        var request = URLRequest(url: world.url.appendingPathComponent(path), timeoutInterval: 60)
        request.httpMethod = method
        for (name, value) in world.headers where mistake != .noKey || name != "X-API-Key" {
            request.setValue(value, forHTTPHeaderField: name)
        }
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await Self.session.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    }

    /// Continues the consultation with a coach, or creates a consultation.
    func consultation(with persona: String) async throws -> String {
        let answer = try await call("POST", "api/v1/consultations", #"{"persona":"\#(persona)"}"#)
        let json = try MockWorld.JSON(text: String(decoding: answer.body, as: UTF8.self))
        let id = json["data"]?["id"] ?? json["error"]?["details"]?["existing_consultation_id"]
        return id?.string ?? ""
    }

    func consultation(_ id: String) async throws -> Int {
        try await call("GET", "api/v1/consultations/\(mistake == .idsInCapitals ? id.uppercased() : id)").status
    }

    func goals() async throws -> Int { try await call("GET", "api/v1/goals").status }

    func addGoal(_ title: String) async throws -> Int {
        try await call("POST", "api/v1/goals", #"{"title":"\#(title)","description":"","target_date":"2030-01-01"}"#)
            .status
    }
}
