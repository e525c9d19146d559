import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// The admin API's state: everything that a world holds, as a scenario file, and back.
extension Engine {
    /// `GET /__admin/state`: a scenario file in JSON from which a world begins where this one is now.
    func exportState(of world: World, at now: Timestamp) -> [UInt8] {
        world.setTime(now)
        let settings = world.settings
        let data = world.backend.data(at: world.turn.now, issuedIDs: world.turn.identifiers.issuedCount)
        return data.scenarioFile(
            name: settings.scenario.name, guide: settings.mode, seed: settings.seed,
            clock: world.clock.manualTime.map(ClockMode.manual) ?? .real)
    }

    /// Everything that the default world holds, as ``exportState(of:at:)`` has it.
    public func exportState(at now: Timestamp) -> [UInt8] { exportState(of: defaultWorld, at: now) }

    /// `PUT /__admin/state`: has a world hold what a scenario file says; what is scripted stays, unless the file has scripts.
    ///
    /// - Throws: 400 for what is no scenario file, or does not fit together; the world stays as it was.
    func importState(_ body: [UInt8], into world: World, at now: Timestamp) throws(APIError) -> Answer {
        let imported: Scenario
        do {
            imported = try Scenario.read(json: JSON.parse(body, limits: Self.stateLimits))
        } catch let error as JSONError {
            throw .invalidJSON(error)
        } catch let errors as ScenarioErrors {
            throw APIError(errors)
        } catch {
            preconditionFailure("Reading throws nothing else.")
        }
        var settings = world.settings
        let old = settings.scenario
        settings.scenario = imported
        if imported.script == Script() { settings.scenario.script = old.script }
        if imported.faults.isEmpty { settings.scenario.faults = old.faults }
        settings.seed = imported.seed ?? settings.seed
        settings.mode = imported.guide ?? settings.mode
        settings.clock = imported.clock ?? settings.clock
        try restart(world, settings, reason: "The world's state was replaced", at: now)
        return .ok(describe(world, at: now))
    }

    /// A state may be large; a body of the API never is.
    private static let stateLimits = JSON.Limits(values: 2_000_000)
}
