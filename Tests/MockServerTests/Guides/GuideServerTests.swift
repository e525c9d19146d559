import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

extension VirtualNetwork {
    convenience init(_ mode: GuideMode) { self.init { $0.mode = mode } }
}

@Suite("A server in a guide's mode") struct GuideServerTests {
    private static let id = "00000000-0000-4000-8000-000000000000"

    private func request(_ endpoint: Endpoint, _ fields: [String] = []) -> Request {
        let path = endpoint.template.replacing("{id}", with: Self.id).replacing("{goalId}", with: Self.id)
        var request = Request(method: endpoint.method, target: path)
        if endpoint == .webSocket { request = .handshake(path) }
        request.fields += fields
        return endpoint.method == .get ? request : request.json("{}")
    }

    private static let bearer = Request.bearer(Request.token(for: TestUser.anna))

    // MARK: Available endpoints

    @Test("Another guide's endpoint returns 404 and names the guides that have it", arguments: GuideMode.guides)
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        // Deletion, which only one guide assumes, gets 405 in the other guides' modes, because the paths exist there.
        for endpoint in Endpoint.allCases
        where !mode.serves(endpoint) && endpoint.isOfGuides && endpoint.method != .delete {
            for fields in [[], [Self.bearer, Request.apiKey]] {
                let response = try network.exchange(request(endpoint, fields))
                #expect(response.status == 404 && response.errorCode == "NOT_FOUND", "\(endpoint): \(response.text)")
                for words in ["is not in the guide \(mode.rawValue)"] + endpoint.guides.map(\.rawValue) {
                    #expect(response.message.contains(words), "\(response.message)")
                }
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
            let response = try network.exchange(request(endpoint, [Self.bearer, Request.apiKey]))
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
        let response = try VirtualNetwork(mode).exchange(Request(method: .delete, target: "/api/v1/consultations"))
        guard mode != .goalLinking else {
            #expect(response.status == 404 && response.message.contains("is not in the guide goal-linking"))
            return
        }
        let reads = mode.serves(.listConsultations) ? "GET, HEAD, " : ""
        #expect(response.status == 405 && response.fields[.allow] == "\(reads)POST, OPTIONS")
    }

    @Test("Every mode serves health and avatars", arguments: GuideMode.allCases)
    func always(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for path in ["/health", "/ready", "/avatars/nutritionist.svg", "/__admin/health"] {
            #expect(try network.get(path).status == 200)
        }
        #expect(try network.get("/__admin/health").json?["guide"]?.string == mode.rawValue)
    }

    @Test("The server serves its mode's descriptions without credentials", arguments: GuideMode.allCases)
    func descriptions(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        for (path, description, mediaType) in [
            ("/openapi.yaml", APIDescription.openAPI, "application/yaml"),
            ("/asyncapi.yaml", .asyncAPI, "application/yaml"), ("/docs", .documentation, "text/html; charset=utf-8"),
        ] {
            let response = try network.get(path)
            #expect(response.status == 200 && response.fields[.contentType] == mediaType)
            #expect(response.body == description.bytes(for: mode))
        }
        let openAPI = try network.get("/openapi.yaml").text
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
            let world = try network.world()
            for (path, target) in [("/", "/docs"), ("/w/\(world.id)/", "/w/\(world.id)/docs")] {
                let root = try network.get(path)
                #expect(root.status == 302 && root.fields[.location] == target && root.body.isEmpty)
            }
            let page = try network.get("/docs/deviations")
            #expect(page.status == 200 && page.fields[.contentType] == "text/html; charset=utf-8")
            #expect(page.body == APIDescription.bytes(of: "openapi/deviations.html"))
            #expect(page.text.contains("Where the guides disagree"))
            for (path, type) in [("llms.txt", "text/plain"), ("docs/admin.md", "text/markdown")] {
                for prefix in ["/", "/w/\(world.id)/"] {
                    let page = try network.get(prefix + path)
                    #expect(page.status == 200 && page.fields[.contentType] == type + "; charset=utf-8", "\(path)")
                    #expect(page.text == (try textOfPackage(path)), "\(path)")
                }
            }
            for path in ["none.md", "admin.md/", "..%2Fllms.txt", "..%2FREADME.md", "admin.md%00.md"] {
                #expect([400, 404].contains(try network.get("/docs/" + path).status), "\(path)")
            }
        }
    }

    // MARK: Refusals

    @Test("meal-log-websocket uses its own error form only for documented requests")
    func formOfRefusals() throws {
        let network = VirtualNetwork(.mealLogWebSocket)
        let own = try network.exchange(request(.showMealLog)).json
        #expect(own?.object?.keys == ["error"] && own?["error"]?.object?.keys == ["message", "code"])
        for endpoint in [Endpoint.createConsultation, .listMealLogs] {
            #expect(try network.exchange(request(endpoint)).json?["success"] == false)
        }
        #expect(try network.get("/nothing").json?.object?.keys == ["error"])
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
        #expect(try network.exchange(request(endpoint, [Self.bearer])).status == (mode.requiresAPIKey ? 401 : 404))
        let wrong = try network.exchange(request(endpoint, [Self.bearer, "X-API-Key: wrong"]))
        #expect(wrong.status == 401 && wrong.message.contains("not this server's"))
    }

    @Test("The WebSocket accepts credentials only where the guide puts them", arguments: GuideMode.allCases)
    func webSocketCredentials(mode: GuideMode) throws {
        let client = GuideClient(mode, of: mode)
        let path = "/api/v1/consultations/\(try client.consultation())/ws"
        let query = "?token=\(Request.token(for: TestUser.anna))"
        func isOpened(_ path: String, _ fields: [String]) throws -> Bool {
            var request = Request.handshake(path)
            request.fields += fields
            let status = try client.network.exchange(request).status
            #expect(status == 101 || status == 401)
            return status == 101
        }
        let headers = [Self.bearer, Request.apiKey]
        let accepted = mode.webSocketCredentials
        #expect(try isOpened(path, headers) == (accepted != .queryToken))
        #expect(try isOpened(path + query, []) == (accepted != .headers))
        #expect(try isOpened(path + query, headers) && !isOpened(path, []))
        #expect(try !isOpened(path + query, [Self.bearer, "X-API-Key: wrong"]))
        #expect(try isOpened(path + "?token=bad", accepted == .headers ? headers : []) == (accepted == .headers))
        #expect(try isOpened(path, [Self.bearer]) == (mode == .goalLinking))
    }

    // MARK: The socket

    private func connect(_ client: GuideClient) throws -> VirtualSocket {
        let path = "/api/v1/consultations/\(try client.consultation())/ws?token=\(Request.token(for: TestUser.anna))"
        return try client.network.client().upgrade(.handshake(path, as: TestUser.anna))
    }

    static let stories: [(GuideMode, message: [String], userMessage: [String])] = {
        let stream = ["message_received", "stream_chunk", "stream_complete"]
        let assistant = ["user_message", "assistant_message_start", "assistant_message_chunk", "assistant_message_end"]
        return [
            (.union, stream, assistant), (.goalLinking, stream, assistant),
            (.consultationWebSocket, stream, ["error"]), (.enhancedConsultations, ["error"], assistant),
            (.webSocketArchitecture, ["stream_chunk", "stream_complete"], ["error"]),
            (.mealLogWebSocket, ["error"], ["error"]),
        ]
    }()

    @Test("The socket accepts only the guide's protocol", arguments: stories)
    func chat(mode: GuideMode, message: [String], userMessage: [String]) throws {
        let client = GuideClient(mode, of: mode)
        let (network, socket) = (client.network, try connect(client))
        #expect(socket.takeTypes() == ["connected"])
        for (type, story) in [("message", message), ("user_message", userMessage)] {
            socket.send(#"{"type":"\#(type)","content":"Hello"}"#)
            network.advance(by: .seconds(5))
            var types: [String] = []
            for type in socket.takeTypes() where type != types.last { types.append(type) }
            #expect(types == story, "\(type)")
        }
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeFrames().first?.object?.keys == ["type", "timestamp"])
    }

    /// The members of the first frame and of an error.
    static let frames: [(GuideMode, connected: String, error: String)] = [
        (.union, "type consultation_id user_id timestamp", "type consultation_id error code timestamp"),
        (.goalLinking, "type consultation_id timestamp", "type consultation_id error code timestamp"),
        (.consultationWebSocket, "type consultation_id timestamp", "type consultation_id error timestamp"),
        (.enhancedConsultations, "type", "type error"),
        (.webSocketArchitecture, "type consultation_id timestamp", "type consultation_id error timestamp"),
        (.mealLogWebSocket, "type timestamp", "type error timestamp"),
    ]

    @Test("Frames have exactly the guide's members", arguments: frames)
    func members(mode: GuideMode, connected: String, error: String) throws {
        let client = GuideClient(mode, of: mode)
        let socket = try connect(client)
        func members() -> String? { socket.takeFrames().first?.object?.keys.joined(separator: " ") }
        #expect(members() == connected)
        socket.send("nonsense")
        #expect(members() == error)
        socket.send(binary: [1])
        client.network.settle()
        #expect(members() == error)
    }
}
