import ArgumentParser
import Hosting
import Logging
import MockServer
import Sockets
import Traffic

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        // Finding the name in the type takes a tenth of the time of a start. The name of the program keeps ArgumentParser
        // from looking for requests of completion scripts, which only the root has.
        commandName: "serve", _superCommandName: "fitiq-mock",
        abstract: "Serve the fake backend until Ctrl-C.",
        discussion: "Each option can also be set in the environment, --ready-file as FITIQ_MOCK_READY_FILE and so on.")

    @OptionGroup var options: ServeOptions

    func run() throws { try ServerLauncher(options).run() }
}

/// `serve --record`: what the fake serves, written to a file as it happens.
struct ServeRecording {
    let path: String
    private let tap: SessionTap
    /// Paths that do not belong to the backend that the fake stands for.
    private static let excludedPaths = ["/__admin", "/health", "/ready", "/docs", "/openapi.yaml", "/asyncapi.yaml"]

    /// Creates the file, which must not exist.
    init(to path: String, keepsSecrets: Bool, logger: Logger) throws(Failure) {
        var settings = SessionRecorder.Settings(creatorVersion: Version.current)
        settings.keepsSecrets = keepsSecrets
        settings.excludedPaths = Self.excludedPaths
        self.path = path
        do throws(FileError) {
            tap = try SessionTap(settings, to: path, existing: .refuse, program: "server", logger: logger)
        } catch {
            throw .configuration(error.exists ? Messages.recordingExists(error.path) : error.description + ".")
        }
    }

    /// Attaches the recording to all connections of a server.
    func readAlong(on server: Host) { server.tap = tap }

    /// Removes the file, for a server that cannot start after all.
    func discard() { tap.discard() }
    /// Completes the file, and reports what is in it.
    func finish() throws(Failure) { try tap.conclude(path, of: "server") }
}

extension ServeOptions {
    /// The recording, if requested.
    func recording(_ logger: Logger) throws(Failure) -> ServeRecording? {
        let keepsSecrets = try host.keepsSecrets()
        guard let path = try Settings.nonEmpty(record, "RECORD") else {
            // In the environment it may be meant for 'record'.
            guard !host.keepSecrets else { throw .configuration(Messages.onlyWithRecord("--keep-secrets")) }
            return nil
        }
        return try ServeRecording(to: path, keepsSecrets: keepsSecrets, logger: logger)
    }
}

extension SessionTap {
    /// Completes a program's recording, and reports what is in it.
    func conclude(_ path: String, of program: String) throws(Failure) {
        let summary = finish(at: FitIQMock.now)
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
