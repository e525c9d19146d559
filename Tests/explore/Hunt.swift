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
        trial = MemoryTrial { try make($0, $1) }
        self.notice = notice
        for (index, story) in Story.all.enumerated() {
            CrashNotice.prepare("\(notice) crashed in the story \(story.name)\n")
            let run = try await ExaminedRun(Schedule(story: index), on: story, with: trial, oracle)
            oracle.learn(run.outcome, story: index)
            for symptom in run.symptoms { oracle.excuse(symptom.id, story: index) }
            baselines.append(run.points)
            coverage.formUnion(run.reading.coverage)
            if found == nil, let symptom = run.symptoms.first(where: { isSought($0, Schedule(story: index)) }) {
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
                let run = try await run(schedule)
                if let symptom = run.symptoms.first(where: { isSought($0, schedule) }) {
                    found = Find(schedule: schedule, symptom: symptom, runs: runs)
                    return
                }
                let fresh = run.points.new(since: baselines[schedule.story])
                agenda.learn(fresh, patience: run.points.patience, acted: run.acted, of: schedule)
            }
        }
    }

    /// A run of a schedule, with what it shows beside what the client does without faults.
    func run(_ schedule: Schedule) async throws -> ExaminedRun {
        let story = Story.all[schedule.story]
        CrashNotice.prepare("\(notice) crashed in the story \(story.name) with \(schedule)\n")
        return try await ExaminedRun(schedule, on: story, with: trial, oracle)
    }
}

extension Hunt {
    /// The smallest schedule that shows what was found; nil if nothing was.
    func smallest() async throws -> Schedule? {
        guard let found else { return nil }
        var shrink = Shrink(found.schedule, points: baselines[found.schedule.story].all)
        while let candidate = shrink.next() {
            shrink.tell(try await run(candidate).symptom(found.symptom.id) != nil)
        }
        return shrink.smallest
    }

    /// The smallest schedule as people read it: a sentence, and what happened.
    func account(of find: Find) async throws -> String {
        var other = self
        other.found = find
        guard let smallest = try await other.smallest() else { return "" }
        let run = try await run(smallest)
        guard let symptom = run.symptom(find.symptom.id) else { return "" }
        let story = Story.all[smallest.story]
        let discovery = Discovery(symptom, in: run, of: story, confirmed: (1, 1))
        let lines = [discovery.sentence, "\(story.name): \(smallest)"] + discovery.timeline + [symptom.message]
        return lines.joined(separator: "\n    ")
    }
}
