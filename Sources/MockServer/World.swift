import FitIQAPI
import FitIQBackend

/// One isolated backend: its state, its ids, its credentials.
///
/// A class, because a world has an identity, and because commands change its parts in place, side by side.
final class World {
    var backend: Backend
    /// Brings the time and the ids into the backend, and the effects out of it.
    var turn: Turn
    var authenticator: Authenticator

    init(_ configuration: Engine.Configuration, now: Timestamp) {
        backend = Backend(
            .init(
                origin: configuration.origin, pace: configuration.pace, mode: configuration.mode,
                limits: configuration.worldLimits))
        turn = Turn(now: now, identifiers: ResourceIDSequence(seed: configuration.seed))
        authenticator = Authenticator(
            mode: configuration.mode, apiKey: configuration.apiKey, secret: configuration.jwtSecret,
            limit: configuration.limits.verifiedTokens)
    }
}
