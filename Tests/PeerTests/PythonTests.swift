import Foundation
import TestSupport
import Testing

extension Peers {
    @Suite("Python")
    struct Python {
        private func tell(_ story: String, _ chapters: [String], to server: RunningServer) async throws {
            let command = try await Command.peer(
                story, [server.readyFile.path, try Programs.fitiqMock().path] + chapters)
            #expect(command.status == 0, "\(story) failed:\n\(command.transcript)")
        }

        @Test("The SDK and fastmcp use every tool, resource and prompt over both transports")
        func modelContext() async throws {
            try await RunningServer.serve("--instant") { server in
                let page = URL.packageRoot.appendingPathComponent("docs/agents.md").path
                for (story, arguments) in [
                    ("with_mcp", [try Programs.fitiqMock().path, server.ready.url]),
                    ("agent_story", [server.ready.url, page]),
                ] {
                    let command = try await Command.peer(story, arguments)
                    #expect(command.status == 0, "\(story) failed:\n\(command.transcript)")
                }
            }
        }

        @Test(
            "A library plays the story in independent chapters without delays",
            arguments: ["with_websockets", "with_aiohttp"])
        func instant(_ story: String) async throws {
            try await RunningServer.serve("--instant") { server in
                let chapters = [
                    "rest", "chat", "archiving", "refusals", "handshakes", "bad_frames", "deflate", "echo", "goal_chat",
                    "goal_from_chat", "goal_rules", "meals", "meals_heard", "meals_listed", "descriptions", "judged",
                ]
                try await tell(story, chapters, to: server)
            }
        }

        @Test(
            "A library that compresses plays the story against a server that requires compression",
            arguments: ["with_websockets", "with_aiohttp"])
        func compressed(_ story: String) async throws {
            try await RunningServer.serve("--instant", "--compression", "required") { server in
                try await tell(story, ["deflated"], to: server)
            }
        }

        @Test("The apps' requests get answers with the members that the apps decode")
        func apps() async throws {
            try await RunningServer.serve("--instant") { server in
                let chapters = [
                    "app_accounts", "app_bad_input", "app_chat", "app_collections", "app_goals", "app_meals",
                    "app_meal_socket", "app_chat_socket", "accounts",
                ]
                try await tell("with_aiohttp", chapters, to: server)
            }
        }

        @Test("The apps' models decode and throw as the apps do")
        func decoding() async throws {
            try await RunningServer.serve { server in try await tell("with_aiohttp", ["app_decoding"], to: server) }
        }

        @Test(
            "An app's own requests and decoders work with upper-case ids over several days of use",
            arguments: [
                ("fitiq", ["templates", "meals"]), ("lume", ["coach", "insights"]),
            ])
        func days(_ app: String, _ own: [String]) async throws {
            let options = ["--instant", "--ids", "any-case", "--scenario", "app-first-run"]
            try await RunningServer.serve(options) { server in
                let days = ["first_run", "offline", "second_device", "backfill", "deletion"]
                try await tell("with_aiohttp", (days + own).map { "\(app)_\($0)" }, to: server)
            }
        }

        @Test("A returning user gets a month of data")
        func returningUser() async throws {
            let options = ["--instant", "--ids", "any-case", "--scenario", "app-returning-user"]
            try await RunningServer.serve(options) { server in
                try await tell("with_aiohttp", ["fitiq_returning_user", "lume_returning_user"], to: server)
            }
        }

        @Test(
            "A library plays a guide's story against a server in that guide's mode",
            arguments: ["with_websockets", "with_aiohttp"], Mode.guides)
        func guide(_ story: String, _ guide: Mode) async throws {
            try await RunningServer.serve("--instant", "--guide", guide.rawValue) { server in
                try await tell(
                    story, ["endpoints", "descriptions", "credentials", "judged"] + guide.chapters, to: server)
            }
        }

        @Test("A library plays the story at the default pace", arguments: ["with_websockets", "with_aiohttp"])
        func paced(_ story: String) async throws {
            try await RunningServer.serve { server in
                try await tell(story, ["pace", "waiting", "dropped", "meal_pace"], to: server)
            }
        }

        @Test(
            "On SIGTERM, the server closes its sockets with 1001 and exits with 0",
            arguments: ["with_websockets", "with_aiohttp"])
        func shutdown(_ story: String) async throws {
            try await RunningServer.serve("--instant", isStoppedByBody: true) { server in
                try await tell(story, ["shutdown"], to: server)
            }
        }

        @Test(
            "A library reports each fault as the right error",
            arguments: ["faults_with_websockets", "faults_with_aiohttp"])
        func faults(_ story: String) async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell(story, ["response", "handshake", "socket", "complete"], to: server)
            }
        }

        @Test("curl and a library get their answers over a simulated train network")
        func network() async throws {
            try await RunningServer.serve("--instant", "--network", "train") { server in
                try await tell("with_network", ["train"], to: server)
            }
        }

        @Test("curl receives a long answer at the rate of the new network")
        func slowNetwork() async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("with_network", ["slow"], to: server)
            }
        }

        @Test("An operator can hold, change and drop a library's messages", arguments: ["requests", "frames"])
        func breakpoints(_ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("breakpoints", [chapter], to: server)
            }
        }

        @Test("With a library, each built-in scenario behaves as its file describes")
        func builtInScenarios() async throws {
            try await RunningServer.serve("--instant") { server in
                let chapters = ["drop_mid_stream", "reset_mid_frame", "server_restarts", "half_open"]
                try await tell("built_in_scenarios", chapters, to: server)
            }
            // The story tests a slow answer, which `--instant` would speed up as well.
            try await RunningServer.serve { server in
                try await tell("built_in_scenarios", ["token_expires_mid_session"], to: server)
            }
        }

        @Test("The server survives input that only plain sockets can send")
        func sockets() async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("with_sockets", ["pipelining", "single_bytes", "half_closed", "broken"], to: server)
            }
        }

        @Test("An unread log does not block the server")
        func unreadLog() async throws {
            try await RunningServer.serve("--instant") { server in try await tell("unread_log", [], to: server) }
        }

        @Test(
            "watch shows traffic in a pipe and on a terminal and outlives the server",
            arguments: ["piped", "filter", "restart", "keys", "events", "token", "traffic", "log"])
        func watching(_ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in try await tell("watching", [chapter], to: server) }
        }

        @Test("If third-party clients are missing, the tests fail and name the command that installs them")
        func message() {
            #expect(
                "\(Programs.Missing(what: "curl"))"
                    == "curl is missing. Run ./scripts/test --filter PeerTests: it installs what these tests need.")
        }
    }
}
