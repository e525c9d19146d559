import FitIQAPI
import MockServer
import Scenarios

/// Makes the client that a case is played with; called once for each case, or twice where its clock is another than was thought.
///
/// What it throws is the client's trouble and fails the case.
public typealias ClientFactory = (Surroundings) async throws -> any ClientUnderTest

/// Plays cases on a stage, each in a world of its own.
public struct CaseRunner {
    /// Where cases are played.
    public let stage: any Stage
    /// Whether a case fails in which the client was not made to face what it is meant to.
    public var isStrict = false
    /// The longest that a client of the system's clock is waited for in steps that only let time pass; longer cases are skipped.
    public var patience = Duration.seconds(30)
    /// The most looks at the client and its world in one case; one that needs more never gets quiet.
    public var stepLimit = 200_000

    /// Whose clock the last client followed.
    private var clock = ClientClock.suite

    /// Makes a runner.
    public init(on stage: any Stage) {
        self.stage = stage
    }

    /// Plays a case.
    ///
    /// - Throws: what is the harness's own trouble: no room for a world, a server that has stopped. Whatever the client does is
    ///   in the result.
    public mutating func run(_ contractCase: ContractCase, with factory: ClientFactory) async throws -> CaseResult {
        let scenario = try contractCase.setting.scenario()
        if let result = try await run(contractCase, scenario, with: factory) { return result }
        // The client's clock was another than that of the client before; the world has to follow it.
        clock = clock == .suite ? .system : .suite
        if let result = try await run(contractCase, scenario, with: factory) { return result }
        var result = CaseResult(contractCase, mode: contractCase.guide ?? scenario.guide ?? .union)
        result.failures = [CaseFailure(message: Messages.clockChanges)]
        return result
    }

    /// Plays a case in a world that follows the clock that the client is thought to follow; nil where it follows the other.
    private func run(
        _ contractCase: ContractCase, _ scenario: Scenario, with factory: ClientFactory
    ) async throws -> CaseResult? {
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
        guard client.clock == clock else {
            await client.end()
            try await world.delete()
            return nil
        }
        var play = CasePlay(world: world, client: client, result: result, stepLimit: stepLimit)
        do {
            try await play.run()
        } catch {
            await client.end()
            throw error
        }
        await client.end()
        try await world.delete()
        result = play.result
        if isStrict {
            result.failures += result.unfaced.map { CaseFailure(message: Messages.unfaced($0)) }
        }
        return result
    }
}
