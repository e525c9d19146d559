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
