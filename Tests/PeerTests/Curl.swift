import Foundation
import Testing

/// Runs curl as a client of a running server.
struct Curl {
    let server: RunningServer
    let token: String

    init(_ server: RunningServer, user: String) async throws {
        self.server = server
        let command = try await Command(try Programs.fitiqMock(), ["token", "--user", user])
        token = String(command.output.dropLast())
    }

    var credentials: [String] {
        ["--header", "Authorization: Bearer \(token)", "--header", "X-API-Key: \(server.ready.api_key)"]
    }

    /// Runs curl; the transfer must succeed, with any status.
    func run(_ arguments: [String]) async throws -> String {
        // -q ignores the user's .curlrc, and --noproxy ignores proxies.
        let fixed = ["-q", "--silent", "--show-error", "--noproxy", "*", "--max-time", "20"]
        let command = try await Command(try Programs.curl(), fixed + arguments)
        try #require(command.status == 0, "curl \(arguments) failed: \(command.transcript)")
        return command.output
    }

    /// Sends a request with credentials and returns the response.
    func send(_ method: String, _ path: String, _ body: String? = nil, _ options: String...) async throws -> Response {
        var arguments = ["--include", "--request", method] + credentials
        if let body { arguments += ["--header", "Content-Type: application/json", "--data-binary", body] }
        return try Response(try await run(arguments + options + [server.ready.url + path]))
    }

    /// What `--include` prints.
    struct Response {
        let interim: [String]
        let status: Int
        let fields: [String: String]
        let body: String

        init(_ text: String) throws {
            var rest = text[...]
            var heads: [Substring] = []
            repeat {
                let end = try #require(rest.firstRange(of: "\r\n\r\n"), "No end of a head in: \(text)")
                heads.append(rest[..<end.lowerBound])
                rest = rest[end.upperBound...]
            } while heads.last?.hasPrefix("HTTP/1.1 1") ?? false
            let lines = try #require(heads.last).components(separatedBy: "\r\n")
            status = try #require(Int(lines[0].split(separator: " ")[1]), "No status in: \(lines[0])")
            interim = heads.dropLast().map(String.init)
            fields = Dictionary(
                lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
                }, uniquingKeysWith: { "\($0), \($1)" })
            body = String(rest)
        }

        func answer() throws -> Answer { try decoded() }

        func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(body.utf8))
        }
    }

    /// The response to chat-about-goal, whose persona is an object.
    struct Chat: Decodable {
        let conversationId: String
        let persona: Persona

        struct Persona: Decodable { let name: String }
    }

    /// The response members that the stories check.
    struct Answer: Decodable {
        let success: Bool
        let data: Payload?
        let error: Refusal?
        // Members of goal-linking, outside the envelope.
        let id: String?
        let title: String?
        let conversationId: String?
        let goalId: String?
        let totalCount: Int?

        struct Payload: Decodable {
            let id: String?
            let status: String?
            let persona: Coach?
            let consultations: [Item]?
            let pagination: Pagination?
            let messages: [Message]?
            let quick_actions: [QuickAction]?
            let count: Int?
            let conversation_id: String?
            let total_calories: Int?
            let total_protein_g: Double?
            let items: [Item]?
            let meal_logs: [Item]?
            let total_count: Int?
        }
        /// A consultation has the coach's id as a string; a chat about a goal has an object.
        struct Coach: Decodable {
            let id: String

            private enum CodingKeys: CodingKey { case id }

            init(from decoder: any Decoder) throws {
                if let name = try? decoder.singleValueContainer().decode(String.self) {
                    id = name
                } else {
                    id = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .id)
                }
            }
        }

        struct Item: Decodable { let id: String }
        struct Pagination: Decodable {
            let total_count: Int
            let has_next: Bool
        }
        struct Message: Decodable {
            let role: String
            let content: String
        }
        struct QuickAction: Decodable { let prompt: String }
        struct Refusal: Decodable {
            let code: String
            let message: String
            let details: Details?
        }
        struct Details: Decodable { let existing_consultation_id: String? }
    }
}
