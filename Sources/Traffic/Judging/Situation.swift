import FitIQAPI
import JSON
import Text
import Texts
import Traffic

/// A client's position in the protocol, as the journal shows it.
public struct Situation: Sendable, Hashable {
    public var socket = Socket.none
    public var token = Token.good
    public var meal = Meal.none
    public var trouble = Trouble.none

    /// The client's newest consultation socket, or its meal socket if there is no consultation socket.
    public enum Socket: UInt8, Sendable, CaseIterable {
        case none
        /// The handshake was answered or refused, but `connected` has not arrived.
        case connecting
        case idle
        /// The client has sent a question but received no part of the answer.
        case awaiting
        case streaming
        /// The server has stopped sending and reading.
        case silent
        /// One side has sent a close frame.
        case closing
    }

    /// The last bearer token that the client sent.
    public enum Token: UInt8, Sendable, CaseIterable {
        case good
        case expired
        /// The server refused the token although it has not expired.
        case revoked
    }

    /// The meals that the client logged.
    public enum Meal: UInt8, Sendable, CaseIterable {
        case none
        case pending
        /// At least one meal is settled, and none is pending.
        case done
    }

    /// The last trouble that the client encountered.
    ///
    /// It remains until the client encounters the next one.
    public enum Trouble: UInt8, Sendable, CaseIterable {
        case none
        /// 401, 404, 409 or 429.
        case refused
        /// A status from 500 to 599, or a refused handshake.
        case failed
        /// The answer was late or never came.
        case late
        /// A socket ended without any action by the client.
        case cut
        case silence
        /// A frame was broken, lost, repeated or out of order.
        case broken
        /// The server reported a failure: an error frame, or a meal that failed or was late.
        case told
    }

    public init() {}

    /// The number of situations, reachable or not: 504.
    public static let count = sockets.count * tokens.count * meals.count * troubles.count
    private static let (sockets, tokens) = (Socket.allCases, Token.allCases)
    private static let (meals, troubles) = (Meal.allCases, Trouble.allCases)

    /// The index among all situations, from 0, in the order of the members.
    public var index: Int {
        let rows = (Int(socket.rawValue) * Self.tokens.count + Int(token.rawValue)) * Self.meals.count
        return (rows + Int(meal.rawValue)) * Self.troubles.count + Int(trouble.rawValue)
    }

    /// - Precondition: `index` is at least 0 and less than ``count``.
    public init(index: Int) {
        precondition((0..<Self.count).contains(index), "an index must be from 0 to \(Self.count - 1), not \(index)")
        let (rows, trouble) = index.quotientAndRemainder(dividingBy: Self.troubles.count)
        let (row, meal) = rows.quotientAndRemainder(dividingBy: Self.meals.count)
        self.trouble = Self.troubles[trouble]
        self.meal = Self.meals[meal]
        token = Self.tokens[row % Self.tokens.count]
        socket = Self.sockets[row / Self.tokens.count]
    }
}

extension Situation: Comparable {
    public static func < (one: Situation, other: Situation) -> Bool { one.index < other.index }
}

extension Situation.Trouble {
    /// Classifies a failure path.
    init(_ path: Exposure.Path) {
        self =
            switch path {
            case .unauthorized, .notFound, .conflict, .tooMany: .refused
            case .serverError, .refusedHandshake: .failed
            case .timeOut: .late
            case .dropMidStream, .drop: .cut
            case .silence: .silence
            case .brokenFrame: .broken
            case .errorFrame, .failedMeal, .lateMeal: .told
            }
    }
}

/// Follows the situations of a world's clients.
struct SituationCounter: Sendable {
    private var others = Recent<ExactString, Client>()
    /// The user in the latest fact that names one, and the state of that user's client.
    private var newest: ExactString = ""
    private var client = Client()
    private(set) var coverage = Coverage()

    /// The situation of the client in the latest fact.
    var situation: Situation { client.situation }

    /// Observes the next fact; the scene already includes it.
    mutating func observe(_ fact: Fact, in scene: Scene, _ paths: [Exposure.Path]) {
        guard let user = user(of: fact, in: scene) else { return }
        if !user.isEmpty, user != newest {
            others[newest] = client
            (newest, client) = (user, others[user] ?? Client())
        }
        client.observe(fact, in: scene)
        for path in paths { client.situation.trouble = Situation.Trouble(path) }
        if let socket = Self.passed(fact) {
            var passed = client.situation
            passed.socket = socket
            coverage.insert(passed)
        }
        coverage.insert(client.situation)
    }

    /// The client's state before this fact, because the journal records handshakes and closes only when they end.
    private static func passed(_ fact: Fact) -> Situation.Socket? {
        switch fact.kind {
        // A refused handshake leaves no socket. The client was connecting, and now returns to its earlier state.
        case .request(let request) where request.isHandshake: .connecting
        case .closed(let closing) where closing.hasCloseFrame: .closing
        default: nil
        }
    }

    /// The client that a fact concerns.
    ///
    /// An empty string means the newest client; nil means no client.
    private func user(of fact: Fact, in scene: Scene) -> ExactString? {
        switch fact.kind {
        case .request(let request): request.client ?? ""
        case .opened(let opening): opening.user ?? ""
        case .frame, .fault: scene.sockets[fact.connection]?.user
        case .closed: scene.endedSocket?.user
        case .other: nil
        }
    }

    private struct Client: Sendable {
        var situation = Situation()
        /// The newest open consultation socket, and the open meal socket.
        private var chat: UInt64?
        private var meals: UInt64?
        /// Whether a chat question is still waiting for the end of its answer.
        private var isAsking = false
        /// Whether one side has sent a close frame on the chat.
        private var isClosing = false
        private var token = ""
        private var expiry: Timestamp?
        private var isRefused = false
        private var pending: Set<ExactString> = []

        /// The maximum number of pending meals; beyond the limit, the oldest meals keep their state, as after a lost
        /// event.
        private static let mealLimit = 64

        mutating func observe(_ fact: Fact, in scene: Scene) {
            switch fact.kind {
            case .request(let request):
                observe(
                    request.credentials, request.status, request.isAnswered, at: scene.date(of: request.requestedAt))
                observeMeals(request)
            case .opened(let opening):
                if opening.isOfMeals { meals = fact.connection } else { begin(fact.connection) }
                observe(opening.credentials, 101, true, at: scene.date(of: opening.requestedAt))
            case .frame(let frame):
                if let log = frame.settledMealLog { settle(log) }
                if fact.connection == chat { observe(frame) }
            case .closed:
                if fact.connection == chat { chat = nil }
                if fact.connection == meals { meals = nil }
            case .fault, .other: break
            }
            situation.socket = place(in: scene)
            situation.token =
                isRefused ? .revoked : expiry.map { $0 <= scene.date(of: fact.time) } ?? false ? .expired : .good
        }

        private mutating func begin(_ connection: UInt64) { (chat, isAsking, isClosing) = (connection, false, false) }

        private mutating func observe(_ frame: FrameFact) {
            if frame.isChatMessage { isAsking = true }
            if frame.frame.opcode == .close { isClosing = true }
            guard frame.isHeard else { return }
            switch frame.type {
            case "stream_complete", "assistant_message_end", "error": isAsking = false
            default: break
            }
        }

        private func place(in scene: Scene) -> Situation.Socket {
            guard let connection = chat ?? meals, let socket = scene.sockets[connection] else { return .none }
            if socket.isSilenced { return .silent }
            guard connection == chat else { return socket.connectedAt == nil ? .connecting : .idle }
            if isClosing { return .closing }
            if socket.connectedAt == nil { return .connecting }
            return socket.isStreaming ? .streaming : isAsking ? .awaiting : .idle
        }

        private mutating func observe(
            _ credentials: PresentedCredentials, _ status: Int?, _ isAnswered: Bool, at time: Timestamp
        ) {
            guard let bearer = credentials.token?.text else { return }
            if bearer != token { (token, expiry, isRefused) = (bearer, AccessToken.claimedExpiry(of: bearer), false) }
            guard isAnswered, let status else { return }
            if status == 401 { isRefused = expiry.map { $0 > time } ?? true } else if status < 400 { isRefused = false }
        }

        private mutating func observeMeals(_ request: RequestFact) {
            let accepted = request.acceptedMealLogs
            for log in accepted where pending.count < Self.mealLimit { pending.insert(log.id) }
            if accepted.isEmpty { for log in request.shownMealLogs { settle(log) } }
            if !accepted.isEmpty { situation.meal = .pending }
        }

        private mutating func settle(_ log: ShownMealLog) {
            guard log.isFinal, pending.remove(log.id) != nil else { return }
            if pending.isEmpty { situation.meal = .done }
        }
    }
}

extension RecordedClosing {
    fileprivate var hasCloseFrame: Bool { cause == .closeFrame || summary.sent != nil || summary.received != nil }
}

/// A set of situations, stored in 63 bytes.
public struct Coverage: Sendable, Hashable {
    private var words = [UInt64](repeating: 0, count: (Situation.count + 63) / 64)

    public init() {}

    public mutating func insert(_ situation: Situation) {
        words[situation.index / 64] |= 1 << UInt64(situation.index % 64)
    }

    public func contains(_ situation: Situation) -> Bool { contains(index: situation.index) }

    private func contains(index: Int) -> Bool { words[index / 64] & 1 << UInt64(index % 64) != 0 }

    public mutating func formUnion(_ other: Coverage) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The situations, in order.
    public var situations: [Situation] { (0..<Situation.count).filter(contains(index:)).map(Situation.init(index:)) }
}

/// A situation that clients can reach, and how to reach it.
public struct ReachableSituation: Sendable, Hashable {
    public let situation: Situation
    /// The fastest built-in scenario to reach it, or `explore --only FAMILY` if it requires faults.
    ///
    /// The way is nil if only random clients reached the situation.
    public let way: String?

    public init(_ situation: Situation, way: String?) { (self.situation, self.way) = (situation, way) }

    /// The built-in scenario that reaches it, if any.
    var scenario: String? { way.flatMap { $0.contains(" ") ? nil : $0 } }

    /// The way as command-line arguments.
    var arguments: String? { scenario.map { "--\(Self.option) \($0)" } ?? way }
    /// The command's option for a scenario.
    private static let option = "scenario"

    /// The situations in `Fixtures/data/coverage.tsv`, with the shortest way first.
    ///
    /// `scripts/explore coverage --write` finds them with random clients, stories and faults. Clients may reach
    /// situations that are not in the list.
    public static let all: [ReachableSituation] = {
        let text = EmbeddedText(path: path)
        guard let rows = read(UnsafeBufferPointer(start: text.start, count: text.count)) else {
            preconditionFailure("\(path) has a row that cannot be read.")
        }
        return rows
    }()

    private static let path = "Fixtures/data/coverage.tsv"

    /// Reads a table, or returns nil if a row is malformed or repeats a situation.
    ///
    /// After a heading, each row contains the names of a situation's members and the way (`-` if there is none),
    /// separated by tabs.
    package static func read(_ bytes: some Collection<UInt8>) -> [ReachableSituation]? {
        var rows: [ReachableSituation] = []
        var seen = Coverage()
        for line in bytes.split(separator: .lineFeed).dropFirst() {
            let parts = line.split(separator: .tab, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 5, let situation = Situation(names: Array(parts[..<4])), !seen.contains(situation),
                !parts[4].isEmpty
            else { return nil }
            seen.insert(situation)
            rows.append(ReachableSituation(situation, way: parts[4] == "-" ? nil : parts[4]))
        }
        return rows
    }
}

extension Situation {
    public var names: [String] { ["\(socket)", "\(token)", "\(meal)", "\(trouble)"] }

    /// Finds the situation with these names, or returns nil if a name is unknown.
    init?(names: [String]) {
        guard let index = Self.indices[names] else { return nil }
        self.init(index: index)
    }

    private static let indices = Dictionary(uniqueKeysWithValues: (0..<count).map { (Situation(index: $0).names, $0) })
}
