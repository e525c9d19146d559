import Faults
import FitIQAPI
import FitIQBackend
import Replay
import Scenarios

/// What a world is made with.
struct WorldSettings: Sendable {
    /// Where its paths begin, `http://127.0.0.1:8080/w/w1`: avatars are URLs below it.
    var origin: String
    var scenario: Scenario
    var seed: UInt64
    var pace: Pace
    var mode: GuideMode
    var clock: ClockMode
    var apiKey: String
    var jwtSecret: String
    /// Verified tokens kept at hand.
    var verifiedTokens: Int
    var limits: FitIQBackend.Limits

    /// Where its WebSockets' paths begin.
    var webSocketOrigin: String { "ws" + origin.dropFirst("http".count) }

    func makeBackend() -> Backend {
        Backend(
            .init(
                origin: origin, pace: pace, mode: mode, limits: limits,
                script: scenario.script))
    }

    func makeFaults() -> FaultBook { FaultBook(rules: scenario.faults, seed: seed) }

    func makeAuthenticator() -> Authenticator {
        Authenticator(mode: mode, apiKey: apiKey, secret: jwtSecret, limit: verifiedTokens)
    }
}

/// What time it is in a world.
struct WorldClock: Sendable {
    /// The time of a clock that is moved by hand; nil for the system's.
    private(set) var manualTime: Timestamp?

    init(_ mode: ClockMode) {
        if case .manual(let start) = mode { manualTime = start }
    }

    /// The world's time when the system's clock shows `system`.
    func now(_ system: Timestamp) -> Timestamp { manualTime ?? system }

    /// Moves a clock that is moved by hand.
    mutating func move(to time: Timestamp) {
        precondition(manualTime.map { $0 <= time } ?? false, "A clock only goes forward, and the system's by itself.")
        manualTime = time
    }
}

/// The session that a world plays back, and how far it has come.
struct WorldReplay: Sendable {
    /// Says what is answered, and when frames go.
    var player: Player
    /// Whether the images of coaches were recorded; else they are ours, since a client may ask for them or have them kept.
    let recordsAvatars: Bool
    /// The connections of the sockets that are under way.
    private var connections: [ReplaySocket: ConnectionID] = [:]

    /// When the next frame is due, by the world's clock.
    var nextDeadline: Timestamp? { player.nextDeadline }
    /// How many sockets are open.
    var openSocketCount: Int { connections.count }

    /// Begins to play back what a world is made with; nil where that is no session.
    ///
    /// - Throws: 400 where the session is a file's that nobody has read.
    init?(_ world: WorldSettings) throws(APIError) {
        guard let replay = world.scenario.replay else { return nil }
        switch replay.session {
        case .file(let path): throw .sessionNotRead(path)
        case .plan(let plan):
            var settings = replay.settings
            // A server without artificial delays has none here either.
            if world.pace == .instant { settings.speed = .instant }
            player = Player(plan, settings: settings, origin: world.origin)
            recordsAvatars = plan.session.entries.contains { $0.request.url.contains("/avatars/") }
        }
    }

    /// Whether a request is for the session: the server's own paths are its own, and a tunnel no recording can answer.
    ///
    /// A plan has none of these (``ReplayPlan/session``).
    func answers(_ exchange: Exchange) -> Bool {
        // A recorded server may have a page there.
        if case .root? = exchange.destination.route { return true }
        if case .api(.avatar)? = exchange.destination.route, !recordsAvatars { return false }
        // A browser asks for its icon when it likes, and no client depends on it.
        if exchange.destination.route == nil,
            exchange.head.target.segments.dropFirst(exchange.destination.worldID == nil ? 0 : 2) == ["favicon.ico"]
        {
            return false
        }
        return !exchange.isOfServer && exchange.head.method != .connect
    }

    /// Takes note of which connection a recorded socket is played back on.
    mutating func open(_ socket: ReplaySocket, on connection: ConnectionID) { connections[socket] = connection }

    /// The connection of a recorded socket; nil once it is gone.
    func connection(of socket: ReplaySocket) -> ConnectionID? { connections[socket] }

    /// Forgets a socket that is gone; what was still to be sent on it is not.
    mutating func forget(_ socket: ReplaySocket, at time: Timestamp) {
        guard connections.removeValue(forKey: socket) != nil else { return }
        player.ended(socket, at: time)
    }
}
