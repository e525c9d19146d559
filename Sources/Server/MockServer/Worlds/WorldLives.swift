import FitIQAPI
import JSON

/// Begins, restarts and removes worlds.
struct WorldLives {
    let engine: Engine

    /// - Throws: 507 if the server is full, 409 if a world already has the id, 503 while the server is draining, 404 if
    ///   the owner is gone.
    func begin(
        _ number: Int, _ beginning: WorldBeginning, of owner: World? = nil, at now: Timestamp
    ) throws(APIError) -> World {
        try checkPlace()
        try owner?.checkIsThere()
        guard let id = beginning.draft.id else { preconditionFailure("A new world's draft must have an id.") }
        guard engine.worlds[ExactString(id.text)] == nil else { throw .worldExists(id.text) }
        try beginning.check(in: engine.worlds.room(of: nil))
        let world = World(id: id.text, number: number, beginning, now: now)
        world.follow(dateShift: engine.worlds.dateShift)
        world.owner = owner?.owner ?? owner
        if beginning.draft.isJudged || owner != nil { world.beginJudging() }
        world.issueRefreshToken()
        add(world, id, at: now)
        return world
    }

    func add(_ world: World, _ id: WorldID, at now: Timestamp) {
        if let owner = world.owner {
            if owner.run == nil { owner.run = WorldRun() }
            owner.run?.add(world)
        }
        engine.worlds.add(world, id, ofNode: engine.configuration.node)
        // The state file keeps the number even if it does not keep the world.
        engine.saving?.needsCommit = true
        engine.worlds.accountStorage(of: world)
        if engine.worlds.nextSweep == nil { engine.worlds.nextSweep = now.advanced(byNanoseconds: Self.sweepInterval) }
        engine.queueDeadline(of: world)
    }

    /// - Throws: 503 while the server is draining, 507 if there are too many worlds.
    func checkPlace() throws(APIError) {
        guard engine.drainIdle == nil else { throw .draining }
        guard engine.worlds.count + 1 < engine.limits.worlds else { throw .tooManyWorlds(limit: engine.limits.worlds) }
    }

    /// Closes a world's sockets with 1001 and restarts it.
    ///
    /// - Throws: 404 if the world is gone, 507 if the server is full; the world then stays unchanged.
    func restart(_ world: World, _ beginning: WorldBeginning, reason: String, at now: Timestamp) throws(APIError) {
        try world.checkIsThere()
        try beginning.check(in: engine.worlds.room(of: world))
        engine.breakpoints.releaseAll(of: world, .ended, at: now)
        closeConnections(of: world, reason: reason, at: now)
        if world.isLargeToFree { engine.discard(world.contents) }
        world.begin(beginning)
        world.follow(dateShift: engine.worlds.dateShift)
        engine.worlds.accountEverything(of: world)
        engine.queueDeadline(of: world)
    }

    /// Deletes worlds that have been idle for too long, a few at a time.
    func sweep(at now: Timestamp) {
        guard let due = engine.worlds.nextSweep, due <= now else { return }
        let followed = Set(engine.followers.compactMap { engine[$0]?.follower.map { ObjectIdentifier($0.world) } })
        func isIdle(_ world: World) -> Bool {
            now.nanosecondsSinceEpoch - world.lastUsed.nanosecondsSinceEpoch
                >= (engine.drainIdle ?? engine.patience.worldIdle)
                && world.openSocketCount == 0 && !world.isPaused && !followed.contains(ObjectIdentifier(world))
        }
        if engine.worlds.idle.isEmpty { engine.worlds.idle = engine.worlds.values.filter(isIdle).sorted(by: >) }
        for _ in 0..<min(Self.sweptAtOnce, engine.worlds.idle.count) {
            // A client may have used or deleted the world in the meantime.
            let world = engine.worlds.idle.removeLast()
            if engine.worlds.contains(world), isIdle(world) { remove(world, reason: "The world was idle", at: now) }
        }
        let interval = min(Self.sweepInterval, max(engine.drainIdle ?? .max, Self.sweepPause))
        let pause = engine.worlds.idle.isEmpty ? interval : Self.sweepPause
        engine.worlds.nextSweep = engine.worlds.isEmpty ? nil : now.advanced(byNanoseconds: pause)
    }

    /// The interval between searches for idle worlds, in nanoseconds: a minute.
    static let sweepInterval: Int64 = 60_000_000_000
    /// The maximum number of worlds to delete in one turn; each deletion visits all connections.
    static let sweptAtOnce = 64
    /// The pause before the next deletions, in nanoseconds: a millisecond.
    private static let sweepPause: Int64 = 1_000_000

    /// Starts draining, or changes how long a world must have been idle to be deleted.
    func drain(idle: Int64?, at now: Timestamp) {
        engine.drainIdle = idle ?? engine.drainIdle ?? engine.patience.worldIdle
        if !engine.worlds.isEmpty { engine.worlds.nextSweep = now }
    }

    func remove(_ world: World, reason: String, at now: Timestamp) {
        guard let id = world.id else { preconditionFailure("The default world must not be removed.") }
        for member in world.run?.worlds ?? [] { remove(member, reason: reason, at: now) }
        world.owner?.run?.remove(world, at: world.date(of: world.clock.now(now)))
        engine.breakpoints.releaseAll(of: world, .ended, at: now)
        closeConnections(of: world, reason: reason, at: now)
        for connection in engine.followers.compactMap({ engine[$0] }) where connection.follower?.world === world {
            engine.endEvents(on: connection, at: now)
        }
        engine.worlds[ExactString(id)] = nil
        engine.saving?.noteRemoval(of: world)
        if world.isLargeToFree { engine.discard(world.contents) }
        world.vanish()
        engine.worlds.accountEverything(of: world)
        // Resumes requests that are waiting for the world, so that their clients learn that the world is gone.
        engine.resume(world, at: now)
    }

    /// Closes a world's sockets with 1001, and detaches the other connections.
    ///
    /// Held output is released, because no clock can release it later. Silent connections are reset, because their
    /// clients would not notice a close.
    func closeConnections(of world: World, reason: String, at now: Timestamp) {
        for connection in engine.connections where connection.world === world {
            if connection.speaks == .http {
                connection.lastAuthorization = nil
                // The answer would belong to an earlier life of the world.
                if connection.waiting == .forUpstream {
                    connection.waiting = nil
                    engine.upstreams.leave(connection)
                    engine.end(connection, .reset)
                }
                connection.world = nil
            } else {
                // The new life's journal records neither this socket's later messages nor its end.
                connection.record.isClosed = true
                if connection.isServed {
                    if case .upstream = connection.webSocketUse { engine.forgetSocket(of: connection) }
                    // The old backend, which owns the socket, ends with the old life.
                    engine.close(connection, code: .goingAway, reason: reason, at: now)
                }
            }
            // Releases the output even if the connection ends after it.
            if connection.output.isHeld { engine.release(connection, in: world, at: now, skippingWaits: true) }
            engine.network.lead(connection, through: nil, from: world, at: now)
            // These times come from the old clock and must not match entries in the new world's queue.
            (connection.queuedRelease, connection.queuedArrival, connection.pings) = (nil, nil, Pings())
            if connection.isSilent || connection.silencedUntil != nil { engine.end(connection, .reset) }
        }
    }
}

extension World {
    /// Throws 404 if the world was deleted.
    func checkIsThere() throws(APIError) {
        if isGone { throw .unknownWorld(name) }
    }
}
