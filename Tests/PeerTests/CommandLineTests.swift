import Foundation
import Testing

extension Peers {
    @Suite("The command line")
    struct CommandLineStory {
        private func fitiqMock(
            _ arguments: String..., environment: [String: String] = [:], input: String = ""
        ) async throws -> Command {
            try await Command(try Programs.fitiqMock(), arguments, environment: environment, input: input)
        }

        @Test("serve on a port in use prints one clear line and exits with 2")
        func portInUse() async throws {
            try await RunningServer.serve { server in
                let port = try #require(server.ready.url.split(separator: ":").last.map(String.init))
                let second = try await fitiqMock("serve", "--port", port)
                #expect(second.status == 2)
                #expect(second.output == "")
                #expect(second.errors.split(separator: "\n").count == 1)
                #expect(second.errors.hasPrefix("fitiq-mock: "))
                #expect(
                    second.errors.contains(port) && second.errors.contains("another process is using"),
                    "\(second.errors)")
            }
        }

        /// Returns what a chat user sees on a terminal; waits for text to appear and then presses keys.
        private func terminal(
            _ server: RunningServer, environment: [String: String] = [:], _ steps: String...
        ) async throws -> String {
            let run = try await Command.peer(
                "chat_on_a_terminal", [try Programs.fitiqMock().path, server.ready.url] + steps,
                environment: environment)
            #expect(run.status == 0, "\(run.transcript)")
            return run.output
        }

        @Test("On a terminal, chat edits and recalls lines, runs commands and restores the terminal")
        func chatOnATerminal() async throws {
            try await RunningServer.serve("--instant") { server in
                let shown = try await terminal(
                    server, "> ", #"elo\x01H\x1b[C\x1b[Cl\n"#, "you need.", "", "> ", #"/meal 2 eggs and toast\n"#,
                    "290 kcal", "", "> ", #"/help\n/nothing\n"#, "'/nothing'", "", "> ", #"/archive\n"#,
                    "A new consultation", "", "> ", #"\x1b[A"#, "> /archive", #"\x15\x04"#)
                #expect(shown.contains("\u{1B}[K> Hello\n"), "\(shown)")
                #expect(shown.contains("2 eggs and toast: 290 kcal\n") && shown.contains("/meal TEXT"), "\(shown)")
                #expect(shown.hasSuffix("\nexit 0\n"), "\(shown)")
                let left = try await terminal(server, "> ", #"abc\x03"#)
                #expect(left.hasSuffix("\nexit 130\n"), "\(left)")
            }
        }

        @Test("chat reconnects, and says when the server's clock is manual")
        func chatNews() async throws {
            try await RunningServer.serve("--scenario", "drop-mid-stream") { server in
                let shown = try await terminal(
                    server, "> ", #"What should I eat for breakfast?\n"#, "reconnected.", "", "in the morning?", "",
                    "> ", #"\x04"#)
                #expect(shown.contains("\nfitiq-mock: the connection was lost; reconnecting ...\n"), "\(shown)")
            }
            try await RunningServer.serve("--clock", "manual") { server in
                let shown = try await terminal(server, "> ", #"Hello\n"#, "clock is stopped", #"\x03"#)
                #expect(shown.contains(#"POST /__admin/clock {"advance": "10s"}"#), "\(shown)")
            }
            try await RunningServer.serve("--clock", "manual", "--admin-token", "secret") { server in
                let refused = try await terminal(server, "> ", #"Hello\n"#, "--admin-token: ", #"\x03"#)
                #expect(refused.contains("--admin-token") && !refused.contains("nothing arrives until"), "\(refused)")
                let environment = ["FITIQ_MOCK_ADMIN_TOKEN": "secret"]
                let told = try await terminal(
                    server, environment: environment, "> ", #"Hello\n"#, "clock is stopped", #"\x03"#)
                #expect(told.contains("POST /__admin/clock"), "\(told)")
            }
        }

        @Test("On a terminal, a chat outlives restarts of its server: each line tries again")
        func chatOverRestarts() async throws {
            let run = try await Command.peer("chat_over_restarts", [try Programs.fitiqMock().path])
            #expect(run.status == 0, "\(run.transcript)")
        }

        @Test("During an answer, /help and /quit work immediately and other lines wait")
        func chatMeanwhile() async throws {
            // The answer never arrives.
            try await RunningServer.serve("--clock", "manual") { server in
                let shown = try await terminal(
                    server, "> ", #"Hello\n"#, "clock is stopped", #"And then?\n/help\n"#, "logs a snack", #"/quit\n"#)
                #expect(shown.hasSuffix("\nexit 0\n") && !shown.contains("> And then?"), "\(shown)")
            }
            try await RunningServer.serve("--scenario", "default") { server in
                let shown = try await terminal(server, "> ", #"Hello\nAnd then?\n"#, "> And then?", #"/quit\n"#)
                #expect(shown.hasSuffix("\nexit 0\n"), "\(shown)")
            }
        }

        @Test("chat --message prints the stored answer, and stdin continues the consultation")
        func chat() async throws {
            try await RunningServer.serve("--instant") { server in
                let options = ["--url", server.ready.url, "--persona", "fitness_coach"]
                let program = try Programs.fitiqMock()
                let once = try await Command(program, ["chat", "--message", "How do I warm up?"] + options)
                #expect(once.status == 0, "\(once.transcript)")
                let lines = try await Command(program, ["chat"] + options, input: "And afterwards?\n\n  \nHow long?\n")
                #expect(lines.status == 0, "\(lines.transcript)")

                let curl = try await Curl(server, user: "unused")
                let fields = [
                    "--header", "Authorization: Bearer \(server.ready.token)", "--header",
                    "X-API-Key: \(server.ready.api_key)",
                ]
                let url = "\(server.ready.url)/api/v1/consultations"
                let list = try Curl.Response(try await curl.run(["--include"] + fields + [url])).answer()
                let id = try #require(list.data?.consultations?.first?.id)
                #expect(list.data?.consultations?.count == 1)
                let history = try Curl.Response(
                    try await curl.run(["--include"] + fields + ["\(url)/\(id)/messages"])
                ).answer()
                let messages = try #require(history.data?.messages)
                #expect(
                    messages.filter { $0.role == "user" }.map(\.content)
                        == ["How do I warm up?", "And afterwards?", "How long?"])
                let answers = messages.filter { $0.role == "assistant" }.map { $0.content + "\n" }
                #expect(answers.count == 3)
                #expect(once.output == answers.first)
                #expect(lines.output == answers.dropFirst().joined())
            }
        }

        @Test("chat reports templates that the coach creates, but not templates in the history")
        func chatTemplates() async throws {
            try await RunningServer.serve("--instant") { server in
                let options = ["chat", "--url", server.ready.url, "--protocol", "user_message"]
                let program = try Programs.fitiqMock()
                let meal = try await Command(program, options + ["--message", "create a meal template"])
                #expect(meal.errors == "fitiq-mock: the coach created a meal template: A Week of Simple Meals\n")
                let workout = try await Command(program, options + ["--message", "create a workout template"])
                #expect(workout.errors == "fitiq-mock: the coach created a workout template: Three Workouts a Week\n")
                let lines = try await Command(program, options, input: "Hello\n")
                #expect(lines.status == 0 && lines.errors.isEmpty, "\(lines.transcript)")
            }
        }

        @Test("The banner's commands work as printed")
        func banner() async throws {
            try await RunningServer.serve("--instant", "--api-key", "another key", "--jwt-secret", "another secret") {
                server in
                #expect(server.banner.hasPrefix("fitiq-mock "))
                // Commands are indented by two spaces, and continuation lines further.
                let text = server.banner.replacing("\\\n", with: "")
                let commands = text.split(separator: "\n").filter {
                    $0.hasPrefix("  curl ") || $0.contains(" chat --")
                }
                try #require(commands.count == 2)
                #expect(server.banner.split(separator: "\n").last { $0.hasPrefix("  ") }?.contains("http://") == true)
                let shell = URL(fileURLWithPath: "/bin/sh")
                #expect(!server.banner.contains("another secret"))
                let environment = ["FITIQ_MOCK_JWT_SECRET": "another secret"]
                let first = try await Command(shell, ["-c", String(commands[0])], environment: environment)
                #expect(first.output.contains(#""status":"active""#), "\(first.transcript)")
                let chat = try await Command(
                    shell, ["-c", String(commands[1])], environment: environment, input: "Hello\n")
                #expect(chat.status == 0 && chat.output.count > 20, "\(chat.transcript)")
            }
        }

        @Test(
            "A guide mode's banner shows the guide's endpoints and working commands",
            arguments: [
                ("consultation-websocket", #""consultation":{"#),
                ("enhanced-consultations", #""context_type":"general""#),
                ("websocket-architecture", #"{"consultation_id":""#),
                ("goal-linking", #""title":"Run""#),
                ("meal-log-websocket", #""status":"processing""#),
            ])
        func bannerOfGuide(_ guide: String, _ answer: String) async throws {
            try await RunningServer.serve("--instant", "--guide", guide) { server in
                #expect(server.banner.contains("as the guide \(guide) documents it"))
                let text = server.banner.replacing("\\\n", with: "")
                let command = try #require(text.split(separator: "\n").first { $0.hasPrefix("  curl ") })
                let shell = URL(fileURLWithPath: "/bin/sh")
                let run = try await Command(shell, ["-c", String(command)])
                #expect(run.status == 0 && run.output.contains(answer), "\(run.transcript)")
                guard let line = text.split(separator: "\n").first(where: { $0.contains(" chat --") }) else {
                    #expect(["goal-linking", "meal-log-websocket"].contains(guide))
                    return
                }
                let chat = try await Command(shell, ["-c", String(line)], input: "Hello\n")
                #expect(chat.status == 0 && chat.output.count > 20, "\(chat.transcript)")
            }
        }

        @Test(
            "An impossible request prints one line on stderr and exits with 2",
            arguments: [
                (["serve", "--port", "65536"], "port"),
                (["serve", "--prot", "1"], "--prot"),
                (["serve", "--port", "0", "--host", "999.1.1.1"], "999.1.1.1"),
                (["serve", "--port", "0", "--log-level", "lout"], "lout"),
                (["serve", "--port", "0", "--api-key", ""], "--api-key"),
                (["serve", "--port", "0", "--guide", "goal-liking"], "goal-linking"),
                (["serve", "--port", "0", "--ready-file", "/nowhere/ready.json"], "/nowhere/ready.json"),
                (["token", "--expires-in=soon"], "soon"),
                (["chat", "--persona", "astrologer"], "astrologer"),
                (["chat", "--url", "ftp://x", "--message", "x"], "ftp://x"),
                (["sreve"], "sreve"),
            ])
        func usage(_ arguments: [String], _ word: String) async throws {
            let command = try await Command(try Programs.fitiqMock(), arguments)
            #expect(command.status == 2, "\(command.transcript)")
            #expect(command.output == "")
            #expect(command.errors.hasPrefix("fitiq-mock: ") && command.errors.contains(word), "\(command.errors)")
            #expect(command.errors.split(separator: "\n").count == 1, "\(command.errors)")
        }

        @Test("Environment variables set the same values as options")
        func environment() async throws {
            let bad = try await fitiqMock("serve", environment: ["FITIQ_MOCK_PORT": "http"])
            #expect(bad.status == 2)
            #expect(bad.errors.contains("FITIQ_MOCK_PORT is 'http'"), "\(bad.errors)")
            let token = try await fitiqMock("token", environment: ["FITIQ_MOCK_JWT_SECRET": "another secret"])
            try await RunningServer.serve("--jwt-secret", "another secret") { server in
                let curl = try await Curl(server, user: "unused")
                let answer = try await curl.run([
                    "--write-out", "%{http_code}", "--output", "/dev/null", "--header",
                    "Authorization: Bearer \(token.output.dropLast())", "--header",
                    "X-API-Key: \(server.ready.api_key)", "\(server.ready.url)/api/v1/consultations",
                ])
                #expect(answer == "200")
            }
        }
    }
}
