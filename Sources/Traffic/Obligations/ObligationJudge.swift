import FitIQAPI
import Recording

/// Judges one obligation: a state machine over the facts of a journal, in order.
///
/// Its state is bounded, whatever the journal holds: what is kept per user, token or id lives in a ``Recent``.
protocol ObligationJudge: Sendable {
    /// What it judges.
    static var obligation: Obligation { get }

    /// What a record has to tell beside requests, answers and messages, or the client is not judged by it.
    static var needs: Evidence { get }

    init()

    /// Takes the next fact; the scene already knows of it.
    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings)

    /// Says what is still owed at the end of the journal: what is overdue at that time is a breach.
    ///
    /// What was not due yet is none: the client may have kept it later.
    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings)
}

extension ObligationJudge {
    static var needs: Evidence { [] }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {}
}
