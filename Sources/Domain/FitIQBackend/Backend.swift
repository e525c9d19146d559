import FitIQAPI
import HeapModule
import JSON

/// The FitIQ domain of one world: users, goals, consultations, messages, meal logs, and all work in progress.
///
/// Commands take a ``Turn``, which provides the time and the ids and collects the effects. ``advance(_:)`` performs
/// future events from ``nextDeadline`` on. A command first performs all steps due by its time, so a late loop changes
/// neither the events nor their order. Even a rejected command may therefore have effects.
public struct Backend: Sendable {
    public struct Configuration: Sendable {
        /// This server's origin, such as `http://127.0.0.1:8080`, used for avatar URLs.
        public var origin: String
        public var pace: Pace
        public var mode: GuideMode
        public var limits: Limits
        /// The script that replaces the built-in coach and parser, until ``Backend/setScript(_:)``.
        public var script: Script
        public var rules: WorldRules
        /// The seed for the data generated for unknown users.
        public var seed: UInt64

        public init(
            origin: String, pace: Pace = .human, mode: GuideMode = .union, limits: Limits = Limits(),
            script: Script = Script(), rules: WorldRules = WorldRules(), seed: UInt64 = 1
        ) {
            (self.origin, self.pace, self.mode) = (origin, pace, mode)
            (self.limits, self.script, self.rules, self.seed) = (limits, script, rules, seed)
        }
    }

    package internal(set) var configuration: Configuration
    public private(set) var script: Script
    package internal(set) var users = Shelf<User>()
    package internal(set) var consultations = Shelf<ConsultationRecord>()
    package internal(set) var goals = Shelf<GoalRecord>()
    package internal(set) var mealLogs = Shelf<MealLogRecord>()
    /// The users who have or had templates that others can read.
    var sharers: Set<UserID> = []
    /// The users with accounts, keyed by their addresses in lower case.
    package internal(set) var addresses: [ExactString: UserID] = [:]
    /// The highest password cost so far; every login takes as long as one at this cost.
    var passwordWork = 0
    var sockets: [SocketID: OpenSocket] = [:]
    package internal(set) var mealSockets: [UserID: MealSocket] = [:]
    var schedule = Heap<ScheduledStep>() { didSet { nextDeadline = schedule.min?.time } }
    /// The next time to call ``advance(_:)``; nil while nothing is due.
    ///
    /// The deadline is stored because the loop reads it in each turn, and reading another module's computed property
    /// copies the backend.
    public private(set) var nextDeadline: Timestamp?
    /// The number of steps above which a deletion removes obsolete steps.
    var mostSteps = Backend.spareSteps
    /// Unsaved changes that the shelves do not track; nil if changes are not saved.
    var unsaved: UnsavedEntities?
    /// Bytes of JSON in all users, consultations, histories, goals, meal logs, photos and documents.
    public internal(set) var storedBytes = 0
    /// The limit on `storedBytes`: ``Limits/storedBytes`` unless worlds share their storage.
    public var storageRoom: StorageRoom

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        configuration.script.checkInvariants()
        script = configuration.script
        storageRoom = StorageRoom(bytes: configuration.limits.storedBytes, limit: configuration.limits.storedBytes)
    }

    /// Replaces the script for future questions and meals; earlier questions and meals continue unchanged.
    public mutating func setScript(_ script: Script) {
        script.checkInvariants()
        self.script = script
    }

    /// Returns the user with this id, creating it on first use.
    ///
    /// - Throws: A 507 at the user limit, or if the world is full.
    public mutating func user(_ id: ExactString) throws(APIError) -> UserID {
        if let user = users[id] { return user }
        let limit = configuration.limits.users
        guard users.count < limit else { throw .storeFull("users", limit: limit) }
        try checkStorage()
        return add(id)
    }

    mutating func add(_ id: ExactString) -> UserID {
        let user = UserID(index: users.append(User(id: id)))
        storedBytes += users[user].byteCount
        return user
    }

    public func name(of user: UserID) -> ExactString { users[user].id }

    /// The resource with this id from a path or a body.
    func resource(_ id: String) -> ResourceID? { ResourceID(id, as: configuration.rules.ids ?? .lowerCase) }

    /// An id of any kind in the backend's spelling; returns other strings unchanged.
    func canonical(_ id: ExactString) -> ExactString { resource(id.text).map { ExactString("\($0)") } ?? id }

    /// The position of this user's consultation; throws 404 for other users' consultations and unknown ids.
    ///
    /// - Parameter field: The body field with the id; nil for the path.
    func position(of id: String, ownedBy user: UserID, field: String? = nil) throws(APIError) -> Int {
        guard let resource = resource(id), let position = consultations.position(of: resource),
            consultations[position].owner == user
        else { throw .unknownConsultation(id, field: field) }
        return position
    }

    /// Changes a consultation and updates its JSON, so that reads are cheap.
    mutating func update(_ position: Int, at now: Timestamp, _ change: (inout ConsultationRecord) -> Void) {
        storedBytes -= consultations[position].byteCount
        list(position, isListed: false)
        change(&consultations[position])
        consultations[position].consultation.updatedAt = now
        consultations[position].encode(in: configuration.mode, origin: configuration.origin)
        list(position)
        storedBytes += consultations[position].byteCount
    }

    public var userCount: Int { users.count }
    public var openSocketCount: Int { sockets.count }
    public var consultationCount: Int { consultations.count }
    public var goalCount: Int { goals.count }
    public var mealLogCount: Int { mealLogs.count }
    /// The number of scheduled steps, including obsolete ones.
    package var scheduledStepCount: Int { schedule.count }

    /// The messages of any user's consultation, oldest first, without a streaming answer; empty for an unknown id.
    package func history(of id: ResourceID) -> [Message] {
        consultations.position(of: id).map { consultations[$0].history.messages } ?? []
    }
}

/// The key for finding duplicates among a user's active consultations (consultation-websocket, 409).
package struct Topic: Hashable, Sendable {
    var persona: Persona
    var context: ConsultationContext
}

/// A user and their entities, as indexes into the backend's lists.
package struct User: Identifiable, Sendable {
    package let id: ExactString
    /// The consultations ordered by latest change, then by creation.
    package internal(set) var consultations = Listing<Consultation.Kind>()
    /// The active consultations, in the order of activation; the limit keeps the list short.
    package internal(set) var active: [Int] = []
    /// The goals, oldest first.
    package internal(set) var goals: [Int] = []
    /// The meal logs ordered by the client's time, then by arrival.
    package internal(set) var mealLogs = Listing<MealLog.Kind>()
    /// The meal photos, oldest first.
    package internal(set) var photos: [MealPhoto] = []
    /// The documents, oldest first; no list is empty.
    package internal(set) var documents: [DocumentCollection: [Document]] = [:]

    /// The user's stored data; nil for most users.
    package internal(set) var person: Person? {
        get { if case .person(let person)? = box { person } else { nil } }
        set { box = newValue.map(PersonBox.person) }
    }
    /// Stored indirectly, so that users without data are small.
    private var box: PersonBox?
    private indirect enum PersonBox: Sendable { case person(Person) }

    init(id: ExactString) { self.id = id }

    /// The memory that an empty user takes, in bytes: ten times the size of its JSON.
    private static let memory = 512

    /// The size of the id and list names in JSON, of the user's data, and of the user in memory.
    ///
    /// Exports contain the id, and an export must not exceed the counted size.
    package var byteCount: Int {
        var writer = JSONWriter(reserving: id.utf8.count + 2)
        writer.value(id.text)
        return writer.count + 64 + Self.memory + (person?.byteCount(of: id) ?? 0)
    }
}

extension Shelf<User> {
    package subscript(id: ExactString) -> UserID? { position(of: id).map(UserID.init) }
    package var ids: some Sequence<UserID> { positions.lazy.map(UserID.init) }

    package internal(set) subscript(user: UserID) -> User {
        _read { yield self[user.index] }
        _modify { yield &self[user.index] }
    }
}

/// A world's limits, each with the error for exceeding it (docs/limits.md).
public struct Limits: Sendable, Equatable {
    /// Active consultations per user; creating one more gets 429 (consultation-websocket).
    public var activeConsultations = 10
    /// Users per world; creating one more gets 507.
    public var users = 100_000
    /// Messages per consultation; sending one more gets an `error` frame.
    public var messages = 10_000
    /// Messages per consultation that are waiting for an answer; sending one more gets an `error` frame.
    public var waitingMessages = 16
    /// Goals per user; creating one more gets 507.
    public var goals = 1000
    /// Meal logs per user; creating one more gets 507.
    public var mealLogs = 10_000
    /// Meal photos per user; at the limit, a new photo removes the oldest confirmed one or, if none is confirmed, the
    /// oldest.
    public var photos = 20
    /// Documents per collection and user; creating one more gets 507.
    public var documents = 10_000
    /// Other users with access to a document; sharing with one more gets 507.
    public var shares = 100
    /// Valid refresh tokens per account; at the limit, a new token revokes the oldest.
    public var refreshTokens = 20
    /// A user's connections to the meal socket within a minute; one more gets an `error` frame and close code 1008.
    public var mealSocketsPerMinute = 10
    /// Nanoseconds without a client frame before the meal socket closes with 1000.
    public var mealSocketIdle: Int64 = 600_000_000_000
    /// Bytes of JSON per world; at the limit, requests get 507 or an `error` frame, and a meal log that is being
    /// processed fails.
    public var storedBytes = 256 * 1024 * 1024

    /// Creates the documented limits.
    public init() {}
}

/// The bytes of JSON that a world may hold: its own limit or its share of a common limit.
public struct StorageRoom: Sendable, Equatable {
    /// The number of bytes that the world may hold, including the current bytes.
    public var bytes: Int
    /// The configured limit, which error messages mention.
    public var limit: Int

    public init(bytes: Int, limit: Int) { (self.bytes, self.limit) = (bytes, limit) }
}

/// The input and output of a command: the time, the ids to issue, and the effects.
public struct Turn: Sendable {
    /// The time on the world's timeline, which schedules all events and never jumps.
    public var now: Timestamp
    /// By how many nanoseconds the world's date is ahead of its timeline because the system's clock was changed.
    public var dateShift: Int64
    /// The source of new ids.
    public var identifiers: ResourceIDSequence
    /// The effects on sockets, in order; the caller must remove them.
    public var effects: [Effect] = []

    public init(now: Timestamp, dateShift: Int64 = 0, identifiers: ResourceIDSequence) {
        (self.now, self.dateShift, self.identifiers) = (now, dateShift, identifiers)
    }

    /// The date that clients see, in entities and for the expiry of tokens.
    public var date: Timestamp { now.advanced(byNanoseconds: dateShift) }
}

/// A user's position in a world, found once by the token's id; positions are not reused.
public struct UserID: Hashable, Sendable { let index: Int }

/// The caller's number for an open WebSocket.
public struct SocketID: Hashable, Sendable {
    /// The number, unique among the open sockets.
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// An action on a socket, requested by a command.
public enum Effect: Equatable, Sendable {
    /// Send one text frame with these bytes of JSON.
    case send(SocketID, [UInt8])
    /// Start the closing handshake; the backend has already removed the socket.
    case close(SocketID, code: UInt16, reason: String)
}

/// A scheduled event: the next step of an answer, the end of a meal log's processing, or a check for an idle socket.
struct ScheduledStep: Comparable, Sendable {
    enum Work: Equatable, Sendable {
        /// The next step of this answer; skipped once the answer has ended.
        case answer(ResourceID)
        /// The processing of a meal log ends.
        case mealLog
        /// A meal socket may have been idle for too long; skipped if the socket is closed.
        case mealSocket(SocketID)

        fileprivate var rank: Int {
            switch self {
            case .answer: 0
            case .mealLog: 1
            case .mealSocket: 2
            }
        }
    }

    let time: Timestamp
    /// The index of the consultation, meal log or user in the backend's list.
    let position: Int
    let work: Work

    /// Orders by time; among events due at the same time, answers come first and sockets last, each in the order of
    /// creation.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.work.rank, left.position) < (right.time, right.work.rank, right.position)
    }
}

/// Slow work that depends only on values, so that any thread can do it.
public struct Deferred<Value: Sendable>: Sendable {
    /// The approximate time in units of 10 ns, which is the time it takes to parse a byte.
    public let cost: Int
    public let make: @Sendable () -> Value

    init(cost: Int, _ make: @escaping @Sendable () -> Value) { (self.cost, self.make) = (cost, make) }

    /// Creates work that mostly parses the given number of bytes.
    public init(parsing bytes: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: bytes, make) }

    /// Creates work that mostly copies bytes, which is 32 times as fast as parsing.
    init(copying bytes: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: bytes / 32, make) }

    /// Creates work that mostly iterates PBKDF2.
    init(iterating count: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: 25 * count, make) }
}
