import Judging

/// A run of a schedule with the explorer's findings.
public struct ExaminedRun: Sendable {
    public let schedule: Schedule
    public let outcome: TrialOutcome
    public let reading: TrialReading
    public let points: Points
    /// The indices of the faults that took effect.
    public let acted: Set<Int>
    /// The client's symptoms.
    ///
    /// Each ID occurs once.
    public let symptoms: [Symptom]

    public init(
        _ schedule: Schedule, on story: Story, with trial: some Trial, within limit: RunLimit = .usual, _ oracle: Oracle
    ) async throws {
        let outcome = try await trial.run(schedule.scenario(on: story.scenario), story: schedule.story, within: limit)
        self.init(outcome, of: schedule, on: story, oracle)
    }

    /// - Parameter isHarmed: Whether the run's faults excuse what the client shows its user, or nil if the schedule
    ///   contains all faults and therefore decides.
    public init(
        _ outcome: TrialOutcome, of schedule: Schedule, on story: Story, _ oracle: Oracle, isHarmed: Bool? = nil
    ) {
        (self.outcome, self.schedule) = (outcome, schedule)
        reading = TrialReading(outcome)
        points = Points(outcome, reading)
        acted = schedule.acted(in: outcome, on: story.scenario, points)
        symptoms = oracle.symptoms(
            of: outcome, reading, story: schedule.story, isHarmed: isHarmed ?? schedule.isHarmful(in: outcome.mode),
            isNewer: !(isHarmed ?? (schedule.faults.isEmpty || schedule.isHarmful(in: outcome.mode))))
    }

    public func symptom(_ id: String) -> Symptom? { symptoms.first { $0.id == id } }
}
