import FitIQAPI
import JSON
import MockServer
import Scenarios

/// Which scenarios a command is run with: all are read, and found to be good, before the first is.
struct VerifyPlan {
    let scenarios: [Scenario]
    /// What they are called in reports, each different.
    let names: [String]

    init(names: [String], all: Bool, guide: String?, seed: UInt64?) throws(Failure) {
        var mode: GuideMode?
        if let guide {
            guard let known = GuideMode(rawValue: guide) else { throw .configuration(Messages.unknownGuide(guide)) }
            mode = known
        }
        var sources: [ScenarioSource] = all ? Scenario.builtInSummaries.map { .builtIn($0.name) } : []
        for name in names {
            let source = try ScenarioSource(name)
            if !sources.contains(source) { sources.append(source) }
        }
        if sources.isEmpty { sources = [.builtIn(Scenario.defaultName)] }
        var scenarios: [Scenario] = []
        for source in sources {
            let plan = ScenarioPlan(source: source, seed: seed, guide: mode)
            let scenario = try plan.load()
            var configuration = Engine.Configuration()
            configuration.adopt(scenario)
            if let failure = try plan.troubleWithData(of: configuration) { throw failure }
            scenarios.append(scenario)
        }
        self.scenarios = scenarios
        self.names = Self.told(zip(scenarios, sources).map { ($0.name, $1) })
    }

    /// The scenarios' own names; where two have the same, those of files are told with the file's path.
    static func told(_ scenarios: [(name: String, source: ScenarioSource)]) -> [String] {
        let counts = Dictionary(grouping: scenarios) { ExactString($0.name) }.mapValues(\.count)
        return scenarios.map { name, source in
            guard counts[ExactString(name), default: 0] > 1, case .file(let path) = source else { return name }
            return "\(name) (\(path))"
        }
    }
}
