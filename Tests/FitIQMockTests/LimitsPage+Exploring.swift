import ContractSuite

extension LimitsPage {
    static let exploring: [String: [Limit]] = [
        "schedules of an exploration; its time": [
            .count("ExploreLimits.runs", ExploreLimits.runs.upperBound),
            .time("ExploreLimits.budget", ExploreLimits.budget.upperBound),
        ],
        "world time until the client has to be well again; time after its user has left in which it may do nothing": [
            .time("Story.patience", Story.patience), .time("Story.restTime", Story.restTime),
        ],
        "runs at once; tries to confirm a finding": [
            .count("ExploreLimits.jobs", ExploreLimits.jobs.upperBound),
            .count("ExploreLimits.tries", ExploreLimits.tries),
        ],
        "a run, unless `--time-limit` says otherwise, beside what its faults hold up": [
            .time("ExploreLimits.run", ExploreLimits.run)
        ],
        "faults of a schedule": [.count("ExploreLimits.faults", ExploreLimits.faults)],
        "faults, answers and meals that the scenario of an exploration has": [
            .count("ExploreLimits.rulesOfScenario", ExploreLimits.rulesOfScenario)
        ],
        "entries of a run that are read; points that are learnt from them": [
            .count("ExploreLimits.entries", ExploreLimits.entries),
            .count("ExploreLimits.points", ExploreLimits.points),
        ],
        "new points of a run at which another fault is tried": [
            .count("ExploreLimits.newPoints", ExploreLimits.newPoints)
        ],
        "points that wait for a second fault": [.count("ExploreLimits.leads", ExploreLimits.leads)],
        "findings": [.count("ExploreLimits.findings", ExploreLimits.findings)],
        "smaller schedules that are tried for a finding, in memory and on a real clock": [
            .count("ExploreLimits.candidates", ExploreLimits.candidates),
            .count("ExploreLimits.candidatesOnRealClock", ExploreLimits.candidatesOnRealClock),
        ],
        "faults and answers that `scenario from` translates; an error's body": [
            .count("ExploreLimits.recordedFaults", ExploreLimits.recordedFaults),
            .bytes("ExploreLimits.recordedBody", ExploreLimits.recordedBody),
        ],
    ]
}
