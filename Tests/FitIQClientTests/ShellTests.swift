import FitIQAPI
import Foundation
import MockServer
import Scenarios
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import FitIQClient

@Suite("A client on its own thread", .timeLimit(.minutes(15)))
struct ShellTests {
    static let credentials = Credentials(token: DevelopmentCredentials.token(), apiKey: DevelopmentCredentials.apiKey)

    /// Passes a test a server that answers immediately, and stops the server afterwards.
    static func withServer(_ body: (LocalServer) async throws -> Void) async throws {
        let server = try LocalServer(Engine.Configuration(pace: .instant))
        do {
            try await body(server)
        } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    private static func journal(_ server: LocalServer) async throws -> [Substring] {
        try await server.perform { engine, _ in
            String(decoding: engine.journalLines(ofWorld: "default"), as: UTF8.self)
        }.split(separator: "\n")
    }

    /// The kind of the problem that a call throws.
    private static func problem(_ call: () async throws -> Void) async throws -> ClientState.Problem {
        let error = await #expect(throws: ClientError.self) { try await call() }
        guard case .problem(let problem)? = error else { throw Unexpected(what: String(describing: error)) }
        return problem
    }

    @Test("A chat starts, gets an answer and ends cleanly")
    func chat() async throws {
        try await Self.withServer { server in
            let client = try FitIQClient(url: server.url, credentials: Self.credentials)
            let id = try await client.startConsultation(persona: .nutritionist)
            #expect(client.state.consultation == id && client.state.connection == .connected)
            let answer = try await client.send("What should I eat for breakfast?")
            #expect(answer.hasPrefix("For breakfast, I recommend something"))
            #expect(try await client.send("And for lunch?") != answer)
            let lines = client.state.transcript
            #expect(lines.map(\.role) == [.user, .assistant, .user, .assistant] && lines.allSatisfy(\.isComplete))
            await client.close()
            let closed = try await Self.journal(server).filter { $0.contains(#""kind":"closed""#) }
            #expect(closed.count == 1 && closed[0].contains(#""clean":true"#), "\(closed)")
        }
    }

    @Test("The client is busy immediately after a call, before its thread has received the command")
    func busy() async throws {
        try await Self.withServer { server in
            let client = try FitIQClient(url: server.url, credentials: Self.credentials)
            #expect(!client.state.isBusy)
            // The closure runs on the server's thread, which answers nothing in the meantime, so no request can have
            // completed yet.
            let isBusy = try await server.perform { _, _ in
                client.perform(.startConsultation(persona: .nutritionist))
                return client.state.isBusy
            }
            #expect(isBusy)
            for await state in client.states where state.connection == .connected && !state.isBusy { break }
            await client.close()
            #expect(!client.state.isBusy)
        }
    }

    @Test("A caller can await meals and goals")
    func mealAndGoal() async throws {
        try await Self.withServer { server in
            let client = try FitIQClient(url: server.url, credentials: Self.credentials)
            let first = try await client.startConsultation(persona: .nutritionist)
            let meal = try await client.logMeal("2 eggs and toast", type: .breakfast)
            #expect(meal.status == .completed && (meal.calories ?? 0) > 0)
            let goal = try await client.createGoal(
                title: "Run", description: "Often", targetDate: Timestamp(secondsSinceEpoch: 2_000_000_000))
            #expect(try await client.loadGoals().map(\.id) == [goal.id])
            let conversation = try await client.chatAboutGoal(id: goal.id)
            #expect(conversation != first && client.state.consultation == conversation)
            try await client.archive()
            await client.close()
        }
    }

    @Test("A wait for a meal ignores a later meal of the same type")
    func twoMeals() async throws {
        try await Self.withServer { server in
            let (gate, address) = (try Gate(), server.address)
            // Without an address, nothing is sent, so both meals are in progress at the same time.
            let client = try FitIQClient(
                url: "http://backend.test", credentials: Self.credentials,
                configuration: { $0.mealPolling.interval = .milliseconds(20) },
                resolve: { _, _ throws(SocketError) in
                    gate.wait()
                    return [address]
                })
            let first = Task { try await client.logMeal("2 eggs", type: .breakfast) }
            for await state in client.states where state.meals.count == 1 { break }
            client.perform(.logMeal(text: "3 eggs", type: .breakfast))
            for await state in client.states where state.meals.count == 2 { break }
            gate.open()
            #expect(try await first.value.text == "2 eggs")
            await client.close()
        }
    }

    @Test("The hook replaces a rejected token once for all waiting requests")
    func refresh() async throws {
        try await Self.withServer { server in
            let asked = Mutex(0)
            let client = try FitIQClient(
                url: server.url, credentials: Credentials(token: "stale", apiKey: Self.credentials.apiKey),
                refreshToken: {
                    asked.withLock { $0 += 1 }
                    return Self.credentials.token
                })
            _ = try await client.startConsultation(persona: .fitnessCoach)
            #expect(asked.withLock { $0 } == 1)
            await client.close()
        }
    }

    @Test("The client registers, logs in and refreshes expired tokens")
    func account() async throws {
        try await Self.withServer { server in
            let key = Self.credentials.apiKey
            let client = try FitIQClient(url: server.url, credentials: Credentials(apiKey: key))
            try await client.register(
                email: "ada@example.com", password: "correct horse", name: "Ada", dateOfBirth: "1990-05-17")
            _ = try await client.loadGoals()
            let problem = try await Self.problem {
                try await client.signIn(email: "ada@example.com", password: "wrong horse")
            }
            #expect(problem.kind == .unauthorized && problem.message.contains("password is wrong"))
            try await client.signIn(email: "ada@example.com", password: "correct horse")
            _ = try await client.startConsultation(persona: .nutritionist)
            await client.close()
            #expect(try await Self.journal(server).count { $0.contains("/auth/") } == 3)
        }
    }

    @Test("Without a hook, a rejected token is immediately reported as a problem")
    func unauthorized() async throws {
        try await Self.withServer { server in
            let client = try FitIQClient(
                url: server.url, credentials: Credentials(token: "stale", apiKey: Self.credentials.apiKey))
            let problem = try await Self.problem { _ = try await client.startConsultation(persona: .fitnessCoach) }
            #expect(problem.kind == .unauthorized)
            guard case .refused(status: 401, _)? = client.lastFailure
            else { throw Unexpected(what: "\(String(describing: client.lastFailure)) is not the 401") }
            await client.close()
        }
    }

    @Test("If nothing is listening at the address, the problem's cause is a system error")
    func nobodyListens() async throws {
        let nowhere = try RefusingAddress()
        let client = try FitIQClient(url: "http://\(nowhere.address)", credentials: Self.credentials) {
            $0.retries.maximumAttempts = 1
        }
        let problem = try await Self.problem { _ = try await client.startConsultation(persona: .fitnessCoach) }
        #expect(problem.kind == .unavailable)
        guard case .transport(let cause)? = client.lastFailure
        else { throw Unexpected(what: "\(String(describing: client.lastFailure)) is no error of the transport") }
        #expect(cause.code == ECONNREFUSED && cause.address == nowhere.address)
        await client.close()
    }

    @Test("If the hook has no other token, the wait for a token ends")
    func noOtherToken() async throws {
        try await Self.withServer { server in
            let client = try FitIQClient(
                url: server.url, credentials: Credentials(token: "stale", apiKey: Self.credentials.apiKey),
                configuration: { $0.patience.token = .seconds(3600) }, refreshToken: { nil })
            let problem = try await Self.problem { _ = try await client.startConsultation(persona: .fitnessCoach) }
            #expect(problem.kind == .unauthorized)
            await client.close()
        }
    }

    @Test("A wait for an answer ends when the user leaves the chat")
    func leaves() async throws {
        var configuration = Engine.Configuration()
        configuration.scenario = try Scenario.read("{name: late, answers: [{timing: {first_chunk: 1h}}]}")
        let server = try LocalServer(configuration)
        defer { server.stop() }
        let client = try FitIQClient(url: server.url, credentials: Self.credentials)
        _ = try await client.startConsultation(persona: .nutritionist)
        let answer = Task { try await client.send("What should I eat for breakfast?") }
        for await lines in client.transcript where lines.first?.isDelivered == true { break }
        client.perform(.disconnect)
        await #expect { try await answer.value } throws: { error in
            if case ClientError.abandoned = error { true } else { false }
        }
        await client.close()
    }

    @Test("A cancelled task stops waiting and throws the reason")
    func cancelled() async throws {
        let client = try FitIQClient(url: "http://127.0.0.1:9", credentials: Self.credentials) {
            $0.retries.firstDelay = .seconds(3600)
        }
        let goals = Task { try await client.loadGoals() }
        goals.cancel()
        await #expect { try await goals.value } throws: { error in
            if case ClientError.cancelled = error { true } else { false }
        }
        await client.close()
    }

    @Test("A closed client ends its sequences and reports that it is closed")
    func closed() async throws {
        let client = try FitIQClient(url: "http://127.0.0.1:9", credentials: Self.credentials)
        let states = client.states
        let reader = Task {
            var count = 0
            for await _ in states { count += 1 }
            return count
        }
        await client.close()
        #expect(await reader.value <= 2)
        #expect(!client.perform(.loadGoals))
        await #expect(throws: ClientError.self) { try await client.loadGoals() }
        await client.close()
    }

    @Test("The client's thread ends when nothing references the client")
    func released() async throws {
        var client: FitIQClient? = try FitIQClient(url: "http://127.0.0.1:9", credentials: Self.credentials)
        let states = try #require(client).states
        client = nil
        // The loop ends only after the thread has ended.
        for await _ in states {}
    }

    @Test("The initializer rejects a URL that the client cannot reach")
    func badURL() {
        #expect(throws: ClientError.self) { try FitIQClient(url: "https://x", credentials: Self.credentials) }
    }
}
