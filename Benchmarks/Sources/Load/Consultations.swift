import FoundationEssentials

/// A consultation that the generator created, and its user.
public struct Consultation: Sendable {
    /// The id that the server gave it.
    public let id: String
    /// The subject of the token.
    public let user: String
    /// The credentials of that user.
    public let credentials: Credentials

    /// The path of its socket.
    public var socketPath: String { "/api/v1/consultations/\(id)/ws" }
    /// The path of its history.
    public var messagesPath: String { "/api/v1/consultations/\(id)/messages" }

    /// Invented consultations, for a server that checks nothing.
    public static func invented(_ count: Int) -> [Consultation] {
        (0..<count).map { index in
            let user = "bench-\(index)"
            return Consultation(id: user, user: user, credentials: Credentials(user: user, secret: "", apiKey: ""))
        }
    }

    /// Creates one consultation for each of `count` users, `bench-0` and on, because a user may have only ten active
    /// ones.
    public static func create(_ count: Int, port: UInt16, secret: String, apiKey: String) throws -> [Consultation] {
        let client = try HTTPClient(port: port)
        return try (0..<count).map { index in
            let user = "bench-\(index)"
            let credentials = Credentials(user: user, secret: secret, apiKey: apiKey)
            let answer = try client.exchange(
                "POST", "/api/v1/consultations", credentials, body: #"{"persona":"nutritionist"}"#)
            guard answer.status == 201,
                let created = try? JSONDecoder().decode(Created.self, from: Data(answer.body))
            else {
                let got = "\(answer.status) \(String(decoding: answer.body.prefix(500), as: UTF8.self))"
                throw LoadError.unexpected(got, wanted: "201 with data.id", during: "POST /api/v1/consultations")
            }
            return Consultation(id: created.data.id, user: user, credentials: credentials)
        }
    }
}

private struct Created: Decodable {
    struct Fields: Decodable { let id: String }
    let data: Fields
}
