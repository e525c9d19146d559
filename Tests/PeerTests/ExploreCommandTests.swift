import Foundation
import JSON
import TestSupport
import Testing

extension ExploringPeers {
    /// `fitiq-mock explore` with small commands as clients.
    @Suite("fitiq-mock explore")
    struct ExploreCommandTests {
        private static let list = CommandPeers.VerifyCommandTests.list
        /// Lists the consultations, and retries once if the request fails.
        private static let retrying = #"\#(list) -f --retry 1 --retry-delay 1 --retry-all-errors || true"#

        private func explore(
            _ options: [String], _ script: String, in folder: ScratchFolder
        ) async throws -> Command {
            try await Command(
                try Programs.fitiqMock(), ["explore"] + options + ["--", "sh", "-c", script], directory: folder.url)
        }

        private func found(in folder: ScratchFolder) throws -> [String] {
            let path = folder["found"].path
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        }

        @Test("A robust client exits with 0, creates no folder and shows its output once")
        func withstands() async throws {
            try await withFolder { folder in
                let run = try await explore(
                    ["--runs", "6", "--only", "failed"], "\(Self.retrying); echo to-output; echo to-errors >&2",
                    in: folder)
                #expect(run.status == 0, "\(run.transcript)")
                #expect(run.errors.split(separator: "\n").count { $0 == "to-output" } == 1, "\(run.transcript)")
                #expect(!run.output.contains("\nto-output"), "\(run.transcript)")
                #expect(run.output.contains("Tried ") && run.output.contains("It reached its "), "\(run.transcript)")
                #expect(try found(in: folder) == [])
            }
        }

        @Test("A run's verdict includes the worlds that the command creates")
        func ownWorlds() async throws {
            try await withFolder { folder in
                let run = try await explore(
                    ["--runs", "1", "--confirm", "1/1"], CommandPeers.VerifyCommandTests.shoutInOwnWorld, in: folder)
                #expect(run.status == 1, "\(run.transcript)")
                #expect(run.output.contains("ids/lowercase"), "\(run.transcript)")
                #expect(run.output.contains("(Login)"), "\(run.transcript)")
                #expect(try found(in: folder) == ["lowercase.yaml"])
                let again = try await explore(
                    ["--replay", "found/lowercase.yaml"],
                    CommandPeers.VerifyCommandTests.shoutInOwnWorld, in: folder)
                #expect(again.status == 1 && again.output.contains("✗ ids/lowercase"), "\(again.transcript)")
            }
        }

        @Test("Progress appears every ten seconds even during a single run")
        func progress() async throws {
            try await withFolder { folder in
                // The first run ends once the file has two lines, or after two minutes.
                let client = #"""
                    [ -e ran ] || {
                        touch ran
                        for i in $(seq 600); do [ $(wc -l < progress) -lt 2 ] || break; sleep 0.2; done
                    }

                    """# + Self.retrying
                let script = #"""
                    "$0" explore --runs 2 --budget 10m --time-limit 3m --only failed --jobs 1 -- sh -c "$1" 2> progress
                    cat progress >&2
                    """#
                let run = try await Command.bash(script, client, in: folder)
                let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("fitiq-mock: ") }
                try #require(lines.count >= 2, "\(run.transcript)")
                for line in lines.prefix(2) {
                    #expect(
                        line.hasPrefix("fitiq-mock: first running the command without faults, "), "\(run.transcript)")
                }
            }
        }

        @Test("A command that takes longer than the budget without faults gets a report that says so")
        func slow() async throws {
            try await withFolder { folder in
                let run = try await explore(
                    ["--budget", "1s", "--json", "report.json"], "\(Self.list); exec tail -f /dev/null", in: folder)
                #expect(run.status == 1, "\(run.transcript)")
                let told = "The runs without faults used up --budget 1s, so no fault was tried:"
                #expect(run.output.contains("\n\(told)"), "\(run.transcript)")
                #expect(run.output.contains("The run is incomplete and fails."), "\(run.transcript)")
                let report = try JSON.parse(Array(Data(contentsOf: folder["report.json"])))
                #expect(report["exit_code"] == 1 && report["incomplete"] != nil, "\(run.transcript)")
                #expect(report["runs"]?[0]?["exploration"]?["ended"] == "budget", "\(run.transcript)")
            }
        }

        @Test("A known symptom that no longer appears fails the exploration unless time runs out")
        func outdated() async throws {
            try await withFolder { folder in
                // The second line is for verify.
                try "explore/crash\ncommand\n".write(to: folder["known"], atomically: true, encoding: .utf8)
                let options = ["--only", "failed", "--known-broken", "known"]
                let run = try await explore(options + ["--runs", "3"], Self.retrying, in: folder)
                #expect(run.status == 1, "\(run.transcript)")
                #expect(run.output.contains("line 1 of the known-broken list"), "\(run.transcript)")
                #expect(!run.output.contains("line 2 of the known-broken list"), "\(run.transcript)")
                let budget = ["--budget", "6s", "--jobs", "1", "--thorough"]
                let ended = try await explore(options + budget, Self.retrying, in: folder)
                #expect(ended.status == 0, "\(ended.transcript)")
            }
        }

        @Test("explore finds a command that fails on a 503 with one fault that verify can replay")
        func failing() async throws {
            try await withFolder { folder in
                let script = "\(Self.list) -f"
                let options = ["--runs", "15", "--only", "failed", "--json", "report.json", "--junit", "report.xml"]
                let run = try await explore(options + ["--markdown", "report.md", "--html", "h"], script, in: folder)
                #expect(run.status == 1, "\(run.transcript)")
                #expect(run.output.contains("explore/command"), "\(run.transcript)")
                #expect(run.output.contains("Reproduced in 3 of 3 runs"), "\(run.transcript)")
                #expect(run.output.contains(" --may-fail accepts any exit status.\n"), "\(run.transcript)")
                let files = try found(in: folder)
                let file = try #require(files.first, "\(run.transcript)")
                #expect(file.hasPrefix("command-after-status-50"), "\(files)")
                let text = try folder.read("found/\(file)")
                #expect(text.contains("# Found by: fitiq-mock explore --runs 15 --only failed "), "\(text)")
                #expect(text.matches(of: #/\n  - \{"name":/#).count == 1, "\(text)")
                for name in ["report.json", "report.xml", "report.md", "h"] {
                    #expect(try folder.read(name).contains(file.dropLast(".yaml".count)), "\(name)")
                }
                let verify = try await Command(
                    try Programs.fitiqMock(),
                    ["verify", "--scenario", "found/\(file)", "--quiet", "--", "sh", "-c", script],
                    directory: folder.url)
                #expect(verify.status == 1 && verify.output.contains("a command failed"), "\(verify.transcript)")
                // With --may-fail, a failure status is an acceptable result.
                let honest = try await explore(["--runs", "15", "--only", "failed", "--may-fail"], script, in: folder)
                #expect(honest.status == 0, "\(honest.transcript)")
                // A known defect also passes.
                try Data("explore/command\n".utf8).write(to: folder["known"])
                let known = try await explore(
                    ["--runs", "15", "--only", "failed", "--known-broken", "known"], script, in: folder)
                #expect(known.status == 0, "\(known.transcript)")
            }
        }

        @Test(
            "A crash or a hang is a finding even if every exit status is allowed",
            arguments: [
                (#"\#(list) -f || kill -SEGV $$"#, "explore/crash"),
                (#"\#(list) -f || exec tail -f /dev/null"#, "explore/hang"),
            ])
        func crash(_ script: String, _ symptom: String) async throws {
            try await withFolder { folder in
                let options = [
                    "--instant", "--may-fail", "--guide", "consultation-websocket", "--seed", "7", "--allow-origin",
                    "http://a.test:3000", "--time-limit", "2s",
                ]
                let run = try await explore(
                    options + ["--runs", "8", "--only", "failed", "--jobs", "4", "--confirm", "1/1"], script, in: folder
                )
                #expect(run.status == 1, "\(run.transcript)")
                #expect(run.output.contains(symptom), "\(run.transcript)")
                let words = (options + ["--replay "]).joined(separator: " ")
                let place = try #require(run.output.firstRange(of: "explore " + words), "\(run.transcript)")
                let file = try #require(run.output[place.upperBound...].split(separator: " ").first)
                let again = try await explore(options + ["--replay", String(file)], script, in: folder)
                #expect(again.status == 1 && again.output.contains(symptom), "\(again.transcript)")
            }
        }

        @Test("An unwritable folder or report exits with 3 before the first run")
        func noFolder() async throws {
            try await withFolder { folder in
                try Data().write(to: folder["file"])
                for options in [
                    ["--output", "file/found"], ["--output", "a/b"], ["--output", "file"], ["--html", "none/a.html"],
                    ["--json", "none/a.json"],
                ] {
                    let run = try await explore(options, "touch ran", in: folder)
                    #expect(run.status == 3 && run.output.isEmpty, "\(run.transcript)")
                    #expect(run.errors.hasPrefix("fitiq-mock: cannot write to '\(options[1])"), "\(run.transcript)")
                }
                let file = try await explore(["--output", "file"], "touch ran", in: folder)
                let told = "fitiq-mock: cannot write to 'file': it is not a folder.\n"
                #expect(file.errors == told, "\(file.transcript)")
                #expect(!FileManager.default.fileExists(atPath: folder["ran"].path))
            }
        }

        @Test("explore finds a Python client's repeated question and nothing in the correct client")
        func python() async throws {
            try await withFolder { folder in
                let client = Programs.peers.appendingPathComponent("defects/plain_client.py").path
                func run(_ mistake: String) async throws -> Command {
                    try await explore(
                        [
                            "--instant", "--jobs", "4", "--only", "cut", "--runs", "12", "--confirm", "1/1",
                            "--time-limit", "30s",
                        ], "exec \(try Programs.python().path) -B \(client) \(mistake)", in: folder)
                }
                let good = try await run("unchanged")
                #expect(good.status == 0, "\(good.transcript)")
                let bad = try await run("doubles")
                #expect(bad.status == 1, "\(bad.transcript)")
                #expect(bad.output.contains("explore/command"), "\(bad.transcript)")
                let file = try #require(try found(in: folder).first { $0.hasPrefix("command-after-") })
                let verify = try await Command(
                    try Programs.fitiqMock(),
                    [
                        "verify", "--scenario", "found/\(file)", "--quiet", "--", try Programs.python().path, "-B",
                        client, "doubles",
                    ], directory: folder.url)
                #expect(verify.status == 1, "\(verify.transcript)")
                #expect(verify.errors.contains("The question was asked twice."), "\(verify.transcript)")
            }
        }

        @Test("Exploring a client that never connects exits with 4 and tries no faults")
        func baseline() async throws {
            try await withFolder { folder in
                let silent = try await explore(["--runs", "5"], "true", in: folder)
                #expect(silent.status == 4, "\(silent.transcript)")
                let deaf = try await explore(["--runs", "5"], "exit 7", in: folder)
                #expect(deaf.status == 4 && deaf.output.contains("explore/command"), "\(deaf.transcript)")
                let failing = try await explore(
                    ["--runs", "5", "--only", "failed"], "\(Self.list); exit 7", in: folder)
                #expect(failing.status == 1 && failing.output.contains("explore/command"), "\(failing.transcript)")
            }
        }

        @Test("Ctrl-C reports the findings, ends the commands and exits with 130")
        func interrupted() async throws {
            try await withFolder { folder in
                // The thirtieth run never ends.
                let client =
                    "echo >> runs; \(Self.list) -f || exit 1; [ $(wc -l < runs) -lt 12 ] || { echo began > pipe; tail -f /dev/null; }"
                let script = #"""
                    mkfifo pipe
                    "$0" explore --confirm 1/1 --only failed --only refused --only lost -- sh -c "$1" > out 2> progress & read -r line < pipe
                    kill -INT $!
                    wait $!
                    echo "exit $?"
                    cat out
                    """#
                let run = try await Command.bash(script, client, in: folder)
                #expect(run.output.hasPrefix("exit 130\n"), "\(run.transcript)")
                #expect(run.output.contains("explore/command"), "\(run.transcript)")
                #expect(run.output.contains("\nInterrupted: "), "\(run.transcript)")
            }
        }

        @Test("--list prints the kinds of faults in the chosen families with their rules")
        func kinds() async throws {
            let all = try await Command(try Programs.fitiqMock(), ["explore", "--list"])
            #expect(all.status == 0 && all.output.contains(#""status":503"#), "\(all.transcript)")
            let cut = try await Command(
                try Programs.fitiqMock(), ["explore", "--list", "--only", "cut", "--only", "late", "--without", "late"])
            #expect(cut.output.split(separator: "\n").allSatisfy { $0.hasPrefix("cut ") }, "\(cut.transcript)")
        }

        @Test(
            "An impossible exploration prints one line on stderr and exits with 2",
            arguments: [
                (["explore"], "explore needs a command after '--'"), (["explore", "./run"], "./run"),
                (["explore", "--runs", "0", "--", "true"], "--runs must be from 1 to 10000000."),
                (["explore", "--runs", "10000001", "--", "true"], "--runs must be from 1 to 10000000."),
                (["explore", "--budget", "0", "--", "true"], "--budget must be from 1s to 7d."),
                (["explore", "--budget", "169h", "--", "true"], "--budget must be from 1s to 7d."),
                (["explore", "--jobs", "17", "--", "true"], "--jobs must be from 1 to 16."),
                (["explore", "--jobs", "0", "--", "true"], "--jobs must be from 1 to 16."),
                (["explore", "--confirm", "3/2", "--", "true"], "3/2"),
                (["explore", "--confirm", "1/21", "--", "true"], "1/21"),
                (["explore", "--only", "cuts", "--", "true"], "Did you mean 'cut'?"),
                (["explore", "--only", "cut", "--without", "cut", "--", "true"], "--without excludes all"),
                (["explore", "--scenario", "conflit", "--", "true"], "Did you mean 'conflict'?"),
                (["explore", "--output", "", "--", "true"], "--output must not be empty."),
                (["explore", "--time-limit", "0", "--", "true"], "--time-limit must be from 1s to 1d."),
                (["explore", "--runs", "1", "--", "fitiq-no-such-program"], "cannot start 'fitiq-no-such-program'"),
                (["explore", "--adapter", "--runs", "1", "--", "true"], "exited with status 0"),
                (["explore", "--replay", "none.yaml", "--", "true"], "cannot read 'none.yaml'"),
            ])
        func usage(_ arguments: [String], _ words: String) async throws {
            try await withFolder { folder in
                let command = try await Command(try Programs.fitiqMock(), arguments, directory: folder.url)
                #expect(command.status == 2, "\(command.transcript)")
                #expect(command.output == "")
                #expect(command.errors.hasPrefix("fitiq-mock: ") && command.errors.contains(words), "\(command.errors)")
                #expect(command.errors.split(separator: "\n").count == 1, "\(command.errors)")
            }
        }
    }
}
