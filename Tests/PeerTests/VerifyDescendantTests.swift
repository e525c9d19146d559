import TestSupport

#if os(Linux)
    import Foundation
    import Testing

    extension Peers {
        /// The processes that are still running after `fitiq-mock verify` has ended.
        @Suite("fitiq-mock verify: descendants")
        struct VerifyDescendantTests {
            /// Starts `sleep` processes that hold the pipe `held` open, each in its own session after a double fork
            /// like a daemon's.
            private static let daemons =
                "exec 3> held; setsid sleep 60 & setsid sh -c 'sleep 60 & exit'"

            @Test(
                "verify ends the command's daemons when the command ends or reaches its time limit",
                arguments: ["exit 0", "exec 3>&-; wait"])
            func daemons(end: String) async throws {
                try await withFolder { folder in
                    // The pipe ends when no process can write to it any more.
                    let script = #"""
                        mkfifo held
                        "$0" verify --quiet --time-limit 3s -- sh -c "$1" > out & exec 3< held
                        wait $!
                        timeout 10 cat <&3
                        echo "exit $?"
                        """#
                    let run = try await Command.bash(script, "\(Self.daemons); \(end)", in: folder)
                    #expect(run.output == "exit 0\n", "\(run.transcript)")
                    #expect(run.errors == "", "\(run.transcript)")
                }
            }

            @Test("Killing verify also ends the command and its daemons")
            func killed() async throws {
                try await withFolder { folder in
                    let script = #"""
                        mkfifo held ready
                        "$0" verify --quiet -- sh -c "$1; echo > ready; wait" > out & exec 3< held
                        read -r line < ready
                        kill -KILL $!
                        timeout 10 cat <&3
                        echo "exit $?"
                        """#
                    let run = try await Command.bash(script, Self.daemons, in: folder)
                    #expect(run.output == "exit 0\n", "\(run.transcript)")
                }
            }
        }
    }
#endif
