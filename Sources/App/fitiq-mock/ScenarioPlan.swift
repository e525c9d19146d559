import FitIQAPI
import FitIQBackend
import MockServer
import Scenarios

/// The scenario to serve, composed of `--scenario`, `--import` and the other options of the command line.
struct ScenarioPlan {
    var source = ScenarioSource.builtIn(Scenario.defaultName)
    /// The initial state, which replaces the scenario's users.
    var state: StateFile?
    // The command line takes precedence over the files.
    var seed: UInt64?
    var guide: GuideMode?
    var clock: ClockChoice?

    struct StateFile {
        let path: String
        let bytes: [UInt8]
        let scenario: Scenario

        init(_ path: String) throws(Failure) {
            self.path = path
            bytes = try InputFile.read(path, limit: Scenario.largestState, orInherited: true)
            do throws(ScenarioErrors) {
                scenario = try Scenario.readState(bytes, file: path)
            } catch {
                throw .configuration(Messages.mistakes(in: path, error.description))
            }
        }
    }

    enum ClockChoice: String, CaseIterable {
        case real, manual
    }

    /// Loads the scenario in its initial form.
    func load() throws(Failure) -> Scenario {
        switch source {
        case .builtIn(let name):
            guard let scenario = Scenario.builtIn(named: name) else {
                preconditionFailure("The source was checked against the list.")
            }
            return complete(scenario)
        case .file(let path):
            let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes, orInherited: true)
            let scenario: Scenario
            do throws(ScenarioErrors) {
                scenario = try read(bytes, file: path)
            } catch {
                throw .configuration(Messages.mistakes(in: path, error.description))
            }
            guard scenario.replay == nil || state == nil else {
                throw .configuration(Messages.notWithSession("--import"))
            }
            return scenario
        }
    }

    /// Parses the scenario's file, and the session that it replays.
    func read(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        complete(try Self.withSession(Scenario.read(bytes, file: file), from: bytes, file: file))
    }

    /// Applies the state and the command line.
    func complete(_ scenario: Scenario) -> Scenario {
        var result = state.map { scenario.continuing(from: $0.scenario) } ?? scenario
        result.replay = scenario.replay
        if let seed { result.seed = seed }
        if let guide { result.guide = guide }
        switch (clock, result.clock) {
        case (.real, _): result.clock = .real
        // The scenario defines its start.
        case (.manual, .manual): break
        case (.manual, _): result.clock = .manual
        case (nil, _): break
        }
        return result
    }

    /// Why the server cannot start because the scenario's data is inconsistent; nil if it is consistent.
    func troubleWithData(of configuration: Engine.Configuration) throws(Failure) -> Failure? {
        do throws(PlantError) {
            try configuration.checkData(at: FitIQMock.now)
            return nil
        } catch {
            guard case .file(let path) = source else {
                return .configuration(Messages.mistakes(in: state?.path ?? "", locate(error, in: [], file: "")))
            }
            // Input from a pipe cannot be read again; the mistake is then reported without its position.
            let bytes = (try? InputFile.read(path, limit: ScenarioLimits.fileBytes)) ?? []
            return .configuration(
                Messages.mistakes(in: state?.path ?? path, locate(error, in: bytes, file: path)))
        }
    }

    /// A line about inconsistent data, with its position in its file.
    func locate(_ error: PlantError, in bytes: [UInt8], file: String) -> String {
        let (bytes, file) = state.map { ($0.bytes, $0.path) } ?? (bytes, file)
        return ScenarioErrors(
            path: error.path, message: error.message, in: String(decoding: bytes, as: UTF8.self), file: file
        ).description
    }
}

enum ScenarioSource: Equatable {
    case builtIn(String)
    case file(String)

    /// A path has a slash or a scenario file's extension; other words are built-in scenarios, else existing files.
    init(_ argument: String, exists: (String) -> Bool = InputFile.exists) throws(Failure) {
        let endings = [".yaml", ".yml", ".json"]
        if argument.contains("/") || endings.contains(where: argument.hasSuffix) {
            self = .file(argument)
        } else if argument == Scenario.defaultName || Scenario.builtInNames.contains(argument) {
            self = .builtIn(argument)
        } else if exists(argument) {
            self = .file(argument)
        } else {
            throw .configuration(Scenario.unknownBuiltIn(argument))
        }
    }
}
