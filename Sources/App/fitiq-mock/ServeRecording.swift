import ArgumentParser
import FitIQAPI
import Hosting
import Logging
import MockServer
import Sockets
import Traffic

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        // Deriving the name from the type takes a tenth of the startup time. The program's name keeps ArgumentParser
        // from looking for requests for completion scripts, which only the root command handles.
        commandName: "serve", _superCommandName: "fitiq-mock", abstract: "Serve the fake backend until Ctrl-C.",
        discussion: "Each option can also be set in the environment, for example --ready-file as "
            + "FITIQ_MOCK_READY_FILE.")

    // Beside the others, not within them: ArgumentParser describes a group several times for each group around it.
    @OptionGroup var host: HostOptions
    @OptionGroup var options: ServeOptions
    @OptionGroup var data: DataOptions

    func run() throws { try ServerLauncher(host, options, data).run() }
}

extension ServeOptions {
    /// Paths that do not exist in the real backend.
    private static let unrecordedPaths = [
        "/__admin", "/health", "/ready", "/docs", "/openapi.yaml", "/asyncapi.yaml", "/llms.txt",
    ]

    /// The recording of `serve --record`, if requested, and its file, which must not exist yet.
    func recording(_ host: HostOptions, _ logger: Logger) throws(Failure) -> (tap: SessionTap, path: String)? {
        var settings = SessionRecorder.Settings(creatorVersion: Version.current)
        settings.keepsSecrets = try host.keepsSecrets()
        settings.excludedPaths = Self.unrecordedPaths
        guard let path = try Settings.nonEmpty(record, .record) else {
            // The environment variable may be meant for 'record'.
            guard !host.keepSecrets else { throw .configuration(Messages.requires("--record", "--keep-secrets")) }
            return nil
        }
        return (try SessionTap.begin(settings, to: path, of: "server", logger), path)
    }
}

extension SessionTap {
    /// Creates the file of a program's recording.
    ///
    /// - Parameter replacing: whether it may replace a file, or nil if the program has no such option.
    static func begin(
        _ settings: SessionRecorder.Settings, to path: String, of program: String, replacing: Bool? = nil,
        _ logger: Logger
    ) throws(Failure) -> SessionTap {
        do throws(FileError) {
            return try SessionTap(
                settings, to: path, existing: replacing == true ? .replace : .refuse, program: program, logger: logger)
        } catch {
            guard error.exists else { throw .file(error) }
            // The file that already exists may be a different one, next to the output.
            throw .configuration(
                replacing != nil && error.path == path
                    ? Messages.outputExists(path) : Messages.recordingExists(error.path))
        }
    }

    /// - Parameter time: the time by the loop's clock, which does not jump.
    func conclude(_ path: String, of program: String, at time: Timestamp) throws(Failure) {
        let summary = finish(at: time)
        switch summary.place {
        case .wanted:
            print(Messages.recorded(requests: summary.requests, sockets: summary.sockets, in: path))
            guard summary.isComplete else { throw .running(Messages.recordingIncomplete(path, program)) }
        case .beside(let other):
            print(Messages.recorded(requests: summary.requests, sockets: summary.sockets, in: other))
            throw .running(Messages.recordingDisplaced(path, other))
        case .gone: throw .running(Messages.recordingGone(path))
        }
    }
}
