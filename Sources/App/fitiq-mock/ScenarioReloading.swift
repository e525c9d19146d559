import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Scenarios

/// `--watch`: looks at the scenario's file twice a second, and has the server follow it.
///
/// Only the look and the change of scenario are on the loop; reading the file, and the session that it names, goes beside it.
final class ScenarioReloading {
    private let plan: ScenarioPlan
    private let logger: Logger
    private var file: WatchedFile
    /// Whether the file is being read: then nothing is looked at.
    private var isReading = false

    static let interval = Duration.milliseconds(500)

    /// - Parameter file: as it was before it was read first.
    init(_ file: WatchedFile, plan: ScenarioPlan, logger: Logger) {
        self.file = file
        self.plan = plan
        self.logger = logger
    }

    /// Looks at the file, and takes it where it has changed.
    func look(for engine: Engine, at now: Timestamp) {
        guard !isReading else { return }
        switch file.look(FileStamp(file.path)) {
        case .tell(let complaints): for line in complaints { logger.error("\(line)") }
        case .take: take(for: engine, at: now)
        }
    }

    /// Has the server follow the file; what is wrong with it is noted, and the last good one stays.
    private func take(for engine: Engine, at now: Timestamp) {
        isReading = true
        let (path, plan, preparation) = (file.path, plan, engine.reloadPreparation)
        engine.beside(at: now) {
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

    /// What is wrong with the file.
    private struct Mistakes: Error {
        let lines: [String]
    }

    /// Reads the file and works it out; a function of the file and its arguments, for any thread.
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
            preconditionFailure("Neither reading nor preparing throws anything else: \(error)")
        }
        return .failure(
            Mistakes(lines: [Messages.lastGoodStays(path)] + mistakes.split(separator: "\n").map(String.init)))
    }
}

/// A file that is looked at again and again, and taken when it has changed.
struct WatchedFile {
    let path: String
    private var seen: FileStamp?
    private var complaints: [String] = []

    /// - Parameter seen: the file as it was before it was read first.
    init(path: String, seen: FileStamp?) {
        self.path = path
        self.seen = seen
    }

    /// What is to be done after a look.
    enum Step: Equatable {
        /// The file has changed: it is to be read, and ``took(_:)`` to be called with what is wrong with it.
        case take
        /// It has not: these lines are to be told, if there are any.
        case tell([String])
    }

    /// Looks at the file.
    ///
    /// What is wrong with it is told once, and only when it has stayed so from one look to the next. That a file is half
    /// written, or gone while an editor puts another into its place, is no news.
    ///
    /// - Parameter stamp: the file as it is now; nil where there is none.
    mutating func look(_ stamp: FileStamp?) -> Step {
        guard stamp == seen else {
            seen = stamp
            complaints = stamp == nil ? [Messages.vanished(path)] : []
            return stamp == nil ? .tell([]) : .take
        }
        defer { complaints = [] }
        return .tell(complaints)
    }

    /// Takes note of what is wrong with the file that was taken.
    mutating func took(_ complaints: [String]) { self.complaints = complaints }
}
