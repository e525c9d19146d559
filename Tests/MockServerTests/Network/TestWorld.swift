import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

typealias VirtualSocket = SocketClient<VirtualClient>

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

    /// A network without artificial delays whose default world has the scenario.
    static func adopting(_ yaml: String) throws -> VirtualNetwork {
        let scenario = try Scenario.read(yaml)
        return VirtualNetwork {
            $0.adopt(scenario)
            $0.pace = .instant
        }
    }

    func open(window: Int = .max, isLocal: Bool = true, isSecure: Bool = false) throws -> VirtualClient {
        try #require(
            connect(window: window, isLocal: isLocal, isSecure: isSecure), "the engine refused a connection outright")
    }

    func client() throws -> HTTPClient<VirtualClient> { HTTPClient(try open()) }

    func sending(_ request: Request) throws -> HTTPClient<VirtualClient> {
        let client = try client()
        client.wire.send(request.bytes)
        return client
    }

    /// Whether and how a connection has ended a millisecond before this much time has passed, and when it has passed.
    func endings(of wire: VirtualClient, after duration: Duration) -> [VirtualClient.Ending] {
        [duration - .milliseconds(1), .milliseconds(1)].map { step in
            advance(by: step)
            return wire.ending
        }
    }

    /// The number of bytes that the server holds because the client is not reading them.
    func unsent(by client: VirtualClient) -> Int { connection(of: client)?.output.count ?? 0 }

    func consultation(_ json: String = #"{"persona":"nutritionist"}"#, of user: String = TestUser.anna) throws -> String
    {
        let response = try exchange(.create(json, as: user))
        #expect(response.status == 201)
        return try #require(response.json?["data"]?["id"]?.string)
    }

    func exchange(_ request: Request) throws -> Response {
        let client = try client()
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    func messages(of id: String) throws -> [JSONValue] {
        let path = "/api/v1/consultations/\(id)/messages"
        return try #require(try exchange(.authorized(.get, path, as: TestUser.anna)).json?["data"]?["messages"]?.array)
    }

    func archive(_ id: String, of user: String = TestUser.anna) throws {
        #expect(try exchange(.authorized(.post, "/api/v1/consultations/\(id)/archive", as: user)).status == 200)
    }

    func socket(on id: String, of user: String = TestUser.anna, window: Int = .max) throws -> VirtualSocket {
        let client = HTTPClient(try open(window: window))
        return try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: user))
    }

    /// The first user's consultation and its socket.
    func chat() throws -> (id: String, socket: VirtualSocket) {
        let id = try consultation()
        return (id, try socket(on: id))
    }

    func echo(isRead: Bool = true) throws -> VirtualSocket {
        let socket = try client().upgrade(.handshake("/__admin/echo"))
        if !isRead { socket.wire.stopReading() }
        return socket
    }
}

extension Request { static let quickActions = Request.authorized(.get, "/api/v1/consultations/quick-actions") }

extension Response {
    /// The status and the error's code, such as `404 NOT_FOUND`.
    var refusal: String { "\(status) \(errorCode ?? "without a code")" }
}
