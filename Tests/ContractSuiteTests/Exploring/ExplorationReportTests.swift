import FitIQClient
import JSON
import Judging
import Scenarios
import Testing

@testable import ContractSuite

@Suite("Exploration reports")
struct ExplorationReportTests {
    /// Explores a client that shows every answer as complete, or one that makes a different mistake.
    private static func exploration(
        runs: Int = 150, jobs: Int = 1, showing change: @escaping @Sendable (inout ClientReport) -> Void
    ) async throws -> Exploration {
        var settings = Explorer.Settings()
        (settings.runs, settings.jobs) = (runs, jobs)
        let trial = MemoryTrial { try ReferenceClient($0, network: $1, mutation: Shown(change: change)) }
        return try await Explorer(settings).explore(with: trial)
    }

    private struct Shown: Mutation {
        let change: @Sendable (inout ClientReport) -> Void

        func report(_ report: ClientReport) -> ClientReport {
            var report = report
            change(&report)
            return report
        }
    }

    private static let isComplete: @Sendable (inout ClientReport) -> Void = { report in
        // Do this only after a failure, because the last answer was then cut off.
        guard !report.problems.isEmpty || report.connection == .connecting else { return }
        for index in report.transcript.indices { report.transcript[index].isComplete = true }
    }

    @Test("A discovery appears as a failed check in a run named after it")
    func check() async throws {
        let exploration = try await Self.exploration(showing: Self.isComplete)
        let report = exploration.report(title: "the client", named: "stories") {
            ("\($0.name).yaml", "fitiq-mock explore --replay \($0.name)")
        }
        let found = try #require(exploration.found.first { $0.symptom.id == "inside/cut-stream-not-complete" })
        #expect(found.schedule.faults.count <= 1)
        let run = try #require(report.runs.first { $0.scenario == found.name })
        #expect(run.checks.map(\.address) == ["inside/cut-stream-not-complete"])
        #expect(run.checks.first?.failures == [found.sentence])
        #expect(run.checks.first?.notes.last?.contains("fitiq-mock explore --replay \(found.name)") ?? false)
        #expect(report.outcome().exitCode == 1 && report.runs.first?.scenario == "stories")
        let known = try KnownBroken(reading: Array("inside/cut-stream-not-complete\n".utf8), checks: Symptom.ids)
        #expect(found.symptom.level == .must && known.lists(found.symptom.id, in: found.name))
    }

    @Test("A broken must fails the report, but a broken should does not")
    func obligation() async throws {
        let story = Story.all[0]
        let schedule = try Schedule("status-500", at: .request(.createConsultation, 1))
        let run = try await ExaminedRun(schedule, on: story, with: MemoryTrial.hasty, Oracle(Story.all))
        let symptom = try #require(run.symptom("retry/backoff-on-5xx"))
        for level in [Obligation.Level.must, .should] {
            let shown = Symptom(
                id: symptom.id, level: level, message: symptom.message, situation: symptom.situation,
                entries: symptom.entries)
            var exploration = Exploration(Explorer.Settings())
            exploration.hasConnected = true
            exploration.found = [Discovery(shown, in: run, of: story, confirmed: (2, 3))]
            let found = exploration.found[0]
            let report = exploration.report(title: "the client", named: "stories") { _ in ("found/a.yaml", "verify a") }
            #expect(report.outcome().exitCode == (level == .must ? 1 : 0) && report.runs[1].verdicts.isEmpty)
            let check = report.runs[1].checks[0]
            #expect(check.address == symptom.id && check.clause == found.verdict?.advice)
            #expect(check.failures == [found.sentence] && check.notes.starts(with: found.timeline))
            #expect(check.notes.contains("Reproduced in 2 of 3 runs, and found by 1 schedule."))
            #expect(check.notes.last == "To see it again: verify a")
            let texts = [
                TerminalReport(report).text, String(decoding: MarkdownReport(report).bytes, as: UTF8.self),
                String(decoding: JUnitReport(report).bytes, as: UTF8.self),
            ]
            for text in texts { #expect(text.contains(symptom.id) && text.contains("Reproduced in 2 of 3 runs")) }
            let known = try KnownBroken(reading: Array("retry/backoff-on-5xx\n".utf8))
            #expect(report.outcome(knownBroken: known).exitCode == 0)
        }
    }

    @Test("An exploration refutes a symptom if it tried everything without seeing the symptom")
    func refutations() async throws {
        var exploration = try await Self.exploration(showing: Self.isComplete)
        let found = ExactString(try #require(exploration.found.first).symptom.id)
        #expect(exploration.ended == .runs && exploration.refutes("explore/crash") && !exploration.refutes(found))
        exploration.flaky = [Exploration.Flaky(schedule: Schedule(story: 1), id: "explore/crash", failed: 1, of: 3)]
        #expect(!exploration.refutes("explore/crash") && exploration.refutes("explore/hang"))
        for end in [Exploration.Ending.exhausted, .runs, .budget, .interrupted] {
            exploration.ended = end
            #expect(exploration.refutes("explore/hang") == [.exhausted, .runs].contains(end))
        }
        (exploration.ended, exploration.omittedCount) = (.exhausted, 1)
        #expect(!exploration.refutes("explore/hang"))
    }

    @Test("The JSON report contains the counts and every discovery")
    func json() async throws {
        var exploration = try await Self.exploration(showing: Self.isComplete)
        let doubted = Exploration.Flaky(schedule: Schedule(story: 1), id: "explore/crash", failed: 1, of: 3)
        exploration.flaky = [doubted]
        let report = exploration.report(title: "a", named: "b") { ("\($0.name).yaml", "replay \($0.name)") }
        let runs = try #require(try JSON.parse(JSONReport(report).bytes)["runs"]?.array)
        let (whole, counts) = (runs[0]["exploration"], exploration.counts)
        #expect(whole?["seed"] == 1 && whole?["schedules"] == 150 && whole?["ended"] == "runs")
        #expect(whole?["singles"]?.int == counts.singles && whole?["pairs"]?.int == counts.pairs)
        #expect(whole?["equal"]?.int == counts.equal)
        #expect(whole?["points"]?.int == counts.points && whole?["new_points"]?.int == counts.newPoints)
        #expect(
            whole?["flaky"] == [["symptom": "explore/crash", "story": "return", "schedule": [], "failed": 1, "of": 3]])
        #expect(runs.count == exploration.found.count + 1)
        for (run, found) in zip(runs.dropFirst(), exploration.found) {
            #expect(
                run["discovery"] == [
                    "symptom": .string(found.symptom.id), "story": .string(found.story.name),
                    "schedule": .array(found.schedule.faults.map { .string($0.description) }), "failed": 1, "of": 1,
                    "seen": .number(JSONNumber(found.seenCount)), "sentence": .string(found.sentence),
                    "file": .string("\(found.name).yaml"), "replay": .string("replay \(found.name)"),
                ])
        }
        let bare = try JSON.parse(JSONReport(exploration.report(title: "a", named: "b")).bytes)
        #expect(bare["runs"]?[1]?["discovery"]?["file"] == nil && bare["runs"]?[1]?["exploration"] == nil)
    }

    @Test("A discovery's file parses to a scenario with that discovery's faults")
    func files() async throws {
        let exploration = try await Self.exploration(showing: Self.isComplete)
        #expect(!exploration.found.isEmpty)
        for discovery in exploration.found {
            let scenario = try Scenario.read(discovery.file())
            var expected = discovery.schedule.scenario(on: discovery.story.scenario)
            (expected.name, expected.summary) = (scenario.name, scenario.summary)
            #expect(scenario == expected)
        }
    }

    @Test("The same seed gives the same report with one job as with four")
    func repeats() async throws {
        let one = try await Self.exploration(showing: Self.isComplete)
        let four = try await Self.exploration(jobs: 4, showing: Self.isComplete)
        let texts = [one, four].map { JSONReport($0.report(title: "the client", named: "stories")).bytes }
        #expect(texts[0] == texts[1] && !one.found.isEmpty)
        let pages = [one, four].map { MarkdownReport($0.report(title: "a", named: "b")).bytes }
        #expect(pages[0] == pages[1])
    }

    @Test("A report without symptoms says how many schedules were tried")
    func nothing() async throws {
        let exploration = try await Self.exploration(runs: 100) { _ in }
        #expect(exploration.found.isEmpty)
        let report = exploration.report(title: "the client", named: "stories")
        #expect(report.outcome().exitCode == 0 && report.runs.count == 1)
        #expect(report.runs[0].checks[0].clause.hasPrefix("Tried 100 schedules"))
    }
}
