import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios
import Traffic

/// One isolated backend with its own state, clock, ids and credentials.
///
/// This is a class because a world has an identity, and commands change several of its parts in place.
final class World {
    /// The world's id in paths; nil for the default world.
    let id: String?
    /// A number that orders worlds by age; newer worlds have greater numbers.
    let number: Int
    /// The number of resets and rewinds; ``reloadCount`` counts reloads of the scenario.
    @exclusivity(unchecked) private(set) var life = 0
    @exclusivity(unchecked) var reloadCount = 0
    /// The settings with which the world was created, for a reset.
    @exclusivity(unchecked) var settings: WorldSettings
    /// The settings for the next reset if the scenario has been reloaded.
    @exclusivity(unchecked) var reloadedSettings: WorldSettings?
    @exclusivity(unchecked) private(set) var clock: WorldClock
    @exclusivity(unchecked) var backend: Backend
    /// The turn, which provides the time and ids for the backend and its effects; the turn's time is always the world's
    /// time.
    @exclusivity(unchecked) var turn: Turn
    @exclusivity(unchecked) var authenticator: Authenticator
    /// The replay that answers instead of the backend; nil if the world has no session.
    @exclusivity(unchecked) var replay: WorldReplay?
    /// The expiry of the token that the server issues for the world, in seconds since 1970.
    @exclusivity(unchecked) private(set) var tokenExpiry: Int64
    @exclusivity(unchecked) var faults: FaultBook
    /// The network that delays the bytes of the world's clients, if any.
    @exclusivity(unchecked) var network: Network?
    @exclusivity(unchecked) var journal = Journal()
    /// The number of connections in the world's journal; a connection that returns from another world counts again.
    @exclusivity(unchecked) var connectionCount: UInt64 = 0
    @exclusivity(unchecked) var responseFields = ResponseFields()
    /// When to continue connections that have held output or pings that are due, and when to reset silenced
    /// connections, by the world's clock.
    @exclusivity(unchecked) var heldOutputs = DeadlineQueue<ConnectionID>()
    /// Held items and marks; nil until first used.
    @exclusivity(unchecked) var live: LiveControl?
    /// When the world was last used, by the system's clock.
    @exclusivity(unchecked) var lastUsed: Timestamp
    /// The world's stored bytes of JSON, not counting its users' data.
    @exclusivity(unchecked) var written = WrittenBytes()
    /// The amounts that this world contributes to the sums in ``WorldTable``.
    @exclusivity(unchecked) var accountedStorage = 0, accountedJournal = 0
    /// A number that grows whenever there is traffic on the world's connections.
    @exclusivity(unchecked) var activity: UInt64 = 0
    /// The judge for the world's client; nil until a judgement is first requested.
    @exclusivity(unchecked) var judge: WorldJudge?
    /// The entry number at which the judge must read again, before the journal can drop unread entries.
    @exclusivity(unchecked) var judgesNextAt = Int.max
    /// The number of the last entry before the current life, or before the journal was cleared.
    @exclusivity(unchecked) var forgottenNumber = 0
    /// The time of the world's entry in the engine's queue, by the system's clock.
    @exclusivity(unchecked) var queuedDeadline: Timestamp?
    /// The part that is in the state file; nil if the file contains no data from this life.
    @exclusivity(unchecked) var savedPart: SavedPart?
    /// Whether the state file contains data from this world, either committed or being written.
    @exclusivity(unchecked) var isInFile = false
    @exclusivity(unchecked) var awaitsSaving = false
    /// Whether the state file contains only part of the changes since the last commit.
    @exclusivity(unchecked) var isPartlySaved = false
    /// The number of sockets connected to the world's real server.
    @exclusivity(unchecked) var upstreamSocketCount = 0
    /// Requests that are waiting for the world to resume; nil unless it is paused.
    @exclusivity(unchecked) var pause: WorldPause?
    /// How many times the world's manual clock has been advanced.
    var clockMoveCount = 0
    /// The clock advance in progress.
    weak var clockMove: ClockMove?
    /// The world to whose run this world belongs; nil for most worlds.
    @exclusivity(unchecked) var owner: World?
    /// The world's run; nil for most worlds.
    @exclusivity(unchecked) var run: WorldRun?
    /// The start of the current life, by the world's clock.
    @exclusivity(unchecked) private(set) var start: Timestamp
    /// The refresh token issued with the world, if any.
    @exclusivity(unchecked) private(set) var refreshToken: String?
    /// Whether the world was deleted, possibly because it was idle for too long.
    @exclusivity(unchecked) private(set) var isGone = false

    var mode: GuideMode { settings.mode }
    /// The id, or ``defaultID`` for the default world.
    var name: String { id ?? World.defaultID }
    static let defaultID = "default"

    struct State: Sendable {
        fileprivate var clock: WorldClock
        fileprivate var backend: Backend
        fileprivate var turn: Turn
        fileprivate var replay: WorldReplay?
        var storedBytes: Int { backend.storedBytes }

        /// - Throws: A 400 if the data is inconsistent or the session was not read, or a 507 if the data exceeds the
        ///   limit.
        init(
            _ draft: WorldDraft, room: StorageRoom, exportRoom: StorageRoom, now: Timestamp, dateShift: Int64
        ) throws(APIError) {
            let (settings, restored) = (draft.settings, draft.restored)
            if let path = settings.scenario.unreadOverlay { throw .overlayNotRead(path) }
            replay = try WorldReplay(settings)
            clock = WorldClock(settings.clock)
            if let start = clock.manualTime, let restored { clock.move(to: max(start, restored.saved.time)) }
            backend = settings.makeBackend()
            backend.storageRoom = room
            turn = Turn(
                now: clock.now(now), dateShift: clock.manualTime == nil ? dateShift : 0,
                identifiers: ResourceIDSequence(seed: settings.seed))
            do throws(PlantError) {
                if let restored {
                    try backend.plant(restored.state.data, &turn, isRestored: true)
                } else {
                    try backend.plant(settings.scenario.data, &turn, exportRoom: exportRoom)
                }
            } catch {
                throw APIError(error)
            }
        }
    }

    /// - Parameter now: The system's time.
    init(id: String?, number: Int, _ beginning: WorldBeginning, now: Timestamp) {
        let (settings, state) = (beginning.draft.settings, beginning.state)
        (self.id, self.number, self.settings, lastUsed) = (id, number, settings, now)
        (written.scenario, written.rules) = (beginning.draft.scenarioBytes, beginning.draft.ruleBytes)
        (clock, backend, turn, replay) = (state.clock, state.backend, state.turn, state.replay)
        authenticator = settings.makeAuthenticator()
        faults = settings.makeFaults()
        network = settings.makeNetwork(from: state.turn.now)
        tokenExpiry = settings.tokenExpiry(at: state.turn.date)
        start = state.turn.date
    }

    /// Restarts the world, and drops all work in progress.
    func begin(_ beginning: WorldBeginning) {
        let (settings, state) = (beginning.draft.settings, beginning.state)
        life += 1
        self.settings = settings
        (written.scenario, written.rules, written.marks) = (beginning.draft.scenarioBytes, beginning.draft.ruleBytes, 0)
        (reloadedSettings, clockMove, refreshToken, start) = (nil, nil, nil, beginning.state.turn.date)
        (clock, backend, turn, replay) = (state.clock, state.backend, state.turn, state.replay)
        authenticator = settings.makeAuthenticator()
        if !beginning.draft.keepsFaults { (faults, written.faults) = (settings.makeFaults(), [:]) }
        network = settings.makeNetwork(from: state.turn.now)
        clearJournal()
        (heldOutputs, live) = (DeadlineQueue(), nil)
        queuedDeadline = nil
        tokenExpiry = settings.tokenExpiry(at: state.turn.date)
        responseFields.update(to: turn.date)
    }

    /// A world's state at one moment, for marks and forks; connections and the journal are not included.
    struct Snapshot: Sendable {
        fileprivate(set) var settings: WorldSettings
        fileprivate(set) var backend: Backend
        fileprivate let clock: WorldClock
        fileprivate let turn: Turn
        fileprivate var replay: WorldReplay?
        fileprivate let tokenExpiry: Int64
        fileprivate let faults: FaultBook
        fileprivate let network: Network?
        fileprivate let written: WrittenBytes

        /// A copy that has no sockets and shares no storage with the original.
        func copied(with settings: WorldSettings) -> Snapshot {
            var copy = self
            copy.settings = settings
            copy.backend = backend.copied(to: settings.origin)
            copy.replay = replay?.copied(to: settings.origin, at: turn.now)
            return copy
        }
    }

    var snapshot: Snapshot {
        Snapshot(
            settings: settings, backend: backend, clock: clock, turn: turn, replay: replay, tokenExpiry: tokenExpiry,
            faults: faults, network: network, written: written)
    }

    /// Creates a world from a snapshot of another world, and copies that world's journal and judge.
    init(id: String, number: Int, continuing parent: World, from snapshot: Snapshot, at now: Timestamp) {
        (self.id, self.number, lastUsed) = (id, number, now)
        (settings, clock, backend, turn) = (snapshot.settings, snapshot.clock, snapshot.backend, snapshot.turn)
        (replay, faults, tokenExpiry) = (snapshot.replay, snapshot.faults, snapshot.tokenExpiry)
        network = snapshot.network
        (written.scenario, written.rules) = (snapshot.written.scenario, snapshot.written.rules)
        written.faults = snapshot.written.faults
        authenticator = snapshot.settings.makeAuthenticator()
        (start, owner) = (parent.start, parent.owner)
        (journal, connectionCount) = (parent.journal, parent.connectionCount)
        (judge, judgesNextAt, forgottenNumber) = (parent.judge, parent.judgesNextAt, parent.forgottenNumber)
        turn.dateShift = parent.turn.dateShift
        setTime(now)
    }

    /// Records the end of a socket that stayed in the original world.
    func recordLostSocket(_ connection: UInt64) {
        let closing = RecordedClosing(by: .server, cause: .shutdown, message: "The world was forked")
        journal.record(.closed(closing), at: turn.date, connection: connection)
    }

    /// Restores an earlier state; the journal and the connection numbers continue.
    func goBack(to snapshot: Snapshot, at now: Timestamp) {
        life += 1
        let dateShift = turn.dateShift
        (settings, clock, backend, turn) = (snapshot.settings, snapshot.clock, snapshot.backend, snapshot.turn)
        (replay, faults, tokenExpiry) = (snapshot.replay, snapshot.faults, snapshot.tokenExpiry)
        network = snapshot.network
        (written.scenario, written.rules) = (snapshot.written.scenario, snapshot.written.rules)
        written.faults = snapshot.written.faults
        turn.dateShift = dateShift
        authenticator = settings.makeAuthenticator()
        (clockMove, heldOutputs, queuedDeadline) = (nil, DeadlineQueue(), nil)
        setTime(now)
    }

    /// The parts of a reset or deleted world that may take a long time to free.
    var contents: [any Sendable] {
        [backend, replay, journal, judge, settings, reloadedSettings, live, authenticator]
    }

    /// Releases the content of a deleted world, which closing connections may still retain.
    func vanish() {
        isGone = true
        settings.scenario = Scenario(name: settings.scenario.name)
        (reloadedSettings, replay) = (nil, nil)
        (backend, journal) = (settings.makeBackend(), Journal())
        (judge, judgesNextAt, forgottenNumber) = (nil, .max, 0)
        (faults, written) = (FaultBook(), WrittenBytes())
        (heldOutputs, live, queuedDeadline, run) = (DeadlineQueue(), nil, nil, nil)
        turn.effects = []
    }

    /// Sets the world's time for the next event.
    func setTime(_ now: Timestamp) {
        turn.now = clock.now(now)
        responseFields.update(to: turn.date)
    }

    /// Converts a time on the world's clock to a date.
    func date(of time: Timestamp) -> Timestamp { time.advanced(byNanoseconds: turn.dateShift) }

    /// Applies a shift of the system's date, unless the clock is manual; due times stay unchanged.
    func follow(dateShift: Int64) {
        turn.dateShift = clock.manualTime == nil ? dateShift : 0
        responseFields.update(to: turn.date)
    }

    /// Sets a manual clock and the world's time.
    func moveClock(to time: Timestamp) {
        clock.move(to: time)
        turn.now = time
        responseFields.update(to: turn.date)
    }

    /// The world's stored bytes of JSON: its users' data, its scenario, faults and marks.
    var storedBytes: Int { backend.storedBytes + written.sum }

    /// When the next step of the world is due, by its clock; nil if there is none.
    var nextStep: Timestamp? {
        let step = Timestamp.earliest(
            replay == nil ? backend.nextDeadline : replay?.player.nextDeadline, heldOutputs.next)
        return .earliest(step, live?.holds.next)
    }
}

struct WorldClock: Sendable {
    /// The time of a manual clock; nil for the system's clock.
    private(set) var manualTime: Timestamp?

    init(_ mode: ClockMode) {
        if case .manual(let start) = mode { manualTime = start }
    }

    func now(_ system: Timestamp) -> Timestamp { manualTime ?? system }

    mutating func move(to time: Timestamp) {
        precondition(manualTime.map { $0 <= time } ?? false, "Only a manual clock may move, and only forward.")
        manualTime = time
    }
}

/// The fields that most answers share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// The fields `Content-Type` (for JSON) and `Date`.
    private(set) var json: [UInt8] = []
    /// The value of `Date`.
    private(set) var date = ""

    mutating func update(to now: Timestamp) {
        guard now.secondsSinceEpoch != second else { return }
        second = now.secondsSinceEpoch
        date = now.httpDateText
        json = Array("Content-Type: \(Answer.json)\r\nDate: \(date)\r\n".utf8)
    }
}

/// The sizes of a world's data from requests to the admin API, in bytes.
struct WrittenBytes: Sendable {
    /// The body of the request that contained the scenario, which a reset needs; 0 for a server scenario.
    var scenario = 0
    /// The additional memory for the scenario's rules.
    var rules = 0
    /// The JSON and the additional memory of rules that were added later.
    var faults: [ExactString: Int] = [:]
    /// The JSON of the marks.
    var marks = 0

    var sum: Int { scenario + rules + marks + (faults.isEmpty ? 0 : faults.values.reduce(0, +)) }
}

extension World: Comparable {
    static func == (left: World, right: World) -> Bool { left === right }
    /// Orders worlds by age.
    static func < (left: World, right: World) -> Bool { left.number < right.number }
}

extension World {
    var isPaused: Bool { pause != nil }

    /// Makes the engine serve a connection again once the world resumes.
    func awaitResumption(of id: ConnectionID) { pause?.connections.append(id) }

    /// Makes the backend forget a socket once the world is no longer paused.
    func closeSocket(_ socket: SocketID) {
        if isPaused { pause?.closedSockets.append(socket) } else { backend.closeSocket(socket) }
    }

    var openSocketCount: Int { (replay?.openSocketCount ?? backend.openSocketCount) + upstreamSocketCount }

    /// The user for whom tokens are issued: the scenario's first user, or the development user.
    var defaultUser: ExactString {
        settings.scenario.data.users.first?.id ?? ExactString(DevelopmentCredentials.userID)
    }

    var token: String { token(for: defaultUser, expiresAt: tokenExpiry) }

    /// Another token for the same user, which expires after the latest time of any world's clock.
    var freshToken: String {
        let end = WorldSettings.lastTokenExpiry
        return token(for: defaultUser, expiresAt: tokenExpiry == end ? end + 1 : end)
    }

    /// Issues a refresh token to the same user, if the user has an account and the guide supports accounts.
    ///
    /// The token's id is from a separate sequence, so that the world's ids stay the same.
    func issueRefreshToken() {
        guard mode.servesApps else { return }
        var turn = turn
        turn.identifiers = ResourceIDSequence(seed: settings.seed ^ "refresh \(name)".utf8.fnv1a)
        let pair = try? backend.issueTokens(to: defaultUser, &turn)
        refreshToken = pair?.refresh.signed(with: AccessToken.refreshSecret(of: Array(settings.jwtSecret.utf8)))
    }

    /// A token refusal that includes advice for this world, because `fitiq-mock token` knows only the default world's
    /// secret.
    func advising(_ error: APIError) -> APIError {
        guard let id, error.status == .unauthorized else { return error }
        return error.advisingOnTokens(APIError.tokenAdvice(ofWorld: id))
    }

    func token(for user: ExactString, expiresAt: Int64) -> String {
        AccessToken(subject: user, expiresAt: expiresAt).signed(with: Array(settings.jwtSecret.utf8))
    }
}

extension WorldSettings {
    /// 2200-01-01T00:00:00Z in seconds since 1970; manual clocks stop before it.
    static let lastTokenExpiry: Int64 = 7_258_118_400

    /// When the issued token expires: after the scenario's token lifetime, or in 2099 or later if there is none.
    func tokenExpiry(at begin: Timestamp) -> Int64 {
        scenario.tokenLifetime.map { begin.advanced(byNanoseconds: $0).secondsSinceEpoch }
            // A world may start after that date.
            ?? max(DevelopmentCredentials.expiresAt, begin.secondsSinceEpoch + 366 * 86_400)
    }
}

/// The connections that are waiting for a paused world, and the sockets that have closed in the meantime.
///
/// A world pauses while a job exports or replaces its content. Requests to the world, messages on its sockets and
/// events that are due all have to wait. The job's values therefore have one owner at a time, and nothing copies them.
/// Other worlds and the server's own paths continue.
struct WorldPause {
    /// In order of arrival.
    var connections: [ConnectionID] = []
    var closedSockets: [SocketID] = []
}

/// What an operator has done to a world: held items and marks.
struct LiveControl: Sendable {
    /// The held items.
    var holds = HoldTable()
    /// The marks to which the world can rewind, oldest first.
    var marks: [Mark] = []
    /// The name in `faults` for entries about an operator's actions; judges do not count these entries against the
    /// client.
    static let byHand = "by hand"
}
