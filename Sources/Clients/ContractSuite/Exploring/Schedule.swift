import FitIQAPI
import JSON
import Scenarios
import Text
import Traffic

/// The faults in a run of a story: up to two faults, each at a place.
public struct Schedule: Sendable, Hashable {
    public struct Fault: Sendable, Hashable {
        public var place: FaultPoint.Place
        public var kind: FaultKind
        /// The fault's delay, or zero for kinds without delay.
        public var wait: Duration

        /// Creates a fault with the usual wait for its kind.
        public init(_ kind: FaultKind, at place: FaultPoint.Place) {
            (self.kind, self.place) = (kind, place)
            switch kind.wait {
            case .none, .endless: wait = .zero
            case .exactly(let time): wait = time
            case .beyondPatience: wait = Schedule.lateness
            }
        }
    }

    /// The index of the story.
    public var story: Int
    public var faults: [Fault]
    /// Whether the coach answers every question with a single word, which simplifies a failing schedule.
    public var isBrief = false

    /// The maximum length of a scenario's summary, without the ellipsis.
    private static let summaryLimit = 299
    /// How long an answer is delayed when the client's patience is unknown.
    public static let lateness = Duration.seconds(90)

    public init(story: Int, faults: [Fault] = []) { (self.story, self.faults) = (story, faults) }

    /// The schedule with another fault, or nil if it is full or already has a fault at that place.
    ///
    /// If both faults answer the same request, only the first one takes effect.
    func adding(_ fault: Fault) -> Schedule? {
        guard faults.count < ExploreLimits.faults, !faults.contains(where: { $0.excludes(fault) }) else { return nil }
        var schedule = self
        schedule.faults.append(fault)
        return schedule
    }

    /// Whether the faults, or brief answers, excuse what a client shows its user.
    ///
    /// They do not if the client must ignore them all.
    public func isHarmful(in mode: GuideMode) -> Bool {
        isBrief || !faults.allSatisfy { $0.isIgnored(in: mode) }
    }

    /// The base scenario with the faults.
    ///
    /// The faults' rules come after the base's rules, but their answers, meals and overlay changes come first.
    public func scenario(on base: Scenario) -> Scenario {
        guard let added = try? read(beside: base.faults.map(\.name)) else {
            preconditionFailure("Every fault kind must write its places in a readable form.")
        }
        var scenario = base
        scenario.faults += added.faults
        if isBrief { scenario.script.answers = [] }
        scenario.script.answers.insert(contentsOf: added.script.answers, at: 0)
        scenario.script.meals.insert(contentsOf: added.script.meals, at: 0)
        if let overlay = added.overlay { scenario.overlay = Overlay(overlay.changes + (base.overlay?.changes ?? [])) }
        if let time = added.tokenLifetime {
            scenario.tokenLifetime = time
            scenario.rules.accounts?.accessLifetime = time
        }
        return scenario
    }

    /// A scenario that contains only the faults.
    func read(beside taken: [ExactString] = []) throws(ScenarioErrors) -> Scenario {
        try Scenario.read(json: .object(["name": "added"] + additions(beside: taken)))
    }

    /// The base scenario with the faults, as the tree of a scenario file.
    ///
    /// Reading the result yields ``scenario(on:)`` for the base.
    public func document(on base: JSONValue) -> JSONValue {
        var document = base.object ?? [:]
        let rules = document["faults"]?.array ?? []
        let names = rules.enumerated().map { ExactString($1["name"]?.string ?? "fault-\($0 + 1)") }
        for (key, value) in additions(beside: names) {
            switch (key, value.array) {
            case ("faults", let added?): document[key] = .array(rules + added)
            case ("answers", let added?) where isBrief: document[key] = .array(added)
            case (_, let added?): document[key] = .array(added + (document[key]?.array ?? []))
            default:
                document[key] = value
                if var accounts = document["accounts"]?.object {
                    accounts["access_token"] = value
                    document["accounts"] = .object(accounts)
                }
            }
        }
        return .object(document)
    }

    /// The scenario file with the faults: comments, then one key per line.
    public func file(on base: JSONValue, named name: String, summary: String, comments: [String]) -> [UInt8] {
        var members = document(on: base).object ?? [:]
        (members["name"], members["summary"]) = (.string(name), .string(summary.onOneLine(limit: Self.summaryLimit)))
        return ScenarioDocument.text(.object(members), comments: comments + ["Schedule: \(self)"])
    }

    /// The faults' additions to a scenario, as members of its file.
    ///
    /// Each rule is named after its kind and its position in the list.
    private func additions(beside taken: [ExactString]) -> JSONObject {
        var added: JSONObject = [:]
        func add(_ rules: [JSONValue], to list: String) { added[list] = .array((added[list]?.array ?? []) + rules) }
        // Skip a kind that cannot take effect at its place.
        for (index, fault) in faults.enumerated() where fault.kind.fits(fault.place) {
            if let list = fault.list {
                add(fault.rules(named: name(of: index, beside: taken)), to: list)
            } else {
                added["token_lifetime"] = .string("\(fault.place.number)s")
            }
        }
        if isBrief { add([["chunks": ["Yes."], "timing": ["first_chunk": "100ms"]]], to: "answers") }
        return added
    }

    /// The name of a fault's first rule.
    private func name(of index: Int, beside taken: [ExactString]) -> String {
        var name = "\(faults[index].kind.id)-\(index + 1)"
        while taken.contains(where: { $0.text.hasPrefix(name) }) { name += "'" }
        return name
    }

    /// The indices of the faults that took effect in a run with this schedule.
    ///
    /// - Parameters:
    ///   - base: The scenario without the faults.
    ///   - points: The points of the run.
    public func acted(in outcome: TrialOutcome, on base: Scenario, _ points: Points) -> Set<Int> {
        var seen: Set<ExactString> = []
        for entry in outcome.entries { for name in entry.event.faultNames { seen.insert(ExactString(name)) } }
        let taken = base.faults.map(\.name)
        return Set(
            faults.indices.filter { index in
                faults[index].list == "faults"
                    ? seen.contains(ExactString(name(of: index, beside: taken))) : points.reaches(faults[index].place)
            })
    }
}

extension Schedule.Fault {
    /// Whether the mode's guides tell clients to ignore the fault; they say nothing about the apps' meal socket.
    fileprivate func isIgnored(in mode: GuideMode) -> Bool {
        kind.ignoredIn.contains(mode) && place.endpoint != .mealSocket
    }

    /// Whether the schedule cannot contain both faults.
    fileprivate func excludes(_ other: Self) -> Bool {
        place == other.place || place.sort == .moment && other.place.sort == .moment
    }
}

extension Schedule: CustomStringConvertible {
    /// The faults on one line, unique within the story: `reset@frame /ws/meal-logs 1 connected 1`.
    public var description: String {
        guard !faults.isEmpty else { return "nothing" }
        return faults.map(\.description).joined(separator: " + ") + (isBrief ? " (brief)" : "")
    }

    /// The story and the description.
    var key: String { "\(story) \(self)" }
}

extension Schedule.Fault: CustomStringConvertible {
    public var description: String {
        let usual = Schedule.Fault(kind, at: place).wait
        let time = wait == usual ? "" : "(\(Durations.whole(wait.nanoseconds, largest: .seconds)))"
        return "\(kind.id)\(time)@\(place)"
    }
}
