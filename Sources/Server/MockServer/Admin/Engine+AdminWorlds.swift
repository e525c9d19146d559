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
}
