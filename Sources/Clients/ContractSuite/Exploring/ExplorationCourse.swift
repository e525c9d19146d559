import FitIQAPI
import JSON
import Judging
import Traffic

/// An exploration under way.
struct ExplorationCourse<Runner: Trial> {
    var exploration: Exploration
    private let settings: Explorer.Settings
    private let trial: Runner
    private let memory: (any TrialMemory)?
    private let stopping: @Sendable () -> Exploration.Ending?
    private var oracle: Oracle
    private var baselines: [Points] = []
    private var agenda: Agenda
    private var causes: [Cause: Standing] = [:]
    /// How often each schedule was run, so that repeated runs are remembered apart.
    private var attempts: [ExactString: Int] = [:]

    /// What makes two sightings one finding: their symptom, where the client stood, and what went wrong last.
    private struct Cause: Hashable {
        let id: ExactString
        let situation: Situation
        let family: FaultKind.Family?

        init(_ sighting: Lesson.Sighting, _ lesson: Lesson, _ schedule: Schedule) {
            id = ExactString(sighting.id)
            var situation = sighting.situation
            situation.trouble = .none
            self.situation = situation
            family = lesson.acted.filter(schedule.faults.indices.contains).max().map { schedule.faults[$0].kind.family }
        }
    }

    /// What became of a cause: the index of its finding, no room for one, or how often it did not show again.
    private enum Standing { case found(Int), omitted, doubted(Int) }

    /// Schedules that are dealt together; fewer where a run takes long, so that findings come early.
    private var batch: Int { trial.isRepeatable ? 64 : 16 }
    /// How often a symptom is looked for, and how often of these it has to show.
    private var tries: Int { trial.isRepeatable ? 1 : settings.confirmation.tries }
    private var needed: Int { trial.isRepeatable ? 1 : settings.confirmation.needed }

    init(
        _ settings: Explorer.Settings, _ trial: Runner, _ memory: (any TrialMemory)?,
        _ stopping: @escaping @Sendable () -> Exploration.Ending?
    ) {
        (self.settings, self.trial, self.memory, self.stopping) = (settings, trial, memory, stopping)
        exploration = Exploration(settings)
        oracle = Oracle(settings.stories, mayFail: settings.mayFail)
        agenda = Agenda(stories: [], seed: settings.seed)
    }

    /// Runs each story without faults: what is wrong then is found, and wrong no more.
    mutating func begin() async throws {
        for (story, told) in settings.stories.enumerated() {
            let schedule = Schedule(story: story)
            var runs: [ExaminedRun] = []
            for _ in 0..<tries {
                let outcome = try await trial.run(told.scenario, story: story)
                oracle.learn(outcome, story: story)
                exploration.unsupported[story].formUnion(outcome.unsupported)
                exploration.hasConnected = exploration.hasConnected || outcome.hasConnected
                runs.append(ExaminedRun(outcome, of: schedule, on: told, oracle))
            }
            baselines.append(runs[0].points)
            var ids: [String] = []
            for run in runs {
                exploration.coverage.formUnion(run.reading.coverage)
                for symptom in run.symptoms where !ids.contains(symptom.id) {
                    ids.append(symptom.id)
                    let count = runs.count { $0.symptom(symptom.id) != nil }
                    if count < needed {
                        note(symptom.id, in: schedule, failed: count, of: tries)
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
            strategy: settings.strategy, isPrompt: trial.isRepeatable,
            lateness: trial.isRepeatable ? Schedule.lateness : .seconds(45))
        exploration.counts = agenda.counts
    }

    /// Deals schedules, runs them, and learns from them, until it is over.
    mutating func go(_ observing: (Exploration) -> Void) async throws {
        while true {
            if let ending = stopping() { return exploration.ended = ending }
            let left = settings.runs.map { $0 - exploration.counts.schedules } ?? batch
            guard left > 0 else { return exploration.ended = .runs }
            let schedules = agenda.deal(min(left, batch))
            guard !schedules.isEmpty else { return exploration.ended = .exhausted }
            for (schedule, lesson) in zip(schedules, try await run(schedules)) {
                if let lesson {
                    try await fold(lesson, of: schedule)
                    observing(exploration)
                } else if trial.isRepeatable {
                    // Any number of jobs leaves the same runs in front of the first that was not made.
                    break
                }
            }
        }
    }

    /// Takes in what a run taught.
    private mutating func fold(_ lesson: Lesson, of schedule: Schedule) async throws {
        exploration.coverage.formUnion(lesson.coverage)
        agenda.learn(lesson.points, patience: lesson.patience, acted: lesson.acted, of: schedule)
        exploration.counts = agenda.counts
        for sighting in lesson.sightings {
            let cause = Cause(sighting, lesson, schedule)
            let standing = causes[cause]
            if case .found(let known) = standing {
                exploration.found[known].seenCount += 1
            } else if case .omitted = standing {
                continue
            } else if let known = explanation(of: sighting.id, in: schedule) {
                causes[cause] = .found(known)
                exploration.found[known].seenCount += 1
            } else if exploration.found.count == ExploreLimits.findings {
                exploration.omittedCount += 1
                causes[cause] = .omitted
            } else {
                // Another schedule may show it more often.
                let doubts = if case .doubted(let times) = standing { times } else { 0 }
                guard doubts < (stopping() == .interrupted ? 1 : tries) else { continue }
                let found = try await investigate(sighting.id, in: schedule)
                causes[cause] = found.map { .found($0) } ?? .doubted(doubts + 1)
            }
        }
    }

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
}

// MARK: - Runs

extension ExplorationCourse {
    /// Runs a schedule, unless it is interrupted; a closure, because jobs need nothing of the exploration but values.
    private var examine: @Sendable (Schedule) async throws -> ExaminedRun? {
        { [stories = settings.stories, trial, oracle, stopping] schedule in
            do {
                let run = try await ExaminedRun(schedule, on: stories[schedule.story], with: trial, oracle)
                // How a client is cut off is not its own doing.
                return stopping() == .interrupted ? nil : run
            } catch {
                // What is stopped may fail in any way.
                guard stopping() == .interrupted else { throw error }
                return nil
            }
        }
    }

    /// Runs a batch with the allowed number of jobs; nil stands for a run that was not made any more.
    private mutating func run(_ schedules: [Schedule]) async throws -> [Lesson?] {
        let keys = schedules.map { nextKey(of: $0) }
        var lessons = keys.map { memory?.lesson(of: $0) }
        let missing = lessons.indices.filter { lessons[$0] == nil }
        let (stopping, examine, baselines) = (stopping, examine, baselines)
        let lesson: @Sendable (Int) async throws -> Lesson? = { place in
            guard stopping() == nil else { return nil }
            return try await examine(schedules[place])?.lesson(beside: baselines[schedules[place].story])
        }
        guard settings.jobs > 1 else {
            // Without a task for each: in memory, to begin one and to wait for it takes a thirtieth of a run.
            for place in missing {
                lessons[place] = try await lesson(place)
                if let lesson = lessons[place] { try memory?.keep(lesson, of: keys[place]) }
            }
            return lessons
        }
        try await withThrowingTaskGroup(of: (Int, Lesson?).self) { group in
            var next = 0
            func begin() {
                guard next < missing.count else { return }
                let place = missing[next]
                next += 1
                group.addTask { (place, try await lesson(place)) }
            }
            for _ in 0..<settings.jobs { begin() }
            while let (place, lesson) = try await group.next() {
                lessons[place] = lesson
                if let lesson { try memory?.keep(lesson, of: keys[place]) }
                begin()
            }
        }
        return lessons
    }

    /// A key for the next run with a schedule, by which a memory knows it.
    private mutating func nextKey(of schedule: Schedule) -> String {
        guard memory != nil else { return "" }
        let key = schedule.key
        let attempt = attempts[ExactString(key), default: 0] + 1
        attempts[ExactString(key)] = attempt
        return attempt == 1 ? key : "\(key) #\(attempt)"
    }
}

// MARK: - Findings

extension ExplorationCourse {
    /// How often a schedule showed a symptom, and a run that did; none if a memory knows of all.
    private struct Showing {
        let schedule: Schedule
        var failed = 0, made = 0
        var evidence: ExaminedRun?
    }

    /// Confirms a symptom and reduces its schedule: when the time is over only confirms it, when interrupted neither.
    ///
    /// - Returns: The index of the finding; nil if the symptom shows too seldom.
    private mutating func investigate(_ id: String, in schedule: Schedule) async throws -> Int? {
        var last = Showing(schedule: schedule)
        if !trial.isRepeatable, stopping() == nil {
            last = try await showing(of: id, in: schedule)
            guard last.failed >= needed else { return note(id, in: schedule, failed: last.failed, of: last.made) }
        }
        var confirmed = [last]
        var shrink = Shrink(
            schedule, points: baselines[schedule.story].all,
            limit: trial.isRepeatable ? ExploreLimits.candidates : ExploreLimits.candidatesOnRealClock)
        while stopping() == nil, let candidate = shrink.next() {
            let showing = try await showing(of: id, in: candidate)
            shrink.tell(showing.failed >= needed)
            if showing.failed >= needed { confirmed.append(showing) }
        }
        if let known = explanation(of: id, in: shrink.smallest) {
            exploration.found[known].seenCount += 1
            return known
        }
        // Of many candidates one may have shown it by chance: then the one before counts.
        while let smallest = confirmed.popLast() {
            last = try await showing(of: id, in: smallest.schedule, isFull: true)
            if stopping() == .interrupted { last = smallest }
            guard last.failed >= needed, let run = last.evidence, let symptom = run.symptom(id) else { continue }
            return add(symptom, in: run, last.failed, of: last.made)
        }
        return note(id, in: schedule, failed: last.failed, of: last.made)
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
    @discardableResult
    private mutating func note(_ id: String, in schedule: Schedule, failed: Int, of made: Int) -> Int? {
        let isTold = stopping() != .interrupted
        exploration.flaky.append(
            Exploration.Flaky(schedule: schedule, id: id, failed: isTold ? failed : 0, of: isTold ? made : 0))
        return nil
    }

    /// Runs a schedule until it is certain whether it shows a symptom as often as findings have to.
    ///
    /// - Parameter isFull: Whether it is run as often as allowed, and never remembered, so that there is evidence.
    private mutating func showing(of id: String, in schedule: Schedule, isFull: Bool = false) async throws -> Showing {
        var showing = Showing(schedule: schedule)
        while showing.made < tries, stopping() != .interrupted,
            isFull || showing.failed < needed && showing.made - showing.failed <= tries - needed
        {
            let key = isFull ? "" : nextKey(of: schedule)
            var shows = memory?.lesson(of: key)?.sightings.contains { $0.id == id }
            if shows == nil {
                guard let run = try await examine(schedule) else { break }
                if !isFull { try memory?.keep(run.lesson(beside: baselines[schedule.story]), of: key) }
                shows = run.symptom(id) != nil
                if shows == true { showing.evidence = run }
            }
            showing.made += 1
            if shows == true { showing.failed += 1 }
        }
        return showing
    }
}
