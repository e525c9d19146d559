import Faults
import FitIQAPI
import JSON
import Scenarios
import Text
import Traffic

/// What goes wrong in a run of a story: up to three faults, each at a place.
public struct Schedule: Sendable, Hashable {
    public struct Fault: Sendable, Hashable {
        public var place: FaultPoint.Place
        public var kind: FaultKind
        /// How long it holds something up; zero for kinds that do not wait.
        public var wait: Duration

        /// Creates a fault that waits as its kind usually does.
        ///
        /// - Parameter lateness: How late an answer is that a client does not wait for.
        public init(_ kind: FaultKind, at place: FaultPoint.Place, lateness: Duration = Schedule.lateness) {
            (self.kind, self.place) = (kind, place)
            switch kind.wait {
            case .none: wait = .zero
            case .exactly(let time): wait = time
            case .beyondPatience: wait = lateness
            }
        }
    }

    /// The index of the story.
    public var story: Int
    public var faults: [Fault]
    /// Whether the coach answers every question with one word, to make a found schedule simpler.
    public var isBrief = false

    /// How late an answer is that a client does not wait for, unless its patience is known.
    public static let lateness = Duration.seconds(90)

    public init(story: Int, faults: [Fault] = []) { (self.story, self.faults) = (story, faults) }

    /// The schedule with another fault; nil if there are too many, or one at the same place: of two answers to a
    /// request only the first is sent.
    func adding(_ fault: Fault) -> Schedule? {
        guard faults.count < ExploreLimits.faults, !faults.contains(where: { $0.excludes(fault) }) else { return nil }
        var schedule = self
        schedule.faults.append(fault)
        return schedule
    }

    /// The scenario in which the faults happen: the base, with their rules behind its own, and their answers and meals
    /// before its own.
    public func scenario(on base: Scenario) -> Scenario {
        var scenario = base
        let effects = effects(beside: base.faults.map(\.name))
        if isBrief || effects.contains(where: \.isOfScript) {
            let script = try? Scenario.read(json: .object(script(effects, on: ["name": "a"])))
            if isBrief { scenario.script.answers = [] }
            scenario.script.answers.insert(contentsOf: script?.script.answers ?? [], at: 0)
            scenario.script.meals.insert(contentsOf: script?.script.meals ?? [], at: 0)
        }
        for effect in effects {
            switch effect {
            case .rules(let rules): scenario.faults += rules
            case .tokenLifetime(let time):
                scenario.tokenLifetime = time
                scenario.rules.accounts?.accessLifetime = time
            case .answer, .meal: break
            }
        }
        return scenario
    }

    /// The same as the tree of a scenario file; reading it gives ``scenario(on:)`` of what the base's tree gives.
    public func document(on base: JSONValue) -> JSONValue {
        var document = base.object ?? [:]
        let names = document["faults"]?.array?.enumerated().map { index, rule in
            ExactString(rule["name"]?.string ?? "fault-\(index + 1)")
        }
        let effects = effects(beside: names ?? [])
        document = script(effects, on: document)
        for effect in effects {
            switch effect {
            case .rules(let rules):
                document["faults"] = .array((document["faults"]?.array ?? []) + rules.map(\.json))
            case .tokenLifetime(let time):
                let text = JSONValue.string(Durations.whole(time))
                document["token_lifetime"] = text
                if var accounts = document["accounts"]?.object {
                    accounts["access_token"] = text
                    document["accounts"] = .object(accounts)
                }
            case .answer, .meal: break
            }
        }
        return .object(document)
    }

    /// A scenario's tree with the answers and meals of the faults.
    private func script(_ effects: [FaultKind.Effect], on base: JSONObject) -> JSONObject {
        var (answers, meals): ([JSONValue], [JSONValue]) = ([], [])
        for effect in effects {
            switch effect {
            case .answer(let rule): answers.append(rule)
            case .meal(let rule): meals.append(rule)
            case .rules, .tokenLifetime: break
            }
        }
        var script = base
        if isBrief {
            script["answers"] = .array(answers + [Self.briefAnswer])
        } else if !answers.isEmpty {
            script["answers"] = .array(answers + (script["answers"]?.array ?? []))
        }
        if !meals.isEmpty { script["meals"] = .array(meals + (script["meals"]?.array ?? [])) }
        return script
    }

    private static let briefAnswer: JSONValue = ["chunks": ["Yes."], "timing": ["first_chunk": "100ms"]]

    /// What each fault does; its rules are named by its kind and its place in the list.
    private func effects(beside taken: [ExactString]) -> [FaultKind.Effect] {
        faults.indices.map { index in
            var name = "\(faults[index].kind.id)-\(index + 1)"
            while taken.contains(where: { $0.text.hasPrefix(name) }) { name += "'" }
            let details = FaultKind.Details(name: name, wait: faults[index].wait.nanoseconds)
            // A kind without a meaning at its place does nothing.
            return faults[index].kind.effect(faults[index].place, details) ?? .rules([])
        }
    }

    /// The indices of the faults that acted in a run with this schedule.
    ///
    /// - Parameters:
    ///   - base: The scenario without the faults.
    ///   - points: The points of the run.
    public func acted(in outcome: TrialOutcome, on base: Scenario, _ points: Points) -> Set<Int> {
        var seen: Set<ExactString> = []
        for entry in outcome.entries { for name in entry.event.faultNames { seen.insert(ExactString(name)) } }
        let effects = effects(beside: base.faults.map(\.name))
        return Set(
            faults.indices.filter { index in
                guard case .rules(let rules) = effects[index] else {
                    return points.reaches(faults[index].place)
                }
                return rules.first.map { seen.contains($0.name) } ?? false
            })
    }
}

extension Schedule.Fault {
    /// Whether another fault makes no sense beside it.
    fileprivate func excludes(_ other: Self) -> Bool {
        if case (.moment, .moment) = (place, other.place) { return true }
        return place == other.place
    }
}

extension Schedule: CustomStringConvertible {
    /// The faults in one line, which no other schedule of the story has: `reset@frame /ws/meal-logs 1 connected 1`.
    public var description: String {
        guard !faults.isEmpty else { return "nothing" }
        return faults.map(\.description).joined(separator: " + ") + (isBrief ? " (brief)" : "")
    }

    /// The description with the story, for a memory of runs.
    var key: String { "\(story) \(self)" }
}

extension Schedule.Fault: CustomStringConvertible {
    public var description: String {
        let usual = Schedule.Fault(kind, at: place).wait
        let time = wait == usual ? "" : "(\(Durations.whole(wait.nanoseconds, largest: .seconds)))"
        return "\(kind.id)\(time)@\(place)"
    }
}

extension FaultKind.Effect {
    fileprivate var isOfScript: Bool {
        switch self {
        case .answer, .meal: true
        case .rules, .tokenLifetime: false
        }
    }
}

extension JournalEvent {
    /// The names of the faults that it tells of.
    var faultNames: [String] {
        switch self {
        case .exchange(let exchange), .opened(let exchange): exchange.faults
        case .frame(let frame): frame.faults
        case .closed(let closing): closing.faults
        case .fault(let fault): [fault.name]
        case .clock, .note, .held, .released: []
        }
    }
}
