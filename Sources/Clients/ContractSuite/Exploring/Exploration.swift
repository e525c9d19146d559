import FitIQAPI
import JSON
import Judging
import Text

/// The result of an exploration.
public struct Exploration: Sendable {
    /// A schedule whose symptom appeared once, but too rarely when the schedule was repeated.
    public struct Flaky: Sendable, Equatable {
        public let schedule: Schedule
        /// The symptom's id.
        public let id: String
        /// The number of runs with the symptom, and the number of all runs.
        ///
        /// The numbers are 0 of 0 if there was no time to repeat the schedule.
        public let failed: Int, of: Int
    }

    public enum Ending: String, Sendable, CaseIterable {
        /// There is nothing left to try.
        case exhausted
        /// The time or the number of runs is used up.
        case budget, runs
        case interrupted
    }

    public let settings: Explorer.Settings
    /// The discoveries in order.
    ///
    /// Discoveries that need no faults come first.
    public internal(set) var found: [Discovery] = []
    public internal(set) var flaky: [Flaky] = []
    /// The number of causes beyond ``ExploreLimits/findings``.
    public internal(set) var omittedCount = 0
    public internal(set) var counts = Agenda.Counts()
    /// The client's situations in all runs.
    public internal(set) var coverage = Coverage()
    public internal(set) var ended = Ending.exhausted
    /// Whether the client sent anything without faults.
    ///
    /// If the client sent nothing, no faults were tried.
    public internal(set) var hasConnected = false
    /// Whether the runs without faults were completed.
    var hasBaseline = false
    /// Whether the runs without faults took all the time, so that no fault was tried.
    public var isUsedUpWithoutFaults: Bool { ended == .budget && counts.schedules == 0 }
    /// The instructions that the client does not support, by story.
    ///
    /// The expectations in the steps of these stories do not count.
    public internal(set) var unsupported: [Set<String>]  // Names of instructions: constants.

    init(_ settings: Explorer.Settings) {
        self.settings = settings
        unsupported = settings.stories.map { _ in [] }
    }

    /// Whether none of the schedules tried showed the symptom, which means that the client no longer has it.
    public func refutes(_ id: ExactString) -> Bool {
        let isWhole = [.exhausted, .runs].contains(ended) && omittedCount == 0
        return isWhole && !(found.map(\.symptom.id) + flaky.map(\.id)).contains { ExactString($0) == id }
    }

    /// A report with one run for the whole exploration and one for each discovery, named after its file.
    ///
    /// Every discovery is a check, even if it is also a broken obligation. A *should* does not fail the report.
    ///
    /// - Parameters:
    ///   - name: The name of the first run, which is the scenario without faults.
    ///   - file: A discovery's file and the command that plays it, or nil if it has no file.
    public func report(
        title: String, named name: String, file: (Discovery) -> (path: String, replay: String)? = { _ in nil }
    ) -> Report {
        // A run that was stopped may have connected.
        var whole = Report.Run(
            scenario: name, mode: found.first?.run.outcome.mode ?? .union, hasConnected: hasConnected || !hasBaseline,
            verdicts: [], exposures: [], coverage: coverage)
        whole.checks = [
            Report.Check(
                address: "explore/done", clause: ExploringMessages.tried(self), failures: [],
                notes: ExploringMessages.notes(self))
        ]
        whole.exploring = ["exploration": .object(json)]
        return Report(title: title, runs: [whole] + found.map { $0.reportRun(hasConnected, file($0)) })
    }

    private var json: JSONObject {
        [
            "seed": JSONNumber("\(settings.seed)").map { .number($0) } ?? .null, "schedules": .count(counts.schedules),
            "singles": .count(counts.singles), "pairs": .count(counts.pairs),
            "equal": .count(counts.equal), "points": .count(counts.points), "new_points": .count(counts.newPoints),
            "ended": .string(ended.rawValue),
            "flaky": .array(
                flaky.map { flaky in
                    [
                        "symptom": .string(flaky.id), "story": .string(settings.stories[flaky.schedule.story].name),
                        "schedule": flaky.schedule.json, "failed": .count(flaky.failed), "of": .count(flaky.of),
                    ]
                }),
        ]
    }
}

extension Discovery {
    fileprivate func reportRun(_ hasConnected: Bool, _ file: (path: String, replay: String)?) -> Report.Run {
        let outcome = self.run.outcome
        var run = Report.Run(
            scenario: name, mode: outcome.mode, startedAt: outcome.startedAt, hasConnected: hasConnected, verdicts: [],
            exposures: [])
        var check = Report.Check(
            address: symptom.id, clause: advice, failures: [sentence],
            notes: timeline + [symptom.message, ExploringMessages.confirmed(self)]
                + (file.map { [ExploringMessages.replay($0.replay)] } ?? []))
        check.failsRun = symptom.level == .must
        run.checks = [check]
        var json: JSONObject = [
            "symptom": .string(symptom.id), "story": .string(story.name), "schedule": schedule.json,
            "failed": .count(confirmed.count), "of": .count(confirmed.of), "seen": .count(seenCount),
            "sentence": .string(sentence),
        ]
        if let file { (json["file"], json["replay"]) = (.string(file.path), .string(file.replay)) }
        run.exploring = ["discovery": .object(json)]
        return run
    }
}

extension Schedule {
    /// The description of each fault.
    fileprivate var json: JSONValue { .array(faults.map { .string($0.description) }) }
}

extension JSONValue {
    fileprivate static func count(_ count: Int) -> JSONValue { .number(JSONNumber(count)) }
}
