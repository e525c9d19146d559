import FitIQAPI
import Testing

@testable import FitIQBackend

/// Checks the backend's invariants after each of many random operations.
@Suite("Random commands and invariants") struct InvariantTests {
    @Test("Random commands preserve the invariants", arguments: [UInt64(2025)])
    func rules(seed: UInt64) throws {
        var random = try RandomOperations(seed: seed, userCount: 30)
        var model = Model(userCount: 30)
        #expect(random.violations(in: 20_000, model: &model) == [], "seed \(seed)")
        #expect(random.world.backend.nextDeadline == nil)
        // The seed reached every case.
        #expect(model.seen == Model.everything, "seed \(seed)")
    }
}

extension RandomOperations {
    /// Applies random operations, and returns what goes wrong first.
    mutating func violations(in steps: Int, model: inout Model) -> [String] {
        for step in 0..<steps {
            if below(2) == 0 {
                world.pass(milliseconds: Int64(below(20) == 0 ? below(5000) : below(60)))
                // The loop is late half of the time, and the operation serves everything that is due.
                if below(2) == 0 { world.backend.advance(&world.turn) }
            }
            let operation = draw()
            let expected = model.expectedOutcome(of: operation, self)
            let openBefore = Set(openSockets)
            let outcome = apply(operation)
            var violations: [String] = []
            if let expected, !expected(outcome) { violations.append("\(operation) ended with \(outcome)") }
            model.note(operation, outcome, self)
            violations += model.hear(takeEffects(), open: openBefore.union(openSockets), world)
            violations += model.violationsOfLinks(after: operation, self)
            violations += Invariants.violations(of: model.user(of: operation, self), in: world)
            if step.isMultiple(of: 20) { violations += Invariants.violationsOfBytes(in: world) }
            if step.isMultiple(of: 500) { violations += Invariants.deepViolations(of: world) }
            if !violations.isEmpty { return ["step \(step)"] + violations }
        }
        world.waitForAllAnswers()
        let last = model.hear(takeEffects(), open: Set(openSockets), world)
        let isBusy = !world.backend.consultations.allSatisfy { $0.answer == nil && $0.waiting.isEmpty }
        return last + Invariants.deepViolations(of: world) + (isBusy ? ["an answer does not end"] : [])
    }
}
