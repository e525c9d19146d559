import ArgumentParser
import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Scenarios
import Sockets

/// The options of the commands that serve: `serve` and `replay`.
///
/// Each can also be set in the environment; `ServeOptions+Values.swift` combines both.
struct ServeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 picks a free one. (default: 8080)", valueName: "number"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The address to listen on; 0.0.0.0 or :: for all. (default: 127.0.0.1)", valueName: "address"))
    var host: String?

    @Flag(help: "Serve https and wss as well, on a port of their own; see 'fitiq-mock certificate'.")
    var tls = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port for TLS; 0 picks a free one. (default: 8443)", valueName: "number"))
    var tlsPort: UInt16?

    @Option(
        help: ArgumentHelp(
            "The certificate for TLS, with those between it and its CA, as PEM. (default: one for localhost)",
            valueName: "path"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of --certificate, as PEM.", valueName: "path"))
    var key: String?

    @Option(
        help: ArgumentHelp("Write what is served to this file, as HAR, while it happens.", valueName: "path"))
    var record: String?

    @Flag(help: "Record tokens, keys, cookies and e-mail addresses as they are; without it they become placeholders.")
    var keepSecrets = false

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
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            """
            Let web pages of this origin write and open WebSockets: http://localhost:3000, null for pages without one, * for \
            any page of the web; may be repeated. (default: the server's own)
            """, valueName: "origin"))
    var allowedOrigins: [String] = []

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
}

/// The options' values, including the environment.
extension ServeOptions {
    func plan() throws(Failure) -> ScenarioPlan {
        var plan = ScenarioPlan()
        if let name = try nonEmpty(scenario, "SCENARIO", "--scenario") { plan.source = try ScenarioSource(name) }
        if let path = try nonEmpty(importFile, "IMPORT", "--import") { plan.state = try .init(path) }
        let number = "a whole number from 0 to 18446744073709551615"
        plan.seed = try Settings.value(seed, "SEED", expected: number)
        plan.guide = try guideMode()
        plan.clock = try clockChoice()
        return plan
    }

    /// The scenario's file if it is watched, with its stamp before it is read.
    func watchedFile(of plan: ScenarioPlan) throws(Failure) -> WatchedFile? {
        guard try Settings.flag(watch, "WATCH") else { return nil }
        guard case .file(let path) = plan.source else { throw .configuration(Messages.watchWithoutFile) }
        return WatchedFile(path: path, seen: FileStamp(path))
    }

    func engineConfiguration(_ scenario: Scenario) throws(Failure) -> Engine.Configuration {
        var configuration = Engine.Configuration(
            pace: try Settings.flag(instant, "INSTANT") ? .instant : .human,
            apiKey: try fieldValue(apiKey, "API_KEY", "--api-key") ?? DevelopmentCredentials.apiKey,
            jwtSecret: try nonEmpty(jwtSecret, "JWT_SECRET", "--jwt-secret") ?? DevelopmentCredentials.jwtSecret,
            adminToken: try fieldValue(adminToken, "ADMIN_TOKEN", "--admin-token"))
        configuration.allowedOrigins = try Settings.allowedOrigins(allowedOrigins)
        configuration.adopt(scenario)
        return configuration
    }

    func address() throws(Failure) -> SocketAddress {
        let port = try Settings.value(port, "PORT", expected: "a port from 0 to 65535") ?? 8080
        let host = try nonEmpty(host, "HOST", "--host") ?? "127.0.0.1"
        do throws(SocketError) {
            return try SocketAddress(host: host, port: port)
        } catch {
            throw .configuration(error.description)
        }
    }

    /// The ready file, if requested, at a path that is free for it.
    func claimReadyFile() throws(Failure) -> ReadyFile? {
        guard let path = try nonEmpty(readyFile, "READY_FILE", "--ready-file") else { return nil }
        return try ReadyFile(at: path)
    }

    /// Where the state is written after the server has stopped, if requested.
    func exportPath() throws(Failure) -> String? { try nonEmpty(exportOnExit, "EXPORT_ON_EXIT", "--export-on-exit") }

    /// The log, on standard error.
    func logger() throws(Failure) -> Logger {
        let text = Settings.text(logLevel, "LOG_LEVEL") ?? "notice"
        guard let level = Logger.Level(rawValue: text) else {
            throw .configuration(Messages.unknownLogLevel(text, allowed: Logger.Level.allCases.map(\.rawValue)))
        }
        var logger = Logger(label: "fitiq-mock", factory: { _ in LineLog() })
        logger.logLevel = level
        return logger
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

    /// An option or its environment variable; empty is a mistake.
    func nonEmpty(_ option: String?, _ name: String, _ label: String) throws(Failure) -> String? {
        let value = Settings.text(option, name)
        guard value != "" else { throw .configuration(Messages.empty(label)) }
        return value
    }

    /// An option that clients send as a header field value, which cannot have surrounding spaces or control characters.
    private func fieldValue(_ option: String?, _ name: String, _ label: String) throws(Failure) -> String? {
        guard let value = try nonEmpty(option, name, label) else { return nil }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value.first != " ", value.last != " " else {
            throw .configuration(Messages.notAFieldValue(label))
        }
        return value
    }
}

/// The origins of pages that may be clients, for `verify` and `test-client`: a client in a browser has its own origin.
struct OriginOptions: ParsableArguments {
    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let web pages of this origin write and open WebSockets, as with serve; may be repeated.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    /// The origins, or those of the environment if no option is given.
    func read() throws(Failure) -> Set<AllowedOrigin> { try Settings.allowedOrigins(allowedOrigins) }
}
