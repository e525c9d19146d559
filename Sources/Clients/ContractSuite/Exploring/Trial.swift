import FitIQAPI
import Judging
import Scenarios
import Traffic

/// Runs a client through a story in a scenario; the explorer's only door to the world.
public protocol Trial: Sendable {
    /// Whether equal runs have equal outcomes.
    var isRepeatable: Bool { get }

    /// - Parameter limit: When to cut a run by the system's clock; a run without waits needs no limit.
    /// - Throws: errors of the harness only; the outcome has the client's behaviour.
    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome
}

/// When a run is cut because it lasts.
public struct RunLimit: Sendable, Hashable {
    public var whole: Duration
    /// How long the client may be silent once it has begun.
    public var silence: Duration

    /// The capabilities of an unknown client.
    public static let usual = RunLimit(whole: ExploreLimits.run)

    public init(whole: Duration, silence: Duration? = nil) { (self.whole, self.silence) = (whole, silence ?? whole) }
}

/// The result of a run.
public struct TrialOutcome: Sendable {
    public var mode: GuideMode
    public var startedAt: Timestamp
    /// The world's time at the end; nil for that of the last entry.
    public var endedAt: Timestamp?
    public var entries: [JournalEntry] = []
    /// The failures that the client's user sees.
    public var failures: [CaseFailure] = []
    public var end = End.finished
    /// Whether the run was cut because it lasted.
    public var hasLasted = false
    /// The numbers of the entries written after the user left, and the time of leaving; nil if no step says so.
    public var quiet: Range<Int>?
    public var quietSince: Timestamp?
    /// The times of the user's requests other than messages.
    public var asked: [Timestamp] = []
    /// The instructions that the client lacks.
    public var unsupported: Set<String> = []  // Names of instructions: constants.

    public init(mode: GuideMode, startedAt: Timestamp) { (self.mode, self.startedAt) = (mode, startedAt) }

    /// Whether the client sent anything.
    public var hasConnected: Bool { entries.contains { [.exchange, .opened].contains($0.event.kind) } }

    /// How long its world lasted.
    var length: Duration {
        let end = endedAt ?? entries.last?.time ?? startedAt
        return .nanoseconds(max(0, end.nanosecondsSinceEpoch - startedAt.nanosecondsSinceEpoch))
    }

    public enum End: Sendable, Hashable {
        case finished
        case command(Report.CommandOutcome)
        /// The client was not quiet after this many checks of one story.
        case restless(looks: Int)
        /// The client cannot be driven any more, for this reason.
        case undrivable(String)
    }
}
