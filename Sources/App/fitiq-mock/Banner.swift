import FitIQAPI
import MockServer
import Scenarios
import Text

/// The start message: where the server is, what it expects, and commands to try.
struct Banner {
    let server: RunningServer
    let program: String

    var text: String {
        """
        fitiq-mock \(Version.current) \(what)\(guide).

          REST        \(server.url)\(world)/api/v1
          WebSocket   \(server.webSocketURL)\(world)/api/v1/consultations/{id}/ws
        \(secureLines)  Docs        \(server.url)/docs
        \(credentialLines)  Admin API   \(server.url)/__admin
          Page        \(server.url)/__admin/ui
        \(circumstances)
        \(examples.map { "\($0.title):\n\n  \($0.command)\n\n" }.joined())Stop with Ctrl-C.

        """
    }

    private var what: String {
        if server.replays { return "plays a recorded session back" }
        let hasUpstream = server.engine.scenario.upstream != nil
        return hasUpstream ? "stands in front of a real server" : "serves a fake FitIQ backend"
    }

    /// What the paths of a world begin with.
    private var world: String { server.hasDefaultWorld ? "" : "/w/{world}" }

    private var guide: String {
        server.mode == .union || server.replays ? "" : ", exactly as the guide \(server.mode.rawValue) documents it"
    }

    /// What opens the default world, if there is one.
    private var credentialLines: String {
        server.hasDefaultWorld ? "  API key     \(server.apiKey)\n  Token       \(server.token)\n" : ""
    }

    private var secureLines: String {
        guard let url = server.secureURL, let webSocketURL = server.secureWebSocketURL else { return "" }
        let trust = server.caPath.map { "  CA          \($0) ('\(program) certificate' says how to trust it)\n" } ?? ""
        return """
              REST (TLS)  \(url)\(world)/api/v1
              WebSocket   \(webSocketURL)\(world)/api/v1/consultations/{id}/ws

            """ + trust
    }

    /// Lines about settings that differ from the defaults.
    private var circumstances: String {
        var lines: [String] = []
        if let node = server.engine.configuration.node { lines.append("  Node        \(node.text)") }
        if let origin = server.engine.configuration.publicOrigin { lines.append("  Public      " + origin) }
        let scenario = server.engine.scenario
        if scenario.name != Scenario.defaultName {
            let summary = scenario.summary.isEmpty ? "" : ": " + scenario.summary
            lines.append("  Scenario    " + (scenario.name + summary).onOneLine)
        }
        if let url = scenario.upstream?.url { lines.append("  Upstream    \(url)") }
        if let url = server.localNetworkURL {
            lines.append("  Network     \(url) (for devices on the same network)")
        }
        if let (email, password) = server.account {
            lines.append("  Account     \(email) with the password \(password)".onOneLine)
        }
        if let time = server.engine.manualTime { lines.append("  Clock       manual, stands at \(time.wireText)") }
        if let path = server.statePath { lines.append("  State       " + path.onOneLine) }
        if let path = server.recordingPath { lines.append("  Recording   " + path.onOneLine) }
        return lines.reduce(into: "") { $0 += $1 + "\n" }
    }

    private typealias Example = (title: String, command: String)

    private var examples: [Example] {
        guard server.hasDefaultWorld else {
            return [
                ("Make a world, which has a URL and a token", curl("-X POST", "/__admin/worlds", fields: adminFields))
            ]
        }
        let served = "What was served so far, and what was not as it was recorded"
        let examples = server.replays ? [(served, curl("", "/__admin/replay", fields: adminFields))] : examplesOfMode
        guard server.engine.manualTime != nil else { return examples }
        let advance = curl("-X POST", "/__admin/clock", fields: adminFields, body: #"{"advance":"5s"}"#)
        return examples + [("Nothing happens by itself: move the clock", advance)]
    }

    /// The examples of the mode, in the order in which a newcomer would try them.
    private var examplesOfMode: [Example] {
        switch server.mode {
        case .union, .consultationWebSocket, .enhancedConsultations:
            consultationExamples(body: #"{"persona":"nutritionist"}"#)
        case .webSocketArchitecture:
            consultationExamples(body: #"{"coach_type":"nutritionist","context":"meal_log_tracking"}"#)
        case .goalLinking:
            [
                (
                    "Create a goal",
                    curl(
                        "-X POST", "/api/v1/goals",
                        body:
                            #"{"title":"Exercise 3x per week","description":"A habit","targetDate":"2030-03-01T00:00:00Z"}"#
                    )
                ),
                ("List the goals", curl("", "/api/v1/goals")),
            ]
        case .mealLogWebSocket:
            [
                (
                    "Log a meal",
                    curl(
                        "-X POST", "/api/v1/meal-logs/natural",
                        body: #"{"raw_input":"2 eggs and toast","meal_type":"breakfast"}"#)
                ),
                ("Some seconds later it is worked out", curl("", "/api/v1/meal-logs")),
            ]
        }
    }

    private func consultationExamples(body: String) -> [Example] {
        [
            ("Create a consultation", curl("-X POST", "/api/v1/consultations", body: body)),
            (
                "The same again answers 409 with the id of the one that exists",
                curl("-i -X POST", "/api/v1/consultations", body: body)
            ),
            ("Chat over the WebSocket", "\(program) chat --persona nutritionist\(server.chatOptions)"),
        ]
    }

    private func curl(_ options: String, _ path: String, fields: [String]? = nil, body: String? = nil) -> String {
        let options = ["-sS", options, "-w '\\n'"].filter { !$0.isEmpty }.joined(separator: " ")
        let lines =
            ["curl \(options) \((server.url + path).shellQuoted)"]
            + (fields ?? credentials).map { "-H \($0.shellQuoted)" }
            + (body.map { ["-H 'Content-Type: application/json' -d '\($0)'"] } ?? [])
        return lines.joined(separator: " \\\n    ")
    }

    private var credentials: [String] { ["Authorization: Bearer \(server.token)", "X-API-Key: \(server.apiKey)"] }
    private var adminFields: [String] { server.adminToken.map { ["X-Admin-Token: \($0)"] } ?? [] }
}

extension String {
    /// The text with each control character, including line breaks, replaced by a space.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}

struct RunningServer {
    let engine: Engine
    /// Its own URLs, whatever proxy is in front; one is nil without TLS.
    let url: String
    let secureURL: String?
    /// The file of the CA that issued its certificate; nil without TLS, and for the user's own certificate.
    let caPath: String?
    let recordingPath: String?
    var statePath: String?
    /// Its URL for other devices, if it listens on all addresses.
    var localNetworkURL: String?

    /// The first account of the scenario whose password is known.
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

    var chatOptions: String {
        var options = ""
        if url != Chat.defaultURL { options += " --url \(url.shellQuoted)" }
        if apiKey != DevelopmentCredentials.apiKey { options += " --api-key \(apiKey.shellQuoted)" }
        if token != DevelopmentCredentials.token() { options += " --token \(token)" }
        if mode == .enhancedConsultations { options += " --protocol user_message" }
        return options
    }

    func readyFile(of writer: ReadyFile.Writer) -> [UInt8] {
        var facts = hasDefaultWorld ? [("api_key", apiKey), ("token", token)] : []
        facts += [("guide", mode.rawValue), ("scenario", engine.scenario.name)]
        if let node = engine.configuration.node { facts.append(("node", node.text)) }
        return ReadyFile.content(url: url, facts, secureURL: secureURL, caPath: caPath, writer: writer)
    }

    static func webSocket(_ url: String) -> String { "ws" + String(url.dropFirst("http".count)) }
}
