import ContractSuite

extension LimitsPage {
    static let exploring: [String: [Limit]] = [
        "schedules of an exploration; its duration": [
            .count("ExploreLimits.runs", ExploreLimits.runs.upperBound),
            .time("ExploreLimits.budget", ExploreLimits.budget.upperBound),
        ],
        "world time for the client to recover; time for which the client must stay silent after its user has left": [
            .time("Story.patience", Story.patience), .time("Story.restTime", Story.restTime),
        ],
        "concurrent runs; attempts to confirm a finding": [
            .count("ExploreLimits.jobs", ExploreLimits.jobs.upperBound),
            .count("ExploreLimits.tries", ExploreLimits.tries),
        ],
        "length of a run by default, not counting the delays that its faults cause": [
            .time("ExploreLimits.run", ExploreLimits.run)
        ],
        "faults in a schedule": [.count("ExploreLimits.faults", ExploreLimits.faults)],
        "faults, answers and meals in the scenario of an exploration": [
            .count("ExploreLimits.rulesOfScenario", ExploreLimits.rulesOfScenario)
        ],
        "entries read from a run; points learnt from them": [
            .count("ExploreLimits.entries", ExploreLimits.entries),
            .count("ExploreLimits.points", ExploreLimits.points),
        ],
        "new points in a run at which `explore` tries another fault": [
            .count("ExploreLimits.newPoints", ExploreLimits.newPoints)
        ],
        "points that await a second fault": [.count("ExploreLimits.leads", ExploreLimits.leads)],
        "findings": [.count("ExploreLimits.findings", ExploreLimits.findings)],
        "smaller schedules tried for a finding, in memory and on a real clock": [
            .count("ExploreLimits.candidates", ExploreLimits.candidates),
            .count("ExploreLimits.candidatesOnRealClock", ExploreLimits.candidatesOnRealClock),
        ],
        "faults and answers that `scenario from` translates; an error's body": [
            .count("ExploreLimits.recordedFaults", ExploreLimits.recordedFaults),
            .bytes("ExploreLimits.recordedBody", ExploreLimits.recordedBody),
        ],
    ]
}
