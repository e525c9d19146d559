import Text

// All user-visible sentences in the reports are in this file.

enum Messages {
    // MARK: The known-broken list

    static func tooManyWords(_ line: String) -> String {
        "a line must be an obligation's id or a check's address, preceded by a scenario if it applies only to that "
            + "scenario; got '\(short(line))'."
    }
    static func unknownSubject(_ subject: String, known: [String]) -> String {
        let near = NearestWord.hint(subject, among: known)
        return "there is no obligation or check '\(short(subject))'.\(near)"
    }
    static func misspeltScenario(_ name: String, near: String) -> String {
        "there is no scenario '\(short(name))'.\(NearestWord.hint(near))"
    }
    static func repeatedLine(_ line: String, earlier: Int) -> String {
        "'\(short(line))' is already on line \(earlier); remove one of the lines."
    }

    // MARK: Marks

    static func notJudged(_ ids: [String]) -> String {
        "These obligations were not judged, because they depend on the state of a real server: "
            + "\(ids.joined(separator: ", "))."
    }
    /// The marks in tables and their meanings.
    static let legend = ["✓ kept", "✗ broken", "! broken (should)", "~ known to be broken", "· not exercised"]

    // MARK: Results of runs

    static func command(_ outcome: Report.CommandOutcome) -> String {
        switch outcome {
        case .exited(let status): "the command ended with exit status \(status)"
        case .signalled(let number): "the command was terminated by signal \(number)"
        case .timedOut(let limit): "the command was stopped after its time limit of \(Durations.seconds(limit)) s"
        }
    }
    static func knownCommand(_ outcome: Report.CommandOutcome, scenario: String) -> String {
        "\(capitalized(command(outcome))) in \(scenario), which is a known failure."
    }
    static func failedCommand(_ outcome: Report.CommandOutcome, scenario: String) -> String {
        "\(capitalized(command(outcome))) in \(scenario). This fails the run, even if the client kept "
            + "every obligation; see the command's own output."
    }
    static let neverConnected =
        "The client never connected. It must read the server's address and its credentials from FITIQ_MOCK_URL, "
        + "FITIQ_MOCK_WS_URL, FITIQ_MOCK_TOKEN and FITIQ_MOCK_API_KEY."
    static let neverDriven =
        "The client never connected. Its adapter must pass the client the address and the credentials from the command "
        + "'begin'."
    static let noAnswer = "There was no answer to compare."
    static let nothingRecorded = "The journal has no client entries."
    static func notConnected(scenario: String) -> String { "The client did not connect in \(scenario)." }
    static func missed(_ count: Int, scenario: String) -> String {
        "The journal of \(scenario) dropped \(Words.counted(count, "entry", "entries")) before judging: breaches in "
            + "dropped entries go unnoticed, and verdicts that depend on dropped entries may be wrong."
    }

    // MARK: A broken obligation

    static func heading(_ obligation: Obligation, _ mark: Report.Mark) -> String {
        mark == .knownBroken
            ? "\(obligation.id) (\(obligation.level.rawValue), known to be broken)"
            : "\(obligation.id) (\(mark == .warned ? Obligation.Level.should.rawValue : obligation.level.rawValue))"
    }
    static func source(of obligation: Obligation) -> String {
        let place = obligation.place.isEmpty ? "" : ", \(obligation.place)"
        switch obligation.origin {
        case .guides(let guides): return guides.map(\.rawValue).joined(separator: ", ") + place
        case .all: return "all guides\(place)"
        case .ours: return "fitiq-mock, not a guide\(place)"
        }
    }
    static func broken(in scenario: String, _ verdict: Verdict) -> String {
        "in \(scenario): broken \(times(verdict.findingCount)), faced \(times(max(verdict.exercisedCount, verdict.findingCount)))"
    }
    static func broken(_ breaches: [Overview.Breach]) -> String {
        guard breaches.count != 1 else { return broken(in: breaches[0].run.scenario, breaches[0].verdict) }
        let (found, faced) = breaches.reduce((0, 0)) { sum, breach in
            let count = breach.verdict.findingCount
            return (sum.0 + count, sum.1 + max(breach.verdict.exercisedCount, count))
        }
        return "in \(breaches.count) runs: broken \(times(found)), faced \(times(faced))"
    }
    /// The runs that share a finding that the report shows only once.
    static func seen(in runs: [String]) -> String {
        runs.count == 1 ? "In \(runs[0]):" : "First in \(runs[0]), and then in \(short(Array(runs.dropFirst()))):"
    }
    static func more(_ count: Int) -> String { "and \(Words.counted(count, "more breach", "more breaches"))." }
    static func warning(_ finding: Finding, in obligation: Obligation) -> String {
        finding.level == obligation.level ? finding.message : "(\(finding.level.rawValue)) \(finding.message)"
    }
    static func outdated(_ line: KnownBroken.Line) -> String {
        let scope = line.scenario.map { " in \($0)" } ?? ""
        return "\(line.subject) was kept\(scope), but line \(line.number) of the known-broken list says that it is "
            + "broken; remove the line."
    }

    // MARK: The verdict

    static let nothingBroken = "Nothing is broken."
    /// - Parameters:
    ///   - broken: Each obligation, and the first run that broke it.
    ///   - isSingle: Whether there is only one run.
    static func verdict(_ mark: Report.Mark, _ broken: [(id: String, run: String)], isSingle: Bool) -> String {
        let level = mark == .broken ? Obligation.Level.must : .should
        let names = broken.map { isSingle ? $0.id : "\($0.id) (first in \($0.run))" }
        return "\(Words.counted(broken.count, "\(level) is", "\(level)s are")) broken: \(short(names))."
    }
    /// The sentence about failed cases or commands, or nil if all passed.
    static func failed(_ names: [String], _ noun: String) -> String? {
        let different = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        return names.isEmpty ? nil : "\(Words.counted(names.count, noun)) failed: \(short(different))."
    }
    /// The first few names in a list, and the number of remaining names.
    static func short(_ names: [String]) -> String {
        let limit = 5
        return names.count <= limit + 1
            ? Words.list(names) : Words.list(Array(names.prefix(limit)) + ["\(names.count - limit) more"])
    }

    // MARK: Failure paths

    static func exposure(_ path: Exposure.Path) -> String {
        switch path {
        case .unauthorized, .notFound, .conflict, .tooMany, .serverError: path.rawValue
        case .timeOut: "late or missing answer"
        case .refusedHandshake: "refused handshake"
        case .dropMidStream: "socket lost while an answer streamed"
        case .drop: "socket lost"
        case .silence: "silent socket"
        case .errorFrame: "error frame"
        case .brokenFrame: "broken, lost or repeated frame"
        case .failedMeal: "failed meal"
        case .lateMeal: "late meal"
        }
    }

    // MARK: Situations

    /// How often the client exercised an obligation, if there is only one run.
    static func faced(_ row: Overview.Row) -> String {
        "faced \(times(row.cells.lazy.compactMap { $0?.verdict.exercisedCount }.reduce(0, +)))"
    }
    /// How many runs broke an obligation, out of those that exercised it.
    static func brokenRuns(_ row: Overview.Row) -> String {
        let faced = row.cells.compactMap { $0?.verdict.outcome }.filter { $0 != .notExercised }
        return "broken in \(faced.count { $0 == .broken }) of \(Words.counted(faced.count, "run"))"
    }
    static func kept(_ ids: [String]) -> String { "Kept wherever faced: \(Words.list(ids))." }
    static func unfaced(_ count: Int) -> String {
        "\(Words.counted(count, "obligation")) \(count == 1 ? "was" : "were") not faced."
    }

    static func faced(_ count: Int, of all: Int) -> String { "Faced \(count) of \(all) reachable situations" }
    static let nextOnes = "Next:"
    /// A situation, and how to reach it.
    static func wayTo(_ row: ReachableSituation) -> String {
        words(row.situation) + (row.arguments.map { " → \($0)" } ?? "")
    }
    /// A situation as a phrase: `an expired token while an answer streams, after a lost socket`.
    static func words(_ situation: Situation) -> String {
        var things: [String] = []
        switch situation.token {
        case .good: break
        case .expired: things.append("an expired token")
        case .revoked: things.append("a revoked token")
        }
        switch situation.meal {
        case .none: break
        case .pending: things.append("a pending meal")
        case .done: things.append("a settled meal")
        }
        let socket =
            switch situation.socket {
            case .none: "without a socket"
            case .connecting: "while a socket connects"
            case .idle: "while a socket is idle"
            case .awaiting: "while an answer is awaited"
            case .streaming: "while an answer streams"
            case .silent: "while a socket is silent"
            case .closing: "while a socket closes"
            }
        let trouble =
            switch situation.trouble {
            case .none: ""
            case .refused: ", after a refusal"
            case .failed: ", after a server error"
            case .late: ", after a late answer"
            case .cut: ", after a lost socket"
            case .silence: ", after a silence"
            case .broken: ", after a broken frame"
            case .told: ", after an error message from the server"
            }
        return "\(things.isEmpty ? "a good token" : Words.list(things)) \(socket)\(trouble)"
    }
    /// A column in the table of situations.
    static func words(_ column: CoverageSummary.Column) -> String {
        let meal =
            switch column.meal {
            case .none: "no meal"
            case .pending: "meal pending"
            case .done: "meal settled"
            }
        return column.isTroubled ? "\(meal), after trouble" : meal
    }

    /// The sentence about obligations that the table omits.
    ///
    /// - Parameter isVerified: Whether scenarios were run, rather than cases or a journal.
    static func hidden(_ count: Int, isVerified: Bool) -> String {
        let others = isVerified ? "scenarios that were not run" : "cases that were not played"
        return "\(Words.counted(count, "more obligation")) \(count == 1 ? "is" : "are") faced only in \(others)."
    }
    static func title(_ report: Report) -> String { report.title + (report.incomplete == nil ? "" : " (incomplete)") }

    // MARK: Annotations

    static func moreAnnotations(_ count: Int, _ word: String) -> String {
        "\(Words.counted(count, "more \(word)")): see the report."
    }

    // MARK: Summary

    static func summary(_ outcome: Report.Outcome, runs: Int) -> String {
        if outcome.subject == .server {
            return "\(Words.counted(outcome.checkCount, "endpoint")), \(outcome.failedCheckCount) with deviations. "
                + judgement(outcome)
        }
        var parts: [String] = []
        if outcome[.broken] > 0 { parts.append("\(outcome[.broken]) broken") }
        if outcome[.warned] > 0 { parts.append("\(outcome[.warned]) broken (should)") }
        if outcome[.knownBroken] > 0 { parts.append("\(outcome[.knownBroken]) known to be broken") }
        parts.append("\(outcome[.kept]) kept")
        parts.append("\(outcome[.notExercised]) not exercised")
        let total = Report.Mark.allCases.reduce(0) { $0 + outcome[$1] }
        var sentences: [String] = []
        if total > 0 || outcome.checkCount == 0 {
            sentences.append(
                "\(Words.counted(total, "obligation")) in \(Words.counted(runs, "run")): \(Words.list(parts)).")
        }
        if outcome.checkCount > 0 {
            sentences.append("\(Words.counted(outcome.checkCount, "case")), \(outcome.failedCheckCount) failed.")
        }
        return (sentences + [judgement(outcome)]).joined(separator: " ")
    }

    /// The last sentence: whether the run fails, and why.
    static func judgement(_ outcome: Report.Outcome) -> String {
        var reasons: [String] = []
        if outcome[.broken] > 0 {
            reasons.append(outcome[.broken] == 1 ? "a must is broken" : "\(outcome[.broken]) musts are broken")
        }
        if outcome.failedCheckCount > 0 {
            reasons.append(
                outcome.subject == .server
                    ? "answers deviate"
                    : outcome.failedCheckCount == 1 ? "a case failed" : "\(outcome.failedCheckCount) cases failed")
        }
        if outcome.failedCommandCount > 0 {
            reasons.append(
                outcome.failedCommandCount == 1 ? "a command failed" : "\(outcome.failedCommandCount) commands failed")
        }
        if !outcome.outdated.isEmpty { reasons.append("the known-broken list has outdated lines") }
        if outcome.isIncomplete {
            return (["The run is incomplete and fails"] + reasons).joined(separator: ", and ") + "."
        }
        if !outcome.hasConnected {
            let silence = outcome.subject == .server ? "there was no answer" : "the client never connected"
            return (["The run fails: \(silence)"] + reasons).joined(separator: ", and ") + "."
        }
        return reasons.isEmpty ? "The run passes." : "The run fails: \(Words.list(reasons))."
    }

    // MARK: Words

    static func times(_ count: Int) -> String { count == 1 ? "once" : count == 2 ? "twice" : "\(count) times" }
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
    private static func short(_ text: String) -> String { text.onOneLine(limit: 80) }
}

extension Report.Mark {
    /// The name in JSON, the name in sentences, and the symbol in tables.
    var words: (name: String, text: String, symbol: String) {
        switch self {
        case .kept: ("kept", "kept", "✓")
        case .broken: ("broken", "broken", "✗")
        case .warned: ("warned", "broken (should)", "!")
        case .knownBroken: ("known_broken", "known to be broken", "~")
        case .notExercised: ("not_exercised", "not exercised", "·")
        }
    }
}
