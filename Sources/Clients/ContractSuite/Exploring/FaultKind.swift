import Faults
import FitIQAPI
import JSON

/// A kind of fault: what goes wrong at a place, in the words of a scenario.
public struct FaultKind: Sendable {
    /// The unique id: `status-503`.
    public let id: String
    public let family: Family
    /// Kinds of a lower rank come first: they find the most with the fewest runs.
    let rank: Int
    /// How much it disturbs; a found schedule is reduced to lighter kinds.
    let weight: Int
    let wait: Wait
    /// The ids of kinds to try instead of it, the best first.
    let milder: [String]
    /// What it does at a place; nil if it has no meaning there.
    let effect: @Sendable (FaultPoint.Place, Details) -> Effect?

    public enum Family: String, Sendable, CaseIterable {
        case refused, failed, lost, late, cut, silence, broken, disorder, expiry, behaviour, hostile
    }

    /// How long it holds something up, unless a schedule says otherwise.
    enum Wait: Sendable, Equatable {
        case none
        case exactly(Duration)
        /// Longer than clients wait for an answer.
        case beyondPatience
    }

    /// What a schedule decides of a fault.
    struct Details: Sendable {
        /// The rule's name.
        var name: String
        /// Nanoseconds; 0 for kinds that do not wait.
        var wait: Int64
    }

    /// How it changes a scenario.
    enum Effect: Sendable {
        case rules([FaultRule])
        /// A rule for answers in a scenario's words, ahead of the others.
        case answer(JSONValue)
        /// A rule for meals, ahead of the others.
        case meal(JSONValue)
        /// Access tokens expire after this many nanoseconds.
        case tokenLifetime(Int64)
    }

    /// The kind with this id; nil if there is none.
    public static func named(_ id: String) -> FaultKind? { all.first { $0.id == id } }

    /// Whether it has a meaning at a place.
    public func fits(_ place: FaultPoint.Place) -> Bool { effect(place, Details(name: "fits", wait: 1)) != nil }

    /// Its rules at a place as a scenario file has them; empty for a kind that is no rule, or has no meaning there.
    public func json(at place: FaultPoint.Place) -> [JSONValue] {
        let wait = Schedule.Fault(self, at: place).wait.nanoseconds
        guard case .rules(let rules)? = effect(place, Details(name: id, wait: wait)) else { return [] }
        return rules.map(\.json)
    }
}

extension FaultKind: Hashable {
    public static func == (one: FaultKind, other: FaultKind) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension FaultRule {
    /// The rule as a scenario file has it.
    var json: JSONValue {
        // What our own writer writes is JSON.
        (try? JSON.parse(JSONWriter.object { write(into: &$0) })) ?? .null
    }
}

// MARK: - Making kinds

extension FaultKind {
    /// A kind that concerns requests: one, or with `forGood` one and all that follow.
    static func request(
        _ id: String, _ family: Family, rank: Int = 2, weight: Int = 10, wait: Wait = .none, milder: [String] = [],
        forGood: Bool = false, _ fault: @escaping @Sendable (Int64) -> ResponseFault
    ) -> FaultKind {
        FaultKind(id: id, family: family, rank: rank, weight: weight, wait: wait, milder: milder) { place, details in
            guard case .request(let endpoint, let number) = place else { return nil }
            let selection = forGood ? Selection(first: number) : .only(number)
            return .rules([
                FaultRule(
                    name: ExactString(details.name), fault: .response(fault(details.wait), on: [endpoint]),
                    selection: selection)
            ])
        }
    }

    /// A kind that concerns handshakes: one, or with `forGood` one and all that follow.
    static func handshake(
        _ id: String, _ family: Family, rank: Int = 2, weight: Int = 10, wait: Wait = .none, milder: [String] = [],
        forGood: Bool = false, _ fault: @escaping @Sendable (Int64) -> ResponseFault
    ) -> FaultKind {
        FaultKind(id: id, family: family, rank: rank, weight: weight, wait: wait, milder: milder) { place, details in
            guard case .handshake(let socket, let number) = place else { return nil }
            let selection = forGood ? Selection(first: number) : .only(number)
            return .rules([.handshake(details.name, fault(details.wait), of: socket, selection)])
        }
    }

    /// A kind that concerns a frame of the server, or with `coversNext` also the chunk behind it.
    static func frame(
        _ id: String, _ family: Family, rank: Int = 2, weight: Int = 10, wait: Wait = .none, milder: [String] = [],
        coversNext: Bool = false, _ faults: @escaping @Sendable (Int64) -> [SocketFault]
    ) -> FaultKind {
        FaultKind(id: id, family: family, rank: rank, weight: weight, wait: wait, milder: milder) { place, details in
            guard let (socket, connection, point) = place.frameNamed(coversNext: coversNext) else { return nil }
            return .rules(.socket(details.name, faults(details.wait), at: point, of: socket, .only(connection)))
        }
    }

    /// A kind that ends a socket behind a whole frame.
    static func ending(
        _ id: String, _ family: Family, rank: Int, weight: Int, wait: Wait, milder: [String],
        _ how: SocketFault.Ending
    ) -> FaultKind {
        FaultKind(id: id, family: family, rank: rank, weight: weight, wait: wait, milder: milder) { place, details in
            guard case .after(let socket, let connection, let type, let number) = place else { return nil }
            let fault = SocketFault.end(how, after: details.wait)
            return .rules(
                .socket(details.name, [fault], at: .type(type, .only(number)), of: socket, .only(connection)))
        }
    }

    /// A kind of answer to a question, by members of its rule.
    static func answer(
        _ id: String, family: Family = .behaviour, weight: Int, _ members: JSONObject
    ) -> FaultKind {
        FaultKind(id: id, family: family, rank: 3, weight: weight, wait: .none, milder: []) { place, _ in
            guard case .question(let turn) = place else { return nil }
            var rule = members
            rule["when"] = ["turn": .number(JSONNumber(turn))]
            rule["timing"] = ["first_chunk": "100ms", "chunks_per_second": 10]
            return .answer(.object(rule))
        }
    }

    /// A kind of outcome of a meal, by members of its rule.
    static func meal(_ id: String, weight: Int, milder: [String] = [], _ members: JSONObject) -> FaultKind {
        FaultKind(id: id, family: .behaviour, rank: 3, weight: weight, wait: .none, milder: milder) { place, _ in
            guard case .meal(let text) = place else { return nil }
            var rule = members
            rule["when"] = ["text": .string(text)]
            return .meal(.object(rule))
        }
    }
}

extension FaultPoint.Place {
    /// The frame that it names: its kind of socket, its connection, and its point on it; nil if it names none.
    ///
    /// - Parameter coversNext: Whether a chunk's point has the next one too; other frames have no next one.
    func frameNamed(coversNext: Bool) -> (Endpoint, Int, SocketPoint)? {
        switch self {
        case .frame(let socket, let connection, let type, let number) where !coversNext:
            (socket, connection, .type(type, .only(number)))
        case .chunk(let socket, let connection, let answer, let number):
            (
                socket, connection,
                .chunks(Selection(first: number, last: coversNext ? number + 1 : number), ofAnswer: answer)
            )
        default: nil
        }
    }
}

extension FaultRule {
    static func handshake(
        _ name: String, _ fault: ResponseFault, of socket: Endpoint, _ selection: Selection
    ) -> FaultRule {
        FaultRule(name: ExactString(name), fault: .handshake(fault), of: socket, selection: selection)
    }
}

extension [FaultRule] {
    /// Rules for the same frame; the second and later ones have a number behind their names.
    static func socket(
        _ name: String, _ faults: [SocketFault], at point: SocketPoint, of socket: Endpoint, _ connections: Selection
    ) -> [FaultRule] {
        faults.enumerated().map { index, fault in
            let name = index == 0 ? name : "\(name).\(index + 1)"
            return FaultRule(
                name: ExactString(name), fault: .socket(fault, at: point), of: socket, selection: connections)
        }
    }
}
