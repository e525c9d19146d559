import FitIQAPI
import Replay

/// The session that a world replays, and its progress.
struct WorldReplay: Sendable {
    var player: Player
    /// Whether the session contains the coaches' images; otherwise, the server sends its own images.
    let recordsAvatars: Bool
    var connections: [ReplaySocket: ConnectionID] = [:]

    var openSocketCount: Int { connections.count }

    /// A copy that has no open sockets and a different origin.
    func copied(to origin: String, at time: Timestamp) -> WorldReplay {
        var copy = self
        for socket in connections.keys.sorted() { copy.forget(socket, at: time) }
        copy.player.origin = origin
        return copy
    }

    /// Starts the replay of a world's session; nil if there is no session; throws 400 if the session's file was not
    /// read.
    init?(_ world: WorldSettings) throws(APIError) {
        guard let replay = world.scenario.replay else { return nil }
        switch replay.session {
        case .file(let path): throw .sessionNotRead(path)
        case .plan(let plan):
            var settings = replay.settings
            // A server that adds no delays also replays sessions without delays.
            if world.pace == .instant { settings.speed = .instant }
            player = Player(plan, settings: settings, origin: world.origin)
            recordsAvatars = plan.session.entries.contains { $0.request.url.contains("/avatars/") }
        }
    }

    /// Whether the session answers a request, except for the server's own paths and CONNECT.
    ///
    /// A plan contains only requests that it can answer (``ReplayPlan/session``).
    func answers(_ exchange: Exchange) -> Bool {
        let isConnect = exchange.head.method == .connect
        switch exchange.destination.route {
        // The recorded server may have had a page at `/`.
        case .root: return true
        case .api(.avatar): return recordsAvatars && !isConnect
        case nil:
            // Browsers may request the icon at any time, and no client depends on it.
            let path = exchange.head.target.segments.dropFirst(exchange.destination.worldID == nil ? 0 : 2)
            return !exchange.isOfServer && !isConnect && path != ["favicon.ico"]
        default: return !exchange.isOfServer && !isConnect
        }
    }

    /// Removes an ended socket and its remaining frames.
    mutating func forget(_ socket: ReplaySocket, at time: Timestamp) {
        guard connections.removeValue(forKey: socket) != nil else { return }
        player.ended(socket, at: time)
    }
}

extension Engine {
    /// The outcome of a session's replay.
    public struct ReplayOutcome: Sendable {
        public let report: ReplayReport
        public let settings: ReplaySettings

        /// Whether differences from the recording make a run fail.
        public var isStrict: Bool { settings.match == .strict }

        /// For each kind of difference from the recording, the first ten as sentences.
        public var failures: [String] {
            report.unexpected.prefix(Self.shown).map(\.message)
                + more(report.unexpectedCount, "request", "was not expected")
                + report.neverAsked.prefix(Self.shown).map {
                    "Recorded request \($0.entry), \($0.method) \($0.target), was never sent."
                }
                + more(report.neverAskedCount, "recorded request", "was never sent")
                + report.frameMisses.prefix(Self.shown).map(\.message)
                + more(report.frameMissCount, "frame", "was not expected")
                + more(report.framesNeverSent, "recorded frame", "was never sent", than: 0)
        }

        private static let shown = 10

        /// A sentence such as `12 frames in all were not expected.` if there are more differences than are listed.
        private func more(_ count: Int, _ noun: String, _ predicate: String, than shown: Int = Self.shown) -> [String] {
            guard count > shown else { return [] }
            return [count == 1 ? "1 \(noun) \(predicate)." : "\(count) \(noun)s in all were\(predicate.dropFirst(3))."]
        }
    }
}
