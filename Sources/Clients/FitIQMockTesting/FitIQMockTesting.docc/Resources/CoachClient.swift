import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Talks to the coaches.
public struct CoachClient: Sendable {
    /// The backend refused a request.
    public struct Refused: Error { public let status: Int }

    private let baseURL: URL
    private let headers: [String: String]
    private let session = URLSession(configuration: .ephemeral)

    public init(baseURL: URL, headers: [String: String]) {
        self.baseURL = baseURL
        self.headers = headers
    }

    /// Starts a consultation or continues the existing one.
    public func start(with persona: String) async throws -> UUID {
        struct Started: Decodable {
            struct Body: Decodable { var id: UUID }
            struct Failure: Decodable {
                struct Details: Decodable { var existing_consultation_id: UUID }
                var details: Details
            }
            var data: Body?
            var error: Failure?
        }
        let (status, data) = try await send("POST", "consultations", ["persona": persona])
        guard status == 201 || status == 409 else { throw Refused(status: status) }
        let answer = try JSONDecoder().decode(Started.self, from: data)
        guard let id = answer.data?.id ?? answer.error?.details.existing_consultation_id else {
            throw Refused(status: status)
        }
        return id
    }

    /// The text of each message.
    public func messages(in id: UUID) async throws -> [String] {
        struct Messages: Decodable {
            struct Body: Decodable { var messages: [Message] }
            struct Message: Decodable { var content: String }
            var data: Body
        }
        let (status, data) = try await send("GET", "consultations/\(id.uuidString.lowercased())/messages")
        guard status == 200 else { throw Refused(status: status) }
        return try JSONDecoder().decode(Messages.self, from: data).data.messages.map(\.content)
    }

    /// Archives a consultation; if that fails, it stays in the list.
    public func archive(_ id: UUID) async {
        _ = try? await send("POST", "consultations/\(id)/archive")
    }

    private func send(_ method: String, _ path: String, _ body: [String: String]? = nil) async throws -> (Int, Data) {
        var request = URLRequest(url: baseURL.appendingPathComponent("api/v1/\(path)"))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await session.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    }
}
