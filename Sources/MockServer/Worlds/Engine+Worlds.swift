import FitIQAPI
import FitIQBackend
import HTTPTypes
import Scenarios

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
            world.turn.now = due
            world.backend.advance(&world.turn)
            applyEffects(of: world, at: now)
            releaseOutputs(of: world, at: now)
        }
        queueDeadline(of: world)
    }

    /// Notes when the system's clock is to look at a world; a clock that is moved by hand looks by itself.
    func queueDeadline(of world: World) {
        guard world.clock.manualTime == nil, let step = world.nextStep else { return }
        worldDeadlines.insert(world, at: step)
    }

    /// Has the outputs go on that a fault held back until now.
    private func releaseOutputs(of world: World, at now: Timestamp) {
        while let (id, _) = world.heldOutputs.popDue(at: world.turn.now) {
            guard let connection = self[id] else { continue }
            release(connection, in: world, at: now)
        }
    }

    /// Passes the holds in a connection's output that are due, and does what stands behind them.
    func release(_ connection: Connection, in world: World, at now: Timestamp) {
        switch connection.output.release(at: world.turn.now) {
        case .all: break
        case .until(let time):
            world.heldOutputs.insert(connection.id, at: time)
            queueDeadline(of: world)
        case .end(.finish):
            forgetSocket(of: connection)
            linger(connection, at: now)
        case .end(.reset):
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

extension APIError {
    /// No world has the id in the path.
    static func unknownWorld(_ id: String) -> APIError {
        APIError(
            .notFound, .notFound,
            "There is no world \"\(id)\": it was never made, was deleted, or lay idle too long. Make one with POST /__admin/worlds."
        )
    }

    /// The admin API was looked for below a world's prefix.
    static func adminBelowWorld(_ id: String) -> APIError {
        APIError(
            .notFound, .notFound,
            "The admin API is not below a world's prefix: that of this world is at /__admin/worlds/\(id).")
    }
}
