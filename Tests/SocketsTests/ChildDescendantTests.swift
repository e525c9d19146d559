#if os(Linux)
    import Testing

    @testable import Sockets

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A program's children may leave its group; a guardian still finds them, but a signal to the group misses them.
    @Suite("Descendants of child processes", .timeLimit(.minutes(15)))
    struct ChildDescendantTests {
        private static var soon: MonotonicInstant { .now().advanced(by: .seconds(20)) }

        /// Scripts that each start a process that leaves the group, writes its id and continues to run.
        static let leaving = [
            #"setsid sh -c "$daemon" & read go"#,
            // As with a daemon, the process in between has ended.
            #"setsid sh -c 'sh -c "$daemon" & exit' & read go"#,
            #"setsid sh -c 'setsid sh -c "$daemon" & trap "" TERM; sleep 60' & read go"#,
            #"trap '' TERM; setsid sh -c "$daemon" & read go"#,
        ]

        private struct Started {
            let child: ChildProcess
            let output: ChildPipe
            /// Ends the script when it is closed.
            let input: ChildPipe
            let daemon: pid_t
        }

        private func start(_ script: String, keeping: ChildProcess.Keeping) throws -> Started {
            let output = try ChildPipe(.fromChild)
            let input = try ChildPipe(.toChild)
            let child = try ChildProcess(
                ["sh", "-c", script],
                environment: CurrentProcess.environment(with: [("daemon", "echo $$; exec sleep 60")]),
                streams: .init(input: input.childStream, output: output.childStream), keeping: keeping)
            output.closeChildEnd()
            input.closeChildEnd()
            var bytes: [UInt8] = []
            while bytes.last != UInt8(ascii: "\n") { try #require(try output.read(into: &bytes, until: Self.soon)) }
            let daemon = try #require(pid_t(String(decoding: bytes.dropLast(), as: UTF8.self)))
            return Started(child: child, output: output, input: input, daemon: daemon)
        }

        private func runs(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

        @Test("Ending a running program also ends descendants outside its group", arguments: leaving)
        func ended(script: String) throws {
            let started = try start(script, keeping: .guardian)
            #expect(runs(started.daemon))
            _ = started.child.end(grace: .milliseconds(100))
            #expect(!runs(started.daemon) && !started.child.leavesProcesses)
        }

        @Test("Ending an exited program ends the descendants it left behind", arguments: leaving)
        func endedByItself(script: String) throws {
            let started = try start(script, keeping: .guardian)
            started.input.close()
            #expect(started.child.wait(until: Self.soon) != nil)
            #expect(runs(started.daemon), "Until it is ended, what it started may go on.")
            _ = started.child.end(grace: .milliseconds(100))
            #expect(!runs(started.daemon) && !started.child.leavesProcesses)
        }

        @Test("Without a guardian, descendants outside the group keep running")
        func group() throws {
            let started = try start(Self.leaving[0], keeping: .group)
            _ = started.child.end(grace: .milliseconds(100))
            #expect(runs(started.daemon))
            kill(started.daemon, SIGKILL)
        }

        @Test("Another thread can end the program's whole group")
        func killed() throws {
            let started = try start(Self.leaving[3], keeping: .guardian)
            started.child.group.kill()
            #expect(started.child.wait(until: Self.soon) == .signalled(Int(SIGKILL)))
            #expect(started.child.end(grace: .seconds(20)) == .signalled(Int(SIGKILL)))
            #expect(!runs(started.daemon))
        }

        @Test("A program that handles SIGTERM gets it once and then the grace period")
        func asked() throws {
            let script = #"""
                setsid sh -c 'trap "echo asked" TERM; echo $$; while true; do sleep 0.05; done' & read go
                """#
            let started = try start(script, keeping: .guardian)
            _ = started.child.end(grace: .seconds(3))
            var bytes: [UInt8] = []
            while try started.output.read(into: &bytes, until: Self.soon) {}
            #expect(String(decoding: bytes, as: UTF8.self) == "asked\n")
            #expect(!runs(started.daemon))
        }

        @Test("Ending a program works even if it keeps starting others", arguments: ["", "setsid "])
        func bomb(prefix: String) throws {
            let script = #"""
                bomb() { while true; do \#(prefix)sh -c 'sleep 5 & sleep 5 & sleep 0.01' & sleep 0.01; done; }
                bomb & bomb & setsid sh -c 'echo $$; exec sleep 60' & read go
                """#
            let started = try start(script, keeping: .guardian)
            _ = started.child.end(grace: .milliseconds(200))
            var bytes: [UInt8] = []
            #expect(try !started.output.read(into: &bytes, until: Self.soon), "Nobody holds the pipe any more.")
            #expect(!started.child.leavesProcesses)
        }

        @Test("Ending one of two programs does not end the other's daemon")
        func two() throws {
            let first = try start(Self.leaving[1], keeping: .guardian)
            let second = try start(Self.leaving[1], keeping: .guardian)
            _ = first.child.end(grace: .milliseconds(100))
            #expect(!runs(first.daemon) && runs(second.daemon))
            _ = second.child.end(grace: .milliseconds(100))
            #expect(!runs(second.daemon))
        }

        @Test("Killing the guardian ends the program and reports that processes may remain")
        func guardianKilled() throws {
            let started = try start("echo $PPID; exec sleep 60", keeping: .guardian)
            // Kill the program's parent.
            kill(started.daemon, SIGKILL)
            #expect(started.child.wait(until: Self.soon) == .signalled(Int(SIGKILL)))
            var bytes: [UInt8] = []
            #expect(try !started.output.read(into: &bytes, until: Self.soon))
            #expect(started.child.end(grace: .seconds(20)) == .signalled(Int(SIGKILL)))
            #expect(started.child.leavesProcesses)
        }

        @Test("Ending a program does not leave a guardian or a zombie")
        func noChildren() throws {
            let started = try start("echo $PPID; exec sleep 60", keeping: .guardian)
            #expect(started.child.end(grace: .seconds(20)) == .signalled(Int(SIGTERM)))
            #expect(!runs(started.daemon) && !runs(started.child.identifier))
        }
    }
#endif
