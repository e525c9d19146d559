import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

extension Engine {
    /// What an engine is made with.
    public struct Configuration: Sendable {
        /// Where the server is reached, `http://127.0.0.1:8080`; the host sets it to where it listens.
        public var origin: String
        /// Where the server is reached over TLS, `https://127.0.0.1:8443`; nil where it is not.
        public var secureOrigin: String?
        /// Decides every id and every pace.
        public var seed: UInt64
        /// How fast answers come.
        public var pace: Pace
        /// Which guide's answers are given.
        public var mode: GuideMode
        /// What the default world starts from, and what happens in it; its guide, seed and clock are taken from here, not from it.
        public var scenario: Scenario
        /// Whose clock the default world follows.
        public var clock: ClockMode
        /// The `X-API-Key` that is accepted.
        public var apiKey: String
        /// The secret that tokens are signed with.
        public var jwtSecret: String
        /// What the admin API asks for; without one it answers this machine only.
        public var adminToken: String?
        /// The origins, beside the server's own, whose pages may write and open sockets.
        public var allowedOrigins: Set<AllowedOrigin> = []
        /// Limits of the transport.
        public var limits: ServerLimits
        /// Limits of a world.
        public var worldLimits: FitIQBackend.Limits

        /// Makes a configuration; what is left out has the documented default.
        public init(
            origin: String = "http://127.0.0.1:8080", seed: UInt64 = 1, pace: Pace = .human,
            mode: GuideMode = .union, scenario: Scenario = Scenario(), clock: ClockMode = .real,
            apiKey: String = DevelopmentCredentials.apiKey,
            jwtSecret: String = DevelopmentCredentials.jwtSecret, adminToken: String? = nil,
            limits: ServerLimits = ServerLimits(),
            worldLimits: FitIQBackend.Limits = FitIQBackend.Limits()
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
    /// Takes a scenario, with the guide, seed and clock that it names; what it does not name is as documented.
    public mutating func adopt(_ scenario: Scenario) {
        let defaults = Engine.Configuration()
        self.scenario = scenario
        seed = scenario.seed ?? defaults.seed
        mode = scenario.guide ?? defaults.mode
        clock = scenario.clock ?? defaults.clock
    }

    /// Plants the scenario's data into a world that is thrown away.
    ///
    /// - Parameter now: the system's time; a clock that is moved by hand begins with its own.
    /// - Throws: where in the data something does not fit together.
    public func checkData(at now: Timestamp) throws(PlantError) {
        let settings = defaultWorldSettings
        var backend = settings.makeBackend()
        var turn = Turn(
            now: WorldClock(settings.clock).now(now), identifiers: ResourceIDSequence(seed: settings.seed))
        try backend.plant(settings.scenario.data, &turn, exportRoom: emptyRoom.rest(written: 0))
    }

    /// What worlds share before there is any.
    var emptyRoom: SharedRoom {
        SharedRoom(all: 0, held: 0, limit: limits.storedBytes, own: worldLimits.storedBytes)
    }
}

extension Engine.Configuration {
    /// What the default world is made with.
    var defaultWorldSettings: WorldSettings {
        WorldSettings(
            origin: origin, scenario: scenario, seed: seed, pace: pace, mode: mode, clock: clock, apiKey: apiKey,
            jwtSecret: jwtSecret, verifiedTokens: limits.verifiedTokens, limits: worldLimits)
    }

    /// What another world is made with; what is nil is as in the scenario, then as in the server's options.
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
    /// The value of `X-API-Key`.
    public static let apiKey = "fitiq-mock-key"
    /// The secret that tokens are signed with.
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

/// The version of fitiq-mock.
public enum Version {
    /// As printed by `fitiq-mock --version` and `/__admin/health`.
    public static let current = "0.1.0"
}
