import FitIQAPI
import JSON
import Judging

/// The judgement on the clients in those worlds of a run that share a scenario and a guide.
public struct RunJudgement: Sendable {
    public let scenario: String
    public let mode: GuideMode
    /// When the first of these worlds started, by its own clock; the times in the other worlds' evidence are shifted to
    /// match.
    public let startedAt: Timestamp
    public private(set) var worldCount = 1
    public private(set) var judgement: Judgement

    fileprivate init(of world: World, at time: Timestamp) {
        (mode, startedAt) = (world.mode, world.start)
        scenario = world.settings.scenario.name
        judgement = world.judgement(at: time)
        if let label = world.settings.label { judgement.nameEvidence(of: label) }
    }

    /// These worlds as a run in the report.
    public func report(in name: String) -> Report.Run {
        Report.Run(
            scenario: "\(name) > \(scenario)", mode: mode, startedAt: startedAt, hasConnected: judgement.hasConnected,
            verdicts: judgement.verdicts, exposures: judgement.exposures, coverage: judgement.coverage,
            missedCount: judgement.missedCount)
    }

    fileprivate mutating func add(_ other: RunJudgement) {
        worldCount += other.worldCount
        judgement.add(other.judgement, movedBy: startedAt.nanoseconds(since: other.startedAt))
    }
}

/// The worlds of a world's run, which the client creates below its prefix.
///
/// A world's judgement counts until the run ends, even if a test deletes the world.
struct WorldRun {
    /// The existing worlds, unordered.
    private(set) var worlds: [World] = []
    /// The judgements on deleted worlds, one for each scenario and guide, in the order of their first worlds.
    private var gone: [RunJudgement] = []

    /// The maximum number of separate judgements; worlds of additional scenarios are added to the last judgement for
    /// their guide.
    static let mostScenarios = 100

    mutating func add(_ world: World) { worlds.append(world) }

    /// Removes a world and stores the final judgement on its client.
    mutating func remove(_ world: World, at time: Timestamp) {
        guard let place = worlds.firstIndex(where: { $0 === world }) else { return }
        worlds.swapAt(place, worlds.count - 1)
        worlds.removeLast()
        Self.add(RunJudgement(of: world, at: time), to: &gone)
    }

    /// All judgements so far.
    ///
    /// - Parameter time: Returns the current time of a world.
    func judgements(at time: (World) -> Timestamp) -> [RunJudgement] {
        var sum = Sum(of: self)
        while sum.addNext(at: time) {}
        return sum.judgements
    }

    /// All judgements, computed one world at a time, because there may be thousands.
    struct Sum {
        private(set) var judgements: [RunJudgement]
        private var rest: ArraySlice<World>

        init(of run: WorldRun) { (judgements, rest) = (run.gone, run.worlds.sorted()[...]) }

        /// Adds the next world, unless it was deleted in the meantime; returns false if there is none.
        mutating func addNext(at time: (World) -> Timestamp) -> Bool {
            guard let world = rest.popFirst() else { return false }
            if !world.isGone { WorldRun.add(RunJudgement(of: world, at: time(world)), to: &judgements) }
            return true
        }
    }

    private static func add(_ judgement: RunJudgement, to all: inout [RunJudgement]) {
        let same = all.firstIndex {
            $0.mode == judgement.mode && ExactString($0.scenario) == ExactString(judgement.scenario)
        }
        let place = same ?? (all.count < mostScenarios ? nil : all.lastIndex { $0.mode == judgement.mode })
        guard let place else { return all.append(judgement) }
        all[place].add(judgement)
    }
}
