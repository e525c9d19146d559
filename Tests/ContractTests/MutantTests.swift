import Judging
import Mutants
import Testing

@testable import ContractSuite

@Suite("Mutants")
struct MutantTests {
    @Test("Each mutant breaks exactly one obligation", arguments: Mutant.all)
    func isFoundOut(_ mutant: Mutant) async throws {
        let result = try await mutant.play()
        #expect(result.skipped == nil)
        let broken = Set(result.broken.map(\.obligation.id)).union(result.brokenChecks.map(\.rawValue))
        #expect(broken == [mutant.breaks], "\(result)")
        #expect(result.failures.allSatisfy { $0.check?.rawValue == mutant.breaks }, "\(result)")
        let messages = result.broken.flatMap(\.findings).map(\.message) + result.failures.map(\.message)
        #expect(messages.contains { $0.contains(mutant.words) }, "\(messages)")
        #expect(result.broken.flatMap(\.findings).allSatisfy { !$0.evidence.isEmpty })
    }

    @Test("The correct client breaks no obligation in the mutant's case", arguments: Mutant.all)
    func isMadeByTheMutation(_ mutant: Mutant) async throws {
        let result = try await Playing.result(of: mutant.contractCase)
        #expect(result.isPassed && result.broken.isEmpty && result.brokenChecks.isEmpty, "\(result)")
    }

    @Test("Each obligation and each internal check has a mutant", arguments: Judge.obligations + Obligation.inside)
    func exists(_ obligation: Obligation) {
        #expect(Mutant.all.contains { $0.breaks == obligation.id }, "An obligation without a mutant does not exist.")
    }
}
