import Faults
import FitIQAPI
import FitIQBackend
import Scenarios

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
        try backend.plant(settings.scenario.data, &turn)
    }
}

/// A scenario that changes while the server runs.
extension Engine {
    /// What of a new scenario is not in force yet.
    public enum Reloaded: Sendable, Equatable {
        /// Everything is.
        case entirely
        /// Data, guide, seed, clock or token lifetime differ: they come with the next reset, or in other worlds.
        case restAfterReset
    }

    /// Has the default world follow another scenario, from this moment: its answers, meals and faults.
    ///
    /// Connections, data, clock and seed stay. Answers that have begun go on as they began. A rule for faults that is written
    /// as before keeps its counts and its switch; one that is gone no longer acts on sockets that are open. A reset begins with
    /// the new scenario entirely, and so do worlds that name none.
    ///
    /// - Parameter now: the system's time.
    /// - Throws: where the data does not fit together, or the faults are too many; everything stays as it was then.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        var next = configuration
        next.adopt(scenario)
        try next.checkData(at: now)
        let world = defaultWorld
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults)
        } catch {
            preconditionFailure("A scenario that was read has rules that can be: \(error.message)")
        }
        // Rules that were added live are gone with the old ones, and no longer weigh.
        let names = Set(world.faults.rules.map(\.rule.name))
        world.faultBytes = world.faultBytes.filter { names.contains($0.key) }
        accountStorage(of: world)
        configuration = next
        world.backend.setScript(scenario.script)
        for rule in old { switchOpenSockets(rule, of: world) }
        return world.reload(next.defaultWorldSettings)
    }

    /// Has the open sockets of a world follow what has become of a rule.
    private func switchOpenSockets(_ old: FaultRule, of world: World) {
        var new = world.faults.rules.first { $0.rule.name == old.name }?.rule
        let isEnabled = new?.isEnabled ?? false
        new?.isEnabled = old.isEnabled
        // What is written otherwise now is another rule, which is laid on connections to come.
        guard new == old else {
            changeOpenSockets(of: world) { $0.remove(named: old.name) }
            return
        }
        guard isEnabled != old.isEnabled else { return }
        changeOpenSockets(of: world) { $0.setEnabled(isEnabled, named: old.name) }
    }
}

extension World {
    /// Takes what can change while it runs, and keeps the rest for its next beginning.
    fileprivate func reload(_ new: WorldSettings) -> Engine.Reloaded {
        reloadedSettings = new
        var scenario = new.scenario
        scenario.data = settings.scenario.data
        scenario.tokenLifetime = settings.scenario.tokenLifetime
        scenario.replay = settings.scenario.replay
        settings.scenario = scenario
        let isEntire =
            scenario == new.scenario && settings.seed == new.seed && settings.mode == new.mode
            && settings.clock == new.clock
        return isEntire ? .entirely : .restAfterReset
    }
}
