import ContractSuite
import FitIQAPI
import FitIQClient
import JSON

/// A mutation made of closures, which change, drop, delay or add events.
package struct Tampering: Mutation {
    /// The actions that replace an action.
    package var act: (ClientAction, inout Schedule, Timestamp) -> [ClientAction] = { action, _, _ in [action] }
    /// The client's inputs that replace an input from the network.
    package var hear: (ClientInput, inout Schedule, Timestamp) -> [ClientInput] = { input, _, _ in [input] }
    /// The report that the user sees.
    package var show: (ClientReport) -> ClientReport = { $0 }
    private var schedule = Schedule()

    /// Events that are delayed, and numbers that the client does not know.
    package struct Schedule {
        fileprivate var actions: [(due: Timestamp, action: ClientAction)] = []
        fileprivate var inputs: [(due: Timestamp, input: ClientInput)] = []
        private var lastNumber = 1_000_000

        /// A number for the mutation's own use.
        package mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// Acts after this delay, which is at least a millisecond.
        package mutating func add(_ action: ClientAction, in delay: Duration, from now: Timestamp) {
            actions.append((now.advanced(by: max(delay, .milliseconds(1))), action))
        }

        /// Delivers an input to the client after this delay, which is at least a millisecond.
        package mutating func add(_ input: ClientInput, in delay: Duration, from now: Timestamp) {
            inputs.append((now.advanced(by: max(delay, .milliseconds(1))), input))
        }

        fileprivate mutating func takeActions(until now: Timestamp) -> [ClientAction] {
            defer { actions.removeAll { $0.due <= now } }
            return actions.filter { $0.due <= now }.map(\.action)
        }

        fileprivate mutating func takeInputs(until now: Timestamp) -> [ClientInput] {
            defer { inputs.removeAll { $0.due <= now } }
            return inputs.filter { $0.due <= now }.map(\.input)
        }

        fileprivate var nextDeadline: Timestamp? { (actions.map(\.due) + inputs.map(\.due)).min() }
    }

    package init() {}

    package mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] {
        var changed: [ClientAction] = []
        for action in actions { changed += act(action, &schedule, now) }
        return changed + schedule.takeActions(until: now)
    }

    package mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] {
        var changed: [ClientInput] = []
        for input in inputs { changed += hear(input, &schedule, now) }
        return changed + schedule.takeInputs(until: now)
    }

    package func report(_ report: ClientReport) -> ClientReport { show(report) }

    package var nextDeadline: Timestamp? { schedule.nextDeadline }
}

extension Timestamp {
    func advanced(by duration: Duration) -> Timestamp {
        let parts = duration.components
        return advanced(byNanoseconds: parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }
}
