import FitIQAPI

/// Decides which schedules are tried, and in which order: all single faults, then pairs, then triples.
///
/// A value without a clock: the stories' points, the seed and what was learnt decide everything. Points that are alike
/// are tried once with each kind of fault.
public struct Agenda: Sendable {
    public enum Strategy: Sendable {
        /// Single faults, then a fault and a point that the first one brought forth, then a third one at a point of those.
        case systematic
        /// One to three faults at points of the baseline, drawn anew each time; for comparison.
        case random
    }

    /// Counts schedules from whose runs something was learnt: a schedule that is dealt may never run.
    public struct Counts: Sendable, Equatable {
        public var singles = 0, pairs = 0, triples = 0
        /// Schedules that were not tried because they are like others.
        public var equal = 0
        /// The points known, and those of them that only faults brought forth.
        public var points = 0, newPoints = 0
        /// Points that were forgotten before every kind of fault was tried at them.
        public var dropped = 0

        public var schedules: Int { singles + pairs + triples }

        fileprivate mutating func count(_ schedule: Schedule) {
            switch schedule.faults.count {
            case 0...1: singles += 1
            case 2: pairs += 1
            default: triples += 1
            }
        }
    }

    /// A point that a schedule brought forth, at which another fault can happen.
    private struct Lead: Sendable {
        var basis: Schedule
        var point: FaultPoint
    }

    public private(set) var counts = Counts()
    /// How late an answer is that the client does not wait for.
    public private(set) var lateness: Duration
    private let stories: [Points]
    private let isThorough: Bool
    private let strategy: Strategy
    /// The kinds to try, by rank; slow ones on a real clock come last.
    private let kinds: [[FaultKind]]
    private var random: SplitMix64
    /// What was dealt or is about to be, by a number for all that is alike.
    private var seen: Set<UInt64> = []
    /// Single faults, the first one last.
    private var singles: [Schedule] = []
    /// The points for second faults, oldest first, and for each rank how many of them have been looked at.
    private var leads: [Lead] = []
    private var lookedAt: [Int]
    /// Pairs to deal next, the first one last.
    private var pairs: [Schedule] = []
    /// Pairs that brought forth points: a sample of all.
    private var bases: [(pair: Schedule, points: [FaultPoint])] = []
    private var baseCount: UInt64 = 0
    private var knownPlaces: [Set<FaultPoint.Place>]

    /// - Parameters:
    ///   - stories: The points of each story without faults.
    ///   - isPrompt: Whether waits take no time, as on a manual clock; if not, kinds with long waits come last.
    ///   - lateness: How late an answer is that the client does not wait for, until a run shows its patience.
    public init(
        stories: [Points], seed: UInt64, isThorough: Bool = false,
        families: Set<FaultKind.Family> = Set(FaultKind.Family.allCases), strategy: Strategy = .systematic,
        isPrompt: Bool = true, lateness: Duration = Schedule.lateness
    ) {
        (self.stories, self.isThorough, self.strategy, self.lateness) = (stories, isThorough, strategy, lateness)
        random = SplitMix64(seed: seed)
        var ranks: [Int: [FaultKind]] = [:]
        for kind in FaultKind.all where families.contains(kind.family) {
            ranks[kind.rank(isPrompt: isPrompt), default: []].append(kind)
        }
        kinds = ranks.keys.sorted().map { ranks[$0] ?? [] }
        lookedAt = Array(repeating: 0, count: kinds.count)
        knownPlaces = stories.map { Set($0.all.map(\.place)) }
        counts.points = knownPlaces.reduce(0) { $0 + $1.count }
        if strategy == .systematic { prepareSingles(isPrompt: isPrompt) }
    }

    /// Returns the next schedules, all of one size; none if there is nothing more to try.
    public mutating func deal(_ most: Int) -> [Schedule] {
        var dealt: [Schedule] = []
        while dealt.count < most, let schedule = next(after: dealt.last) { dealt.append(adapted(schedule)) }
        return dealt
    }

    /// Learns from a run of a schedule that was dealt; in the order of dealing.
    ///
    /// - Parameters:
    ///   - points: The points that the story does not have without faults.
    ///   - acted: The indices of the faults that acted. If the last one did not, the run teaches nothing.
    public mutating func learn(
        _ points: [FaultPoint], patience: Duration? = nil, acted: Set<Int>, of schedule: Schedule
    ) {
        counts.count(schedule)
        guard strategy == .systematic, let last = schedule.faults.indices.last, acted.contains(last) else { return }
        if let patience { lateness = Self.lateness(beyond: patience) }
        var fresh: [FaultPoint] = []
        for point in points.prefix(ExploreLimits.newPoints) {
            fresh.append(point)
            guard knownPlaces[schedule.story].insert(point.place).inserted else { continue }
            counts.points += 1
            counts.newPoints += 1
        }
        switch schedule.faults.count {
        case 1:
            leads += fresh.shuffled(using: &random).map { Lead(basis: schedule, point: $0) }
            dropLeads()
        case 2 where !fresh.isEmpty: remember(schedule, fresh)
        default: break
        }
    }
}

extension Agenda {
    private mutating func next(after dealt: Schedule?) -> Schedule? {
        if strategy == .random { return drawAny() }
        // What the schedules of one size bring forth is known before those of the next are dealt.
        let size = dealt?.faults.count ?? 0
        if let single = singles.popLast() { return single }
        if size != 1, let pair = nextPair() { return pair }
        return size == 0 || size == 3 ? nextTriple() : nil
    }

    /// The schedule with faults that last as long as the client's patience asks, as far as it is known by now.
    private func adapted(_ schedule: Schedule) -> Schedule {
        var schedule = schedule
        for index in schedule.faults.indices where schedule.faults[index].kind.wait == .beyondPatience {
            schedule.faults[index].wait = lateness
        }
        return schedule
    }

    /// Half as long again, in whole seconds, and not longer than a server holds anything back.
    static func lateness(beyond patience: Duration) -> Duration {
        let seconds = (patience.nanoseconds / 2 * 3 + 999_999_999) / 1_000_000_000
        return .seconds(min(max(seconds, 1), 600))
    }

    // MARK: Single faults

    /// Orders the single faults: each kind is tried at each route before it is tried there in another situation, and
    /// the better kinds come first.
    private mutating func prepareSingles(isPrompt: Bool) {
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
                    let turn = kind.rank(isPrompt: isPrompt) + Self.layerRanks * layers[route, default: 0]
                    layers[route, default: 0] += 1
                    let none: [[Schedule]] = Array(repeating: [], count: stories.count)
                    turns[turn, default: none][story].append(
                        Schedule(story: story, faults: [Schedule.Fault(kind, at: point.place)]))
                }
            }
        }
        for turn in turns.keys.sorted(by: >) {
            let byStory = (turns[turn] ?? []).map { $0.shuffled(using: &random) }
            // The stories take turns; the first one to deal is the last one here.
            for index in (0..<(byStory.map(\.count).max() ?? 0)).reversed() {
                for schedules in byStory where index < schedules.count { singles.append(schedules[index]) }
            }
        }
    }

    /// How many ranks worse a kind may be that was not tried at a route yet.
    private static let layerRanks = 2

    /// A number for a fault at a point and all that are alike, behind the faults of a basis, in its story.
    private func key(of point: FaultPoint, _ kind: FaultKind, after basis: Schedule) -> UInt64 {
        var key = UInt64(basis.story)
        // The first fault stands for those like it: none of them is in another schedule that was dealt.
        for fault in basis.faults {
            key = key.mixed(with: fault.kind.id.utf8.fnv1a).mixed(with: fault.place.route)
        }
        return key.mixed(with: kind.id.utf8.fnv1a).mixed(with: point.likeness(for: kind))
    }

    // MARK: Pairs

    /// Leads whose candidates are shuffled together.
    private static let window = 64

    private mutating func nextPair() -> Schedule? {
        while pairs.isEmpty {
            // The best kinds at the newest points come before worse kinds at older ones.
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
        // More than necessary, because removing from the front costs the whole.
        let count = min(leads.count, excess + ExploreLimits.leads / 10)
        counts.dropped += max(0, count - (lookedAt.min() ?? 0))
        leads.removeFirst(count)
        for rank in lookedAt.indices { lookedAt[rank] = max(0, lookedAt[rank] - count) }
    }

    // MARK: Triples

    private mutating func remember(_ pair: Schedule, _ points: [FaultPoint]) {
        let sample = Array(points.shuffled(using: &random).prefix(ExploreLimits.pointsOfPair))
        baseCount += 1
        if bases.count < ExploreLimits.pairs {
            bases.append((pair, sample))
        } else {
            let place = Int(random.next(below: baseCount))
            if place < bases.count { bases[place] = (pair, sample) }
        }
    }

    /// Draws a third fault for a pair; nil if every draw for a long time was known.
    private mutating func nextTriple() -> Schedule? {
        for _ in 0..<1000 {
            guard let base = one(of: bases) else { return nil }
            if let triple = drawFault(at: base.points).flatMap(base.pair.adding),
                seen.insert(triple.key.utf8.fnv1a).inserted
            {
                return triple
            }
        }
        return nil
    }

    // MARK: Random schedules

    private mutating func drawAny() -> Schedule? {
        guard !kinds.isEmpty, let story = one(of: stories.indices.filter { !stories[$0].all.isEmpty }) else {
            return nil
        }
        var schedule = Schedule(story: story)
        for _ in 0...random.next(below: UInt64(ExploreLimits.faults)) {
            schedule = drawFault(at: stories[story].all).flatMap(schedule.adding) ?? schedule
        }
        return schedule
    }

    private mutating func drawFault(at points: [FaultPoint]) -> Schedule.Fault? {
        guard let place = one(of: points)?.place, let kind = one(of: kinds.joined().filter { $0.fits(place) })
        else { return nil }
        return Schedule.Fault(kind, at: place)
    }

    private mutating func one<Element>(of all: [Element]) -> Element? {
        all.isEmpty ? nil : all[Int(random.next(below: UInt64(all.count)))]
    }
}

extension FaultKind {
    /// The rank; waits that take time put a kind behind all others.
    fileprivate func rank(isPrompt: Bool) -> Int { isLong && !isPrompt ? rank + 10_000 : rank }

    /// Whether it takes more than ten seconds on a real clock.
    fileprivate var isLong: Bool {
        switch wait {
        case .none: id == "hang" || id == "shake-hang" || family == .silence
        case .exactly(let time): time > .seconds(10)
        case .beyondPatience: true
        }
    }
}
