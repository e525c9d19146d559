import FitIQAPI
import HTTPTypes
import JSON
import Scenarios
import Traffic

/// The admin API's worlds: creates, lists, describes, resets and deletes them.
extension AdminCall {
    /// The keys of a body that resets a world; a body that creates a world may also have an `id`.
    private static let worldKeys = ["scenario", "seed", "guide", "clock", "judged", "label", "upstream"]

    /// `POST /__admin/worlds`: creates a world; absent keys default to the scenario's values, then to the server's
    /// values.
    ///
    /// With `id`, a world can move from another server and keep its URL. A world that is created below another world's
    /// prefix belongs to that world's run.
    func makeWorld() throws(APIError) -> Answer? {
        try engine.lives.checkPlace()
        let (configuration, number, bytes) = (engine.configuration, engine.worlds.takeNumber(), bytes)
        let reader: DraftReader = { () throws(APIError) in
            let body = try AdminBody(bytes, keys: Self.worldKeys + ["id"], limits: JSON.Limits())
            let expected = "a world's id, such as \"w17\" or \"n2-w17\", with at most 18 digits"
            let given = try body.value("id", expected: expected) {
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
        let owner = route.owner.flatMap { engine.worlds[$0] }
        return try engine.begin(nil, for: exchange, holding: bytes.count) {
            reader
        } then: { (engine, beginning, now) throws(APIError) in
            do throws(APIError) {
                return .made(try engine.lives.begin(number, try beginning.get(), of: owner, at: now), at: now)
            } catch {
                engine.worlds.giveBack(number)
                throw error
            }
        }
    }

    /// `POST /__admin/fork`: creates a world with this world's current state, but none of its sockets.
    func makeFork() throws(APIError) -> Answer? {
        let body = try body(keys: ["judged", "label"])
        let (isJudged, label) = (try body.flag("judged") ?? false, try body.label())
        try engine.lives.checkPlace()
        enterDue()
        try engine.worlds.room(of: nil).check(bringing: world.storedBytes)
        let (configuration, number, old) = (engine.configuration, engine.worlds.takeNumber(), world.settings)
        let id = WorldID(number, of: configuration.node)
        var settings = configuration.settings(
            ofWorld: id, old.scenario, guide: old.mode, seed: old.seed, clock: old.clock)
        (settings.pace, settings.requestedScenario) = (old.pace, old.requestedScenario)
        settings.label = label ?? old.label
        return try copy(world.snapshot, with: settings) { [world] (engine, snapshot, now) throws(APIError) in
            do throws(APIError) {
                try engine.lives.checkPlace()
                try engine.worlds.room(of: nil).check(bringing: snapshot.backend.storedBytes)
            } catch {
                engine.worlds.giveBack(number)
                throw error
            }
            let fork = World(id: id.text, number: number, continuing: world, from: snapshot, at: now)
            for socket in engine.connections.openSockets(of: world) { fork.recordLostSocket(socket.number) }
            if isJudged, fork.judge == nil { fork.beginJudging() }
            fork.issueRefreshToken()
            engine.lives.add(fork, id, at: now)
            engine.breakpoints.disableAbandoned(of: fork)
            engine.worlds.accountJournal(of: fork)
            return .made(fork, forkedFrom: world.name, at: now)
        }
    }

    /// `GET /__admin/worlds`: lists the worlds in order of creation, the default world first.
    ///
    /// A world that is deleted while the list is being sent stays in the list, described as empty, so that `count` is
    /// correct.
    func listWorlds() -> Answer {
        let all = (engine.configuration.hasDefaultWorld ? [engine.defaultWorld] : []) + engine.worlds.byAge
        let isSecure = connection.isSecure
        let source = PartSource("worlds", of: all, after: { $0.member("count", all.count) }) {
            [unowned engine = engine, now] world, writer in
            let description = world.description(at: now)
            writer.raw(isSecure ? engine.origins.securing(description) : description)
            // Signing the tokens takes as long as writing this many bytes.
            return 4096
        }
        return Answer(source)
    }

    /// `GET /__admin/worlds/{id}`: describes a world.
    func describeWorld() -> Answer { .ok(world.description(at: now)) }

    /// `DELETE /__admin/worlds/{id}`: closes the world's sockets with 1001 and deletes it.
    func deleteWorld() -> Answer {
        engine.lives.remove(world, reason: "The world was deleted", at: now)
        return .noContent
    }

    /// `POST /__admin/reset`: restarts the world as it was created, or with changes.
    func reset() throws(APIError) -> Answer? {
        let (world, bytes) = (world, bytes)
        return try engine.begin(world, for: exchange, holding: bytes.count) { [unowned engine = engine] in
            let defaults = engine.configuration
            let present = WorldDraft(
                settings: world.reloadedSettings ?? world.settings, scenarioBytes: world.written.scenario)
            return { () throws(APIError) in
                let body = try AdminBody(bytes, keys: Self.worldKeys, limits: JSON.Limits())
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
            try engine.lives.restart(world, beginning, reason: "The world was reset", at: now)
            if beginning.draft.isJudged, world.judge == nil { world.beginJudging() }
            world.issueRefreshToken()
            engine.worlds.accountStorage(of: world)
            return .ok(world.description(at: now))
        }
    }
}

extension Answer {
    /// The answer to a request that has created a world.
    fileprivate static func made(_ world: World, forkedFrom parent: String? = nil, at now: Timestamp) -> Answer {
        Answer(
            status: .created, body: world.description(at: now, forkedFrom: parent),
            fields: [.location: "/__admin/worlds/\(world.name)"])
    }
}

extension World {
    /// The world's URLs and credentials, and counts of what it contains.
    func description(at now: Timestamp, forkedFrom parent: String? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", name)
            writer.member("label", ifPresent: settings.label)
            writer.member("url", settings.origin)
            writer.member("ws_url", settings.webSocketOrigin)
            writer.member("admin_url", settings.origin + "/__admin")
            writer.member("api_key", settings.apiKey)
            writer.member("token", token)
            writer.member("fresh_token", freshToken)
            writer.member("refresh_token", ifPresent: refreshToken)
            writer.member("user", defaultUser.text)
            if let account = settings.scenario.data.users.first?.account {
                writer.member("email", account.email)
                if case .plain(let password) = account.password { writer.member("password", password) }
            }
            writer.member("scenario", settings.scenario.name)
            writer.member("upstream", ifPresent: settings.scenario.upstream?.url?.description)
            writer.member("guide", settings.mode.rawValue)
            writer.member("seed", String(settings.seed))
            writer.member("clock", clock.manualTime == nil ? "real" : "manual")
            writer.member("now", date(of: clock.now(now)).wireText)
            writeCounts(to: &writer)
            writer.member("web_sockets", openSocketCount)
            writer.member("belongs_to", ifPresent: owner?.name)
            writer.member("forked_from", ifPresent: parent)
            let oldWords = settings.scenario.oldWords
            if !oldWords.isEmpty { writer.strings("deprecated", oldWords.map(\.message)) }
        }
    }

    func writeCounts(to writer: inout JSONWriter) {
        writer.member("users", backend.userCount)
        writer.member("consultations", backend.consultationCount)
        writer.member("goals", backend.goalCount)
        writer.member("meal_logs", backend.mealLogCount)
    }
}
