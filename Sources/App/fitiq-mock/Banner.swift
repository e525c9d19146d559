import FitIQAPI
import MockServer
import Scenarios
import Text

/// The start message: where the server is, what it expects, and commands to try.
struct Banner {
    let server: RunningServer
    /// The program's name as typed in a shell.
    let program: String

    var text: String {
        """
        fitiq-mock \(Version.current) \(server.replays ? "plays a recorded session back" : "serves a fake FitIQ backend")\(guide).

          REST        \(server.url)/api/v1
          WebSocket   \(server.webSocketURL)/api/v1/consultations/{id}/ws
        \(secureLines)  Docs        \(server.url)/docs
          API key     \(server.apiKey)
          Token       \(server.token)
          Admin API   \(server.url)/__admin
        \(circumstances)
        \(examples.map { "\($0.title):\n\n  \($0.command)\n\n" }.joined())Stop with Ctrl-C.

        """
    }

    private var guide: String {
        server.mode == .union || server.replays ? "" : ", exactly as the guide \(server.mode.rawValue) documents it"
    }

    private var secureLines: String {
        guard let url = server.secureURL, let webSocketURL = server.secureWebSocketURL else { return "" }
        let trust = server.caPath.map { "  CA          \($0) ('\(program) certificate' says how to trust it)\n" } ?? ""
        return """
              REST (TLS)  \(url)/api/v1
              WebSocket   \(webSocketURL)/api/v1/consultations/{id}/ws

            """ + trust
    }

    /// Lines about settings that differ from the defaults.
    private var circumstances: String {
        var lines: [String] = []
        if server.scenario.name != Scenario.defaultName {
            let summary = server.scenario.summary.isEmpty ? "" : ": " + server.scenario.summary
            lines.append("  Scenario    " + (server.scenario.name + summary).onOneLine)
        }
        if let time = server.manualTime { lines.append("  Clock       manual, stands at \(time.wireText)") }
        if let path = server.recordingPath { lines.append("  Recording   " + path.onOneLine) }
        return lines.map { $0 + "\n" }.joined()
    }

    private struct Example {
        let title: String
        let command: String
    }

    private var examples: [Example] {
        (server.replays ? [replayExample] : examplesOfMode) + (server.manualTime == nil ? [] : [clockExample])
    }

    private var replayExample: Example {
        Example(
            title: "What was served so far, and what was not as it was recorded",
            command: curl("", "/__admin/replay", fields: adminFields))
    }

    private var clockExample: Example {
        Example(
            title: "Nothing happens by itself: move the clock",
            command: curl("-X POST", "/__admin/clock", fields: adminFields, body: #"{"advance":"5s"}"#))
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
                Example(
                    title: "Create a goal",
                    command: curl(
                        "-X POST", "/api/v1/goals",
                        body:
                            #"{"title":"Exercise 3x per week","description":"A habit","targetDate":"2030-03-01T00:00:00Z"}"#
                    )),
                Example(title: "List the goals", command: curl("", "/api/v1/goals")),
            ]
        case .mealLogWebSocket:
            [
                Example(
                    title: "Log a meal",
                    command: curl(
                        "-X POST", "/api/v1/meal-logs/natural",
                        body: #"{"raw_input":"2 eggs and toast","meal_type":"breakfast"}"#)),
                Example(title: "Some seconds later it is worked out", command: curl("", "/api/v1/meal-logs")),
            ]
        }
    }

    private func consultationExamples(body: String) -> [Example] {
        let chatOptions = server.chatOptions.map { " " + $0 }.joined()
        return [
            Example(title: "Create a consultation", command: curl("-X POST", "/api/v1/consultations", body: body)),
            Example(
                title: "The same again answers 409 with the id of the one that exists",
                command: curl("-i -X POST", "/api/v1/consultations", body: body)),
            Example(
                title: "Chat over the WebSocket", command: "\(program) chat --persona nutritionist\(chatOptions)"),
        ]
    }

    private func curl(_ options: String, _ path: String, fields: [String]? = nil, body: String? = nil) -> String {
        let options = (["-sS", options, "-w '\\n'"]).filter { !$0.isEmpty }.joined(separator: " ")
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
