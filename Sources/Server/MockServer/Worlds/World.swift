import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios
import Traffic

/// One isolated backend: its state, its clock, its ids, its credentials.
///
/// A class, because a world has an identity, and because commands change its parts in place, side by side.
final class World {
    /// Its name in paths; nil for the default world, whose paths have none.
    let id: String?
    /// Orders worlds by age: it grows from each to the next that is created.
    let number: Int
    /// How often it was reset, and how often its scenario was reloaded.
    @exclusivity(unchecked) private(set) var life = 0
    @exclusivity(unchecked) var reloadCount = 0
    /// The settings of its creation, which a reset uses again.
    @exclusivity(unchecked) var settings: WorldSettings
    /// The settings for the next reset if the scenario was reloaded.
    @exclusivity(unchecked) var reloadedSettings: WorldSettings?
    @exclusivity(unchecked) private(set) var clock: WorldClock
    @exclusivity(unchecked) var backend: Backend
    /// Passes the time and the ids to the backend, and the effects out of it; its time is always the world's.
    @exclusivity(unchecked) var turn: Turn
    @exclusivity(unchecked) var authenticator: Authenticator
    /// Answers instead of the backend; nil in most worlds, which replay no session.
    @exclusivity(unchecked) var replay: WorldReplay?
    /// When the token that the server hands out for the world expires, in seconds since 1970.
    @exclusivity(unchecked) private(set) var tokenExpiry: Int64
    @exclusivity(unchecked) var faults: FaultBook
    /// The network of its clients' bytes; nil without one.
    @exclusivity(unchecked) var network: Network?
    @exclusivity(unchecked) var journal = Journal()
    /// The number of connections in its journal; a connection that went elsewhere and came back counts twice.
    @exclusivity(unchecked) var connectionCount: UInt64 = 0
    @exclusivity(unchecked) var responseFields = ResponseFields()
    /// When connections whose output a fault holds back continue, and silenced ones are reset, by the world's clock.
    @exclusivity(unchecked) var heldOutputs = DeadlineQueue<ConnectionID>()
    /// Its operator's state; nil until the first action.
    @exclusivity(unchecked) var live: LiveControl?
    /// The time of the last use, by the system's clock.
    @exclusivity(unchecked) var lastUsed: Timestamp
    /// Bytes of JSON that it holds, and that no user owns.
    @exclusivity(unchecked) var written = WrittenBytes()
    /// Its part of the engine's sums.
    @exclusivity(unchecked) var accountedStorage = 0, accountedJournal = 0
    /// Grows with all traffic on its connections.
    @exclusivity(unchecked) var activity: UInt64 = 0
    /// Judges its client; nil until a judgement is requested.
    @exclusivity(unchecked) var judge: WorldJudge?
    /// The last entry number by which the judge must read again, so that it misses none.
    @exclusivity(unchecked) var judgesNextAt = Int.max
    /// The number of the last entry before its present life, or before the journal was cleared.
    @exclusivity(unchecked) var forgottenNumber = 0
    /// When its entry in the engine's queue comes up, by the system's clock.
    @exclusivity(unchecked) var queuedDeadline: Timestamp?
    /// Its saved part, and whether it is in the engine's list of worlds to save.
    @exclusivity(unchecked) var savedPart: SavedPart?
    /// Whether a state file has a part of it, committed or in transit.
    @exclusivity(unchecked) var isInFile = false
    @exclusivity(unchecked) var awaitsSaving = false
    /// Whether some of its changes were taken since the last commit, and others were not.
    @exclusivity(unchecked) var isPartlySaved = false
    /// Sockets connected to its real server.
    @exclusivity(unchecked) var upstreamSocketCount = 0
    /// The requests that wait for it to resume; nil unless it is paused.
    @exclusivity(unchecked) var standstill: Standstill?
    /// How often a manual clock was moved.
    var clockMoveCount = 0
    /// The present long move of its clock.
    weak var clockMove: ClockMove?
    /// The world to whose run it belongs; nil for most.
    @exclusivity(unchecked) var owner: World?
    /// Its own run; nil for most.
    @exclusivity(unchecked) var run: WorldRun?
    /// When its present life began, by its own clock.
    @exclusivity(unchecked) private(set) var start: Timestamp
    /// The refresh token issued with the world; nil if none was.
    @exclusivity(unchecked) private(set) var refreshToken: String?
    /// Whether it was deleted, or was idle for too long.
    @exclusivity(unchecked) private(set) var isGone = false

    var mode: GuideMode { settings.mode }
    /// Its id where a name is needed.
    var name: String { id ?? World.defaultID }
    static let defaultID = "default"

    struct State: Sendable {
        fileprivate var clock: WorldClock
        fileprivate var backend: Backend
        fileprivate var turn: Turn
        fileprivate var replay: WorldReplay?
        var storedBytes: Int { backend.storedBytes }

        /// - Throws: 400 if the data is inconsistent or the session was not read, 507 if there is no room for it.
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

    /// Starts again; drops everything in progress.
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

    /// A world's state at a moment, without its connections and its journal: a mark keeps it, a fork starts from it.
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

        /// A copy without sockets that shares no storage with this one.
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

    /// Creates a world that continues another one, whose journal and judge it copies.
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

    /// Records the end of a socket that stayed in the world from which this one was copied.
    func recordLostSocket(_ connection: UInt64) {
        let closing = RecordedClosing(by: .server, cause: .shutdown, message: "The world was forked")
        journal.record(.closed(closing), at: turn.date, connection: connection)
    }

    /// Continues from an earlier state; the journal and the numbers of connections continue.
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

    /// All parts of a reset or deleted world that may take long to free.
    var contents: [any Sendable] { [backend, replay, journal, judge, settings, reloadedSettings, live] }

    /// Releases everything: the world is gone, though closing connections may still refer to it.
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

    /// Sets the time of the next event.
    func setTime(_ now: Timestamp) {
        turn.now = clock.now(now)
        responseFields.update(to: turn.date)
    }

    /// The date of a point of its time line.
    func date(of time: Timestamp) -> Timestamp { time.advanced(byNanoseconds: turn.dateShift) }

    /// Follows the system's clock, unless its own is manual; due times stay.
    func follow(dateShift: Int64) {
        turn.dateShift = clock.manualTime == nil ? dateShift : 0
        responseFields.update(to: turn.date)
    }

    /// Moves a manual clock, and with it the time of the next event.
    func moveClock(to time: Timestamp) {
        clock.move(to: time)
        turn.now = time
        responseFields.update(to: turn.date)
    }

    /// Bytes of JSON that it holds: its users' data, its scenario, and its faults.
    var storedBytes: Int { backend.storedBytes + written.sum }

    /// When something is due in the world, by its own clock; nil if nothing is.
    var nextStep: Timestamp? {
        let step = Timestamp.earliest(
            replay == nil ? backend.nextDeadline : replay?.player.nextDeadline, heldOutputs.next)
        return .earliest(step, live?.holds.next)
    }
}

/// The data that a world holds through its admin API, in bytes of JSON.
struct WrittenBytes: Sendable {
    /// The request body with its scenario, which is kept for a reset; 0 for one of the server's own.
    var scenario = 0
    /// The additional memory of that scenario's rules.
    var rules = 0
    /// The request bodies with the rules that were added since, with the same for each.
    var faults: [ExactString: Int] = [:]
    /// The size of its marks.
    var marks = 0

    var sum: Int { scenario + rules + marks + (faults.isEmpty ? 0 : faults.values.reduce(0, +)) }
}

extension World: Comparable {
    static func == (left: World, right: World) -> Bool { left === right }
    /// Orders by age.
    static func < (left: World, right: World) -> Bool { left.number < right.number }
}

extension World {
    var openSocketCount: Int { (replay?.openSocketCount ?? backend.openSocketCount) + upstreamSocketCount }

    /// The user of the token that is handed out: the scenario's first, or the development user.
    var defaultUser: ExactString {
        settings.scenario.data.users.first?.id ?? ExactString(DevelopmentCredentials.userID)
    }

    var token: String { token(for: defaultUser, expiresAt: tokenExpiry) }

    /// Another token of the same user, which expires after the latest time that a world's clock can show.
    var freshToken: String {
        let end = WorldSettings.lastTokenExpiry
        return token(for: defaultUser, expiresAt: tokenExpiry == end ? end + 1 : end)
    }

    /// Issues a refresh token of the same user; nil without an account, or if the guide has none.
    ///
    /// It does not use an id of the world, so ids stay the same.
    func issueRefreshToken() {
        guard mode.servesApps else { return }
        var turn = turn
        turn.identifiers = ResourceIDSequence(seed: settings.seed ^ "refresh \(name)".utf8.fnv1a)
        let pair = try? backend.issueTokens(to: defaultUser, &turn)
        refreshToken = pair?.refresh.signed(with: AccessToken.refreshSecret(of: Array(settings.jwtSecret.utf8)))
    }

    /// A refusal with advice that helps in this world: `fitiq-mock token` only knows the default world's secret.
    func advising(_ error: APIError) -> APIError {
        guard let id, error.status == .unauthorized else { return error }
        return error.advisingOnTokens(APIError.tokenAdvice(ofWorld: id))
    }

    func token(for user: ExactString, expiresAt: Int64) -> String {
        AccessToken(subject: user, expiresAt: expiresAt).signed(with: Array(settings.jwtSecret.utf8))
    }
}

extension WorldSettings {
    /// 2200-01-01T00:00:00Z in seconds since 1970: manual clocks end before it.
    static let lastTokenExpiry: Int64 = 7_258_118_400

    /// When the token that is handed out expires: as in the scenario, or too late to matter.
    func tokenExpiry(at begin: Timestamp) -> Int64 {
        scenario.tokenLifetime.map { begin.advanced(byNanoseconds: $0).secondsSinceEpoch }
            // A world may begin later than that.
            ?? max(DevelopmentCredentials.expiresAt, begin.secondsSinceEpoch + 366 * 86_400)
    }
}
