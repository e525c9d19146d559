import FitIQAPI
import JSON
import Text

/// A kind of fault at a place, written as in scenarios.
public struct FaultKind: Sendable {
    /// The unique ID, such as `status-503`.
    public let id: String
    public let family: Family
    /// The sort of place at which the fault takes effect; faults for frames also affect chunks.
    let sort: FaultPoint.Place.Sort
    /// The rank; lower ranks come first, because they find the most problems with the fewest runs.
    let rank: Int
    /// How disruptive the fault is; failing schedules are reduced to lighter kinds.
    let weight: Int
    let wait: Wait
    /// The IDs of kinds to try instead, best first.
    let milder: [String]
    let reach: Reach
    /// The handshakes that the fault also refuses, starting with the next handshake, if any.
    let refusing: Reach?
    /// The only endpoint whose answers the fault changes, or nil for a fault that fits all places of its sort.
    ///
    /// Its rules are changes for the scenario's `overlay`, which apply from the world's start.
    let endpoint: Endpoint?
    /// The modes in which a client must not notice the fault, because the guides tell it to ignore unknown things.
    let ignoredIn: Set<GuideMode>
    /// The members of each rule, except for the place; the text `$wait` is replaced with the wait.
    var members: [JSONObject]

    public enum Family: String, Sendable, CaseIterable {
        case refused, failed, lost, late, cut, silence, broken, disorder, expiry, behaviour, hostile, newer
    }

    /// The default delay of a kind.
    enum Wait: Sendable, Equatable {
        case none
        case exactly(Duration)
        /// Longer than clients wait.
        case beyondPatience
        /// Until the client gives up.
        case endless
    }

    /// The numbered items at its place that the fault affects.
    enum Reach: Sendable {
        case one
        /// The item and the next one.
        case two
        /// The item and all later items.
        case rest

        /// The numbers in a rule's notation.
        func json(from number: Int) -> JSONValue {
            switch self {
            case .one: .number(JSONNumber(number))
            case .two: .string("\(number)..\(number + 1)")
            case .rest: .string("\(number)..")
            }
        }
    }

    init(
        _ id: String, _ family: Family, _ sort: FaultPoint.Place.Sort, rank: Int = 2, weight: Int, wait: Wait = .none,
        milder: [String] = [], reach: Reach = .one, refusing: Reach? = nil, endpoint: Endpoint? = nil,
        ignoredIn: Set<GuideMode> = [], _ members: JSONObject...
    ) {
        (self.id, self.family, self.sort, self.rank, self.weight) = (id, family, sort, rank, weight)
        (self.wait, self.milder, self.reach, self.refusing, self.members) = (wait, milder, reach, refusing, members)
        (self.endpoint, self.ignoredIn) = (endpoint, ignoredIn)
    }

    public static func named(_ id: String) -> FaultKind? { all.first { $0.id == id } }

    /// Whether the fault can take effect at a place.
    public func fits(_ place: FaultPoint.Place) -> Bool {
        guard let endpoint else { return place.sort == sort || place.sort == .chunk && sort == .frame }
        // The change applies to all answers, so a later request would be the same schedule again.
        return place.sort == sort && place.endpoint == endpoint && place.number == 1
    }
}

extension FaultKind: Hashable {
    public static func == (one: FaultKind, other: FaultKind) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Schedule.Fault {
    /// The scenario's list for the fault's rules, or nil if it has no rules.
    public var list: String? { kind.endpoint == nil ? place.sort.list : "overlay" }

    /// The fault's rules for a scenario.
    ///
    /// In the list of faults, the rules have this name, followed by a number from the second rule on.
    public func rules(named name: String) -> [JSONValue] {
        let place = kind.endpoint == nil ? place.rule(kind.reach) : ["on": .string(place.operation)]
        let time = JSONValue.string(Durations.whole(wait.nanoseconds, largest: .seconds))
        var rules = kind.members.map { place + (kind.wait == .none ? $0 : $0.waiting(time)) }
        if let refusing = kind.refusing, let socket = self.place.endpoint {
            let next = FaultPoint.Place.handshake(socket, self.place.connection + 1)
            rules.append(next.rule(refusing) + ["status": 503, "retry_after": 1])
        }
        guard list == "faults" else { return rules.map(JSONValue.object) }
        return rules.enumerated().map { index, rule in
            .object(["name": .string(index == 0 ? name : "\(name).\(index + 1)")] + rule)
        }
    }
}

extension FaultPoint.Place.Sort {
    /// The scenario's list for rules about places of this sort, or nil if rules cannot refer to them.
    public var list: String? {
        switch self {
        case .request, .handshake, .frame, .chunk, .after: "faults"
        case .question: "answers"
        case .meal: "meals"
        case .moment: nil
        }
    }
}

extension FaultPoint.Place {
    /// The method and the path of a request's endpoint.
    fileprivate var operation: String { "\(endpoint?.method.rawValue ?? "") \(endpoint?.template ?? "")" }

    /// A rule's members for the place and the fault's reach.
    fileprivate func rule(_ reach: FaultKind.Reach) -> JSONObject {
        let (template, number) = (endpoint?.template ?? "", reach.json(from: number))
        switch sort {
        case .request: return ["on": .string(operation), "requests": number]
        case .handshake: return ["on": .string("handshake \(template)"), "connections": number]
        case .frame, .chunk, .after:
            let point: JSONObject =
                sort == .chunk
                ? ["chunk": number, "answer": .number(JSONNumber(numbers[1]))] : ["type": .string(text), "n": number]
            return [
                "on": .string("socket \(template)"), "connections": .number(JSONNumber(connection)),
                "at": .object(point),
            ]
        case .question:
            let words: JSONObject = text.isEmpty ? [:] : ["content": .string(text)]
            return [
                "when": .object(["turn": number] + words),
                "timing": ["first_chunk": "100ms", "chunks_per_second": 10],
            ]
        case .meal: return ["when": ["text": .string(text)]]
        case .moment: return [:]
        }
    }
}

extension JSONObject {
    /// Merges two objects; members of the second object replace those of the first.
    static func + (one: JSONObject, other: JSONObject) -> JSONObject { JSONObject(Array(one) + Array(other)) }

    /// The members, with each text `$wait` replaced with a time.
    fileprivate func waiting(_ time: JSONValue) -> JSONObject {
        JSONObject(
            map { key, value in
                (key, value == "$wait" ? time : value.object.map { .object($0.waiting(time)) } ?? value)
            })
    }
}
