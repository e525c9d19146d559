import FitIQAPI
import MockServer
import Scenarios

/// Creates the client for a case; called once per case, or twice if its clock is not the assumed one.
///
/// An error that it throws is the client's and fails the case.
public typealias ClientFactory = (Surroundings) async throws -> any ClientUnderTest

/// Plays cases on a stage, each in its own world.
public struct CaseRunner {
    public let stage: any Stage
    /// Whether a case fails if the client was not made to face the case's obligations.
    public var isStrict = false
    /// The longest wait for a client on the system's clock in steps that only let time pass; longer cases are skipped.
    public var patience = Duration.seconds(30)
    /// The most checks of the client and its world in one case; a case that needs more never becomes idle.
    public var stepLimit = 200_000

    /// The clock of the last client.
    private var clock = ClientClock.suite

    public init(on stage: any Stage) {
        self.stage = stage
    }

    /// Plays a case.
    ///
    /// - Throws: errors of the harness itself: no room for a world, a stopped server. Anything the client does is in
    ///   the result.
    public mutating func run(_ contractCase: ContractCase, with factory: ClientFactory) async throws -> CaseResult {
        let scenario = try contractCase.setting.scenario()
        if let result = try await run(contractCase, scenario, with: factory) { return result }
        // The client's clock differs from the previous client's; the world has to follow it.
        clock = clock == .suite ? .system : .suite
        if let result = try await run(contractCase, scenario, with: factory) { return result }
        var result = CaseResult(contractCase, mode: contractCase.guide ?? scenario.guide ?? .union)
        result.failures = [CaseFailure(message: Messages.clockChanges)]
        return result
    }

    /// Plays a case in a world on the assumed clock of the client; nil if the client follows the other.
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
