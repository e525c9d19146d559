import FitIQAPI
import FitIQBackend
import HTTPTypes
import JSON
import Scenarios
import Traffic

/// The admin API's worlds: creates, lists, describes, resets and deletes them.
extension Engine {
    /// The keys of a body that resets a world; a body that creates a world may also have ``idKey``.
    static let worldKeys = ["scenario", "seed", "guide", "clock", "judged", "label", "upstream"]
    private static let idKey = "id"

    /// `POST /__admin/worlds`: creates a world; absent keys default to the scenario's values, then to the server's
    /// values.
    ///
    /// Returns nil if the request waits for a job.
    ///
    /// With `id`, a world can move from another server and keep its URL. A world that is created below another world's
    /// prefix belongs to that world's run.
    func makeWorld(_ call: AdminCall) throws(APIError) -> Answer? {
        try checkPlaceForWorld()
        let (configuration, number) = (configuration, worlds.serial + 1)
        worlds.serial = number
        let bytes = call.bytes
        let reader: DraftReader = { () throws(APIError) in
            let body = try AdminBody(bytes, keys: Engine.worldKeys + [Engine.idKey], limits: JSON.Limits())
            let expected = "a world's id, such as \"w17\" or \"n2-w17\", with at most 18 digits"
            let given = try body.value(Engine.idKey, expected: expected) {
                $0.string.flatMap { WorldID($0) }.flatMap { $0.number <= WorldID.largestChosen ? $0 : nil }
            }
            let id = given ?? WorldID(number, of: configuration.node)
            let scenario = try body.scenario() ?? configuration.scenario
            var settings = configuration.settings(
                ofWorld: id, scenario, guide: try body.guide(), seed: try body.seed(), clock: try body.clock())
            settings.requestedScenario = configuration.kept(body["scenario"])
            settings.label = try body.label()
            try settings.adopt(body.upstream(), of: configuration.scenario)
            return WorldDraft(
                settings: settings, id: id, scenarioBytes: body.scenarioBytes,
                isJudged: try body.flag("judged") ?? false)
        }
        let owner = call.route.owner.flatMap { worlds[$0] }
        return try begin(nil, for: call.exchange, holding: bytes.count) {
            reader
        } then: { (engine, beginning, now) throws(APIError) in
            do throws(APIError) {
                let world = try engine.addWorld(number, try beginning.get(), of: owner, at: now)
                let fields: HTTPFields = [.location: "/__admin/worlds/\(world.name)"]
                return Answer(status: .created, body: engine.describe(world, at: now), fields: fields)
            } catch {
                // Makes the number available again, unless another request has taken the next one.
                if engine.worlds.serial == number { engine.worlds.serial -= 1 }
                throw error
            }
        }
    }

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
    private func addWorld(
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

    /// `GET /__admin/worlds`: lists the worlds in order of creation, the default world first.
    ///
    /// A world that is deleted while the list is being sent stays in the list, described as empty, so that `count` is
    /// correct.
    func worldList(_ call: AdminCall) -> Answer {
        let (all, now) = ((configuration.hasDefaultWorld ? [defaultWorld] : []) + worlds.byAge, call.now)
        let isSecure = call.connection.isSecure
        let source = PartSource("worlds", of: all, after: { $0.member("count", all.count) }) {
            [unowned self] world, writer in
            let description = describe(world, at: now)
            writer.raw(isSecure ? origins.securing(description) : description)
            // Signing the tokens takes as long as writing this many bytes.
            return 4096
        }
        return Answer(source)
    }

    /// `GET /__admin/worlds/{id}`: describes a world.
    func describeWorld(_ call: AdminCall) -> Answer { .ok(describe(call.world, at: call.now)) }

    /// A world's URLs and credentials, and counts of what the world contains.
    func describe(_ world: World, at now: Timestamp, forkedFrom parent: String? = nil) -> [UInt8] {
        let settings = world.settings
        return JSONWriter.object { writer in
            writer.member("id", world.name)
            writer.member("label", ifPresent: settings.label)
            writer.member("url", settings.origin)
            writer.member("ws_url", settings.webSocketOrigin)
            writer.member("admin_url", settings.origin + "/__admin")
            writer.member("api_key", settings.apiKey)
            writer.member("token", world.token)
            writer.member("fresh_token", world.freshToken)
            writer.member("refresh_token", ifPresent: world.refreshToken)
            writer.member("user", world.defaultUser.text)
            if let account = settings.scenario.data.users.first?.account {
                writer.member("email", account.email)
                if case .plain(let password) = account.password { writer.member("password", password) }
            }
            writer.member("scenario", settings.scenario.name)
            writer.member("upstream", ifPresent: settings.scenario.upstream?.url?.description)
            writer.member("guide", settings.mode.rawValue)
            writer.member("seed", String(settings.seed))
            writer.member("clock", world.clock.manualTime == nil ? "real" : "manual")
            writer.member("now", world.date(of: world.clock.now(now)).wireText)
            world.writeCounts(to: &writer)
            writer.member("web_sockets", world.openSocketCount)
            writer.member("belongs_to", ifPresent: world.owner?.name)
            writer.member("forked_from", ifPresent: parent)
            let oldWords = settings.scenario.oldWords
            if !oldWords.isEmpty { writer.strings("deprecated", oldWords.map(\.message)) }
        }
    }

    /// `DELETE /__admin/worlds/{id}`: closes the world's sockets with 1001 and deletes it.
    func deleteWorld(_ call: AdminCall) -> Answer {
        remove(call.world, reason: "The world was deleted", at: call.now)
        return .noContent
    }

    /// `POST /__admin/reset`: restarts the world as it was created, or with changes; returns nil if the request waits
    /// for a job.
    func reset(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, bytes) = (call.world, call.bytes)
        return try begin(world, for: call.exchange, holding: bytes.count) { [unowned self] in
            let defaults = configuration
            let present = WorldDraft(
                settings: world.reloadedSettings ?? world.settings, scenarioBytes: world.written.scenario)
            return { () throws(APIError) in
                let body = try AdminBody(bytes, keys: Engine.worldKeys, limits: JSON.Limits())
                var draft = present
                if let scenario = try body.scenario() {
                    draft.settings.scenario = scenario
                    if scenario.replay == nil {
                        draft.settings.scenario.overlay = scenario.overlay ?? defaults.scenario.overlay
                    }
                    draft.settings.requestedScenario = defaults.kept(body["scenario"])
                    draft.settings.seed = scenario.seed ?? defaults.seed
                    draft.settings.mode = scenario.guide ?? defaults.mode
                    draft.settings.clock = scenario.clock ?? defaults.clock
                    draft.scenarioBytes = body.scenarioBytes
                }
                draft.settings.seed = try body.seed() ?? draft.settings.seed
                draft.settings.mode = try body.guide() ?? draft.settings.mode
                draft.settings.clock = try body.clock() ?? draft.settings.clock
                draft.settings.label = try body.label() ?? draft.settings.label
                try draft.settings.adopt(body.upstream(), of: defaults.scenario)
                draft.isJudged = try body.flag("judged") ?? false
                return draft
            }
        } then: { (engine, beginning, now) throws(APIError) in
            let beginning = try beginning.get()
            try engine.restart(world, beginning, reason: "The world was reset", at: now)
            if beginning.draft.isJudged, world.judge == nil { world.beginJudging() }
            world.issueRefreshToken()
            engine.worlds.accountStorage(of: world)
            return .ok(engine.describe(world, at: now))
        }
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
}
