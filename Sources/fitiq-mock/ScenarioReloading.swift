import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Scenarios

/// `--watch`: looks at the scenario's file twice a second, and has the server follow it.
struct ScenarioReloading {
    private let plan: ScenarioPlan
    private let logger: Logger
    private var file: WatchedFile

    static let interval = Duration.milliseconds(500)

    /// - Parameter file: as it was before it was read first.
    init(_ file: WatchedFile, plan: ScenarioPlan, logger: Logger) {
        self.file = file
        self.plan = plan
        self.logger = logger
    }

    /// Looks at the file, and takes it where it has changed.
    mutating func look(for engine: Engine, at now: Timestamp) {
        let path = file.path
        let complaints = file.look(FileStamp(path)) { [self] in take(path, engine, at: now) }
        for line in complaints { logger.error("\(line)") }
    }

    /// Has the server follow the file; what is wrong with it is returned, and the last good one stays.
    private func take(_ path: String, _ engine: Engine, at now: Timestamp) -> [String] {
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes)
        } catch {
            return [error.message]
        }
        let mistakes: String
        do {
            let scenario = try plan.read(bytes, file: path)
            let reloaded = try engine.reload(scenario, at: now)
            logger.notice("\(Messages.reloaded(path, isEntire: reloaded == .entirely))")
            return []
        } catch let errors as ScenarioErrors {
            mistakes = errors.description
        } catch let error as PlantError {
            mistakes = plan.locate(error, in: bytes, file: path)
        } catch {
            preconditionFailure("Neither reading nor reloading throws anything else: \(error)")
        }
        return [Messages.lastGoodStays(path)] + mistakes.split(separator: "\n").map(String.init)
    }
}
