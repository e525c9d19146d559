import FitIQAPI
import JSON
import Scenarios

/// What goes wrong in a run of a story: up to three faults, each at a place.
public struct Schedule: Sendable, Hashable {
    public struct Fault: Sendable, Hashable {
        public var place: FaultPoint.Place
        public var kind: FaultKind

        public init(_ kind: FaultKind, at place: FaultPoint.Place) { (self.kind, self.place) = (kind, place) }
    }

    /// The index of the story.
    public var story: Int
    public var faults: [Fault]

    public init(story: Int, faults: [Fault] = []) { (self.story, self.faults) = (story, faults) }

    /// The scenario in which the faults happen: the base, with their rules behind its own.
    public func scenario(on base: Scenario) -> Scenario {
        var scenario = base
        for (index, fault) in faults.enumerated() {
            scenario.faults += fault.kind.rules(fault.place, ExactString("\(fault.kind.id)-\(index + 1)")) ?? []
        }
        return scenario
    }
}
