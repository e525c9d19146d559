import FitIQAPI
import JSON
import Judging
import Traffic

/// An exploration under way.
struct ExplorationCourse<Runner: Trial> {
    private(set) var exploration: Exploration
    private let settings: Explorer.Settings
    private let trial: Runner
    private let memory: (any TrialMemory)?
    private let stopping: @Sendable () -> Exploration.Ending?
    private var oracle: Oracle
    private var baselines: [Points] = []
    private var agenda: Agenda
    /// The index of what was found for each cause; nil if there was no room, or it is flaky.
    private var causes: [Cause: Int?] = [:]
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

    /// Schedules that are dealt together; fewer where a run takes long, so that findings come early.
    private var batch: Int { trial.isRepeatable ? 64 : 16 }

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
        let tries = trial.isRepeatable ? 1 : settings.confirmation.tries
        for story in settings.stories.indices {
            var shown: [(symptom: Symptom, outcome: TrialOutcome, count: Int)] = []
            for attempt in 0..<tries {
                let outcome = try await trial.run(settings.stories[story].scenario, story: story)
                let reading = TrialReading(outcome)
                exploration.coverage.formUnion(reading.coverage)
                exploration.hasConnected = exploration.hasConnected || outcome.entries.contains { $0.event.isOfClient }
                if attempt == 0 { baselines.append(Points(outcome, reading)) }
                // Each run is asked as if it were the first.
                for symptom in Oracle(settings.stories, mayFail: settings.mayFail)
                    .symptoms(of: outcome, reading, story: story, isHarmed: false)
                {
                    if let index = shown.firstIndex(where: { $0.symptom.id == symptom.id }) {
                        shown[index].count += 1
                    } else {
                        shown.append((symptom, outcome, 1))
                    }
                }
                _ = oracle.learn(outcome, reading, story: story)
            }
            for (symptom, outcome, count) in shown {
                if let index = exploration.found.firstIndex(where: { $0.symptom.id == symptom.id }) {
                    exploration.found[index].seenCount += 1
                } else {
                    exploration.found.append(
                        Exploration.Found(
                            symptom: symptom, schedule: Schedule(story: story), failed: count, of: tries,
                            outcome: outcome))
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
        var folded = Agenda.Counts()
        while true {
            let left = settings.runs.map { $0 - folded.schedules } ?? batch
            if isStopped { return }
            guard left > 0 else { return exploration.ended = .runs }
            let schedules = agenda.deal(min(left, batch))
            guard !schedules.isEmpty else { return exploration.ended = .exhausted }
            for (schedule, lesson) in zip(schedules, try await run(schedules)) {
                // Nothing behind a run that was not made counts.
                guard let lesson, !isStopped else { break }
                do {
                    try await fold(lesson, of: schedule)
                } catch {
                    // What is stopped may fail in any way; what was found before stays.
                    guard stopping() == .interrupted else { throw error }
                    return exploration.ended = .interrupted
                }
                switch schedule.faults.count {
                case 0...1: folded.singles += 1
                case 2: folded.pairs += 1
                default: folded.triples += 1
                }
                exploration.counts = agenda.counts
                exploration.counts.singles = folded.singles
                exploration.counts.pairs = folded.pairs
                exploration.counts.triples = folded.triples
                observing(exploration)
            }
        }
    }

    /// Whether no more runs may begin; says why.
    private var isStopped: Bool {
        mutating get {
            guard let ending = stopping() else { return false }
            exploration.ended = ending
            return true
        }
    }

    /// Takes in what a run taught.
    private mutating func fold(_ lesson: Lesson, of schedule: Schedule) async throws {
        exploration.coverage.formUnion(lesson.coverage)
        agenda.learn(lesson.points, patience: lesson.patience, acted: lesson.acted, of: schedule)
        for sighting in lesson.sightings {
            let cause = Cause(sighting, lesson, schedule)
            if let known = causes[cause] {
                if let known { exploration.found[known].seenCount += 1 }
            } else if let known = explanation(of: sighting.id, in: schedule) {
                causes[cause] = known
                exploration.found[known].seenCount += 1
            } else {
                causes[cause] = try await investigate(sighting.id, in: schedule)
            }
        }
    }

    /// What was found already that explains a symptom: its faults are among those of the schedule.
    private func explanation(of id: String, in schedule: Schedule) -> Int? {
        exploration.found.firstIndex { found in
            found.symptom.id == id
                && found.schedule.faults.allSatisfy { fault in
                    schedule.faults.contains { $0.kind == fault.kind && $0.place.route == fault.place.route }
                }
        }
    }
}

// MARK: - Runs

extension ExplorationCourse {
    /// A run's question, which needs nothing of the exploration but values.
    private struct Job: Sendable {
        let schedule: Schedule
        let story: Story
        let baseline: Points
        let oracle: Oracle
        let trial: Runner

        func run() async throws -> (Lesson, [Symptom], TrialOutcome) {
            let outcome = try await trial.run(schedule.scenario(on: story.scenario), story: schedule.story)
            let reading = TrialReading(outcome)
            let points = Points(outcome, reading)
            let symptoms = oracle.symptoms(
                of: outcome, reading, story: schedule.story, isHarmed: !schedule.faults.isEmpty)
            var lesson = Lesson()
            lesson.sightings = symptoms.map { Lesson.Sighting(id: $0.id, situation: $0.situation) }
            lesson.acted = schedule.acted(in: outcome, on: story.scenario, points)
            lesson.points = Array(points.new(since: baseline).prefix(ExploreLimits.newPoints))
            lesson.patience = points.patience
            lesson.coverage = reading.coverage
            return (lesson, symptoms, outcome)
        }
    }

    private func job(_ schedule: Schedule) -> Job {
        Job(
            schedule: schedule, story: settings.stories[schedule.story], baseline: baselines[schedule.story],
            oracle: oracle, trial: trial)
    }

    /// Runs a batch with the allowed number of jobs; nil stands for a run that was not made any more.
    private mutating func run(_ schedules: [Schedule]) async throws -> [Lesson?] {
        let keys = schedules.map { nextKey(of: $0) }
        var lessons = keys.map { memory?.lesson(of: $0) }
        let missing = lessons.indices.filter { lessons[$0] == nil }
        let jobs = missing.map { job(schedules[$0]) }
        let stopping = stopping
        var made: [Lesson?] = Array(repeating: nil, count: jobs.count)
        try await withThrowingTaskGroup(of: (Int, Lesson?).self) { group in
            var next = 0
            func begin() {
                guard next < jobs.count else { return }
                let (place, job) = (next, jobs[next])
                next += 1
                group.addTask {
                    guard stopping() == nil else { return (place, nil) }
                    do {
                        return (place, try await job.run().0)
                    } catch {
                        // What is stopped may fail in any way.
                        guard stopping() == .interrupted else { throw error }
                        return (place, nil)
                    }
                }
            }
            for _ in 0..<settings.jobs { begin() }
            while let (place, lesson) = try await group.next() {
                made[place] = lesson
                begin()
            }
        }
        for (place, lesson) in zip(missing, made) {
            lessons[place] = lesson
            guard let lesson else { break }
            try memory?.keep(lesson, of: keys[place])
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
    /// Confirms a symptom and reduces its schedule.
    ///
    /// - Returns: The index of the finding; nil if the symptom shows too seldom.
    private mutating func investigate(_ id: String, in schedule: Schedule) async throws -> Int? {
        guard exploration.found.count < ExploreLimits.findings else {
            exploration.omittedCount += 1
            return nil
        }
        var last = Showing()
        if !trial.isRepeatable {
            last = try await showing(of: id, in: schedule)
            guard last.failed >= needed else { return note(last, of: id, in: schedule) }
        }
        var shrink = Shrink(
            schedule, points: baselines[schedule.story].all,
            limit: trial.isRepeatable ? ExploreLimits.candidates : ExploreLimits.candidatesOnRealClock)
        while stopping() == nil, let candidate = shrink.next() {
            let showing = try await showing(of: id, in: candidate)
            shrink.tell(showing.failed >= needed)
            if showing.failed >= needed { last = showing }
        }
        let smallest = shrink.smallest
        if let known = explanation(of: id, in: smallest) {
            exploration.found[known].seenCount += 1
            return known
        }
        if stopping() != .interrupted { last = try await showing(of: id, in: smallest, isFull: true) }
        guard last.failed >= needed, let (symptom, outcome) = last.evidence else {
            return note(last, of: id, in: smallest)
        }
        exploration.found.append(
            Exploration.Found(
                symptom: symptom, schedule: smallest, failed: last.failed, of: last.made, outcome: outcome))
        return exploration.found.count - 1
    }

    /// Notes what showed too seldom.
    private mutating func note(_ showing: Showing, of id: String, in schedule: Schedule) -> Int? {
        if showing.made > 0 {
            exploration.flaky.append(
                Exploration.Flaky(schedule: schedule, id: id, failed: showing.failed, of: showing.made))
        }
        return nil
    }

    /// How often a schedule showed a symptom, and a run that did; none if a memory knows of all.
    private struct Showing {
        var failed = 0, made = 0
        var evidence: (Symptom, TrialOutcome)?
    }

    private var needed: Int { trial.isRepeatable ? 1 : settings.confirmation.needed }

    /// Runs a schedule until it is certain whether it shows a symptom as often as findings have to.
    ///
    /// - Parameter isFull: Whether it is run as often as allowed, and never remembered, so that there is evidence.
    private mutating func showing(of id: String, in schedule: Schedule, isFull: Bool = false) async throws -> Showing {
        let tries = trial.isRepeatable ? 1 : settings.confirmation.tries
        var showing = Showing()
        while showing.made < tries, isFull || showing.failed < needed && showing.made - showing.failed <= tries - needed
        {
            let key = isFull ? "" : nextKey(of: schedule)
            var shows = memory?.lesson(of: key)?.sightings.contains { $0.id == id }
            if shows == nil {
                do {
                    let (lesson, symptoms, outcome) = try await job(schedule).run()
                    if !isFull { try memory?.keep(lesson, of: key) }
                    let symptom = symptoms.first { $0.id == id }
                    shows = symptom != nil
                    if let symptom { showing.evidence = (symptom, outcome) }
                } catch {
                    // What is stopped may fail in any way.
                    guard stopping() == .interrupted else { throw error }
                    break
                }
            }
            showing.made += 1
            if shows ?? false { showing.failed += 1 }
        }
        return showing
    }
}

extension JournalEvent {
    fileprivate var isOfClient: Bool {
        switch self {
        case .exchange, .opened: true
        case .frame, .closed, .fault, .clock, .note, .held, .released: false
        }
    }
}
