import Faults
import FitIQAPI
import FitIQBackend
import Replay
import Scenarios

struct WorldSettings: Sendable {
    /// The prefix of its paths, `http://127.0.0.1:8080/w/w1`: avatars are URLs below it.
    var origin: String
    var scenario: Scenario
    var seed: UInt64
    var pace: Pace
    var mode: GuideMode
    var clock: ClockMode
    var apiKey: String
    var jwtSecret: String
    /// The number of verified tokens that are cached.
    var verifiedTokens: Int
    var limits: FitIQBackend.Limits

    /// The prefix of its WebSockets' paths.
    var webSocketOrigin: String { "ws" + origin.dropFirst("http".count) }

    func makeBackend() -> Backend {
        Backend(.init(origin: origin, pace: pace, mode: mode, limits: limits, script: scenario.script))
    }

    func makeFaults() -> FaultBook { FaultBook(rules: scenario.faults, seed: seed) }

    func makeAuthenticator() -> Authenticator {
        Authenticator(mode: mode, apiKey: apiKey, secret: jwtSecret, limit: verifiedTokens)
    }
}

struct WorldClock: Sendable {
    /// The time of a manual clock; nil for the system's.
    private(set) var manualTime: Timestamp?

    init(_ mode: ClockMode) {
        if case .manual(let start) = mode { manualTime = start }
    }

    /// The world's time when the system's clock shows `system`.
    func now(_ system: Timestamp) -> Timestamp { manualTime ?? system }

    mutating func move(to time: Timestamp) {
        precondition(manualTime.map { $0 <= time } ?? false, "A clock only goes forward, and the system's by itself.")
        manualTime = time
    }
}

/// The session that a world replays, and its progress.
struct WorldReplay: Sendable {
    /// Decides what is answered, and when frames are sent.
    var player: Player
    /// Whether the images of coaches were recorded; otherwise the server uses its own, since clients may request them.
    let recordsAvatars: Bool
    /// The connections of the sockets in progress.
    private var connections: [ReplaySocket: ConnectionID] = [:]

    var openSocketCount: Int { connections.count }

    /// Starts the replay of a world's session; nil if it has none.
    ///
    /// - Throws: 400 if the session is in a file that was not read.
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

    /// Whether the session answers a request: the server answers its own paths, and no recording can answer a tunnel.
    ///
    /// A plan has none of these (``ReplayPlan/session``).
    func answers(_ exchange: Exchange) -> Bool {
        let isConnect = exchange.head.method == .connect
        switch exchange.destination.route {
        // A recorded server may have a page there.
        case .root: return true
        case .api(.avatar): return recordsAvatars && !isConnect
        case nil:
            // A browser requests its icon at any time, and no client depends on it.
            let path = exchange.head.target.segments.dropFirst(exchange.destination.worldID == nil ? 0 : 2)
            return !exchange.isOfServer && !isConnect && path != ["favicon.ico"]
        default: return !exchange.isOfServer && !isConnect
        }
    }

    /// Records the connection on which a recorded socket is replayed.
    mutating func open(_ socket: ReplaySocket, on connection: ConnectionID) { connections[socket] = connection }

    /// The connection of a recorded socket; nil once it is gone.
    func connection(of socket: ReplaySocket) -> ConnectionID? { connections[socket] }

    /// Forgets a socket that is gone, with the frames that were still due on it.
    mutating func forget(_ socket: ReplaySocket, at time: Timestamp) {
        guard connections.removeValue(forKey: socket) != nil else { return }
        player.ended(socket, at: time)
    }
}
