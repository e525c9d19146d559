import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

typealias VirtualSocket = SocketClient<VirtualClient>

/// The users in tests.
enum TestUser {
    static let anna = "11111111-1111-4111-8111-111111111111"
    static let ben = "22222222-2222-4222-8222-222222222222"
}

extension VirtualNetwork {
    /// 2025-01-29T10:30:00Z.
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    convenience init(_ configure: (inout Engine.Configuration) -> Void = { _ in }) {
        var configuration = Engine.Configuration(pace: .instant)
        configure(&configuration)
        do throws(APIError) {
            self.init(try Engine(configuration, now: Self.start), now: Self.start)
        } catch {
            preconditionFailure("The scenario's data does not fit together: \(error.message)")
        }
        report = { Issue.record("\($0)") }
    }

    /// Opens a connection, which the limits must allow.
    func open(window: Int = .max, isLocal: Bool = true, isSecure: Bool = false) throws -> VirtualClient {
        try #require(
            connect(window: window, isLocal: isLocal, isSecure: isSecure), "the engine refused a connection outright")
    }

    func client() throws -> HTTPClient<VirtualClient> { HTTPClient(try open()) }

    /// The number of bytes that the server holds because the client is not reading them.
    func unsent(by client: VirtualClient) -> Int { connection(of: client)?.output.count ?? 0 }

    /// Creates a consultation and returns its id.
    func consultation(_ json: String = #"{"persona":"nutritionist"}"#, of user: String = TestUser.anna) throws -> String
    {
        let client = try client()
        defer { client.wire.vanish() }
        let response = try client.exchange(.create(json, as: user))
        #expect(response.status == 201)
        return try #require(response.json?["data"]?["id"]?.string)
    }

    /// Sends one request on its own connection.
    func exchange(_ request: Request) throws -> Response {
        let client = try client()
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    func archive(_ id: String, of user: String = TestUser.anna) throws {
        #expect(try exchange(.authorized(.post, "/api/v1/consultations/\(id)/archive", as: user)).status == 200)
    }

    /// Opens a consultation's socket.
    func socket(on id: String, of user: String = TestUser.anna, window: Int = .max) throws -> VirtualSocket {
        let client = HTTPClient(try open(window: window))
        return try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: user))
    }

    func echo() throws -> VirtualSocket { try client().upgrade(.handshake("/__admin/echo")) }
}
