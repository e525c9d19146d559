import ContractSuite
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Synchronization

/// Finds the situations that clients reach, and the ways they reach them, for `Fixtures/data/coverage.tsv`.
///
/// Identical calls produce identical tables.
public struct CoverageSurvey {
    private struct Way {
        var name: String?
        /// The key by which ways are sorted, smallest first: the kind of way, then its duration.
        var cost: (kind: Int, time: Int64)
    }

    private var ways: [Int: Way] = [:]

    public init() {}

    /// The situations that were reached, easiest first.
    public var rows: [ReachableSituation] {
        ways.sorted { one, other in
            (one.value.cost.kind, one.value.cost.time, one.key) < (
                other.value.cost.kind, other.value.cost.time, other.key
            )
        }.map { ReachableSituation(Situation(index: $0.key), way: $0.value.name) }
    }

    private mutating func add(_ situation: Situation, _ name: String?, kind: Int, time: Int64 = 0) {
        let way = Way(name: name, cost: (kind, time))
        if let known = ways[situation.index], known.cost <= way.cost { return }
        ways[situation.index] = way
    }

    // MARK: Scenarios

    /// Plays the stories of the reference client, in both chat protocols, and the contract's cases.
    ///
    /// The default scenario comes first, followed by the other built-in scenarios in order of duration.
    public mutating func addScenarios() async throws {
        for name in Scenario.builtInNames {
            for (number, steps) in Self.stories.enumerated() {
                for isOfUserMessages in [false, true] {
                    let story = ContractCase(
                        "coverage/\(name)/\(number)", "What a client can face", .ours("A client meets what there is."),
                        setting: .builtIn(name), steps: steps)
                    try await add(story, isOfUserMessages: isOfUserMessages)
                }
            }
        }
        for contractCase in ContractCase.all { try await add(contractCase, isOfUserMessages: false) }
    }

    private mutating func add(_ contractCase: ContractCase, isOfUserMessages: Bool) async throws {
        let now = Timestamp(secondsSinceEpoch: 1_738_146_600)
        let network = VirtualNetwork(try Engine(Engine.Configuration(), now: now), now: now)
        let stage = WatchedStage(network)
        var runner = CaseRunner(on: stage)
        _ = try await runner.run(contractCase) {
            try ReferenceClient($0, network: network) { if isOfUserMessages { $0.chat = .userMessage } }
        }
        for (situation, time) in stage.seen {
            if case .builtIn(let name) = contractCase.setting {
                add(situation, name, kind: name == Scenario.defaultName ? 0 : 1, time: time)
            } else {
                add(situation, nil, kind: 3)
            }
        }
    }

    /// A user's actions with pauses and without expectations, so that faults never end a story.
    private static let stories: [[Step]] = [
        [
            .start(.nutritionist), .pass(.seconds(3)), .send("How much protein?"), .pass(.seconds(100)),
            .send("And for breakfast?"), .pass(.seconds(100)), .disconnect, .pass(.seconds(10)), .start(.nutritionist),
            .pass(.seconds(3)), .send("Still there?"), .pass(.seconds(100)), .archive, .pass(.seconds(10)),
        ],
        [
            .loadGoals, .createGoal("Run 5 km"), .pass(.seconds(5)), .logMeal("2 eggs"), .start(.nutritionist),
            .pass(.seconds(2)), .send("How much protein?"), .logMeal("1 apple"), .pass(.seconds(100)), .disconnect,
            .logMeal("mystery stew"), .pass(.seconds(60)), .start(.nutritionist), .pass(.seconds(3)),
            .send("And for breakfast?"), .pass(.seconds(100)), .disconnect, .pass(.seconds(5)),
        ],
        [
            .listenToMeals, .logMeal("2 eggs"), .pass(.seconds(60)), .logMeal("mystery stew"), .pass(.seconds(60)),
            .disconnect, .pass(.seconds(5)), .open(KnownID.nothing), .pass(.seconds(5)), .start(.nutritionist),
            .pass(.seconds(3)), .send("How much protein?"), .pass(.seconds(60)), .disconnect, .pass(.seconds(5)),
        ],
        [
            .start(.nutritionist), .pass(.seconds(3)), .send("How much protein?"), .pass(.seconds(2)), .loadGoals,
            .pass(.seconds(90)), .logMeal("2 eggs"), .send("And for breakfast?"), .pass(.seconds(3)), .loadGoals,
            .logMeal("1 apple"), .pass(.seconds(90)), .send("Still there?"), .pass(.milliseconds(200)), .disconnect,
            .pass(.seconds(20)),
        ],
    ]

    // MARK: Exploring

    /// Adds the situations that the reference client encounters in this many fault schedules.
    public mutating func addExploring(runs: Int) async throws {
        let trial = SurveyedTrial()
        var settings = Explorer.Settings()
        settings.runs = runs
        _ = try await Explorer(settings).explore(with: trial)
        for (index, family) in trial.seen.withLock({ $0 }) {
            let way = family.map { "explore --only \($0.rawValue)" }
            add(Situation(index: index), way, kind: way == nil ? 3 : 2)
        }
    }

    // MARK: Random clients

    /// Adds the situations of random clients with faults and an operator; no command can repeat these.
    public mutating func addSimulation(seed: UInt64, sessions: Int = Simulator.usualSessions) throws {
        let simulator = Simulator(seed: seed, sessions: sessions, withFaults: seed % 2 == 0)
        simulator.survey()
        _ = try simulator.run().get()
        for situation in simulator.coverage?.situations ?? [] { add(situation, nil, kind: 3) }
    }
}

/// An in-memory stage that records the situations of its first world's client, with their times.
private final class WatchedStage: Stage {
    private let network: VirtualNetwork
    private var judge: Judge?
    private var start: Timestamp?
    private var coverage = Coverage()
    /// Each situation, with the number of nanoseconds from the start of the case until the client reached it.
    private(set) var seen: [(Situation, Int64)] = []

    init(_ network: VirtualNetwork) { self.network = network }

    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        // Record the situations before the work, which may delete the world.
        look()
        return try await network.perform(body)
    }

    private func look() {
        for entry in network.engine.journalEntries(ofWorld: "w1", after: judge?.lastNumber ?? 0) {
            if judge == nil { (judge, start) = (Judge(mode: .union), entry.time) }
            judge?.observe(entry)
            guard let judge, let start, judge.coverage.count > coverage.count else { continue }
            let time = entry.time.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
            for situation in judge.coverage.situations where !coverage.contains(situation) {
                seen.append((situation, time))
            }
            coverage = judge.coverage
        }
    }
}

/// Plays the reference client's stories in memory; records the client's situations and the active faults.
private final class SurveyedTrial: Trial {
    private let trial = MemoryTrial { try ReferenceClient($0, network: $1) }
    /// For each situation's index, the only fault family that led the client there; nil if there is no such family.
    let seen = Mutex<[Int: FaultKind.Family?]>([:])

    var isRepeatable: Bool { trial.isRepeatable }

    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
        let outcome = try await trial.run(scenario, story: story, within: limit)
        // The names of a fault kind's rules begin with the kind's id.
        let families = Set(
            scenario.faults.compactMap { rule in
                FaultKind.all.filter { rule.name.text.hasPrefix($0.id + "-") }.max { $0.id.count < $1.id.count }?.family
            })
        let family = families.count == 1 ? families.first : nil
        let coverage = TrialReading(outcome).coverage
        seen.withLock { seen in
            for situation in coverage.situations where (seen[situation.index] ?? nil) == nil {
                seen[situation.index] = .some(family)
            }
        }
        return outcome
    }
}
