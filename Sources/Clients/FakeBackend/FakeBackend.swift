import FitIQAPI
import MockServer
import Obligations
import Testing
import Text

/// A world of its own for a test: where its backend is, and what its client did there.
///
/// `@Test(.fakeBackend("drop-mid-stream"))` makes one for each test, or each case of a parameterised one, and deletes it afterwards.
/// All worlds live in one server on this machine, which begins with the first of them and lasts as long as the process.
public struct FakeBackend: Sendable {
    /// Where REST paths begin, `http://127.0.0.1:PORT/w/w1`, to be followed by `/api/v1`.
    public var url: String { access.url }
    /// The same for WebSockets, `ws://…`.
    public var webSocketURL: String { access.webSocketURL }
    /// The token of the scenario's first user, or of the development user.
    public var token: String { access.token }
    /// Another token of the same user, for what a client does after a 401; it does not expire.
    public var freshToken: String { access.freshToken }
    /// The `X-API-Key`.
    public var apiKey: String { access.apiKey }
    /// The tokens' user.
    public var user: String { access.user }
    /// Which guide the backend answers as.
    public var guide: GuideMode { access.mode }

    private let access: Engine.WorldAccess
    private let server: LocalServer

    /// The backend of the running test.
    ///
    /// - Throws: ``NoFakeBackend`` where the test has none, or the task is one that the test's did not start as its child.
    public static var current: FakeBackend {
        get throws {
            guard let backend = running else { throw NoFakeBackend() }
            return backend
        }
    }

    @TaskLocal static var running: FakeBackend?

    /// Makes a world in a server.
    init(_ plan: Plan, in server: LocalServer) async throws {
        self.server = server
        access = try await server.perform { engine, now in
            try engine.makeWorld(plan.scenario(), guide: plan.guide, clock: plan.clock, judged: true, at: now)
        }
    }

    /// What time it is in the world.
    public func time() async throws -> Timestamp {
        try await server.perform { [access] engine, now in
            engine.access(toWorld: access.id, at: now)?.now ?? now
        }
    }

    /// Moves the world's clock; everything that is due on the way has happened, and was sent, when this returns.
    ///
    /// - Throws: ``ClockIsReal`` where the world follows the system's clock: give the trait `clock: .manual`.
    public func advance(by duration: Duration) async throws {
        try await server.perform { [access] engine, now in
            guard engine.hasManualClock(world: access.id) else { throw ClockIsReal() }
            let time = engine.time(ofWorld: access.id) ?? now
            engine.advanceWorld(
                access.id, to: time.advanced(byNanoseconds: max(0, duration.nanoseconds)), at: now, noted: true)
        }
    }

    /// Puts one of the scenario's faults in force, or out of it, also for sockets that are open.
    ///
    /// - Throws: an `APIError` that names those there are, where none has the name.
    public func setFault(_ name: String, isEnabled: Bool) async throws {
        try await server.perform { [access] engine, _ in
            try engine.setFault(name, isEnabled: isEnabled, ofWorld: access.id)
        }
    }

    /// What the client is found to keep and to break so far.
    public func verdicts() async throws -> [Verdict] { try await judgement().verdicts }

    /// The verdicts so far, and what the client was exposed to.
    public func judgement() async throws -> Judgement {
        try await server.perform { [access] engine, now in
            guard let judgement = engine.judgement(ofWorld: access.id, at: now) else { throw NoFakeBackend() }
            return judgement
        }
    }

    /// What happened so far, oldest first, each entry an object of JSON on a line of its own.
    public func journal() async throws -> [String] {
        try await server.perform { [access] engine, _ in
            engine.journalLines(ofWorld: access.id).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// What was not as the session has it that is played back, a sentence each; empty where all was, or none is played.
    ///
    /// Recorded requests that are still to come are among them. Played back with `match: strict`, they fail the test at its end.
    public func replayFailures() async throws -> [String] { try await replayOutcome()?.failures ?? [] }

    func replayOutcome() async throws -> Engine.ReplayOutcome? {
        try await server.perform { [access] engine, _ in engine.replayOutcome(ofWorld: access.id) }
    }

    /// Deletes the world.
    func end() async throws {
        try await server.perform { [access] engine, now in engine.deleteWorld(access.id, at: now) }
    }
}
