import ContractSuite
import Judging
import TestSupport

/// Looks for what is wrong with a client: tries what an agenda deals, in this thread.
struct Hunt {
    /// The first schedule that showed something wrong.
    struct Find: Sendable {
        var schedule: Schedule
        var symptom: Symptom
        /// How many schedules were tried, it included; 0 if no fault is needed.
        var runs: Int
    }

    private let trial: MemoryTrial
    private let notice: String
    private var oracle = Oracle(Story.all)
    private var baselines: [Points] = []
    /// What is wrong without faults.
    private(set) var found: Find?
    private(set) var coverage = Coverage()
    private(set) var runs = 0

    /// Plays every story without faults.
    ///
    /// - Parameters:
    ///   - notice: What to say of the client if a trap ends the program.
    ///   - isSought: Whether a symptom is the one that is looked for.
    init(
        _ notice: String, isSought: (Symptom, Schedule) -> Bool,
        _ make: @escaping @Sendable (Surroundings, ContractSuite.VirtualNetwork) throws -> any ClientUnderTest
    ) async throws {
        trial = MemoryTrial(make)
        self.notice = notice
        for (index, story) in Story.all.enumerated() {
            CrashNotice.prepare("\(notice) crashed in the story \(story.name)\n")
            let outcome = try await trial.run(story.scenario, story: index)
            let points = Points(outcome, story: index)
            let symptoms = oracle.learn(outcome, TrialReading(outcome, judge: points.judge), story: index)
            baselines.append(points)
            coverage.formUnion(points.judge.coverage)
            if found == nil, let symptom = symptoms.first(where: { isSought($0, Schedule(story: index)) }) {
                found = Find(schedule: Schedule(story: index), symptom: symptom, runs: 0)
            }
        }
    }

    /// Tries schedules until one shows what is looked for, or there are no more.
    mutating func search(
        seed: UInt64, limit: Int, strategy: Agenda.Strategy = .systematic,
        until isSought: (Symptom, Schedule) -> Bool
    ) async throws {
        guard found == nil else { return }
        var agenda = Agenda(stories: baselines, seed: seed, strategy: strategy)
        runs = 0
        while runs < limit {
            let dealt = agenda.deal(min(64, limit - runs))
            guard !dealt.isEmpty else { return }
            for schedule in dealt {
                runs += 1
                let (symptoms, points, acted) = try await symptoms(of: schedule)
                if let symptom = symptoms.first(where: { isSought($0, schedule) }) {
                    found = Find(schedule: schedule, symptom: symptom, runs: runs)
                    return
                }
                let fresh = points.new(since: baselines[schedule.story])
                agenda.learn(fresh, patience: points.patience, acted: acted, of: schedule)
            }
        }
    }

    /// What a schedule shows, beside what the client does without faults.
    func symptoms(of schedule: Schedule) async throws -> ([Symptom], Points, Set<Int>) {
        let story = Story.all[schedule.story]
        CrashNotice.prepare("\(notice) crashed in the story \(story.name) with \(schedule)\n")
        let outcome = try await trial.run(schedule.scenario(on: story.scenario), story: schedule.story)
        let points = Points(outcome, story: schedule.story)
        let symptoms = oracle.symptoms(
            of: outcome, TrialReading(outcome, judge: points.judge), story: schedule.story)
        return (symptoms, points, schedule.acted(in: outcome, on: story.scenario, points))
    }
}
