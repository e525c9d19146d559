import FitIQAPI
import FitIQClient
import JSON
import Judging
import Scenarios
import Synchronization
import Testing
import Text
import Traffic

@testable import ContractSuite

@Suite("Explorers")
struct ExplorerTests {
    private static let rule = "retry/backoff-on-5xx"

    private func explore(
        _ trial: some Trial, runs: Int? = nil, seed: UInt64 = 1, jobs: Int = 1, stories: [Story] = [Story.all[0]],
        families: Set<FaultKind.Family> = Set(FaultKind.Family.allCases), mayFail: Bool = false,
        stopping: @escaping @Sendable () -> Exploration.Ending? = { nil }
    ) async throws -> Exploration {
        var settings = Explorer.Settings()
        (settings.runs, settings.seed, settings.jobs, settings.stories) = (runs, seed, jobs, stories)
        (settings.families, settings.mayFail) = (families, mayFail)
        return try await Explorer(settings).explore(with: trial, stopping: stopping)
    }

    /// The parts of an exploration that can appear in a report.
    private static func told(_ exploration: Exploration) -> [String] {
        exploration.found.map { found in
            "\(found.symptom.id) \(found.symptom.message) \(found.symptom.situation.index) \(found.schedule.key)"
                + " \(found.confirmed) \(found.seenCount) "
                + found.run.outcome.entries.map { EntryLine($0).text }.joined(separator: "\n")
        } + ["\(exploration.counts)", "\(exploration.coverage.situations.map(\.index))", "\(exploration.ended)"]
            + exploration.flaky.map { "\($0)" }
    }

    @Test("The explorer finds the mildest fault that makes a client repeat too soon", arguments: [1, 2])
    func finds(seed: UInt64) async throws {
        func symptoms(of schedule: Schedule) async throws -> [Symptom] {
            let scenario = schedule.scenario(on: Story.all[schedule.story].scenario)
            return try await MemoryTrial.hasty.run(scenario, story: schedule.story).symptoms(story: schedule.story)
        }
        let exploration = try await explore(MemoryTrial.hasty, runs: 256, seed: seed)
        #expect(exploration.hasConnected && exploration.ended == .runs)
        let found = try #require(exploration.found.first { $0.symptom.id == Self.rule })
        #expect(found.schedule.faults.map(\.kind.id) == ["status-500"])
        // No earlier place shows the symptom, and the coach's original answer does not matter.
        for place in found.schedule.faults[0].place.earlier {
            var earlier = found.schedule
            earlier.faults[0].place = place
            #expect(try await !symptoms(of: earlier).contains { $0.id == Self.rule }, "\(earlier)")
        }
        #expect(found.schedule.isBrief && found.confirmed == (1, 1) && found.seenCount > 1)
        #expect(exploration.counts.equal > 0, "of points that are alike one is tried")
        // A run with the schedule shows the symptom, and so does a run from the scenario's file.
        let (base, json) = (Story.all[found.schedule.story].scenario, JSONValue.object(["name": "x"]))
        let faults = try Scenario.read(json: found.schedule.document(on: json)).faults
        #expect(faults == found.schedule.scenario(on: base).faults)
        #expect(try await symptoms(of: found.schedule).contains(found.symptom))
    }

    @Test("The same seed gives the same exploration with any number of jobs")
    func deterministic() async throws {
        var tellings: [[String]] = []
        for jobs in [1, 4, 1] {
            tellings.append(Self.told(try await explore(MemoryTrial.hasty, runs: 80, seed: 3, jobs: jobs)))
        }
        #expect(tellings.allSatisfy { $0 == tellings[0] })
    }

    /// Wraps a trial and counts its runs.
    private struct Counted<Runner: Trial>: Trial {
        let trial: Runner
        let count = Count()
        var isRepeatable: Bool { trial.isRepeatable }

        final class Count: Sendable {
            let value = Mutex(0)
            var now: Int { value.withLock { $0 } }
        }

        func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
            count.value.withLock { $0 += 1 }
            return try await trial.run(scenario, story: story, within: limit)
        }
    }

    @Test("An interrupted exploration reports its findings and starts no more runs")
    func interrupted() async throws {
        let trial = Counted(trial: MemoryTrial.hasty)
        let exploration = try await explore(trial) { trial.count.now >= 100 ? .interrupted : nil }
        #expect(exploration.ended == .interrupted && trial.count.now <= 101)
        #expect(exploration.counts.schedules > 30 && exploration.counts.schedules < 100)
        #expect(exploration.found.contains { $0.symptom.id == Self.rule })
        // Interrupt the exploration before it begins.
        let none = try await explore(MemoryTrial.reference) { .interrupted }
        #expect(none.ended == .interrupted && none.counts.schedules == 0)
    }

    @Test(
        "Results of an unfinished batch count as confirmed after a timeout but not after an interruption",
        arguments: [Exploration.Ending.budget, .interrupted], [1, 3])
    func unfinished(ending: Exploration.Ending, jobs: Int) async throws {
        let trial = Counted(trial: Command { names, _ in names.isEmpty ? 0 : 1 })
        let exploration = try await explore(trial, jobs: jobs, families: [.failed]) {
            trial.count.now >= 8 ? ending : nil
        }
        // Three runs without faults come first.
        #expect((1...7).contains(exploration.counts.schedules) && exploration.ended == ending)
        if ending == .budget {
            #expect(!exploration.found.isEmpty && exploration.flaky.isEmpty)
            #expect(exploration.found.allSatisfy { $0.confirmed == (3, 3) && !$0.schedule.isBrief })
        } else {
            // Findings that were confirmed earlier still count.
            #expect(exploration.found.allSatisfy { $0.confirmed.count >= 2 } && trial.count.now <= 10)
            guard exploration.found.isEmpty else { return }
            #expect(!exploration.flaky.isEmpty && exploration.flaky.allSatisfy { ($0.failed, $0.of) == (0, 0) })
            let notes = exploration.report(title: "a", named: "b").runs[0].checks[0].notes
            #expect(notes.contains { $0.hasPrefix("explore/command appeared ") && $0.hasSuffix(" was not confirmed.") })
        }
    }

    @Test("An exploration ends when nothing is left to try")
    func exhausted() async throws {
        let exploration = try await explore(MemoryTrial.reference, families: [.expiry])
        #expect(exploration.ended == .exhausted && exploration.counts.singles > 0)
    }

    /// A trial of a client that, like URLSession, waits a minute for an answer; the clock is moved by the runs.
    private final class Patient: Trial {
        let isRepeatable = false
        let budget = Duration.seconds(60)
        private let elapsed = Mutex(Duration.zero)
        var now: Duration { elapsed.withLock { $0 } }

        func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
            guard now < budget else { throw CancellationError() }
            let ids = scenario.faults.map { String($0.name.text.dropLast("-1".count)) }
            let kinds = ids.compactMap(FaultKind.named)
            #expect(kinds.isEmpty == ids.isEmpty)
            let isWaiting = kinds.contains { [.endless, .beyondPatience].contains($0.wait) }
            let wanted = Duration.seconds(isWaiting ? 60 : 1)
            let length = min(wanted, limit.silence, budget - now)
            elapsed.withLock { $0 += length }
            var outcome = try await MemoryTrial.reference.run(scenario, story: story)
            outcome.endedAt = outcome.startedAt.advanced(byNanoseconds: length.components.seconds * 1_000_000_000)
            outcome.hasLasted = length < wanted
            return outcome
        }
    }

    @Test("An exploration of a client that waits a minute stays within the budget")
    func patient() async throws {
        let trial = Patient()
        let exploration = try await explore(trial, runs: 200) { trial.now >= trial.budget * 17 / 20 ? .budget : nil }
        #expect(exploration.ended == .budget && trial.now <= trial.budget)
        #expect(exploration.counts.schedules >= 30, "\(exploration.counts)")
    }

    // MARK: Made-up trials

    /// A client that does what a closure says.
    private struct MadeUp: Trial {
        let isRepeatable = true
        let outcome: @Sendable (Scenario, Int) async throws -> TrialOutcome

        func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
            try await outcome(scenario, story)
        }
    }

    /// A command: the reference client, whose exit status follows the scenario's rules.
    private struct Command: Trial {
        var isRepeatable = false
        /// Maps the names of the rules, and the number of runs with them so far, to the exit status.
        let status: @Sendable ([String], Int) -> Int
        /// Whether runs with faults leave no entries.
        var isTraceless = false
        private let counts = Counts()

        final class Counts: Sendable { let values = Mutex<[ExactString: Int]>([:]) }

        init(isRepeatable: Bool = false, status: @escaping @Sendable ([String], Int) -> Int) {
            (self.isRepeatable, self.status) = (isRepeatable, status)
        }

        func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
            let names = scenario.faults.map(\.name.text)
            let count = counts.values.withLock { values in
                values[ExactString("\(scenario.faults)"), default: 0] += 1
                return values[ExactString("\(scenario.faults)"), default: 0]
            }
            var outcome = try await MemoryTrial.reference.run(scenario, story: story)
            if isTraceless, !names.isEmpty { outcome.entries = [] }
            outcome.end = .command(.exited(status(names, count)))
            return outcome
        }
    }

    @Test("A failure that occurs less often than required is flaky", arguments: [1, 2, 3, 4])
    func confirms(good: Int) async throws {
        // With status 503, every run fails except the first few after the first one.
        let command = Command { names, count in
            names.contains("status-503-1") && !(2...max(2, good)).contains(count) || good == 1 && !names.isEmpty ? 1 : 0
        }
        let exploration = try await explore(command, runs: 30, families: [.failed])
        let commands = exploration.found.filter { $0.symptom.id == "explore/command" }
        switch good {
        case 1:
            #expect(commands.allSatisfy { $0.confirmed == (3, 3) } && !commands.isEmpty && exploration.flaky.isEmpty)
        case 2: #expect(!commands.isEmpty && commands.allSatisfy { $0.confirmed.count >= 2 && $0.confirmed.of == 3 })
        default:
            #expect(commands.isEmpty && !exploration.flaky.isEmpty)
            #expect(exploration.flaky.allSatisfy { $0.id == "explore/command" && $0.failed < 2 && $0.of <= 3 })
        }
    }

    @Test("A failure that occurs without faults is reported once with an empty schedule")
    func baseline() async throws {
        let command = Command(isRepeatable: true) { _, _ in 7 }
        let found = try await explore(command, runs: 20).found
        #expect(found.map(\.symptom.id) == ["explore/command"] && found[0].schedule.faults.isEmpty)
        let both = try await explore(command, runs: 1, stories: Array(Story.all[..<2]))
        #expect(both.found.map(\.seenCount) == [2])
        #expect(try await explore(command, runs: 20, mayFail: true).found.isEmpty)
    }

    @Test("A failure in only one of three runs without faults is flaky")
    func flakyBaseline() async throws {
        let command = Command { names, count in names.isEmpty && count == 1 ? 7 : 0 }
        let exploration = try await explore(command, runs: 1)
        let flaky = Exploration.Flaky(schedule: Schedule(story: 0), id: "explore/command", failed: 1, of: 3)
        #expect(exploration.found.isEmpty && exploration.flaky == [flaky])
    }

    @Test("The explorer retries a flaky cause when another schedule shows it")
    func doubted() async throws {
        // Of all schedules, only the third shows the symptom more than once.
        let seen = Mutex<[String]>([])
        let command = Command { names, _ in
            guard let name = names.first else { return 0 }
            return seen.withLock { seen in
                let place = seen.firstIndex(of: name)
                if place == nil { seen.append(name) }
                return place == nil || place == 2 ? 1 : 0
            }
        }
        let exploration = try await explore(command, runs: 16, families: [.failed])
        #expect(!exploration.flaky.isEmpty && exploration.found.map(\.symptom.id) == ["explore/command"])
    }

    @Test("The explorer tries at most three schedules for a cause that it saw only once")
    func doubts() async throws {
        var command = Command { names, count in names.isEmpty || count > 1 ? 0 : 1 }
        // All runs end in the same situation.
        command.isTraceless = true
        let exploration = try await explore(command, runs: 16, families: [.failed])
        #expect(exploration.found.isEmpty && exploration.flaky.count == 3)
    }

    @Test("The explorer repeats a schedule only until its finding is certain")
    func certain() async throws {
        let most = Mutex(0)
        let command = Command { names, count in
            guard names.contains("status-503-1") || names.contains("shake-503-1") else { return 0 }
            most.withLock { $0 = max($0, count) }
            return 1
        }
        let found = try await explore(command, runs: 1, families: [.failed]).found
        #expect(found.count == 1 && found.allSatisfy { $0.confirmed == (3, 3) && $0.schedule.isBrief })
        // The schedule is run once at first, twice for confirmation, twice with brief answers, and three times at the
        // end.
        #expect(most.withLock { $0 } == 8)
    }

    @Test("If the smallest schedule cannot be confirmed, the previous schedule becomes the finding")
    func fallback() async throws {
        // Milder fault kinds show the symptom often enough to be accepted, and never again.
        let command = Command { names, count in names.contains("status-503-1") || !names.isEmpty && count <= 3 ? 1 : 0 }
        let exploration = try await explore(command, runs: 40, families: [.failed])
        #expect(exploration.found.contains { $0.schedule.faults.map(\.kind.id) == ["status-503"] })
        #expect(exploration.found.allSatisfy { $0.confirmed == (3, 3) })
    }

    @Test("A failure without faults in one story does not excuse the same failure in other stories")
    func otherStories() async throws {
        let uneven = MadeUp { scenario, story in
            var outcome = try await MemoryTrial.reference.run(scenario, story: story)
            outcome.end = .command(.exited(story == 0 || !scenario.faults.isEmpty ? 1 : 0))
            return outcome
        }
        let found = try await explore(uneven, runs: 64, stories: Array(Story.all[..<2]), families: [.failed]).found
        #expect(found.first.map { $0.schedule == Schedule(story: 0) } ?? false)
        #expect(found.contains { $0.schedule.story == 1 && $0.schedule.faults.count == 1 })
    }

    @Test("The report mentions an instruction that the client lacks but contains no finding for it")
    func unsupported() async throws {
        struct Lacking: ClientUnderTest {
            let client: ReferenceClient
            var clock: ClientClock { .suite }
            func perform(_ instruction: ClientInstruction) throws {
                if case .createGoal = instruction { throw UnsupportedInstruction(instruction) }
                client.perform(instruction)
            }
            func report() -> ClientReport { client.report() }
            func settle(at time: Timestamp) -> Timestamp? { client.settle(at: time) }
            func end() { client.end() }
        }
        let trial = MemoryTrial(of: [Story.all[2]]) { Lacking(client: try ReferenceClient($0, network: $1)) }
        let exploration = try await explore(trial, runs: 20, stories: [Story.all[2]])
        #expect(exploration.found.isEmpty)
        let notes = exploration.report(title: "a", named: "b").runs[0].checks[0].notes
        let note = "The client does not support create_goal, so the expectations of the story goals "
        #expect(notes.contains { $0.hasPrefix(note) })
    }

    /// A client that crashes at the first fault, wherever that is.
    private static func fragile(_ trial: MemoryTrial = .reference) -> MadeUp {
        MadeUp { scenario, story in
            var outcome = try await trial.run(scenario, story: story)
            if let end = outcome.entries.firstIndex(where: { !$0.event.faultNames.isEmpty }) {
                outcome.entries.removeLast(outcome.entries.count - end - 1)
                outcome.end = .command(.signalled(11))
            }
            (outcome.failures, outcome.quiet) = ([], nil)
            return outcome
        }
    }

    @Test("An exploration keeps at most 50 findings with different causes and counts the rest")
    func limit() async throws {
        let exploration = try await explore(Self.fragile(), runs: 448, stories: Story.all)
        let crashes = exploration.found.filter { $0.symptom.id == "explore/crash" }
        #expect(exploration.found.count == ExploreLimits.findings && exploration.omittedCount > 0)
        let causes = crashes.map { found in "\(found.schedule.faults.map { "\($0.kind.id) \($0.place.route)" })" }
        #expect(Set(causes).count == causes.count && causes.count > 10)
        #expect(crashes.allSatisfy { $0.schedule.faults.count == 1 })
    }

    @Test("A finding counts every schedule that shows its cause")
    func seen() async throws {
        let story = Story.all[3]
        let trial = Self.fragile(MemoryTrial(of: [story]) { try ReferenceClient($0, network: $1) })
        let exploration = try await explore(trial, stories: [story], families: [.failed])
        let crashes = exploration.found.filter { $0.symptom.id == "explore/crash" }
        #expect(exploration.ended == .exhausted && exploration.omittedCount == 0 && exploration.flaky.isEmpty)
        #expect(crashes.count > 1 && crashes.map(\.seenCount).reduce(0, +) == exploration.counts.schedules)
    }

    @Test("The explorer tries no schedules if the client never connects")
    func silent() async throws {
        let exploration = try await Explorer().explore(with: MadeUp { _, _ in TrialOutcome() })
        #expect(!exploration.hasConnected && exploration.counts.schedules == 0)
    }

    @Test("An exploration whose time runs out in a run without faults ends without a baseline")
    func slow() async throws {
        let isOver = Mutex(false)
        let slow = MadeUp { scenario, story in
            if story == 0 { return try await MemoryTrial.reference.run(scenario, story: story) }
            isOver.withLock { $0 = true }
            throw CancellationError()
        }
        let exploration = try await explore(slow, stories: Array(Story.all.prefix(2))) {
            isOver.withLock { $0 } ? .budget : nil
        }
        #expect(exploration.ended == .budget && !exploration.hasBaseline && exploration.hasConnected)
        #expect(exploration.counts.schedules == 0)
        // A run that was stopped may have connected.
        let stopped = MadeUp { _, _ in throw CancellationError() }
        let none = try await explore(stopped) { .budget }
        #expect(!none.hasConnected && none.report(title: "a", named: "b").runs[0].hasConnected)
        await #expect(throws: CancellationError.self) { try await explore(stopped) }
    }

    @Test("An error in the harness ends the exploration")
    func harness() async throws {
        struct Failure: Error {}
        let broken = MadeUp { scenario, story in
            guard scenario.faults.isEmpty, scenario.tokenLifetime == Story.all[story].scenario.tokenLifetime
            else { throw Failure() }
            return try await MemoryTrial.reference.run(scenario, story: story)
        }
        await #expect(throws: Failure.self) { try await Explorer().explore(with: broken) }
    }

    @Test("The explorer rejects a world with too many fault rules")
    func room() async throws {
        func tryFaults(_ count: Int) async throws {
            let rules = (0..<count).map { "{name: f\($0), on: any, enabled: false, hang: true}" }
            let (world, document) = try Scenario.readWithJSON("name: full\nfaults: [\(rules.joined(separator: ", "))]")
            let stories = [Story("full", scenario: world, document: document)]
            let trial = MemoryTrial(of: stories) { try ReferenceClient($0, network: $1) }
            _ = try await explore(trial, runs: 1, stories: stories)
        }
        try await tryFaults(ExploreLimits.rulesOfScenario)
        let error = await #expect(throws: Refusal.self) { try await tryFaults(ExploreLimits.rulesOfScenario + 1) }
        #expect(error?.description.contains("at most 996 each of faults, answers, meals") == true)
    }

    @Test("A confirmation may require the maximum number of attempts")
    func confirmation() {
        #expect(Explorer.Confirmation(ExploreLimits.tries, of: ExploreLimits.tries).needed == 20)
        #expect(Explorer.Confirmation(1, of: 2).description == "1/2")
    }

    @Test("A confirmation traps if it needs zero attempts or more attempts than are available")
    func misuse() async {
        await #expect(processExitsWith: .failure) { _ = Explorer.Confirmation(0, of: 3) }
        await #expect(processExitsWith: .failure) { _ = Explorer.Confirmation(3, of: 2) }
    }
}
