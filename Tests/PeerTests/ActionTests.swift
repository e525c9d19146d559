import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// Runs the step in action.yml, with stand-ins for the runner's environment and for the releases.
    @Suite("The action")
    struct ActionTests {
        /// Sets up a release with this package's program and an empty runner; `step NAME=VALUE…` runs the step.
        private static let setting = """
            program=$0 step=$1
            name=fitiq-mock-9.8.7-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
            mkdir -p "$name/bin" releases/v9.8.7 runner tools
            printf '#!/bin/sh\\nexec "%s" "$@"\\n' "$program" >"$name/bin/fitiq-mock"
            chmod +x "$name/bin/fitiq-mock"
            tar -cJf "releases/v9.8.7/$name.tar.xz" "$name"
            (cd releases/v9.8.7 && python3 -c '
            import hashlib, sys
            print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest() + "  " + sys.argv[1])
            ' "$name.tar.xz" >SHA256SUMS)
            printf '#!/bin/sh\\necho "gh $*" >>%s/asked\\ntest ! -e %s/refused\\n' "$PWD" "$PWD" >tools/gh
            chmod +x tools/gh
            step() {
                env PATH="$PWD/tools:$PATH" RUNNER_TEMP="$PWD/runner" GITHUB_OUTPUT="$PWD/output" \\
                    GITHUB_STEP_SUMMARY="$PWD/summary" FITIQ_MOCK_TEST_RELEASES="file://$PWD/releases" \\
                    ACTION_REPOSITORY=someone/fitiq-mock ACTION_REF=v9.8.7 INPUT_MODE=verify INPUT_COMMAND= \\
                    INPUT_SCENARIOS= INPUT_SESSION= INPUT_ISSUE=false INPUT_GUIDE= INPUT_KNOWN_BROKEN= INPUT_OPTIONS= INPUT_VERSION= \\
                    INPUT_ATTESTATION=true "$@" "$step"
            }

            """

        private func run(_ script: String) async throws -> (command: Command, folder: ScratchFolder) {
            let folder = try ScratchFolder()
            let step = URL.packageRoot.appending(path: "action/run").path
            let command = try await Command.bash(Self.setting + script, step, in: folder)
            return (command, folder)
        }

        private static let client = """
            curl -s -H "Authorization: Bearer $FITIQ_MOCK_TOKEN" -H "X-API-Key: $FITIQ_MOCK_API_KEY" \\
                "$FITIQ_MOCK_URL/api/v1/goals"
            """

        @Test("The action installs a release once, judges the command and writes the reports")
        func verifies() async throws {
            let (command, folder) = try await run(
                """
                step INPUT_COMMAND='\(Self.client)' INPUT_SCENARIOS=$'default\\nconflict' INPUT_GUIDE=goal-linking >told
                echo "exit $?"
                step INPUT_COMMAND='\(Self.client); exit 7' INPUT_SCENARIOS=default >failed; echo "exit $?"
                cat asked; ls "$(sed -n 's/^report=//p' output | head -1)"; grep -c '^::error' failed
                """)
            defer { folder.remove() }
            let lines = command.output.split(separator: "\n").map(String.init)
            #expect(lines.prefix(2) == ["exit 0", "exit 1"], "\(command.transcript)")
            #expect(lines.dropFirst(2).first?.hasPrefix("gh attestation verify fitiq-mock-9.8.7-") == true)
            #expect(lines.dropFirst(2).first?.hasSuffix("--repo someone/fitiq-mock") == true)
            #expect(lines.dropFirst(3) == ["report.html", "report.json", "report.md", "report.xml", "1"])
            #expect(try folder.read("told").contains("in 2 runs"))
            let summary = try folder.read("summary")
            #expect(summary.contains("goal") && summary.contains("The run fails"), "\(summary)")
        }

        @Test("The action explores the command with the mode's options")
        func explores() async throws {
            let (command, folder) = try await run(
                """
                step INPUT_MODE=explore INPUT_COMMAND='false; \(Self.client)' INPUT_OPTIONS=$'--runs 2\\n--time-limit 5s' >told
                echo "exit $?"; ls "$(sed -n 's/^report=//p' output)"
                """)
            defer { folder.remove() }
            // Bash stops at the first failing command, so the client never connects.
            #expect(
                command.output == "exit 4\nreport.html\nreport.json\nreport.md\nreport.xml\n", "\(command.transcript)")
        }

        @Test("The action starts a server that outlives it for later steps")
        func serves() async throws {
            let (command, folder) = try await run(
                """
                step INPUT_MODE=serve INPUT_SCENARIOS=conflict INPUT_OPTIONS='--clock manual --seed 7'
                . ./output
                trap 'kill $(cat runner/*/ready.json | grep -o "pid..[0-9]*" | cut -d: -f2)' EXIT
                curl -s "$url/health"
                curl -s -o /dev/null -w ' %{http_code} ' -H "Authorization: Bearer $token" -H 'X-API-Key: fitiq-mock-key' \\
                    "$url/api/v1/goals"
                curl -s "$url/__admin/clock" | grep -o manual
                """)
            defer { folder.remove() }
            #expect(command.output == "{\"status\":\"ok\"} 200 manual\n", "\(command.transcript)")
        }

        @Test("The action opens one issue for a session's deviations and closes it when all are resolved")
        func conforms() async throws {
            let (command, folder) = try await run(
                """
                cat >tools/gh <<'END'
                #!/bin/sh
                case "$1 $2" in
                'issue list') cat number 2>/dev/null ;;
                'issue create') echo 7 >number ;;
                'issue close') rm number ;;
                esac
                case "$1" in issue) shift; echo "$1 $2" >>asked; cat issue.md >/dev/null 2>&1 ;; esac
                for word in "$@"; do case "$word" in */issue.md) cp "$word" issue.md ;; esac; done
                END
                export GITHUB_REPOSITORY=someone/app GITHUB_RUN_ID=11
                cp "\(Programs.sessions.path)/archive.har" good.har
                sed 's/message_count/messageCount/g' good.har >bad.har
                for session in bad bad good good none; do
                    step INPUT_MODE=conform INPUT_SESSION=$session.har INPUT_ISSUE=true >told-$session 2>err; echo "exit $?"
                done
                cat asked; grep -q messageCount issue.md && echo told; grep 'runs/11' issue.md
                ls "$(sed -n 's/^report=//p' output | head -1)"
                """)
            defer { folder.remove() }
            #expect(
                command.output == """
                    exit 1
                    exit 1
                    exit 0
                    exit 0
                    exit 2
                    list --repo
                    create --repo
                    list --repo
                    edit 7
                    list --repo
                    close 7
                    list --repo
                    list --repo
                    told
                    [The run](https://github.com/someone/app/actions/runs/11)
                    issue.md
                    report.json
                    report.md
                    report.xml

                    """, "\(command.transcript)")
        }

        @Test(
            "The action reports an error as an annotation, exits with 2 and runs nothing",
            arguments: [
                ("step INPUT_COMMAND='touch ran' INPUT_MODE=judge", "'judge' is not a mode; the modes are verify"),
                ("step", "the mode verify requires the input command"),
                ("step INPUT_MODE=serve INPUT_COMMAND=true", "the mode serve accepts no command"),
                ("step INPUT_MODE=conform INPUT_COMMAND=true", "the mode conform accepts no command and no scenario"),
                ("step INPUT_COMMAND='touch ran' INPUT_ISSUE=true", "are for the mode conform, not for verify"),
                ("step INPUT_COMMAND='touch ran' ACTION_REF=main", "'main' is not a version such as 0.1.0"),
                ("step INPUT_COMMAND='touch ran' INPUT_VERSION=9.9.9", "in the release v9.9.9"),
                ("echo x >>releases/v9.8.7/*.xz; step INPUT_COMMAND='touch ran'", "does not match SHA256SUMS"),
                ("touch refused; step INPUT_COMMAND='touch ran'", "there is no attestation that"),
                ("step INPUT_MODE=explore INPUT_COMMAND=true INPUT_SCENARIOS='a b'", "accepts one scenario, not 2"),
                ("step FITIQ_MOCK_TEST_RELEASES= INPUT_COMMAND=true ACTION_REPOSITORY=", "has no releases"),
            ])
        func refuses(script: String, message: String) async throws {
            let (command, folder) = try await run("\(script); echo $?; ls ran asked 2>/dev/null")
            defer { folder.remove() }
            #expect(command.output.contains("::error title=fitiq-mock::") && command.output.contains(message))
            #expect(
                command.output.hasSuffix(message.hasPrefix("there is no attestation") ? "2\nasked\n" : "\n2\n"),
                "\(command.transcript)")
        }

        @Test("The action accepts a release without attestation only on request")
        func unattested() async throws {
            let (command, folder) = try await run(
                "touch refused; step INPUT_COMMAND=true INPUT_SCENARIOS=default INPUT_ATTESTATION=false >/dev/null; echo $?"
            )
            defer { folder.remove() }
            #expect(command.output == "4\n" && !command.errors.contains("gh "), "\(command.transcript)")
        }
    }
}
