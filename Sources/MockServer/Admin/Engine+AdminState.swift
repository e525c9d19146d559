import FitIQAPI
import FitIQBackend
import HTTP1
import JSON
import Scenarios

/// The admin API's state: everything that a world holds, as a scenario file, and back.
///
/// State is data: users and what they have, the ids that were issued, guide, seed and clock. Scripts and faults are no part of
/// it; they stay as they are where a state is imported, unless the file brings its own.
extension Engine {
    /// `GET /__admin/state`: a scenario file in JSON from which a world begins where this one is now.
    ///
    /// - Throws: 409 where a session is played back.
    func exportState(of world: World, at now: Timestamp) throws(APIError) -> [UInt8] {
        guard world.replay == nil else { throw .stateOfReplay }
        // The loop may be late.
        advance(world, to: world.clock.now(now), at: now)
        world.setTime(now)
        let settings = world.settings
        let data = world.backend.data(at: world.turn.now, issuedIDs: world.turn.identifiers.issuedCount)
        return data.scenarioFile(
            name: settings.scenario.name, guide: settings.mode, seed: settings.seed,
            clock: world.clock.manualTime.map(ClockMode.manual) ?? .real)
    }

    /// Everything that the default world holds, as ``exportState(of:at:)`` has it.
    ///
    /// - Throws: 409 where a session is played back.
    public func exportState(at now: Timestamp) throws(APIError) -> [UInt8] {
        try exportState(of: defaultWorld, at: now)
    }

    /// `PUT /__admin/state`: has a world hold what a scenario file says, from its beginning; a reset returns to it.
    ///
    /// What the file leaves out stays: guide, seed, clock mode, lifetime of tokens, scripts, and the faults as they are now.
    ///
    /// - Throws: 400 for what is no scenario file, or does not fit together, 409 where a session is played back and the file
    ///   brings no other, 507 where there is no room for it; the world stays as it was.
    func importState(_ body: [UInt8], into world: World, at now: Timestamp) throws(APIError) -> Answer {
        guard !body.isEmpty else { throw .emptyBody }
        let imported: Scenario
        do {
            imported = try Scenario.read(json: JSON.parse(body, limits: stateLimits))
        } catch let error as JSONError {
            throw .invalidJSON(error)
        } catch let errors as ScenarioErrors {
            throw APIError(errors)
        } catch {
            preconditionFailure("Reading throws nothing else.")
        }
        guard imported.replay != nil || world.replay == nil else { throw .stateOfReplay }
        var settings = world.settings
        let old = settings.scenario
        settings.scenario = imported
        if imported.name == old.name, imported.summary.isEmpty { settings.scenario.summary = old.summary }
        if imported.script == Script(), imported.replay == nil { settings.scenario.script = old.script }
        if imported.faults.isEmpty { settings.scenario.faults = old.faults }
        settings.scenario.tokenLifetime = imported.tokenLifetime ?? old.tokenLifetime
        settings.seed = imported.seed ?? settings.seed
        settings.mode = imported.guide ?? settings.mode
        settings.clock = imported.clock ?? settings.clock
        try restart(
            world, settings, scenarioBytes: body.count, keepsFaults: imported.faults.isEmpty,
            reason: "The world's state was replaced", at: now)
        return .ok(describe(world, at: now))
    }

    /// A state may be large; a body of the API never is.
    private var stateLimits: JSON.Limits { JSON.Limits(bytes: max(limits.stateBody, 1), values: 4_000_000) }

    /// Takes a larger body where it is a state, and comes from somebody who may send one.
    func admitLargeBody(_ head: RequestHead, on connection: Connection) {
        guard case .admin(let route) = Destination(of: head.target, in: self).route, route.resource == .state,
            (try? AdminAccess(token: configuration.adminToken).check(head, isLocal: connection.isLocal)) != nil
        else { return }
        connection.http.raiseBodyLimit(to: min(limits.stateBody, Connection.largestBody))
    }
}
