import FitIQAPI
import FitIQClient
import Judging
import MockServer
import Scenarios
import Traffic

/// Runs a client through a story in a scenario.
///
/// The explorer accesses worlds only through trials.
public protocol Trial: Sendable {
    /// Whether identical runs have identical outcomes.
    var isRepeatable: Bool { get }

    /// - Parameter limit: When to end a run, by the system's clock; a run without waits needs no limit.
    /// - Throws: Only harness errors; the client's behaviour is in the outcome.
    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome
}

/// When to end a run that takes too long.
public struct RunLimit: Sendable, Hashable {
    public var whole: Duration
    /// The client's maximum silence after its first traffic.
    public var silence: Duration

    /// The limits for an unknown client.
    public static let usual = RunLimit(whole: ExploreLimits.run)

    public init(whole: Duration, silence: Duration? = nil) { (self.whole, self.silence) = (whole, silence ?? whole) }
}

/// The events in a run.
public struct TrialOutcome: Sendable {
    public var mode: GuideMode
    public var startedAt: Timestamp
    /// The world's time at the end, or nil for the time of the last entry.
    public var endedAt: Timestamp?
    public var entries: [JournalEntry] = []
    /// The judgements of worlds that the client created itself; schedules do not apply to these worlds.
    public var made: [RunJudgement] = []
    /// The failures that the client's user sees.
    public var failures: [CaseFailure] = []
    /// The problems that the client showed its user, by kind.
    public var problems: [ClientReport.Problem.Kind: [ClientReport.Problem]] = [:]
    public var end = End.finished
    /// Whether the run reached its time limit.
    public var hasLasted = false
    /// The numbers of the entries written after the user left, or nil if the user does not leave in any step.
    public var quiet: Range<Int>?
    public var quietSince: Timestamp?
    /// The times of user actions other than messages.
    public var asked: [Timestamp] = []
    /// The instructions that the client does not support.
    public var unsupported: Set<String> = []  // Names of instructions: constants.

    public init(mode: GuideMode, startedAt: Timestamp) { (self.mode, self.startedAt) = (mode, startedAt) }

    /// Whether the client sent anything.
    public var hasConnected: Bool {
        entries.contains { [.exchange, .opened].contains($0.event.kind) }
            || made.contains(where: \.judgement.hasConnected)
    }

    /// The world's age at the end.
    var length: Duration {
        let end = endedAt ?? entries.last?.time ?? startedAt
        return .nanoseconds(max(0, end.nanosecondsSinceEpoch - startedAt.nanosecondsSinceEpoch))
    }

    public enum End: Sendable, Hashable {
        case finished
        case command(Report.CommandOutcome)
        /// The client was still busy after this many checks in one story.
        case restless(looks: Int)
        /// The suite can no longer drive the client, for this reason.
        case undrivable(String)
    }
}

/// A run of a schedule with the explorer's findings.
public struct ExaminedRun: Sendable {
    public let schedule: Schedule
    public let outcome: TrialOutcome
    public let reading: TrialReading
    public let points: Points
    /// The indices of the faults that took effect.
    public let acted: Set<Int>
    /// The client's symptoms.
    ///
    /// Each ID occurs once.
    public let symptoms: [Symptom]

    public init(
        _ schedule: Schedule, on story: Story, with trial: some Trial, within limit: RunLimit = .usual, _ oracle: Oracle
    ) async throws {
        let outcome = try await trial.run(schedule.scenario(on: story.scenario), story: schedule.story, within: limit)
        self.init(outcome, of: schedule, on: story, oracle)
    }

    /// - Parameter isHarmed: Whether the run's faults excuse what the client shows its user, or nil if the schedule
    ///   contains all faults and therefore decides.
    public init(
        _ outcome: TrialOutcome, of schedule: Schedule, on story: Story, _ oracle: Oracle, isHarmed: Bool? = nil
    ) {
        (self.outcome, self.schedule) = (outcome, schedule)
        reading = TrialReading(outcome)
        points = Points(outcome, reading)
        acted = schedule.acted(in: outcome, on: story.scenario, points)
        symptoms = oracle.symptoms(
            of: outcome, reading, story: schedule.story, isHarmed: isHarmed ?? schedule.isHarmful(in: outcome.mode),
            isNewer: !(isHarmed ?? (schedule.faults.isEmpty || schedule.isHarmful(in: outcome.mode))))
    }

    public func symptom(_ id: String) -> Symptom? { symptoms.first { $0.id == id } }
}
