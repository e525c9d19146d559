import FitIQAPI
import FitIQBackend
import JSON

/// A world stands still while a job exports or replaces its contents.
///
/// Requests to it, messages on its sockets, and everything due in it wait: then the job's values have one owner at a
/// time, and nothing copies them. Other worlds continue, and so do the server's own paths.
struct Standstill {
    /// Connections whose requests wait, in the order of arrival.
    fileprivate var connections: [ConnectionID] = []
    /// Sockets that were closed in the meantime.
    fileprivate var closedSockets: [SocketID] = []
}

extension World {
    var isStanding: Bool { standstill != nil }

    /// Makes the backend forget a socket, as soon as the world does not stand still.
    func closeSocket(_ socket: SocketID) {
        if isStanding { standstill?.closedSockets.append(socket) } else { backend.closeSocket(socket) }
    }
}

extension Engine {
    /// Stops a world until ``resume(_:at:)``.
    func stand(_ world: World) {
        world.standstill = Standstill()
        touchSockets(of: world)
    }

    /// Resumes a world: serves what waited in the order of arrival, some of it in each turn of the loop.
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

    /// Serves some of what waited for worlds that have resumed.
    func serveResumed(at now: Timestamp) {
        guard !resumed.isEmpty else { return }
        let turn = resumed.prefix(Self.resumedInTurn)
        resumed.removeFirst(turn.count)
        for id in turn {
            guard let connection = self[id] else { continue }
            if connection.speaks == .webSocket {
                // If its world stands still again, it is found again when that resumes.
                if !(connection.world?.isStanding ?? false) { serveUnreadFrames(of: connection, at: now) }
            } else if connection.waiting == .forWorld {
                connection.waiting = nil
                touch(connection)
                guard connection.isServed else { continue }
                lendOutput(to: connection)
                serveRequest(of: connection, at: now)
                goOn(connection, at: now)
            }
        }
    }

    /// How many connections are served in a turn of the loop, each with one request or one read of the host.
    private static let resumedInTurn = 16

    private func serveUnreadFrames(of connection: Connection, at now: Timestamp) {
        let bytes = connection.unreadFrames
        connection.unreadFrames = []
        touch(connection)
        if connection.isServed {
            lendOutput(to: connection)
            bytes.withUnsafeBytes { receiveFrames($0, on: connection, at: now) }
        }
        account(connection)
    }

    /// Whether input on a socket has to wait: its world stands still, or earlier input comes first.
    func waitsForWorld(_ connection: Connection) -> Bool {
        guard let world = connection.world else { return false }
        return world.isStanding || !connection.unreadFrames.isEmpty
    }

    /// Makes a request wait if its world stands still; returns false if it can be served.
    func waits(_ exchange: Exchange) -> Bool {
        guard let world = world(of: exchange), world.isStanding else { return false }
        exchange.connection.waiting = .forWorld
        world.standstill?.connections.append(exchange.connection.id)
        return true
    }

    /// The world that a request needs; nil for requests to the server.
    private func world(of exchange: Exchange) -> World? {
        guard case .admin(let route)? = exchange.destination.route else {
            return exchange.isOfServer ? nil : exchange.destination.world
        }
        return route.resource.isOfServer ? nil : route.worldID.map { worlds[$0] } ?? defaultWorld
    }

    /// Makes the transport check which of its sockets may be read.
    private func touchSockets(of world: World) {
        for connection in connections where connection.world === world && connection.speaks == .webSocket {
            touch(connection)
        }
    }
}
