import FitIQAPI
import FitIQClient
import MockServer
import Scenarios

/// Plays stories with a client in memory.
///
/// Each run has its own network and engine, so identical runs produce identical bytes.
public struct MemoryTrial: Trial {
    private let stories: [Story]
    private let make: @Sendable (Surroundings, VirtualNetwork) throws -> any ClientUnderTest

    public var isRepeatable: Bool { true }

    /// The maximum number of checks of a client, and of entries, in one run.
    ///
    /// A client that needs more checks or entries is flooding its backend.
    public static let lookLimit = 5000
    public static let entryLimit = 5000
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    /// - Parameter make: Creates a client, which must use the network and follow the suite's clock.
    public init(
        of stories: [Story] = Story.all,
        _ make: @escaping @Sendable (Surroundings, VirtualNetwork) throws -> any ClientUnderTest
    ) { (self.stories, self.make) = (stories, make) }

    public func run(_ scenario: Scenario, story: Int, within limit: RunLimit = .usual) async throws -> TrialOutcome {
        let network = VirtualNetwork(try Engine(Engine.Configuration(), now: Self.start), now: Self.start)
        let world = try await StageWorld(
            on: network, scenario, guide: nil, clock: scenario.clock ?? .manual, judged: false)
        let client = try make(world.surroundings, network)
        return try await stories[story].outcome(with: client, in: world)
    }
}

/// Plays stories on a stage with sockets, such as a `LocalServer`.
///
/// Each run has its own world.
public struct StageTrial: Trial {
    private let server: LocalServer
    private let stories: [Story]
    private let make: @Sendable (Surroundings) async throws -> any ClientUnderTest

    public var isRepeatable: Bool { false }

    /// - Parameter make: Creates a new client for each run; concurrent runs need concurrent clients.
    public init(
        on server: LocalServer, of stories: [Story] = Story.all,
        _ make: @escaping @Sendable (Surroundings) async throws -> any ClientUnderTest
    ) { (self.server, self.stories, self.make) = (server, stories, make) }

    public func run(_ scenario: Scenario, story: Int, within limit: RunLimit = .usual) async throws -> TrialOutcome {
        for clock in [ClientClock.suite, .system] {
            let manual = scenario.clock ?? .manual
            let world = try await StageWorld(
                on: server, scenario, guide: nil, clock: clock == .suite ? manual : .real, judged: false)
            var outcome = TrialOutcome(mode: world.access.mode, startedAt: world.access.now)
            let client: any ClientUnderTest
            do {
                client = try await make(world.surroundings)
            } catch {
                outcome.end = .undrivable(Messages.noClient(error))
                try await world.delete()
                return outcome
            }
            if client.clock == clock {
                outcome = try await stories[story].outcome(with: client, in: world)
            } else {
                await client.end()
                outcome.end = .undrivable(Messages.clientChanges)
            }
            try await world.delete()
            if client.clock == clock || clock == .system { return outcome }
        }
        preconditionFailure("A client must follow one of the two clocks.")
    }
}

extension Story {
    /// The longest pause in a story for a client on the system's clock.
    static let realPause = Duration.seconds(2)

    /// Plays the story and ends the client, but keeps the world.
    fileprivate func outcome(with client: any ClientUnderTest, in world: StageWorld) async throws -> TrialOutcome {
        var outcome = TrialOutcome(mode: world.access.mode, startedAt: world.access.now)
        let played = ContractCase(
            "explore/\(name)", name, .ours("A client must survive every fault."),
            steps: client.clock == .suite ? steps : steps.map(\.hurried))
        var play = CasePlay(
            world: world, client: client, result: CaseResult(played, mode: outcome.mode),
            // Over sockets, several checks are needed to rule out more input.
            stepLimit: MemoryTrial.lookLimit * (world.stage.isPrompt ? 1 : CasePlay.quietRounds + 1), grace: .seconds(5)
        )
        do {
            try await play.play(into: &outcome)
        } catch {
            await client.end()
            throw error
        }
        await client.end()
        return outcome
    }
}

extension Step {
    /// The step, with a pause that is short enough for real time.
    fileprivate var hurried: Step {
        switch self {
        case .pass(let duration): .pass(min(duration, Story.realPause))
        case .quiet(let duration): .quiet(min(duration, Story.realPause))
        default: self
        }
    }
}
