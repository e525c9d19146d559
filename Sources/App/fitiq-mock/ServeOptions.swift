import ArgumentParser
import FitIQAPI
import FitIQBackend
import Hosting
import Logging
import MockServer
import Scenarios
import Sockets
import TLS
import Text

/// The options of `serve` and `replay`, besides ``HostOptions``.
///
/// `serve` also has ``DataOptions``.
///
/// The environment can also set each option.
struct ServeOptions: ParsableArguments {
    @Option("Record the traffic to this file, as HAR, while the server runs.", "path", .file())
    var record: String?

    @Option(
        "The random seed for ids and timing: the same seed and requests give the same answers. (default: "
            + "1)", as: .seed)
    var seed: UInt64?

    @Option(
        "Follow one guide exactly: consultation-websocket, enhanced-consultations, goal-linking, "
            + "websocket-architecture or meal-log-websocket. (default: union, which satisfies all guides)",
        "name", .guides)
    var guide: String?

    @Option(
        "The scenario: a built-in one (see 'fitiq-mock scenarios') or a file. (default: default)", "name|file",
        .scenarios)
    var scenario: String?

    @Flag(help: "Show the traffic as it happens, as 'fitiq-mock watch' does.")
    var watchTraffic = false

    @Option(
        "The clock: real, or manual, which stands still until POST /__admin/clock moves it. (default: real)", "mode",
        .values(of: ScenarioPlan.ClockChoice.self))
    var clock: String?

    @Option("The network between clients and worlds: \(Settings.networks). (default: none)", "name", .networks)
    var network: String?

    @Option(
        "Compress WebSocket messages and answers, for clients that accept it: off, on or required. (default: off)",
        "mode", .values(of: Compression.self))
    var compression: String?

    @Flag(help: "Stream answers and process meals without artificial delays.")
    var instant = false

    @Option("The X-API-Key that clients must send. (default: \(DevelopmentCredentials.apiKey))", "key")
    var apiKey: String?

    @Option("The secret for signing tokens. (default: a fixed secret)", "secret")
    var jwtSecret: String?

    @Option(
        "The token that the admin API requires as X-Admin-Token. (default: none, and only this machine may call it)",
        "token")
    var adminToken: String?

    @Option(
        "Let web pages from this origin change data and open WebSockets: http://localhost:3000, null for pages without "
            + "an origin, file:// for files (Electron, Cordova), * for any web page; may be repeated. (default: the "
            + "server's own)", "origin", name: .customLong("allow-origin"))
    var allowedOrigins: [String] = []

    @Option(
        "Like --allow-origin, and also let these pages read the answers (CORS), except the admin API's answers. "
            + "(default: the server's own)", "origin")
    var cors: [String] = []

    @Option("This server's name in a fleet; its worlds' ids begin with the name, as in n2-w17. (default: none)", "name")
    var node: String?

    @Option(
        "The URL at which clients reach this server through a proxy; world URLs begin with it. "
            + "Requires --admin-token.", "url"
    )
    var publicURL: String?

    @Flag(help: "Serve only worlds that POST /__admin/worlds creates; paths without a world prefix return 404.")
    var noDefaultWorld = false

    @Flag(help: "Ignore the header fields 'Prefer: code=' and 'X-Fake-Fault', which request a fault.")
    var strictHeaders = false

    func plan(_ data: DataOptions) throws(Failure) -> ScenarioPlan {
        var plan = ScenarioPlan()
        if let name = try Settings.nonEmpty(scenario, .scenario) { plan.source = try ScenarioSource(name) }
        if let path = try Settings.nonEmpty(data.importFile, .import) { plan.state = try .init(path) }
        plan.seed = try Settings.number(seed, .seed, as: .seed)
        plan.guide = try Settings.choice(guide, .guide)
        plan.clock = try Settings.choice(clock, .clock)
        plan.ids = try Settings.choice(data.ids, .ids)
        plan.network = try Settings.network(network)
        if let path = try Settings.nonEmpty(data.overlay, .overlay) {
            plan.overlay = try OverlayFile.read(path, isTyped: true)
        }
        plan.compression = try Settings.choice(compression, .compression)
        plan.upstream = try Settings.upstream(data.upstream)
        return plan
    }

    func engineConfiguration(_ scenario: Scenario) throws(Failure) -> Engine.Configuration {
        var configuration = Engine.Configuration(
            pace: try Settings.flag(instant, .instant) ? .instant : .human,
            apiKey: try Settings.fieldValue(apiKey, .apiKey) ?? DevelopmentCredentials.apiKey,
            jwtSecret: try Settings.nonEmpty(jwtSecret, .jwtSecret) ?? DevelopmentCredentials.jwtSecret,
            adminToken: try Settings.fieldValue(adminToken, .adminToken))
        configuration.allowedOrigins = try Settings.origins(allowedOrigins)
        configuration.readingOrigins = try Settings.origins(cors, .cors)
        configuration.node = try Settings.node(node)
        configuration.hasDefaultWorld = try !Settings.flag(noDefaultWorld, .noDefaultWorld)
        configuration.publicOrigin = try Settings.publicOrigin(publicURL)
        guard configuration.publicOrigin == nil || configuration.adminToken != nil else {
            throw .configuration(
                "--public-url requires an --admin-token: behind a proxy, every client appears to be on the "
                    + "proxy's machine, so anyone could call the admin API.")
        }
        configuration.upstreamCredentials = try Settings.upstreamCredentials()
        configuration.hasStrictHeaders = try Settings.flag(strictHeaders, .strictHeaders)
        configuration.adopt(scenario)
        return configuration
    }
}

/// The source and destination of the worlds' data; a replayed session has its own data.
struct DataOptions: ParsableArguments {
    @Flag(help: "Reload the scenario file when it changes; connections stay open.")
    var watch = false

    @Option(
        "The ids that requests may use: lower-case; any-case, which also accepts upper-case letters; or free, which "
            + "accepts any string, as scenarios do. (default: lower-case)", "case", .values(of: IDCase.self))
    var ids: String?

    @Option("The real server that requests are forwarded to, such as https://api.example.com. (default: none)", "url")
    var upstream: String?

    @Option(
        "Also trust the CAs in this PEM file, for an upstream with a certificate from your own CA.", "path", .file())
    var upstreamCa: String?

    @Option(
        "Imitate a real server with the changes in this file, which 'conform --accept' writes. (default: none)", "file",
        .scenarioFiles)
    var overlay: String?

    @Option(
        "At startup, import the state from this file, which --export-on-exit writes.", "path", .file(),
        name: .customLong("import"))
    var importFile: String?

    @Option("Write the server's state to this file when the server stops.", "path", .file())
    var exportOnExit: String?

    @Option("Save all worlds to this file, and restore them at the next start.", "path", .file())
    var state: String?

    /// The scenario's file if it is to be watched, with its stamp taken before it is read.
    func watchedFile(of plan: ScenarioPlan) throws(Failure) -> WatchedFile? {
        guard try Settings.flag(watch, .watch) else { return nil }
        guard case .file(let path) = plan.source else { throw .configuration(Messages.watchWithoutFile) }
        return WatchedFile(path: path, seen: FileStamp(path))
    }

    /// - Parameter upstream: the upstream that uses these certificates, if any.
    func upstreamTrust(for upstream: UpstreamURL?) throws(Failure) -> TLSTrust {
        guard let path = try Settings.nonEmpty(upstreamCa, .upstreamCa) else { return .system }
        return try RecordCommand.trust(upstream, path)
    }

    func statePath() throws(Failure) -> String? {
        guard let path = try Settings.nonEmpty(state, .state) else { return nil }
        guard Settings.text(importFile, .import) == nil else { throw .configuration(Messages.twoStates) }
        // SQLite does not treat a name that begins with a colon as the name of a file.
        return path.hasPrefix(":") ? "./" + path : path
    }

    func exportPath() throws(Failure) -> String? { try Settings.nonEmpty(exportOnExit, .exportOnExit) }
}

/// Opens a server with the options, announces it, serves until it is stopped, and cleans up.
///
/// `serve` and `replay` share this code. A mistake in any option is reported before files or sockets are opened.
struct ServerLauncher {
    let host: HostOptions
    let options: ServeOptions
    let data: DataOptions
    /// The requested scenario, whose state file has been read.
    let plan: ScenarioPlan
    let logger: Logger
    private let readyFile: ReadyFile?
    private let exportFile: String?
    private let statePath: String?

    init(_ host: HostOptions, _ options: ServeOptions, _ data: DataOptions) throws(Failure) {
        (self.host, self.options, self.data) = (host, options, data)
        logger = try host.logger()
        statePath = try data.statePath()
        plan = try options.plan(data)
        exportFile = try data.exportPath()
        if let exportFile { try orFailure(try WholeFile.check(exportFile), Failure.unwritten) }
        // Check this before creating anything.
        readyFile = try ReadyFile.claimed(host.readyFile)
    }

    /// Serves until stopped.
    ///
    /// - Parameters:
    ///   - configure: changes the engine's configuration. Called once, with the configuration that results from the
    ///     options.
    ///   - conclude: called when the server has stopped properly, even if its files could not be written. Its error
    ///     determines the exit code unless something failed earlier.
    func run(
        configure: (inout Engine.Configuration) throws(Failure) -> Void = { _ in },
        conclude: (Engine) throws(Failure) -> Void = { _ in }
    ) throws(Failure) {
        defer { StandardOutput.excuse(logger) }
        let watched = try data.watchedFile(of: plan)
        let showsTraffic = try Settings.flag(options.watchTraffic, .watchTraffic)
        var configuration = try options.engineConfiguration(plan.load())
        try configure(&configuration)
        for word in configuration.scenario.oldWords { logger.warning("The scenario's \(word.message)") }
        guard exportFile == nil || configuration.scenario.replay == nil else {
            throw .configuration(Messages.notWithSession("--export-on-exit"))
        }
        guard statePath == nil || configuration.scenario.replay == nil else {
            throw .configuration(Messages.notWithSession("--state"))
        }
        let upstream = configuration.scenario.upstream
        if let upstream, upstream.url == nil { throw .configuration(Messages.upstreamWithoutURL) }
        let trust = try data.upstreamTrust(for: upstream?.url)
        HostOptions.raiseDescriptors(for: &configuration.limits, share: upstream == nil ? 1 : 2, logger)
        let address = try host.address()
        let secure = try host.secure(besides: address, logger)
        var stateFile: StateFile?
        if let statePath {
            do throws(Refusal) {
                let file = try StateFile(statePath)
                stateFile = file
                if let warning = file.warning { logger.warning("\(warning)") }
                try configuration.keepState(in: file)
            } catch {
                throw .configuration(error.description)
            }
        }
        let server = try HostOptions.open(configuration, at: address, secure?.listening, trust) {
            (error) throws(Failure) in
            if case .configuration = error { try plan.checkData(of: configuration) }
        }
        // Remove the ready file last: once it is gone, every other file has been written.
        defer { readyFile?.remove() }
        server.engine.log(to: logger)
        let traffic = showsTraffic ? ServedTraffic(of: server.engine) : nil
        let reloading = watched.map { ScenarioReloading($0, plan: plan, logger: logger) }
        if traffic != nil || reloading != nil {
            server.schedule(every: ScenarioReloading.interval) { [engine = server.engine] now in
                reloading?.look(for: engine, at: now)
                traffic?.showBreaches(at: now)
            }
        }

        // Create the recording's file only when nothing else can fail.
        let recording = try options.recording(host, logger)
        server.tap = recording?.tap

        if let secure {
            for warning in secure.listening.warnings(ca: secure.ca, at: FitIQMock.now) { logger.warning("\(warning)") }
        }
        do throws(Failure) {
            let network = address.isUnspecified ? SocketAddress.ofLocalNetwork(port: server.address.port) : nil
            try announce(
                RunningServer(
                    engine: server.engine, url: server.loop.url, secureURL: server.loop.secureURL, caPath: secure?.ca,
                    recordingPath: recording?.path, statePath: statePath,
                    localNetworkURL: network.map { "http://\($0)" }))
        } catch {
            recording?.tap.discard()
            throw error
        }
        var conclusions = Conclusions(logger)
        let isInOrder = conclusions.add { () throws(Failure) in try serve(server) }
        traffic?.showBreaches()
        // Always do this, because the server's data still exists.
        conclusions.add { () throws(Failure) in
            defer { stateFile?.close() }
            try orFailure(try server.engine.saveAll()) { (error: Refusal) in .running(error.description) }
        }
        // Always do this, because the recording is valuable even if the server failed.
        if let (tap, path) = recording {
            conclusions.add { () throws(Failure) in try tap.conclude(path, of: "server", at: server.loop.time(.now())) }
        }
        if isInOrder {
            if let exportFile { conclusions.add { () throws(Failure) in try export(server, to: exportFile) } }
            conclusions.add { () throws(Failure) in try conclude(server.engine) }
        }
        try conclusions.tell()
    }

    private func announce(_ running: RunningServer) throws(Failure) {
        try readyFile?.write(running.readyFile(of: .current))
        print(Banner(server: running, program: ProgramName.asTyped).text, terminator: "")
        StandardOutput.excuse(logger)
    }

    private func serve(_ server: Host) throws(Failure) {
        let stoppedInOrder = try orFailure(try server.run()) { (error: SocketError) in .running(error) }
        guard stoppedInOrder else { throw .running(Messages.forced) }
    }

    private func export(_ server: Host, to path: String) throws(Failure) {
        let now = server.loop.time(.now())
        let state = try orFailure(try server.engine.exportState(at: now)) { (error: APIError) in
            .running(error.message)
        }
        // The state contains password hashes and refresh tokens.
        try orFailure(try WholeFile.write(state + [UInt8(ascii: "\n")], to: path, mode: 0o600), Failure.unwritten)
    }
}
