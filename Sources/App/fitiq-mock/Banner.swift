import FitIQAPI
import MockServer
import Scenarios
import Text

/// The start message: the server's address, its credentials, and commands to try.
struct Banner {
    let server: RunningServer
    let program: String
    var now = FitIQMock.now

    /// The URLs come last, so that they stay visible.
    var text: String {
        """
        fitiq-mock \(Version.current) \(what)\(guide).

        \(examples.map { "\($0.title):\n\n  \($0.command)\n\n" }.joined())\(circumstances)\(credentialLines)\
          REST        \(server.url)\(world)/api/v1
          WebSocket   \(server.webSocketURL)\(world)/api/v1/consultations/{id}/ws
        \(secureLines)  Docs        \(server.url)/docs
          Admin API   \(server.url)/__admin
          Page        \(server.url)/__admin/ui

        Stop with Ctrl-C.

        """
    }

    private var what: String {
        if server.replays { return "plays a recorded session back" }
        let hasUpstream = server.engine.scenario.upstream != nil
        return hasUpstream ? "is a proxy in front of a real server" : "serves a fake FitIQ backend"
    }

    /// The prefix of a world's paths.
    private var world: String { server.hasDefaultWorld ? "" : "/w/{world}" }

    private var guide: String {
        server.mode == .union || server.replays ? "" : ", as the guide \(server.mode.rawValue) documents it"
    }

    /// The credentials of the default world, if there is one.
    private var credentialLines: String {
        guard server.hasDefaultWorld else { return "" }
        var lines = ["  API key     \(server.apiKey)", withTokenCommand { "  Token       \($0)" }]
        if hasOwnSecret { lines.append("              \(Messages.setFirst(.jwtSecret))") }
        if let tokenLifetime { lines.append("              \(Messages.tokenOutlives(seconds: tokenLifetime))") }
        return lines.map { $0 + "\n" }.joined()
    }

    private var hasOwnSecret: Bool { server.engine.configuration.jwtSecret != DevelopmentCredentials.jwtSecret }

    private var tokenLifetime: Int64? { server.engine.scenario.tokenLifetime.map { $0 / 1_000_000_000 } }

    /// The maximum width of a line, without its indentation and a backslash at its end.
    private static let width = 94

    /// Makes text with the token command in it, which continues on another line if the text would be too wide.
    private func withTokenCommand(_ text: (String) -> String) -> String {
        let options = tokenOptions.joined(separator: " ")
        let whole = text("\(program) token" + (options.isEmpty ? "" : " " + options))
        guard whole.count > Self.width, !options.isEmpty else { return whole }
        return text("\(program) token \\\n      \(options)")
    }

    /// The options of a command that prints a token for the default world's user.
    ///
    /// The token is valid for the scenario's token lifetime, or for an hour if the scenario does not set one.
    private var tokenOptions: [String] {
        let user = server.engine.scenario.data.users.first?.id.text
        // The banner may end up in a log, so it omits the secret, which the command reads from the environment.
        var words: [String] = []
        if let user, user != DevelopmentCredentials.userID { words += ["--user", user.shellQuoted] }
        // Tokens expire by the world's clock, but the command knows only the system clock.
        let ahead = (server.engine.manualTime ?? now).secondsSinceEpoch - now.secondsSinceEpoch
        if let tokenLifetime {
            words += ["--expires-in", "\(ahead + tokenLifetime)s"]
        } else if ahead > 0 {
            words += ["--expires-in", "\(ahead + 3600)s"]
        }
        return words
    }

    private var secureLines: String {
        guard let url = server.secureURL, let webSocketURL = server.secureWebSocketURL else { return "" }
        let trust =
            server.caPath.map { "  CA          \($0) ('\(program) certificate' explains how to trust it)\n" } ?? ""
        return """
              REST (TLS)  \(url)\(world)/api/v1
              WebSocket   \(webSocketURL)\(world)/api/v1/consultations/{id}/ws

            """ + trust
    }

    /// One line for each setting that differs from its default.
    private var circumstances: String {
        var lines: [String] = []
        if let node = server.engine.configuration.node { lines.append("  Node        \(node.text)") }
        if let origin = server.engine.configuration.publicOrigin { lines.append("  Public      " + origin) }
        let scenario = server.engine.scenario
        if scenario.name != Scenario.defaultName {
            let summary = scenario.summary.isEmpty ? "" : ": " + scenario.summary
            var wrap = WordWrap(columns: 100, indent: 14)
            lines.append(wrap.add("  Scenario    " + (scenario.name + summary).onOneLine) + wrap.finish())
        }
        if server.adminToken != nil { lines.append("  Admin       \(Messages.setFirst(.adminToken))") }
        if let url = scenario.upstream?.url { lines.append("  Upstream    \(url)") }
        if let url = server.localNetworkURL { lines.append("  Network     \(url) (for devices on the same network)") }
        if let (email, password) = server.account {
            lines.append("  Account     \(email) with the password \(password)".onOneLine)
        }
        if let time = server.engine.manualTime { lines.append("  Clock       manual, stopped at \(time.wireText)") }
        if let path = server.statePath { lines.append("  State       " + path.onOneLine) }
        if let path = server.recordingPath { lines.append("  Recording   " + path.onOneLine) }
        return lines.reduce(into: "") { $0 += $1 + "\n" }
    }

    private typealias Example = (title: String, command: String)

    private var examples: [Example] {
        guard server.hasDefaultWorld else {
            return [
                ("Create a world with its own URL and token", curl("-X POST", "/__admin/worlds", fields: adminFields))
            ]
        }
        let served = "See what was served, and what differed from the recording"
        let examples = server.replays ? [(served, curl("", "/__admin/replay", fields: adminFields))] : examplesOfMode
        guard server.engine.manualTime != nil else { return examples }
        let advance = curl("-X POST", "/__admin/clock", fields: adminFields, body: #"{"advance":"5s"}"#)
        return examples + [("Nothing happens until you move the clock", advance)]
    }

    /// What newcomers should try first in this mode.
    private var examplesOfMode: [Example] {
        let consultation = "Create a consultation"
        let chat = ("Chat over the WebSocket", "\(program) chat\(chatOptions)")
        func post(_ path: String, _ body: String) -> String { curl("-X POST", "/api/v1/\(path)", body: body) }
        switch server.mode {
        case .union, .consultationWebSocket, .enhancedConsultations:
            return [(consultation, post("consultations", #"{"persona":"nutritionist"}"#)), chat]
        case .webSocketArchitecture:
            let body = #"{"coach_type":"nutritionist","context":"meal_log_tracking"}"#
            return [(consultation, post("consultations", body)), chat]
        case .goalLinking:
            let body = #"{"title":"Run","description":"A habit","targetDate":"2030-03-01T00:00:00Z"}"#
            return [("Create a goal", post("goals", body))]
        case .mealLogWebSocket:
            let body = #"{"raw_input":"2 eggs and toast","meal_type":"breakfast"}"#
            return [("Log a meal", post("meal-logs/natural", body))]
        }
    }

    private var chatOptions: String {
        var options = ""
        if server.url != Chat.defaultURL { options += " --url \(server.url.shellQuoted)" }
        if server.apiKey != DevelopmentCredentials.apiKey { options += " --api-key \(server.apiKey.shellQuoted)" }
        let spoken = server.mode == .enhancedConsultations ? " --protocol user_message" : ""
        guard server.token != DevelopmentCredentials.token() else { return options + spoken }
        return options + " \\\n    " + withTokenCommand { "--token \"$(\($0))\"\(spoken)" }
    }

    private func curl(_ options: String, _ path: String, fields: [String]? = nil, body: String? = nil) -> String {
        let options = ["-sS", options, "-w '\\n'"].filter { !$0.isEmpty }.joined(separator: " ")
        let lines =
            ["curl \(options) \((server.url + path).shellQuoted)"] + (fields ?? credentials)
            + (body.map { ["-H 'Content-Type: application/json'", "-d '\($0)'"] } ?? [])
        return lines.joined(separator: " \\\n    ")
    }

    private var credentials: [String] {
        [
            withTokenCommand { "-H \"Authorization: Bearer $(\($0))\"" },
            "-H \("X-API-Key: \(server.apiKey)".shellQuoted)",
        ]
    }
    private var adminFields: [String] {
        server.adminToken == nil ? [] : ["-H \"X-Admin-Token: $FITIQ_MOCK_ADMIN_TOKEN\""]
    }
}

extension String {
    /// The text with each control character, including line breaks, replaced by a space.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}

struct RunningServer {
    let engine: Engine
    /// The server's own URLs; a proxy in front does not change them.
    ///
    /// `secureURL` is nil if TLS is off.
    let url: String
    let secureURL: String?
    /// The file with the CA that issued the certificate, or nil if TLS is off or the user supplied the certificate.
    let caPath: String?
    let recordingPath: String?
    var statePath: String?
    /// The server's URL for other devices, if it listens on all addresses.
    var localNetworkURL: String?

    /// The scenario's first account whose password is known.
    var account: (email: String, password: String)? {
        guard mode.servesApps else { return nil }
        for case let account? in engine.scenario.data.users.lazy.map(\.account) {
            if case .plain(let password) = account.password { return (account.email, password) }
        }
        return nil
    }

    var hasDefaultWorld: Bool { engine.configuration.hasDefaultWorld }
    var webSocketURL: String { Self.webSocket(url) }
    var secureWebSocketURL: String? { secureURL.map(Self.webSocket) }
    var mode: GuideMode { engine.configuration.mode }
    var apiKey: String { engine.configuration.apiKey }
    var adminToken: String? { engine.configuration.adminToken }
    var token: String { engine.token }
    var replays: Bool { engine.replayOutcome(ofWorld: "default") != nil }

    func readyFile(of writer: ReadyFile.Writer) -> [UInt8] {
        var facts = hasDefaultWorld ? [("api_key", apiKey), ("token", token)] : []
        facts += [("guide", mode.rawValue), ("scenario", engine.scenario.name)]
        if let node = engine.configuration.node { facts.append(("node", node.text)) }
        return ReadyFile.content(url: url, facts, secureURL: secureURL, caPath: caPath, writer: writer)
    }

    static func webSocket(_ url: String) -> String { "ws" + String(url.dropFirst("http".count)) }
}
