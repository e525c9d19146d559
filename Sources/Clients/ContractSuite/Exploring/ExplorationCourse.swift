import FitIQAPI
import JSON
import Judging
import Scenarios

/// An exploration under way.
///
/// Schedules are dealt a window ahead of what was learnt, run in any order, and told in the order in which they were
/// dealt: a report does not depend on the number of jobs. What showed something is investigated at once, beside the
/// schedules that follow; it becomes a finding when its turn comes.
struct ExplorationCourse<Runner: Trial> {
    var exploration: Exploration
    private let settings: Explorer.Settings
    private let trial: Runner
    private let stopping: @Sendable () -> Exploration.Ending?
    private var oracle: Oracle
    private var baselines: [Points] = []
    private var patience: [RunPatience] = []
    private var agenda: Agenda
    private var causes: [Cause: Standing] = [:]

    /// The schedules whose results are not reported yet, in the order of dealing.
    ///
    /// The first ``learntCount`` have been learnt from, the first ``begunCount`` have begun.
    private var dealt: [Dealt] = []
    private var learntCount = 0, begunCount = 0
    /// How many schedules were reported, and how many were dealt.
    private var toldCount = 0, dealtCount = 0
    /// How many schedules are run for the first time at the moment.
    private var exploringCount = 0
    /// Why nothing more is dealt, and whether a run was cut off, so that nothing more is run.
    private var ending: Exploration.Ending?
    private var isCut = false
    /// Whether what has not been run by now never will be.
    private var isOver = false

    /// Schedules that are dealt ahead: enough for all jobs while one run lasts, few enough to learn in time.
    private static var window: Int { 64 }

    private struct Dealt {
        let schedule: Schedule
        var run: ExaminedRun?
        /// How many of its symptoms are told.
        var toldCount = 0
        var investigations: [Investigation] = []

        func investigation(of id: String) -> Int? { investigations.firstIndex { $0.id == id } }
    }

    /// A run to make: of a schedule that was dealt, or of one that is asked for because of it.
    private struct Work: Sendable {
        let number: Int
        let schedule: Schedule
        var id: String?
        var ask: Investigation.Ask?
    }

    /// What became of a cause: the index of its finding, no room for one, or how often it did not show again.
    private enum Standing { case found(Int), omitted, doubted(Int) }

    /// How often the story is run without faults.
    private var tries: Int { trial.isRepeatable ? 1 : settings.confirmation.tries }
    private var needed: Int { trial.isRepeatable ? 1 : settings.confirmation.needed }

    init(
        _ settings: Explorer.Settings, _ trial: Runner, _ stopping: @escaping @Sendable () -> Exploration.Ending?
    ) {
        (self.settings, self.trial, self.stopping) = (settings, trial, stopping)
        exploration = Exploration(settings)
        oracle = Oracle(settings.stories, mayFail: settings.mayFail)
        agenda = Agenda(stories: [], seed: settings.seed)
    }

    /// Runs each story without faults: what is wrong then is found, and wrong no more.
    mutating func begin() async throws {
        for (story, told) in settings.stories.enumerated() {
            let schedule = Schedule(story: story)
            let outcomes = try await outcomes(of: told.scenario, story: story)
            var runs: [ExaminedRun] = []
            for outcome in outcomes {
                oracle.learn(outcome, story: story)
                exploration.unsupported[story].formUnion(outcome.unsupported)
                exploration.hasConnected = exploration.hasConnected || outcome.hasConnected
                runs.append(ExaminedRun(outcome, of: schedule, on: told, oracle))
            }
            baselines.append(runs[0].points)
            patience.append(RunPatience(outcomes.map(\.length), timeLimit: settings.timeLimit))
            var ids: [String] = []
            for run in runs {
                exploration.coverage.formUnion(run.reading.coverage)
                for symptom in run.symptoms where !ids.contains(symptom.id) {
                    ids.append(symptom.id)
                    let count = runs.count { $0.symptom(symptom.id) != nil }
                    if count < needed {
                        note(symptom.id, in: schedule, count, of: tries)
                        continue
                    }
                    oracle.excuse(symptom.id, story: story)
                    if let known = exploration.found.firstIndex(where: { $0.symptom.id == symptom.id }) {
                        exploration.found[known].seenCount += 1
                    } else {
                        add(symptom, in: run, count, of: tries)
                    }
                }
            }
        }
        agenda = Agenda(
            stories: baselines, seed: settings.seed, isThorough: settings.isThorough, families: settings.families,
            patience: trial.isRepeatable ? nil : patience)
        exploration.counts = agenda.counts
    }

    /// The runs of a story without faults.
    private func outcomes(of scenario: Scenario, story: Int) async throws -> [TrialOutcome] {
        let limit = RunLimit(whole: settings.timeLimit ?? ExploreLimits.run)
        guard min(tries, settings.jobs) > 1 else {
            var outcomes: [TrialOutcome] = []
            for _ in 0..<tries { outcomes.append(try await trial.run(scenario, story: story, within: limit)) }
            return outcomes
        }
        return try await withThrowingTaskGroup(of: TrialOutcome.self) { [trial, tries] group in
            for _ in 0..<tries { group.addTask { try await trial.run(scenario, story: story, within: limit) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Deals schedules, runs them, and learns from them, until it is over.
    mutating func go(_ observing: (Exploration) -> Void) async throws {
        try await withThrowingTaskGroup(of: (Work, ExaminedRun?).self) { group in
            var runningCount = 0
            while true {
                fold(observing)
                if settings.jobs == 1, let work = next() {
                    // Without a task for each: in memory, to begin one and to wait for it takes a thirtieth of a run.
                    take(try await examine(work), of: work)
                    continue
                }
                while runningCount < settings.jobs, let work = next() {
                    group.addTask { [examine] in (work, try await examine(work)) }
                    runningCount += 1
                }
                if let (work, run) = try await group.next() {
                    runningCount -= 1
                    take(run, of: work)
                } else if dealt.isEmpty || isOver {
                    break
                } else {
                    giveUpRest()
                }
            }
        }
        exploration.ended = ending ?? (dealtCount == settings.runs ? .runs : .exhausted)
    }
}

// MARK: - Runs

extension ExplorationCourse {
    /// The next run worth making; nil if there is none before another ends.
    private mutating func next() -> Work? {
        look()
        guard !isCut, ending != .interrupted else { return nil }
        let isDealt = ending == nil && begunCount < dealt.count
        // Findings come first, but what is not found yet is looked for meanwhile.
        if !isDealt || exploringCount >= settings.jobs / 2, let work = nextOfInvestigations() { return work }
        guard isDealt else { return nil }
        (begunCount, exploringCount) = (begunCount + 1, exploringCount + 1)
        return Work(number: toldCount + begunCount - 1, schedule: dealt[begunCount - 1].schedule)
    }

    private mutating func nextOfInvestigations() -> Work? {
        for place in dealt.indices {
            for index in dealt[place].investigations.indices {
                if let ask = dealt[place].investigations[index].next(width: settings.jobs) {
                    let id = dealt[place].investigations[index].id
                    return Work(number: toldCount + place, schedule: ask.schedule, id: id, ask: ask)
                }
            }
        }
        return nil
    }

    /// Looks whether to end.
    private mutating func look() {
        guard let now = stopping(), ending != .interrupted, now != ending else { return }
        ending = now
        for place in dealt.indices {
            for index in dealt[place].investigations.indices { dealt[place].investigations[index].hurry() }
        }
    }

    /// Makes a run, unless it is interrupted; a closure, because jobs need nothing of the exploration but values.
    private var examine: @Sendable (Work) async throws -> ExaminedRun? {
        { [stories = settings.stories, trial, oracle, stopping, patience] work in
            let schedule = work.schedule
            do {
                let run = try await ExaminedRun(
                    schedule, on: stories[schedule.story], with: trial,
                    within: patience[schedule.story].limit(of: schedule, isWhole: work.ask?.isWhole ?? false), oracle)
                // How a client is cut off is not its own doing.
                return stopping() == .interrupted ? nil : run
            } catch {
                // What is stopped may fail in any way.
                guard stopping() == .interrupted || stopping() != nil && error is CancellationError else { throw error }
                return nil
            }
        }
    }

    /// Takes in what came of a run, in whatever order.
    private mutating func take(_ run: ExaminedRun?, of work: Work) {
        if run == nil { isCut = true }
        if work.ask == nil { exploringCount -= 1 }
        // What it was for may have been told meanwhile.
        let place = work.number - toldCount
        guard dealt.indices.contains(place) else { return }
        guard let id = work.id, let ask = work.ask else { return dealt[place].run = run }
        if let run, id == ExploreCheck.hang.rawValue, ask.isWhole, run.symptom(id) == nil {
            patience[run.schedule.story].extend(beyond: run.outcome.length)
        }
        guard let index = dealt[place].investigation(of: id) else { return }
        dealt[place].investigations[index].tell(run, of: ask)
    }

    /// Takes what has been run for all there is, because nothing more will be.
    private mutating func giveUpRest() {
        look()
        let first = dealt.firstIndex { $0.run == nil } ?? dealt.count
        // Any number of jobs leaves the same runs in front of the first that was not made.
        if trial.isRepeatable { dealt.removeSubrange(first...) } else { dealt.removeAll { $0.run == nil } }
        begunCount = dealt.count
        // What showed last may be investigated yet.
        isOver = isCut || ending == .interrupted || dealt.count == learntCount
    }
}

// MARK: - Folding

extension ExplorationCourse {
    /// Learns and tells what it can, both in the order of dealing, and deals as much as was learnt from.
    private mutating func fold(_ observing: (Exploration) -> Void) {
        deal()
        while learntCount < dealt.count, let run = dealt[learntCount].run {
            let points = run.points.new(since: baselines[run.schedule.story])
            agenda.learn(
                points, patience: run.points.patience, acted: run.acted, hasLasted: run.outcome.hasLasted,
                of: run.schedule)
            exploration.counts = agenda.counts
            exploration.coverage.formUnion(run.reading.coverage)
            learntCount += 1
            deal()
            observing(exploration)
        }
        while learntCount > 0, tellFirst() {
            let hadSymptoms = dealt[0].toldCount > 0
            dealt.removeFirst()
            (learntCount, begunCount, toldCount) = (learntCount - 1, begunCount - 1, toldCount + 1)
            if hadSymptoms { observing(exploration) }
        }
        if settings.jobs > 1, !isOver { investigateAhead() }
    }

    private mutating func deal() {
        while ending == nil, !isCut, dealt.count - learntCount < Self.window, dealtCount < settings.runs ?? .max,
            let schedule = agenda.deal()
        {
            dealt.append(Dealt(schedule: schedule))
            dealtCount += 1
        }
    }

    /// Tells what the first schedule showed; false if an investigation is under way.
    private mutating func tellFirst() -> Bool {
        guard let run = dealt[0].run else { return true }
        for symptom in run.symptoms.dropFirst(dealt[0].toldCount) {
            guard tell(symptom, in: run) else { return false }
            dealt[0].toldCount += 1
        }
        return true
    }

    private mutating func tell(_ symptom: Symptom, in run: ExaminedRun) -> Bool {
        let cause = Cause(symptom, in: run)
        if case .found(let known) = causes[cause] {
            exploration.found[known].seenCount += 1
            return true
        }
        if let known = explanation(of: symptom.id, in: run.schedule) {
            if case .omitted = causes[cause] { return true }
            causes[cause] = .found(known)
            exploration.found[known].seenCount += 1
            return true
        }
        guard isOpen(cause) else { return true }
        guard exploration.found.count < ExploreLimits.findings else {
            exploration.omittedCount += 1
            causes[cause] = .omitted
            return true
        }
        switch investigate(symptom.id, at: 0, in: run) {
        case nil: return false
        case .found(let shown, let count, let made)?:
            if let known = explanation(of: symptom.id, in: shown.schedule) {
                causes[cause] = .found(known)
                exploration.found[known].seenCount += 1
            } else if let symptom = shown.symptom(symptom.id) {
                causes[cause] = .found(add(symptom, in: shown, count, of: made))
            }
        case .doubted(let count, let made)?:
            note(symptom.id, in: run.schedule, count, of: made)
            let doubts = if case .doubted(let times) = causes[cause] { times } else { 0 }
            causes[cause] = .doubted(doubts + 1)
        }
        return true
    }

    /// Whether a cause is still to be looked into; of one that was doubted, another schedule may show more.
    private func isOpen(_ cause: Cause) -> Bool {
        switch causes[cause] {
        case nil: true
        case .doubted(let times): times < (ending == .interrupted ? 1 : tries)
        case .found, .omitted: false
        }
    }

    /// What an investigation has concluded; nil while it is under way.
    ///
    /// It begins if there is none.
    private mutating func investigate(_ id: String, at place: Int, in run: ExaminedRun) -> Investigation.Conclusion? {
        let index = dealt[place].investigation(of: id) ?? dealt[place].investigations.count
        if index == dealt[place].investigations.count {
            dealt[place].investigations.append(
                Investigation(
                    id, in: run, points: baselines[run.schedule.story].all, settings.confirmation,
                    isRepeatable: trial.isRepeatable))
            if ending != nil { dealt[place].investigations[index].hurry() }
        }
        if isOver || isCut || ending == .interrupted { dealt[place].investigations[index].halt() }
        return dealt[place].investigations[index].conclusion
    }

    /// Begins to look into what later schedules showed, as far as what comes before them does not make that vain.
    private mutating func investigateAhead() {
        var taken: Set<Cause> = []
        for place in dealt.indices {
            guard let run = dealt[place].run else { continue }
            for symptom in run.symptoms.dropFirst(dealt[place].toldCount) {
                let cause = Cause(symptom, in: run)
                guard taken.insert(cause).inserted, dealt[place].investigation(of: symptom.id) == nil, isOpen(cause),
                    taken.count <= max(2, settings.jobs / 2), explanation(of: symptom.id, in: run.schedule) == nil
                else { continue }
                _ = investigate(symptom.id, at: place, in: run)
            }
        }
    }
}

// MARK: - Findings

/// What makes two sightings one finding: their symptom, where the client stood, and what went wrong last.
private struct Cause: Hashable {
    let id: ExactString
    let situation: Situation
    let family: FaultKind.Family?

    init(_ symptom: Symptom, in run: ExaminedRun) {
        id = ExactString(symptom.id)
        var situation = symptom.situation
        situation.trouble = .none
        self.situation = situation
        family = run.acted.max().map { run.schedule.faults[$0].kind.family }
    }
}

extension ExplorationCourse {
    /// What was found already that explains a symptom: its faults are among those of the schedule, or its story shows it
    /// without any.
    private func explanation(of id: String, in schedule: Schedule) -> Int? {
        exploration.found.firstIndex { found in
            let faults = found.schedule.faults
            guard found.symptom.id == id, !faults.isEmpty || found.schedule.story == schedule.story else {
                return false
            }
            return faults.allSatisfy { fault in
                schedule.faults.contains { $0.kind == fault.kind && $0.place.route == fault.place.route }
            }
        }
    }

    @discardableResult
    private mutating func add(_ symptom: Symptom, in run: ExaminedRun, _ count: Int, of tries: Int) -> Int {
        exploration.found.append(
            Discovery(
                symptom, in: run, of: settings.stories[run.schedule.story], confirmed: (count, tries),
                besides: exploration.found.map(\.name)))
        return exploration.found.count - 1
    }

    /// Notes what showed too seldom, or could not be tried again; there is no finding.
    private mutating func note(_ id: String, in schedule: Schedule, _ count: Int, of tries: Int) {
        exploration.flaky.append(Exploration.Flaky(schedule: schedule, id: id, failed: count, of: tries))
    }
}
