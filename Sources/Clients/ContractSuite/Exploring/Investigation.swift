/// Confirms a symptom and reduces the schedule that showed it.
///
/// A state machine: ``next(width:)`` returns the runs that it needs or may need soon, any number at a time, and
/// ``tell(_:of:)`` accepts their results. Its conclusion equals that of consecutive runs.
struct Investigation: Sendable {
    /// A run that it needs.
    struct Ask: Sendable, Hashable {
        let schedule: Schedule
        /// Whether the client gets its whole time limit; if not, only enough time to see that it is slow.
        let isWhole: Bool
    }

    enum Conclusion: Sendable {
        /// A run that shows it, and how often it showed.
        case found(ExaminedRun, count: Int, of: Int)
        /// It shows too seldom; 0 of 0 if there was no time to try.
        case doubted(count: Int, of: Int)
    }

    /// The results of a schedule's runs.
    private struct Showing {
        var count = 0, made = 0, underWay = 0
        var evidence: ExaminedRun?
    }

    let id: String
    private(set) var conclusion: Conclusion?
    private let schedule: Schedule
    private let isRepeatable: Bool
    /// The number of attempts to see a symptom, and how many have to succeed.
    private let confirmation: Explorer.Confirmation
    private var shrink: Shrink
    private var showings: [Ask: Showing] = [:]
    /// The schedules that showed it often enough, the smallest one last.
    private var confirmed: [Schedule]
    private var isReduced = false

    /// - Parameters:
    ///   - run: A run that showed it.
    ///   - points: The points of its story without faults.
    ///   - isRepeatable: Whether equal runs have equal outcomes, so that one is enough.
    init(
        _ id: String, in run: ExaminedRun, points: [FaultPoint], _ confirmation: Explorer.Confirmation,
        isRepeatable: Bool
    ) {
        (self.id, schedule, self.isRepeatable) = (id, run.schedule, isRepeatable)
        self.confirmation = isRepeatable ? Explorer.Confirmation(1, of: 1) : confirmation
        confirmed = [schedule]
        shrink = Shrink(
            schedule, points: points,
            limit: isRepeatable ? ExploreLimits.candidates : ExploreLimits.candidatesOnRealClock)
        if isRepeatable { showings[whole(schedule)] = Showing(count: 1, made: 1, evidence: run) }
    }

    private func whole(_ schedule: Schedule) -> Ask { Ask(schedule: schedule, isWhole: true) }
    /// A chance result among many candidates is tried again in the end; a repeatable one is not.
    private func candidate(_ schedule: Schedule) -> Ask { Ask(schedule: schedule, isWhole: isRepeatable) }

    /// - Parameter width: The number of concurrent candidates, although the first may make the others pointless.
    /// - Returns: nil if it needs no run, or none before further results.
    mutating func next(width: Int) -> Ask? {
        guard conclusion == nil else { return nil }
        if let ask = begin(whole(schedule)) { return ask }
        guard !isReduced else { return confirmed.last.flatMap { begin(whole($0), isLast: true) } }
        var ahead = shrink
        for _ in 0..<width {
            guard let schedule = ahead.next() else { break }
            if let ask = begin(candidate(schedule)) { return ask }
        }
        return nil
    }

    /// - Parameter run: Nil if it was cut off: then nothing more can be tried.
    mutating func tell(_ run: ExaminedRun?, of ask: Ask) {
        guard let run else { return halt() }
        var showing = showings[ask] ?? Showing()
        (showing.made, showing.underWay) = (showing.made + 1, showing.underWay - 1)
        if run.symptom(id) != nil { (showing.count, showing.evidence) = (showing.count + 1, run) }
        showings[ask] = showing
        settle()
    }

    /// Makes nothing smaller any more, because the time is almost over.
    mutating func hurry() {
        isReduced = true
        settle()
    }

    /// Concludes from the results so far.
    mutating func halt() {
        guard conclusion == nil else { return }
        for schedule in confirmed.reversed() {
            // A slow run is no hang before it has lasted long enough.
            for ask in id == ExploreCheck.hang.rawValue ? [whole(schedule)] : [whole(schedule), candidate(schedule)] {
                if let found = found(showings[ask]) { return conclusion = found }
            }
        }
        conclusion = .doubted(count: 0, of: 0)
    }

    // MARK: What is certain

    /// Whether it appeared often enough; nil if that is not certain yet.
    private func shows(_ ask: Ask) -> Bool? {
        let showing = showings[ask] ?? Showing()
        if showing.count >= confirmation.needed { return true }
        return showing.made - showing.count > confirmation.tries - confirmation.needed ? false : nil
    }

    private func found(_ showing: Showing?) -> Conclusion? {
        guard let showing, let run = showing.evidence, showing.count >= confirmation.needed else { return nil }
        return .found(run, count: showing.count, of: showing.made)
    }

    /// Begins another run if one is needed.
    ///
    /// - Parameter isLast: Whether it is run as often as allowed, and not only until it is certain.
    private mutating func begin(_ ask: Ask, isLast: Bool = false) -> Ask? {
        var showing = showings[ask] ?? Showing()
        let (needed, tries) = (confirmation.needed, confirmation.tries)
        let soonest = min(needed, tries - needed + 1)
        let most = isLast ? tries : shows(ask) != nil ? 0 : max(soonest, showing.made + 1)
        guard showing.made + showing.underWay < most else { return nil }
        showing.underWay += 1
        showings[ask] = showing
        return ask
    }

    private mutating func settle() {
        guard conclusion == nil else { return }
        let first = shows(whole(schedule))
        if first == false {
            let showing = showings[whole(schedule)] ?? Showing()
            return conclusion = .doubted(count: showing.count, of: showing.made)
        }
        while !isReduced {
            var ahead = shrink
            guard let schedule = ahead.next() else {
                isReduced = true
                break
            }
            guard let fails = shows(candidate(schedule)) else { break }
            shrink = ahead
            shrink.tell(fails)
            if fails { confirmed.append(schedule) }
        }
        guard isReduced, first == true else { return }
        var last = Showing()
        while let smallest = confirmed.last {
            last = showings[whole(smallest)] ?? Showing()
            guard last.made >= confirmation.tries else { return }
            if let found = found(last) { return conclusion = found }
            // Of many candidates one may have shown it by chance: then the one before counts.
            confirmed.removeLast()
        }
        conclusion = .doubted(count: last.count, of: last.made)
    }
}
