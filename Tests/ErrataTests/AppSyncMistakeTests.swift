import Foundation
import GuideModels
import HTTPTypes
import MockServer
import TestSupport
import Testing

extension Errata {
    /// The rows about photos, the coach, and synchronization in the apps' table in `openapi/DEVIATIONS.md`.
    @Suite("Mistakes in the apps' synchronization")
    struct AppSyncMistakeTests {
        private typealias Client = AppMistakeTests.Client

        @Test(
            "Sync clients that throw on 401 never refresh their token",
            arguments: ["/progress", "/sleep", "/workouts", "/workout-templates", "/profile/metrics"])
        func trackingNeverRefreshes(_ path: String) throws {
            let app = try App()
            let tokens = try app.signIn()
            var listed = AppMistakeTests.RefreshingClient(app: app, path: path, tokens: tokens, throwsFirst: true)
            #expect(try listed.list() == 200)
            app.network.advance(by: .seconds(3600))
            for _ in 1...3 { #expect(throws: Client.Refused(status: 401)) { try listed.list() } }
            var fixed = AppMistakeTests.RefreshingClient(app: app, path: path, tokens: tokens, throwsFirst: false)
            #expect(try fixed.list() == 200)
        }

        @Test("A model without a data member cannot decode the documented answer to a refresh")
        func refreshWithoutBody() throws {
            let app = try App()
            let tokens = try app.signIn()
            #expect(try app.send(.post, "/auth/refresh", nil, tokens.refreshToken).status == 400)
            let answer = try app.send(.post, "/auth/refresh", App.body(refreshing: tokens.refreshToken))
            #expect(answer.status == 200)
            let described = Data(#"{"success":true,"data":{"access_token":"a","refresh_token":"r"}}"#.utf8)
            #expect(DecodingFailure.of(AppModels.Tokens.self, JSONDecoder(), described) == .keyNotFound("access_token"))
            // This server also returns the tokens at the top level.
            let wrapped = try JSONDecoder().decode(AppModels.Refreshed.self, from: Data(answer.body)).data
            let found = try JSONDecoder().decode(AppModels.Tokens.self, from: Data(answer.body))
            #expect(found.accessToken == wrapped.accessToken && found.refreshToken == wrapped.refreshToken)
        }

        /// FitIQ's photo client, which retries inside the `do` of its refresh.
        struct PhotoClient {
            enum Failure: Error { case unauthorized, notFound }
            let app: App
            var tokens: AppModels.Tokens
            let retriesWithinDo: Bool

            private func attempt(_ id: String) throws -> Int {
                let status = try app.send(.get, "/meal-logs/photo/\(id)", nil, tokens.accessToken).status
                if status == 404 { throw Failure.notFound }
                return status
            }

            mutating func photo(_ id: String) throws -> Int {
                let status = try attempt(id)
                guard status == 401 else { return status }
                do {
                    let answer = try app.send(.post, "/auth/refresh", App.body(refreshing: tokens.refreshToken))
                    tokens = try JSONDecoder().decode(AppModels.Refreshed.self, from: Data(answer.body)).data
                    if retriesWithinDo { return try attempt(id) }
                } catch {
                    throw Failure.unauthorized
                }
                return try attempt(id)
            }
        }

        @Test("A client that retries inside its refresh reports a deleted photo as an expired session")
        func photoRetry() throws {
            let app = try App()
            let tokens = try app.signIn()
            var listed = PhotoClient(app: app, tokens: tokens, retriesWithinDo: true)
            #expect(throws: PhotoClient.Failure.notFound) { try listed.photo(ServerAnswers.id) }
            app.network.advance(by: .seconds(3600))
            #expect(throws: PhotoClient.Failure.unauthorized) { try listed.photo(ServerAnswers.id) }
            // The tokens are replaced anyway.
            #expect(throws: PhotoClient.Failure.notFound) { try listed.photo(ServerAnswers.id) }

            var fixed = PhotoClient(app: app, tokens: listed.tokens, retriesWithinDo: false)
            app.network.advance(by: .seconds(3600))
            #expect(throws: PhotoClient.Failure.notFound) { try fixed.photo(ServerAnswers.id) }
        }

        @Test("A request for the photo list gets 405")
        func photoList() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            let refused = try app.send(.get, "/meal-logs/photo?limit=20", nil, token)
            #expect(refused.status == 405 && refused.fields[.allow]?.contains("POST") == true)
            #expect(try app.send(.get, "/meal-logs?limit=20", nil, token).status == 200)
        }

        @Test("Metrics need no API key and keep their unit")
        func metricsWithoutKey() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            func status(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) throws -> Response {
                let request = Request(method: method, target: "/api/v1" + path, fields: [Request.bearer(token)])
                return try app.exchange(body.map(request.json) ?? request)
            }
            let body =
                #"{"recorded_at":"2025-01-29T10:00:00Z","metrics":[{"metric_type":"bmi","quantity":22.1,"unit":"%"}]}"#
            let made = try status(.post, "/profile/metrics", body)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json?["data"]?["metrics"]?.array?.first?["unit"] == "%")
            #expect(try status(.get, "/progress").status == 401)
        }

        /// FitIQ's use case, which compares the owner's id as text.
        struct Sharing {
            struct NotAuthorized: Error {}
            let app: App
            let tokens: AppModels.Tokens
            let user: UUID
            let comparesText: Bool

            func share(_ template: String, of owner: String, with friend: UUID) throws -> Int {
                let isOwner = comparesText ? owner == user.uuidString : UUID(uuidString: owner) == user
                guard isOwner else { throw NotAuthorized() }
                let body =
                    #"{"shared_with_user_ids":["\#(friend.uuidString.lowercased())"],"professional_type":"nutritionist"}"#
                return try app.send(.post, "/workout-templates/\(template)/share", body, tokens.accessToken).status
            }
        }

        @Test("A client that compares ids as strings does not let the owner share")
        func sharing() throws {
            let app = try App()
            let tokens = try app.signIn()
            let other = App.account.replacing("ada@", with: "bob@")
            let friend = try JSONDecoder().decode(
                AppModels.Answer<AppModels.Registration>.self,
                from: Data(try app.send(.post, "/auth/register", other).body)
            ).data.userId
            let made = try app.send(.post, "/workout-templates", #"{"name":"Legs"}"#, tokens.accessToken)
            let template = try #require(made.json?["data"]?["id"]?.string, "\(made.text)")
            let owner = try #require(made.json?["data"]?["user_id"]?.string)
            let user = try #require(UUID(uuidString: owner))
            let listed = Sharing(app: app, tokens: tokens, user: user, comparesText: true)
            #expect(throws: Sharing.NotAuthorized.self) { try listed.share(template, of: owner, with: friend) }
            let fixed = Sharing(app: app, tokens: tokens, user: user, comparesText: false)
            #expect(try fixed.share(template, of: owner, with: friend) == 201)
        }

        @Test("A formatter that requires fractional seconds cannot parse whole seconds")
        func insightDates() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            let described = "2025-01-29T10:30:00Z"
            #expect(formatter.date(from: described) == nil)
            #expect(ISO8601DateFormatter().date(from: described) != nil)
            // This server's answer has a fractional second, which this app needs.
            let answer = try app.send(.post, "/insights/generate/wellness", #"{"insight_type":"weekly"}"#, token)
            let insight = try #require(answer.json?["data"], "\(answer.text)")
            for member in ["created_at", "updated_at", "period_start", "period_end"] {
                let text = try #require(insight[member]?.string, "\(member)")
                #expect(formatter.date(from: text) != nil, "\(member): \(text)")
                #expect(ISO8601DateFormatter().date(from: text) == nil, "\(member): \(text)")
            }
        }

        @Test("An undocumented persona gets 400 with a list of the documented personas")
        func personas() throws {
            let app = try App()
            let token = try app.signIn().accessToken
            for persona in ["mental_health_coach", "sleep_coach"] {
                let refused = try app.send(.post, "/consultations", #"{"persona":"\#(persona)"}"#, token)
                #expect(refused.status == 400 && refused.message.contains("wellness_specialist"), "\(refused.text)")
            }
        }
    }
}
