import FitIQAPI
import JSON
import Scenarios
import Text

/// A state file's content: the worlds to continue.
struct RestoredState: Sendable {
    let serial: Int
    let worlds: [RestoredWorld]

    fileprivate init(_ file: StateFile) throws(Refusal) {
        let saved = try file.read()
        serial = saved.serial
        guard (0...WorldTable.largestSerial).contains(serial) else {
            throw Refusal(serial: serial, largest: WorldTable.largestSerial, file.path)
        }
        var worlds: [RestoredWorld] = []
        for (world, text) in saved.worlds { worlds.append(try RestoredWorld(world, text, path: file.path)) }
        self.worlds = worlds
    }
}

/// A world in a state file.
struct RestoredWorld: Sendable {
    let saved: SavedWorld
    /// The world's data, guide, seed and rules, and the initial setting of its clock.
    let state: Scenario
    /// The scenario in the request that created the world; nil for the server's scenario.
    let requested: Scenario?

    fileprivate init(_ saved: SavedWorld, _ file: [UInt8], path: String) throws(Refusal) {
        self.saved = saved
        guard
            saved.name == World.defaultID || WorldID(saved.name).map({ $0.number <= WorldTable.largestSerial }) ?? false
        else {
            throw Refusal(
                world: saved.name.quoted(), path,
                "a world must have an id such as w17 or n2-w17, with a number up to \(WorldTable.largestSerial)")
        }
        guard saved.time.secondsSinceEpoch < WorldSettings.lastTokenExpiry else {
            throw Refusal(
                world: saved.name, path, "its time is after the year 2199, the last year that a clock supports")
        }
        do throws(ScenarioErrors) {
            state = try Scenario.readSaved(file, file: path)
        } catch {
            throw Refusal(world: saved.name, path, error.description)
        }
        do {
            requested = try saved.scenario.map { try Scenario(requested: JSON.parse($0)) }
        } catch let error as APIError {
            throw Refusal(world: saved.name, path, error.message)
        } catch {
            throw Refusal(world: saved.name, path, "\(error)")
        }
    }
}

extension RestoredState {
    /// The saved default world; nil if the file has no default world, or this server does not use it.
    func defaultWorld(for configuration: Engine.Configuration) -> RestoredWorld? {
        guard configuration.hasDefaultWorld, configuration.scenario.replay == nil else { return nil }
        return worlds.first { $0.saved.name == World.defaultID }
    }
}

extension Engine.Configuration {
    /// Starts from a state file, and saves changes to it.
    ///
    /// - Throws: An error that names the file and the world that cannot be read.
    public mutating func keepState(in file: StateFile) throws(Refusal) {
        (stateFile, restored) = (file, try RestoredState(file))
    }

    /// Adds the state file's path and the world to an error about the world's data.
    func naming<Result>(_ world: String, _ body: () throws(APIError) -> Result) throws(APIError) -> Result {
        do throws(APIError) {
            return try body()
        } catch {
            guard let stateFile else { throw error }
            throw .invalid(Refusal(world: world, stateFile.path, error.message).description)
        }
    }

    /// The bytes of a request's scenario for the state file, if there is one.
    func kept(_ scenario: JSONValue?) -> [UInt8]? { stateFile == nil ? nil : scenario?.encoded() }
}

/// Restores the worlds in a state file.
///
/// The default world gets this server's guide, seed, clock and scripts; other worlds keep the ones from their requests.
/// In both cases, data, issued ids and the time of a manual clock continue.
extension Engine {
    /// Creates the other worlds in a state file, and starts saving changes.
    ///
    /// - Throws: A 400 if a world has inconsistent data, or a 507 if it exceeds the server's limit.
    func beginSaving(after restored: RestoredState, at now: Timestamp) throws(APIError) {
        guard let file = configuration.stateFile else { return }
        let saving = Saving(file, of: worlds, hasDefaultWorld: configuration.hasDefaultWorld)
        self.saving = saving
        worlds.changed = { [unowned saving] world in saving.noteUnsaved(world) }
        if let restored = restored.defaultWorld(for: configuration) { defaultWorld.countAsSaved(restored.saved) }
        saving.noteUnsaved(defaultWorld)
        worlds.serial = max(worlds.serial, restored.serial)
        for world in restored.worlds {
            try configuration.naming(world.saved.name) { () throws(APIError) in try restore(world, at: now) }
        }
        saving.needsCommit = false
    }

    private func restore(_ restored: RestoredWorld, at now: Timestamp) throws(APIError) {
        guard let id = WorldID(restored.saved.name) else { return }
        let (saved, state) = (restored.saved, restored.state)
        var settings = configuration.settings(
            ofWorld: id, restored.requested ?? configuration.scenario, guide: state.guide, seed: state.seed,
            clock: state.clock)
        settings.scenario.rules = state.rules.completed(by: settings.scenario.rules)
        settings.requestedScenario = saved.scenario
        let draft = WorldDraft(
            settings: settings, id: id, scenarioBytes: saved.scenario?.count ?? 0, restored: restored)
        let beginning = try WorldBeginning(draft, in: worlds.room(of: nil), now: now)
        let world = World(id: id.text, number: saved.number, beginning, now: now)
        world.countAsSaved(saved)
        lives.add(world, id, at: now)
    }
}
