import FitIQAPI

/// A world on the manual clock and a client that follows the suite's move together, from one thing that is due to the next.
extension CasePlay {
    /// How often both sides must be found without news before the time goes on: what a process wrote a moment ago may still
    /// be on its way.
    private static let quietRounds = 2

    /// Carries both sides to a point in time, or until the expectation is met.
    ///
    /// - Returns: why it is not met at the end; nil where it is, or there is none.
    mutating func carry(to end: Timestamp, until expectation: ClientExpectation?) async throws -> CaseFailure? {
        while true {
            let next = try await settle()
            let failure = try await look(for: expectation)
            if expectation != nil, failure == nil { return nil }
            if now >= end { return failure }
            now = min(next ?? end, end)
            try await world.advance(to: now)
        }
    }

    /// Has both sides do all that is due or has arrived, and tells when the next thing is due on either.
    @discardableResult
    mutating func settle() async throws -> Timestamp? {
        guard client.clock == .suite else { return nil }
        var quiet = 0
        var activity: UInt64?
        while true {
            stepCount += 1
            guard stepCount <= stepLimit else {
                throw Stop.failed(CaseFailure(message: Messages.neverQuiet(looks: stepLimit)))
            }
            let time = now
            let clientDue = try await asking { try await $0.settle(at: time) }
            let pulse = try await world.pulse(at: now)
            quiet = pulse.activity == activity ? quiet + 1 : 0
            activity = pulse.activity
            // A timer that is due now is something to do.
            if let clientDue, clientDue <= now { quiet = 0 }
            // What the system's own time-outs owe is theirs: the world's clock does not bring it about.
            let worldDue = pulse.nextDue.flatMap { $0 > now ? $0 : nil }
            if quiet >= Self.quietRounds { return [clientDue, worldDue].compactMap { $0 }.min() }
        }
    }
}
