/// Confirms a symptom and reduces the schedule that showed it.
///
/// ``next(width:)`` returns any number of runs that are needed or may be needed soon, and ``tell(_:of:)`` accepts their
/// results. The conclusion does not depend on whether the runs are consecutive.
struct Investigation: Sendable {
    /// A run that the investigation needs.
    struct Ask: Sendable, Hashable {
        let schedule: Schedule
        /// Whether the client gets the whole time limit, or only enough time to show that it is slow.
        let isWhole: Bool
    }

    enum Conclusion: Sendable {
        /// A run with the symptom, and the number of runs with the symptom.
        case found(ExaminedRun, count: Int, of: Int)
        /// The symptom appears too rarely; 0 of 0 means that there was no time to try.
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
    /// The number of runs to try, and the number that must have the symptom.
    private let confirmation: Explorer.Confirmation
    private var shrink: Shrink
    private var showings: [Ask: Showing] = [:]
    /// The confirmed schedules; the last schedule is the smallest.
    private var confirmed: [Schedule]
    private var isReduced = false
    /// Whether the investigation performs no more runs; it concludes once the runs in progress have ended.
    private var isHalted = false

    /// - Parameters:
    ///   - run: A run with the symptom.
    ///   - points: The points of its story without faults.
    ///   - isRepeatable: Whether identical runs have identical outcomes, so that one run is enough.
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
    /// A candidate gets less time unless runs are repeatable, because the last candidate is confirmed at the end.
    private func candidate(_ schedule: Schedule) -> Ask { Ask(schedule: schedule, isWhole: isRepeatable) }

    /// Returns the next run to perform, or nil until more results arrive.
    ///
    /// - Parameter width: The number of concurrent candidates; the first candidate may make the others unnecessary.
    mutating func next(width: Int) -> Ask? {
        guard conclusion == nil, !isHalted else { return nil }
        if let ask = begin(whole(schedule)) { return ask }
        guard !isReduced else { return confirmed.last.flatMap { begin(whole($0), isLast: true) } }
        var ahead = shrink
        for _ in 0..<width {
            guard let schedule = ahead.next() else { break }
            if let ask = begin(candidate(schedule)) { return ask }
        }
        return nil
    }

    /// - Parameter run: The result, or nil if the run was interrupted, after which no more runs are possible.
    mutating func tell(_ run: ExaminedRun?, of ask: Ask) {
        var showing = showings[ask] ?? Showing()
        showing.underWay -= 1
        if let run {
            showing.made += 1
            if run.symptom(id) != nil { (showing.count, showing.evidence) = (showing.count + 1, run) }
        } else {
            isHalted = true
        }
        showings[ask] = showing
        settle()
        if isHalted { halt() }
    }

    /// Stops reducing, because time is almost up.
    mutating func hurry() {
        isReduced = true
        settle()
    }

    /// Performs no more runs, and concludes from the runs that have finished or are in progress.
    mutating func halt() {
        isHalted = true
        guard conclusion == nil, showings.values.allSatisfy({ $0.underWay == 0 }) else { return }
        for schedule in confirmed.reversed() {
            // A slow run counts as a hang only once the whole time limit has passed.
            for ask in id == ExploreCheck.hang.rawValue ? [whole(schedule)] : [whole(schedule), candidate(schedule)] {
                if let found = found(showings[ask]) { return conclusion = found }
            }
        }
        conclusion = .doubted(count: 0, of: 0)
    }

    // MARK: Results

    /// Whether the symptom appeared often enough, or nil if this is still undecided.
    private func shows(_ ask: Ask) -> Bool? {
        let showing = showings[ask] ?? Showing()
        if showing.count >= confirmation.needed { return true }
        return showing.made - showing.count > confirmation.tries - confirmation.needed ? false : nil
    }

    private func found(_ showing: Showing?) -> Conclusion? {
        guard let showing, let run = showing.evidence, showing.count >= confirmation.needed else { return nil }
        return .found(run, count: showing.count, of: showing.made)
    }

    /// Starts another run if one is needed.
    ///
    /// - Parameter isLast: Whether to perform all the runs that are allowed instead of stopping once the result is
    ///   certain.
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
            // One of many candidates may have had the symptom by chance, so fall back to the previous schedule.
            confirmed.removeLast()
        }
        conclusion = .doubted(count: last.count, of: last.made)
    }
}
