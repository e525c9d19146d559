import ContractSuite

extension LimitsPage {
    static let exploring: [String: [Limit]] = [
        "schedules per exploration; duration of an exploration": [
            .count("ExploreLimits.runs", ExploreLimits.runs.upperBound),
            .time("ExploreLimits.budget", ExploreLimits.budget.upperBound),
        ],
        "world time for the client to recover; how long the client must stay silent after its user leaves": [
            .time("Story.patience", Story.patience), .time("Story.restTime", Story.restTime),
        ],
        "concurrent runs; attempts to confirm a finding": [
            .count("ExploreLimits.jobs", ExploreLimits.jobs.upperBound),
            .count("ExploreLimits.tries", ExploreLimits.tries),
        ],
        "default length of a run, not counting delays from faults": [.time("ExploreLimits.run", ExploreLimits.run)],
        "faults per schedule": [.count("ExploreLimits.faults", ExploreLimits.faults)],
        "faults, answers, meals and overlay changes in an explored scenario": [
            .count("ExploreLimits.rulesOfScenario", ExploreLimits.rulesOfScenario)
        ],
        "entries read per run; points learned from these entries": [
            .count("ExploreLimits.entries", ExploreLimits.entries),
            .count("ExploreLimits.points", ExploreLimits.points),
        ],
        "new points in a run at which `explore` tries another fault": [
            .count("ExploreLimits.newPoints", ExploreLimits.newPoints)
        ],
        "points waiting for a second fault": [.count("ExploreLimits.leads", ExploreLimits.leads)],
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
