import Faults
import FitIQAPI
import FitIQBackend
import Scenarios

/// What a world is made with.
struct WorldSettings: Sendable {
    /// Where its paths begin, `http://127.0.0.1:8080/w/w1`: avatars are URLs below it.
    var origin: String
    var scenario: Scenario
    var seed: UInt64
    var pace: Pace
    var mode: GuideMode
    var clock: ClockMode
    var apiKey: String
    var jwtSecret: String
    /// Verified tokens kept at hand.
    var verifiedTokens: Int
    var limits: FitIQBackend.Limits

    /// Where its WebSockets' paths begin.
    var webSocketOrigin: String { "ws" + origin.dropFirst("http".count) }

    func makeBackend() -> Backend {
        Backend(
            .init(
                origin: origin, pace: pace, mode: mode, limits: limits,
                script: scenario.script))
    }

    func makeFaults() -> FaultBook { FaultBook(rules: scenario.faults, seed: seed) }

    func makeAuthenticator() -> Authenticator {
        Authenticator(mode: mode, apiKey: apiKey, secret: jwtSecret, limit: verifiedTokens)
    }
}
