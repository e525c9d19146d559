import FitIQAPI
import FitIQBackend
import Scenarios

/// One isolated backend: its state, its clock, its ids, its credentials.
///
/// A class, because a world has an identity, and because commands change its parts in place, side by side.
final class World {
    /// Its name in paths; nil for the default world, whose paths have none.
    let id: String?
    /// How many worlds were made before it.
    let number: Int
    /// What it was made with; a reset begins anew with it.
    let settings: WorldSettings
    private(set) var clock: WorldClock
    var backend: Backend
    /// Brings the time and the ids into the backend, and the effects out of it; its time is the world's at each moment.
    var turn: Turn
    var authenticator: Authenticator
    /// Field lines that most responses share.
    var responseFields = ResponseFields()
    /// When connections go on whose output a fault holds back, by the world's clock.
    var heldOutputs = DeadlineQueue()
    /// When somebody last asked for it, by the system's clock.
    var lastUsed: Timestamp
    /// When its entry in the engine's queue comes up, by the system's clock.
    var queuedDeadline: Timestamp?

    var mode: GuideMode { settings.mode }

    init(id: String?, number: Int, _ settings: WorldSettings, now: Timestamp) {
        self.id = id
        self.number = number
        self.settings = settings
        clock = WorldClock(settings.clock)
        lastUsed = now
        backend = settings.makeBackend()
        turn = Turn(now: clock.now(now), identifiers: ResourceIDSequence(seed: settings.seed))
        authenticator = settings.makeAuthenticator()
    }

    /// Sets the time of what happens next.
    func setTime(_ now: Timestamp) {
        turn.now = clock.now(now)
        responseFields.update(to: turn.now)
    }

    /// When something is due in the world, by its own clock; nil while nothing is.
    var nextStep: Timestamp? {
        guard let answers = backend.nextDeadline else { return heldOutputs.next }
        guard let outputs = heldOutputs.next else { return answers }
        return min(answers, outputs)
    }
}
