import ArgumentParser
import FitIQAPI
import Hosting
import Logging
import MockServer
import Proxy
import Sockets
import TLS
import Traffic

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Stand between clients and a real server, and record what they say, until Ctrl-C.",
        discussion: """
            A reverse proxy for REST and WebSocket: point the app at it in place of the server. The file is HAR 1.2, and opens \
            at any time; 'fitiq-mock replay' serves it again. Bodies and frames pass untouched, so a URL of the server's in one of \
            them still leads there, past the recording. Each option can also be set in the environment.
            """)

    @OptionGroup var options: RecordOptions

    func run() throws {
        let served = options.served
        let logger = try served.logger()
        defer { StandardOutput.excuse(logger) }
        let upstream = try upstream(served)
        guard let output = try served.nonEmpty(options.output, "OUTPUT", "--output") else {
            throw Failure.configuration(Messages.noOutput)
        }
        let trust = try trust(served, upstream)
        var limits = RelayLimits()
        fitDescriptors(&limits, logger)
        let address = try served.address()
        // Before any file is created.
        let readyFile = try served.claimReadyFile()
        let secure = try served.secure(besides: address)
        if let secure {
            for warning in served.warnings(of: secure.listening, ca: secure.ca, at: FitIQMock.now) {
                logger.warning("\(warning)")
            }
        }
        let proxy = try open { () throws(StartError) in
            try ProxyHost(
                listeningOn: address, secure: secure?.listening, upstream: upstream, trust: trust, limits: limits,
                logger: logger)
        }
        // Only once everything else is in order: a replaced file is gone.
        let tap = try tap(output, logger)
        proxy.tap = tap

        let running = RunningProxy(proxy, output: output, caPath: secure?.ca)
        do throws(Failure) {
            try readyFile?.write(running.readyFile(processID: CurrentProcess.identifier))
        } catch {
            tap.discard()
            throw error
        }
        // From here on the replaced file is no longer needed.
        tap.write()
        let keepsSecrets = try Settings.flag(options.keepSecrets, "KEEP_SECRETS")
        print(running.banner(program: ProgramName.asTyped, keepsSecrets: keepsSecrets), terminator: "")
        StandardOutput.excuse(logger)
        var conclusions = Conclusions(logger)
        conclusions.add { () throws(Failure) in
            do throws(SocketError) {
                // A second signal cuts answers off; the recording is completed all the same.
                _ = try proxy.run()
            } catch {
                throw .running(error.description)
            }
        }
        readyFile?.remove()
        conclusions.add { () throws(Failure) in try tap.conclude(output, of: "proxy") }
        try conclusions.tell()
    }

    private func upstream(_ served: ServeOptions) throws(Failure) -> UpstreamURL {
        guard let text = try served.nonEmpty(options.upstream, "UPSTREAM", "--upstream") else {
            throw .configuration(Messages.noUpstream)
        }
        do throws(UpstreamURL.Refusal) {
            return try UpstreamURL(text)
        } catch {
            throw .configuration("\(error.description).")
        }
    }

    private func trust(_ served: ServeOptions, _ upstream: UpstreamURL) throws(Failure) -> TLSTrust {
        guard let path = try served.nonEmpty(options.upstreamCa, "UPSTREAM_CA", "--upstream-ca") else { return .system }
        guard upstream.isSecure else { throw .configuration(Messages.authorityWithoutTLS(upstream.description)) }
        let pem = try InputFile.read(path, limit: TLSLimits.pemFile, orInherited: true)
        do throws(TLSError) {
            // Checked here to report an error with the file's name.
            _ = try TLSContext.client(trust: .only(pem))
        } catch {
            throw .configuration(Messages.inMaterial(path, error))
        }
        return .systemAnd(pem)
    }

    private func fitDescriptors(_ limits: inout RelayLimits, _ logger: Logger) {
        let descriptors = CurrentProcess.raiseFileDescriptorLimit(to: limits.descriptors)
        guard descriptors < limits.descriptors else { return }
        limits.fit(descriptors: descriptors)
        logger.notice("\(Messages.fewDescriptors(descriptors, connections: limits.connections))")
    }

    private func open(_ make: () throws(StartError) -> ProxyHost) throws(Failure) -> ProxyHost {
        do {
            let proxy = try make()
            try proxy.stopOnSignals([SIGINT, SIGTERM])
            return proxy
        } catch StartError.configuration(let message) {
            // The upstream is the proxy itself.
            throw .configuration("\(message) (--port, --upstream)")
        } catch let error as StartError {
            throw .configuration(Messages.notStarted(error))
        } catch {
            throw .configuration("\(error)")
        }
    }

    private func tap(_ output: String, _ logger: Logger) throws(Failure) -> SessionTap {
        var settings = SessionRecorder.Settings(creatorVersion: Version.current)
        settings.keepsSecrets = try Settings.flag(options.keepSecrets, "KEEP_SECRETS")
        let replaces = try Settings.flag(options.overwrite, "OVERWRITE")
        do throws(FileError) {
            return try SessionTap(
                settings, to: output, existing: replaces ? .replace : .refuse, program: "proxy", logger: logger)
        } catch {
            guard error.exists else { throw .configuration(error.description + ".") }
            // The obstacle may be another file next to the output.
            throw .configuration(
                error.path == output ? Messages.outputExists(output) : Messages.recordingExists(error.path))
        }
    }
}
