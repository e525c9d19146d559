import ContractSuite

/// The contract suite, played with one client.
public struct SuiteRun {
    public var cases: [ContractCase]
    public var runner: CaseRunner

    /// Creates a run of all cases, or of those below one of the addresses.
    ///
    /// - Parameter prefixes: addresses, or the beginnings of some up to a `/`; none for all.
    public init(on stage: any Stage, selecting prefixes: [String] = []) {
        runner = CaseRunner(on: stage)
        cases = ContractCase.all.filter { contractCase in
            prefixes.isEmpty || prefixes.contains { contractCase.isSelected(by: $0) }
        }
    }

    /// Plays the cases, one after another; throws errors of the harness itself.
    ///
    /// - Parameter observe: called with each result as its case ends.
    public mutating func run(
        with factory: ClientFactory, observing observe: (CaseResult) -> Void = { _ in }
    ) async throws -> [CaseResult] {
        var results: [CaseResult] = []
        for contractCase in cases {
            let result = try await runner.run(contractCase, with: factory)
            results.append(result)
            observe(result)
        }
        return results
    }
}
