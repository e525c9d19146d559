import FitIQAPI
import Recording

/// Judges a client by what the journal of a world shows, as it grows.
///
/// A pure state machine: entries in, verdicts out. Its memory is bounded, however long the journal.
public struct Judge: Sendable {
    private var scene: Scene
    private var places: [Place]
    private var exposureCounter = ExposureCounter()
    /// The number of the last entry that was judged; 0 before the first.
    public private(set) var lastNumber = 0
    /// How many entries there were that nobody judged, because the journal had lost them.
    public private(set) var missedCount = 0
    private var end = Timestamp(nanosecondsSinceEpoch: 0)

    /// A judge and what it found.
    private struct Place: Sendable {
        var judge: any ObligationJudge
        /// Whether the entries tell all that it has to know.
        let isHeard: Bool
        var findings: Findings

        mutating func observe(_ fact: Fact, in scene: Scene) {
            if isHeard { judge.observe(fact, in: scene, &findings) }
        }
    }

    /// Makes a judge of the obligations that clients have in a mode.
    ///
    /// What cannot be judged without more than the entries tell is not exercised; a journal tells all.
    public init(mode: GuideMode, evidence: Evidence = .all) {
        scene = Scene(mode: mode)
        places = Self.judges.filter { $0.obligation.applies(in: mode) }.map { judge in
            Place(
                judge: judge.init(), isHeard: judge.needs.isSubset(of: evidence),
                findings: Findings(of: judge.obligation))
        }
    }

    /// Takes the next entry of the journal.
    ///
    /// Entries come in order; numbers that are left out count as missed.
    public mutating func observe(_ entry: JournalEntry) {
        missedCount += max(0, entry.number - lastNumber - 1)
        lastNumber = entry.number
        end = max(end, entry.time)
        let fact = Fact(entry)
        scene.observe(fact)
        exposureCounter.observe(fact, in: scene)
        for index in places.indices { places[index].observe(fact, in: scene) }
    }

    /// The verdicts so far, in the order of ``obligations``.
    ///
    /// - Parameter time: the end of the time that is judged, where it is later than the last entry.
    public func verdicts(at time: Timestamp? = nil) -> [Verdict] {
        let end = max(self.end, time ?? self.end)
        return places.map { place in
            var findings = place.findings
            if place.isHeard { place.judge.conclude(at: end, in: scene, &findings) }
            return findings.verdict
        }
    }

    /// What went wrong so far without being the client's doing.
    public var exposures: [Exposure] { exposures() }

    /// What went wrong until a time without being the client's doing: every way, in order, also those never met.
    ///
    /// - Parameter time: the end of the time that is looked at, where it is later than the last entry.
    public func exposures(at time: Timestamp? = nil) -> [Exposure] {
        exposureCounter.exposures(at: max(end, time ?? end), in: scene)
    }

    /// Everything that is judged from outside the client, in the order of the contract.
    public static let obligations: [Obligation] = judges.map { $0.obligation }
}
