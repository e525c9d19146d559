import FitIQBackend
import HTTPTypes
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

    func authorized(_ method: HTTPRequest.Method, _ target: String, _ json: String? = nil) -> Request {
        let request = Request(
            method: method, target: target, fields: [Request.bearer(network.engine.defaultWorld.token), Request.apiKey])
        return json.map(request.json) ?? request
    }

    func exchange(_ method: HTTPRequest.Method, _ target: String, _ json: String? = nil) throws -> Response {
        try network.exchange(authorized(method, target, json))
    }

    func begin(
        _ method: HTTPRequest.Method, _ target: String, _ json: String? = nil
    ) throws -> HTTPClient<VirtualClient> { try network.sending(authorized(method, target, json)) }

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

    static func chat(_ name: String) throws -> (BuiltInWorld, id: String, VirtualSocket) {
        let world = try BuiltInWorld(name)
        let id = try world.consultation()
        return (world, id, try world.socket(on: id))
    }

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
    func heard(_ question: String, on socket: VirtualSocket, for duration: Duration = .seconds(30)) -> [String] {
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

    func expectWell(_ id: String) throws { expectAnswer(to: "Once more?", on: try socket(on: id)) }

    func expectAnswer(to question: String, on socket: VirtualSocket) {
        let lines = heard(question, on: socket)
        #expect(lines.last?.hasSuffix(" stream_complete") == true, "\(lines)")
    }
}

extension [String] { var untimed: [String] { map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") } } }
