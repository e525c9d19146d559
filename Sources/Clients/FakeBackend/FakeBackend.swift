import FitIQAPI
import Judging
import MockServer
import Testing
import Text
import Traffic

/// A test's world: the backend's address and the client's traffic.
///
/// `@Test(.fakeBackend("drop-mid-stream"))` creates a backend for each test, or for each case of a parameterised test,
/// and deletes it afterwards. All worlds share one local server, which starts with the first world and runs until the
/// process ends.
public struct FakeBackend: Sendable {
    /// The base URL for REST paths, such as `http://127.0.0.1:PORT/w/w1`; `/api/v1` follows.
    public var url: String { access.url }
    /// The base URL for WebSocket paths, such as `ws://127.0.0.1:PORT/w/w1`.
    public var webSocketURL: String { access.webSocketURL }
    /// The token of the scenario's first user, or of the development user.
    public var token: String { access.token }
    /// Another token for the same user, for a refresh after a 401.
    ///
    /// It does not expire.
    public var freshToken: String { access.freshToken }
    /// The user's refresh token, or nil if the user has no account in the scenario.
    public var refreshToken: String? { access.refreshToken }
    /// The value of `X-API-Key`.
    public var apiKey: String { access.apiKey }
    /// The tokens' user.
    public var user: String { access.user }
    /// The guide that the backend follows.
    public var guide: GuideMode { access.mode }

    let access: Engine.WorldAccess
    let server: LocalServer

    /// The backend of the current test.
    ///
    /// - Throws: A ``Refusal`` if the test has no backend or the task is not a child of the test's task.
    public static var current: FakeBackend {
        get throws {
            guard let backend = running else { throw Refusal.noFakeBackend }
            return backend
        }
    }

    /// When the world started, according to its own clock.
    var start: Timestamp { access.now }

    @TaskLocal static var running: FakeBackend?

    init(_ plan: Plan, in server: LocalServer) async throws {
        self.server = server
        access = try await server.perform { engine, now in
            try engine.makeWorld(plan.scenario(), guide: plan.guide, clock: plan.clock, at: now)
        }
    }

    /// The world's time.
    public func time() async throws -> Timestamp {
        try await server.perform { [access] engine, now in engine.access(toWorld: access.id, at: now)?.now ?? now }
    }

    /// Advances the world's clock.
    ///
    /// When this function returns, all events that were due have happened, and their output has been sent.
    ///
    /// - Throws: A ``Refusal`` if the world follows the system's clock. Pass `clock: .manual` to the trait.
    public func advance(by duration: Duration) async throws {
        try await server.perform { [access] engine, now in
            guard engine.hasManualClock(world: access.id) else { throw Refusal.realClock }
            let time = engine.time(ofWorld: access.id) ?? now
            engine.advanceWorld(
                access.id, to: time.advanced(byNanoseconds: max(0, duration.nanoseconds)), at: now, noted: true)
        }
    }

    /// The verdicts on the client so far.
    public func verdicts() async throws -> [Verdict] { try await judgement().verdicts }

    /// The verdicts on the client and its situations so far.
    public func judgement() async throws -> Judgement {
        try await server.perform { [access] engine, now in
            guard let judgement = engine.judgement(ofWorld: access.id, at: now) else { throw Refusal.noFakeBackend }
            return judgement
        }
    }

    /// The journal so far, oldest first.
    ///
    /// Each entry is a JSON object on its own line.
    public func journal() async throws -> [String] {
        try await server.perform { [access] engine, _ in
            engine.journalLines(ofWorld: access.id).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The differences from the session that is being replayed, as one sentence each.
    ///
    /// The list is empty if there are no differences or no session.
    ///
    /// The differences include recorded requests that have not arrived yet. With `match: strict`, differences fail the
    /// test at its end.
    public func replayFailures() async throws -> [String] { try await replayOutcome()?.failures ?? [] }

    func replayOutcome() async throws -> Engine.ReplayOutcome? {
        try await server.perform { [access] engine, _ in engine.replayOutcome(ofWorld: access.id) }
    }

    /// The journal so far.
    func entries() async throws -> [JournalEntry] {
        try await server.perform { [access] engine, _ in engine.journalEntries(ofWorld: access.id) }
    }

    func end() async throws {
        try await server.perform { [access] engine, now in engine.deleteWorld(access.id, at: now) }
    }
}
