import FitIQAPI
import JSON
import Judging
import Scenarios

/// An exploration in progress.
///
/// The course deals schedules in advance, runs them in any order, and reports them in dealing order. A report therefore
/// does not depend on the number of jobs. A symptom is investigated immediately, while later schedules run. The symptom
/// becomes a finding once earlier schedules have been reported.
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

    /// The schedules whose results have not been reported yet, in dealing order.
    ///
    /// The first ``learntCount`` schedules have been evaluated, and the first ``begunCount`` have started.
    private var dealt: [Dealt] = []
    private var learntCount = 0, begunCount = 0
    /// The number of reported schedules, and of dealt schedules.
    private var toldCount = 0, dealtCount = 0
    /// The number of schedules that are currently in their first run.
    private var exploringCount = 0
    /// Why dealing has ended; nil while schedules are still being dealt.
    private var ending: Exploration.Ending?
    private var isCut = false
    /// Whether no more schedules will run.
    private var isOver = false

    /// The number of schedules to deal in advance: enough to keep all jobs busy during a run, but few enough to use
    /// results soon.
    private static var window: Int { 64 }

    private struct Dealt {
        let schedule: Schedule
        var run: ExaminedRun?
        /// How many of the schedule's symptoms have been reported.
        var toldCount = 0
        var investigations: [Investigation] = []

        func investigation(of id: String) -> Int? { investigations.firstIndex { $0.id == id } }
    }

    /// A run to perform, either of a schedule that was dealt or for an investigation.
    private struct Work: Sendable {
        let number: Int
        let schedule: Schedule
        var id: String?
        var ask: Investigation.Ask?
    }

    /// The state of a cause: found, with its finding's index; omitted because of the limit; or doubted, with a count of
    /// misses.
    private enum Standing { case found(Int), omitted, doubted(Int) }

    /// The number of runs of each story without faults.
    private var tries: Int { trial.isRepeatable ? 1 : settings.confirmation.tries }
    private var needed: Int { trial.isRepeatable ? 1 : settings.confirmation.needed }

    init(_ settings: Explorer.Settings, _ trial: Runner, _ stopping: @escaping @Sendable () -> Exploration.Ending?) {
        (self.settings, self.trial, self.stopping) = (settings, trial, stopping)
        exploration = Exploration(settings)
        oracle = Oracle(settings.stories, mayFail: settings.mayFail)
        agenda = Agenda(stories: [], seed: settings.seed)
    }

    /// Runs each story without faults; symptoms in these runs become findings and are ignored later.
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
        exploration.hasBaseline = true
    }

    /// Runs a story without faults.
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

    /// Deals and runs schedules and uses their results until the exploration ends.
    mutating func go(_ observing: (Exploration) -> Void) async throws {
        try await withThrowingTaskGroup(of: (Work, ExaminedRun?).self) { group in
            var runningCount = 0
            while true {
                fold(observing)
                if settings.jobs == 1, let work = next() {
                    // A single job runs without a task, because a task would cost a thirtieth of an in-memory run.
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
    /// The next useful run, or nil if another run must end first.
    private mutating func next() -> Work? {
        look()
        guard !isCut, ending != .interrupted else { return nil }
        let isDealt = ending == nil && begunCount < dealt.count
        // Findings have priority, but the search for other findings continues meanwhile.
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

    /// Checks whether to end.
    private mutating func look() {
        guard let now = stopping(), ending != .interrupted, now != ending else { return }
        ending = now
        for place in dealt.indices {
            for index in dealt[place].investigations.indices { dealt[place].investigations[index].hurry() }
        }
    }

    /// Performs a run, or returns nil if it is interrupted; this is a closure because jobs need only the exploration's
    /// values.
    private var examine: @Sendable (Work) async throws -> ExaminedRun? {
        { [stories = settings.stories, trial, oracle, stopping, patience] work in
            let schedule = work.schedule
            do {
                let run = try await ExaminedRun(
                    schedule, on: stories[schedule.story], with: trial,
                    within: patience[schedule.story].limit(of: schedule, isWhole: work.ask?.isWhole ?? false), oracle)
                // The client is not responsible for the interruption.
                return stopping() == .interrupted ? nil : run
            } catch {
                // A stopped run can fail in any way.
                guard stopping() == .interrupted || stopping() != nil && error is CancellationError else { throw error }
                return nil
            }
        }
    }

    /// Records the result of a run; results may arrive in any order.
    private mutating func take(_ run: ExaminedRun?, of work: Work) {
        if run == nil { isCut = true }
        if work.ask == nil { exploringCount -= 1 }
        // The run may no longer be needed.
        let place = work.number - toldCount
        guard dealt.indices.contains(place) else { return }
        guard let id = work.id, let ask = work.ask else { return dealt[place].run = run }
        if let run, id == ExploreCheck.hang.rawValue, ask.isWhole, run.symptom(id) == nil {
            patience[run.schedule.story].extend(beyond: run.outcome.length)
        }
        guard let index = dealt[place].investigation(of: id) else { return }
        dealt[place].investigations[index].tell(run, of: ask)
    }

    /// Treats the runs so far as complete, because no more runs follow.
    private mutating func giveUpRest() {
        look()
        let first = dealt.firstIndex { $0.run == nil } ?? dealt.count
        // The runs before the first missing run do not depend on the number of jobs.
        if trial.isRepeatable { dealt.removeSubrange(first...) } else { dealt.removeAll { $0.run == nil } }
        begunCount = dealt.count
        // The last symptoms may still be under investigation.
        isOver = isCut || ending == .interrupted || dealt.count == learntCount
    }
}

// MARK: - Folding

extension ExplorationCourse {
    /// Evaluates and reports results in dealing order, and deals the same number of new schedules.
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

    /// Reports the first schedule's symptoms; returns false while an investigation is in progress.
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

    /// Whether to investigate a cause; a doubted cause may appear more often with another schedule.
    private func isOpen(_ cause: Cause) -> Bool {
        switch causes[cause] {
        case nil: true
        case .doubted(let times): times < (ending == .interrupted ? 1 : tries)
        case .found, .omitted: false
        }
    }

    /// The conclusion of an investigation, or nil while the investigation is in progress; starts the investigation if
    /// necessary.
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

    /// Starts to investigate later schedules' symptoms, unless earlier results make this unnecessary.
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

/// The identity of a finding: the symptom, the client's situation and the last fault.
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
    /// The index of an earlier finding that explains a symptom: its faults are part of the schedule, or its story has
    /// the symptom without faults.
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

    /// Records a symptom that is not a finding because it was too rare or could not be retried.
    private mutating func note(_ id: String, in schedule: Schedule, _ count: Int, of tries: Int) {
        exploration.flaky.append(Exploration.Flaky(schedule: schedule, id: id, failed: count, of: tries))
    }
}
