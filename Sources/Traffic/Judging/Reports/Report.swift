import FitIQAPI
import JSON
import Text

/// The result of judging a client: for each scenario, the obligations, the exposures and how the command ended.
public struct Report: Sendable {
    /// The judged command or file, for headings.
    public var title: String
    public var subject = Subject.client
    /// One run per scenario, in execution order.
    public var runs: [Run]
    /// Why the remaining runs were skipped, as a sentence, or nil if none were.
    ///
    /// An incomplete report fails.
    public var incomplete: String?
    /// The IDs of the obligations that the runs exercise, or nil for all.
    ///
    /// Tables omit all other obligations that the client did not exercise.
    public var faced: Set<String>?  // Obligations' IDs: constants.

    /// The situations used to measure coverage.
    var reachable = ReachableSituation.all

    public init(title: String, runs: [Run] = []) { (self.title, self.runs) = (title, runs) }

    /// The subject of a report: a client, or a server, which has one check per endpoint and no obligations.
    public enum Subject: Sendable { case client, server }

    public struct Run: Sendable {
        public var scenario: String
        public var mode: GuideMode
        /// How the client's command ended, or nil if there was none.
        public var command: CommandOutcome?
        /// The duration by the system's clock, in nanoseconds, or nil if unknown.
        public var duration: Int64?
        /// The start in the world's time.
        ///
        /// Evidence shows times relative to this start, or times of day if the start is nil.
        public var startedAt: Timestamp?
        /// Whether the client sent anything at all.
        public var hasConnected: Bool
        public var verdicts: [Verdict]
        public var exposures: [Exposure]
        public var coverage: Coverage
        /// The checks from inside the client.
        ///
        /// Only contract cases have such checks.
        public var checks: [Check]
        /// The number of journal entries that could not be judged.
        public var missedCount: Int
        /// Whether the command may exit with any status.
        public var mayFail = false
        /// Additional notes, one sentence each, that do not affect the result.
        public var notes: [String] = []
        /// The members that an exploration adds to the run's JSON.
        public var exploring: JSONObject = [:]

        public init(
            scenario: String, mode: GuideMode, command: CommandOutcome? = nil, duration: Int64? = nil,
            startedAt: Timestamp? = nil, hasConnected: Bool, verdicts: [Verdict], exposures: [Exposure],
            coverage: Coverage = Coverage(), checks: [Check] = [], missedCount: Int = 0
        ) {
            (self.scenario, self.mode, self.command) = (scenario, mode, command)
            (self.duration, self.startedAt, self.hasConnected) = (duration, startedAt, hasConnected)
            (self.verdicts, self.exposures, self.coverage) = (verdicts, exposures, coverage)
            (self.checks, self.missedCount) = (checks, missedCount)
            let left = verdicts.filter(\.isLeftToServer).map(\.obligation.id)
            if !left.isEmpty { notes.append(Messages.notJudged(left)) }
        }
    }

    public enum CommandOutcome: Sendable, Hashable {
        case exited(Int)
        case signalled(Int)
        /// The command was stopped when it reached this time limit, in nanoseconds.
        case timedOut(Int64)

        public var isSuccess: Bool { self == .exited(0) }
    }

    /// The result of a contract case, which compares what the client reported with what the case requires.
    public struct Check: Sendable {
        /// The address, such as `consultation/create/409-continues-existing`.
        public var address: String
        /// The guide and the clause that the case quotes.
        public var clause: String
        /// The failures, one sentence each; empty if the check passed.
        public var failures: [String]
        /// Diagnostic lines shown below the failures.
        public var notes: [String]
        /// Whether failures fail the run.
        ///
        /// Otherwise they are warnings.
        public var failsRun = true

        public init(address: String, clause: String, failures: [String], notes: [String] = []) {
            (self.address, self.clause, self.failures, self.notes) = (address, clause, failures, notes)
        }
    }

    public struct Outcome: Sendable, Equatable {
        /// How many obligations have each mark.
        ///
        /// An obligation counts under its worst mark across all runs.
        public var counts: [Mark: Int] = [:]
        /// The number of failed contract cases that the known-broken list does not contain.
        public var failedCheckCount = 0
        public var checkCount = 0
        public var failedCommandCount = 0
        /// The lines in the known-broken list whose obligation or check the client now keeps.
        public var outdated: [KnownBroken.Line] = []
        public var hasConnected = false
        public var isIncomplete = false
        public var subject = Subject.client

        /// The exit status: 1 for an incomplete report, 4 if the client never connected, 1 if anything else fails the
        /// run, and 0 otherwise.
        ///
        /// A missing connection takes precedence over other failures, because it causes them.
        public var exitCode: Int {
            if isIncomplete { return 1 }
            if !hasConnected { return 4 }
            let fails = self[.broken] > 0 || failedCheckCount > 0 || failedCommandCount > 0 || !outdated.isEmpty
            return fails ? 1 : 0
        }

        public subscript(mark: Mark) -> Int { counts[mark] ?? 0 }
    }

    /// The result for an obligation in a run.
    public enum Mark: Int, Sendable, Hashable, CaseIterable {
        case notExercised, kept
        /// The obligation was broken, and the known-broken list contains it.
        case knownBroken
        /// The obligation was broken, but it is only a *should*.
        case warned
        /// The obligation was broken, which fails the run.
        case broken
    }

    public func outcome(knownBroken: KnownBroken = .none) -> Outcome {
        var outcome = Outcome()
        outcome.subject = subject
        var worst: [String: Mark] = [:]  // Obligation IDs: constants.
        for run in runs {
            outcome.hasConnected = outcome.hasConnected || run.hasConnected
            if run.commandMark(knownBroken) == .broken { outcome.failedCommandCount += 1 }
            for verdict in run.verdicts {
                let mark = run.mark(of: verdict, knownBroken)
                let before = worst[verdict.obligation.id] ?? mark
                worst[verdict.obligation.id] = mark.rawValue > before.rawValue ? mark : before
            }
            outcome.checkCount += run.checks.count
            outcome.failedCheckCount += run.checks.count { run.mark(of: $0, knownBroken) == .broken }
        }
        for mark in worst.values { outcome.counts[mark, default: 0] += 1 }
        outcome.isIncomplete = incomplete != nil
        // The runs that were skipped might still break the obligation.
        if incomplete == nil { outcome.outdated = knownBroken.lines.filter { isOutdated($0) } }
        return outcome
    }

    private static let command = ExactString(Run.command)

    /// Whether at least one run kept the obligation or check that a line names, and no run broke it.
    private func isOutdated(_ line: KnownBroken.Line) -> Bool {
        var isKept = false
        for run in runs where line.scenario == nil || line.scenario == ExactString(run.scenario) {
            for verdict in run.verdicts where ExactString(verdict.obligation.id) == line.subject {
                if verdict.outcome == .broken { return false }
                isKept = isKept || verdict.outcome == .kept
            }
            if line.subject == Self.command, let command = run.command {
                if !run.hasPassed(command) { return false }
                isKept = true
            }
            for check in run.checks where ExactString(check.address) == line.subject {
                if !check.failures.isEmpty { return false }
                isKept = true
            }
        }
        return isKept
    }
}

extension Report.Run {
    /// The name for a run's command in lists of known breaches.
    public static let command = "command"

    fileprivate func hasPassed(_ command: Report.CommandOutcome) -> Bool {
        if mayFail, case .exited = command { return true }
        return command.isSuccess
    }

    /// The run's failures other than broken obligations: its command and its checks.
    public func troubles(_ knownBroken: KnownBroken) -> [String] {
        let failed = commandMark(knownBroken) == .broken ? command : nil
        let broken = checks.filter { mark(of: $0, knownBroken) == .broken }
        return (failed.map { ["\(Messages.capitalized(Messages.command($0)))."] } ?? [])
            + broken.flatMap { check in check.failures.map { "\(check.address): \($0)" } }
    }

    /// The mark for how the command ended, or nil if there was no command.
    func commandMark(_ knownBroken: KnownBroken) -> Report.Mark? {
        command.map {
            if hasPassed($0) { return .kept }
            // The list cannot excuse a crash or a hang, because no client crashes or hangs intentionally.
            if case .exited = $0, knownBroken.lists(Self.command, in: scenario) { return .knownBroken }
            return .broken
        }
    }

    func mark(of verdict: Verdict, _ knownBroken: KnownBroken) -> Report.Mark {
        switch verdict.outcome {
        case .kept: .kept
        case .notExercised: .notExercised
        case .broken:
            knownBroken.lists(verdict.obligation.id, in: scenario) ? .knownBroken : verdict.failsRun ? .broken : .warned
        }
    }

    func mark(of check: Report.Check, _ knownBroken: KnownBroken) -> Report.Mark {
        if check.failures.isEmpty { return .kept }
        return knownBroken.lists(check.address, in: scenario) ? .knownBroken : check.failsRun ? .broken : .warned
    }
}

/// The list of known breaches.
///
/// A listed breach does not fail a run, but a listed obligation that the client keeps does.
///
/// Each line of the file is `obligation-id`, `scenario obligation-id`, or a check's address, optionally preceded by a
/// scenario. `#` begins a comment. The list can only shrink, because fixed breaches must be removed.
public struct KnownBroken: Sendable {
    public struct Line: Sendable, Hashable {
        /// The line number in the file, from 1.
        public let number: Int
        /// The scenario that the line applies to, or nil for all.
        public let scenario: ExactString?
        /// The obligation's ID or the check's address.
        public let subject: ExactString
    }

    /// The non-empty lines, in order.
    public let lines: [Line]
    private let subjects: [ExactString: [Line]]

    public static let none = KnownBroken(lines: [])

    private init(lines: [Line], subjects: [ExactString: [Line]]? = nil) {
        (self.lines, self.subjects) = (lines, subjects ?? Dictionary(grouping: lines, by: \.subject))
    }

    /// Parses a list; throws an error that lists all invalid lines.
    ///
    /// A line is invalid if it has too many words, contains an unknown obligation or check, misspells a scenario, or is
    /// a duplicate.
    ///
    /// - Parameters:
    ///   - checks: The addresses of the existing checks.
    ///   - others: The addresses of the checks of other reports, which may use the same list; an address with a slash at
    ///     its end stands for all addresses below it.
    ///   - scenarios: The names of the known scenarios, or empty if runs have other names.
    ///   - file: The file's name for the error's lines, which editors recognize: `FILE:LINE: message`.
    public init(
        reading bytes: [UInt8], checks: [String] = [], others: [String] = [], scenarios: [String] = [],
        file: String = ""
    ) throws(Refusal) {
        let ownSubjects = Set((Judge.obligations.map(\.id) + checks).map(ExactString.init(_:)))
        let subjects = ownSubjects.union(others.map(ExactString.init(_:)))
        let families = others.filter { $0.hasSuffix("/") }
        var lines: [Line] = []
        var places: [[ExactString]: Int] = [:]
        var mistakes: [String] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            // A comment starts only at the start of a word, because a check's address may contain `#`.
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).prefix {
                !$0.hasPrefix("#")
            }.map { ExactString($0) }
            func mistake(_ message: String) { mistakes.append("\(file):\(index + 1): \(message)") }
            guard let subject = words.last else { continue }
            if words.count > 2 {
                mistake(Messages.tooManyWords(words.map(\.text).joined(separator: " ")))
            } else if !subjects.contains(subject), !families.contains(where: subject.text.hasPrefix) {
                mistake(Messages.unknownSubject(subject.text, known: subjects.sorted().map(\.text)))
            } else if words.count == 2, ownSubjects.contains(subject),
                let near = Self.misspelt(words[0].text, among: scenarios)
            {
                mistake(Messages.misspeltScenario(words[0].text, near: near))
            } else if let earlier = places[words] {
                mistake(Messages.repeatedLine(words.map(\.text).joined(separator: " "), earlier: earlier))
            } else {
                places[words] = index + 1
                lines.append(Line(number: index + 1, scenario: words.count == 2 ? words[0] : nil, subject: subject))
            }
        }
        guard mistakes.isEmpty else { throw Refusal(mistakes.joined(separator: "\n")) }
        self.init(lines: lines)
    }

    /// The known scenario that an unknown name misspells, if any.
    ///
    /// Other names may belong to scenarios in files that do not run now, such as `conflict-2`.
    private static func misspelt(_ name: String, among scenarios: [String]) -> String? {
        guard !scenarios.contains(name), let near = NearestWord.find(name, among: scenarios) else { return nil }
        let isClose = NearestWord.editDistance(Array(name.utf8), Array(near.utf8)) <= 2
        return isClose && !name.hasPrefix(near) ? near : nil
    }

    /// Adds breaches that are known from another source, such as an earlier run.
    ///
    /// These breaches never count as outdated.
    public func adding(_ breaches: some Sequence<(scenario: String, subject: String)>) -> KnownBroken {
        var subjects = subjects
        for (scenario, subject) in breaches {
            let line = Line(number: 0, scenario: ExactString(scenario), subject: ExactString(subject))
            subjects[line.subject, default: []].append(line)
        }
        return KnownBroken(lines: lines, subjects: subjects)
    }

    /// Returns whether an obligation or check is known to be broken in a scenario.
    public func lists(_ subject: String, in scenario: String) -> Bool {
        subjects[ExactString(subject)]?.contains { $0.scenario == nil || $0.scenario == ExactString(scenario) } ?? false
    }
}
