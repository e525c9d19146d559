import Foundation
import TestSupport
import Testing

extension Peers {
    @Suite("Python")
    struct Python {
        private func tell(_ story: String, _ chapters: [String], to server: RunningServer) async throws {
            let script = Programs.peers.appendingPathComponent(story + ".py").path
            let arguments = [script, server.readyFile.path, try Programs.fitiqMock().path] + chapters
            let command = try await Command(
                try Programs.python(), arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            if command.status != 0 {
                Attachment.record(command.transcript, named: "\(story).txt")
                Issue.record("\(story) failed:\n\(command.transcript)")
            }
        }

        @Test(
            "The SDK and fastmcp use every tool, resource and prompt over both transports; an agent by script finds a bug"
        )
        func modelContext() async throws {
            try await RunningServer.serve("--instant") { server in
                let page = URL.packageRoot.appendingPathComponent("docs/agents.md").path
                for (story, arguments) in [
                    ("with_mcp", [try Programs.fitiqMock().path, server.ready.url]),
                    ("agent_story", [server.ready.url, page]),
                ] {
                    let script = Programs.peers.appendingPathComponent(story + ".py").path
                    let command = try await Command(
                        try Programs.python(), [script] + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                    #expect(command.status == 0, "\(story) failed:\n\(command.transcript)")
                }
            }
        }

        @Test(
            "A library plays the story without delays, in independent chapters",
            arguments: ["with_websockets", "with_aiohttp"],
            [
                "rest chat archiving refusals handshakes", "bad_frames deflate echo",
                "goal_chat goal_from_chat goal_rules",
                "meals meals_heard meals_listed", "descriptions", "judged",
            ])
        func instant(_ story: String, _ chapters: String) async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell(story, chapters.split(separator: " ").map(String.init), to: server)
            }
        }

        @Test(
            "A library that compresses plays the story against a server that requires it",
            arguments: ["with_websockets", "with_aiohttp"])
        func compressed(_ story: String) async throws {
            try await RunningServer.serve("--instant", "--compression", "required") { server in
                try await tell(story, ["deflated"], to: server)
            }
        }

        @Test(
            "The apps' requests get answers with the members that they decode",
            arguments: [
                "app_accounts", "app_bad_input", "app_chat", "app_collections", "app_goals", "app_meals",
                "app_meal_socket", "app_chat_socket", "accounts",
            ])
        func apps(_ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("with_aiohttp", [chapter], to: server)
            }
        }

        @Test("The models of the apps read the same, and throw in the same places, as the apps")
        func decoding() async throws {
            try await RunningServer.serve { server in try await tell("with_aiohttp", ["app_decoding"], to: server) }
        }

        @Test(
            "An app's days pass with its own requests and decoders, with ids in upper case",
            arguments: ["fitiq", "lume"].flatMap { app in
                ["first_run", "offline", "second_device", "backfill", "deletion"].map { "\(app)_\($0)" }
            } + ["fitiq_templates", "fitiq_meals", "lume_coach", "lume_insights"])
        func days(_ chapter: String) async throws {
            let options = ["--instant", "--ids", "any-case", "--scenario", "app-first-run"]
            try await RunningServer.serve(options) { server in
                try await tell("with_aiohttp", [chapter], to: server)
            }
        }

        @Test("A user who returns finds a month of data", arguments: ["fitiq_returning_user", "lume_returning_user"])
        func returningUser(_ chapter: String) async throws {
            let options = ["--instant", "--ids", "any-case", "--scenario", "app-returning-user"]
            try await RunningServer.serve(options) { server in
                try await tell("with_aiohttp", [chapter], to: server)
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
            "SIGTERM closes the sockets with 1001, and the server exits with 0",
            arguments: ["with_websockets", "with_aiohttp"])
        func shutdown(_ story: String) async throws {
            try await RunningServer.serve("--instant", isStoppedByBody: true) { server in
                try await tell(story, ["shutdown"], to: server)
            }
        }

        @Test(
            "A library reports each fault as the right error, and every fault is covered",
            arguments: ["faults_with_websockets", "faults_with_aiohttp"],
            ["response", "handshake", "socket", "complete"])
        func faults(_ story: String, _ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in try await tell(story, [chapter], to: server) }
        }

        @Test("curl and a library see the round trips of a train, and get their answers")
        func network() async throws {
            try await RunningServer.serve("--instant", "--network", "train") { server in
                try await tell("with_network", ["train"], to: server)
            }
        }

        @Test("curl gets a long answer at the rate of a switched network")
        func slowNetwork() async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("with_network", ["slow"], to: server)
            }
        }

        @Test("An operator holds, changes and drops a library's messages", arguments: ["requests", "frames"])
        func breakpoints(_ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("breakpoints", [chapter], to: server)
            }
        }

        @Test("A library meets built-in scenarios as their files say")
        func builtInScenarios() async throws {
            try await RunningServer.serve("--instant") { server in
                let chapters = ["drop_mid_stream", "reset_mid_frame", "server_restarts", "half_open"]
                try await tell("built_in_scenarios", chapters, to: server)
            }
            // It tests a slow answer, and --instant would speed that up too.
            try await RunningServer.serve { server in
                try await tell("built_in_scenarios", ["token_expires_mid_session"], to: server)
            }
        }

        @Test("Plain sockets send what no library sends")
        func sockets() async throws {
            try await RunningServer.serve("--instant") { server in
                try await tell("with_sockets", ["pipelining", "single_bytes", "half_closed", "broken"], to: server)
            }
        }

        @Test("An unread log does not block the server; a ready file belongs to its server, and is removed with it")
        func unreadLog() async throws {
            try await RunningServer.serve("--instant") { server in try await tell("unread_log", [], to: server) }
        }

        @Test(
            "watch shows a server's traffic in a pipe and on a terminal, and outlives the server",
            arguments: ["piped", "filter", "restart", "keys", "events", "token", "traffic", "log"])
        func watching(_ chapter: String) async throws {
            try await RunningServer.serve("--instant") { server in try await tell("watching", [chapter], to: server) }
        }

        @Test("Without the clients the tests fail, and say which command installs them")
        func message() {
            #expect(
                "\(Programs.Missing(what: "curl"))"
                    == "curl is missing. Run ./scripts/test --filter PeerTests: it installs what these tests need.")
        }
    }
}
