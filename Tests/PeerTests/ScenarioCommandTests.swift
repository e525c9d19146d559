import Foundation
import TestSupport
import Testing

extension CommandPeers {
    /// `serve --scenario`, `check` and `scenarios`, with the binary that users run.
    @Suite("Scenarios on the command line")
    struct ScenarioCommandStory {
        private static let good = "name: mine\nsummary: All is down.\nfaults:\n  - {name: down, on: any, status: 503}\n"
        private static let bad = "name: mine\nfaults:\n  - {name: down, on: any, status: 503, retry_aftr: 2}\n"

        private func write(_ text: String, _ file: URL) throws { try Data(text.utf8).write(to: file) }

        private func goals(_ server: RunningServer) async throws -> Int {
            try await Curl(server, user: "anna").send("GET", "/api/v1/goals").status
        }

        private func admin(
            _ server: RunningServer, _ path: String, _ body: String? = nil, _ options: String...
        ) async throws -> Curl.Response {
            let arguments = body.map { ["--header", "Content-Type: application/json", "--data-binary", $0] } ?? []
            let curl = try await Curl(server, user: "unused")
            return try Curl.Response(
                try await curl.run(["--include"] + arguments + options + [server.ready.url + "/__admin" + path]))
        }

        @Test("The banner and the ready file name the built-in scenario")
        func builtIn() async throws {
            try await RunningServer.serve("--instant", "--scenario", "conflict") { server in
                #expect(server.ready.scenario == "conflict")
                #expect(server.banner.contains("  Scenario    conflict: An active consultation"), "\(server.banner)")
                #expect(server.banner.contains("  Admin API   \(server.ready.url)/__admin\n"))
                #expect(server.banner.contains("  Page        \(server.ready.url)/__admin/ui\n"))
                let body = [
                    "--data-binary", #"{"persona":"nutritionist"}"#, "--header", "Content-Type: application/json",
                ]
                let answer = try await Curl(server, user: "unused").run(
                    ["--include", "--header", "Authorization: Bearer \(server.ready.token)"] + body
                        + [
                            "--header", "X-API-Key: \(server.ready.api_key)",
                            server.ready.url + "/api/v1/consultations",
                        ])
                #expect(try Curl.Response(answer).status == 409)
            }
        }

        @Test("The banner prints a working command that moves a manual clock")
        func manualClock() async throws {
            try await RunningServer.serve("--clock", "manual", "--admin-token", "a 'token'") { server in
                #expect(server.banner.contains("  Clock       manual, stopped at 2025-01-29T10:30:00Z\n"))
                let text = server.banner.replacing("\\\n", with: "")
                let command = try #require(text.split(separator: "\n").first { $0.contains("/__admin/clock") })
                let shell = URL(fileURLWithPath: "/bin/sh")
                #expect(server.banner.contains("  Admin       Set FITIQ_MOCK_ADMIN_TOKEN "))
                let run = try await Command(shell, ["-c", "FITIQ_MOCK_ADMIN_TOKEN=\"a 'token'\"; " + command])
                #expect(run.output.contains(#""now":"2025-01-29T10:30:05.000000000Z""#), "\(run.transcript)")
                #expect(try await admin(server, "/clock").status == 401)
            }
        }

        @Test("The command line overrides the scenario's seed, guide and clock")
        func precedence() async throws {
            try await withFolder { folder in
                let file = folder["s.yaml"]
                let start = "2025-06-01T00:00:00Z"
                try write(
                    "{name: s, seed: 7, guide: goal-linking, clock: {manual: \(start)}, token_lifetime: 90s}", file)
                try await RunningServer.serve("--scenario", file.path) { server in
                    let world = try await admin(server, "/worlds/default").body
                    #expect(
                        world.contains(#""guide":"goal-linking","seed":"7","clock":"manual","now":"\#(start)""#),
                        "\(world)")
                    // The scenario's token, which expires according to the scenario's clock.
                    #expect(world.contains(server.ready.token))
                    #expect(server.ready.scenario == "s")
                }
                try await RunningServer.serve(
                    "--scenario", file.path, "--seed", "8", "--guide", "union", "--clock", "real"
                ) { server in
                    let world = try await admin(server, "/worlds", "{}").body
                    #expect(world.contains(#""guide":"union","seed":"8","clock":"real""#), "\(world)")
                }
                try await RunningServer.serve("--scenario", file.path, "--clock", "manual") { server in
                    let clock = try await admin(server, "/clock").body
                    #expect(clock.contains(#""now":"2025-06-01T00:00:00.000000000Z""#), "\(clock)")
                }
            }
        }

        @Test("--watch follows a file that breaks, recovers, disappears and returns")
        func watch() async throws {
            try await withFolder { folder in
                let file = folder["mine.yaml"]
                try write("name: mine\n", file)
                try await RunningServer.serve("--scenario", file.path, "--watch") { server in
                    #expect(try await goals(server) == 200)
                    try write(Self.good, file)
                    var lines = try await server.logged("reloaded '\(file.path)'")
                    #expect(lines.count == 1, "\(lines)")
                    #expect(try await goals(server) == 503)

                    try write(Self.bad, file)
                    lines = try await server.logged("faults[0].retry_aftr", skipping: 1)
                    try #require(lines.count >= 2, "\(lines)")
                    #expect(lines[0].hasSuffix("error \(Messages.broken(file.path))"), "\(lines)")
                    #expect(lines[1].contains("error \(file.path):3:"), "\(lines)")
                    #expect(try await goals(server) == 503)

                    let count = try server.log.split(separator: "\n").count
                    try write("name: mended\n", file)
                    try await server.logged("reloaded", skipping: count)
                    #expect(try await goals(server) == 200)

                    try FileManager.default.removeItem(at: file)
                    lines = try await server.logged("is missing", skipping: count + 1)
                    #expect(lines.count == 1, "\(lines)")
                    try write(Self.good, file)
                    lines = try await server.logged("reloaded", skipping: count + 2)
                    #expect(lines.count == 1, "It is told once that a file is gone: \(lines)")
                    #expect(try await goals(server) == 503)
                }
            }
        }

        private enum Messages {
            static func broken(_ path: String) -> String {
                "'\(path)' has errors; until you fix them, the server uses the last version loaded:"
            }
        }

        @Test("--import continues with the data of --export-on-exit")
        func state() async throws {
            try await withFolder { folder in
                let file = folder["state.json"].path
                var before = ""
                var token = ""
                try await RunningServer.serve("--instant", "--export-on-exit", file) { server in
                    let curl = try await Curl(server, user: "anna")
                    token = curl.token
                    _ = try await curl.send(
                        "POST", "/api/v1/goals",
                        #"{"title":"Run","description":"Far","targetDate":"2030-01-01T00:00:00Z"}"#)
                    _ = try await curl.send("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
                    before =
                        try await curl.send("GET", "/api/v1/goals").body
                        + curl.send("GET", "/api/v1/consultations").body
                    #expect(!FileManager.default.fileExists(atPath: file))
                }
                #expect(before.contains("Run") && !token.isEmpty)
                let check = try await Command(try Programs.fitiqMock(), ["check", file])
                #expect(check.output == "\(file): ok\n", "\(check.transcript)")
                try await RunningServer.serve("--instant", "--import", file, "--scenario", "flaky-500") { server in
                    #expect(server.ready.scenario == "flaky-500")
                    let curl = try await Curl(server, user: "anna")
                    var after: [String] = []
                    for path in ["/api/v1/goals", "/api/v1/consultations"] {
                        for _ in 0..<5 {
                            let response = try await curl.send("GET", path)
                            guard response.status == 200 else { continue }
                            after.append(response.body)
                            break
                        }
                    }
                    #expect(after.joined() == before)
                }
            }
        }

        @Test("An export that fails exits with 3, at the start if possible")
        func noExport() async throws {
            let process = Process()
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let target = folder["nowhere"].appendingPathComponent("state.json").path
            let errors = try folder.create("err")
            let told = "fitiq-mock: cannot write to '\(target)': its folder does not exist; create it first.\n"
            let early = try await Command(Programs.fitiqMock(), ["serve", "--port", "0", "--export-on-exit", target])
            #expect(early.status == 3 && early.errors == told && early.output.isEmpty, "\(early.transcript)")
            try FileManager.default.createDirectory(at: folder["nowhere"], withIntermediateDirectories: false)
            let program = try Programs.fitiqMock().path
            let banner = folder["banner"].path
            // The shell waits for the banner and then stops the server.
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c",
                #"mkfifo "$2"; "$0" serve --port 0 --export-on-exit "$1" > "$2" & exec 3< "$2"; read -r _ <&3; "#
                    + #"rmdir "$3"; kill $!; wait $!"#,
                program, target, banner, folder["nowhere"].path,
            ]
            process.environment = Command.environment
            process.standardError = errors
            #expect(try await process.runToItsEnd() == 3)
            #expect(try folder.read("err") == told)
        }

        @Test("check reports the errors in each file and names the valid files")
        func check() async throws {
            try await withFolder { folder in
                try write(Self.good, folder["good.yaml"])
                try write(Self.bad, folder["bad.yaml"])
                try write(
                    "name: c\nusers:\n  - id: default\n    goals:\n      - title: Run\n        created_at: 1d ago\n        updated_at: 2d ago\n",
                    folder["unfit.yaml"])
                let check = try await Command(
                    try Programs.fitiqMock(), ["check", "bad.yaml", "good.yaml", "unfit.yaml", "none.yaml", "."],
                    directory: folder.url)
                #expect(check.status == 2)
                #expect(check.output == "good.yaml: ok\n")
                let lines = check.errors.split(separator: "\n")
                #expect(
                    lines.contains { $0.hasPrefix("bad.yaml:3:40: faults[0].retry_aftr is not a key of") }, "\(lines)")
                #expect(lines.contains { $0.hasPrefix("unfit.yaml:7:9: users[0].goals[0].updated_at: ") }, "\(lines)")
                #expect(lines.contains("none.yaml: cannot read 'none.yaml': No such file or directory."), "\(lines)")
                #expect(lines.contains(".: cannot read '.': it is a folder; specify a file in it."), "\(lines)")
                let good = try await Command(try Programs.fitiqMock(), ["check", folder["good.yaml"].path])
                #expect(good.status == 0 && good.errors == "")
            }
        }

        @Test("scenarios lists every built-in scenario and prints each so that check accepts it")
        func scenarios() async throws {
            let program = try Programs.fitiqMock()
            let list = try await Command(program, ["scenarios"])
            let names = list.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
            #expect(list.status == 0 && names.count >= 19 && names.first == "default")
            for name in names {
                let text = try await Command(program, ["scenarios", String(name)])
                #expect(text.status == 0 && text.output.contains("name: \(name)\n"), "\(text.transcript)")
                let check = try await Command(program, ["check", "/dev/stdin"], input: text.output)
                #expect(check.status == 0, "\(name): \(check.transcript)")
            }
        }

        @Test("For an invalid scenario, the command prints the location of each error and exits with 2")
        func mistakes() async throws {
            try await withFolder { folder in
                try write(Self.bad, folder["bad.yaml"])
                try write(
                    "name: c\nusers:\n  - id: default\n    goals:\n      - {title: Run, created_at: 1d ago, updated_at: 2d ago}\n",
                    folder["unfit.yaml"])
                for (options, beginning) in [
                    (
                        ["--scenario", "bad.yaml"],
                        "fitiq-mock: cannot use 'bad.yaml':\nbad.yaml:3:40: faults[0].retry_aftr "
                    ),
                    (
                        ["--import", "bad.yaml"],
                        "fitiq-mock: cannot use 'bad.yaml':\nbad.yaml:3:40: faults[0].retry_aftr "
                    ),
                    (["--scenario", "unfit.yaml"], "fitiq-mock: cannot use 'unfit.yaml':\nunfit.yaml:5:"),
                    (["--import", "unfit.yaml"], "fitiq-mock: cannot use 'unfit.yaml':\nunfit.yaml:5:"),
                    (["--scenario", "none.yaml"], "fitiq-mock: cannot read 'none.yaml': No such file"),
                    (["--scenario", "conflit"], #"fitiq-mock: There is no built-in scenario "conflit". Did you mean"#),
                    (["--scenario", "conflict", "--watch"], "fitiq-mock: --watch requires a scenario file"),
                    (["--watch"], "fitiq-mock: --watch requires a scenario file"),
                    (["--clock", "hand"], "fitiq-mock: --clock must be one of real, manual; got 'hand'."),
                    (["--admin-token", ""], "fitiq-mock: --admin-token must not be empty."),
                    (["--state", "a", "--import", "b"], "fitiq-mock: --state and --import both set the initial state"),
                    (["--state", "none/a"], "fitiq-mock: 'none/a' cannot be opened or created: its folder"),
                    (["--state", "bad.yaml"], "fitiq-mock: 'bad.yaml' is not a fitiq-mock state file: choose"),
                ] {
                    let command = try await Command(
                        try Programs.fitiqMock(), ["serve", "--port", "0"] + options, directory: folder.url)
                    #expect(command.status == 2 && command.output == "")
                    #expect(command.errors.hasPrefix(beginning), "\(options): \(command.errors)")
                }
            }
        }

        @Test("Environment variables set the same values as the scenario's options")
        func environment() async throws {
            let program = try Programs.fitiqMock()
            for (name, value, told) in [
                ("SCENARIO", "conflit", "conflit"), ("CLOCK", "hand", "--clock"), ("WATCH", "1", "--watch"),
                ("WATCH", "maybe", "FITIQ_MOCK_WATCH"), ("IMPORT", "/none", "/none"),
                ("ADMIN_TOKEN", " ", "--admin-token"),
                ("EXPORT_ON_EXIT", "", "--export-on-exit"), ("STATE", "", "--state"),
            ] {
                let command = try await Command(
                    program, ["serve", "--port", "0"], environment: ["FITIQ_MOCK_" + name: value])
                #expect(command.status == 2 && command.errors.contains(told), "\(name): \(command.transcript)")
            }
        }
    }
}
