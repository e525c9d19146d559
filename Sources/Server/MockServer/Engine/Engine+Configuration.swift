import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Proxy
import Scenarios
import Text

extension Engine {
    public struct Configuration: Sendable {
        /// The server's origin, such as `http://127.0.0.1:8080`; the host sets it to the address of its listener.
        public var origin: String
        /// The server's origin over TLS, such as `https://127.0.0.1:8443`; nil if TLS is off.
        public var secureOrigin: String?
        /// The seed for ids and for the pace of answers.
        public var seed: UInt64
        public var pace: Pace
        public var mode: GuideMode
        /// The scenario of the default world; ``mode``, ``seed`` and ``clock`` override its values.
        public var scenario: Scenario
        public var clock: ClockMode
        public var apiKey: String
        /// The secret that signs tokens.
        public var jwtSecret: String
        /// The token of the admin API; if nil, the API answers only clients on this machine.
        public var adminToken: String?
        /// The server's name in a fleet; nil outside a fleet.
        public var node: NodeName?
        /// Whether paths that have no `/w/{id}` prefix belong to a default world.
        public var hasDefaultWorld = true
        /// The origin of a proxy in front of this server, for worlds' URLs; nil if clients reach the server directly.
        public var publicOrigin: String?
        /// The origins, besides the server's own, whose pages may write and open sockets.
        public var allowedOrigins: Set<AllowedOrigin> = []
        /// The origins whose pages may also read answers; setting this property adds the origins to ``allowedOrigins``.
        public var readingOrigins: Set<AllowedOrigin> = [] {
            didSet { allowedOrigins.formUnion(readingOrigins) }
        }
        /// The file that stores the worlds across restarts, if any.
        public internal(set) var stateFile: StateFile?
        /// The content of the state file at startup.
        var restored: RestoredState?
        /// The credentials that replace the fake's credentials in requests to upstreams.
        public var upstreamCredentials = UpstreamCredentials()
        /// The server to which the engine passes every connection unread, for a recording; nil if the engine serves
        /// connections itself.
        public var relayed: UpstreamURL?
        /// The limits for connections to upstreams.
        public var relayLimits = RelayLimits()
        /// Whether the server ignores header fields that request a fault.
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
    /// Adopts a scenario and its guide, seed and clock, using the documented default for each missing value.
    public mutating func adopt(_ scenario: Scenario) {
        let defaults = Engine.Configuration()
        self.scenario = scenario
        seed = scenario.seed ?? defaults.seed
        mode = scenario.guide ?? defaults.mode
        clock = scenario.clock ?? defaults.clock
    }

    /// Checks that the scenario's data is consistent by seeding a temporary backend with it.
    ///
    /// - Parameter now: The system's time; a manual clock uses its own time instead.
    /// - Throws: An error that gives the position of the inconsistency.
    public func checkData(at now: Timestamp) throws(PlantError) {
        let settings = defaultWorldSettings
        var backend = settings.makeBackend()
        var turn = Turn(now: WorldClock(settings.clock).now(now), identifiers: ResourceIDSequence(seed: settings.seed))
        try backend.plant(settings.scenario.data, &turn, exportRoom: emptyRoom.rest(written: 0))
    }

    /// The storage available for data before any world exists.
    var emptyRoom: SharedRoom { SharedRoom(all: 0, held: 0, limit: limits.storedBytes, own: worldLimits.storedBytes) }

    var defaultWorldSettings: WorldSettings {
        WorldSettings(
            origin: origin, scenario: scenario, seed: seed, pace: pace, mode: mode, clock: clock, apiKey: apiKey,
            jwtSecret: jwtSecret, verifiedTokens: limits.verifiedTokens, limits: worldLimits)
    }

    /// The settings of a world other than the default world; nil arguments default to the scenario, then to the
    /// server's options.
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

/// The credentials of the default world, which are public: never use them for a real server.
public enum DevelopmentCredentials {
    public static let apiKey = "fitiq-mock-key"
    /// The secret that signs tokens.
    public static let jwtSecret = "fitiq-mock-secret"
    /// The user of ``token(secret:)``.
    public static let userID = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
    /// The token's expiry, 2099-12-31T23:59:59Z, which never changes, so that a developer needs to paste the token only
    /// once.
    public static let expiresAt: Int64 = 4_102_444_799

    /// A token that the default world accepts.
    public static func token(secret: String = jwtSecret) -> String {
        AccessToken(subject: ExactString(userID), expiresAt: expiresAt).signed(with: Array(secret.utf8))
    }
}

public enum Version {
    public static let current = "0.1.0"
}

/// Reloads a scenario while the server runs.
extension Engine {
    /// Which part of a new scenario has taken effect.
    public enum Reloaded: Sendable, Equatable {
        case entirely
        /// A changed part takes effect only after the next reset or in other worlds: data, guide, seed, clock, token
        /// lifetime, or rules such as the rules for accounts and ids.
        case restAfterReset
    }

    /// The input for preparing a new scenario, usable on any thread.
    public struct ReloadPreparation: Sendable {
        fileprivate let configuration: Configuration
        fileprivate let settings: WorldSettings
        fileprivate let life: Int

        /// Does the slow part of a reload; throws an error that gives the position of inconsistent data.
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

    /// A new scenario whose data is consistent.
    public struct PreparedScenario: Sendable {
        fileprivate let scenario: Scenario
        /// The fault rules that differ only in the Unicode normal form of their strings.
        fileprivate let respelled: Set<ExactString>
        /// Whether the whole scenario can take effect without resetting the default world.
        fileprivate let isEntire: Bool
        fileprivate let life: Int
    }

    public var reloadPreparation: ReloadPreparation {
        ReloadPreparation(configuration: configuration, settings: defaultWorld.settings, life: defaultWorld.life)
    }

    /// Prepares and adopts a scenario.
    ///
    /// - Throws: An error that gives the position of inconsistent data; if it throws, nothing changes.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        adopt(try reloadPreparation.prepare(scenario, at: now), at: now)
    }

    /// Switches the default world to the answers, meals and faults of a different scenario.
    ///
    /// Connections, data, clock and seed stay the same. Answers that have started continue unchanged. An unchanged
    /// fault rule keeps its counts and its state. A removed rule no longer affects open sockets. Resets use the whole
    /// new scenario, and so do new worlds whose request does not contain a scenario.
    public func adopt(_ prepared: PreparedScenario, at now: Timestamp) -> Reloaded {
        let (world, scenario) = (defaultWorld, prepared.scenario)
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults, respelled: prepared.respelled)
        } catch {
            preconditionFailure("A parsed scenario must have valid rules: \(error.message)")
        }
        // Rules added through the admin API are removed with the old rules, and no longer count towards the stored
        // bytes.
        let names = Set(world.faults.rules.map(\.rule.name))
        world.written.faults = world.written.faults.filter { names.contains($0.key) }
        worlds.accountStorage(of: world)
        // Free the old scenario on another thread, because a session may be large.
        discard(configuration.scenario)
        discard(world.reloadedSettings)
        configuration.adopt(scenario)
        world.backend.setScript(scenario.script)
        if scenario.network != world.settings.scenario.network { setNetwork(scenario.network, of: world, at: now) }
        switchOpenSockets(of: world, with: old, respelled: prepared.respelled)
        releaseDisabled(of: world, at: now)
        let next = configuration.defaultWorldSettings
        // If the world has been reset in the meantime, the comparison is obsolete, and repeating it could block the
        // loop.
        let isEntire = prepared.isEntire && prepared.life == world.life
        world.reload(next)
        return isEntire ? .entirely : .restAfterReset
    }

    /// Applies changes in a world's fault rules to the world's open sockets.
    private func switchOpenSockets(of world: World, with old: [FaultRule], respelled: Set<ExactString>) {
        let present = Dictionary(uniqueKeysWithValues: world.faults.rules.map { ($0.rule.name, $0.rule) })
        var changes: [(ExactString, SocketFaults.Change)] = []
        for rule in old {
            var new = present[rule.name]
            let isEnabled = new?.isEnabled ?? false
            new?.isEnabled = rule.isEnabled
            // A rule whose text has changed is a new rule, which applies only to later connections.
            if new != rule || respelled.contains(rule.name) {
                changes.append((rule.name, .removed))
            } else if isEnabled != rule.isEnabled {
                changes.append((rule.name, .enabled(isEnabled)))
            }
        }
        // Apply all changes together, because there may be many rules and sockets.
        let all = SocketFaults.Changes(changes)
        if !changes.isEmpty { changeOpenSockets(of: world) { $0.change(all) } }
    }
}

extension World {
    /// Adopts the settings that can change while the world runs, and stores the rest for the next reset.
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
    /// Whether the settings that need a reset are unchanged, so that a running world can adopt the new ones.
    fileprivate func differOnlyInRules(from new: WorldSettings) -> Bool {
        seed == new.seed && mode == new.mode && clock == new.clock
            && scenario.tokenLifetime == new.scenario.tokenLifetime && scenario.rules == new.scenario.rules
            && scenario.replay == new.scenario.replay
            // String comparison ignores the Unicode normal form, so compare the bytes too.
            && scenario.data == new.scenario.data && scenario.data.encoded.elementsEqual(new.scenario.data.encoded)
    }
}

extension WorldData {
    fileprivate var encoded: [UInt8] { JSONWriter.object { write(into: &$0) } }
}
