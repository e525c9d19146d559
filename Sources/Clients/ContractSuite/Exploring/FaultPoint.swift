import FitIQAPI
import JSON
import Judging

/// A place in a client's traffic where a fault can take effect, and the client's situation there.
public struct FaultPoint: Sendable, Hashable {
    public let place: Place
    /// The client's situation before this place.
    public let situation: Situation
    /// The position of a chunk in its answer.
    public var part: Part

    public enum Part: UInt8, Sendable, CaseIterable { case only, first, middle, last }

    public init(_ place: Place, in situation: Situation, part: Part = .only) {
        (self.place, self.situation, self.part) = (place, situation, part)
    }

    /// A number that is the same for points that differ only in their numbers, so that trying one of them is enough.
    ///
    /// The number is the same in each process. The number includes the situation unless the kind concerns only the
    /// parsing of bytes.
    func likeness(for kind: FaultKind) -> UInt64 {
        let place = place.route.mixed(with: UInt64(part.rawValue))
        return kind.rank == 4 ? place : place.mixed(with: UInt64(situation.index))
    }

    /// A place in the terms of fault rules.
    ///
    /// All numbers count from 1, as in rules.
    public struct Place: Sendable, Hashable {
        public let sort: Sort
        /// The endpoint of a request or socket.
        public let endpoint: Endpoint?
        /// The type of a frame, the text of a meal, or the text of a question whose turn is ambiguous.
        public let text: String
        /// The connection, the answer on the connection, and the number within the answer.
        ///
        /// The sort determines which of these numbers exist.
        public private(set) var numbers: [Int]

        /// Omits the texts, which are slow to hash and distinguish few places.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(sort)
            hasher.combine(numbers)
        }

        public enum Sort: String, Sendable, CaseIterable {
            case request
            /// A handshake, accepted or refused.
            case handshake
            /// A frame of one type on the socket that a handshake opened.
            case frame
            /// A chunk of an answer on such a socket.
            case chunk
            /// The gap after a frame, where a socket can also end.
            case after
            /// The coach's answer to a question in a consultation.
            case question
            /// The processing of a meal.
            case meal
            /// A time since the world's start, in seconds.
            case moment

            /// Whether the sort has an endpoint and a text, and how many numbers it has.
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
        /// The position among similar items on the connection.
        public var number: Int { numbers.last ?? 1 }
    }
}

extension FaultPoint.Place: LosslessStringConvertible {
    /// The place on one line, which is unique: `frame /ws/meal-logs 1 meal_log.completed 2`.
    public var description: String {
        var words = [sort == .request ? endpoint?.method.rawValue ?? "" : sort.rawValue]
        if let endpoint { words.append(endpoint.template) }
        words += numbers.dropLast().map { "\($0)" }
        if sort.shape.endpoint, !text.isEmpty { words.append(text) }
        if let last = numbers.last { words.append(sort == .moment ? "\(last)s" : "\(last)") }
        // Free text comes last, because it may contain spaces.
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
        // Reject other notations, which other programs may produce.
        guard (endpoint != nil) == shape.endpoint, text.isEmpty != shape.text || sort == .question,
            numbers.count == shape.numbers, numbers.allSatisfy((1...1_000_000).contains),
            self.description == description
        else { return nil }
    }

    /// The place without its numbers, hashed to a number that is the same in each process.
    var route: UInt64 {
        let type = sort.shape.endpoint ? text : ""
        return sort.rawValue.utf8.fnv1a.mixed(with: (endpoint?.name ?? "").utf8.fnv1a).mixed(with: type.utf8.fnv1a)
    }

    /// The sum of the numbers; a smaller sum means an earlier place.
    var ordinal: Int { numbers.reduce(0, +) }

    /// Earlier places on the same route: the first, the halfway and the previous place.
    ///
    /// Each changes one number.
    var earlier: [Self] {
        numbers.indices.flatMap { index in
            // For moments, one second earlier makes no difference.
            numbers[index].smaller.prefix(sort == .moment ? 2 : 3).map { number in
                var earlier = self
                earlier.numbers[index] = number
                return earlier
            }
        }
    }
}

extension Int {
    /// Whichever of 1, half the number and the number minus one are less than the number, without duplicates.
    fileprivate var smaller: [Int] {
        guard self > 1 else { return [] }
        return [1] + (self > 3 ? [self / 2] : []) + (self > 2 ? [self - 1] : [])
    }
}

extension UInt64 {
    /// Mixes two numbers into one whose bits are spread evenly.
    func mixed(with other: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: self ^ (other &* 0x9E37_79B9_7F4A_7C15))
        return numbers.next()
    }
}
