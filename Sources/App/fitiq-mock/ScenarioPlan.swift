import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Logging
import MockServer
import Scenarios
import Text

/// The scenario to serve, built from `--scenario`, `--import` and the other options.
struct ScenarioPlan {
    var source = ScenarioSource.builtIn(Scenario.defaultName)
    var state: StateFile?
    // The command line takes precedence over the files.
    var seed: UInt64?
    var guide: GuideMode?
    var clock: ClockChoice?
    var ids: IDCase?
    var network: NetworkProfile?
    var compression: Compression?
    var upstream: UpstreamURL?
    var overlay: Overlay?

    struct StateFile {
        let path: String
        let bytes: [UInt8]
        let scenario: Scenario

        init(_ path: String) throws(Failure) {
            self.path = path
            bytes = try InputFile.read(path, limit: Scenario.largestState, orInherited: true)
            scenario = try orMistakes(in: path, try Scenario.readState(bytes, file: path))
        }
    }

    enum ClockChoice: String, CaseIterable { case real, manual }

    func load() throws(Failure) -> Scenario {
        switch source {
        case .builtIn(let name):
            guard let scenario = Scenario.builtIn(named: name) else {
                preconditionFailure("The source must have been checked against the list.")
            }
            return complete(scenario)
        case .file(let path):
            let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes, orInherited: true)
            let scenario = try orMistakes(in: path, try read(bytes, file: path))
            if scenario.replay != nil {
                if state != nil { throw .configuration(Messages.notWithSession("--import")) }
                if ids != nil { throw .configuration(Messages.notWithSession("--ids")) }
                if upstream != nil { throw .configuration(Messages.notWithSession("--upstream")) }
                if overlay != nil { throw .configuration(Messages.notWithSession("--overlay")) }
            }
            return scenario
        }
    }

    func read(_ bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        complete(try Self.withFiles(Scenario.read(bytes, file: file), from: bytes, file: file))
    }

    /// Applies the state and the command line to a scenario.
    func complete(_ scenario: Scenario) -> Scenario {
        var result = state.map { scenario.continuing(from: $0.scenario) } ?? scenario
        result.replay = scenario.replay
        if let seed { result.seed = seed }
        if let guide { result.guide = guide }
        if let ids { result.rules.ids = ids }
        if let network { result.network = network }
        if let overlay { result.overlay = overlay }
        if let compression { result.rules.compression = compression }
        if let upstream, result.replay == nil {
            result.upstream = result.upstream ?? Upstream(nil)
            result.upstream?.url = upstream
        }
        switch (clock, result.clock) {
        case (.real, _): result.clock = .real
        // The scenario already says when its clock starts.
        case (.manual, .manual), (nil, _): break
        case (.manual, _): result.clock = .manual
        }
        return result
    }

    /// Loads the scenario and rejects inconsistent data in it.
    func loadChecked() throws(Failure) -> Scenario {
        let scenario = try load()
        var configuration = Engine.Configuration()
        configuration.adopt(scenario)
        try checkData(of: configuration)
        return scenario
    }

    /// Rejects inconsistent data, which would keep a server from starting.
    func checkData(of configuration: Engine.Configuration) throws(Failure) {
        try orFailure(try configuration.checkData(at: FitIQMock.now)) { (error: PlantError) in
            guard case .file(let path) = source else {
                return .configuration(Messages.mistakes(in: state?.path ?? "", locate(error, in: [], file: "")))
            }
            // Piped input cannot be read again, so the mistake is reported without its position.
            let bytes = (try? InputFile.read(path, limit: ScenarioLimits.fileBytes)) ?? []
            return .configuration(Messages.mistakes(in: state?.path ?? path, locate(error, in: bytes, file: path)))
        }
    }

    /// A line about inconsistent data, including its position in the file.
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

    /// Classifies a word.
    ///
    /// A path contains a slash or ends with a scenario file's extension; other words are built-in scenarios or files.
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

    /// The scenario's file as a tree.
    func document() throws(Failure) -> JSONValue {
        let (name, text) =
            switch self {
            case .builtIn(let name): (name, Scenario.builtInText(named: name) ?? "name: \(name)")
            case .file(let path):
                (path, String(decoding: try InputFile.read(path, limit: ScenarioLimits.fileBytes), as: UTF8.self))
            }
        return try orMistakes(in: name, try Scenario.readWithJSON(text).json)
    }
}

/// `--watch`: checks the scenario's file twice a second and updates the server.
///
/// Only the check and the update run on the event loop. The file and its session are read on another thread.
final class ScenarioReloading {
    private let plan: ScenarioPlan
    private let logger: Logger
    private var file: WatchedFile
    /// Whether the file is being read, during which checks pause.
    private var isReading = false
    static let interval = Duration.milliseconds(500)

    /// - Parameter file: the file's state before it was first read.
    init(_ file: WatchedFile, plan: ScenarioPlan, logger: Logger) {
        (self.file, self.plan, self.logger) = (file, plan, logger)
    }

    func look(for engine: Engine, at now: Timestamp) {
        guard !isReading else { return }
        switch file.look(FileStamp(file.path)) {
        case .tell(let complaints): for line in complaints { logger.error("\(line)") }
        case .take: take(for: engine, at: now)
        }
    }

    /// Applies the changed file to the server; if it has mistakes, logs them and keeps the last good version.
    private func take(for engine: Engine, at now: Timestamp) {
        isReading = true
        let (path, plan, preparation) = (file.path, plan, engine.reloadPreparation)
        engine.runJob(at: now) {
            Self.read(path, plan, preparation, at: now)
        } then: { [self] engine, outcome, now in
            isReading = false
            switch outcome.take() {
            case .success(let prepared):
                let reloaded = engine.adopt(prepared, at: now)
                logger.notice("\(Messages.reloaded(path, isEntire: reloaded == .entirely))")
            case .failure(let mistakes): file.took(mistakes.lines)
            }
        }
    }

    private struct Mistakes: Error { let lines: [String] }

    /// Reads and evaluates the file; it depends only on the file and its arguments, so any thread may call it.
    private static func read(
        _ path: String, _ plan: ScenarioPlan, _ preparation: Engine.ReloadPreparation, at now: Timestamp
    ) -> Result<Engine.PreparedScenario, Mistakes> {
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes)
        } catch {
            return .failure(Mistakes(lines: [error.message]))
        }
        let mistakes: String
        do {
            return .success(try preparation.prepare(plan.read(bytes, file: path), at: now))
        } catch let errors as ScenarioErrors {
            mistakes = errors.description
        } catch let error as PlantError {
            mistakes = plan.locate(error, in: bytes, file: path)
        } catch {
            preconditionFailure("Reading and preparing must not throw any other error: \(error)")
        }
        return .failure(
            Mistakes(lines: [Messages.lastGoodStays(path)] + mistakes.split(separator: "\n").map(String.init)))
    }
}

/// A file that is checked repeatedly and reloaded after a change.
struct WatchedFile {
    let path: String
    /// The file's stamp at the last check, or initially its stamp before it was read.
    var seen: FileStamp?
    private(set) var complaints: [String] = []

    enum Step: Equatable {
        /// The file has changed; read it, and call ``took(_:)`` with the mistakes in it.
        case take
        /// The file has not changed; report these lines, if any.
        case tell([String])
    }

    /// Checks the file.
    ///
    /// A problem is reported only once, and only if it persists at the next check. So a half-written file, or one that
    /// is missing while an editor replaces it, is not reported.
    ///
    /// - Parameter stamp: the file's current stamp, or nil if the file is missing.
    mutating func look(_ stamp: FileStamp?) -> Step {
        guard stamp == seen else {
            seen = stamp
            complaints = stamp == nil ? [Messages.vanished(path)] : []
            return stamp == nil ? .tell([]) : .take
        }
        defer { complaints = [] }
        return .tell(complaints)
    }

    mutating func took(_ complaints: [String]) { self.complaints = complaints }
}
