import FitIQAPI
import FitIQBackend

/// The worlds of a server, and their time.
extension Engine {
    /// Does what is due in the worlds that follow the system's clock.
    func serveWorlds(at now: Timestamp) {
        while let world = worldDeadlines.popDue(at: now) {
            advance(world, to: world.clock.now(now), at: now)
        }
    }

    /// Does what is due in a world by a point of its time, step by step, each at the time at which it was due.
    func advance(_ world: World, to time: Timestamp, at now: Timestamp) {
        while let due = world.nextStep, due <= time {
            if world.clock.manualTime == nil { world.turn.now = due } else { world.moveClock(to: due) }
            world.backend.advance(&world.turn)
            applyEffects(of: world, at: now)
            releaseOutputs(of: world, at: now)
        }
        if world.clock.manualTime != nil { world.moveClock(to: time) }
        queueDeadline(of: world)
    }

    /// Notes when the system's clock is to look at a world.
    ///
    /// A clock that is moved by hand looks by itself, save for what is due without its moving: an answer that takes no time.
    func queueDeadline(of world: World) {
        guard let step = world.nextStep else { return }
        guard let manualTime = world.clock.manualTime else { return worldDeadlines.insert(world, at: step) }
        if step <= manualTime { worldDeadlines.insert(world, at: world.lastUsed) }
    }

    /// Has the outputs go on that a fault held back until now.
    private func releaseOutputs(of world: World, at now: Timestamp) {
        while let (id, time) = world.heldOutputs.popDue(at: world.turn.now) {
            guard let connection = self[id], connection.releasedAt == time else { continue }
            connection.releasedAt = nil
            release(connection, in: world, at: now)
        }
    }

    /// Passes the holds in a connection's output that are due, and does what stands behind them.
    func release(_ connection: Connection, in world: World, at now: Timestamp) {
        switch connection.output.release(at: world.turn.now) {
        case .all: break
        case .until(let time):
            guard connection.releasedAt != time else { break }
            connection.releasedAt = time
            world.heldOutputs.insert(connection.id, at: time)
            queueDeadline(of: world)
        case .end(.finish):
            recordClosing(of: connection, by: .server, .fault)
            forgetSocket(of: connection)
            linger(connection, at: now)
        case .end(.reset):
            recordClosing(of: connection, by: .server, .fault)
            forgetSocket(of: connection)
            end(connection, .resetAfterOutput)
        case .end(.silence):
            forgetSocket(of: connection)
            connection.isSilent = true
            arm(connection, .silence, after: Engine.longestSilence, at: now)
        case .end(.wait):
            preconditionFailure("A wait ends by itself.")
        }
        touch(connection)
        awaitReader(of: connection, at: now)
    }

    /// How long a connection is kept on which a fault has fallen silent, in nanoseconds: 10 minutes.
    static let longestSilence: Int64 = 600_000_000_000
}

extension Engine.Configuration {
    /// What the default world is made with.
    var defaultWorldSettings: WorldSettings {
        WorldSettings(
            origin: origin, scenario: scenario, seed: seed, pace: pace, mode: mode, clock: clock, apiKey: apiKey,
            jwtSecret: jwtSecret, verifiedTokens: limits.verifiedTokens, limits: worldLimits)
    }
}
