import FitIQAPI
import Testing

@testable import FitIQBackend

/// Checks the backend's invariants after each of many random operations.
@Suite("Random commands and invariants") struct InvariantTests {
    @Test("Random commands preserve the invariants", arguments: [UInt64(2025)])
    func rules(seed: UInt64) throws {
        var random = try RandomOperations(seed: seed, userCount: 30)
        var model = Model(userCount: 30)
        for step in 0..<20_000 {
            if random.below(2) == 0 {
                let delay = Int64(random.below(20) == 0 ? random.below(5000) : random.below(60))
                random.world.pass(milliseconds: delay)
                // The loop is late half of the time, and the operation serves everything that is due.
                if random.below(2) == 0 { random.world.backend.advance(&random.world.turn) }
            }
            let operation = random.draw()
            let expected = model.expectedOutcome(of: operation, random)
            let openBefore = Set(random.openSockets)
            let outcome = random.apply(operation)
            var violations: [String] = []
            if let expected, !expected(outcome) { violations.append("\(operation) ended with \(outcome)") }
            model.note(operation, outcome, random)
            let sockets = openBefore.union(random.openSockets)
            violations += model.hear(random.takeEffects(), open: sockets, random.world)
            violations += model.violationsOfLinks(after: operation, random)
            violations += Invariants.violations(of: model.user(of: operation, random), in: random.world)
            if step.isMultiple(of: 20) { violations += Invariants.violationsOfBytes(in: random.world) }
            if step.isMultiple(of: 1000) { violations += Invariants.deepViolations(of: random.world) }
            guard violations.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(violations.joined(separator: "; "))")
                return
            }
        }
        random.world.waitForAllAnswers()
        let last = model.hear(random.takeEffects(), open: Set(random.openSockets), random.world)
        #expect(last + Invariants.deepViolations(of: random.world) == [], "seed \(seed)")
        #expect(random.world.backend.consultations.allSatisfy { $0.answer == nil && $0.waiting.isEmpty })
        #expect(random.world.backend.nextDeadline == nil)
        // The seed reached every case.
        #expect(model.seen == Model.everything, "seed \(seed)")
    }
}
