import Foundation
import TestSupport
import Testing

extension CommandPeers {
    /// The effects of `--ready-file` on files at the option's path.
    @Suite("The ready file")
    struct ReadyFileStory {
        /// Defines `start OPTIONS…`, which starts a server and waits for the end of its banner; the banner follows the
        /// ready file.
        private static let start = """
            trap 'kill -KILL $servers 2>/dev/null || true' EXIT
            start() {
                rm -f banner && mkfifo banner
                "$0" "$@" --port 0 --ready-file ready.json >banner 2>log &
                servers="${servers-} $!"
                exec 3<banner
                while read -r line <&3; do if [ "$line" = "Stop with Ctrl-C." ]; then return; fi; done
                cat log >&2
                exit 99
            }

            """

        /// Runs a script in a separate folder, and passes the folder to a check.
        private func run(_ script: String, _ look: (ScratchFolder, Command) throws -> Void) async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let command = try await Command(
                URL(fileURLWithPath: "/bin/sh"), ["-c", Self.start + script, try Programs.fitiqMock().path],
                directory: folder.url)
            try look(folder, command)
        }

        static let commands = [
            "serve", "replay " + Programs.sessions.appendingPathComponent("chat.har").path,
            "record --upstream http://127.0.0.1:9 --output session.har",
        ]

        @Test("serve exits without changing a foreign file at the ready file's path", arguments: commands)
        func foreign(_ options: String) async throws {
            for (making, check, word) in [
                ("echo precious >ready.json", "grep -q precious ready.json", "not a fitiq-mock ready file"),
                (": >ready.json", "test -f ready.json", "not a fitiq-mock ready file"),
                ("echo '{\"pid\":999999999}' >ready.json", "test -s ready.json", "not a fitiq-mock ready file"),
                ("mkfifo ready.json", "test -p ready.json", "a pipe"),
                ("mkdir ready.json", "test -d ready.json", "a folder"),
                ("ln -s nowhere ready.json", "test -L ready.json", "a link"),
                (
                    "echo precious >notes && ln -s notes ready.json", "test -L ready.json && grep -q precious notes",
                    "a link"
                ),
            ] {
                try await run(
                    """
                    \(making)
                    timeout 20 "$0" \(options) --port 0 --ready-file ready.json
                    echo $?
                    { \(check); } && test ! -e session.har && echo untouched
                    """
                ) { _, command in
                    #expect(command.output == "2\nuntouched\n", "\(making): \(command.transcript)")
                    #expect(
                        command.errors.hasPrefix("fitiq-mock: ") && command.errors.contains("'ready.json'")
                            && command.errors.contains(word), "\(making): \(command.errors)")
                }
            }
        }

        @Test("serve rejects a running server's ready file and names its process id", arguments: commands)
        func running(_ options: String) async throws {
            try await run(
                """
                start serve
                cp ready.json before
                timeout 20 "$0" \(options) --port 0 --ready-file ready.json
                echo $?
                cmp before ready.json && test ! -e session.har && echo untouched
                echo "process $!" >number
                kill $! && wait $! && test ! -e ready.json && echo gone
                """
            ) { folder, command in
                #expect(command.output == "2\nuntouched\ngone\n", "\(command.transcript)")
                let number = try folder.read("number").dropLast()
                #expect(command.errors.contains("\(number),"), "\(command.transcript)")
            }
        }

        @Test(
            "serve replaces a killed server's ready file",
            arguments: ["kill -KILL $! && wait $!", "kill -KILL $!"])
        func stale(_ kill: String) async throws {
            try await run(
                """
                start serve
                \(kill)
                ln ready.json before
                start serve
                cmp before ready.json || echo another
                kill $! && wait $! && test ! -e ready.json && echo gone
                """
            ) { _, command in
                #expect(command.output.hasSuffix("another\ngone\n"), "\(command.transcript)")
            }
        }

        @Test("Programs wait for a server and distinguish a killed server from a running one")
        func waiting() async throws {
            try await run(
                """
                "$0" wait --ready-file ready.json --timeout 0; echo $?
                "$0" wait --ready-file ready.json >url &
                waiter=$!
                start serve
                wait $waiter
                grep -c "$(cat url)" ready.json
                "$0" health --url "$(cat url)" && echo well
                FITIQ_MOCK_PORT=$(grep -o '[0-9]*$' url) "$0" health && echo here
                server=${servers##* }
                kill -KILL $server && wait $server
                "$0" health --url "$(cat url)"; echo $?
                "$0" wait --ready-file ready.json --timeout 0; echo $?
                """
            ) { _, command in
                #expect(command.output == "1\n1\nwell\nhere\n1\n1\n", "\(command.transcript)")
                #expect(
                    command.errors.contains("is missing") && command.errors.contains("nothing is listening")
                        && command.errors.contains("is stale"), "\(command.transcript)")
            }
        }

        @Test("A program's wait for its recorder does not appear in any recording")
        func waitingForRecorder() async throws {
            try await run(
                """
                start record --upstream http://127.0.0.1:9 --output session.har
                "$0" wait --ready-file ready.json | grep -c http:
                kill -INT $! && wait $!
                "$0" show session.har
                """
            ) { _, command in
                #expect(command.output == "1\nsession.har: nothing was recorded\n", "\(command.transcript)")
            }
        }

        @Test("A chat continues in a different consultation after the server restarts")
        func chatOverRestart() async throws {
            try await run(
                """
                start serve --instant
                url=$("$0" wait --ready-file ready.json)
                mkfifo lines
                timeout 60 "$0" chat --url $url <lines >answers 2>news & chat=$!
                exec 4>lines
                echo "How much protein?" >&4
                timeout 60 sh -c 'until grep -q . answers && [ -z "$(tail -c 1 answers)" ]; do sleep 0.1; done'
                kill -INT ${servers##* } && wait ${servers##* }
                "$0" serve --instant --port ${url##*:} --ready-file ready.json >/dev/null 2>log 4>&- & servers="$servers $!"
                "$0" wait --ready-file ready.json >/dev/null
                echo "And how many eggs?" >&4
                exec 4>&-
                wait $chat; echo $?
                grep -c . answers
                grep -c "no longer has this consultation" news
                """
            ) { _, command in
                #expect(command.output == "0\n2\n1\n", "\(command.transcript)")
            }
        }

        @Test("The examples at the end of each command's help work when they are run")
        func examples() async throws {
            let command = try await Command.peer(
                "with_examples", [try Programs.fitiqMock().path, URL.fixtures.path])
            #expect(command.status == 0 && command.output == "52 examples\n", "\(command.transcript)")
        }

        @Test("Each installed shell completes option values, files and a server's worlds")
        func completions() async throws {
            let command = try await Command.peer("with_completions", [try Programs.fitiqMock().path])
            #expect(command.status == 0 && command.output.contains("bash\n"), "\(command.transcript)")
        }

        @Test("The binary prints completions, the schema and its version for programs")
        func alone() async throws {
            try await run(
                """
                "$0" completions bash | bash -n && for shell in zsh fish; do "$0" completions $shell | grep -c serve >/dev/null && echo $shell; done
                "$0" completions tcsh 2>/dev/null; echo $?
                "$0" schema | python3 -c 'import json, sys; print(json.load(sys.stdin)["title"])'
                "$0" --json --version | python3 -c 'import json, sys; print(*json.load(sys.stdin))'
                """
            ) { _, command in
                #expect(
                    command.output
                        == "zsh\nfish\n2\nA fitiq-mock scenario\nname version system machine\n",
                    "\(command.transcript)")
            }
        }

        @Test("serve removes a stale ready file even if it cannot listen")
        func staleAndNoPort() async throws {
            try await run(
                """
                start serve
                mv ready.json running
                port=$(sed 's/.*"url":"http:..127.0.0.1:\\([0-9]*\\)".*/\\1/' running)
                sed "s/\\"pid\\":$!/\\"pid\\":999999999/" running >ready.json
                "$0" serve --port "$port" --ready-file ready.json
                echo $?
                test ! -e ready.json && echo gone
                """
            ) { _, command in
                #expect(
                    command.output == "2\ngone\n" && command.errors.contains("another process is using"),
                    "\(command.transcript)")
            }
        }

        @Test(
            "A stopping server keeps a file that has replaced its ready file",
            arguments: [
                "echo precious >other && mv other ready.json", "rm ready.json && mkfifo ready.json",
                "mv ready.json moved && ln -s moved ready.json", "cp ready.json other && mv other ready.json",
                "echo precious >ready.json",
            ])
        func replaced(_ replacing: String) async throws {
            try await run(
                """
                start serve
                \(replacing)
                ls -li ready.json | cut -c 1-20 >before
                kill $! && wait $! && echo $?
                ls -li ready.json | cut -c 1-20 | cmp - before && echo untouched
                """
            ) { _, command in
                #expect(command.output == "0\nuntouched\n", "\(command.transcript)")
            }
        }

        @Test("A server does not replace a ready file that appears during startup")
        func race() async throws {
            // A recording is created only after the path was found to be free, and it creates files with both names.
            try await run(
                """
                for path in session.har session.har.part; do
                    timeout 20 "$0" record --upstream http://127.0.0.1:9 --port 0 --output session.har --ready-file $path
                    timeout 20 "$0" serve --port 0 --record session.har --ready-file $path
                done
                ls -A
                echo old >session.har
                timeout 20 "$0" record --upstream http://127.0.0.1:9 --port 0 --output session.har --overwrite \
                    --ready-file session.har.part
                echo $?
                ls -A
                cat session.har
                """
            ) { _, command in
                #expect(command.output == "2\nsession.har\nold\n", "\(command.transcript)")
                #expect(
                    command.errors.split(separator: "\n").count { $0.contains("already exists") } == 5,
                    "\(command.transcript)")
            }
        }

        @Test("A server ended by a signal removes its ready file and its drafts")
        func forced() async throws {
            try await run(
                """
                start serve
                kill $!; kill $!; wait $!
                ls -A
                """
            ) { _, command in
                #expect(command.output == "banner\nlog\n", "\(command.transcript)")
            }
        }
    }
}
