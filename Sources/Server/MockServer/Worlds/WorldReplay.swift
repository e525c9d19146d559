import FitIQAPI
import Replay
import Scenarios

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
