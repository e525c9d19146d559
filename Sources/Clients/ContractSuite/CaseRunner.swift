import FitIQAPI
import MockServer
import Scenarios
import Sockets
import Traffic

/// Creates the client for a case.
///
/// The function is called once per case, and again if the client turns out to have a different clock, no sockets or no
/// chat. If the function throws an error, the case fails.
public typealias ClientFactory = (Surroundings) async throws -> any ClientUnderTest

/// Plays cases on a stage, each in its own world.
public struct CaseRunner {
    public let stage: any Stage
    /// Whether a case fails if the client did not exercise the case's obligations.
    public var isStrict = false
    /// On the system's clock, the maximum duration of steps without an expectation; longer cases are skipped.
    public var patience = Duration.seconds(30)
    /// How long the client and the backend must be idle, on the system's clock, before a wait for the client fails.
    ///
    /// Both are idle if the client reports no work in progress, only pings arrive, and nothing is due in the backend. A
    /// connected client gets 40 s more, because it may be waiting for its next pong.
    public var grace = Duration.seconds(5)
    /// The maximum number of checks of the client and its world in one case.
    ///
    /// A case that needs more checks counts as never idle.
    public var stepLimit = 200_000
    /// The assumed properties of the next client: those of the previous client.
    private var clock = ClientClock.suite, usesSockets = true

    public init(on stage: any Stage) { self.stage = stage }

    /// Plays a case.
    ///
    /// - Throws: Harness errors, such as a server that is full or has stopped; the client's failures are in the result.
    public mutating func run(_ contractCase: ContractCase, with factory: ClientFactory) async throws -> CaseResult {
        let result = try await play(contractCase, with: factory)
        guard let missing = result.missing, missing.isOfChat, let part = contractCase.withoutChat else { return result }
        var partial = try await play(part, with: factory)
        partial.leftOut = "The client does not support \(missing.name), so the case was played without its chat."
        return partial
    }

    private mutating func play(_ contractCase: ContractCase, with factory: ClientFactory) async throws -> CaseResult {
        let scenario = try contractCase.setting.scenario()
        // The second client has the capabilities that the first one reported.
        for _ in 0..<2 {
            if let result = try await run(contractCase, scenario, with: factory) { return result }
        }
        var result = CaseResult(contractCase, mode: contractCase.guide ?? scenario.guide ?? .union)
        result.failures = [CaseFailure(message: Messages.clientChanges)]
        return result
    }

    /// Plays a case in a world on the assumed clock; returns nil if the client differs from the assumption.
    private mutating func run(
        _ contractCase: ContractCase, _ scenario: Scenario, with factory: ClientFactory
    ) async throws -> CaseResult? {
        let start = MonotonicInstant.now()
        let contractCase = usesSockets ? contractCase : contractCase.overREST ?? contractCase.withoutSteps
        let world = try await StageWorld(
            on: stage, scenario, guide: contractCase.guide, clock: clock == .suite ? .manual : .real)
        var result = CaseResult(contractCase, mode: world.access.mode)
        if clock == .system, contractCase.leastDuration > patience {
            result.skipped = Messages.takesTooLong(contractCase.leastDuration, patience: patience)
            try await world.delete()
            return result
        }
        let client: any ClientUnderTest
        do {
            client = try await factory(world.surroundings)
        } catch {
            try await world.delete()
            result.failures.append(CaseFailure(message: Messages.noClient(error)))
            return result
        }
        guard client.clock == clock, client.usesSockets == usesSockets else {
            (clock, usesSockets) = (client.clock, client.usesSockets)
            await client.end()
            try await world.delete()
            return nil
        }
        guard !contractCase.steps.isEmpty else {
            await client.end()
            try await world.delete()
            result.skipped = Messages.needsSockets
            return result
        }
        var play = CasePlay(world: world, client: client, result: result, stepLimit: stepLimit, grace: grace)
        do {
            try await play.run()
        } catch {
            await client.end()
            throw error
        }
        await client.end()
        try await world.delete()
        result = play.result
        result.systemTime = start.duration(to: .now())
        if isStrict { result.failures += result.unfaced.map { CaseFailure(message: Messages.unfaced($0)) } }
        return result
    }
}

/// The environment for cases: an engine, and the transport between the engine and clients.
public protocol Stage {
    /// Whether all bytes have arrived once ``perform(_:)`` and the client's work have returned.
    var isPrompt: Bool { get }

    /// Runs work on the engine at the system's time; when this function returns, output for clients is on its way.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result
}

extension Stage {
    public var isPrompt: Bool { false }
}

extension LocalServer: Stage {}

extension VirtualNetwork: Stage {
    public var isPrompt: Bool { true }

    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        defer { if !isAtRest { settle() } }
        return try body(engine, now)
    }
}

/// A world on a stage, from creation to deletion.
struct StageWorld {
    let stage: any Stage
    let access: Engine.WorldAccess

    init(
        on stage: any Stage, _ scenario: Scenario, guide: GuideMode?, clock: ClockMode, judged: Bool = true
    ) async throws {
        self.stage = stage
        access = try await stage.perform { engine, now in
            try engine.makeWorld(scenario, guide: guide, clock: clock, judged: judged, at: now)
        }
    }

    var surroundings: Surroundings {
        Surroundings(
            url: access.url, webSocketURL: access.webSocketURL, token: access.token, freshToken: access.freshToken,
            refreshToken: access.refreshToken, apiKey: access.apiKey, guide: access.mode, now: access.now)
    }

    /// The state that determines whether time may advance.
    struct Pulse: Sendable {
        /// A number that grows with every byte that passes between the world and its clients.
        var activity: UInt64
        /// When the world's next event is due.
        var nextDue: Timestamp?
    }

    func pulse(at time: Timestamp) async throws -> Pulse {
        try await stage.perform { [id = access.id] engine, now in
            var next = engine.nextDue(ofWorld: id, at: now)
            if let due = next, due <= time {
                engine.advanceWorld(id, to: time, at: now)
                next = engine.nextDue(ofWorld: id, at: now)
            }
            return Pulse(activity: engine.activity(ofWorld: id), nextDue: next)
        }
    }

    func advance(to time: Timestamp) async throws {
        try await stage.perform { [id = access.id] engine, now in engine.advanceWorld(id, to: time, at: now) }
    }

    /// A consultation's messages on the server, or empty for an unknown ID.
    func storedMessages(of consultation: String) async throws -> [StoredMessage] {
        try await stage.perform { [id = access.id] engine, _ in
            engine.storedMessages(ofConsultation: consultation, inWorld: id)
                .map { StoredMessage(role: $0.role, text: $0.content) }
        }
    }

    func deleteConsultation(_ consultation: String) async throws {
        try await stage.perform { [id = access.id] engine, now in
            engine.deleteConsultation(consultation, ofWorld: id, at: now)
        }
    }

    func judgement() async throws -> Judgement? {
        try await stage.perform { [id = access.id] engine, now in engine.judgement(ofWorld: id, at: now) }
    }

    func entries() async throws -> [JournalEntry] {
        try await stage.perform { [id = access.id] engine, _ in engine.journalEntries(ofWorld: id) }
    }

    /// The state that shows whether the backend is idle.
    ///
    /// - Parameter traffic: The number of the last known entry that is not a ping or pong.
    func idleness(after traffic: Int) async throws -> Idleness.Backend {
        try await stage.perform { [id = access.id] engine, _ in
            let last = engine.journalEntries(ofWorld: id, after: traffic).last { !$0.event.isPing }
            return Idleness.Backend(lastTraffic: last?.number ?? traffic, nextStep: engine.nextStep(ofWorld: id))
        }
    }

    func delete() async throws {
        try await stage.perform { [id = access.id] engine, now in engine.deleteWorld(id, at: now) }
    }
}
