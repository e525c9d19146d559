import ContractSuite
import FitIQAPI
import JSON
import Judging
import Traffic

extension Exploration {
    /// What was found, in words; names are unique.
    var discoveries: [Discovery] {
        var names: Set<ExactString> = []
        return found.map { found in
            let story = settings.stories[found.schedule.story]
            let discovery = Discovery(
                found.symptom, found.schedule, in: story, found.outcome, TrialReading(found.outcome),
                document: found.schedule.document(on: story.document), confirmed: (found.failed, found.of),
                seenCount: found.seenCount, besides: names)
            names.insert(ExactString(discovery.name))
            return discovery
        }
    }
}
