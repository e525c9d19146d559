import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Recording
import Scenarios

/// One isolated backend: its state, its clock, its ids, its credentials.
///
/// A class, because a world has an identity, and because commands change its parts in place, side by side.
final class World {
    /// Its name in paths; nil for the default world, whose paths have none.
    let id: String?
    /// How many worlds were made before it.
    let number: Int
    /// How often it has begun anew.
    private(set) var life = 0
    /// What it was made with; a reset begins anew with it.
    var settings: WorldSettings
    /// What a reset begins with where the scenario was loaded again since.
    var reloadedSettings: WorldSettings?
    /// How often it was loaded again.
    var reloadCount = 0
    private(set) var clock: WorldClock
    var backend: Backend
    /// Brings the time and the ids into the backend, and the effects out of it; its time is the world's at each moment.
    var turn: Turn
    var authenticator: Authenticator
    /// Who answers in place of the backend; nil where no session is played back, in most worlds.
    var replay: WorldReplay?
    /// When the token that the server hands out for the world expires, in seconds since 1970.
    private(set) var tokenExpiry: Int64
    /// What goes wrong on purpose.
    var faults: FaultBook
    /// What happened.
    var journal = Journal()
    /// How many connections its journal has met; a connection that went elsewhere and came back counts twice.
    var connectionCount: UInt64 = 0
    /// Field lines that most responses share.
    var responseFields = ResponseFields()
    /// When connections go on whose output a fault holds back, by the world's clock.
    var heldOutputs = DeadlineQueue<ConnectionID>()
    /// When somebody last asked for it, by the system's clock.
    var lastUsed: Timestamp
    /// Bytes of the body that brought its scenario, which is kept for a reset; 0 for one of the server's own.
    var scenarioBytes = 0
    /// Bytes of the bodies that brought the rules that were added since.
    var faultBytes: [ExactString: Int] = [:]
    /// What of its state, and of its journal, is in the engine's sums.
    var accountedStorage = 0
    var accountedJournal = 0
    /// Grows with whatever goes over its connections.
    var activity: UInt64 = 0
    /// Who judges its client; nil while nobody wants to know.
    var judge: WorldJudge?
    /// The number of the journal's last entry when the judge has to look at it next, so that it misses none.
    var judgesNextAt = Int.max
    /// The number of the last entry before its present life, or before the journal was cleared.
    var forgottenNumber = 0
    /// When its entry in the engine's queue comes up, by the system's clock.
    var queuedDeadline: Timestamp?
    /// What waits for it to go on; nil while it does not stand.
    var standstill: Standstill?
    /// What moves its clock, as long as that takes more than a slice.
    weak var clockMove: ClockMove?
    /// Whether it was deleted, or lay idle too long.
    private(set) var isGone = false

    var mode: GuideMode { settings.mode }

    /// What the default world is called where a name is due.
    static let defaultID = "default"

    /// What a world begins with.
    struct State: Sendable {
        fileprivate var clock: WorldClock
        fileprivate var backend: Backend
        fileprivate var turn: Turn
        fileprivate var replay: WorldReplay?

        /// Bytes of JSON that users have in it.
        var storedBytes: Int { backend.storedBytes }

        /// Works a scenario's data out.
        ///
        /// - Throws: 400 where the data does not fit together or the session was not read, 507 where there is no room for it.
        init(
            _ settings: WorldSettings, room: StorageRoom, exportRoom: StorageRoom, now: Timestamp
        ) throws(APIError) {
            replay = try WorldReplay(settings)
            clock = WorldClock(settings.clock)
            backend = settings.makeBackend()
            backend.storageRoom = room
            turn = Turn(now: clock.now(now), identifiers: ResourceIDSequence(seed: settings.seed))
            do throws(PlantError) {
                try backend.plant(settings.scenario.data, &turn, exportRoom: exportRoom)
            } catch {
                throw APIError(error)
            }
        }
    }

    /// Makes a world that begins now.
    ///
    /// - Parameter now: the system's time.
    init(id: String?, number: Int, _ beginning: WorldBeginning, now: Timestamp) {
        let (settings, state) = (beginning.draft.settings, beginning.state)
        self.id = id
        self.number = number
        self.settings = settings
        scenarioBytes = beginning.draft.scenarioBytes
        lastUsed = now
        clock = state.clock
        backend = state.backend
        turn = state.turn
        replay = state.replay
        authenticator = settings.makeAuthenticator()
        faults = settings.makeFaults()
        tokenExpiry = settings.tokenExpiry(at: state.turn.now)
    }

    /// Begins anew; what was under way is forgotten.
    func begin(_ beginning: WorldBeginning) {
        let (settings, state) = (beginning.draft.settings, beginning.state)
        life += 1
        self.settings = settings
        scenarioBytes = beginning.draft.scenarioBytes
        reloadedSettings = nil
        clockMove = nil
        clock = state.clock
        backend = state.backend
        turn = state.turn
        replay = state.replay
        authenticator = settings.makeAuthenticator()
        if !beginning.draft.keepsFaults {
            faults = settings.makeFaults()
            faultBytes = [:]
        }
        clearJournal()
        heldOutputs = DeadlineQueue()
        queuedDeadline = nil
        tokenExpiry = settings.tokenExpiry(at: state.turn.now)
        responseFields.update(to: turn.now)
    }

    /// All of it that may take long to free.
    var contents: Contents {
        Contents(
            backend: backend, replay: replay, journal: journal, judge: judge, settings: settings,
            reloadedSettings: reloadedSettings)
    }

    /// What a world that begins anew, or is no more, leaves to be freed.
    struct Contents: Sendable {
        fileprivate let backend: Backend
        fileprivate let replay: WorldReplay?
        fileprivate let journal: Journal
        fileprivate let judge: WorldJudge?
        fileprivate let settings: WorldSettings
        fileprivate let reloadedSettings: WorldSettings?
    }

    /// Lets go of everything: the world is no more, though connections that are closing may still know it.
    func vanish() {
        isGone = true
        settings.scenario = Scenario(name: settings.scenario.name)
        reloadedSettings = nil
        backend = settings.makeBackend()
        replay = nil
        journal = Journal()
        (judge, judgesNextAt, forgottenNumber) = (nil, .max, 0)
        faults = FaultBook()
        (scenarioBytes, faultBytes) = (0, [:])
        heldOutputs = DeadlineQueue()
        turn.effects = []
        queuedDeadline = nil
    }

    /// Sets the time of what happens next.
    func setTime(_ now: Timestamp) {
        turn.now = clock.now(now)
        responseFields.update(to: turn.now)
    }

    /// Moves a clock that is moved by hand, and with it the time of what happens next.
    func moveClock(to time: Timestamp) {
        clock.move(to: time)
        turn.now = time
        responseFields.update(to: time)
    }

    /// Bytes of JSON that it holds: what users have, what it began from, and what goes wrong in it.
    var storedBytes: Int { backend.storedBytes + writtenBytes }
    /// Those that the admin API brought, and no user has.
    var writtenBytes: Int { scenarioBytes + (faultBytes.isEmpty ? 0 : faultBytes.values.reduce(0, +)) }

    /// When something is due in the world, by its own clock; nil while nothing is.
    var nextStep: Timestamp? {
        let due = replay == nil ? backend.nextDeadline : replay?.nextDeadline
        guard let answers = due else { return heldOutputs.next }
        guard let outputs = heldOutputs.next else { return answers }
        return min(answers, outputs)
    }
}

extension World: Comparable {
    static func == (left: World, right: World) -> Bool { left === right }
    /// The older world comes first.
    static func < (left: World, right: World) -> Bool { left.number < right.number }
}

extension World {
    /// How many sockets are open on it.
    var openSocketCount: Int { replay?.openSocketCount ?? backend.openSocketCount }

    /// The user of the token that is handed out: the scenario's first, or the development user.
    var defaultUser: ExactString {
        settings.scenario.data.users.first?.id ?? ExactString(DevelopmentCredentials.userID)
    }

    /// A token that the world accepts.
    var token: String { token(for: defaultUser, expiresAt: tokenExpiry) }

    /// Another token of the same user, which no clock of a world ever reaches the end of.
    var freshToken: String {
        let end = WorldSettings.lastTokenExpiry
        return token(for: defaultUser, expiresAt: tokenExpiry == end ? end + 1 : end)
    }

    /// A refusal with advice that helps in this world: `fitiq-mock token` knows the default one's secret only.
    func advising(_ error: APIError) -> APIError {
        guard let id, error.status == .unauthorized else { return error }
        return error.advisingOnTokens(APIError.tokenAdvice(ofWorld: id))
    }

    /// Signs a token with the world's secret.
    func token(for user: ExactString, expiresAt: Int64) -> String {
        AccessToken(subject: user, expiresAt: expiresAt).signed(with: Array(settings.jwtSecret.utf8))
    }
}

extension WorldSettings {
    /// 2200-01-01T00:00:00Z in seconds since 1970: clocks that are moved by hand end before it.
    static let lastTokenExpiry: Int64 = 7_258_118_400

    /// When the token that is handed out expires: as the scenario has it, or never that anyone would notice.
    func tokenExpiry(at begin: Timestamp) -> Int64 {
        scenario.tokenLifetime.map { begin.advanced(byNanoseconds: $0).secondsSinceEpoch }
            // A world may begin later than that.
            ?? max(DevelopmentCredentials.expiresAt, begin.secondsSinceEpoch + 366 * 86_400)
    }
}
