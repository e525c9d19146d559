import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: logging in and refreshing")
struct RefreshTests {
    private static let refresh = #"POST /api/v1/auth/refresh {"refresh_token":"#

    private static func bench(fresh: String? = nil, _ change: (inout ClientConfiguration) -> Void = { _ in })
        -> CoreBench
    {
        CoreBench(fresh: fresh) {
            $0.credentials.refreshToken = "r1"
            change(&$0)
        }
    }

    private static func tokens(_ number: Int) -> JSONValue {
        ["success": true, "data": ["access_token": .string("a\(number)"), "refresh_token": .string("r\(number)")]]
    }

    private static let noGoals: JSONValue = ["goals": []]

    @Test("One refresh serves all rejected requests, and its token replaces the old one")
    func once() {
        var bench = Self.bench(fresh: "spare")
        bench.perform(.loadGoals, .logMeal(text: "2 eggs", type: .breakfast))
        _ = bench.take()
        bench.answer(401)
        bench.answer(401)
        bench.perform(.startConsultation(persona: .nutritionist))
        #expect(bench.take() == [#"0 \#(Self.refresh)"r1"}"#])
        #expect(bench.bearers == [nil] && bench.state.isBusy)
        #expect(bench.requests[0].fields[.contentType] == "application/json")
        bench.answer(200, Self.tokens(2))
        #expect(bench.bearers == ["Bearer a2", "Bearer a2", "Bearer a2"])
        bench.answer(401)
        #expect(bench.take().last == #"0 \#(Self.refresh)"r2"}"#)
        #expect(!bench.events.contains(.credentialsRefused))
    }

    @Test("The client tries the spare token after a rejected refresh")
    func revoked() {
        var bench = Self.bench(fresh: "spare")
        bench.ask(.loadGoals, 401)
        bench.answer(401, CoreBench.refusal("UNAUTHORIZED", "The refresh token is revoked."))
        #expect(bench.bearers == ["Bearer spare"])
        bench.answer(401)
        #expect(bench.requests.isEmpty && bench.events.filter { $0 == .credentialsRefused }.count == 1)
        bench.perform(.signIn(email: "ada@example.com", password: "correct horse"))
        #expect(
            bench.take().last == #"0 POST /api/v1/auth/login {"email":"ada@example.com","password":"correct horse"}"#)
        #expect(bench.bearers == [nil])
        bench.answer(200, Self.tokens(7))
        #expect(bench.bearers == ["Bearer a7"])
        bench.answer(200, Self.noGoals)
        #expect(!bench.state.isBusy && bench.state.problems.isEmpty)
        #expect(bench.take().count { $0.contains("/auth/refresh") } == 0)
    }

    @Test("The client repeats a failed refresh after a pause and eventually asks the user")
    func trouble() {
        var bench = Self.bench()
        bench.ask(.loadGoals, 401)
        bench.answer(503)
        bench.wait(1)
        bench.answer(503)
        bench.wait(2)
        let sent = bench.take().filter { $0.contains("/auth/refresh") }
        #expect(sent == ["0", "1", "3"].map { #"\#($0) \#(Self.refresh)"r1"}"# })
        bench.answer(503)
        #expect(bench.events.contains(.credentialsRefused))
        bench.perform(.giveUpToken)
        #expect(bench.state.problems.map(\.kind) == [.unauthorized] && !bench.state.isBusy)
    }

    @Test("If the server also rejects refreshed tokens, the client asks the user")
    func endless() {
        var bench = Self.bench()
        bench.ask(.loadGoals, 401)
        for number in 2...3 {
            bench.answer(200, Self.tokens(number))
            bench.answer(401, CoreBench.refusal("UNAUTHORIZED", "No."))
        }
        #expect(bench.requests.isEmpty && bench.state.problems == [.init(kind: .unauthorized, message: "No.")])
    }

    @Test("After a 401 answer to a handshake, the client refreshes the token at the reconnect pace")
    func handshakes() {
        var bench = Self.bench()
        bench.open()
        bench.shake(401)
        bench.answer(200, Self.tokens(2))
        #expect(bench.handshakes.map { $0.fields[.authorization] } == ["Bearer a2"])
        for number in 3...8 {
            bench.shake(401)
            bench.answer(200, Self.tokens(number))
            #expect(bench.handshakes.isEmpty)
            bench.wait(60)
            if bench.handshakes.isEmpty { break }
        }
        #expect(bench.state.connection == .failed && bench.seconds < 600)
    }

    @Test("Without a token, the client sends no requests before a login")
    func signedOut() {
        var bench = CoreBench.asked(.signIn(email: "ada@example.com", password: "wrong")) { $0.credentials.token = "" }
        bench.answer(401, CoreBench.refusal("UNAUTHORIZED", "Wrong."))
        #expect(bench.state.problems == [.init(kind: .unauthorized, message: "Wrong.")])
        #expect(!bench.events.contains(.credentialsRefused))
        _ = bench.take()
        bench.perform(.loadGoals)
        #expect(bench.take().isEmpty && bench.events.contains(.credentialsRefused))
        bench.perform(
            .register(email: "ada@example.com", password: "correct horse", name: "Ada", dateOfBirth: "1990-05-17"))
        #expect(bench.take().first?.hasPrefix("0 POST /api/v1/auth/register {\"email\":\"ada@example.com\"") == true)
        bench.answer(201, Self.tokens(2))
        #expect(bench.bearers == ["Bearer a2"])
    }

    @Test("A guide mode has no login and no refresh")
    func guides() {
        var bench = CoreBench(guide: .goalLinking) { $0.credentials.refreshToken = "r1" }
        bench.perform(.signIn(email: "a@b.example", password: "12345678"))
        #expect(bench.requests.isEmpty && bench.state.problems.map(\.kind) == [.refused])
        bench.ask(.loadGoals, 401)
        #expect(bench.requests.isEmpty && bench.events.contains(.credentialsRefused))
    }
}
