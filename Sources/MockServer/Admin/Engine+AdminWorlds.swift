import FitIQAPI
import FitIQBackend
import HTTPTypes
import JSON
import Scenarios

/// The admin API's worlds: made, listed, shown, reset, deleted.
extension Engine {
    /// What a world is made or reset with.
    private static let worldKeys = ["scenario", "seed", "guide", "clock", "judged"]

    /// `POST /__admin/worlds`: what is left out is as in the scenario, then as in the server's options.
    func makeWorld(_ body: [UInt8], at now: Timestamp) throws(APIError) -> Answer {
        let body = try AdminBody(body, keys: Self.worldKeys)
        try checkWorldCount()
        let scenario = try body.scenario() ?? configuration.scenario
        let world = try makeWorld(
            scenario, guide: body.guide(), seed: body.seed(), clock: body.clock(),
            isJudged: body.flag("judged") ?? false,
            scenarioBytes: body.scenarioBytes, at: now)
        return Answer(
            status: .created, body: describe(world, at: now),
            fields: [.location: "/__admin/worlds/\(world.id ?? World.defaultID)"])
    }

    /// Makes a world; what is nil is as in the scenario, then as in the server's options.
    ///
    /// - Parameter scenarioBytes: what the scenario counts for, where it came over the network.
    func makeWorld(
        _ scenario: Scenario, guide: GuideMode?, seed: UInt64?, clock: ClockMode?, isJudged: Bool,
        scenarioBytes: Int = 0, at now: Timestamp
    ) throws(APIError) -> World {
        try checkWorldCount()
        let number = worldSerial + 1
        let id = "w\(number)"
        var settings = configuration.defaultWorldSettings
        settings.origin += "/w/" + id
        settings.scenario = scenario
        settings.seed = seed ?? scenario.seed ?? configuration.seed
        settings.mode = guide ?? scenario.guide ?? configuration.mode
        settings.clock = clock ?? scenario.clock ?? configuration.clock
        settings.apiKey += "-" + id
        settings.jwtSecret += "-" + id
        try checkRoom(for: scenarioBytes)
        let room = storageRoom(of: nil, written: scenarioBytes)
        let world = try World(id: id, number: number, settings, room: room, now: now)
        world.scenarioBytes = scenarioBytes
        if isJudged { world.beginJudging() }
        worldSerial = number
        worlds[id] = world
        accountStorage(of: world)
        worldDeadlines.worldCount = worlds.count + 1
        if nextSweep == nil { nextSweep = now.advanced(byNanoseconds: Engine.sweepInterval) }
        queueDeadline(of: world)
        return world
    }

    private func checkWorldCount() throws(APIError) {
        guard worlds.count + 1 < limits.worlds else { throw .tooManyWorlds(limit: limits.worlds) }
    }

    /// `GET /__admin/worlds`: in the order in which they were made, the default world first.
    func worldList(at now: Timestamp) -> Answer {
        let others = worlds.values.sorted { $0.number < $1.number }
        return .ok(
            JSONWriter.object { writer in
                writer.member("count", others.count + 1)
                writer.array("worlds") { writer in
                    for world in [defaultWorld] + others { writer.raw(describe(world, at: now)) }
                }
            })
    }

    /// `GET /__admin/worlds/{id}`: how to reach it, and what it holds.
    func describe(_ world: World, at now: Timestamp) -> [UInt8] {
        let settings = world.settings
        return JSONWriter.object { writer in
            writer.member("id", world.id ?? World.defaultID)
            writer.member("url", settings.origin)
            writer.member("ws_url", settings.webSocketOrigin)
            writer.member("api_key", settings.apiKey)
            writer.member("token", world.token)
            writer.member("scenario", settings.scenario.name)
            writer.member("guide", settings.mode.rawValue)
            writer.member("seed", String(settings.seed))
            writer.member("clock", world.clock.manualTime == nil ? "real" : "manual")
            writer.member("now", world.clock.now(now).wireText)
            writer.member("users", world.backend.userCount)
            writer.member("consultations", world.backend.consultationCount)
            writer.member("goals", world.backend.goalCount)
            writer.member("meal_logs", world.backend.mealLogCount)
            writer.member("web_sockets", world.openSocketCount)
        }
    }

    /// `DELETE /__admin/worlds/{id}`: closes its sockets with 1001 and forgets it.
    func delete(_ world: World, at now: Timestamp) -> Answer {
        remove(world, reason: "The world was deleted", at: now)
        return Answer(status: .noContent, body: [])
    }

    /// `POST /__admin/reset`: closes the world's sockets with 1001 and has it begin anew, as it was made or otherwise.
    func reset(_ world: World, _ body: [UInt8], at now: Timestamp) throws(APIError) -> Answer {
        let body = try AdminBody(body, keys: Self.worldKeys)
        var settings = world.reloadedSettings ?? world.settings
        if let scenario = try body.scenario() {
            settings.scenario = scenario
            settings.seed = scenario.seed ?? configuration.seed
            settings.mode = scenario.guide ?? configuration.mode
            settings.clock = scenario.clock ?? configuration.clock
        }
        settings.seed = try body.seed() ?? settings.seed
        settings.mode = try body.guide() ?? settings.mode
        settings.clock = try body.clock() ?? settings.clock
        let isJudged = try body.flag("judged") ?? false
        let bytes = body["scenario"] == nil ? world.scenarioBytes : body.scenarioBytes
        try restart(world, settings, scenarioBytes: bytes, reason: "The world was reset", at: now)
        if isJudged, world.judge == nil { world.beginJudging() }
        return .ok(describe(world, at: now))
    }

    /// Has a world begin anew, and closes its sockets with 1001.
    ///
    /// - Parameter keepsFaults: whether the faults that are in force stay.
    /// - Throws: 400 where the scenario's data does not fit together, 507 where there is no room; the world stays as it was.
    func restart(
        _ world: World, _ settings: WorldSettings, scenarioBytes: Int, keepsFaults: Bool = false, reason: String,
        at now: Timestamp
    ) throws(APIError) {
        try checkRoom(for: max(0, scenarioBytes - world.storedBytes))
        let state = try World.State(settings, room: storageRoom(of: world, written: scenarioBytes), now: now)
        closeConnections(of: world, reason: reason, at: now)
        world.begin(settings, state, keepsFaults: keepsFaults)
        world.scenarioBytes = scenarioBytes
        accountEverything(of: world)
        queueDeadline(of: world)
    }

    /// Forgets the worlds that lay idle too long.
    func sweepWorlds(at now: Timestamp) {
        guard let due = nextSweep, due <= now else { return }
        let followed = Set(followers.compactMap { self[$0]?.follower.map { ObjectIdentifier($0.world) } })
        for world in worlds.values.sorted(by: { $0.number < $1.number }) {
            let idle = now.nanosecondsSinceEpoch - world.lastUsed.nanosecondsSinceEpoch
            guard idle >= patience.worldIdle, world.openSocketCount == 0,
                !followed.contains(ObjectIdentifier(world))
            else { continue }
            remove(world, reason: "The world lay idle", at: now)
        }
        nextSweep = worlds.isEmpty ? nil : now.advanced(byNanoseconds: Engine.sweepInterval)
    }

    /// How often worlds are looked through for idle ones, in nanoseconds: a minute.
    static let sweepInterval: Int64 = 60_000_000_000

    func remove(_ world: World, reason: String, at now: Timestamp) {
        guard let id = world.id else { preconditionFailure("The default world is never removed.") }
        closeConnections(of: world, reason: reason, at: now)
        for connection in followers.compactMap({ self[$0] }) where connection.follower?.world === world {
            endEvents(on: connection, at: now)
        }
        worlds[id] = nil
        worldDeadlines.worldCount = worlds.count + 1
        world.vanish()
        accountEverything(of: world)
    }

    /// Closes the sockets of a world with 1001, and has every other connection forget it.
    ///
    /// What faults hold back is let go: no clock will move it on. A connection that is silent would never hear of it.
    private func closeConnections(of world: World, reason: String, at now: Timestamp) {
        for case let connection? in connections where connection.world === world {
            if connection.speaks == .http {
                connection.lastAuthorization = nil
                connection.world = nil
            } else {
                // What the client still says belongs to a life that is over, and so does that it leaves.
                connection.isClosingRecorded = true
                if connection.ending == .none, !connection.isSilent {
                    forgetSocket(of: connection)
                    close(connection, code: .goingAway, reason: reason, at: now)
                }
            }
            // Also where it is the last before the connection ends.
            if connection.output.isHeld { release(connection, in: world, at: now, skippingWaits: true) }
            // It stands for a time on a clock that is gone, and must not pass for an entry in the queue of the next one.
            connection.queuedRelease = nil
            if connection.isSilent { end(connection, .reset) }
        }
    }
}
