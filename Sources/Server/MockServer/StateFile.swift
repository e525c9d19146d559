import FitIQBackend
import JSON
import Scenarios

/// The state that a server wrote when it stopped, for the next one to read.
extension Scenario {
    /// The largest file of a state in bytes, as many as all worlds may store together (``ServerLimits/storedBytes``).
    ///
    /// An export has no more than its world stores.
    public static let largestState = 640 * 1024 * 1024
    /// The most values of a state.
    ///
    /// Those of a world that holds what ``ServerLimits/stateBody`` allows take 22 bytes each in store, or more.
    public static let largestStateValues = 15_500_000

    /// Reads a state: a scenario file, which may be larger if it is JSON.
    ///
    /// - Parameter file: The name of the file in messages.
    /// - Throws: The mistakes of the file, as with any scenario file.
    public static func readState(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        guard bytes.count > ScenarioLimits.fileBytes, bytes.first == UInt8(ascii: "{") else {
            return try read(bytes, file: file)
        }
        let value: JSONValue
        do { value = try JSON.parse(bytes, limits: JSON.Limits(bytes: largestState, values: largestStateValues)) } catch
        {
            throw ScenarioErrors(
                file: file, mistakes: [.init(line: error.line, column: error.column, path: "", message: error.message)])
        }
        return try read(json: value)
    }

    /// The scenario with the users of a state in place of its own; its scripts stay, unless the state has scripts.
    public func continuing(from state: Scenario) -> Scenario {
        var result = state
        result.name = name
        result.summary = summary
        if state.script == Script() { result.script = script }
        if state.faults.isEmpty { result.faults = faults }
        result.guide = state.guide ?? guide
        result.seed = state.seed ?? seed
        result.clock = state.clock ?? clock
        result.tokenLifetime = state.tokenLifetime ?? tokenLifetime
        return result
    }
}
