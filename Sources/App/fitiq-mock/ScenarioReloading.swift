import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Scenarios

/// `--watch`: checks the scenario's file twice a second, and updates the server.
///
/// Only the check and the update run on the loop; reading the file and its session runs on another thread.
final class ScenarioReloading {
    private let plan: ScenarioPlan
    private let logger: Logger
    private var file: WatchedFile
    /// Whether the file is being read; checks pause meanwhile.
    private var isReading = false

    static let interval = Duration.milliseconds(500)

    /// - Parameter file: its state before it was first read.
    init(_ file: WatchedFile, plan: ScenarioPlan, logger: Logger) {
        self.file = file
        self.plan = plan
        self.logger = logger
    }

    /// Checks the file, and reloads it if it has changed.
    func look(for engine: Engine, at now: Timestamp) {
        guard !isReading else { return }
        switch file.look(FileStamp(file.path)) {
        case .tell(let complaints): for line in complaints { logger.error("\(line)") }
        case .take: take(for: engine, at: now)
        }
    }

    /// Makes the server follow the file; mistakes in it are logged, and the last good version stays.
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

    /// The mistakes in the file.
    private struct Mistakes: Error {
        let lines: [String]
    }

    /// Reads and evaluates the file; a function of the file and its arguments, for any thread.
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

/// A file that is checked repeatedly, and reloaded when it has changed.
struct WatchedFile {
    let path: String
    private var seen: FileStamp?
    private var complaints: [String] = []

    /// - Parameter seen: the file's stamp before it was first read.
    init(path: String, seen: FileStamp?) {
        self.path = path
        self.seen = seen
    }

    enum Step: Equatable {
        /// The file has changed: read it, and call ``took(_:)`` with the mistakes in it.
        case take
        /// It has not changed: report these lines, if any.
        case tell([String])
    }

    /// Checks the file.
    ///
    /// A problem is reported once, and only if it persists from one check to the next: a file that is half written, or
    /// missing while an editor replaces it, is not reported.
    ///
    /// - Parameter stamp: The file's current stamp; nil if the file is missing.
    mutating func look(_ stamp: FileStamp?) -> Step {
        guard stamp == seen else {
            seen = stamp
            complaints = stamp == nil ? [Messages.vanished(path)] : []
            return stamp == nil ? .tell([]) : .take
        }
        defer { complaints = [] }
        return .tell(complaints)
    }

    /// Records the mistakes in the file that was read.
    mutating func took(_ complaints: [String]) { self.complaints = complaints }
}
