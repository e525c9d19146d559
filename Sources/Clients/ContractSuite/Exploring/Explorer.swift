import FitIQAPI
import Judging
import Scenarios
import Text

/// Finds the faults that break a client, and reduces each finding to the smallest schedule.
///
/// ```swift
/// let exploration = try await Explorer().explore(with: MemoryTrial { surroundings, network in
///     try ReferenceClient(surroundings, network: network)
/// })
/// ```
///
/// Schedules are dealt in advance and evaluated in order. If identical runs have identical outcomes, a seed therefore
/// gives the same exploration with any number of jobs.
public struct Explorer: Sendable {
    public struct Settings: Sendable {
        /// The seed that determines the order.
        public var seed: UInt64 = 1
        /// The maximum number of schedules to try, or nil for no limit.
        public var runs: Int?
        /// The number of concurrent runs.
        public var jobs = 1
        /// The time on the system's clock after which a client counts as hanging.
        ///
        /// Nil means ten times the duration without faults, from 40 s to a minute.
        public var timeLimit: Duration?
        /// Whether to try points that differ from other points only in their numbers.
        public var isThorough = false
        /// Whether a command may end with any status.
        public var mayFail = false
        /// The number of appearances that confirm a finding.
        ///
        /// For repeatable trials, one appearance is enough.
        public var confirmation = Confirmation(2, of: 3)
        public var families = Set(FaultKind.Family.allCases)
        public var stories = Story.all

        public init() {}
    }

    /// The number of runs in which a finding must appear, and the number of tries.
    public struct Confirmation: Sendable, Equatable, CustomStringConvertible {
        public let needed, tries: Int

        /// - Precondition: 1 ≤ `needed` ≤ `tries` ≤ 20.
        public init(_ needed: Int, of tries: Int) {
            precondition(
                1 <= needed && needed <= tries && tries <= ExploreLimits.tries, "a finding must appear at least once")
            (self.needed, self.tries) = (needed, tries)
        }

        public var description: String { "\(needed)/\(tries)" }
    }

    public let settings: Settings

    /// - Precondition: The settings are within ``ExploreLimits``.
    public init(_ settings: Settings = Settings()) {
        precondition(settings.runs.map(ExploreLimits.runs.contains) ?? true, "runs must be from 1 to 10,000,000")
        precondition(ExploreLimits.jobs.contains(settings.jobs), "jobs must be from 1 to 16")
        self.settings = settings
    }

    /// - Parameters:
    ///   - stopping: Called before each run; returns the reason to end with the findings so far, or nil to continue.
    ///     When time runs out, known symptoms are still confirmed until a trial throws `CancellationError`. If a trial
    ///     throws it in a run without faults, the exploration ends without a baseline.
    ///   - observing: Called with the state so far after each evaluated run, in order.
    /// - Throws: Errors of the harness, or a `Refusal` if a story's world leaves no room for faults.
    public func explore(
        with trial: some Trial, stopping: @escaping @Sendable () -> Exploration.Ending? = { nil },
        observing: (Exploration) -> Void = { _ in }
    ) async throws -> Exploration {
        let limit = ExploreLimits.rulesOfScenario
        for story in settings.stories {
            let (faults, script) = (story.scenario.faults, story.scenario.script)
            let changeCount = story.scenario.overlay?.changes.count ?? 0
            guard max(faults.count, script.answers.count, script.meals.count, changeCount) <= limit else {
                throw Refusal(
                    "The world of \(story.name) has no room for faults: it may have at most \(limit) each of "
                        + "faults, answers, meals and overlay changes.")
            }
        }
        var course = ExplorationCourse(settings, trial, stopping)
        do {
            try await course.begin()
            if course.exploration.hasConnected { try await course.go(observing) }
        } catch {
            // A stopped run can fail in any way; earlier findings are kept.
            guard let ending = stopping(), ending == .interrupted || error is CancellationError else { throw error }
            course.exploration.ended = ending
        }
        return course.exploration
    }
}
