import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Deletion over HTTP") struct DeletionTests {
    private let network = VirtualNetwork()

    private static let goal = #"{"title":"Run","description":"","targetDate":"2025-03-01T00:00:00Z"}"#
    private static let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#

    /// The requests about an entity, each as a method and a path with a star for the id.
    private static let paths: [(HTTPRequest.Method, String)] = [
        (.get, "goals/*"), (.patch, "goals/*"), (.delete, "goals/*"), (.get, "consultations/*"),
        (.get, "consultations/*/messages"), (.post, "consultations/*/archive"), (.delete, "consultations/*"),
        (.get, "meal-logs/*"), (.delete, "meal-logs/*"),
    ]

    private static let token = Request.token(for: TestUser.anna)

    private static func request(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, token: String = token
    ) -> Request {
        let fields = [Request.bearer(token), Request.apiKey]
        let request = Request(method: method, target: "/api/v1/\(path)", fields: fields)
        return json.map(request.json) ?? request
    }

    private static func socket(_ id: String, token: String = token) -> Request {
        .handshake("/api/v1/consultations/\(id)/ws?token=\(token)")
    }

    /// Creates each kind of entity with a token; returns the ids by the first word of the path.
    private func entities(_ client: HTTPClient<VirtualClient>, token: String = token) throws -> [(String, String)] {
        try [
            ("goals", "goals", Self.goal), ("consultations", "consultations", #"{"persona":"nutritionist"}"#),
            ("meal-logs", "meal-logs/natural", Self.meal),
        ].map { kind, path, body in
            let made = try client.exchange(Self.request(.post, path, body, token: token)).json
            return (kind, try #require((made?["data"]?["id"] ?? made?["id"])?.string))
        }
    }

    @Test("A deleted resource returns 404 on every path and is missing from every list")
    func unknown() throws {
        let client = try network.client()
        for (kind, id) in try entities(client) {
            let foreign = Request.authorized(.delete, "/api/v1/\(kind)/\(id)", as: TestUser.ben)
            #expect(try client.exchange(foreign).status == 404)
            let upper = try client.exchange(Self.request(.delete, "\(kind)/\(id.uppercased())"))
            #expect(upper.status == 404 && upper.message.contains("lower-case it"))
            #expect(try client.exchange(Self.request(.get, "\(kind)/\(id)")).status == 200)
            let deleted = try client.exchange(Self.request(.delete, "\(kind)/\(id)", "not JSON"))
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            for (method, path) in Self.paths where path.hasPrefix(kind) {
                let answer = try client.exchange(Self.request(method, path.replacing("*", with: id)))
                #expect(answer.status == 404, "\(method) \(path)")
            }
            let list = try client.exchange(Self.request(.get, kind))
            #expect(list.json?["data"]?["total_count"]?.int == 0, "\(list.text)")
        }
        let counts = try network.admin(.get, "worlds/default").json
        #expect(counts?.values(of: "goals", "consultations", "meal_logs") == [0, 0, 0])
        network.advance(by: .seconds(10))
    }

    @Test("In goal-linking mode, a client can delete a goal and a conversation")
    func guide() throws {
        let network = VirtualNetwork(.goalLinking)
        let client = try network.client()
        func send(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws -> Response {
            try client.exchange(Self.request(method, path, json))
        }
        let goal = try #require(try send(.post, "goals", Self.goal).json?["id"]?.string)
        func chat() throws -> Response {
            try send(.post, "consultations/chat-about-goal", #"{"goalId":"\#(goal)"}"#)
        }
        let conversation = try #require(try chat().json?["conversationId"]?.string)
        #expect(try send(.get, "goals/\(goal)").json?["conversationId"]?.string == conversation)
        #expect(try [.delete, .get].map { try send($0, "consultations/\(conversation)").status } == [204, 404])
        #expect(try send(.get, "goals/\(goal)").json?["conversationId"] == .null)
        #expect(try [.delete, .get].map { try send($0, "goals/\(goal)").status } == [204, 404])
        #expect(try chat().status == 404)
        let other = try VirtualNetwork(.consultationWebSocket).exchange(Self.request(.delete, "goals/\(goal)"))
        #expect(other.status == 405 && other.fields[.allow] == "GET, HEAD, PATCH, OPTIONS")
    }

    @Test("Deleting a consultation closes its sockets even during an answer")
    func sockets() throws {
        let client = try network.client()
        let id = try entities(client)[1].1
        let socket = try network.client().upgrade(Self.socket(id))
        socket.send(#"{"type":"message","content":"Hello"}"#)
        network.advance(by: .milliseconds(1500))
        #expect(socket.takeTypes().contains("stream_chunk"))
        #expect(try client.exchange(Self.request(.delete, "consultations/\(id)")).status == 204)
        #expect(socket.closeCode == .normalClosure && socket.closeReason == "Consultation was deleted")
        network.advance(by: .seconds(10))
        #expect(try network.exchange(Self.socket(id)).status == 404)
    }

    @Test("Deleting an account deletes its data and revokes its tokens")
    func account() throws {
        let ada = try Ada()
        let network = ada.network
        let (client, other) = (try network.client(), try network.client())
        let made = try entities(client, token: ada.token)
        let mood = Self.request(
            .post, "wellness/mood-entries", #"{"valence":0.4,"logged_at":"2025-01-29T10:30:00Z"}"#, token: ada.token)
        #expect(try other.exchange(mood).status == 201)
        let socket = try network.client().upgrade(Self.socket(made[1].1, token: ada.token))

        #expect(try client.exchange(Self.request(.delete, "users/me", token: ada.token)).status == 204)
        #expect(socket.closeCode == .normalClosure && socket.closeReason == "Consultation was deleted")
        let state = try network.admin(.get, "state").json
        #expect(state?["users"]?.array?.isEmpty != false, "\(String(describing: state))")
        // Expects errors on connections that have already used the token, on a new connection, and for sockets.
        func expectRefusals() throws {
            for client in [client, other, try network.client()] {
                for path in ["users/me", "goals", "goals/\(made[0].1)"] {
                    let answer = try client.exchange(Self.request(.get, path, token: ada.token))
                    #expect(answer.status == 401, "\(answer.text)")
                }
            }
            #expect(try network.exchange(Self.socket(made[1].1, token: ada.token)).status == 401)
            let refreshed = try ada.refresh()
            #expect(refreshed.status == 401 && refreshed.message.contains("revoked"))
        }
        try expectRefusals()
        #expect(try network.auth("login", AccountTests.login).status == 401)

        // The address is free again, and a new account that uses it is a different user.
        let again = try network.auth("register", AccountTests.registration)
        #expect(again.status == 201 && again.json?["data"]?["user_id"] != ada.data["user_id"])
        try expectRefusals()
        let successor = try #require(again.json?["data"]?["access_token"]?.string)
        for (kind, id) in made {
            #expect(try client.exchange(Self.request(.get, "\(kind)/\(id)", token: successor)).status == 404)
        }
        // A token without an account creates its user, but does not make the deleted account's tokens valid.
        let user = try #require(ada.data["user_id"]?.string)
        #expect(try network.exchange(.authorized(.get, "/api/v1/goals", as: user)).status == 200)
        try expectRefusals()
    }

    @Test("A tool token recreates its deleted user without data")
    func toolToken() throws {
        let client = try network.client()
        let made = try entities(client)
        let before = try client.exchange(Self.request(.get, "users/me"))
        #expect(try client.exchange(Self.request(.delete, "users/me")).status == 204)
        for (kind, id) in made {
            #expect(try client.exchange(Self.request(.get, "\(kind)/\(id)")).status == 404)
            #expect(try client.exchange(Self.request(.get, kind)).json?["data"]?["total_count"]?.int == 0)
        }
        #expect(try client.exchange(Self.request(.get, "users/me")).body == before.body)
        #expect(network.engine.defaultWorld.backend.userCount == 1)
    }

    @Test("A guide mode rejects a DELETE of resources that the guide does not delete", arguments: GuideMode.guides)
    func guides(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for path in ["goals/x", "consultations/x", "meal-logs/x", "users/me"] {
            let answer = try network.exchange(Self.request(.delete, path))
            #expect([404, 405].contains(answer.status) && answer.fields[.allow]?.contains("DELETE") != true)
        }
    }
}
