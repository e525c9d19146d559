import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

extension Engine {
    public struct Configuration: Sendable {
        /// The server's origin, `http://127.0.0.1:8080`; the host sets it to the address it listens on.
        public var origin: String
        /// The server's origin over TLS, `https://127.0.0.1:8443`; nil if TLS is off.
        public var secureOrigin: String?
        /// Decides every id and every pace.
        public var seed: UInt64
        public var pace: Pace
        public var mode: GuideMode
        /// The data and events of the default world; the guide, seed and clock here replace its own.
        public var scenario: Scenario
        public var clock: ClockMode
        public var apiKey: String
        /// The secret that signs tokens.
        public var jwtSecret: String
        /// The token of the admin API; if nil, the API answers this machine only.
        public var adminToken: String?
        /// The server's name in a fleet; nil for a server of its own.
        public var node: NodeName?
        /// Whether the paths without a `/w/{id}` prefix belong to a world.
        public var hasDefaultWorld = true
        /// The origin of the proxy in front, which URLs of worlds begin with; nil if clients reach the server itself.
        public var publicOrigin: String?
        /// The origins, in addition to the server's own, whose pages may write and open sockets.
        public var allowedOrigins: Set<AllowedOrigin> = []
        /// The origins whose pages may read answers as well; they become allowed ones.
        public var readingOrigins: Set<AllowedOrigin> = [] {
            didSet { allowedOrigins.formUnion(readingOrigins) }
        }
        /// Where the worlds are kept over a restart; nil for nowhere.
        public internal(set) var stateFile: StateFile?
        /// What the file held, for the engine that begins with it.
        var restored: RestoredState?
        /// What takes the place of the fake's credentials in requests to upstreams.
        public var upstreamCredentials = UpstreamCredentials()
        /// Whether requests cannot ask for a fault by their header fields.
        public var hasStrictHeaders = false
        public var limits: ServerLimits
        public var worldLimits: FitIQBackend.Limits

        public init(
            origin: String = "http://127.0.0.1:8080", seed: UInt64 = 1, pace: Pace = .human, mode: GuideMode = .union,
            scenario: Scenario = Scenario(), clock: ClockMode = .real, apiKey: String = DevelopmentCredentials.apiKey,
            jwtSecret: String = DevelopmentCredentials.jwtSecret, adminToken: String? = nil,
            limits: ServerLimits = ServerLimits(), worldLimits: FitIQBackend.Limits = FitIQBackend.Limits()
        ) {
            (self.origin, self.seed, self.pace, self.mode) = (origin, seed, pace, mode)
            (self.scenario, self.clock) = (scenario, clock)
            (self.apiKey, self.jwtSecret, self.adminToken) = (apiKey, jwtSecret, adminToken)
            (self.limits, self.worldLimits) = (limits, worldLimits)
        }
    }
}

extension Engine.Configuration {
    /// Adopts a scenario, with its guide, seed and clock, or the documented defaults for those it does not name.
    public mutating func adopt(_ scenario: Scenario) {
        let defaults = Engine.Configuration()
        self.scenario = scenario
        seed = scenario.seed ?? defaults.seed
        mode = scenario.guide ?? defaults.mode
        clock = scenario.clock ?? defaults.clock
    }

    /// Plants the scenario's data into a world that is thrown away, and throws the place at which it is inconsistent.
    ///
    /// - Parameter now: The system's time; a manual clock starts with its own.
    public func checkData(at now: Timestamp) throws(PlantError) {
        let settings = defaultWorldSettings
        var backend = settings.makeBackend()
        var turn = Turn(now: WorldClock(settings.clock).now(now), identifiers: ResourceIDSequence(seed: settings.seed))
        try backend.plant(settings.scenario.data, &turn, exportRoom: emptyRoom.rest(written: 0))
    }

    /// The room that worlds share, before there are any.
    var emptyRoom: SharedRoom { SharedRoom(all: 0, held: 0, limit: limits.storedBytes, own: worldLimits.storedBytes) }

    var defaultWorldSettings: WorldSettings {
        WorldSettings(
            origin: origin, scenario: scenario, seed: seed, pace: pace, mode: mode, clock: clock, apiKey: apiKey,
            jwtSecret: jwtSecret, verifiedTokens: limits.verifiedTokens, limits: worldLimits)
    }

    /// The settings of another world; nil arguments default to the scenario, then to the server's options.
    func settings(
        ofWorld id: WorldID, _ scenario: Scenario, guide: GuideMode?, seed: UInt64?, clock: ClockMode?
    ) -> WorldSettings {
        var settings = defaultWorldSettings
        settings.origin += "/w/\(id.text)"
        settings.scenario = scenario
        settings.scenario.rules.ids = scenario.rules.ids ?? self.scenario.rules.ids
        settings.scenario.network = scenario.network ?? self.scenario.network
        if scenario.replay == nil { settings.scenario.overlay = scenario.overlay ?? self.scenario.overlay }
        settings.scenario.rules.compression = scenario.rules.compression ?? self.scenario.rules.compression
        if scenario.replay == nil {
            settings.scenario.upstream = scenario.upstream.completed(by: self.scenario.upstream)
        }
        settings.seed = seed ?? scenario.seed ?? self.seed
        settings.mode = guide ?? scenario.guide ?? mode
        settings.clock = clock ?? scenario.clock ?? self.clock
        settings.apiKey += "-\(id.text)"
        settings.jwtSecret += "-\(id.text)"
        return settings
    }
}

/// The credentials of the default world: fixed, public, and only good for a fake.
public enum DevelopmentCredentials {
    public static let apiKey = "fitiq-mock-key"
    /// The secret that signs tokens.
    public static let jwtSecret = "fitiq-mock-secret"
    /// The user of the token that the server prints.
    public static let userID = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
    /// When the printed token expires, 2099-12-31T23:59:59Z: always the same token, so that it can be pasted once.
    public static let expiresAt: Int64 = 4_102_444_799

    /// A token that the default world accepts.
    public static func token(secret: String = jwtSecret) -> String {
        AccessToken(subject: ExactString(userID), expiresAt: expiresAt).signed(with: Array(secret.utf8))
    }
}

public enum Version {
    public static let current = "0.1.0"
}

/// A scenario that changes while the server runs.
extension Engine {
    /// How much of a new scenario is in force.
    public enum Reloaded: Sendable, Equatable {
        case entirely
        /// Data, guide, seed, clock, token lifetime, rules of accounts or the case of ids differ: they take effect with
        /// the next reset, or in other worlds.
        case restAfterReset
    }

    /// The input for preparing a new scenario: values, so that any thread can do it.
    public struct ReloadPreparation: Sendable {
        fileprivate let configuration: Configuration
        fileprivate let settings: WorldSettings
        fileprivate let life: Int

        /// Does the slow part of a reload: throws the place in the data that is inconsistent.
        public func prepare(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> PreparedScenario {
            var next = configuration
            next.adopt(scenario)
            try next.checkData(at: now)
            return PreparedScenario(
                scenario: scenario,
                respelled: FaultBook.respelled(in: scenario.faults, since: configuration.scenario.faults),
                isEntire: settings.differOnlyInRules(from: next.defaultWorldSettings), life: life)
        }
    }

    /// A new scenario with consistent data.
    public struct PreparedScenario: Sendable {
        fileprivate let scenario: Scenario
        /// The rules for faults that differ in nothing but their Unicode normal form.
        fileprivate let respelled: Set<ExactString>
        /// Whether all of it can be in force in the default world's present life.
        fileprivate let isEntire: Bool
        fileprivate let life: Int
    }

    public var reloadPreparation: ReloadPreparation {
        ReloadPreparation(configuration: configuration, settings: defaultWorld.settings, life: defaultWorld.life)
    }

    /// Prepares and adopts a scenario, or throws the place in its data that is inconsistent, and changes nothing.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        adopt(try reloadPreparation.prepare(scenario, at: now), at: now)
    }

    /// Switches the default world to another scenario, from this moment: its answers, meals and faults.
    ///
    /// Connections, data, clock and seed stay. Answers that have begun continue unchanged. A rule for faults that is
    /// written as before keeps its counts and its switch; one that is gone no longer acts on open sockets. A reset
    /// starts with the new scenario entirely, and so do worlds that name none.
    public func adopt(_ prepared: PreparedScenario, at now: Timestamp) -> Reloaded {
        let (world, scenario) = (defaultWorld, prepared.scenario)
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults, respelled: prepared.respelled)
        } catch {
            preconditionFailure("A scenario that was read has rules that can be: \(error.message)")
        }
        // Rules that were added live are gone with the old ones, and no longer count.
        let names = Set(world.faults.rules.map(\.rule.name))
        world.written.faults = world.written.faults.filter { names.contains($0.key) }
        worlds.accountStorage(of: world)
        // A session may be large.
        discard(configuration.scenario)
        discard(world.reloadedSettings)
        configuration.adopt(scenario)
        world.backend.setScript(scenario.script)
        if scenario.network != world.settings.scenario.network { setNetwork(scenario.network, of: world, at: now) }
        switchOpenSockets(of: world, with: old, respelled: prepared.respelled)
        releaseDisabled(of: world, at: now)
        let next = configuration.defaultWorldSettings
        // Nothing is known of a life that began in the meantime; comparing all of its data would hold the loop.
        let isEntire = prepared.isEntire && prepared.life == world.life
        world.reload(next)
        return isEntire ? .entirely : .restAfterReset
    }

    /// Applies the changes of a world's rules to its open sockets.
    private func switchOpenSockets(of world: World, with old: [FaultRule], respelled: Set<ExactString>) {
        let present = Dictionary(uniqueKeysWithValues: world.faults.rules.map { ($0.rule.name, $0.rule) })
        var changes: [(ExactString, SocketFaults.Change)] = []
        for rule in old {
            var new = present[rule.name]
            let isEnabled = new?.isEnabled ?? false
            new?.isEnabled = rule.isEnabled
            // A rule that is written differently now is another rule, which applies to later connections.
            if new != rule || respelled.contains(rule.name) {
                changes.append((rule.name, .removed))
            } else if isEnabled != rule.isEnabled {
                changes.append((rule.name, .enabled(isEnabled)))
            }
        }
        // All at once: there may be many of both.
        let all = SocketFaults.Changes(changes)
        if !changes.isEmpty { changeOpenSockets(of: world) { $0.change(all) } }
    }
}

extension World {
    /// Adopts what can change while the world runs, and keeps the rest for its next start.
    fileprivate func reload(_ new: WorldSettings) {
        reloadedSettings = new
        reloadCount += 1
        var scenario = new.scenario
        scenario.data = settings.scenario.data
        scenario.tokenLifetime = settings.scenario.tokenLifetime
        scenario.rules = settings.scenario.rules
        scenario.replay = settings.scenario.replay
        settings.scenario = scenario
    }
}

extension WorldSettings {
    /// Whether a world can adopt other settings without a new start: only script, faults and names may differ.
    fileprivate func differOnlyInRules(from new: WorldSettings) -> Bool {
        seed == new.seed && mode == new.mode && clock == new.clock
            && scenario.tokenLifetime == new.scenario.tokenLifetime && scenario.rules == new.scenario.rules
            && scenario.replay == new.scenario.replay
            // Texts in another Unicode normal form are other data; only the written form tells them apart.
            && scenario.data == new.scenario.data && scenario.data.encoded.elementsEqual(new.scenario.data.encoded)
    }
}

extension WorldData {
    fileprivate var encoded: [UInt8] { JSONWriter.object { write(into: &$0) } }
}
