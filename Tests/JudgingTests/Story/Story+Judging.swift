import FitIQAPI
import Traffic

@testable import Judging

/// What is reported about a verdict: the outcome, the messages, and the numbers of the entries that show them.
struct Told: Equatable, CustomStringConvertible {
    var outcome: Verdict.Outcome
    var exercisedCount: Int
    var breaches: [Breach] = []

    /// A finding.
    struct Breach: Equatable {
        var message: String
        var evidence: [Int]
        var level = Obligation.Level.must
    }

    /// Kept so many times.
    static func kept(_ count: Int = 1) -> Told { Told(outcome: .kept, exercisedCount: count) }
    /// Broken as these findings show.
    static func broken(_ count: Int = 1, _ breaches: Breach...) -> Told {
        Told(outcome: .broken, exercisedCount: count, breaches: breaches)
    }
    /// Not exercised.
    static let notExercised = Told(outcome: .notExercised, exercisedCount: 0)

    var description: String {
        (["\(outcome.rawValue), \(exercisedCount) faced"]
            + breaches.map { "\($0.level) \($0.evidence): \($0.message)" }).joined(separator: "\n")
    }
}

extension Told {
    init(_ verdict: Verdict) {
        self.init(
            outcome: verdict.outcome, exercisedCount: verdict.exercisedCount,
            breaches: verdict.findings.map {
                Breach(message: $0.message, evidence: $0.evidence.map(\.number), level: $0.level)
            })
    }
}

extension Story {
    /// The whole story judged.
    func judge(in mode: GuideMode = .union) -> Judge {
        var judge = Judge(mode: mode)
        for entry in journal.entries() { judge.observe(entry) }
        return judge
    }

    /// The verdict on one obligation when so many seconds have passed; nil where clients of the mode do not have it.
    func verdict(_ id: String, in mode: GuideMode = .union, end seconds: Double? = nil) -> Told? {
        judge(in: mode).verdicts(at: seconds.map(Self.time)).first { $0.obligation.id == id }.map(Told.init)
    }

    /// How often each way of going wrong was met, without those that were not.
    func exposures(end seconds: Double? = nil) -> [Exposure.Path: Int] {
        var counts: [Exposure.Path: Int] = [:]
        for exposure in judge().exposures(at: seconds.map(Self.time)) where exposure.count > 0 {
            counts[exposure.path] = exposure.count
        }
        return counts
    }
}

extension Story {
    /// A story written in place: `Story { $0.request(…) }`.
    init(_ tell: (inout Story) -> Void) {
        self.init()
        tell(&self)
    }
}
