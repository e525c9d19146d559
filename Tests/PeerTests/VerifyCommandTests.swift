import Foundation
import JSON
import TestSupport
import Testing

extension CommandPeers {
    /// `fitiq-mock verify` with small programs as clients.
    @Suite("fitiq-mock verify")
    struct VerifyCommandTests {
        /// Lists the consultations correctly.
        static let curl =
            #"curl -s -o /dev/null -H "Authorization: Bearer $FITIQ_MOCK_TOKEN" -H "X-API-Key: $FITIQ_MOCK_API_KEY""#
        static let list = #"\#(curl) "$FITIQ_MOCK_URL/api/v1/consultations""#
        /// Requests an upper-case id.
        static let shout =
            #"\#(curl) "$FITIQ_MOCK_URL/api/v1/consultations/8F3B2A10-0000-4000-8000-00000000000A/messages""#
        static let whisper =
            #"\#(curl) "$FITIQ_MOCK_URL/api/v1/consultations/8f3b2a10-0000-4000-8000-00000000000a/messages""#

        private func verify(
            _ options: [String] = [], _ script: String, directory: URL? = nil
        ) async throws -> Command {
            try await Command(
                try Programs.fitiqMock(), ["verify"] + options + ["--", "sh", "-c", script], directory: directory)
        }

        @Test("A successful run exits with 0 and prints only the report on standard output")
        func kept() async throws {
            let run = try await verify([], "\(Self.whisper); echo to-output; echo to-errors >&2; cat")
            #expect(run.status == 0, "\(run.transcript)")
            #expect(run.output.hasPrefix("sh -c ") && !run.output.contains("\nto-output"), "\(run.transcript)")
            #expect(run.output.contains("✓ ids/lowercase"), "\(run.transcript)")
            let errors = run.errors.split(separator: "\n")
            try #require(errors.count == 4, "\(run.errors)")
            #expect(errors[0] == "fitiq-mock: scenario 1 of 1, default: the command runs")
            #expect(errors[1] == "to-output" && errors[2] == "to-errors")
            #expect(errors[3].hasPrefix("fitiq-mock: scenario 1 of 1, default: the command exited with 0 after "))
            #expect(errors[3].hasSuffix(" s, 1 request, 0 frames"), "\(errors[3])")
            let quiet = try await verify(["--quiet"], Self.whisper)
            #expect(quiet.status == 0 && quiet.errors == "", "\(quiet.transcript)")
        }

        @Test("The options set the worlds' origins, compression and network")
        func wire() async throws {
            let page = #"\#(Self.curl) -D - -H "Origin: http://a.example" -H "Accept-Encoding: gzip""#
            let script =
                #"\#(page) "$FITIQ_MOCK_URL/api/v1/quick-actions" | grep -iE '^(access-control-allow-o|content-enc)'"#
            let run = try await verify(["--cors", "http://a.example", "--compression", "on"], script)
            #expect(run.errors.contains("http://a.example") && run.errors.contains("gzip"), "\(run.transcript)")
            let plain = try await verify([], script + "; true")
            #expect(!plain.errors.lowercased().contains("\naccess") && plain.status == 0, "\(plain.transcript)")
            let offline = try await verify(["--network", "offline"], #"\#(Self.list) --max-time 20; echo "curl $?""#)
            #expect(offline.errors.contains("curl ") && !offline.errors.contains("curl 0"), "\(offline.transcript)")
            let wrong = try await verify(["--network", "trian"], "touch ran")
            #expect(wrong.status == 2 && wrong.errors.contains("Did you mean 'train'?"), "\(wrong.transcript)")
        }

        @Test("A run with a broken `must` exits with 1 and says what happened")
        func broken() async throws {
            let run = try await verify([], Self.shout)
            #expect(run.status == 1, "\(run.transcript)")
            #expect(run.output.contains("✗ ids/lowercase"), "\(run.transcript)")
            #expect(run.output.contains("8F3B2A10-0000-4000-8000-00000000000A"), "\(run.transcript)")
        }

        @Test(
            "A run with a failing command exits with 1 and reports the command separately",
            arguments: [("exit 7", "exited with 7"), ("kill -9 $$", "was terminated by signal 9")])
        func failing(end: String, told: String) async throws {
            let run = try await verify([], "\(Self.whisper); \(end)")
            #expect(run.status == 1, "\(run.transcript)")
            #expect(run.output.contains("✓ ids/lowercase"), "\(run.transcript)")
            #expect(run.errors.contains("the command \(told) after "), "\(run.transcript)")
            #expect(run.output.contains("command"), "\(run.transcript)")
        }

        @Test("A client that may fail passes with any exit status but not after a signal or time-out")
        func mayFail() async throws {
            let honest = try await verify(["--may-fail"], "\(Self.whisper); exit 7")
            #expect(honest.status == 0 && honest.output.contains("The run passes."), "\(honest.transcript)")
            #expect(honest.errors.contains("the command exited with 7 after "), "\(honest.transcript)")
            let killed = try await verify(["--may-fail"], "\(Self.whisper); kill -9 $$")
            #expect(killed.status == 1 && killed.output.contains("a command failed"), "\(killed.transcript)")
        }

        @Test("A command known to fail in a scenario passes only in that scenario")
        func knownCommand() async throws {
            try await withFolder { folder in
                try Data("conflict command\n".utf8).write(to: folder["known"])
                let client = "\(Self.whisper); [ $FITIQ_MOCK_SCENARIO != conflict ]"
                let options = [
                    "--scenario", "default", "--scenario", "conflict", "--known-broken", "known", "--json",
                    "report.json",
                ]
                let known = try await verify(options, client, directory: folder.url)
                #expect(known.status == 0, "\(known.transcript)")
                #expect(
                    known.output.contains(
                        "The command ended with exit status 1 in conflict, which is a known failure."),
                    "\(known.transcript)")
                let report = try JSON.parse(Array(folder.read("report.json").utf8))
                #expect(report["runs"]?[1]?["command"]?["mark"] == "known_broken", "\(report)")
                #expect(report["outcome"]?["failed_commands"] == 0, "\(report)")
                let all = try await verify(options, "\(Self.whisper); exit 1", directory: folder.url)
                #expect(all.status == 1 && all.output.contains("1 command failed: in default."), "\(all.transcript)")
                let mended = try await verify(options, Self.whisper, directory: folder.url)
                #expect(mended.status == 1 && mended.output.contains("command was kept in conflict, but line 1"))
            }
        }

        @Test("A run with a client that never connects exits with 4", arguments: ["true", "false"])
        func neverConnected(command: String) async throws {
            let run = try await verify([], command)
            #expect(run.status == 4, "\(run.transcript)")
        }

        @Test("verify runs every built-in scenario once")
        func all() async throws {
            try await withFolder { folder in
                let run = try await verify(["--all"], #"echo "$FITIQ_MOCK_SCENARIO" >> seen"#, directory: folder.url)
                #expect(run.status == 4, "\(run.transcript)")
                let list = try await Command(try Programs.fitiqMock(), ["scenarios"])
                let names = list.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
                #expect(try folder.read("seen").split(separator: "\n") == names)
            }
        }

        @Test("Environment variables name each scenario's world, admin API and tokens")
        func environment() async throws {
            try await withFolder { folder in
                try Data("name: mine\nclock: {manual: \"2025-06-01T00:00:00Z\"}\n".utf8).write(to: folder["mine.yaml"])
                let script = #"""
                    echo "$FITIQ_MOCK_SCENARIO $FITIQ_MOCK_URL $FITIQ_MOCK_WS_URL"
                    curl -s "$FITIQ_MOCK_ADMIN_URL/clock" -H 'Content-Type: application/json' -d '{"advance":"5s"}'; echo
                    for token in "$FITIQ_MOCK_TOKEN" "$FITIQ_MOCK_FRESH_TOKEN"; do
                        curl -s -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $token" \
                            -H "X-API-Key: $FITIQ_MOCK_API_KEY" "$FITIQ_MOCK_URL/api/v1/consultations"
                    done
                    [ "$FITIQ_MOCK_TOKEN" != "$FITIQ_MOCK_FRESH_TOKEN" ]
                    """#
                let run = try await verify(
                    ["--quiet", "--scenario", "mine.yaml", "--scenario", "default"], script, directory: folder.url)
                #expect(run.status == 0, "\(run.transcript)")
                let lines = run.errors.split(separator: "\n").map(String.init)
                try #require(lines.count == 8, "\(run.transcript)")
                let first = lines[0].split(separator: " ")
                let second = lines[4].split(separator: " ")
                #expect(first.first == "mine" && second.first == "default")
                #expect(first[1].hasPrefix("http://127.0.0.1:") && first[2].hasPrefix("ws://127.0.0.1:"))
                #expect(first[1] != second[1], "Each scenario has a world.")
                #expect(lines[1].contains(#""now":"2025-06-01T00:00:05.000000000Z""#), "\(lines[1])")
                #expect(lines[2] == "200" && lines[3] == "200" && lines[6] == "200")
            }
        }

        /// Makes a world below the run's world, requests an upper-case id in it, and deletes it.
        static let shoutInOwnWorld = #"""
            made=$(curl -s -H 'Content-Type: application/json' -d '{"scenario":"conflict","label":"Login"}' \
                "$TEST_RUNNER_FITIQ_MOCK_URL/__admin/worlds")
            field() { echo "$made" | grep -o "\"$1\":\"[^\"]*\"" | cut -d '"' -f 4; }
            curl -s -o /dev/null -H "Authorization: Bearer $(field token)" -H "X-API-Key: $(field api_key)" \
                "$(field url)/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"
            curl -s -f -X DELETE "$FITIQ_MOCK_ADMIN_URL/worlds/$(field id)" || exit 9
            """#

        @Test("A run's verdict includes worlds that the command creates and deletes")
        func ownWorlds() async throws {
            try await RunningServer.serve { server in
                for place in [[], ["--server", server.ready.url]] {
                    let run = try await verify(place + ["--scenario", "default"], Self.shoutInOwnWorld)
                    #expect(run.status == 1, "\(run.transcript)")
                    #expect(run.output.contains("In default > conflict: broken once"), "\(run.transcript)")
                    #expect(run.output.contains("→ GET /w/w") && run.output.contains("(Login)"), "\(run.transcript)")
                    #expect(run.output.contains("✗ ids/lowercase"), "\(run.transcript)")
                    #expect(run.errors.contains("exited with 0"), "\(run.transcript)")
                    #expect(run.errors.contains("1 world created by the command"), "\(run.transcript)")
                }
            }
        }

        @Test("--guide and --seed override the scenario's guide and seed")
        func guide() async throws {
            let create = #"""
                curl -s -H "Authorization: Bearer $FITIQ_MOCK_TOKEN" -H "X-API-Key: $FITIQ_MOCK_API_KEY" \
                    -H 'Content-Type: application/json' -d '{"coach_type":"nutritionist"}' "$FITIQ_MOCK_URL/api/v1/consultations"
                """#
            let first = try await verify(["--guide", "websocket-architecture", "--seed", "7", "--quiet"], create)
            #expect(first.errors.hasPrefix(#"{"consultation_id":""#), "\(first.transcript)")
            let second = try await verify(["--guide", "websocket-architecture", "--seed", "7", "--quiet"], create)
            #expect(second.errors.prefix(60) == first.errors.prefix(60), "\(second.transcript)")
            let third = try await verify(["--guide", "websocket-architecture", "--seed", "8", "--quiet"], create)
            #expect(third.errors.prefix(60) != first.errors.prefix(60), "\(third.transcript)")
        }

        @Test("verify's time limit ends the command and its children, and the run still gets a verdict")
        func timeLimit() async throws {
            try await withFolder { folder in
                // The pipe ends when no process can write to it any more.
                let script = #"""
                    mkfifo pipe never
                    "$0" verify --time-limit 3s -- sh -c "$1" & exec 3< pipe
                    wait $!
                    echo "exit $?"
                    cat <&3
                    """#
                let client = "\(Self.whisper); exec 3> pipe; trap '' TERM; cat <> never & wait"
                let start = ContinuousClock.now
                let run = try await Command.bash(script, client, in: folder)
                #expect(ContinuousClock.now - start < .seconds(20))
                #expect(run.output.hasSuffix("exit 1\n"), "\(run.transcript)")
                #expect(run.errors.contains("the command reached its time limit"), "\(run.transcript)")
                #expect(run.output.contains("✓ ids/lowercase"), "\(run.transcript)")
            }
        }

        @Test("--jobs runs scenarios concurrently and prefixes each line of output with the scenario")
        func jobs() async throws {
            try await withFolder { folder in
                // A pipe opens only when both ends open, so commands that ran one after another would wait forever.
                #expect(mkfifo(folder["meeting"].path, 0o600) == 0)
                let script = #"""
                    echo "first $FITIQ_MOCK_SCENARIO"; echo "error of $FITIQ_MOCK_SCENARIO" >&2
                    if [ $FITIQ_MOCK_SCENARIO = default ]; then : > meeting; else : < meeting; fi
                    printf last
                    """# + "\n" + Self.shout
                let run = try await verify(
                    ["--scenario", "default", "--scenario", "conflict", "--jobs", "2"], script, directory: folder.url)
                #expect(run.status == 1, "\(run.transcript)")
                for name in ["default", "conflict"] {
                    let output = ["first \(name)", "error of \(name)", "last"].map { "\(name) | \($0)\n" }.joined()
                    let shown = try #require(run.errors.firstRange(of: output), "\(run.transcript)")
                    let end = run.errors.firstRange(of: "\(name): the command exited")
                    #expect(try #require(end, "\(run.transcript)").lowerBound > shown.lowerBound, "\(run.transcript)")
                }
                #expect(run.output.contains("First in default, and then in conflict:"), "\(run.transcript)")
                #expect(!run.output.contains("error of default"), "\(run.transcript)")
            }
        }

        @Test("Ctrl-C reports the finished scenarios and exits with 130", arguments: ["1", "2"])
        func reported(jobs: String) async throws {
            try await withFolder { folder in
                let client =
                    "[ $FITIQ_MOCK_SCENARIO = conflict ] || { \(Self.whisper); exit; }; "
                    + "echo began > pipe; cat <> never"
                // Once its progress line has been printed, the first run's result is certain to be reported.
                let script = #"""
                    mkfifo pipe never progress
                    "$0" verify --jobs $2 --scenario default --scenario conflict -- sh -c "$1" > out 2> progress & exec 3< progress
                    read -r line < pipe
                    while read -r line <&3 && [[ $line != *"default: the command exited"* ]]; do :; done
                    kill -INT $!
                    wait $!
                    echo "exit $?"
                    cat out
                    """#
                let run = try await Command.bash(script, client, jobs, in: folder)
                #expect(run.output.hasPrefix("exit 130\n"), "\(run.transcript)")
                #expect(
                    run.output.contains("\n\nInterrupted: 1 of 2 scenarios is in this report.\n"), "\(run.transcript)")
                #expect(run.output.contains("✓ ids/lowercase"), "\(run.transcript)")
            }
        }

        @Test("Ctrl-C before the first scenario ends stops the command and exits with 130")
        func interrupted() async throws {
            try await withFolder { folder in
                let script = #"""
                    mkfifo pipe never
                    "$0" verify --quiet -- sh -c 'exec 3> pipe; cat <> never & wait' > out & exec 3< pipe
                    kill -INT $!
                    wait $!
                    echo "exit $?"
                    cat <&3; cat out
                    """#
                let run = try await Command.bash(script, in: folder)
                #expect(run.output == "exit 130\n", "\(run.transcript)")
                #expect(run.errors == "fitiq-mock: interrupted; the command was stopped, and nothing was judged.\n")
            }
        }

        @Test("With a known-broken list, a listed breach passes and a kept obligation fails")
        func knownBroken() async throws {
            try await withFolder { folder in
                // The last line is for explore.
                try Data("# later\nids/lowercase\nexplore/command\n".utf8).write(to: folder["known"])
                let options = ["--known-broken", folder["known"].path]
                let broken = try await verify(options, Self.shout)
                #expect(broken.status == 0, "\(broken.transcript)")
                let kept = try await verify(options, Self.whisper)
                #expect(kept.status == 1, "\(kept.transcript)")
                #expect(!kept.output.contains("explore/command"), "\(kept.transcript)")
                try Data("ids/lowercas\n".utf8).write(to: folder["known"])
                let mistake = try await verify(options, "touch \(folder["ran"].path)")
                #expect(mistake.status == 2 && mistake.errors.contains("ids/lowercase"), "\(mistake.transcript)")
                #expect(!FileManager.default.fileExists(atPath: folder["ran"].path))
            }
        }

        @Test("A report that cannot be written exits with 3")
        func reports() async throws {
            try await withFolder { folder in
                let run = try await verify(
                    ["--junit", "c.xml", "--json", "c.json", "--markdown", "c.md", "--scenario", "default"],
                    Self.whisper, directory: folder.url)
                #expect(run.status == 0, "\(run.transcript)")
                #expect(try folder.read("c.xml").contains("<testsuites"))
                #expect(try folder.read("c.md").contains("ids/lowercase"))
                let data = try Data(contentsOf: folder["c.json"])
                #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
                let lost = try await verify(["--junit", "/dev/full"], Self.whisper, directory: folder.url)
                #expect(lost.status == 3 && lost.errors.contains("cannot write to '/dev/full'"), "\(lost.transcript)")
                #expect(lost.output.contains("ids/lowercase"), "\(lost.transcript)")
                let early = try await verify(["--junit", "nowhere/c.xml"], Self.whisper, directory: folder.url)
                #expect(early.status == 3 && early.output.isEmpty, "\(early.transcript)")
                #expect(early.errors.contains("cannot write to 'nowhere/c.xml'"), "\(early.transcript)")
            }
        }

        @Test(
            "An invalid run prints one line on stderr and exits with 2",
            arguments: [
                (
                    ["verify"],
                    "verify needs a command after '--': fitiq-mock verify --scenario conflict -- ./run-my-tests."
                ),
                (["verify", "--"], "verify needs a command after '--'"),
                (["verify", "./run"], "./run"),
                (["verify", "--scenario", "conflit", "--", "true"], "Did you mean 'conflict'?"),
                (["verify", "--scenario", "/none.yaml", "--", "true"], "cannot read '/none.yaml'"),
                (["verify", "--guide", "goal-liking", "--", "true"], "Did you mean 'goal-linking'?"),
                (["verify", "--time-limit", "0", "--", "true"], "--time-limit must be from 1s to 1d."),
                (["verify", "--time-limit", "soon", "--", "true"], "soon"),
                (["verify", "--junit", "", "--", "true"], "--junit must not be empty."),
                (["verify", "--jobs", "0", "--", "true"], "--jobs must be from 1 to 16."),
                (["verify", "--jobs", "17", "--", "true"], "--jobs must be from 1 to 16."),
                (["verify", "--annotations", "gitlab", "--", "true"], "github"),
                (
                    ["verify", "--quiet", "--", "fitiq-no-such-program"],
                    "cannot start 'fitiq-no-such-program': no program with that name in PATH"
                ),
                (["verify", "--quiet", "--", "/etc/passwd"], "cannot start '/etc/passwd': it is not executable"),
            ])
        func usage(_ arguments: [String], _ words: String) async throws {
            let command = try await Command(try Programs.fitiqMock(), arguments)
            #expect(command.status == 2, "\(command.transcript)")
            #expect(command.output == "")
            #expect(command.errors.hasPrefix("fitiq-mock: ") && command.errors.contains(words), "\(command.errors)")
            #expect(command.errors.split(separator: "\n").count == 1, "\(command.errors)")
        }

        @Test("The shell script for CI writes the reports and shows them on the job's page")
        func continuousIntegration() async throws {
            try await withFolder { folder in
                let script = URL.fixtures.appending(path: "ci/contract.sh")
                var environment = [
                    "FITIQ_MOCK": try Programs.fitiqMock().path, "SCENARIOS": "default conflict",
                    "GITHUB_STEP_SUMMARY": folder["summary.md"].path, "GITHUB_ACTIONS": "", "REPORTS": "out",
                ]
                func run(_ client: String) async throws -> Command {
                    try await Command(script, ["sh", "-c", client], environment: environment, directory: folder.url)
                }
                let kept = try await run(Self.whisper)
                #expect(kept.status == 0, "\(kept.transcript)")
                #expect(kept.errors.contains("scenario 2 of 2, conflict"), "\(kept.transcript)")
                #expect(try folder.read("summary.md") == folder.read("out/contract.md"))
                #expect(try folder.read("out/contract.xml").contains("<testsuites"))
                #expect(try folder.read("out/contract.json").hasPrefix("{"))
                let broken = try await run(Self.shout)
                #expect(broken.status == 1 && broken.errors.contains("breaks the contract"), "\(broken.transcript)")
                #expect(!broken.output.contains("::error"))
                environment["GITHUB_ACTIONS"] = "true"
                #expect(try await run(Self.shout).output.contains("\n::error title=ids/lowercase (must)::"))
                environment["GITHUB_ACTIONS"] = ""
                let silent = try await run("true")
                #expect(silent.status == 4 && silent.errors.contains("FITIQ_MOCK_URL"), "\(silent.transcript)")
                try Data("ids/lowercase\n".utf8).write(to: folder["known-broken.txt"])
                let known = try await run(Self.shout)
                #expect(known.status == 0, "\(known.transcript)")
                try Data("ids/nothing\n".utf8).write(to: folder["known-broken.txt"])
                let mistaken = try await run(Self.shout)
                #expect(mistaken.status == 2, "\(mistaken.transcript)")
                let old = folder["out/contract.md"].path
                #expect(!FileManager.default.fileExists(atPath: old), "A report of an earlier run is left.")
                let empty = try await Command(script, [], environment: environment)
                #expect(empty.status == 2 && empty.errors.contains("name the command"), "\(empty.transcript)")
                let missing = try await Command(script, ["true"], environment: ["FITIQ_MOCK": "/none"])
                #expect(missing.status == 2 && missing.errors.contains("no program '/none'"), "\(missing.transcript)")
            }
        }
    }
}
