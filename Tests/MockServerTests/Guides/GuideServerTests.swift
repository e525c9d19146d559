import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

extension VirtualNetwork {
    convenience init(_ mode: GuideMode) {
        self.init { $0.mode = mode }
    }
}

@Suite("A server in a guide's mode") struct GuideServerTests {
    private static let id = "00000000-0000-4000-8000-000000000000"

    private func request(_ endpoint: Endpoint) -> Request {
        let path = endpoint.template.replacing("{id}", with: Self.id).replacing("{goalId}", with: Self.id)
        var request = Request(method: endpoint.method, target: path)
        if endpoint == .webSocket { request = .handshake(path) }
        return endpoint.method == .get ? request : request.json("{}")
    }

    private func authorized(_ endpoint: Endpoint, _ fields: [String]) -> Request {
        var request = request(endpoint)
        request.fields += fields
        return request
    }

    private static let bearer = Request.bearer(Request.token(for: TestUser.anna))

    // MARK: Available endpoints

    @Test("Another guide's endpoint returns 404 and names the guides that have it", arguments: GuideMode.guides)
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        // Deletion, which only one guide assumes, gets 405 in the other guides' modes, because the paths exist there.
        let others = Endpoint.allCases.filter { !mode.serves($0) && $0.isOfGuides && $0.method != .delete }
        for endpoint in others {
            for fields in [[], [Self.bearer, Request.apiKey]] {
                let response = try network.exchange(authorized(endpoint, fields))
                #expect(response.status == 404, "\(endpoint): \(response.text)")
                #expect(response.errorCode == "NOT_FOUND")
                #expect(response.message.contains("is not in the guide \(mode.rawValue)"), "\(response.message)")
                for guide in endpoint.guides { #expect(response.message.contains(guide.rawValue)) }
            }
        }
    }

    @Test(
        "Documented and presupposed endpoints exist and require credentials in each mode", arguments: GuideMode.allCases
    )
    func present(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for endpoint in Endpoint.allCases where mode.serves(endpoint) && endpoint.isOfGuides {
            #expect(try network.exchange(request(endpoint)).status == 401, "\(endpoint)")
            let response = try network.exchange(authorized(endpoint, [Self.bearer, Request.apiKey]))
            let expected: [Int] =
                switch endpoint {
                case .listConsultations, .listQuickActions, .listGoals, .listMealLogs: [200]
                case .createConsultation, .createGoal, .createMealLog, .chatAboutGoal: [400]
                case .webSocket: [404, 401]
                default: [404]
                }
            #expect(expected.contains(response.status), "\(endpoint): \(response.text)")
            #expect(!response.message.contains("--guide") || endpoint == .webSocket, "\(endpoint): \(response.message)")
        }
    }

    @Test("A method that no mode allows returns 405 with this mode's methods", arguments: GuideMode.allCases)
    func wrongMethod(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        let response = try network.exchange(Request(method: .delete, target: "/api/v1/consultations"))
        guard mode != .goalLinking else {
            #expect(response.status == 404 && response.message.contains("is not in the guide goal-linking"))
            return
        }
        #expect(response.status == 405)
        let reads = mode.serves(.listConsultations) ? "GET, HEAD, " : ""
        #expect(response.fields[.allow] == "\(reads)POST, OPTIONS")
    }

    @Test("Every mode serves health and avatars", arguments: GuideMode.allCases)
    func always(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for path in ["/health", "/ready", "/avatars/nutritionist.svg", "/__admin/health"] {
            #expect(try network.exchange(Request(target: path)).status == 200)
        }
        #expect(try network.exchange(Request(target: "/__admin/health")).json?["guide"]?.string == mode.rawValue)
    }

    @Test("The server serves its mode's descriptions without credentials", arguments: GuideMode.allCases)
    func descriptions(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for (path, description, mediaType) in [
            ("/openapi.yaml", APIDescription.openAPI, "application/yaml"),
            ("/asyncapi.yaml", .asyncAPI, "application/yaml"), ("/docs", .documentation, "text/html; charset=utf-8"),
        ] {
            let response = try network.exchange(Request(target: path))
            #expect(response.status == 200 && response.fields[.contentType] == mediaType)
            #expect(response.body == description.bytes(for: mode))
        }
        let openAPI = try network.exchange(Request(target: "/openapi.yaml")).text
        // Parameter names do not matter.
        let paths = Set(openAPI.split(separator: "\n").map { $0.replacing(#/{\w+}/#, with: "{}") })
        for endpoint in Endpoint.allCases where mode.serves(endpoint) {
            let path = endpoint.template.replacing(#/{\w+}/#, with: "{}")
            #expect(paths.contains("  \(path):"), "\(endpoint)")
        }
    }

    @Test("The root of a server or a world redirects to its documentation")
    func pages() throws {
        for mode in GuideMode.allCases {
            let network = VirtualNetwork(mode)
            let root = try network.exchange(Request(target: "/"))
            #expect(root.status == 302 && root.fields[.location] == "/docs" && root.body.isEmpty)
            let world = try network.world()
            let below = try network.exchange(Request(target: "/w/\(world.id)/"))
            #expect(below.status == 302 && below.fields[.location] == "/w/\(world.id)/docs")
            let page = try network.exchange(Request(target: "/docs/deviations"))
            #expect(page.status == 200 && page.fields[.contentType] == "text/html; charset=utf-8")
            #expect(page.body == APIDescription.bytes(of: "openapi/deviations.html"))
            #expect(page.text.contains("Where the guides disagree"))
            for (path, type) in [("llms.txt", "text/plain"), ("docs/admin.md", "text/markdown")] {
                for prefix in ["/", "/w/\(world.id)/"] {
                    let page = try network.exchange(Request(target: prefix + path))
                    #expect(page.status == 200 && page.fields[.contentType] == type + "; charset=utf-8", "\(path)")
                    #expect(page.text == (try textOfPackage(path)), "\(path)")
                }
            }
            for path in [
                "/docs/none.md", "/docs/admin.md/", "/docs/..%2Fllms.txt", "/docs/..%2FREADME.md",
                "/docs/admin.md%00.md",
            ] {
                #expect([400, 404].contains(try network.exchange(Request(target: path)).status), "\(path)")
            }
        }
    }

    // MARK: Refusals

    @Test("meal-log-websocket uses its own error form only for documented requests")
    func formOfRefusals() throws {
        let network = VirtualNetwork(.mealLogWebSocket)
        let own = try network.exchange(request(.showMealLog))
        #expect(own.json?.object?.keys == ["error"])
        #expect(own.json?["error"]?.object?.keys == ["message", "code"])
        for endpoint in [Endpoint.createConsultation, .listMealLogs] {
            #expect(try network.exchange(request(endpoint)).json?["success"] == false)
        }
        #expect(try network.exchange(Request(target: "/nothing")).json?.object?.keys == ["error"])
        let broken = try network.client()
        broken.wire.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try broken.response().json?.object?.keys == ["error"])
        #expect(try VirtualNetwork(.goalLinking).exchange(request(.showGoal)).json?["success"] == false)
    }

    // MARK: Credentials

    @Test(
        "A guide without API keys accepts a request without a key but rejects a wrong key",
        arguments: GuideMode.allCases)
    func apiKey(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        let endpoint: Endpoint = mode.serves(.showConsultation) ? .showConsultation : .showMealLog
        let keyless = try network.exchange(authorized(endpoint, [Self.bearer]))
        #expect(keyless.status == (mode.requiresAPIKey ? 401 : 404))
        let wrong = try network.exchange(authorized(endpoint, [Self.bearer, "X-API-Key: wrong"]))
        #expect(wrong.status == 401 && wrong.message.contains("not this server's"))
    }

    /// Anna's consultation in any mode: goal-linking creates the consultation by chatting about a goal.
    private func consultation(_ network: VirtualNetwork) throws -> String {
        guard network.engine.defaultWorld.mode == .goalLinking else {
            let response = try network.exchange(
                .create(#"{"persona":"nutritionist","coach_type":"nutritionist"}"#, as: TestUser.anna))
            let data = response.json?["data"]
            let id = data?["id"] ?? data?["consultation"]?["id"] ?? response.json?["consultation_id"]
            return try #require(id?.string, "\(response.text)")
        }
        let goal = try network.exchange(
            .authorized(.post, "/api/v1/goals", as: TestUser.anna)
                .json(#"{"title":"T","description":"D","targetDate":"2025-03-01T00:00:00Z"}"#))
        let goalID = try #require(goal.json?["id"]?.string, "\(goal.text)")
        let chat = try network.exchange(
            .authorized(.post, "/api/v1/consultations/chat-about-goal", as: TestUser.anna)
                .json(#"{"goalId":"\#(goalID)"}"#))
        return try #require(chat.json?["conversationId"]?.string, "\(chat.text)")
    }

    @Test("The WebSocket accepts credentials only where the guide puts them", arguments: GuideMode.allCases)
    func webSocketCredentials(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        let id = try consultation(network)
        let path = "/api/v1/consultations/\(id)/ws"
        let query = "?token=\(Request.token(for: TestUser.anna))"
        func status(_ path: String, _ fields: [String]) throws -> Int {
            var request = Request.handshake(path)
            request.fields += fields
            return try network.exchange(request).status
        }
        let headers = [Self.bearer, Request.apiKey]
        let accepted = mode.webSocketCredentials
        #expect(try status(path, headers) == (accepted == .queryToken ? 401 : 101))
        #expect(try status(path + query, []) == (accepted == .headers ? 401 : 101))
        #expect(try status(path + query, headers) == 101)
        #expect(try status(path, []) == 401)
        #expect(try status(path + query, [Self.bearer, "X-API-Key: wrong"]) == 401)
        #expect(
            try status(path + "?token=bad", accepted == .headers ? headers : []) == (accepted == .headers ? 101 : 401))
        #expect(try status(path, [Self.bearer]) == (mode == .goalLinking ? 101 : 401))
    }

    // MARK: The socket

    private func connect(_ network: VirtualNetwork) throws -> VirtualSocket {
        let path = "/api/v1/consultations/\(try consultation(network))/ws?token=\(Request.token(for: TestUser.anna))"
        return try network.client().upgrade(.handshake(path, as: TestUser.anna))
    }

    static let stories: [(GuideMode, message: [String], userMessage: [String])] = {
        let stream = ["message_received", "stream_chunk", "stream_complete"]
        let assistant = [
            "user_message", "assistant_message_start", "assistant_message_chunk", "assistant_message_end",
        ]
        return [
            (.union, stream, assistant), (.goalLinking, stream, assistant),
            (.consultationWebSocket, stream, ["error"]), (.enhancedConsultations, ["error"], assistant),
            (.webSocketArchitecture, ["stream_chunk", "stream_complete"], ["error"]),
            (.mealLogWebSocket, ["error"], ["error"]),
        ]
    }()

    @Test("The socket accepts only the guide's protocol", arguments: stories)
    func chat(mode: GuideMode, message: [String], userMessage: [String]) throws {
        let network = VirtualNetwork(mode)
        let socket = try connect(network)
        #expect(socket.takeTypes() == ["connected"])
        for (type, story) in [("message", message), ("user_message", userMessage)] {
            socket.send(#"{"type":"\#(type)","content":"Hello"}"#)
            network.advance(by: .seconds(5))
            var types: [String] = []
            for type in socket.takeTypes() where type != types.last { types.append(type) }
            #expect(types == story, "\(type)")
        }
        socket.send(#"{"type":"ping"}"#)
        let pong = try #require(socket.takeFrames().first?.object)
        #expect(pong.keys == ["type", "timestamp"])
    }

    static let frames: [(GuideMode, connected: [String], error: [String])] = [
        (
            .union, ["type", "consultation_id", "user_id", "timestamp"],
            ["type", "consultation_id", "error", "code", "timestamp"]
        ),
        (
            .goalLinking, ["type", "consultation_id", "timestamp"],
            ["type", "consultation_id", "error", "code", "timestamp"]
        ),
        (
            .consultationWebSocket, ["type", "consultation_id", "timestamp"],
            ["type", "consultation_id", "error", "timestamp"]
        ),
        (.enhancedConsultations, ["type"], ["type", "error"]),
        (
            .webSocketArchitecture, ["type", "consultation_id", "timestamp"],
            ["type", "consultation_id", "error", "timestamp"]
        ),
        (.mealLogWebSocket, ["type", "timestamp"], ["type", "error", "timestamp"]),
    ]

    @Test("Frames have exactly the guide's members", arguments: frames)
    func members(mode: GuideMode, connected: [String], error: [String]) throws {
        let network = VirtualNetwork(mode)
        let socket = try connect(network)
        #expect(socket.takeFrames().first?.object?.keys == connected)
        socket.send("nonsense")
        #expect(socket.takeFrames().first?.object?.keys == error)
        socket.send(binary: [1])
        network.settle()
        #expect(socket.takeFrames().first?.object?.keys == error)
    }
}
