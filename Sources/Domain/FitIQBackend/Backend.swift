import FitIQAPI
import HeapModule
import JSON

/// The FitIQ domain of one world: users, goals, consultations, messages, meal logs, and what is under way.
///
/// A pure value. Commands take a ``Turn``, which brings the time and the ids and collects the effects; what lies in the
/// future is told by ``nextDeadline`` and happens when ``advance(_:)`` is called. A command first does what was due by its
/// time, so that a late loop changes neither what happens nor in which order; a refused one may so leave effects as well.
public struct Backend: Sendable {
    /// What a backend is made with.
    public struct Configuration: Sendable {
        /// Where this server is reached, `http://127.0.0.1:8080`: avatars are URLs on it.
        public var origin: String
        /// How fast answers come.
        public var pace: Pace
        /// Which guide's answers are given.
        public var mode: GuideMode
        /// How much is kept.
        public var limits: Limits
        /// What is done in place of the built-in coach and parser, until ``Backend/setScript(_:)``.
        public var script: Script

        /// Makes a configuration.
        public init(
            origin: String, pace: Pace = .human, mode: GuideMode = .union, limits: Limits = Limits(),
            script: Script = Script()
        ) {
            self.origin = origin
            self.pace = pace
            self.mode = mode
            self.limits = limits
            self.script = script
        }
    }

    let configuration: Configuration
    /// What is done in place of the built-in coach and parser.
    public private(set) var script: Script
    var users = UserTable()
    var consultations: [ConsultationRecord] = []
    var positions: [ResourceID: Int] = [:]
    var goals: [GoalRecord] = []
    var goalPositions: [ResourceID: Int] = [:]
    var mealLogs: [MealLogRecord] = []
    var mealLogPositions: [ResourceID: Int] = [:]
    var sockets: [SocketID: OpenSocket] = [:]
    var schedule = Heap<ScheduledStep>()
    /// Bytes of JSON held by all users, consultations, histories, goals and meal logs.
    public internal(set) var storedBytes = 0
    /// How many there may be: ``Limits/storedBytes``, until it is told otherwise because worlds share what there is.
    public var storageRoom: StorageRoom

    /// Makes a backend without users.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        configuration.script.checkInvariants()
        script = configuration.script
        storageRoom = StorageRoom(bytes: configuration.limits.storedBytes, limit: configuration.limits.storedBytes)
    }

    /// Changes what coaches and the parser do with what comes from now on.
    ///
    /// Questions and meals that were accepted before go on as they began.
    public mutating func setScript(_ script: Script) {
        script.checkInvariants()
        self.script = script
    }

    /// When ``advance(_:)`` is to be called next; nil while nothing is due.
    public var nextDeadline: Timestamp? { schedule.min?.time }

    /// The user with this id, made on first sight.
    ///
    /// - Throws: 507 where the limit of users is reached, or the world is full.
    public mutating func user(_ id: ExactString) throws(APIError) -> UserID {
        if let user = users[id] { return user }
        guard users.count < configuration.limits.users else {
            throw .storeFull("users", limit: configuration.limits.users)
        }
        try checkStorage()
        return add(id)
    }

    mutating func add(_ id: ExactString) -> UserID {
        let user = users.add(id)
        storedBytes += users[user].byteCount
        return user
    }

    /// The id of a user.
    public func name(of user: UserID) -> ExactString { users[user].id }

    /// The position of a consultation of this user; 404 for anybody else's, as if it did not exist.
    ///
    /// - Parameter field: where in the body the id stood; nil for the path.
    func position(of id: String, ownedBy user: UserID, field: String? = nil) throws(APIError) -> Int {
        guard let resource = ResourceID(id), let position = positions[resource], consultations[position].owner == user
        else { throw .unknownConsultation(id, field: field) }
        return position
    }

    /// Changes a consultation and brings its JSON up to date, so that reading it costs nothing.
    mutating func update(_ position: Int, at now: Timestamp, _ change: (inout ConsultationRecord) -> Void) {
        storedBytes -= consultations[position].byteCount
        change(&consultations[position])
        consultations[position].consultation.updatedAt = now
        consultations[position].encode(in: configuration.mode, origin: configuration.origin)
        storedBytes += consultations[position].byteCount
    }
}

extension Backend {
    /// How many users have been seen.
    public var userCount: Int { users.count }
    /// How many sockets are open.
    public var openSocketCount: Int { sockets.count }
    /// How many consultations exist, in any status.
    public var consultationCount: Int { consultations.count }
}

/// How much a world keeps; each limit has its refusal (docs/limits.md).
public struct Limits: Sendable, Equatable {
    /// Active consultations of a user; 429 beyond (consultation-websocket).
    public var activeConsultations = 10
    /// Users of a world; 507 beyond.
    public var users = 100_000
    /// Messages of a consultation; an `error` frame beyond.
    public var messages = 10_000
    /// Messages of a consultation that wait for an answer; an `error` frame beyond (CONTRACT: the WebSocket).
    public var waitingMessages = 16
    /// Goals of a user; 507 beyond.
    public var goals = 1000
    /// Meal logs of a user; 507 beyond.
    public var mealLogs = 10_000
    /// Bytes of JSON that a world holds; beyond, 507 or an `error` frame, and a meal log being processed fails.
    public var storedBytes = 256 * 1024 * 1024

    /// The documented limits.
    public init() {}
}

/// How many bytes of JSON a world may hold: its own limit, or what other worlds leave of one that they share.
public struct StorageRoom: Sendable, Equatable {
    /// What the world may hold now, what it holds already included.
    public var bytes: Int
    /// The limit that this comes from, which refusals name.
    public var limit: Int

    /// Makes room for so many bytes, as far as a limit allows them.
    public init(bytes: Int, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}

/// What a command is given, and what it leaves behind: the time, the ids to issue, the effects.
public struct Turn: Sendable {
    /// The time at which everything in this turn happens.
    public var now: Timestamp
    /// Where new ids come from.
    public var identifiers: ResourceIDSequence
    /// What the sockets are to be told, in order; the caller takes them out.
    public var effects: [Effect] = []

    /// Begins a turn.
    public init(now: Timestamp, identifiers: ResourceIDSequence) {
        self.now = now
        self.identifiers = identifiers
    }
}

/// A user's number within a world: the id in a token, looked up once.
public struct UserID: Hashable, Sendable {
    let index: Int
}

/// The caller's number for an open WebSocket.
public struct SocketID: Hashable, Sendable {
    /// Chosen by the caller, unique among the open sockets.
    public let number: UInt64

    /// Names a socket.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// Something that a command wants done to a socket.
public enum Effect: Equatable, Sendable {
    /// Send one text frame with these bytes of JSON.
    case send(SocketID, [UInt8])
    /// Begin the closing handshake; the backend has forgotten the socket already.
    case close(SocketID, code: UInt16, reason: String)
}

/// Something that is due: an answer goes on, or the processing of a meal log ends.
struct ScheduledStep: Comparable, Sendable {
    enum Work: Equatable, Sendable {
        /// The next step of this answer; where it has ended already, the entry is passed over.
        case answer(ResourceID)
        /// A meal log is done.
        case mealLog

        fileprivate var rank: Int { self == .mealLog ? 1 : 0 }
    }

    let time: Timestamp
    /// Of the consultation, or of the meal log, in the backend's list.
    let position: Int
    let work: Work

    /// By time; what is due at the same time: answers before meal logs, each in the order in which they were made.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.work.rank, left.position) < (right.time, right.work.rank, right.position)
    }
}

extension Backend {
    /// The messages of a consultation, whoever's it is, oldest first; an answer that streams is none yet.
    ///
    /// Nil where there is no such consultation.
    package func history(ofConsultation id: String) -> [Message]? {
        ResourceID(id.lowercased()).flatMap { positions[$0] }.map { consultations[$0].history.messages }
    }
}
