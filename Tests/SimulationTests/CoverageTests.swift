import Judging
import Simulation
import TestSupport
import Testing

@Suite("Situations that clients reach")
struct CoverageTests {
    @Test("Each scenario in the table leads a client to its situation by the shortest path")
    func scenarios() async throws {
        var survey = CoverageSurvey()
        try await survey.addScenarios()
        let named = ReachableSituation.all.filter { $0.way.map { !$0.contains(" ") } ?? false }
        let found = survey.rows
        #expect(found.filter { $0.way != nil } == named)
        let known = Set(ReachableSituation.all.map(\.situation))
        for row in found { #expect(known.contains(row.situation), "\(row.situation.names)") }
        #expect(named.count > 100)
    }

    @Test(
        "The coverage table contains every situation that random clients reach",
        arguments: 1...LongRun.choose(UInt64(4), long: 12))
    func random(_ seed: UInt64) throws {
        var survey = CoverageSurvey()
        try survey.addSimulation(seed: seed)
        let known = Set(ReachableSituation.all.map(\.situation))
        #expect(survey.rows.count > 20)
        for row in survey.rows { #expect(known.contains(row.situation), "\(row.situation.names)") }
    }
}
