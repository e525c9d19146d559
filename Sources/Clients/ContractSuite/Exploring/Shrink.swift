import FitIQAPI

/// Reduces a failing schedule: fewer faults, milder kinds, shorter waits, earlier places and simpler answers.
///
/// ``next()`` returns a candidate, and ``tell(_:)`` takes the result, which says whether the candidate fails too. Every
/// candidate is smaller than the smallest failing schedule so far, so the search ends. Identical results lead to the
/// same schedule.
public struct Shrink: Sendable {
    /// The smallest failing schedule so far.
    public private(set) var smallest: Schedule
    /// The number of candidates so far.
    public private(set) var count = 0
    private let limit: Int
    /// The story's places without faults, in chronological order.
    private let places: [FaultPoint.Place]
    /// The next candidates; the last candidate is tried first.
    private var candidates: [Schedule] = []
    private var asked: Schedule?
    /// All candidates tried so far.
    private var tried: Set<Schedule>

    /// The number of other places to try for a fault whose place depends on an omitted fault.
    private static let anchors = 6

    /// - Parameter points: The points of the story without faults.
    public init(_ schedule: Schedule, points: [FaultPoint], limit: Int = ExploreLimits.candidates) {
        (smallest, self.limit) = (schedule, limit)
        places = points.map(\.place)
        tried = [schedule]
        prepare()
    }

    public mutating func next() -> Schedule? {
        guard count < limit else { return nil }
        while let candidate = candidates.popLast() {
            guard candidate.isSmaller(than: smallest), tried.insert(candidate).inserted else { continue }
            count += 1
            asked = candidate
            return candidate
        }
        return nil
    }

    public mutating func tell(_ fails: Bool) {
        guard let candidate = asked else { return }
        asked = nil
        guard fails else { return }
        smallest = candidate
        prepare()
    }

    /// Lists the candidates for the smallest schedule; the greatest reduction comes first.
    private mutating func prepare() {
        candidates = (fewerFaults + milderKinds + shorterWaits + earlierPlaces + simplerAnswers).reversed()
    }

    // MARK: Candidates

    /// Subsets of the faults, as in delta debugging: halves and their complements, then quarters, and so on.
    ///
    /// If a fault depends on an omitted fault, it is also tried at similar places in the story without faults.
    private var fewerFaults: [Schedule] {
        let faults = smallest.faults
        guard faults.count > 1 else { return faults.isEmpty ? [] : [with([])] }
        var parts: [[Schedule.Fault]] = []
        var size = (faults.count + 1) / 2
        while true {
            let starts = stride(from: 0, to: faults.count, by: size)
            parts += starts.map { Array(faults[$0..<min($0 + size, faults.count)]) }
            parts += starts.map { Array(faults[..<$0] + faults[min($0 + size, faults.count)...]) }
            guard size > 1 else { break }
            size = (size + 1) / 2
        }
        parts = parts.filter { !$0.isEmpty }
        return parts.map(with) + parts.flatMap(anchored)
    }

    /// The same faults, with one of them moved to another place on its route in the story without faults.
    private func anchored(_ faults: [Schedule.Fault]) -> [Schedule] {
        guard faults.count < ExploreLimits.faults else { return [] }
        return faults.indices.flatMap { index in
            let place = faults[index].place
            return places.lazy.filter { $0 != place && $0.route == place.route }.prefix(Self.anchors).map { other in
                var moved = faults
                moved[index].place = other
                return with(moved)
            }
        }
    }

    private var milderKinds: [Schedule] {
        changes { fault in
            fault.kind.milder.compactMap(FaultKind.named).filter { $0.fits(fault.place) }.map { kind in
                var milder = Schedule.Fault(kind, at: fault.place)
                // Keep a wait that has already been adapted.
                if kind.wait == fault.kind.wait { milder.wait = fault.wait }
                return milder
            }
        }
    }

    private var shorterWaits: [Schedule] {
        changes { fault in
            guard fault.wait > .seconds(1) else { return [] }
            var shorter = fault
            shorter.wait = max(.seconds(1), .seconds(fault.wait.components.seconds / 2))
            return [shorter]
        }
    }

    private var earlierPlaces: [Schedule] {
        changes { fault in
            fault.place.earlier.map { place in
                var earlier = fault
                earlier.place = place
                return earlier
            }
        }
    }

    private var simplerAnswers: [Schedule] {
        // Without questions, the coach gives no answers.
        guard !smallest.isBrief, places.contains(where: { $0.sort == .question }) else { return [] }
        var brief = smallest
        brief.isBrief = true
        return [brief]
    }

    /// The variants of the smallest schedule in which one fault is changed in each of these ways.
    private func changes(_ ways: (Schedule.Fault) -> [Schedule.Fault]) -> [Schedule] {
        smallest.faults.indices.flatMap { index in
            ways(smallest.faults[index]).map { fault in
                var changed = smallest
                changed.faults[index] = fault
                return changed
            }
        }
    }

    private func with(_ faults: [Schedule.Fault]) -> Schedule {
        var schedule = smallest
        schedule.faults = faults
        return schedule
    }
}

extension Schedule {
    /// Whether the schedule is simpler; the number of faults counts most.
    func isSmaller(than other: Schedule) -> Bool { size.lexicographicallyPrecedes(other.size) }

    private var size: [Int] {
        func sum(_ size: (Fault) -> Int) -> Int { faults.reduce(0) { $0 + size($1) } }
        return [
            faults.count, sum(\.kind.weight), sum { Int($0.wait.nanoseconds) }, sum(\.place.ordinal), isBrief ? 0 : 1,
        ]
    }
}
