import FitIQAPI
import Hosting
import Logging
import MockServer
import Scenarios
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Opens a server by the options, announces it, serves until it is stopped, and cleans up.
///
/// Shared by `serve` and `replay`. A mistake in any option is reported before anything is opened.
struct ServerLauncher {
    let options: ServeOptions
    /// The requested scenario; its state file has been read.
    let plan: ScenarioPlan
    let logger: Logger
    private let readyFile: ReadyFile?
    private let exportFile: String?

    init(_ options: ServeOptions) throws(Failure) {
        self.options = options
        logger = try options.logger()
        plan = try options.plan()
        exportFile = try options.exportPath()
        // Before anything is created.
        readyFile = try options.claimReadyFile()
    }

    /// Serves until stopped.
    ///
    /// - Parameters:
    ///   - configure: changes the engine's configuration; called once, with the one from the options.
    ///   - conclude: called when the server has stopped properly, whether or not its files could be written; its error
    ///     decides the exit code, unless something failed before.
    func run(
        configure: (inout Engine.Configuration) throws(Failure) -> Void = { _ in },
        conclude: (Engine) throws(Failure) -> Void = { _ in }
    ) throws(Failure) {
        defer { StandardOutput.excuse(logger) }
        let watched = try options.watchedFile(of: plan)
        var configuration = try options.engineConfiguration(plan.load())
        try configure(&configuration)
        guard exportFile == nil || configuration.scenario.replay == nil else {
            throw .configuration(Messages.notWithSession("--export-on-exit"))
        }
        fitDescriptors(&configuration.limits)
        let address = try options.address()
        let secure = try options.secure(besides: address)
        let server = try open(configuration, address, secure?.listening)
        server.engine.log(to: logger)
        if let watched { follow(watched, server) }

        // Only once everything else is in order: it creates a file.
        let recording = try options.recording(logger)
        recording?.readAlong(on: server)

        if let secure {
            for warning in options.warnings(of: secure.listening, ca: secure.ca, at: FitIQMock.now) {
                logger.warning("\(warning)")
            }
        }
        do throws(Failure) {
            try announce(RunningServer(server.engine, caPath: secure?.ca, recordingPath: recording?.path))
        } catch {
            recording?.discard()
            throw error
        }
        var conclusions = Conclusions(logger)
        let isInOrder = conclusions.add { () throws(Failure) in try serve(server) }
        // In any case: the recording is valuable however the server ended.
        if let recording { conclusions.add { () throws(Failure) in try recording.finish() } }
        if isInOrder {
            if let exportFile { conclusions.add { () throws(Failure) in try export(server.engine, to: exportFile) } }
            conclusions.add { () throws(Failure) in try conclude(server.engine) }
        }
        try conclusions.tell()
    }

    private func fitDescriptors(_ limits: inout ServerLimits) {
        let descriptors = CurrentProcess.raiseFileDescriptorLimit(to: limits.descriptors)
        guard descriptors < limits.descriptors else { return }
        limits.fit(descriptors: descriptors)
        logger.notice("\(Messages.fewDescriptors(descriptors, connections: limits.connections))")
    }

    private func open(
        _ configuration: Engine.Configuration, _ address: SocketAddress, _ secure: SecureEndpoint?
    ) throws(Failure) -> Host {
        let server: Host
        do throws(StartError) {
            server = try Host(listeningOn: address, secure: secure, configuration: configuration)
        } catch {
            if case .configuration = error, let failure = try plan.troubleWithData(of: configuration) { throw failure }
            throw .configuration(Messages.notStarted(error))
        }
        do throws(SocketError) {
            try server.stopOnSignals([SIGINT, SIGTERM])
        } catch {
            throw .configuration(error.description)
        }
        return server
    }

    private func follow(_ watched: WatchedFile, _ server: Host) {
        let reloading = ScenarioReloading(watched, plan: plan, logger: logger)
        server.every(ScenarioReloading.interval) { [engine = server.engine] now in
            reloading.look(for: engine, at: now)
        }
    }

    private func announce(_ running: RunningServer) throws(Failure) {
        try readyFile?.write(running.readyFile(processID: CurrentProcess.identifier))
        print(Banner(server: running, program: ProgramName.asTyped).text, terminator: "")
        StandardOutput.excuse(logger)
    }

    private func serve(_ server: Host) throws(Failure) {
        defer { readyFile?.remove() }
        let stoppedInOrder: Bool
        do throws(SocketError) {
            stoppedInOrder = try server.run()
        } catch {
            throw .running(error.description)
        }
        guard stoppedInOrder else { throw .running(Messages.forced) }
    }

    private func export(_ engine: Engine, to path: String) throws(Failure) {
        do {
            try WholeFile.write(engine.exportState(at: FitIQMock.now) + [UInt8(ascii: "\n")], to: path)
        } catch let error as FileError {
            throw .running(error.description + ".")
        } catch let error as APIError {
            throw .running(error.message)
        } catch {
            preconditionFailure("Neither exporting nor writing throws anything else: \(error)")
        }
    }
}
