import CLibrary
import Testing

@testable import Sockets

@Suite("Child processes", .timeLimit(.minutes(15)))
struct ChildProcessTests {
    static var soon: MonotonicInstant { .now().advanced(by: .seconds(20)) }

    /// Runs a shell script to its end, and returns its outcome and its output.
    private func run(
        _ script: String, environment: [(name: String, value: String)] = [], input: String? = nil,
        keeping: ChildProcess.Keeping = .platformDefault
    ) throws -> (outcome: ChildProcess.Outcome, output: String) {
        let output = try ChildPipe(.fromChild)
        let given = try ChildPipe(.toChild)
        let child = try ChildProcess(
            ["sh", "-c", script], environment: CurrentProcess.environment(with: environment),
            streams: .init(input: input == nil ? .null : given.childStream, output: output.childStream),
            keeping: keeping)
        output.closeChildEnd()
        given.closeChildEnd()
        if let input { try given.write(Array(input.utf8), until: Self.soon) }
        given.close()
        var bytes: [UInt8] = []
        while try output.read(into: &bytes, until: Self.soon) {}
        let outcome = try #require(child.wait(until: Self.soon))
        #expect(child.end(grace: .seconds(5)) == outcome)
        return (outcome, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "A program's outcome is its exit status or signal",
        arguments: [
            ("true", .exited(0)), ("exit 7", .exited(7)), ("exit 255", .exited(255)),
            ("kill -KILL $$", .signalled(Int(SIGKILL))), ("kill -TERM $$", .signalled(Int(SIGTERM))),
        ] as [(String, ChildProcess.Outcome)], ChildProcess.Keeping.allCases)
    func outcomes(expected: (script: String, outcome: ChildProcess.Outcome), keeping: ChildProcess.Keeping) throws {
        #expect(try run(expected.script, keeping: keeping).outcome == expected.outcome)
    }

    @Test("A program reads empty, given or large standard input", arguments: ChildProcess.Keeping.allCases)
    func streams(keeping: ChildProcess.Keeping) throws {
        #expect(try run("cat; echo done", keeping: keeping).output == "done\n")
        #expect(try run("cat", input: "a\nb", keeping: keeping).output == "a\nb")
        let much = "head -c 1000000 /dev/zero | tr '\\0' x"
        #expect(try run(much, keeping: keeping).output.utf8.count == 1_000_000)
        // A child's standard input is blocking.
        #expect(try run("read a; read b; echo $b$a", input: "1\n2\n", keeping: keeping).output == "21\n")
    }

    @Test("A program inherits the environment with some values replaced")
    func environment() throws {
        let values = [(name: "FITIQ_TEST_NEW", value: "a b=c"), (name: "HOME", value: "")]
        #expect(try run(#"echo "$FITIQ_TEST_NEW;$HOME;${PATH:+path}""#, environment: values).output == "a b=c;;path\n")
        #expect(CurrentProcess.environment(with: values).filter { $0.hasPrefix("HOME=") } == ["HOME="])
        #expect(CurrentProcess.environment(beginning: "") == CurrentProcess.environment())
    }

    @Test("CurrentProcess.arguments equals main's arguments")
    func arguments() { #expect(CurrentProcess.arguments == CommandLine.arguments) }

    #if canImport(Darwin)
        /// The descriptor is like a socket after accept(2), before the flag is set.
        @Test("A child does not inherit a descriptor without close-on-exec")
        func unmarked() throws {
            let unmarked = open("/dev/null", O_RDONLY)
            defer { close(unmarked) }
            #expect(try run("if [ -e /dev/fd/\(unmarked) ]; then echo open; fi").output == "")
        }
    #endif

    @Test("A child leads its group and neither ignores nor blocks signals", arguments: ChildProcess.Keeping.allCases)
    func signals(keeping: ChildProcess.Keeping) throws {
        CurrentProcess.ignoreBrokenPipeSignal()
        CurrentProcess.ignoreFileSizeSignal()
        for (name, number) in [("PIPE", SIGPIPE), ("XFSZ", SIGXFSZ)] {
            let output = try run("trap - \(name); kill -\(name) $$; echo not ended", keeping: keeping)
            #expect(output.outcome == .signalled(Int(number)) && output.output == "")
        }
        let group = try run("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat; echo $$", keeping: keeping)
            .output
        let numbers = group.split(whereSeparator: \.isWhitespace)
        #expect(numbers.count == 2 && numbers.first == numbers.last, "\(group)")
    }

    @Test(
        "Starting a missing program throws",
        arguments: [
            ("fitiq-no-such-program", "no program with that name in PATH"),
            ("./fitiq-no-such-program", "there is no such file"), ("/", "it is not executable"),
            ("", "no program with that name in PATH"),
        ], ChildProcess.Keeping.allCases)
    func notStarted(expected: (name: String, reason: String), keeping: ChildProcess.Keeping) throws {
        let error = #expect(throws: ChildProcessError.self) {
            try ChildProcess([expected.name], environment: [], keeping: keeping)
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("cannot start '\(expected.name)': \(expected.reason)"), "\(text)")
    }

    private func start(_ script: String, _ keeping: ChildProcess.Keeping) throws -> (ChildProcess, ChildPipe) {
        let output = try ChildPipe(.fromChild)
        let child = try ChildProcess(
            ["sh", "-c", script], environment: CurrentProcess.environment(),
            streams: .init(output: output.childStream), keeping: keeping)
        output.closeChildEnd()
        return (child, output)
    }

    @Test("Ending a running program also ends everything that it started", arguments: ChildProcess.Keeping.allCases)
    func ended(keeping: ChildProcess.Keeping) throws {
        // Both processes hold the pipe open.
        let (child, output) = try start("sleep 300 & echo ready; wait", keeping)
        var bytes: [UInt8] = []
        _ = try output.read(into: &bytes, until: Self.soon)
        #expect(child.wait(until: .now()) == nil && child.outcome == nil && !child.leavesProcesses)
        #expect(child.end(grace: .seconds(20)) == .signalled(Int(SIGTERM)))
        #expect(try !output.read(into: &bytes, until: Self.soon), "The end of the stream: nobody has it any more.")
        #expect(child.end(grace: .zero) == .signalled(Int(SIGTERM)) && !child.leavesProcesses)
        child.group.kill()
        #expect(waitpid(child.identifier, nil, WNOHANG) == -1, "It was reaped.")
    }

    @Test(
        "A program that ignores SIGTERM is killed after the grace period with its descendants",
        arguments: ChildProcess.Keeping.allCases)
    func killed(keeping: ChildProcess.Keeping) throws {
        let (child, output) = try start("trap '' TERM; sleep 300 & echo ready; wait", keeping)
        var bytes: [UInt8] = []
        _ = try output.read(into: &bytes, until: Self.soon)
        let start = MonotonicInstant.now()
        #expect(child.end(grace: .milliseconds(50)) == .signalled(Int(SIGKILL)))
        #expect(start.duration(to: .now()) >= .milliseconds(50))
        #expect(try !output.read(into: &bytes, until: Self.soon))
    }

    @Test(
        "Ending a program kills descendants that ignore SIGTERM", arguments: ["", "trap '' TERM;"],
        ChildProcess.Keeping.allCases)
    func leftBehind(trap: String, keeping: ChildProcess.Keeping) throws {
        let (child, output) = try start("\(trap) sleep 300 & exit 3", keeping)
        #expect((child.wait(until: Self.soon), child.end(grace: .milliseconds(50))) == (.exited(3), .exited(3)))
        var bytes: [UInt8] = []
        #expect(try !output.read(into: &bytes, until: Self.soon) && bytes.isEmpty)
    }

    @Test("Releasing a program kills it", arguments: ChildProcess.Keeping.allCases)
    func released(keeping: ChildProcess.Keeping) throws {
        func release() throws -> ChildPipe {
            let (child, output) = try start("exec sleep 300", keeping)
            #expect(child.wait(until: .now()) == nil)
            return output
        }
        let output = try release()
        var bytes: [UInt8] = []
        #expect(try !output.read(into: &bytes, until: Self.soon))
    }

    @Test("A pipe throws if the child stops reading, is too slow or writes nothing in time")
    func brokenPipes() throws {
        let closed = try ChildPipe(.toChild)
        closed.closeChildEnd()
        #expect(throws: ChildProcessError(.write, code: EPIPE)) { try closed.write([1], until: Self.soon) }
        let full = try ChildPipe(.toChild)
        let error = #expect(throws: ChildProcessError.self) {
            try full.write([UInt8](repeating: 0, count: 1 << 20), until: .now().advanced(by: .milliseconds(20)))
        }
        #expect(error?.isTimeout == true)
        let silent = try ChildPipe(.fromChild)
        var bytes: [UInt8] = []
        #expect(throws: ChildProcessError(.read, code: ETIMEDOUT)) {
            _ = try silent.read(into: &bytes, until: .now().advanced(by: .milliseconds(20)))
        }
        #expect(bytes.isEmpty)
    }

    private static let files = "this process has reached its limit on open files; raise it with ulimit -n"

    @Test(
        "Child process errors have clear messages",
        arguments: [
            (.openPipe, EMFILE, "cannot open a pipe to a program: \(files)"),
            (.write, EPIPE, "cannot write to the program: it no longer reads its input"),
            (.read, ETIMEDOUT, "cannot read from the program: its time limit has expired"),
            (
                .start("x"), ENOEXEC,
                "cannot start 'x': it is not a program that this system can run; a script begins with a line like #!/bin/sh"
            ),
            (.start("x"), E2BIG, "cannot start 'x': its arguments and environment together are too long"),
            (
                .start("x"), ENOENT,
                "cannot start 'x': no program with that name in PATH; to run a script in this folder, use './x'"
            ),
            (.watch, EMFILE, "cannot watch a program: \(files)"),
        ] as [(ChildProcessError.Operation, Int32, String)])
    func messages(operation: ChildProcessError.Operation, code: Int32, text: String) {
        #expect(ChildProcessError(operation, code: code).description == text)
    }
}
