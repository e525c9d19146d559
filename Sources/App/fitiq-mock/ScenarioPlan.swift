import FitIQAPI
import FitIQBackend
import MockServer
import Scenarios

/// Which scenario is served, put together from `--scenario`, `--import` and what the command line says beside them.
struct ScenarioPlan {
    var source = ScenarioSource.builtIn(Scenario.defaultName)
    /// What the server begins with, in place of the scenario's users.
    var state: StateFile?
    // What the command line says wins over what the files say.
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

    /// What `--clock` takes.
    enum ClockChoice: String, CaseIterable {
        case real, manual
    }

    /// The scenario as it begins.
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

    /// Reads the scenario's file, and the session that it plays back.
    func read(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        complete(try Self.withSession(Scenario.read(bytes, file: file), from: bytes, file: file))
    }

    /// Has the state and the command line have their say.
    func complete(_ scenario: Scenario) -> Scenario {
        var result = state.map { scenario.continuing(from: $0.scenario) } ?? scenario
        result.replay = scenario.replay
        if let seed { result.seed = seed }
        if let guide { result.guide = guide }
        switch (clock, result.clock) {
        case (.real, _): result.clock = .real
        // The scenario says when it starts.
        case (.manual, .manual): break
        case (.manual, _): result.clock = .manual
        case (nil, _): break
        }
        return result
    }

    /// Why a server does not begin whose scenario's data does not fit together; nil where it does.
    func troubleWithData(of configuration: Engine.Configuration) throws(Failure) -> Failure? {
        do throws(PlantError) {
            try configuration.checkData(at: FitIQMock.now)
            return nil
        } catch {
            guard case .file(let path) = source else {
                return .configuration(Messages.mistakes(in: state?.path ?? "", locate(error, in: [], file: "")))
            }
            // What came through a pipe is gone; the mistake is then told without its place.
            let bytes = (try? InputFile.read(path, limit: ScenarioLimits.fileBytes)) ?? []
            return .configuration(
                Messages.mistakes(in: state?.path ?? path, locate(error, in: bytes, file: path)))
        }
    }

    /// A line about data that does not fit together, with its place in the file that the data is from.
    func locate(_ error: PlantError, in bytes: [UInt8], file: String) -> String {
        let (bytes, file) = state.map { ($0.bytes, $0.path) } ?? (bytes, file)
        return ScenarioErrors(
            path: error.path, message: error.message, in: String(decoding: bytes, as: UTF8.self), file: file
        ).description
    }
}

/// What `--scenario` names.
enum ScenarioSource: Equatable {
    case builtIn(String)
    case file(String)

    /// A path has a slash or the ending of a scenario file; any other word is a built-in scenario, else a file that exists.
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
