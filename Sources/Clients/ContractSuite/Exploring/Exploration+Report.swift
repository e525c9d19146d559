import FitIQAPI
import JSON
import Judging
import Text
import Traffic

extension Exploration {
    /// What was found, in words, each with a name of its own; content decides the names, not the order of runs alone.
    public var discoveries: [Discovery] {
        var names: Set<ExactString> = []
        return found.map { found in
            let story = settings.stories[found.schedule.story]
            let discovery = Discovery(
                found.symptom, found.schedule, in: story, found.outcome, TrialReading(found.outcome),
                document: found.schedule.document(on: story.document), confirmed: (found.failed, found.of),
                seenCount: found.seenCount, besides: names)
            names.insert(ExactString(discovery.name))
            return discovery
        }
    }

    /// A report with a run for the whole exploration and one for each discovery, named like its file.
    ///
    /// A broken obligation is the verdict of its run; what only an explorer or the client's user sees is a check. A
    /// *should* does not fail the report.
    ///
    /// - Parameters:
    ///   - name: What the first run is called: the scenario in which nothing goes wrong.
    ///   - replay: The command that plays a discovery again, if it can be played.
    public func report(
        title: String, named name: String, replay: (Discovery) -> String? = { _ in nil }
    ) -> Report {
        let mode = found.first?.outcome.mode ?? .union
        var whole = Report.Run(
            scenario: name, mode: mode, hasConnected: hasConnected, verdicts: [], exposures: [], coverage: coverage)
        whole.checks = [
            Report.Check(
                address: "explore/done", clause: summary, failures: [], notes: flaky.map(ExploringMessages.flaky))
        ]
        return Report(title: title, runs: [whole] + discoveries.map { $0.run(replay: replay($0)) })
    }

    /// What was tried, in a sentence or two.
    public var summary: String { ExploringMessages.summary(self) }
}

extension Discovery {
    fileprivate func run(replay: String?) -> Report.Run {
        var run = Report.Run(
            scenario: name, mode: mode, startedAt: startedAt, hasConnected: true, verdicts: verdict.map { [$0] } ?? [],
            exposures: [])
        guard verdict == nil else { return run }
        run.checks = [
            Report.Check(
                address: symptom.id, clause: advice, failures: [sentence],
                notes: timeline + [symptom.message, ExploringMessages.confirmed(self)]
                    + (replay.map { [ExploringMessages.replay($0)] } ?? []))
        ]
        return run
    }
}
