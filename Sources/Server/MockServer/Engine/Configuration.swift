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
