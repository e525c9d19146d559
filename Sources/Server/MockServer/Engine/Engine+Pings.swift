import FitIQAPI
import WebSocket

/// The server's pings; some backends use pings to detect lost clients (RFC 6455 §5.5.2).
extension Engine {
    /// Queues a socket's next ping if the world's scenario uses pings.
    func queuePing(on connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings else { return }
        // A loop that runs late skips the pings that it missed.
        let time = max(world.turn.now, world.clock.now(now)).advanced(byNanoseconds: interval)
        connection.pings.due = time
        look(at: connection, in: world, at: time)
    }

    /// Sends the ping that is due, or closes the socket if its client has not answered the last ping.
    func ping(_ connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings, let due = connection.pings.due else { return }
        connection.pings.due = nil
        guard connection.isServed, !connection.isSilent, connection.webSocket?.canSend == true else { return }
        if connection.pings.awaited != nil {
            // No client can answer while a manual clock is advancing, so one ping is enough.
            if passing != nil, connection.pings.move == world.clockMoveCount {
                return queuePing(on: connection, in: world, at: now)
            }
            // A loop that runs late may not have read the pong yet, and a fault or an operator may hold the pong or the
            // ping.
            let isLate = world.clock.now(now) > due.advanced(byNanoseconds: interval / 10)
            let isHeldBack =
                connection.isReadingStalled || connection.heldEvent != nil || !connection.unreadFrames.isEmpty
                || connection.output.isHeld
            if !isLate, !isHeldBack {
                forgetSocket(of: connection)
                return close(connection, code: .internalError, reason: "No pong arrived.", at: now)
            }
        }
        connection.pings.count += 1
        connection.pings.awaited = Array("\(connection.pings.count)".utf8)
        connection.pings.move = world.clockMoveCount
        send(connection.pings.awaited ?? [], .ping, on: connection, in: world, at: now)
        queuePing(on: connection, in: world, at: now)
    }
}

/// The state of the server's pings on a connection.
struct Pings {
    /// When the next ping is due, by the world's clock.
    var due: Timestamp?
    var count = 0
    /// The payload of the last ping; nil once its pong has arrived.
    var awaited: [UInt8]?
    /// How many times the clock had been advanced when the last ping was sent (``World/clockMoveCount``).
    var move = 0
}
