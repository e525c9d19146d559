import FitIQAPI
import FitIQBackend
import JSON

/// A world stands while a job exports or replaces what it holds.
///
/// Requests to it and messages on its sockets wait, and so does what is due in it: then the job's values have one owner at a
/// time, and nothing copies them. Other worlds go on, and so do the server's own paths.
struct Standstill {
    /// Connections whose requests wait, in the order of arrival.
    fileprivate var connections: [ConnectionID] = []
    /// Sockets that were closed meanwhile.
    fileprivate var closedSockets: [SocketID] = []
}

extension World {
    var isStanding: Bool { standstill != nil }

    /// Has the backend forget a socket, as soon as the world does not stand.
    func closeSocket(_ socket: SocketID) {
        if isStanding { standstill?.closedSockets.append(socket) } else { backend.closeSocket(socket) }
    }
}

extension Engine {
    /// Has a world stand until ``resume(_:at:)``.
    func stand(_ world: World) {
        world.standstill = Standstill()
        touchSockets(of: world)
    }

    /// Has a world go on: what waited is served in the order in which it came, some of it in each turn of the loop.
    func resume(_ world: World, at now: Timestamp) {
        guard let standstill = world.standstill else { return }
        world.standstill = nil
        for socket in standstill.closedSockets { world.backend.closeSocket(socket) }
        if worlds.contains(world) { queueDeadline(of: world) }
        touchSockets(of: world)
        for connection in connections where connection.world === world && !connection.unreadFrames.isEmpty {
            resumed.append(connection.id)
        }
        resumed += standstill.connections
        wakeStreams()
    }

    /// Serves some of what waited for worlds that have gone on.
    func serveResumed(at now: Timestamp) {
        guard !resumed.isEmpty else { return }
        let turn = resumed.prefix(Self.resumedInTurn)
        resumed.removeFirst(turn.count)
        for id in turn {
            guard let connection = self[id] else { continue }
            if connection.speaks == .webSocket {
                // Where its world stands again, it is found again when that goes on.
                if !(connection.world?.isStanding ?? false) { serveUnreadFrames(of: connection, at: now) }
            } else if connection.waiting == .forWorld {
                connection.waiting = nil
                touch(connection)
                guard connection.ending == .none, !connection.isSilent else { continue }
                lendOutput(to: connection)
                serveRequest(of: connection, at: now)
                goOn(connection, at: now)
            }
        }
    }

    /// How many connections are served in a turn of the loop, each with one request or what the host reads in one go.
    private static let resumedInTurn = 16

    private func serveUnreadFrames(of connection: Connection, at now: Timestamp) {
        let bytes = connection.unreadFrames
        connection.unreadFrames = []
        touch(connection)
        if connection.ending == .none, !connection.isSilent {
            lendOutput(to: connection)
            bytes.withUnsafeBytes { receiveFrames($0, on: connection, at: now) }
        }
        account(connection)
    }

    /// Whether what arrives on a socket has to wait: its world stands, or what arrived meanwhile comes first.
    func waitsForWorld(_ connection: Connection) -> Bool {
        guard let world = connection.world else { return false }
        return world.isStanding || !connection.unreadFrames.isEmpty
    }

    /// Has a request wait whose world stands; false where it can be served.
    func waits(_ exchange: Exchange, on connection: Connection) -> Bool {
        guard let world = world(of: exchange), world.isStanding else { return false }
        connection.waiting = .forWorld
        world.standstill?.connections.append(connection.id)
        return true
    }

    /// The world that a request needs; nil for what is asked of the server.
    private func world(of exchange: Exchange) -> World? {
        guard case .admin(let route)? = exchange.destination.route else {
            return exchange.isOfServer ? nil : exchange.destination.world
        }
        switch route.resource {
        case .health, .echo, .description, .worlds, .scenarios: return nil
        default: return route.worldID.map { worlds[$0] } ?? defaultWorld
        }
    }

    /// Has the transport look at what its sockets may read.
    private func touchSockets(of world: World) {
        for connection in connections where connection.world === world && connection.speaks == .webSocket {
            touch(connection)
        }
    }
}
