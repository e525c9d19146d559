import FitIQAPI
import JSON
import Judging

/// A place in a client's traffic for a fault, and the client's situation there.
public struct FaultPoint: Sendable, Hashable {
    public let place: Place
    /// The situation before it.
    public let situation: Situation
    /// Which of an answer's chunks it is.
    public var part: Part

    public enum Part: UInt8, Sendable, CaseIterable { case only, first, middle, last }

    public init(_ place: Place, in situation: Situation, part: Part = .only) {
        (self.place, self.situation, self.part) = (place, situation, part)
    }

    /// The common part of points that differ only in their numbers: one of them is enough.
    ///
    /// A number that is the same in each process. The situation counts unless a kind concerns only the reading of bytes.
    func likeness(for kind: FaultKind) -> UInt64 {
        let place = place.route.mixed(with: UInt64(part.rawValue))
        return kind.rank == 4 ? place : place.mixed(with: UInt64(situation.index))
    }

    /// A place in the words of fault rules; all numbers count from 1, as the rules count them.
    public struct Place: Sendable, Hashable {
        public let sort: Sort
        /// Of a request, or the kind of socket.
        public let endpoint: Endpoint?
        /// The type of a frame, the words of a meal, or those of a question if its turn is not unique.
        public let text: String
        /// The connection, the answer on it and the number there, as far as the sort has them.
        public private(set) var numbers: [Int]

        /// Without the texts, which take longest to hash and distinguish few places.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(sort)
            hasher.combine(numbers)
        }

        public enum Sort: String, Sendable, CaseIterable {
            case request
            /// Refused ones are counted too.
            case handshake
            /// A frame of a type on the socket that a handshake opened.
            case frame
            /// A chunk of an answer on such a socket.
            case chunk
            /// The gap behind a frame, and each ending.
            case after
            /// The coach's answer to a question of a consultation.
            case question
            /// The processing of a meal.
            case meal
            /// A time since the world's beginning, in seconds.
            case moment

            /// Whether it has an endpoint and a text, and how many numbers.
            fileprivate var shape: (endpoint: Bool, text: Bool, numbers: Int) {
                switch self {
                case .request, .handshake: (true, false, 1)
                case .frame, .after: (true, true, 2)
                case .chunk: (true, false, 3)
                case .question, .moment: (false, false, 1)
                case .meal: (false, true, 0)
                }
            }
        }

        private init(_ sort: Sort, _ endpoint: Endpoint? = nil, _ text: String = "", _ numbers: Int...) {
            (self.sort, self.endpoint, self.text, self.numbers) = (sort, endpoint, text, numbers)
        }

        public static func request(_ endpoint: Endpoint, _ number: Int) -> Self { Self(.request, endpoint, "", number) }
        public static func handshake(_ socket: Endpoint, _ number: Int) -> Self { Self(.handshake, socket, "", number) }
        public static func frame(_ socket: Endpoint, connection: Int, type: String, _ number: Int) -> Self {
            Self(.frame, socket, type, connection, number)
        }
        public static func chunk(_ socket: Endpoint, connection: Int, answer: Int, _ number: Int) -> Self {
            Self(.chunk, socket, "", connection, answer, number)
        }
        public static func after(_ socket: Endpoint, connection: Int, type: String, _ number: Int) -> Self {
            Self(.after, socket, type, connection, number)
        }
        public static func question(turn: Int, asking text: String = "") -> Self { Self(.question, nil, text, turn) }
        public static func meal(text: String) -> Self { Self(.meal, nil, text) }
        public static func moment(seconds: Int) -> Self { Self(.moment, nil, "", seconds) }

        /// The number of the handshake that opened the socket.
        public var connection: Int { numbers.first ?? 1 }
        /// The number among its like on the connection.
        public var number: Int { numbers.last ?? 1 }
    }
}

extension FaultPoint.Place: LosslessStringConvertible {
    /// The place in one line, which no other place has: `frame /ws/meal-logs 1 meal_log.completed 2`.
    public var description: String {
        var words = [sort == .request ? endpoint?.method.rawValue ?? "" : sort.rawValue]
        if let endpoint { words.append(endpoint.template) }
        words += numbers.dropLast().map { "\($0)" }
        if sort.shape.endpoint, !text.isEmpty { words.append(text) }
        if let last = numbers.last { words.append(sort == .moment ? "\(last)s" : "\(last)") }
        // The words of people are the rest of the line.
        if !sort.shape.endpoint, !text.isEmpty { words.append(JSONValue.string(text).description) }
        return words.joined(separator: " ")
    }

    public init?(_ description: String) {
        let quote = description.firstIndex(of: "\"") ?? description.endIndex
        var words = description[..<quote].split(separator: " ")[...]
        guard let first = words.popFirst() else { return nil }
        let sort = Sort(rawValue: String(first)) ?? .request
        self.sort = sort
        endpoint = words.first.flatMap { template in
            Endpoint.allCases.first { endpoint in
                endpoint.template == template && endpoint.isSocket == (sort != .request)
                    && (endpoint.isSocket || endpoint.method.rawValue == first)
            }
        }
        numbers = words.compactMap { Int($0.last == "s" ? $0.dropLast() : $0) }
        let type = words.dropFirst().first { $0.first?.isLetter ?? false }.map(String.init)
        text = type ?? (try? JSON.parse(Array(description[quote...].utf8)))?.string ?? ""
        let shape = sort.shape
        // Other notations come from other programs.
        guard (endpoint != nil) == shape.endpoint, text.isEmpty != shape.text || sort == .question,
            numbers.count == shape.numbers, numbers.allSatisfy((1...1_000_000).contains),
            self.description == description
        else { return nil }
    }

    /// Its kind of place, without its numbers, as a number that is the same in each process.
    var route: UInt64 {
        let type = sort.shape.endpoint ? text : ""
        return sort.rawValue.utf8.fnv1a.mixed(with: (endpoint?.name ?? "").utf8.fnv1a).mixed(with: type.utf8.fnv1a)
    }

    /// The sum of its numbers: less is earlier.
    var ordinal: Int { numbers.reduce(0, +) }

    /// Places of the same route with a smaller number: the first, half way, the one before; one number changes at a time.
    var earlier: [Self] {
        numbers.indices.flatMap { index in
            // The second before is as good as the same.
            numbers[index].smaller.prefix(sort == .moment ? 2 : 3).map { number in
                var earlier = self
                earlier.numbers[index] = number
                return earlier
            }
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
