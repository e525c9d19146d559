import FitIQAPI
import FitIQBackend
import Logging
import MockServer
import Scenarios
import Sockets

/// What the options say, the environment included.
extension ServeOptions {
    /// Which scenario is served.
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

    /// The scenario's file where it is to be followed, as it is before it is read.
    func watchedFile(of plan: ScenarioPlan) throws(Failure) -> WatchedFile? {
        guard try Settings.flag(watch, "WATCH") else { return nil }
        guard case .file(let path) = plan.source else { throw .configuration(Messages.watchWithoutFile) }
        return WatchedFile(path: path, seen: FileStamp(path))
    }

    /// What the engine is made with.
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

    /// Where the server listens.
    func address() throws(Failure) -> SocketAddress {
        let port = try Settings.value(port, "PORT", expected: "a port from 0 to 65535") ?? 8080
        let host = try nonEmpty(host, "HOST", "--host") ?? "127.0.0.1"
        do throws(SocketError) {
            return try SocketAddress(host: host, port: port)
        } catch {
            throw .configuration(error.description)
        }
    }

    /// The ready file, if there is to be one, at a path that is free for it.
    func claimReadyFile() throws(Failure) -> ReadyFile? {
        guard let path = try nonEmpty(readyFile, "READY_FILE", "--ready-file") else { return nil }
        return try ReadyFile(at: path)
    }

    /// Where the state goes once the server has stopped, if anywhere.
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

    /// An option or its environment; empty is a mistake.
    func nonEmpty(_ option: String?, _ name: String, _ label: String) throws(Failure) -> String? {
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
}
