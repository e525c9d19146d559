import FitIQAPI
import Judging
import Testing

@testable import ContractSuite

@Suite("Results as a report")
struct ReportTests {
    private func meal(_ name: String, _ setting: String, guide: GuideMode? = nil, _ steps: [Step]) -> ContractCase {
        ContractCase(
            "meal/polling/" + name, name, Clause(.webSocketArchitecture, "Option 1", "Poll every 5 seconds."),
            setting: .builtIn(setting), guide: guide, steps: steps)
    }

    private func report(_ manner: MealClient.Manner) async throws -> Report {
        let stage = try TestStage()
        var suite = SuiteRun(on: stage)
        let completes: [Step] = [
            .logMeal("2 eggs"), .until(.all([.meal("2 eggs", .completed, calories: 263), .idle]), within: .minutes(1)),
        ]
        suite.cases = [
            meal("completes", "meal-completes", completes),
            meal(
                "fails", "meal-fails",
                [.logMeal("?"), .until(.mealError("?", containing: "Failed to parse"), within: .minutes(1))]),
            meal("as-the-guide-says", "meal-completes", guide: .webSocketArchitecture, completes),
            ContractCase("goal/x", "Goals", .ours("They are."), steps: [.loadGoals]),
            ContractCase("chat/x", "A chat", .ours("It is."), steps: [.start(.nutritionist)]),
        ]
        var seen: [String] = []
        let results = try await suite.run {
            MealClient(manner, on: stage, $0)
        } observing: {
            seen.append($0.contractCase.address)
        }
        #expect(seen == suite.cases.map(\.address))
        return Report(title: "an app", results: results)
    }

    private func verdict(_ id: String, _ run: Report.Run?) -> Verdict? {
        run?.verdicts.first { $0.obligation.id == id }
    }

    @Test("The report has one run for each topic and mode and omits skipped cases")
    func groups() async throws {
        let report = try await report(.right)
        #expect(report.runs.map(\.scenario) == ["meal", "meal (websocket-architecture)", "goal", "chat"])
        #expect(report.runs.map(\.mode) == [.union, .webSocketArchitecture, .union, .union])
        #expect(
            report.runs.map { $0.checks.map(\.address) } == [
                ["meal/polling/completes", "meal/polling/fails"], ["meal/polling/as-the-guide-says"], ["goal/x"], [],
            ])
        #expect(report.runs.allSatisfy { $0.checks.allSatisfy { $0.failures.isEmpty } })
        #expect(report.runs.map(\.hasConnected) == [true, true, true, false])
        let run = report.runs.first
        #expect(run?.checks.first?.clause == "websocket-architecture, Option 1: Poll every 5 seconds.")
        #expect(verdict("inside/failed-meal-surfaces", run)?.outcome == .kept)
        #expect(verdict("inside/cut-stream-not-complete", run)?.outcome == .notExercised)
        // Two cases exercise the obligation, and the report counts them together.
        #expect(verdict("meal/polling-cadence", run)?.outcome == .kept)
        #expect(run?.exposures.first { $0.path == .failedMeal }?.count == 1)
    }

    @Test(
        "A topic counts as connected if the client connected in any of the topic's cases", arguments: [true, false],
        [true, false])
    func connected(first: Bool, second: Bool) {
        let results = [first, second].map { hasConnected in
            var result = CaseResult(ContractCase("goal/x", "Goals", .ours("They are."), steps: []), mode: .union)
            result.hasConnected = hasConnected
            return result
        }
        #expect(Report(title: "an app", results: results).runs.map(\.hasConnected) == [first || second])
    }

    @Test("A finding for a topic names the case that broke the obligation")
    func broken() async throws {
        let run = try await report(.hasty).runs.first
        let cadence = verdict("meal/polling-cadence", run)
        #expect(cadence?.outcome == .broken && cadence?.failsRun == true)
        #expect(cadence?.findings.first?.message.hasSuffix(" (in meal/polling/completes)") == true)
        #expect(cadence?.findings.count == Findings.keptCount, "no more than one verdict keeps")
        #expect((cadence?.findingCount ?? 0) > Findings.keptCount)
        let silent = try await report(.hidesErrors).runs.first
        let notes = silent?.checks.map(\.notes) ?? []
        #expect(notes.first?.isEmpty == true && notes.last?.first == Messages.lastEntries)
        #expect(notes.last?.last?.hasPrefix("The last exchange succeeded: GET /api/v1/meal-logs/") == true)
        #expect(notes.last?.dropLast().last?.contains("GET /w/") == true)
        let inside = verdict("inside/failed-meal-surfaces", silent)
        #expect(
            inside?.outcome == .broken && inside?.findings.first?.message.hasSuffix("(in meal/polling/fails)") == true)
        #expect(silent?.checks.map(\.failures.count) == [0, 1])
    }
}
