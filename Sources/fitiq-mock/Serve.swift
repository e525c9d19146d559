import ArgumentParser
import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        // Named, because working the name out of the type takes a tenth of the time to start.
        commandName: "serve",
        abstract: "Serve the fake backend until Ctrl-C.",
        discussion: "Each option can also be set in the environment, --ready-file as FITIQ_MOCK_READY_FILE and so on.")

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 picks a free one. (default: 8080)", valueName: "number"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The address to listen on; 0.0.0.0 or :: for all. (default: 127.0.0.1)", valueName: "address"))
    var host: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Decides every id and every pace: same seed and requests, same answers. (default: 1)", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            Answer exactly as one guide says: consultation-websocket, enhanced-consultations, goal-linking, \
            websocket-architecture or meal-log-websocket. (default: union, which satisfies all)
            """, valueName: "name"))
    var guide: String?

    @Flag(help: "Stream answers and work meals out without artificial delays.")
    var instant = false

    @Option(
        help: ArgumentHelp("The X-API-Key to ask for. (default: \(DevelopmentCredentials.apiKey))", valueName: "key"))
    var apiKey: String?

    @Option(help: ArgumentHelp("The secret that tokens are signed with. (default: a fixed one)", valueName: "secret"))
    var jwtSecret: String?

    @Option(
        help: ArgumentHelp(
            "Write url, ws_url, api_key, token, guide and pid as JSON to this file once the server accepts.",
            valueName: "path"
        ))
    var readyFile: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info (a line for each request), notice, warning, error or critical. (default: notice)",
            valueName: "level"))
    var logLevel: String?

    func run() throws {
        let logger = try makeLogger()
        var configuration = try engineConfiguration()
        let descriptors = CurrentProcess.raiseFileDescriptorLimit(to: configuration.limits.descriptors)
        if descriptors < configuration.limits.descriptors {
            configuration.limits.fit(descriptors: descriptors)
            logger.notice("\(Messages.fewDescriptors(descriptors, connections: configuration.limits.connections))")
        }
        let readyFile = try nonEmpty(readyFile, "READY_FILE", "--ready-file")
        // One that an earlier server left would send whoever waits for it to the wrong place.
        if let readyFile { unlink(readyFile) }
        let server = try open(configuration)
        do throws(SocketError) {
            try server.stopOnSignals([SIGINT, SIGTERM])
        } catch {
            throw Failure.configuration(error.description)
        }
        server.engine.log(to: logger)

        let running = RunningServer(server.engine)
        if let readyFile {
            try AtomicFile.write(running.readyFile(processID: CurrentProcess.identifier), to: readyFile)
        }
        print(Banner(server: running, program: ProgramName.asTyped).text, terminator: "")
        fflush(nil)
        try serve(server)
        if let readyFile { unlink(readyFile) }
    }

    private func engineConfiguration() throws(Failure) -> Engine.Configuration {
        let number = "a whole number from 0 to 18446744073709551615"
        return Engine.Configuration(
            seed: try Settings.value(seed, "SEED", expected: number) ?? 1,
            pace: try Settings.flag(instant, "INSTANT") ? .instant : .human,
            mode: try guideMode(),
            apiKey: try fieldValue(apiKey, "API_KEY", "--api-key") ?? DevelopmentCredentials.apiKey,
            jwtSecret: try nonEmpty(jwtSecret, "JWT_SECRET", "--jwt-secret") ?? DevelopmentCredentials.jwtSecret)
    }

    private func guideMode() throws(Failure) -> GuideMode {
        guard let name = Settings.text(guide, "GUIDE") else { return .union }
        guard let mode = GuideMode(rawValue: name) else { throw .configuration(Messages.unknownGuide(name)) }
        return mode
    }

    private func open(_ configuration: Engine.Configuration) throws(Failure) -> Host {
        let port = try Settings.value(port, "PORT", expected: "a port from 0 to 65535") ?? 8080
        let host = try nonEmpty(host, "HOST", "--host") ?? "127.0.0.1"
        let address: SocketAddress
        do throws(SocketError) {
            address = try SocketAddress(host: host, port: port)
        } catch {
            throw .configuration(error.description)
        }
        do throws(Host.StartError) {
            return try Host(listeningOn: address, configuration: configuration)
        } catch {
            throw .configuration(error.description)
        }
    }

    private func serve(_ server: Host) throws(Failure) {
        let stoppedInOrder: Bool
        do throws(SocketError) {
            stoppedInOrder = try server.run()
        } catch {
            throw .running(error.description)
        }
        guard stoppedInOrder else { throw .running(Messages.forced) }
    }

    private func nonEmpty(_ option: String?, _ name: String, _ label: String) throws(Failure) -> String? {
        let value = Settings.text(option, name)
        guard value != "" else { throw .configuration(Messages.empty(label)) }
        return value
    }

    /// An option that clients send as a field's value, which no field can bring with spaces around it or controls inside.
    private func fieldValue(_ option: String?, _ name: String, _ label: String) throws(Failure) -> String? {
        guard let value = try nonEmpty(option, name, label) else { return nil }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value.first != " ", value.last != " " else {
            throw .configuration(Messages.notAFieldValue(label))
        }
        return value
    }

    private func makeLogger() throws(Failure) -> Logger {
        let text = Settings.text(logLevel, "LOG_LEVEL") ?? "notice"
        guard let level = Logger.Level(rawValue: text) else {
            throw .configuration(Messages.unknownLogLevel(text, allowed: Logger.Level.allCases.map(\.rawValue)))
        }
        var logger = Logger(label: "fitiq-mock", factory: { _ in LineLog() })
        logger.logLevel = level
        return logger
    }
}
