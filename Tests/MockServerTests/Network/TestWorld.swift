import FitIQAPI
import HTTPTypes
import JSON
import MockServer
import Testing

/// Users and consultations that tests begin with.
enum TestUser {
    static let anna = "11111111-1111-4111-8111-111111111111"
    static let ben = "22222222-2222-4222-8222-222222222222"
}

extension VirtualNetwork {
    /// Makes a consultation and returns its id.
    func consultation(_ json: String = #"{"persona":"nutritionist"}"#, of user: String = TestUser.anna) throws -> String
    {
        let client = try HTTPClient(self)
        defer { client.wire.vanish() }
        let response = try client.exchange(.create(json, as: user))
        #expect(response.status == 201)
        return try #require(response.json?["data"]?["id"]?.string)
    }

    /// Sends one request on a connection of its own.
    func exchange(_ request: Request) throws -> Response {
        let client = try HTTPClient(self)
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    func archive(_ id: String, of user: String = TestUser.anna) throws {
        #expect(try exchange(.authorized(.post, "/api/v1/consultations/\(id)/archive", as: user)).status == 200)
    }

    /// Opens the socket of a consultation.
    func socket(on id: String, of user: String = TestUser.anna, window: Int = .max) throws -> SocketClient {
        let client = HTTPClient(try open(window: window))
        return try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: user))
    }

    func echo() throws -> SocketClient {
        try HTTPClient(self).upgrade(.handshake("/__admin/echo"))
    }
}
