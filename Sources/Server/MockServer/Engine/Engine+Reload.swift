import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// A scenario that changes while the server runs.
extension Engine {
    /// What of a new scenario is not in force yet.
    public enum Reloaded: Sendable, Equatable {
        /// Everything is.
        case entirely
        /// Data, guide, seed, clock or token lifetime differ: they come with the next reset, or in other worlds.
        case restAfterReset
    }

    /// What it takes to prepare a new scenario: values, so that any thread can do it.
    public struct ReloadPreparation: Sendable {
        fileprivate let configuration: Configuration
        fileprivate let settings: WorldSettings
        fileprivate let life: Int

        /// Does what takes long about a new scenario: sees whether its data fits together, and what of it can be in force.
        ///
        /// - Parameter now: the system's time.
        /// - Throws: where the data does not fit together.
        public func prepare(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> PreparedScenario {
            var next = configuration
            next.adopt(scenario)
            try next.checkData(at: now)
            return PreparedScenario(
                scenario: scenario, isEntire: settings.differOnlyInRules(from: next.defaultWorldSettings), life: life)
        }
    }

    /// A new scenario whose data fits together.
    public struct PreparedScenario: Sendable {
        fileprivate let scenario: Scenario
        /// Whether everything of it can be in force, in the default world's present life.
        fileprivate let isEntire: Bool
        fileprivate let life: Int
    }

    /// Where preparing a new scenario begins.
    public var reloadPreparation: ReloadPreparation {
        ReloadPreparation(configuration: configuration, settings: defaultWorld.settings, life: defaultWorld.life)
    }

    /// Has the default world follow another scenario, from this moment; ``adopt(_:at:)`` after the preparation.
    ///
    /// - Parameter now: the system's time.
    /// - Throws: where the data does not fit together; everything stays as it was then.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        adopt(try reloadPreparation.prepare(scenario, at: now), at: now)
    }

    /// Has the default world follow another scenario, from this moment: its answers, meals and faults.
    ///
    /// Connections, data, clock and seed stay. Answers that have begun go on as they began. A rule for faults that is written
    /// as before keeps its counts and its switch; one that is gone no longer acts on sockets that are open. A reset begins with
    /// the new scenario entirely, and so do worlds that name none.
    ///
    /// - Parameter now: the system's time.
    public func adopt(_ prepared: PreparedScenario, at now: Timestamp) -> Reloaded {
        let (world, scenario) = (defaultWorld, prepared.scenario)
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults)
        } catch {
            preconditionFailure("A scenario that was read has rules that can be: \(error.message)")
        }
        // Rules that were added live are gone with the old ones, and no longer weigh.
        let names = Set(world.faults.rules.map(\.rule.name))
        world.faultBytes = world.faultBytes.filter { names.contains($0.key) }
        worlds.accountStorage(of: world)
        // A session may be large.
        discard(configuration.scenario)
        discard(world.reloadedSettings)
        configuration.adopt(scenario)
        world.backend.setScript(scenario.script)
        switchOpenSockets(of: world, with: old)
        let next = configuration.defaultWorldSettings
        // Of a life that began meanwhile nothing is known; a look at all of its data would hold the loop.
        let isEntire = prepared.isEntire && prepared.life == world.life
        world.reload(next)
        return isEntire ? .entirely : .restAfterReset
    }

    /// Has the open sockets of a world follow what has become of the rules that there were.
    private func switchOpenSockets(of world: World, with old: [FaultRule]) {
        let present = Dictionary(uniqueKeysWithValues: world.faults.rules.map { ($0.rule.name, $0.rule) })
        var changes: [ExactString: SocketFaults.Change] = [:]
        for rule in old {
            var new = present[rule.name]
            let isEnabled = new?.isEnabled ?? false
            new?.isEnabled = rule.isEnabled
            // What is written otherwise now is another rule, which is laid on connections to come.
            if new?.isExactly(rule) != true {
                changes[rule.name] = .removed
            } else if isEnabled != rule.isEnabled {
                changes[rule.name] = .enabled(isEnabled)
            }
        }
        // All at once: there may be many of both.
        if !changes.isEmpty { changeOpenSockets(of: world) { $0.change(changes) } }
    }
}

extension World {
    /// Takes what can change while it runs, and keeps the rest for its next beginning.
    fileprivate func reload(_ new: WorldSettings) {
        reloadedSettings = new
        reloadCount += 1
        var scenario = new.scenario
        scenario.data = settings.scenario.data
        scenario.tokenLifetime = settings.scenario.tokenLifetime
        scenario.replay = settings.scenario.replay
        settings.scenario = scenario
    }
}

extension WorldSettings {
    /// Whether a world need not begin anew to follow other settings: only script, faults and names may differ.
    fileprivate func differOnlyInRules(from new: WorldSettings) -> Bool {
        seed == new.seed && mode == new.mode && clock == new.clock
            && scenario.tokenLifetime == new.scenario.tokenLifetime && scenario.replay == new.scenario.replay
            // Texts in another normal form are other data: those are told apart where they are written down.
            && scenario.data == new.scenario.data && scenario.data.encoded.elementsEqual(new.scenario.data.encoded)
    }
}

extension WorldData {
    /// The bytes of its members in a scenario file.
    fileprivate var encoded: [UInt8] { JSONWriter.object { write(into: &$0) } }
}
