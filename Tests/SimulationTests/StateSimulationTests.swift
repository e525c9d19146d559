import FitIQAPI
import FitIQBackend
import JSON
import Simulation
import TestSupport
import Testing

@testable import MockServer

/// Saves the changes of random clients and operators while they run, one change at a time.
@Suite("The state of a simulated server") struct StateSimulationTests {
    /// The scenario file of each world, made from its whole state.
    private static func worlds(of engine: Engine) -> [String: [UInt8]] {
        let all = [engine.defaultWorld] + Array(engine.worlds.values)
        return all.reduce(into: [:]) { files, world in
            guard world.replay == nil else { return }
            var backend = world.backend
            backend.noticeChanges(allSaved: false)
            let entities = backend.takeChanges(upTo: .max).map { change in
                SavedEntity(
                    list: change.place.list.name, owner: ExactString(change.place.owner?.text ?? ""),
                    id: ExactString(change.place.id.text),
                    data: change.data?.encoded ?? [])
            }
            let saved = SavedWorld(name: world.name, number: 0, head: world.head, time: world.turn.now)
            files[world.name] = saved.file(with: entities)
        }
    }

    @Test(
        "A state file contains the exact state, and a server that loads it has the same state",
        arguments: 1...LongRun.choose(UInt64(8), long: 40))
    func restart(seed: UInt64) throws {
        let file = try StateFile(":memory:")
        let simulator = Simulator(seed: seed, withFaults: seed.isMultiple(of: 3), stateFile: file)
        let engine = simulator.engine
        // In half of the runs, a thread writes late, and has not yet written the last slice at the end.
        var (jobs, draw) = ([Job](), Draw(seed: seed ^ 0x5354_4154))
        if seed.isMultiple(of: 2) {
            engine.startSaving = { jobs.append($0) }
            simulator.betweenSteps = {
                guard !jobs.isEmpty, draw.once(in: 5) else { return }
                engine.finish(jobs.removeFirst().run(), at: engine.defaultWorld.lastUsed)
            }
        }
        if case .failure(let failure) = simulator.run() { Issue.record("seed \(seed): \(failure)") }
        try engine.saveAll()
        let (saved, present) = (try file.read(), Self.worlds(of: engine))
        #expect(Set(saved.worlds.map(\.world.name)) == Set(present.keys), "seed \(seed)")
        for (world, text) in saved.worlds {
            #expect(
                String(decoding: text, as: UTF8.self) == present[world.name].map { String(decoding: $0, as: UTF8.self) }
            )
        }
        var configuration = engine.configuration
        try configuration.keepState(in: file)
        let again = try Engine(configuration, now: engine.defaultWorld.lastUsed + .seconds(86_400))
        // In modes other than the apps', a question does not wait.
        func comparable(_ text: [UInt8]?) -> String? {
            text.map { String(decoding: $0, as: UTF8.self).replacing(",\"awaits_answer\":true", with: "") }
        }
        let restored = Self.worlds(of: again)
        #expect(restored.count == present.count)
        for (name, text) in present { #expect(comparable(restored[name]) == comparable(text), "seed \(seed), \(name)") }
        #expect(again.worlds.serial == engine.worlds.serial)
        #expect(!again.worlds.values.contains { $0.awaitsSaving } && again.savingDue == nil)
        // Times and ids continue for clients.
        for world in [again.defaultWorld] + Array(again.worlds.values) {
            let before = world.id.map { engine.worlds[ExactString($0)] } ?? engine.defaultWorld
            #expect(world.clock.manualTime == before?.clock.manualTime)
            #expect(world.turn.identifiers.issuedCount == before?.turn.identifiers.issuedCount)
            #expect(world.token == before?.token)
        }
        // A server must start regardless of its options and the time.
        for mode in GuideMode.allCases {
            (configuration.mode, configuration.scenario.rules) = (mode, WorldRules())
            try configuration.keepState(in: file)
            let other = try Engine(configuration, now: Timestamp(secondsSinceEpoch: 1_000_000_000))
            #expect(other.defaultWorld.backend.storedBytes > 0 || present.values.allSatisfy { $0.count < 1000 })
            #expect(other.defaultWorld.backend.userCount == engine.defaultWorld.backend.userCount)
        }
    }
}
