import Faults
import FitIQAPI
import HTTP1

/// The network stage: delays bytes in both directions, and drops or breaks connections.
///
/// A world's network takes effect once the head of a connection's first request has arrived, because the head names the
/// world. The network delays the first answer by the time that opening the connection and sending the head would have
/// taken. ``Engine/carry(_:at:)`` passes new output to the network.
struct NetworkStage {
    let engine: Engine

    /// Applies the network of a request's world to a connection; the network may drop the connection.
    func pass(_ head: RequestHead, on connection: Connection, at now: Timestamp) -> Passage {
        let destination = Destination(of: head.target, in: engine)
        guard !destination.isServer, let world = destination.world, let network = world.network else {
            lead(connection, through: nil, from: connection.world, at: now)
            return .passed
        }
        guard connection.input.line?.network !== network else { return .passed }
        if connection.world !== world { connection.lastAuthorization = nil }
        connection.world = world
        world.setTime(now)
        guard !network.loses(connection: connection.number(in: world)) else {
            let note = "\(network.rule) dropped a connection at its first request"
            engine.recorder.record(.note(note), on: connection, in: world)
            engine.end(connection, .reset)
            return .stopped
        }
        lead(connection, through: network, from: world, opening: network.profile.roundTrip * 3 / 2, at: now)
        return .passed
    }

    /// Applies a different network, or none, to a connection; bytes in transit arrive immediately.
    ///
    /// - Parameter opening: How long to delay the next answer, in nanoseconds.
    func lead(
        _ connection: Connection, through network: Network?, from world: World?, opening: Int64 = 0, at now: Timestamp
    ) {
        guard connection.input.line?.network !== network else { return }
        let wasHeld = connection.output.isHeld
        if let network, let world {
            let (number, time) = (connection.number(in: world), world.turn.now)
            connection.input.follow(
                NetworkLine(network, .up, connection: number, after: connection.input.writtenOffset, from: time))
            connection.output.follow(
                NetworkLine(
                    network, .down, connection: number, after: connection.output.writtenOffset,
                    from: time.advanced(byNanoseconds: opening)))
        } else {
            connection.input.follow(nil)
            connection.output.follow(nil)
        }
        if !connection.input.isEmpty { engine.resumed.append(connection.id) }
        if wasHeld, let world { engine.release(connection, in: world, at: now) }
    }

    /// Reads the part of a connection's input that has arrived.
    func arrive(on connection: Connection, at now: Timestamp) {
        connection.world?.setTime(now)
        let next = connection.input.release(at: connection.world?.turn.now ?? now)
        while connection.isServed, connection.input.hasReleased {
            let bytes = connection.input.withUnsent { Array($0) }
            connection.input.take(bytes.count)
            bytes.withUnsafeBytes { engine.take($0, on: connection, at: now) }
        }
        if !connection.isServed || connection.input.isEmpty { connection.input.discard() }
        if connection.input.line != nil, let world = connection.world, connection.isServed {
            switch next {
            case .until(let time) where connection.queuedArrival != time:
                connection.queuedArrival = time
                engine.queue(connection, in: world, at: time)
            case .broken: breakOff(connection, in: world, at: now)
            case .until, .all, .end: break
            }
        }
        if connection.inputHasEnded, connection.input.isEmpty {
            connection.inputHasEnded = false
            engine.receiveEndOfStream(on: connection.id, at: now)
        }
        // The transport may be able to read again.
        engine.touch(connection)
        engine.account(connection)
    }

    func breakOff(_ connection: Connection, in world: World, at now: Timestamp) {
        connection.input.discard()
        let rule = world.network?.rule ?? LiveControl.byHand
        engine.liveSockets.cut(connection, isReset: true, by: rule, in: world, at: now)
    }

    /// Sets a world's network; an offline network resets every connection.
    func set(_ profile: NetworkProfile?, of world: World, at now: Timestamp) {
        world.setTime(now)
        world.network = profile.map { Network($0, seed: world.settings.seed, from: world.turn.now) }
        engine.worlds.accountStorage(of: world)
        let note = profile.map { "the network is now \($0.name)" } ?? "the network profile was removed"
        engine.recorder.record(.note(note), at: world.turn.now, in: world)
        for connection in engine.connections
        where connection.world === world && connection.isServed && !connection.isEcho {
            if profile?.reach == .nobody {
                breakOff(connection, in: world, at: now)
            } else {
                lead(connection, through: world.network, from: world, at: now)
            }
        }
    }
}

extension Network {
    /// The network's name in the `faults` of journal entries.
    var rule: String { "network \(profile.name)" }
}
