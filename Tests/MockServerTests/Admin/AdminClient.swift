import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

extension VirtualNetwork {
    /// Sends a request to the admin API on its own connection.
    func admin(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, fields: [String] = [], isLocal: Bool = true
    ) throws -> Response {
        var request = Request(method: method, target: "/__admin/" + path, fields: fields)
        if let json { request = request.json(json) }
        let client = HTTPClient(try open(isLocal: isLocal))
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    func world(_ json: String = "{}") throws -> WorldClient {
        let response = try admin(.post, "worlds", json)
        try #require(response.status == 201, "\(response.text)")
        return try WorldClient(self, response)
    }

    func plainWorld() throws -> WorldClient { try WorldClient(self, admin(.get, "worlds/default")) }

    /// Takes turns until the engine has nothing left to do, and returns their count.
    @discardableResult
    func turnUntilIdle(afterEachTurn check: () throws -> Void) rethrows -> Int {
        var turns = 0
        while engine.isBusy {
            turn()
            try check()
            turns += 1
        }
        return turns
    }

    @discardableResult
    func turnUntilIdle() -> Int { turnUntilIdle {} }

    /// A network whose default world has a manual clock.
    static func manual(_ configure: (inout Engine.Configuration) -> Void = { _ in }) -> VirtualNetwork {
        VirtualNetwork { configuration in
            configuration.clock = .manual
            configuration.pace = .human
            configure(&configuration)
        }
    }
}

extension VirtualClient {
    /// The status of the first response, even if the response never ends.
    var receivedStatus: Int? {
        guard received.starts(with: "HTTP/1.1 ".utf8) else { return nil }
        return Int(String(decoding: received.dropFirst(9).prefix(3), as: UTF8.self))
    }
}

extension JSONValue {
    /// The values of these members; nil for a missing member.
    func values(of names: String...) -> [JSONValue?] { names.map { self[$0] } }
}

/// A client in one world.
struct WorldClient {
    let network: VirtualNetwork
    let id: String
    let prefix: String
    let apiKey: String
    let token: String

    init(_ network: VirtualNetwork, _ response: Response) throws {
        self.network = network
        let json = try #require(response.json)
        id = try #require(json["id"]?.string)
        let url = try #require(json["url"]?.string)
        #expect(json["ws_url"]?.string == "ws" + url.dropFirst(4))
        prefix = String(url.dropFirst("http://127.0.0.1:8080".count))
        apiKey = try #require(json["api_key"]?.string)
        token = try #require(json["token"]?.string)
    }

    static let goal = #"{"title":"Run","description":"d","targetDate":"2030-01-01T00:00:00Z"}"#

    var admin: String { "worlds/\(id)/" }

    func request(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, token: String? = nil) -> Request {
        let request = Request(
            method: method, target: prefix + path,
            fields: [Request.bearer(token ?? self.token), "X-API-Key: \(apiKey)"])
        return json.map(request.json) ?? request
    }

    func exchange(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, token: String? = nil
    ) throws -> Response {
        let client = try network.client()
        defer { client.wire.vanish() }
        return try client.exchange(request(method, path, json, token: token))
    }

    func ask(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws -> Response {
        try network.admin(method, admin + path, json)
    }

    func consultation(_ json: String = #"{"persona":"nutritionist"}"#) throws -> String {
        let response = try exchange(.post, "/api/v1/consultations", json)
        return try #require(response.json?["data"]?["id"]?.string, "\(response.text)")
    }

    func handshake(on id: String) -> Request {
        var request = Request.handshake("\(prefix)/api/v1/consultations/\(id)/ws")
        request.fields += [Request.bearer(token), "X-API-Key: \(apiKey)"]
        return request
    }

    func socket(on id: String, window: Int = .max) throws -> VirtualSocket {
        try HTTPClient(try network.open(window: window)).upgrade(handshake(on: id))
    }

    func advance(_ duration: String) throws {
        let response = try ask(.post, "clock", "{\"advance\":\"\(duration)\"}")
        #expect(response.status == 200, "\(response.text)")
    }

    func journal() throws -> [JSONValue] {
        try ask(.get, "journal").text.split(separator: "\n").map { try JSON.parse(String($0)) }
    }
}
