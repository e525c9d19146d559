import FitIQAPI
import FitIQBackend
import Foundation
import GuideModels
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

/// A client based on one guide, which encodes requests and decodes answers with the guide's models.
///
/// A server in the guide's mode must answer in exactly the guide's shape; in union mode, answers may have more members.
struct GuideClient {
    let guide: GuideMode
    let network: VirtualNetwork
    var user = TestUser.anna

    init(_ guide: GuideMode, of server: GuideMode, pace: Pace = .instant) {
        self.guide = guide
        network = VirtualNetwork {
            $0.mode = server
            $0.pace = pace
        }
    }

    func loggedIn(as user: String) -> GuideClient {
        var client = self
        client.user = user
        return client
    }

    // MARK: Requests

    func get(_ path: String) throws -> Response { try network.call(.get, path, as: user) }

    func post(_ path: String) throws -> Response { try network.call(.post, path, as: user) }

    func post(_ path: String, _ body: some Encodable) throws -> Response { try send(.post, path, body) }

    func patch(_ path: String, _ body: some Encodable) throws -> Response { try send(.patch, path, body) }

    /// Sends a request exactly as a guide prints it.
    func send(_ method: HTTPRequest.Method, _ path: String, json: String) throws -> Response {
        try network.call(method, path, json, as: user)
    }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: some Encodable) throws -> Response {
        try send(method, path, json: String(decoding: JSONEncoder.iso8601().encode(body), as: UTF8.self))
    }

    // MARK: Common test setup

    /// Creates a goal with the endpoint that every guide with consultations documents or assumes.
    func goal(_ title: String = "Exercise 3x per week") throws -> String {
        let response = try post(
            "goals",
            GoalLinkingGuide.CreateGoalRequest(
                title: title, description: "Build a consistent workout habit",
                targetDate: Date(timeIntervalSince1970: 1_740_787_200), category: "fitness"))
        #expect(response.status == 201, "\(response.text)")
        return try #require(response.json?["id"]?.string)
    }

    /// Creates a consultation as the guide's client does; a goal-linking client chats about a goal.
    func consultation(_ persona: Persona = .nutritionist) throws -> String {
        if guide == .goalLinking {
            let chat = try post("consultations/chat-about-goal", ["goalId": goal()])
            return try #require(chat.json?["conversationId"]?.string, "\(chat.text)")
        }
        let field = guide == .webSocketArchitecture ? "coach_type" : "persona"
        let response = try post("consultations", [field: persona.rawValue])
        let data = response.json?["data"]
        let id = data?["id"] ?? data?["consultation"]?["id"] ?? response.json?["consultation_id"]
        return try #require(id?.string, "\(response.text)")
    }

    /// Opens a consultation's socket, with the credentials where the guide puts them.
    func connect(_ consultation: String) throws -> VirtualSocket {
        let path = "/api/v1/consultations/\(consultation)/ws"
        return try network.client().upgrade(
            guide.webSocketCredentials == .headers
                ? .handshake(path, as: user) : .handshake("\(path)?token=\(Request.token(for: user))"))
    }

    // MARK: Answers

    /// Reads a response with the guide's model, and compares it with the guide's shape.
    func read<Model: Decodable>(
        _ model: Model.Type, _ shape: Shape, _ response: Response, status: Int = 200,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Model {
        #expect(response.status == status, sourceLocation: location)
        return try read(model, shape, try #require(response.json, sourceLocation: location), at: location)
    }

    /// Reads a frame, or part of an answer.
    func read<Model: Decodable>(
        _ model: Model.Type, _ shape: Shape, _ value: JSONValue, at location: SourceLocation = #_sourceLocation
    ) throws -> Model {
        #expect(departures(of: value, from: shape) == [], sourceLocation: location)
        return try JSONDecoder.iso8601().decode(model, from: Data(value.encoded()))
    }

    /// The differences between an answer and the guide's shape; in union mode, the union's additions are ignored.
    func departures(of value: JSONValue, from shape: Shape) -> [String] {
        shape.differences(from: value).filter {
            network.engine.defaultWorld.mode == guide || !$0.hasSuffix(": not in the guide")
        }
    }
}

extension VirtualSocket {
    func send(_ frame: some Encodable) throws {
        send(String(decoding: try JSONEncoder.iso8601().encode(frame), as: UTF8.self))
    }
}

extension [JSONValue] {
    /// The types of the frames; repeated types appear once.
    var story: [String] {
        compactMap { $0["type"]?.string }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

extension Shape {
    /// The shape of an error; in union mode, the message is also at the top level, where the apps expect it.
    static func failure(in mode: GuideMode) -> Shape {
        guard mode.servesApps else { return failure }
        return .members([
            "success": .bool, "error": .members(["code": .string, "message": .string, "details?": .any]),
            "message": .string,
        ])
    }
}
