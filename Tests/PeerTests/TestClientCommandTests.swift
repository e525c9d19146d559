import Foundation
import TestSupport
import Testing

extension CommandPeers {
    /// `fitiq-mock test-client` with small programs as adapters.
    @Suite("fitiq-mock test-client")
    struct TestClientCommandTests {
        /// An adapter that starts but supports no instructions, so its user sees nothing.
        static let idle = #"""
            while read -r line; do
                case $line in
                *'"begin"'*) echo '{"ok":true,"clock":"suite"}' ;;
                *'"report"'*) echo '{"ok":true,"report":{"connection":"disconnected","is_busy":false}}' ;;
                *'"settle"'*) echo '{"ok":true,"next":null}' ;;
                *'"end"'*) echo '{"ok":true}' ;;
                *) echo '{"unsupported":true}' ;;
                esac
            done
            """#

        private func testClient(_ options: [String], _ script: String) async throws -> Command {
            try await Command(try Programs.fitiqMock(), ["test-client"] + options + ["--", "sh", "-c", script])
        }

        /// The cases' addresses.
        private func cases(_ options: String...) async throws -> [String] {
            let list = try await Command(try Programs.fitiqMock(), ["test-client", "--list"] + options)
            #expect(list.status == 0 && list.errors == "", "\(list.transcript)")
            return list.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        }

        @Test("--list prints all cases or the cases under an address")
        func list() async throws {
            let all = try await cases()
            #expect(all.count > 20 && Set(all).count == all.count)
            let topic: Substring = try #require(all.first?.split(separator: "/").first)
            #expect(try await cases("--case", "\(topic)") == all.filter { $0.hasPrefix("\(topic)/") })
            #expect(try await cases("--case", all[3], "--case", all[1]) == [all[1], all[3]])
            let guides = try await cases("--guide", "union")
            #expect(!guides.isEmpty && Set(guides).isSubset(of: all))
        }

        @Test("A client without abilities skips every case, never connects and exits with 4")
        func idle() async throws {
            let all = try await cases()
            let run = try await testClient([], Self.idle)
            #expect(run.status == 4, "\(run.transcript)")
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count == all.count, "\(run.errors)")
            for (line, address) in zip(lines, all) { #expect(line.contains(", \(address): "), "\(line)") }
            #expect(lines.allSatisfy { $0.contains(": skipped: ") }, "\(run.errors)")
        }

        @Test("An adapter that dies before its first answer exits with 2 without a report")
        func dying() async throws {
            let run = try await testClient([], "echo began >&2; exit 3")
            #expect(run.status == 2 && run.output == "", "\(run.transcript)")
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.first == "began", "\(run.transcript)")
            #expect(
                lines.last?.hasPrefix("fitiq-mock: The adapter exited with status 3 instead of answering {") == true)
            #expect(lines.last?.hasSuffix("Its last lines on standard error: began") == true)
        }

        @Test("An adapter that later dies twice in a row makes the run incomplete and exits with 1")
        func dyingLater() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            // The adapter serves only one case.
            let script = #"""
                cd "$0"; echo >> begun; [ $(wc -l < begun) = 1 ] || exit 4
                read -r line; echo '{"ok":true,"clock":"suite"}'
                read -r line; echo '{"unsupported":true}'
                read -r line; echo '{"ok":true}'
                """#
            let run = try await Command(
                try Programs.fitiqMock(), ["test-client", "--", "sh", "-c", script, folder.url.path])
            #expect(run.status == 1, "\(run.transcript)")
            #expect(try folder.read("begun").count == 3)
            let count = try await cases().count
            #expect(
                run.output.contains("twice in a row before its first answer: 3 of \(count) cases are in this report."))
            #expect(run.output.contains("The run is incomplete and fails"), "\(run.transcript)")
            #expect(run.errors.split(separator: "\n").count == 3, "\(run.errors)")
        }

        /// An adapter that follows the system's clock, does nothing, and claims to be idle.
        static let lazy = #"""
            while read -r line; do
                case $line in
                *'"begin"'*) echo '{"ok":true,"clock":"system","language":"sh"}' ;;
                *'"report"'*) echo '{"ok":true,"report":{"connection":"disconnected","is_busy":false}}' ;;
                *) echo '{"ok":true}' ;;
                esac
            done
            """#

        @Test("An idle client fails early, --fail-fast ends the run and --skip omits cases")
        func failFast() async throws {
            let chats = try await cases("--case", "chat")
            let run = try await testClient(
                ["--case", "chat", "--skip", chats[0], "--fail-fast", "--annotations", "github"], Self.lazy)
            #expect(run.status == 1, "\(run.transcript)")
            #expect(run.errors == "fitiq-mock: case 1 of \(chats.count - 1), \(chats[1]): FAILED\n", "\(run.errors)")
            #expect(run.output.contains("both sides have been idle for 5"), "\(run.transcript)")
            #expect(run.output.contains("\nStopped at the first failure (--fail-fast): 1 of \(chats.count - 1) cases"))
            #expect(run.output.contains("\n::error title=\(chats[1])::Expected "), "\(run.transcript)")
            let never = run.output.firstRange(of: "The client never connected. Its adapter")
            let failure = run.output.firstRange(of: "\n✗ \(chats[1])")
            #expect(never.flatMap { never in failure.map { never.lowerBound < $0.lowerBound } } == true)
        }

        @Test("--fail-fast continues after a known breach")
        func failFastOfKnown() async throws {
            let chats = try await cases("--case", "chat")
            let folder = try ScratchFolder()
            defer { folder.remove() }
            try Data("\(chats[0])\n".utf8).write(to: folder["known"])
            let run = try await testClient(
                ["--case", chats[0], "--case", chats[1], "--fail-fast", "--known-broken", folder["known"].path],
                Self.lazy)
            #expect(run.status == 4, "\(run.transcript)")
            #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
        }

        @Test("--time-limit ends the run, and the report contains the finished cases")
        func timeLimit() async throws {
            let start = ContinuousClock.now
            let run = try await testClient(["--time-limit", "1s", "--junit", "/dev/stderr"], Self.lazy)
            #expect(run.status == 1 && ContinuousClock.now - start < .seconds(30), "\(run.transcript)")
            #expect(run.output.contains("The time limit of 1 s was reached: 0 of "), "\(run.transcript)")
            #expect(
                run.errors.contains("<error message=\"The time limit of 1 s was reached: 0 of "), "\(run.transcript)")
        }

        @Test("--trace shows every line")
        func trace() async throws {
            let all = try await cases()
            let run = try await testClient(["--case", all[0], "--trace", "--quiet"], Self.idle)
            let lines = run.errors.split(separator: "\n")
            #expect(lines.first?.hasPrefix(#"> {"command":"begin","protocol":1,"case":"\#(all[0])","#) == true)
            #expect(lines.dropFirst().first == #"< {"ok":true,"clock":"suite"}"#)
            #expect(lines.suffix(2) == [#"> {"command":"end"}"#, #"< {"ok":true}"#], "\(run.errors)")
        }

        @Test("Ctrl-C reports the finished cases and exits with 130")
        func reported() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            // The adapter skips the first case and never answers in the second.
            let adapter = #"""
                read -r line; echo '{"ok":true,"clock":"suite"}'
                read -r line; echo '{"unsupported":true}'
                read -r line; echo '{"ok":true}'
                read -r line; echo began > pipe; cat > /dev/null
                """#
            let script = #"""
                mkfifo pipe
                "$0" test-client --quiet -- sh -c "$1" > out & read -r line < pipe
                kill -INT $!
                wait $!
                echo "exit $?"
                cat out
                """#
            let run = try await Command.bash(script, adapter, in: folder)
            #expect(run.output.hasPrefix("exit 130\n") && run.errors == "", "\(run.transcript)")
            #expect(run.output.contains(" (incomplete)\n\nInterrupted: 1 of "), "\(run.transcript)")
        }

        @Test("Ctrl-C before the first case ends exits with 130 without a report")
        func interrupted() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let script = #"""
                mkfifo pipe
                "$0" test-client --quiet -- sh -c 'exec 3> pipe; cat > /dev/null' > out & exec 3< pipe
                kill -INT $!
                wait $!
                echo "exit $?"
                cat <&3; cat out
                """#
            let run = try await Command.bash(script, in: folder)
            #expect(run.output == "exit 130\n", "\(run.transcript)")
        }

        @Test(
            "An invalid run prints one line on stderr and exits with 2",
            arguments: [
                (
                    ["test-client"],
                    "test-client needs a command after '--': fitiq-mock test-client -- python3 ./adapter.py."
                ),
                (
                    ["test-client", "--quiet", "--", "./no-such-adapter"],
                    "The adapter is not running: cannot start './no-such-adapter'"
                ),
                (["test-client", "--case", "consultatoin", "--", "true"], "Did you mean 'consultation'?"),
                (["test-client", "--guide", "goal-liking", "--list"], "Did you mean 'goal-linking'?"),
                (["test-client", "--known-broken", "/none", "--", "true"], "cannot read '/none'"),
                (["test-client", "--skip", "nothing", "--", "true"], "there is no case 'nothing'"),
                (["test-client", "--case", "chat", "--skip", "chat", "--", "true"], "every case is skipped"),
                (["test-client", "--time-limit", "0s", "--", "true"], "--time-limit must be from 1s to 1d."),
            ])
        func usage(_ arguments: [String], _ words: String) async throws {
            let command = try await Command(try Programs.fitiqMock(), arguments)
            #expect(command.status == 2, "\(command.transcript)")
            #expect(command.output == "")
            #expect(command.errors.hasPrefix("fitiq-mock: ") && command.errors.contains(words), "\(command.errors)")
            #expect(command.errors.split(separator: "\n").count == 1, "\(command.errors)")
        }
    }
}
