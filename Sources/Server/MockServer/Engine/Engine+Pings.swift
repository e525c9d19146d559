import FitIQAPI
import WebSocket

/// The server's own pings, which some backends send to find out which clients are gone (RFC 6455 §5.5.2).
extension Engine {
    /// Queues a socket's next ping, where its world has any.
    func queuePing(on connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings else { return }
        // A loop that is late does not make up for what it has missed.
        let time = max(world.turn.now, world.clock.now(now)).advanced(byNanoseconds: interval)
        connection.pings.due = time
        look(at: connection, in: world, at: time)
    }

    /// Sends the ping that is due, or closes a socket whose client has not answered the last one.
    func ping(_ connection: Connection, in world: World, at now: Timestamp) {
        guard let interval = world.settings.scenario.rules.pings, let due = connection.pings.due else { return }
        connection.pings.due = nil
        guard connection.isServed, !connection.isSilent, connection.webSocket?.canSend == true else { return }
        if connection.pings.awaited != nil {
            // While a manual clock moves, no client can answer: one ping is enough.
            if passing != nil, connection.pings.move == world.clockMoveCount {
                return queuePing(on: connection, in: world, at: now)
            }
            // What came while the loop was late is not read yet, and nothing is heard or sent that a fault or an
            // operator holds back.
            let isLate = world.clock.now(now) > due.advanced(byNanoseconds: interval / 10)
            let isHeldBack =
                connection.isReadingStalled || connection.heldEvent != nil || !connection.unreadFrames.isEmpty
                || connection.output.isHeld
            if !isLate, !isHeldBack {
                forgetSocket(of: connection)
                return close(connection, code: .internalError, reason: "No pong came.", at: now)
            }
        }
        connection.pings.count += 1
        connection.pings.awaited = Array("\(connection.pings.count)".utf8)
        connection.pings.move = world.clockMoveCount
        send(connection.pings.awaited ?? [], .ping, on: connection, in: world, at: now)
        queuePing(on: connection, in: world, at: now)
    }
}

/// What a server's connection knows of its own pings.
struct Pings {
    /// When the next one is due, by the world's clock.
    var due: Timestamp?
    var count = 0
    /// The payload of the last one, until its pong comes.
    var awaited: [UInt8]?
    /// During which move of a manual clock it was sent.
    var move = 0
}
