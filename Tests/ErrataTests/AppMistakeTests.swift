import FitIQAPI
import Foundation
import GuideModels
import HTTPTypes
import JSON
import MockServer
import TestSupport
import Testing

extension Errata {
    /// `openapi/DEVIATIONS.md` lists the mistakes; each client here makes one of them with the server or its answer.
    @Suite("Mistakes in the apps that no backend can fix")
    struct AppMistakeTests {
        @Test("A registration model that decodes the time as a number throws after the server creates the account")
        func registrationThrows() throws {
            struct Registration: Decodable {
                let data: Account

                struct Account: Decodable {
                    let accessToken: String
                    let createdAt: Date

                    enum CodingKeys: String, CodingKey {
                        case accessToken = "access_token"
                        case createdAt = "created_at"
                    }
                }
            }
            let app = try App()
            let answer = try app.send(.post, "/auth/register", App.account)
            #expect(answer.status == 201)
            let data = Data(answer.body)
            #expect(DecodingFailure.of(Registration.self, JSONDecoder(), data) == .typeMismatch("data.created_at"))
            // The user sees an error, and at the next attempt the address is already taken.
            #expect(try app.send(.post, "/auth/register", App.account).status == 409)
            #expect(try app.send(.post, "/auth/login", App.account).status == 200)
            // The other app's model can decode the answer.
            let read = try JSONDecoder().decode(AppModels.Answer<AppModels.Registration>.self, from: data)
            #expect(read.data.createdAt == "2025-01-29T10:30:00Z")
        }

        /// Combines chunks that arrive close together into one message, as the app does.
        struct Streaming {
            let nanoseconds: Double
            var messages: [String] = []
            var last: Timestamp?

            mutating func receive(_ chunk: String, at time: Timestamp) {
                if let last, Double(time.nanosecondsSinceEpoch - last.nanosecondsSinceEpoch) < nanoseconds {
                    messages[messages.count - 1] += chunk
                } else {
                    messages.append(chunk)
                }
                last = time
            }
        }

        @Test("A streaming timeout of 30 nanoseconds splits the answer into one message per chunk")
        func streamingTimeout() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            let socket = try app.socket(on: app.consultation(token), token)
            socket.send(#"{"type":"message","content":"What is a good breakfast?"}"#)
            let seconds: TimeInterval? = 30
            var listed = Streaming(nanoseconds: seconds ?? 30.0 * 1e9)
            var fixed = Streaming(nanoseconds: (seconds ?? 30.0) * 1e9)
            var chunks: [String] = []
            var isComplete = false
            for _ in 0..<10_000 where !isComplete {
                app.network.advance(by: .milliseconds(5))
                for frame in socket.takeFrames() {
                    isComplete = frame["type"] == "stream_complete"
                    guard frame["type"] == "stream_chunk", let chunk = frame["content"]?.string else { continue }
                    chunks.append(chunk)
                    listed.receive(chunk, at: app.network.now)
                    fixed.receive(chunk, at: app.network.now)
                }
            }
            #expect(isComplete && chunks.count > 5)
            #expect(listed.messages == chunks)
            #expect(fixed.messages == [chunks.joined()])
        }

        /// A client that may throw for any status other than 2xx before its callers see the status.
        struct Client {
            struct Refused: Error, Equatable { let status: Int }
            let app: App
            let token: String
            let throwsFirst: Bool

            func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) throws -> Response {
                let response = try app.send(method, path, body, token)
                if throwsFirst, !(200..<300).contains(response.status) { throw Refused(status: response.status) }
                return response
            }

            /// A new consultation, or the existing one if there is a conflict.
            func consultation() throws -> String? {
                let response = try send(.post, "/consultations", #"{"persona":"nutritionist"}"#)
                if response.status == 409 {
                    return response.json?["error"]?["details"]?["existing_consultation_id"]?.string
                }
                return response.json?["data"]?["id"]?.string
            }

            /// The consultation's title, or a word for a deleted consultation.
            func title(of consultation: String) throws -> String? {
                let response = try send(.get, "/consultations/\(consultation)")
                return response.status == 404 ? "gone" : response.json?["data"]?["title"]?.string
            }
        }

        @Test("A client that throws first never reaches its code for 404 and 409")
        func deadCode() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            let existing = try app.consultation(token)
            let listed = Client(app: app, token: token, throwsFirst: true)
            #expect(throws: Client.Refused(status: 409)) { try listed.consultation() }
            #expect(throws: Client.Refused(status: 404)) { try listed.title(of: ServerAnswers.id) }

            let fixed = Client(app: app, token: token, throwsFirst: false)
            #expect(try fixed.consultation() == existing)
            #expect(try fixed.title(of: ServerAnswers.id) == "gone")
        }

        @Test("Profile models that convert their keys twice cannot decode the answer")
        func keysConvertedTwice() throws {
            typealias Flat = AppModels.Answer<AppModels.FlatUser>
            typealias Nested = AppModels.Answer<AppModels.User>
            let app = try App()
            let token = try app.signIn().accessToken
            let shown = Data(try app.send(.get, "/users/me", nil, token).body)
            let changed = Data(try app.send(.patch, "/users/me/physical", #"{"height_cm":171}"#, token).body)
            let listed = JSONDecoder.iso8601()
            listed.keyDecodingStrategy = .convertFromSnakeCase
            #expect(DecodingFailure.of(Flat.self, listed, shown) == .keyNotFound("data.user_id"))
            #expect(
                DecodingFailure.of(Nested.self, listed, changed) == .keyNotFound("data.profile.preferred_unit_system"))

            #expect(try AppModels.decoder.decode(Flat.self, from: shown).data.name == "Ada")
            #expect(try AppModels.decoder.decode(Nested.self, from: changed).data.profile.heightCm == 171)
        }

        /// A FitIQ client, such as the meal client, that would refresh the token only after a request that throws.
        struct RefreshingClient {
            let app: App
            let path: String
            var tokens: AppModels.Tokens
            let throwsFirst: Bool

            mutating func list() throws -> Int {
                let client = Client(app: app, token: tokens.accessToken, throwsFirst: throwsFirst)
                let response = try client.send(.get, path)
                guard response.status == 401 else { return response.status }
                let refreshed = try app.send(.post, "/auth/refresh", App.body(refreshing: tokens.refreshToken))
                tokens = try JSONDecoder().decode(AppModels.Refreshed.self, from: Data(refreshed.body)).data
                return try app.send(.get, path, nil, tokens.accessToken).status
            }
        }

        @Test("A meal client that throws on 401 never refreshes its token")
        func mealsNeverRefresh() throws {
            let app = try App()
            let tokens = try app.signIn()
            var listed = RefreshingClient(app: app, path: "/meal-logs", tokens: tokens, throwsFirst: true)
            #expect(try listed.list() == 200)
            app.network.advance(by: .seconds(3600))
            for _ in 1...3 { #expect(throws: Client.Refused(status: 401)) { try listed.list() } }
            // The refresh token still works, exactly once.
            var fixed = RefreshingClient(app: app, path: "/meal-logs", tokens: tokens, throwsFirst: false)
            #expect(try fixed.list() == 200)
            let again = try app.send(.post, "/auth/refresh", App.body(refreshing: tokens.refreshToken))
            #expect(again.status == 401 && again.message.contains("revoked"))
        }

        @Test(
            "A chat manager reconnects one second after its own disconnect()",
            arguments: [true, false])
        func disconnectReconnects(isFixed: Bool) throws {
            let app = try App()
            let token = try app.signIn().accessToken
            let consultation = try app.consultation(token)
            #expect(try app.verdict("ws/no-reconnect-after-own-close") == "not_exercised")
            var manager = ListedReconnecting(isFixed ? .remembersDisconnect : [])
            manager.connect()
            let socket = try app.socket(on: consultation, token)
            app.network.advance(by: .seconds(10))
            #expect(socket.takeTypes() == ["connected"])
            manager.disconnect()
            socket.close(.goingAway)
            #expect(manager.handshakes == (isFixed ? 1 : 2))
            for delay in manager.delays {
                #expect(delay == 1)
                app.network.advance(by: .seconds(delay))
                #expect(try app.socket(on: consultation, token).takeTypes() == ["connected"])
            }
            app.network.advance(by: .seconds(10))
            #expect(try app.verdict("ws/no-reconnect-after-own-close") == (isFixed ? "kept" : "broken"))
        }

        @Test("One of the two models for tips expects objects but gets strings")
        func tips() throws {
            struct Tips: Decodable {
                let tips: [Tip]

                struct Tip: Decodable { let title: String }
            }
            let app = try App()
            let token = try app.signIn().accessToken
            let created = try app.send(
                .post, "/goals",
                """
                {"title":"Run","description":"Every week","target_date":"2025-06-01","goal_type":"fitness","target_value":100,\
                "target_unit":"km"}
                """, token)
            let goal = try #require(created.json?["data"]?["id"]?.string, "\(created.text)")
            let answer = Data(try app.send(.get, "/goals/\(goal)/tips", nil, token).body)
            #expect(
                DecodingFailure.of(AppModels.Answer<Tips>.self, JSONDecoder(), answer)
                    == .typeMismatch("data.tips.[0]"))
            let read = try JSONDecoder().decode(AppModels.Answer<AppModels.GoalTips>.self, from: answer).data
            #expect(!read.tips.isEmpty && read.count == read.tips.count && read.goalId.uuidString.lowercased() == goal)
        }
    }
}

/// An app's requests to a server in union mode with a manual clock.
struct App {
    static let account =
        #"{"email":"ada@example.com","password":"correct horse","name":"Ada","date_of_birth":"1990-05-17"}"#
    let network: VirtualNetwork

    init() throws {
        let engine = try Engine(Engine.Configuration(pace: .human), now: ServerAnswers.now)
        network = VirtualNetwork(engine, now: ServerAnswers.now)
        network.report = { Issue.record("\($0)") }
    }

    static func body(refreshing token: String) -> String { #"{"refresh_token":"\#(token)"}"# }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, _ token: String? = nil
    ) throws -> Response {
        let fields = [Request.apiKey] + (token.map { [Request.bearer($0)] } ?? [])
        let request = Request(method: method, target: "/api/v1" + path, fields: fields)
        return try exchange(body.map(request.json) ?? request)
    }

    func exchange(_ request: Request) throws -> Response {
        let client = HTTPClient(try #require(network.connect()))
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    /// Registers and logs in.
    func signIn() throws -> AppModels.Tokens {
        #expect(try send(.post, "/auth/register", Self.account).status == 201)
        let answer = try send(.post, "/auth/login", Self.account)
        return try JSONDecoder().decode(AppModels.Answer<AppModels.Tokens>.self, from: Data(answer.body)).data
    }

    func consultation(_ token: String) throws -> String {
        let answer = try send(.post, "/consultations", #"{"persona":"nutritionist"}"#, token)
        return try #require(answer.json?["data"]?["id"]?.string, "\(answer.text)")
    }

    func socket(on consultation: String, _ token: String) throws -> SocketClient<VirtualClient> {
        let request = Request.handshake("/api/v1/consultations/\(consultation)/ws?token=\(token)")
        return try HTTPClient(try #require(network.connect())).upgrade(request)
    }

    /// The judge's verdict on an obligation.
    func verdict(_ obligation: String) throws -> String? {
        let verdicts = try exchange(Request(target: "/__admin/worlds/default/verdicts")).json?["verdicts"]?.array
        return verdicts?.first { $0["id"]?.string == obligation }?["verdict"]?.string
    }
}
