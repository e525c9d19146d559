import FitIQClient
import JSON
import Judging
import Scenarios
import Testing

@testable import ContractSuite

@Suite("Reports of explorations")
struct ExplorationReportTests {
    /// Explores a client that shows every answer as complete, or does something else that is wrong.
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
        // Only once something went wrong: then the last answer was cut.
        guard !report.problems.isEmpty || report.connection == .connecting else { return }
        for index in report.transcript.indices { report.transcript[index].isComplete = true }
    }

    @Test("A discovery is a check of a run of its name, and fails the report")
    func check() async throws {
        let exploration = try await Self.exploration(showing: Self.isComplete)
        let report = exploration.report(title: "the client", named: "stories") {
            "fitiq-mock explore --replay \($0.name)"
        }
        let found = try #require(exploration.discoveries.first { $0.symptom.id == "inside/cut-stream-not-complete" })
        #expect(found.schedule.faults.count <= 1)
        let run = try #require(report.runs.first { $0.scenario == found.name })
        #expect(run.checks.map(\.address) == ["inside/cut-stream-not-complete"])
        #expect(run.checks.first?.failures == [found.sentence])
        #expect(run.checks.first?.notes.last?.contains("fitiq-mock explore --replay \(found.name)") ?? false)
        #expect(report.outcome().exitCode == 1 && report.runs.first?.scenario == "stories")
        let known = try KnownBroken(
            reading: Array("inside/cut-stream-not-complete\n".utf8), checks: Symptom.ids)
        #expect(found.symptom.level == .must && known.lists(found.symptom.id, in: found.name))
    }

    @Test("A file of a discovery reads as the scenario with its faults")
    func files() async throws {
        let exploration = try await Self.exploration(showing: Self.isComplete)
        #expect(!exploration.discoveries.isEmpty)
        for discovery in exploration.discoveries {
            let scenario = try Scenario.read(discovery.file())
            let story = try #require(Story.all.first { $0.name == discovery.story })
            var expected = discovery.schedule.scenario(on: story.scenario)
            (expected.name, expected.summary) = (scenario.name, scenario.summary)
            #expect(scenario == expected)
        }
    }

    @Test("Equal seeds give equal reports, with one job and with four")
    func repeats() async throws {
        let one = try await Self.exploration(showing: Self.isComplete)
        let four = try await Self.exploration(jobs: 4, showing: Self.isComplete)
        let texts = [one, four].map { JSONReport($0.report(title: "the client", named: "stories")).bytes }
        #expect(texts[0] == texts[1] && !one.found.isEmpty)
        #expect(
            MarkdownReport(one.report(title: "a", named: "b")).bytes
                == MarkdownReport(four.report(title: "a", named: "b")).bytes)
    }

    @Test("A client without a symptom keeps the report, which says what was tried")
    func nothing() async throws {
        let exploration = try await Self.exploration(runs: 100) { _ in }
        #expect(exploration.found.isEmpty)
        let report = exploration.report(title: "the client", named: "stories")
        #expect(report.outcome().exitCode == 0 && report.runs.count == 1)
        #expect(exploration.summary.hasPrefix("Tried 100 schedules"))
    }
}
