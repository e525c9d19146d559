import FitIQAPI
import JSON
import Judging
import Text

/// A place in a client's traffic at which something can go wrong, and where the client stands there.
public struct FaultPoint: Sendable, Hashable {
    public let place: Place
    /// The situation before it.
    public let situation: Situation
    /// Which of an answer's chunks it is.
    public let part: Part
    /// The index of the story in which it was found.
    public let story: Int

    /// A place in the words of fault rules; all numbers count from 1, as the rules count them.
    public enum Place: Sendable, Hashable {
        /// The n-th request of the endpoint.
        case request(Endpoint, Int)
        /// The n-th handshake of the kind of socket, refused ones included.
        case handshake(Endpoint, Int)
        /// The n-th frame of the type on the socket that the n-th handshake of its kind opened.
        case frame(Endpoint, connection: Int, type: String, Int)
        /// The n-th chunk of an answer.
        case chunk(Endpoint, connection: Int, answer: Int, Int)
        /// The gap behind a frame, and each ending.
        case after(Endpoint, connection: Int, type: String, Int)
        /// What the coach does with the n-th question of a consultation.
        case question(turn: Int)
        /// What becomes of the meal with this text.
        case meal(text: String)
        /// A time since the world's beginning, in whole seconds.
        case moment(Duration)
    }

    public enum Part: UInt8, Sendable, CaseIterable { case only, first, middle, last }

    public init(_ place: Place, in situation: Situation, part: Part = .only, story: Int) {
        (self.place, self.situation, self.part, self.story) = (place, situation, part, story)
    }

    /// What points have in common that differ only in their numbers: one of them is enough.
    ///
    /// A number that is the same in each process. The situation counts unless a kind concerns only the reading of bytes.
    func likeness(for kind: FaultKind) -> UInt64 {
        let place = place.route.mixed(with: UInt64(part.rawValue))
        return kind.rank == 4 ? place : place.mixed(with: UInt64(situation.index))
    }
}

extension FaultPoint.Place: CustomStringConvertible {
    /// The place in one line, which no other place has: `frame /ws/meal-logs 1 meal_log.completed 2`.
    public var description: String {
        switch self {
        case .request(let endpoint, let number): "\(endpoint.method.rawValue) \(endpoint.template) \(number)"
        case .handshake(let socket, let number): "handshake \(socket.template) \(number)"
        case .frame(let socket, let connection, let type, let number):
            "frame \(socket.template) \(connection) \(type) \(number)"
        case .chunk(let socket, let connection, let answer, let number):
            "chunk \(socket.template) \(connection) \(answer) \(number)"
        case .after(let socket, let connection, let type, let number):
            "after \(socket.template) \(connection) \(type) \(number)"
        case .question(let turn): "question \(turn)"
        case .meal(let text): "meal \(text.quoted())"
        case .moment(let time): "moment \(Durations.whole(time.nanoseconds, largest: .seconds))"
        }
    }

    /// What it is a place of, without its numbers, as a number that is the same in each process.
    var route: UInt64 {
        switch self {
        case .request(let endpoint, _): Self.route(1, endpoint)
        case .handshake(let socket, _): Self.route(2, socket)
        case .frame(let socket, _, let type, _): Self.route(3, socket, type)
        case .chunk(let socket, _, _, _): Self.route(4, socket)
        case .after(let socket, _, let type, _): Self.route(5, socket, type)
        case .question: 6
        case .meal: 7
        case .moment: 8
        }
    }

    private static func route(_ kind: UInt64, _ endpoint: Endpoint, _ type: String = "") -> UInt64 {
        kind.mixed(with: endpoint.name.utf8.fnv1a).mixed(with: type.utf8.fnv1a)
    }

    /// The sum of its numbers: less is earlier.
    var ordinal: Int {
        switch self {
        case .request(_, let number), .handshake(_, let number), .question(let number): number
        case .frame(_, let connection, _, let number), .after(_, let connection, _, let number): connection + number
        case .chunk(_, let connection, let answer, let number): connection + answer + number
        case .meal: 0
        case .moment(let time): Int(time.components.seconds)
        }
    }

    /// Places of the same route with a smaller number: the first, half way, the one before; one number changes at a time.
    var earlier: [Self] {
        switch self {
        case .request(let endpoint, let number): number.smaller.map { .request(endpoint, $0) }
        case .handshake(let socket, let number): number.smaller.map { .handshake(socket, $0) }
        case .frame(let socket, let connection, let type, let number):
            connection.smaller.map { .frame(socket, connection: $0, type: type, number) }
                + number.smaller.map { .frame(socket, connection: connection, type: type, $0) }
        case .chunk(let socket, let connection, let answer, let number):
            connection.smaller.map { .chunk(socket, connection: $0, answer: answer, number) }
                + answer.smaller.map { .chunk(socket, connection: connection, answer: $0, number) }
                + number.smaller.map { .chunk(socket, connection: connection, answer: answer, $0) }
        case .after(let socket, let connection, let type, let number):
            connection.smaller.map { .after(socket, connection: $0, type: type, number) }
                + number.smaller.map { .after(socket, connection: connection, type: type, $0) }
        case .question(let turn): turn.smaller.map { .question(turn: $0) }
        case .meal: []
        case .moment(let time): Int(time.components.seconds).smaller.prefix(2).map { .moment(.seconds($0)) }
        }
    }
}

extension Int {
    /// 1, half of it, and one less, if these are less, each once.
    fileprivate var smaller: [Int] {
        guard self > 1 else { return [] }
        return [1] + (self > 3 ? [self / 2] : []) + (self > 2 ? [self - 1] : [])
    }
}

extension UInt64 {
    /// A number for the two, spread over all bits.
    func mixed(with other: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: self ^ (other &* 0x9E37_79B9_7F4A_7C15))
        return numbers.next()
    }
}
