import FitIQAPI
import FitIQBackend
import JSON
import Scenarios
import Traffic

/// Worlds' lives: adds, restarts and removes worlds.
extension Engine {
    func makeWorld(
        _ scenario: Scenario, guide: GuideMode?, seed: UInt64?, clock: ClockMode?, isJudged: Bool, at now: Timestamp
    ) throws(APIError) -> World {
        try checkPlaceForWorld()
        let number = worlds.serial + 1
        let id = WorldID(number, of: configuration.node)
        let settings = configuration.settings(ofWorld: id, scenario, guide: guide, seed: seed, clock: clock)
        let draft = WorldDraft(settings: settings, id: id, isJudged: isJudged)
        let world = try addWorld(
            number, WorldBeginning(draft, in: worlds.room(of: nil), now: now, dateShift: worlds.dateShift), at: now)
        worlds.serial = number
        return world
    }

    /// - Throws: 507 if the server is full, 409 if a world already has the id, 503 while the server is draining, 404 if
    ///   the owner is gone.
    func addWorld(
        _ number: Int, _ beginning: WorldBeginning, of owner: World? = nil, at now: Timestamp
    ) throws(APIError) -> World {
        try checkPlaceForWorld()
        if let owner, let id = owner.id, owner.isGone { throw .unknownWorld(id) }
        guard let id = beginning.draft.id else { preconditionFailure("A new world's draft must have an id.") }
        guard worlds[ExactString(id.text)] == nil else { throw .worldExists(id.text) }
        try beginning.check(in: worlds.room(of: nil))
        let world = World(id: id.text, number: number, beginning, now: now)
        world.follow(dateShift: worlds.dateShift)
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
        worlds.add(world, id, ofNode: configuration.node)
        // The state file keeps the number even if it does not keep the world.
        saving?.needsCommit = true
        worlds.accountStorage(of: world)
        if worlds.nextSweep == nil { worlds.nextSweep = now.advanced(byNanoseconds: Engine.sweepInterval) }
        queueDeadline(of: world)
    }

    /// - Throws: 503 while the server is draining, 507 if there are too many worlds.
    func checkPlaceForWorld() throws(APIError) {
        guard drainIdle == nil else { throw .draining }
        guard worlds.count + 1 < limits.worlds else { throw .tooManyWorlds(limit: limits.worlds) }
    }

    /// Closes a world's sockets with 1001 and restarts it.
    ///
    /// - Throws: 404 if the world is gone, 507 if the server is full; the world then stays unchanged.
    func restart(_ world: World, _ beginning: WorldBeginning, reason: String, at now: Timestamp) throws(APIError) {
        guard worlds.contains(world) else { throw .unknownWorld(world.name) }
        try beginning.check(in: worlds.room(of: world))
        breakpoints.releaseAll(of: world, .ended, at: now)
        closeConnections(of: world, reason: reason, at: now)
        if world.isLargeToFree { discard(world.contents) }
        world.begin(beginning)
        world.follow(dateShift: worlds.dateShift)
        worlds.accountEverything(of: world)
        queueDeadline(of: world)
    }

    /// Deletes worlds that have been idle for too long, a few at a time.
    func sweepWorlds(at now: Timestamp) {
        guard let due = worlds.nextSweep, due <= now else { return }
        let followed = Set(followers.compactMap { self[$0]?.follower.map { ObjectIdentifier($0.world) } })
        func isIdle(_ world: World) -> Bool {
            now.nanosecondsSinceEpoch - world.lastUsed.nanosecondsSinceEpoch >= (drainIdle ?? patience.worldIdle)
                && world.openSocketCount == 0 && !world.isStanding && !followed.contains(ObjectIdentifier(world))
        }
        if worlds.idle.isEmpty { worlds.idle = worlds.values.filter(isIdle).sorted(by: >) }
        for _ in 0..<min(Engine.worldsSweptAtOnce, worlds.idle.count) {
            // A client may have used or deleted the world in the meantime.
            let world = worlds.idle.removeLast()
            if worlds.contains(world), isIdle(world) { remove(world, reason: "The world was idle", at: now) }
        }
        let interval = min(Engine.sweepInterval, max(drainIdle ?? .max, Engine.sweepPause))
        let pause = worlds.idle.isEmpty ? interval : Engine.sweepPause
        worlds.nextSweep = worlds.isEmpty ? nil : now.advanced(byNanoseconds: pause)
    }

    /// The interval between searches for idle worlds, in nanoseconds: a minute.
    static let sweepInterval: Int64 = 60_000_000_000
    /// The maximum number of worlds to delete in one turn; each deletion visits all connections.
    static let worldsSweptAtOnce = 64
    /// The pause before the next deletions, in nanoseconds: a millisecond.
    private static let sweepPause: Int64 = 1_000_000

    func remove(_ world: World, reason: String, at now: Timestamp) {
        guard let id = world.id else { preconditionFailure("The default world must not be removed.") }
        for member in world.run?.worlds ?? [] { remove(member, reason: reason, at: now) }
        world.owner?.run?.remove(world, at: world.date(of: world.clock.now(now)))
        breakpoints.releaseAll(of: world, .ended, at: now)
        closeConnections(of: world, reason: reason, at: now)
        for connection in followers.compactMap({ self[$0] }) where connection.follower?.world === world {
            endEvents(on: connection, at: now)
        }
        worlds[ExactString(id)] = nil
        saving?.noteRemoval(of: world)
        if world.isLargeToFree { discard(world.contents) }
        world.vanish()
        worlds.accountEverything(of: world)
        // Resumes requests that are waiting for the world, so that their clients learn that the world is gone.
        resume(world, at: now)
    }

    /// Closes a world's sockets with 1001, and detaches the other connections.
    ///
    /// Held output is released, because no clock can release it later. Silent connections are reset, because their
    /// clients would not notice a close.
    func closeConnections(of world: World, reason: String, at now: Timestamp) {
        for connection in connections where connection.world === world {
            if connection.speaks == .http {
                connection.lastAuthorization = nil
                // The answer would belong to an earlier life of the world.
                if connection.waiting == .forUpstream {
                    connection.waiting = nil
                    upstreams.leave(connection)
                    end(connection, .reset)
                }
                connection.world = nil
            } else {
                // The new life's journal records neither this socket's later messages nor its end.
                connection.record.isClosed = true
                if connection.isServed {
                    if case .upstream = connection.webSocketUse { forgetSocket(of: connection) }
                    // The old backend, which owns the socket, ends with the old life.
                    close(connection, code: .goingAway, reason: reason, at: now)
                }
            }
            // Releases the output even if the connection ends after it.
            if connection.output.isHeld { release(connection, in: world, at: now, skippingWaits: true) }
            network.lead(connection, through: nil, from: world, at: now)
            // These times come from the old clock and must not match entries in the new world's queue.
            (connection.queuedRelease, connection.queuedArrival, connection.pings) = (nil, nil, Pings())
            if connection.isSilent || connection.silencedUntil != nil { end(connection, .reset) }
        }
    }

    /// Records that a manual clock moves from one time to another.
    func noteAdvance(of world: World, from start: Timestamp, to target: Timestamp) {
        let span = target.nanoseconds(since: start)
        if span > 0 { recorder.record(.clock(advancedBy: span), at: start, in: world) }
    }
}
