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
        /// The origins, in addition to the server's own, whose pages may write and open sockets.
        public var allowedOrigins: Set<AllowedOrigin> = []
        public var limits: ServerLimits
        public var worldLimits: FitIQBackend.Limits

        /// Creates a configuration with the documented defaults.
        public init(
            origin: String = "http://127.0.0.1:8080", seed: UInt64 = 1, pace: Pace = .human, mode: GuideMode = .union,
            scenario: Scenario = Scenario(), clock: ClockMode = .real, apiKey: String = DevelopmentCredentials.apiKey,
            jwtSecret: String = DevelopmentCredentials.jwtSecret, adminToken: String? = nil,
            limits: ServerLimits = ServerLimits(), worldLimits: FitIQBackend.Limits = FitIQBackend.Limits()
        ) {
            self.origin = origin
            self.seed = seed
            self.pace = pace
            self.mode = mode
            self.scenario = scenario
            self.clock = clock
            self.apiKey = apiKey
            self.jwtSecret = jwtSecret
            self.adminToken = adminToken
            self.limits = limits
            self.worldLimits = worldLimits
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

    /// Plants the scenario's data into a world that is thrown away.
    ///
    /// - Parameter now: The system's time; a manual clock starts with its own.
    /// - Throws: The place in the data that is inconsistent.
    public func checkData(at now: Timestamp) throws(PlantError) {
        let settings = defaultWorldSettings
        var backend = settings.makeBackend()
        var turn = Turn(now: WorldClock(settings.clock).now(now), identifiers: ResourceIDSequence(seed: settings.seed))
        try backend.plant(settings.scenario.data, &turn, exportRoom: emptyRoom.rest(written: 0))
    }

    /// The room that worlds share, before there are any.
    var emptyRoom: SharedRoom { SharedRoom(all: 0, held: 0, limit: limits.storedBytes, own: worldLimits.storedBytes) }
}

extension Engine.Configuration {
    var defaultWorldSettings: WorldSettings {
        WorldSettings(
            origin: origin, scenario: scenario, seed: seed, pace: pace, mode: mode, clock: clock, apiKey: apiKey,
            jwtSecret: jwtSecret, verifiedTokens: limits.verifiedTokens, limits: worldLimits)
    }

    /// The settings of another world; nil arguments default to the scenario, then to the server's options.
    func settings(
        ofWorld number: Int, _ scenario: Scenario, guide: GuideMode?, seed: UInt64?, clock: ClockMode?
    ) -> WorldSettings {
        var settings = defaultWorldSettings
        settings.origin += "/w/w\(number)"
        settings.scenario = scenario
        settings.seed = seed ?? scenario.seed ?? self.seed
        settings.mode = guide ?? scenario.guide ?? mode
        settings.clock = clock ?? scenario.clock ?? self.clock
        settings.apiKey += "-w\(number)"
        settings.jwtSecret += "-w\(number)"
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
    /// As printed by `fitiq-mock --version` and `/__admin/health`.
    public static let current = "0.1.0"
}
