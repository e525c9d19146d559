import FitIQAPI
import HeapModule
import JSON

/// The FitIQ domain of one world: users, goals, consultations, messages, meal logs, and everything in progress.
///
/// A pure value. Commands take a ``Turn``, which provides the time and the ids and collects the effects. Future events
/// are due at ``nextDeadline`` and happen in ``advance(_:)``. A command first performs what was due by its time, so a
/// late loop changes neither the events nor their order; even a refused command may therefore leave effects.
public struct Backend: Sendable {
    public struct Configuration: Sendable {
        /// The origin of this server, such as `http://127.0.0.1:8080`: avatars are URLs on it.
        public var origin: String
        public var pace: Pace
        public var mode: GuideMode
        /// The storage limits.
        public var limits: Limits
        /// The script that replaces the built-in coach and parser, until ``Backend/setScript(_:)``.
        public var script: Script

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
    /// Bytes of JSON in all users, consultations, histories, goals and meal logs.
    public internal(set) var storedBytes = 0
    /// The limit of `storedBytes`: ``Limits/storedBytes``, unless worlds share their storage.
    public var storageRoom: StorageRoom

    /// Creates a backend without users.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        configuration.script.checkInvariants()
        script = configuration.script
        storageRoom = StorageRoom(bytes: configuration.limits.storedBytes, limit: configuration.limits.storedBytes)
    }

    /// Replaces the script for future questions and meals.
    ///
    /// Questions and meals accepted before continue as they started.
    public mutating func setScript(_ script: Script) {
        script.checkInvariants()
        self.script = script
    }

    /// The next time to call ``advance(_:)``; nil while nothing is due.
    public var nextDeadline: Timestamp? { schedule.min?.time }

    /// Returns the user with this id, creating it on first use.
    ///
    /// - Throws: 507 at the limit of users, or if the world is full.
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

    public func name(of user: UserID) -> ExactString { users[user].id }

    /// The position of this user's consultation; throws 404 for another user's, as if it did not exist.
    ///
    /// - Parameter field: The body field that held the id; nil for the path.
    func position(of id: String, ownedBy user: UserID, field: String? = nil) throws(APIError) -> Int {
        guard let resource = ResourceID(id), let position = positions[resource], consultations[position].owner == user
        else { throw .unknownConsultation(id, field: field) }
        return position
    }

    /// Changes a consultation and updates its JSON, so that reads are cheap.
    mutating func update(_ position: Int, at now: Timestamp, _ change: (inout ConsultationRecord) -> Void) {
        storedBytes -= consultations[position].byteCount
        change(&consultations[position])
        consultations[position].consultation.updatedAt = now
        consultations[position].encode(in: configuration.mode, origin: configuration.origin)
        storedBytes += consultations[position].byteCount
    }
}

extension Backend {
    public var userCount: Int { users.count }
    public var openSocketCount: Int { sockets.count }
    public var consultationCount: Int { consultations.count }
}

/// The limits of a world; each has its refusal (docs/limits.md).
public struct Limits: Sendable, Equatable {
    /// Active consultations per user; 429 beyond (consultation-websocket).
    public var activeConsultations = 10
    /// Users per world; 507 beyond.
    public var users = 100_000
    /// Messages per consultation; an `error` frame beyond.
    public var messages = 10_000
    /// Messages per consultation that wait for an answer; an `error` frame beyond.
    public var waitingMessages = 16
    /// Goals per user; 507 beyond.
    public var goals = 1000
    /// Meal logs per user; 507 beyond.
    public var mealLogs = 10_000
    /// Bytes of JSON per world; beyond, 507 or an `error` frame, and a meal log in processing fails.
    public var storedBytes = 256 * 1024 * 1024

    /// Creates the documented limits.
    public init() {}
}

/// The bytes of JSON that a world may hold: its own limit, or what other worlds leave of a shared one.
public struct StorageRoom: Sendable, Equatable {
    /// The bytes that the world may hold, including what it holds already.
    public var bytes: Int
    /// The limit that this room comes from; refusals name it.
    public var limit: Int

    /// Creates room for a number of bytes, capped by a limit.
    public init(bytes: Int, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }
}

/// The input and output of a command: the time, the ids to issue, and the effects.
public struct Turn: Sendable {
    public var now: Timestamp
    /// The source of new ids.
    public var identifiers: ResourceIDSequence
    /// The effects on sockets, in order; the caller removes them.
    public var effects: [Effect] = []

    public init(now: Timestamp, identifiers: ResourceIDSequence) {
        self.now = now
        self.identifiers = identifiers
    }
}

/// A user's index within a world, looked up once by the token's id.
public struct UserID: Hashable, Sendable {
    let index: Int
}

/// The caller's number for an open WebSocket.
public struct SocketID: Hashable, Sendable {
    /// Chosen by the caller, unique among the open sockets.
    public let number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// An action on a socket that a command requests.
public enum Effect: Equatable, Sendable {
    /// Send one text frame with these bytes of JSON.
    case send(SocketID, [UInt8])
    /// Start the closing handshake; the backend has already removed the socket.
    case close(SocketID, code: UInt16, reason: String)
}

/// A scheduled event: the next step of an answer, or the end of a meal log's processing.
struct ScheduledStep: Comparable, Sendable {
    enum Work: Equatable, Sendable {
        /// The next step of this answer; skipped if the answer has ended.
        case answer(ResourceID)
        /// The processing of a meal log ends.
        case mealLog

        fileprivate var rank: Int { self == .mealLog ? 1 : 0 }
    }

    let time: Timestamp
    /// The index of the consultation or meal log in the backend's list.
    let position: Int
    let work: Work

    /// Orders by time; at the same time, answers come before meal logs, each in the order of creation.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.work.rank, left.position) < (right.time, right.work.rank, right.position)
    }
}

extension Backend {
    /// The messages of a consultation of any user, oldest first, without a streaming answer.
    ///
    /// Nil if there is no such consultation.
    package func history(ofConsultation id: String) -> [Message]? {
        ResourceID(id.lowercased()).flatMap { positions[$0] }.map { consultations[$0].history.messages }
    }
}
