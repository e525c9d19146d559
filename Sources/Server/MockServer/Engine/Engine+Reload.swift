import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// A scenario that changes while the server runs.
extension Engine {
    /// How much of a new scenario is in force.
    public enum Reloaded: Sendable, Equatable {
        case entirely
        /// Data, guide, seed, clock or token lifetime differ: they take effect with the next reset, or in other worlds.
        case restAfterReset
    }

    /// The input for preparing a new scenario: values, so that any thread can do it.
    public struct ReloadPreparation: Sendable {
        fileprivate let configuration: Configuration
        fileprivate let settings: WorldSettings
        fileprivate let life: Int

        /// Does the slow part of a reload: checks the scenario's data, and how much of it can be in force.
        ///
        /// - Parameter now: The system's time.
        /// - Throws: The place in the data that is inconsistent.
        public func prepare(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> PreparedScenario {
            var next = configuration
            next.adopt(scenario)
            try next.checkData(at: now)
            return PreparedScenario(
                scenario: scenario, isEntire: settings.differOnlyInRules(from: next.defaultWorldSettings), life: life)
        }
    }

    /// A new scenario with consistent data.
    public struct PreparedScenario: Sendable {
        fileprivate let scenario: Scenario
        /// Whether all of it can be in force in the default world's present life.
        fileprivate let isEntire: Bool
        fileprivate let life: Int
    }

    public var reloadPreparation: ReloadPreparation {
        ReloadPreparation(configuration: configuration, settings: defaultWorld.settings, life: defaultWorld.life)
    }

    /// Switches the default world to another scenario, from this moment; ``adopt(_:at:)`` after the preparation.
    ///
    /// - Parameter now: The system's time.
    /// - Throws: The place in the data that is inconsistent; nothing changes then.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        adopt(try reloadPreparation.prepare(scenario, at: now), at: now)
    }

    /// Switches the default world to another scenario, from this moment: its answers, meals and faults.
    ///
    /// Connections, data, clock and seed stay. Answers that have begun continue unchanged. A rule for faults that is
    /// written as before keeps its counts and its switch; one that is gone no longer acts on open sockets. A reset
    /// starts with the new scenario entirely, and so do worlds that name none.
    ///
    /// - Parameter now: The system's time.
    public func adopt(_ prepared: PreparedScenario, at now: Timestamp) -> Reloaded {
        let (world, scenario) = (defaultWorld, prepared.scenario)
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults)
        } catch {
            preconditionFailure("A scenario that was read has rules that can be: \(error.message)")
        }
        // Rules that were added live are gone with the old ones, and no longer count.
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
        // Nothing is known of a life that began in the meantime; comparing all of its data would hold the loop.
        let isEntire = prepared.isEntire && prepared.life == world.life
        world.reload(next)
        return isEntire ? .entirely : .restAfterReset
    }

    /// Applies the changes of a world's rules to its open sockets.
    private func switchOpenSockets(of world: World, with old: [FaultRule]) {
        let present = Dictionary(uniqueKeysWithValues: world.faults.rules.map { ($0.rule.name, $0.rule) })
        var changes: [ExactString: SocketFaults.Change] = [:]
        for rule in old {
            var new = present[rule.name]
            let isEnabled = new?.isEnabled ?? false
            new?.isEnabled = rule.isEnabled
            // A rule that is written differently now is another rule, which applies to later connections.
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
    /// Adopts what can change while the world runs, and keeps the rest for its next start.
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
    /// Whether a world can adopt other settings without a new start: only script, faults and names may differ.
    fileprivate func differOnlyInRules(from new: WorldSettings) -> Bool {
        seed == new.seed && mode == new.mode && clock == new.clock
            && scenario.tokenLifetime == new.scenario.tokenLifetime && scenario.replay == new.scenario.replay
            // Texts in another Unicode normal form are other data; only the written form tells them apart.
            && scenario.data == new.scenario.data && scenario.data.encoded.elementsEqual(new.scenario.data.encoded)
    }
}

extension WorldData { fileprivate var encoded: [UInt8] { JSONWriter.object { write(into: &$0) } } }
