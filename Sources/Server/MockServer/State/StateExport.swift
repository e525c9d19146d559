import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// Exports a world's content as a scenario file.
extension Engine {
    /// The default world's content, in the format of `GET /__admin/state` but without a size limit; throws 409 if the
    /// world replays a session.
    public func exportState(at now: Timestamp) throws(APIError) -> [UInt8] {
        let export = try export(of: defaultWorld, at: now)
        return export.encoded(export.backend)
    }

    func export(of world: World, at now: Timestamp) throws(APIError) -> StateExport {
        guard world.replay == nil else { throw .stateOfReplay }
        // First run the steps that are due, because the loop may be late.
        advance(world, to: world.clock.now(now), at: now)
        world.setTime(now)
        return StateExport(
            backend: world.backend, turn: world.turn, settings: world.settings,
            clock: world.clock.manualTime.map(ClockMode.manual) ?? .real)
    }
}

/// The input for an export, as a value that a job can use.
struct StateExport: Sendable {
    let backend: Backend
    let turn: Turn
    let settings: WorldSettings
    let clock: ClockMode

    /// The encoded state; throws 507 if it could exceed the limit.
    func encoded(within limit: Int) throws(APIError) -> [UInt8] {
        let settled = backend.settled(at: turn.now, dateShift: turn.dateShift)
        let bytes = settled.storedBytes + 6 * settings.scenario.name.utf8.count + Self.firstLines
        guard bytes <= limit else { throw .stateTooLarge(bytes, limit: limit) }
        return encoded(settled)
    }

    /// The maximum size of a state in bytes, not counting its name and its users.
    private static let firstLines = 512

    func encoded(_ backend: Backend) -> [UInt8] {
        let (scenario, issuedIDs) = (settings.scenario, turn.identifiers.issuedCount)
        return backend.data(at: turn.now, dateShift: turn.dateShift, issuedIDs: issuedIDs).scenarioFile(
            name: scenario.name, guide: settings.mode, seed: settings.seed, clock: clock, rules: scenario.rules)
    }
}

/// Reads the state that a server wrote when it stopped.
extension Scenario {
    /// The maximum size of a state file in bytes, which is the limit for all worlds together
    /// (``ServerLimits/storedBytes``).
    public static let largestState = 640 * 1024 * 1024
    /// The maximum number of JSON values in a state.
    ///
    /// In a world at the limit of ``ServerLimits/stateBody``, each value takes at least 22 stored bytes.
    public static let largestStateValues = 15_500_000

    private static let stateLimits = JSON.Limits(bytes: largestState, values: largestStateValues)

    /// Reads a scenario file; a JSON file may be as large as a state.
    ///
    /// - Parameter file: The file's name for messages.
    /// - Throws: The mistakes in the file.
    public static func readState(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        let isJSON = bytes.first == UInt8(ascii: "{")
        if bytes.count <= ScenarioLimits.fileBytes || !isJSON {
            do throws(ScenarioErrors) {
                return try read(bytes, file: file)
            } catch {
                // JSON that exceeds the limits for scenario files may still be a state. If the JSON is not a state
                // either, throw the first error, which has line numbers.
                guard isJSON, let value = try? JSON.parse(bytes, limits: stateLimits),
                    let state = try? read(json: value)
                else { throw error }
                return state
            }
        }
        return try readJSON(bytes, file: file)
    }

    /// Reads a saved world, in which sizes and times are not limited.
    static func readSaved(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        try readJSON(bytes, file: file, isSaved: true)
    }

    private static func readJSON(
        _ bytes: [UInt8], file: String, isSaved: Bool = false
    ) throws(ScenarioErrors) -> Scenario {
        let value: JSONValue
        do throws(JSONError) {
            // A server has already held this data in memory.
            value = try JSON.parse(bytes, limits: isSaved ? JSON.Limits(bytes: .max, values: .max) : stateLimits)
        } catch {
            let mistake = ScenarioErrors.Mistake(
                line: error.line, column: error.column, path: "", message: error.message)
            throw ScenarioErrors(file: file, mistakes: [mistake])
        }
        return try read(json: value, isSaved: isSaved)
    }

    /// The scenario with a state's data in place of its own data; scripts and faults stay unless the state has its own.
    public func continuing(from state: Scenario) -> Scenario {
        var result = state
        (result.name, result.summary) = (name, summary)
        if state.script == Script() { result.script = script }
        if state.faults.isEmpty { result.faults = faults }
        if state.stubs.isEmpty { result.stubs = stubs }
        result.network = state.network ?? network
        result.upstream = state.upstream.completed(by: upstream)
        (result.overlay, result.unreadOverlay) = (overlay, unreadOverlay)
        result.written = state.written(over: self)
        result.guide = state.guide ?? guide
        result.seed = state.seed ?? seed
        result.clock = state.clock ?? clock
        result.tokenLifetime = state.tokenLifetime ?? tokenLifetime
        result.rules = state.rules.completed(by: rules)
        return result
    }
}
