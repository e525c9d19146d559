import FitIQAPI
import FitIQBackend
import HTTPTypes
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// A network whose world has a built-in scenario, used by the user whose token the server prints.
struct BuiltInWorld {
    let network: VirtualNetwork
    static let consultations = "/api/v1/consultations"

    init(_ name: String, pace: Pace = .human) throws {
        let scenario = try #require(Scenario.builtIn(named: name), "\(name)")
        network = VirtualNetwork {
            $0.scenario = scenario
            $0.seed = scenario.seed ?? $0.seed
            $0.pace = pace
        }
    }

    /// Adds the credentials that the server prints for the world.
    func authorized(_ method: HTTPRequest.Method, _ target: String, _ json: String? = nil) -> Request {
        let request = Request(
            method: method, target: target, fields: [Request.bearer(network.engine.defaultWorld.token), Request.apiKey])
        return json.map(request.json) ?? request
    }

    func exchange(_ method: HTTPRequest.Method, _ target: String, _ json: String? = nil) throws -> Response {
        try network.exchange(authorized(method, target, json))
    }

    /// Sends a request without waiting for the response; returns its client.
    func begin(_ method: HTTPRequest.Method, _ target: String, _ json: String? = nil) throws -> HTTPClient<
        VirtualClient
    > {
        let client = try network.client()
        client.wire.send(authorized(method, target, json).bytes)
        return client
    }

    func logIn(_ email: String) throws -> Response {
        try exchange(.post, "/api/v1/auth/login", #"{"email":"\#(email)","password":"correct horse battery"}"#)
    }

    func create(_ persona: String = "nutritionist") throws -> Response {
        try exchange(.post, Self.consultations, #"{"persona":"\#(persona)"}"#)
    }

    func consultation() throws -> String {
        let created = try create()
        #expect(created.status == 201)
        return try #require(created.json?["data"]?["id"]?.string)
    }

    func handshake(_ id: String) -> Request {
        var request = Request.handshake("\(Self.consultations)/\(id)/ws")
        request.fields += [Request.bearer(network.engine.defaultWorld.token), Request.apiKey]
        return request
    }

    /// A socket after `connected`.
    func socket(on id: String) throws -> VirtualSocket {
        let socket = try network.client().upgrade(handshake(id))
        #expect(socket.takeTypes() == ["connected"])
        return socket
    }

    /// The history, as `user: Hello`.
    func history(_ id: String) throws -> [String] {
        let answer = try exchange(.get, "\(Self.consultations)/\(id)/messages?page_size=100")
        return try #require(answer.json?["data"]?["messages"]?.array).map {
            "\($0["role"]?.string ?? "?"): \($0["content"]?.string ?? "?")"
        }
    }

    /// Asks a question, and returns the frames that arrive, each with its time: `0.500 s stream_chunk`.
    func heard(_ question: String, on socket: VirtualSocket, for duration: Duration) -> [String] {
        socket.send(#"{"type":"message","content":"\#(question)"}"#)
        let start = network.now.nanosecondsSinceEpoch
        var lines: [String] = []
        var isOver = false
        network.advance(by: duration) {
            let time = VirtualNetwork.text(network.now.nanosecondsSinceEpoch - start)
            for type in socket.takeTypes() { lines.append("\(time) \(type)") }
            guard !isOver, socket.wire.ending != .open || socket.wire.sawEndOfStream else { return }
            isOver = true
            lines.append("\(time) \(socket.wire.ending == .reset ? "reset" : "end")")
        }
        return lines
    }

    /// Expects that a question gets a complete answer.
    func expectWell(_ id: String) throws {
        let lines = heard("Once more?", on: try socket(on: id), for: .seconds(30))
        #expect(lines.last?.hasSuffix(" stream_complete") == true, "\(lines)")
    }
}

extension [String] {
    /// Lines without their times.
    var untimed: [String] { map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") } }
}
