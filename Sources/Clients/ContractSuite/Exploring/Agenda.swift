import FitIQAPI

/// Chooses the schedules to try, and their order: all single faults, then pairs.
///
/// The stories' points, the seed and earlier results determine everything. Among equal points, the agenda tries each
/// kind of fault at only one of them.
public struct Agenda: Sendable {
    /// Counts schedules whose runs were evaluated.
    ///
    /// A schedule that was dealt may never run.
    public struct Counts: Sendable, Equatable {
        public var singles = 0, pairs = 0
        /// The schedules that were skipped as duplicates.
        public var equal = 0
        /// The number of known points, and the number of points that only faults cause.
        public var points = 0, newPoints = 0
        /// The points that were dropped before all kinds of faults were tried at them.
        public var dropped = 0

        public var schedules: Int { singles + pairs }
    }

    /// A point in a schedule's run at which another fault can take effect.
    private struct Lead: Sendable {
        var basis: Schedule
        var point: FaultPoint
    }

    public private(set) var counts = Counts()
    /// The delay after which the client is no longer waiting for an answer.
    public private(set) var lateness: Duration
    private let stories: [Points]
    private let isThorough: Bool
    /// The duration of each story's runs, or nil if waits take no time.
    private let patience: [RunPatience]?
    /// The kinds to try, by rank.
    private let kinds: [[FaultKind]]
    private var random: SplitMix64
    /// The dealt and planned schedules; duplicates have the same number.
    private var seen: Set<UInt64> = []
    /// Single faults with their turns; the last fault is dealt first.
    private var singles: [(turn: Int, schedule: Schedule)] = []
    /// Single faults that were postponed because of new results; the first fault is dealt first.
    private var postponed: [(turn: Int, schedule: Schedule)] = []
    /// The fault kinds that made a run reach its time limit.
    private var lasting: Set<FaultKind> = []
    /// The points for second faults, oldest first, and how many of them each rank has used.
    private var leads: [Lead] = []
    private var lookedAt: [Int]
    /// Pairs to deal next; the last pair is dealt first.
    private var pairs: [Schedule] = []
    private var knownPlaces: [Set<FaultPoint.Place>]

    /// - Parameters:
    ///   - stories: The points of each story without faults.
    ///   - patience: The duration of each story's runs, so that slower schedules come later, or nil if waits take no
    ///     time.
    init(
        stories: [Points], seed: UInt64, isThorough: Bool = false,
        families: Set<FaultKind.Family> = Set(FaultKind.Family.allCases), patience: [RunPatience]? = nil
    ) {
        (self.stories, self.isThorough, self.patience) = (stories, isThorough, patience)
        lateness = patience == nil ? Schedule.lateness : Self.unknownPatience
        random = SplitMix64(seed: seed)
        var ranks: [Int: [FaultKind]] = [:]
        for kind in FaultKind.all where families.contains(kind.family) {
            ranks[kind.rank + (patience?.first?.delay(of: kind) ?? 0), default: []].append(kind)
        }
        kinds = ranks.keys.sorted().map { ranks[$0] ?? [] }
        lookedAt = Array(repeating: 0, count: kinds.count)
        knownPlaces = stories.map { Set($0.all.map(\.place)) }
        counts.points = knownPlaces.reduce(0) { $0 + $1.count }
        prepareSingles()
    }

    /// How long late answers are delayed on the system's clock while the client's patience is unknown.
    static let unknownPatience = Duration.seconds(45)

    /// Returns the next schedule, or nil if more results are needed first.
    public mutating func deal() -> Schedule? { (nextSingle() ?? nextPair()).map(adapted) }

    /// Learns from the run of a schedule that was dealt.
    ///
    /// Must be called in the order in which schedules are dealt.
    ///
    /// - Parameters:
    ///   - points: The points that the story does not have without faults.
    ///   - acted: The indices of the faults that took effect; if the last one did not, the run is ignored.
    ///   - hasLasted: Whether the run reached its time limit.
    public mutating func learn(
        _ points: [FaultPoint], patience: Duration? = nil, acted: Set<Int>, hasLasted: Bool = false,
        of schedule: Schedule
    ) {
        if schedule.faults.count == 2 { counts.pairs += 1 } else { counts.singles += 1 }
        guard let last = schedule.faults.indices.last, acted.contains(last) else { return }
        if let patience { lateness = Self.lateness(beyond: patience) }
        var fresh: [FaultPoint] = []
        for point in points.prefix(ExploreLimits.newPoints) {
            fresh.append(point)
            guard knownPlaces[schedule.story].insert(point.place).inserted else { continue }
            counts.points += 1
            counts.newPoints += 1
        }
        guard schedule.faults.count < ExploreLimits.faults else { return }
        if hasLasted { lasting.formUnion(schedule.faults.map(\.kind)) }
        leads += fresh.shuffled(using: &random).map { Lead(basis: schedule, point: $0) }
        dropLeads()
    }
}

extension Agenda {
    /// The schedule, with waits that exceed the client's patience if it is known.
    private func adapted(_ schedule: Schedule) -> Schedule {
        var schedule = schedule
        for index in schedule.faults.indices where schedule.faults[index].kind.wait == .beyondPatience {
            schedule.faults[index].wait = lateness
        }
        return schedule
    }

    /// One and a half times the patience, in whole seconds, up to the maximum server delay.
    static func lateness(beyond patience: Duration) -> Duration {
        let seconds = (patience.nanoseconds / 2 * 3 + 999_999_999) / 1_000_000_000
        return .seconds(min(max(seconds, 1), 600))
    }

    // MARK: Single faults

    private mutating func nextSingle() -> Schedule? {
        while let (turn, schedule) = singles.last {
            if let first = postponed.first, first.turn <= turn { break }
            singles.removeLast()
            let kind = schedule.faults[0].kind
            guard let patience = patience?[schedule.story], lasting.contains(kind),
                case let delay = patience.delay(of: kind, hasLasted: true) - patience.delay(of: kind), delay > 0
            else { return schedule }
            let place = postponed.firstIndex { $0.turn > turn + delay } ?? postponed.count
            postponed.insert((turn + delay, schedule), at: place)
        }
        return postponed.isEmpty ? nil : postponed.removeFirst().schedule
    }

    /// Orders the single faults.
    ///
    /// Each kind is tried once at every route before it is repeated at a route in another situation. Better and faster
    /// kinds come first.
    private mutating func prepareSingles() {
        var turns: [Int: [[Schedule]]] = [:]
        var layers: [UInt64: Int] = [:]
        for (story, points) in stories.enumerated() {
            for point in points.all {
                for kind in kinds.joined() where kind.fits(point.place) {
                    if !isThorough, !seen.insert(key(of: point, kind, after: Schedule(story: story))).inserted {
                        counts.equal += 1
                        continue
                    }
                    let route = kind.id.utf8.fnv1a.mixed(with: point.place.route)
                    let delay = patience?[story].delay(of: kind) ?? 0
                    let turn = kind.rank + delay + Self.layerRanks * layers[route, default: 0]
                    layers[route, default: 0] += 1
                    let none: [[Schedule]] = Array(repeating: [], count: stories.count)
                    turns[turn, default: none][story].append(
                        Schedule(story: story, faults: [Schedule.Fault(kind, at: point.place)]))
                }
            }
        }
        for turn in turns.keys.sorted(by: >) {
            let byStory = (turns[turn] ?? []).map { $0.shuffled(using: &random) }
            // The stories take turns. The last element is dealt first.
            for index in (0..<(byStory.map(\.count).max() ?? 0)).reversed() {
                for schedules in byStory where index < schedules.count { singles.append((turn, schedules[index])) }
            }
        }
    }

    /// By how many ranks a kind that is untried at a route may be worse.
    private static let layerRanks = 2

    /// A number that identifies a fault at a point after the faults of a base schedule; equal faults have the same
    /// number.
    private func key(of point: FaultPoint, _ kind: FaultKind, after basis: Schedule) -> UInt64 {
        var key = UInt64(basis.story)
        // The first fault represents all equal faults, because no other schedule that was dealt contains them.
        for fault in basis.faults { key = key.mixed(with: fault.kind.id.utf8.fnv1a).mixed(with: fault.place.route) }
        return key.mixed(with: kind.id.utf8.fnv1a).mixed(with: point.likeness(for: kind))
    }

    // MARK: Pairs

    /// The number of leads whose candidates are shuffled together.
    private static let window = 64

    private mutating func nextPair() -> Schedule? {
        while pairs.isEmpty {
            // The best kinds at the newest points come first.
            guard let rank = lookedAt.indices.first(where: { lookedAt[$0] < leads.count }) else { return nil }
            let end = min(lookedAt[rank] + Self.window, leads.count)
            for lead in leads[lookedAt[rank]..<end] {
                for kind in kinds[rank] where kind.fits(lead.point.place) {
                    if !isThorough, !seen.insert(key(of: lead.point, kind, after: lead.basis)).inserted {
                        counts.equal += 1
                    } else if let pair = lead.basis.adding(Schedule.Fault(kind, at: lead.point.place)) {
                        pairs.append(pair)
                    }
                }
            }
            lookedAt[rank] = end
            pairs.shuffle(using: &random)
        }
        return pairs.popLast()
    }

    private mutating func dropLeads() {
        let excess = leads.count - ExploreLimits.leads
        guard excess > 0 else { return }
        // Drop more than needed, because each removal from the front moves all later elements.
        let count = min(leads.count, excess + ExploreLimits.leads / 10)
        counts.dropped += max(0, count - (lookedAt.min() ?? 0))
        leads.removeFirst(count)
        for rank in lookedAt.indices { lookedAt[rank] = max(0, lookedAt[rank] - count) }
    }
}
