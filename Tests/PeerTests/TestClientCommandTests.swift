import Foundation
import TestSupport
import Testing

extension Peers {
    /// `fitiq-mock test-client` with small programs as adapters.
    @Suite("fitiq-mock test-client")
    struct TestClientCommandTests {
        /// Begins, and can do nothing; its user sees nothing.
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
            try await Command(
                try Programs.fitiqMock(), ["test-client"] + options + ["--", "sh", "-c", script])
        }

        /// The addresses of the cases.
        private func cases(_ options: String...) async throws -> [String] {
            let list = try await Command(try Programs.fitiqMock(), ["test-client", "--list"] + options)
            #expect(list.status == 0 && list.errors == "", "\(list.transcript)")
            return list.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        }

        @Test("The cases are listed, all or those below an address")
        func list() async throws {
            let all = try await cases()
            #expect(all.count > 20 && Set(all).count == all.count)
            let topic = try #require(all.first?.split(separator: "/").first.map(String.init))
            #expect(try await cases("--case", topic) == all.filter { $0.hasPrefix(topic + "/") })
            #expect(try await cases("--case", all[3], "--case", all[1]) == [all[1], all[3]])
            let guides = try await cases("--guide", "union")
            #expect(!guides.isEmpty && Set(guides).isSubset(of: all))
        }

        @Test("A client that can do nothing is skipped in every case, and never connects: exit 4")
        func idle() async throws {
            let all = try await cases()
            let run = try await testClient([], Self.idle)
            #expect(run.status == 4, "\(run.transcript)")
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count == all.count, "\(run.errors)")
            for (line, address) in zip(lines, all) { #expect(line.contains(", \(address): "), "\(line)") }
            #expect(lines.allSatisfy { $0.contains(": skipped: ") }, "\(run.errors)")
        }

        @Test("An adapter that dies fails its case, with what it was sent; the next one has a new process")
        func dying() async throws {
            let all = try await cases()
            let run = try await testClient(["--case", all[0], "--case", all[1], "--quiet"], "echo began >&2; exit 3")
            #expect(run.status != 0 && run.status != 3, "\(run.transcript)")
            #expect(run.errors == "began\nbegan\n", "\(run.transcript)")
            #expect(run.output.contains("exited with status 3"), "\(run.transcript)")
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

        @Test("Ctrl-C ends the adapter: exit 130, no report")
        func interrupted() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let script = #"""
                mkfifo pipe
                "$0" test-client --quiet -- sh -c 'exec 3> pipe; sleep 300' > out & exec 3< pipe
                kill -INT $!
                wait $!
                echo "exit $?"
                cat <&3; cat out
                """#
            let run = try await Command(
                URL(fileURLWithPath: "/bin/bash"), ["-c", script, try Programs.fitiqMock().path],
                directory: folder.url)
            #expect(run.output == "exit 130\n", "\(run.transcript)")
        }

        @Test(
            "What cannot be run is one line on stderr and exit 2",
            arguments: [
                (
                    ["test-client"],
                    "test-client needs a command after '--': fitiq-mock test-client -- python3 ./adapter.py."
                ),
                (
                    ["test-client", "--quiet", "--", "./no-such-adapter"],
                    "The adapter does not run: cannot start './no-such-adapter'"
                ),
                (["test-client", "--case", "consultatoin", "--", "true"], "Did you mean 'consultation'?"),
                (["test-client", "--guide", "goal-liking", "--list"], "Did you mean 'goal-linking'?"),
                (["test-client", "--known-broken", "/none", "--", "true"], "cannot read '/none'"),
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
