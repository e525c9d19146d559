import ArgumentParser
import FitIQAPI
import FitIQBackend
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

    @Option(
        help: ArgumentHelp(
            "What happens: a built-in scenario (see 'fitiq-mock scenarios') or a file. (default: default)",
            valueName: "name|file"))
    var scenario: String?

    @Flag(help: "Follow the scenario's file when it changes; connections stay.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "real, or manual: time stands still until POST /__admin/clock moves it. (default: real)",
            valueName: "mode"))
    var clock: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp("Begin with the state in this file, as --export-on-exit writes it.", valueName: "path"))
    var importFile: String?

    @Option(
        help: ArgumentHelp(
            "Write everything that the server holds to this file when it has stopped.", valueName: "path"))
    var exportOnExit: String?

    @Flag(help: "Stream answers and work meals out without artificial delays.")
    var instant = false

    @Option(
        help: ArgumentHelp("The X-API-Key to ask for. (default: \(DevelopmentCredentials.apiKey))", valueName: "key"))
    var apiKey: String?

    @Option(help: ArgumentHelp("The secret that tokens are signed with. (default: a fixed one)", valueName: "secret"))
    var jwtSecret: String?

    @Option(
        help: ArgumentHelp(
            "What the admin API asks for as X-Admin-Token. (default: nothing, of this machine only)", valueName: "token"
        ))
    var adminToken: String?

    @Option(
        help: ArgumentHelp(
            "Write url, ws_url, api_key, token, guide, scenario and pid as JSON to this file once the server accepts.",
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
        let plan = try makePlan()
        var watched: WatchedFile?
        if try Settings.flag(watch, "WATCH") {
            guard case .file(let path) = plan.source else { throw Failure.configuration(Messages.watchWithoutFile) }
            watched = WatchedFile(path: path, seen: FileStamp(path))
        }
        var configuration = try engineConfiguration(plan.load())
        let descriptors = CurrentProcess.raiseFileDescriptorLimit(to: configuration.limits.descriptors)
        if descriptors < configuration.limits.descriptors {
            configuration.limits.fit(descriptors: descriptors)
            logger.notice("\(Messages.fewDescriptors(descriptors, connections: configuration.limits.connections))")
        }
        let readyFile = try nonEmpty(readyFile, "READY_FILE", "--ready-file")
        let exportFile = try nonEmpty(exportOnExit, "EXPORT_ON_EXIT", "--export-on-exit")
        // One that an earlier server left would send whoever waits for it to the wrong place.
        if let readyFile { unlink(readyFile) }
        let server = try open(configuration, plan)
        do throws(SocketError) {
            try server.stopOnSignals([SIGINT, SIGTERM])
        } catch {
            throw Failure.configuration(error.description)
        }
        server.engine.log(to: logger)
        if let watched {
            var reloading = ScenarioReloading(watched, plan: plan, logger: logger)
            server.every(ScenarioReloading.interval) { [engine = server.engine] now in
                reloading.look(for: engine, at: now)
            }
        }

        let running = RunningServer(server.engine)
        if let readyFile {
            try AtomicFile.write(running.readyFile(processID: CurrentProcess.identifier), to: readyFile)
        }
        print(Banner(server: running, program: ProgramName.asTyped).text, terminator: "")
        fflush(nil)
        try serve(server)
        if let readyFile { unlink(readyFile) }
        if let exportFile { try export(server.engine, to: exportFile) }
    }

    private func makePlan() throws(Failure) -> ScenarioPlan {
        var plan = ScenarioPlan()
        if let name = try nonEmpty(scenario, "SCENARIO", "--scenario") { plan.source = try ScenarioSource(name) }
        if let path = try nonEmpty(importFile, "IMPORT", "--import") { plan.state = try .init(path) }
        let number = "a whole number from 0 to 18446744073709551615"
        plan.seed = try Settings.value(seed, "SEED", expected: number)
        plan.guide = try guideMode()
        plan.clock = try clockChoice()
        return plan
    }

    private func engineConfiguration(_ scenario: Scenario) throws(Failure) -> Engine.Configuration {
        var configuration = Engine.Configuration(
            pace: try Settings.flag(instant, "INSTANT") ? .instant : .human,
            apiKey: try fieldValue(apiKey, "API_KEY", "--api-key") ?? DevelopmentCredentials.apiKey,
            jwtSecret: try nonEmpty(jwtSecret, "JWT_SECRET", "--jwt-secret") ?? DevelopmentCredentials.jwtSecret,
            adminToken: try fieldValue(adminToken, "ADMIN_TOKEN", "--admin-token"))
        configuration.adopt(scenario)
        return configuration
    }

    private func export(_ engine: Engine, to path: String) throws(Failure) {
        do throws(Failure) {
            try AtomicFile.write(engine.exportState(at: FitIQMock.now) + [UInt8(ascii: "\n")], to: path)
        } catch {
            // It had served already.
            throw .running(error.message)
        }
    }

    private func clockChoice() throws(Failure) -> ScenarioPlan.ClockChoice? {
        guard let name = Settings.text(clock, "CLOCK") else { return nil }
        guard let choice = ScenarioPlan.ClockChoice(rawValue: name) else {
            let allowed = ScenarioPlan.ClockChoice.allCases.map(\.rawValue)
            throw .configuration(Messages.unknownClock(name, allowed: allowed))
        }
        return choice
    }

    private func guideMode() throws(Failure) -> GuideMode? {
        guard let name = Settings.text(guide, "GUIDE") else { return nil }
        guard let mode = GuideMode(rawValue: name) else { throw .configuration(Messages.unknownGuide(name)) }
        return mode
    }

    private func open(_ configuration: Engine.Configuration, _ plan: ScenarioPlan) throws(Failure) -> Host {
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
            if case .scenario = error, let failure = try plan.troubleWithData(of: configuration) { throw failure }
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
