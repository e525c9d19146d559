import Obligations

extension CaseResult {
    /// What was checked from within the client, as verdicts; their findings have no evidence in the journal.
    public var insideVerdicts: [Verdict] {
        guard skipped == nil else { return [] }
        return Obligation.inside.filter { $0.applies(in: mode) }.map { obligation in
            let check = InsideCheck(rawValue: obligation.id)
            let found = failures.filter { $0.check == check }
            let isFaced = check.map(looked.contains) ?? false
            return Verdict(
                obligation: obligation, outcome: !isFaced ? .notExercised : found.isEmpty ? .kept : .broken,
                exercisedCount: isFaced ? 1 : 0,
                findings: found.prefix(Findings.keptCount).map {
                    Finding(level: obligation.level, message: $0.message, evidence: [])
                }, findingCount: found.count)
        }
    }
}
