import Foundation
import TestSupport
import Testing

extension CommandPeers {
    /// Files and streams that commands read and write.
    @Suite("Files and streams")
    struct FilesStory {
        private static let session = Programs.sessions.appendingPathComponent("chat.har").path

        /// Runs a script in its own folder; `$0` is the program, and `$1` is a recorded session.
        private func run(_ script: String, shell: String = "/bin/sh") async throws -> Command {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            return try await Command(
                URL(fileURLWithPath: shell), ["-c", script, try Programs.fitiqMock().path, Self.session],
                environment: ["FITIQ_MOCK_DATA_DIR": folder["data"].path], directory: folder.url)
        }

        static let printing = [
            "token", "scenarios", "scenarios conflict", "--help", "--version", "help serve", "verify --help",
            "certificate", "certificate --ca", "certificate --pem", "test-client --list", "show \"$1\"",
            "show --bodies \"$1\"", "diff \"$1\" \"$1\"", "diff \"$1\" \"${1%chat.har}goals.har\"", "judge \"$1\"",
            "check \"$0.yaml\"", "verify -- true", "--generate-completion-script bash",
        ]

        #if os(Linux)
            @Test("Writing to a full disk prints a sentence and exits with 3", arguments: printing)
            func full(_ arguments: String) async throws {
                let command = try await run(
                    "\"$0\" scenarios default >default.yaml; " + quietly(arguments) + " >/dev/full")
                #expect(command.status == 3, "\(command.transcript)")
                #expect(
                    command.errors.hasSuffix("fitiq-mock: cannot write to standard output: the disk is full.\n"),
                    "\(command.errors)")
            }

            @Test("A server that cannot write its banner reports the error and serves")
            func banner() async throws {
                let command = try await run(
                    """
                    mkfifo log
                    timeout 60 "$0" serve --port 0 --ready-file ready.json >/dev/full 2>log &
                    grep -m 1 'standard output' log >&2
                    test -s ready.json && kill $! && wait $!
                    """)
                #expect(command.status == 0, "\(command.transcript)")
                #expect(command.errors.contains("standard output: the disk is full"), "\(command.errors)")
            }
        #endif

        private func quietly(_ arguments: String) -> String {
            "timeout 60 \"$0\" "
                + arguments.replacing("\"$0.yaml\"", with: "default.yaml")
                .replacing("verify --", with: "verify --quiet --").replacing("--quiet --help", with: "--help")
        }

        @Test("A reader that closes early ends a command without a message", arguments: printing)
        func brokenPipe(_ arguments: String) async throws {
            let command = try await run(
                """
                "$0" scenarios default >default.yaml
                mkfifo pipe && exec 3<>pipe 4>pipe 3>&-
                \(quietly(arguments)) >&4
                """)
            // The command is terminated by a signal, which `timeout` reports in the same way as shells do. If a loop or
            // the parent process ignores that signal, the command exits with the usual code.
            let usual: Int32 = arguments == "verify -- true" ? 4 : arguments.contains("goals.har") ? 1 : 0
            #expect([usual, 141].contains(command.status) && command.errors == "", "\(command.transcript)")
        }

        @Test("A command reports a closed standard output and does not reuse its descriptor")
        func closed() async throws {
            let command = try await run(#""$0" judge "$1" --json report.json >&-; echo $?; head -c 10 report.json"#)
            #expect(command.output == "3\n{\"format\":", "\(command.transcript)")
            #expect(command.errors == "fitiq-mock: cannot write to standard output: it is closed.\n")
        }

        static let reading = [
            "check pipe", "show pipe", "diff pipe pipe", "judge pipe", "serve --port 0 --scenario ./pipe",
            "serve --port 0 --import pipe", "serve --port 0 --tls --certificate pipe --key pipe",
            "record --port 0 --upstream https://127.0.0.1:9 --upstream-ca pipe --output session.har",
            "replay pipe --port 0", "verify --scenario ./pipe -- true", "verify --known-broken pipe -- true",
            "check replay.yaml",
        ]

        @Test("Commands immediately reject a pipe, a device or a folder in place of a file", arguments: reading)
        func special(_ arguments: String) async throws {
            for (making, words) in [
                ("mkfifo pipe", "it is a pipe or a device"), ("ln -s /dev/zero pipe", "it is a pipe or a device"),
                ("mkdir pipe", "it is a folder"),
            ] {
                let command = try await run(
                    "printf 'name: a\\nreplay: {session: pipe}\\n' >replay.yaml; \(making); timeout 20 \"$0\" \(arguments)"
                )
                #expect(command.status == 2, "\(making): \(command.transcript)")
                #expect(command.errors.contains(words), "\(making): \(command.errors)")
                #expect(command.errors.split(separator: "\n").count <= 2, "\(making): \(command.errors)")
            }
        }

        @Test(
            "A command reads a given descriptor like a file",
            arguments: [
                #""$0" judge <(cat "$1")"#, #""$0" judge /dev/stdin <"$1""#, #"cat "$1" | "$0" judge /dev/stdin"#,
                #"cat "$1" | "$0" judge -"#, #""$0" judge - <"$1""#, #""$0" judge /dev/fd/7 7<"$1""#,
            ])
        func descriptors(_ script: String) async throws {
            let file = try await run(#""$0" judge "$1" | grep -v chat.har"#, shell: "/bin/bash")
            let handed = try await run(script, shell: "/bin/bash")
            #expect(handed.errors == "", "\(handed.transcript)")
            let lines = file.output.split(separator: "\n").suffix(3)
            #expect(lines.count == 3 && handed.output.split(separator: "\n").suffix(3) == lines, "\(handed.output)")
        }

        @Test("show, diff, check, verify and judge read given descriptors")
        func others() async throws {
            for script in [
                #""$0" show <(cat "$1")"#, #""$0" diff <(cat "$1") "$1""#, #""$0" check <("$0" scenarios default)"#,
                #""$0" verify --quiet --scenario <("$0" scenarios default) --known-broken <(:) -- true || test $? = 4"#,
                #""$0" judge "$1" --known-broken /dev/null"#,
            ] {
                let command = try await run(script, shell: "/bin/bash")
                #expect(command.status == 0, "\(script): \(command.transcript)")
            }
            // A descriptor that is not one of this process's streams is rejected.
            let none = try await run(#""$0" check /dev/fd/77"#)
            #expect(none.status == 2 && none.errors.contains("/dev/fd/77"), "\(none.transcript)")
        }

        @Test("--watch reports when a session becomes a pipe, and continues")
        func watched() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let (scenario, session) = (folder["scenario.yaml"], folder["session.har"])
            try FileManager.default.copyItem(atPath: Self.session, toPath: session.path)
            try Data("name: a\nreplay: {session: session.har}\n".utf8).write(to: scenario)
            try await RunningServer.serve("--scenario", scenario.path, "--watch") { server in
                try FileManager.default.removeItem(at: session)
                #expect(mkfifo(session.path, 0o600) == 0)
                try Data("name: a\nreplay: {session: session.har}  # Changed.\n".utf8).write(to: scenario)
                try await server.logged("it is a pipe or a device")
            }
        }

        @Test("A command reports the file size limit like any other failed write")
        func fileSize() async throws {
            // Send the messages through a pipe, because the limit applies only to files.
            let report = try await run(
                #"ulimit -f 1; { "$0" judge "$1" --json a.json >/dev/null; echo $?; } 2>&1 | cat"#)
            #expect(report.output.contains("a.json': it has reached the file size limit"), "\(report.output)")
            #expect(report.output.hasSuffix("\n3\n"), "\(report.output)")
            let ready = try await run(
                #"{ (ulimit -f 0; timeout 20 "$0" serve --port 0 --ready-file a.json; echo $?); ls -A; } 2>&1 | cat"#)
            #expect(ready.output.contains("a.json': it has reached the file size limit"), "\(ready.output)")
            #expect(ready.output.hasSuffix("\n2\n"), "\(ready.output)")
            let output = try await run(#"{ (ulimit -f 0; "$0" token >a; echo $?); } 2>&1 | cat"#)
            #expect(output.output.contains("standard output: it has reached") && output.output.hasSuffix("\n3\n"))
            let command = try await run(
                #""$0" verify --quiet -- sh -c 'kill -XFSZ $$; echo survived' 2>&1 | grep -qx survived"#)
            #expect(command.status == 1, "\(command.transcript)")
        }

        @Test("Reports replace a file atomically, follow links and can go to pipes and devices")
        func reports() async throws {
            let command = try await run(
                """
                judge() { "$@" >/dev/null; }
                echo old >target && ln -s target link
                sh -c 'echo mine >a.json.$$ && exec "$0" judge "$1" --json a.json >/dev/null' "$0" "$1"
                cat a.json.*; mv a.json.* mine
                judge "$0" judge "$1" --json link --markdown new.md && test -L link && head -c 9 target && echo
                mkfifo pipe && { head -c 9 <pipe >read & }
                # It is refused until the other end is open.
                for attempt in $(seq 100); do judge "$0" judge "$1" --json pipe && break; done; wait; cat read; echo
                test -p pipe && ls
                "$0" judge "$1" --json /dev/stdout | tail -n 1 | head -c 9; echo
                "$0" judge "$1" --json /dev/stdout >both; test $(wc -l <both) -gt 9 && echo both
                """)
            let (object, lines) = ("{\"format\"", command.output.split(separator: "\n").map(String.init))
            let files = ["a.json", "link", "mine", "new.md", "pipe", "read", "target"]
            #expect(lines == ["mine", object, object] + files + [object, "both"], "\(command.transcript)")
        }

        @Test("A report to a pipe without a reader or to a full device exits with 3")
        func unwritableReports() async throws {
            let pipe = try await run(#"mkfifo pipe; timeout 20 "$0" judge "$1" --json pipe >/dev/null"#)
            #expect(pipe.status == 3 && pipe.errors.contains("without a reader"), "\(pipe.transcript)")
            #if os(Linux)
                let full = try await run(#""$0" judge "$1" --json /dev/full >/dev/null"#)
                #expect(full.status == 3 && full.errors.contains("'/dev/full': the disk is full"), "\(full.transcript)")
            #endif
        }
    }
}
