import Foundation
import Judging
import Testing

@testable import Sockets
@testable import fitiq_mock

/// Each in a process of its own, to which standard streams, signals and the environment belong.
@Suite("What a command asks of its process")
struct ProcessTests {
    @Test("Output is written once 64 KiB of it have come")
    func buffer() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            StandardOutput.write([UInt8](repeating: UInt8(ascii: "a"), count: 64 * 1024 - 1))
            StandardOutput.write([UInt8(ascii: "b")])
            _exit(0)
        }
        #expect(result.standardOutputContent.suffix(3) == Array("aab".utf8)[...])
        #expect(result.standardOutputContent.count >= 64 * 1024)
    }

    @Test("Variables set flags and lists as their options do, and colours are for terminals only")
    func environment() async {
        await #expect(processExitsWith: .success) {
            for (text, isSet) in [
                ("1", true), ("true", true), ("YES", true), ("", false), ("0", false), ("False", false), ("no", false),
            ] {
                setenv("FITIQ_MOCK_INSTANT", text, 1)
                #expect((try? Settings.flag(false, "INSTANT")) == isSet, "\(text)")
                #expect((try? Settings.flag(true, "INSTANT")) == true)
            }
            setenv("FITIQ_MOCK_INSTANT", "perhaps", 1)
            #expect(throws: Failure.self) { try Settings.flag(false, "INSTANT") }
            setenv("FITIQ_MOCK_ALLOW_ORIGIN", "http://a http://b,null, *", 1)
            #expect((try? Settings.origins([]))?.count == 4)
            #expect((try? Settings.origins(["null"]))?.count == 1)
            let null = open("/dev/null", O_WRONLY)
            #expect(dup2(null, STDOUT_FILENO) == STDOUT_FILENO)
            unsetenv("NO_COLOR")
            #expect(!System.usesColor)
        }
    }

    @Test("What standard input has is keys, its end is the end of keys, and nothing yet is neither")
    func keys() async {
        await #expect(processExitsWith: .success) {
            let wait = try MainWait(signals: [])
            func look(at descriptor: Int32) throws -> MainWait.Event {
                #expect(dup2(descriptor, STDIN_FILENO) == STDIN_FILENO)
                let readiness = Readiness(token: 1, readable: true, writable: false, hangUp: false, error: false)
                wait.readinessChanged(readiness, now: .now())
                return try wait.next(until: .now())
            }
            var ends: [Int32] = [-1, -1]
            let code = pipe(&ends)
            try #require(code == 0)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            #expect(try look(at: ends[0]) == .timeUp)
            let count = write(ends[1], "ab", 2)
            #expect(try count == 2 && look(at: ends[0]) == .keys(Array("ab".utf8)))
            close(ends[1])
            #expect(try look(at: ends[0]) == .noMoreKeys)
            // A folder cannot be read.
            #expect(try look(at: open("/", O_RDONLY)) == .noMoreKeys)
        }
    }

    @Test("A time is up once it has come")
    func deadline() throws {
        let wait = try MainWait(signals: [])
        let time = MonotonicInstant.now()
        #expect(try wait.next(until: time) == .timeUp)
        _ = wait.turnEnded(now: time)
        wait.mailbox.requestStop()
        #expect(try wait.next() == .timeUp)
    }

    @Test("A signal ends jobs once, and what was done before the first has ended is nothing")
    func signal() async {
        await #expect(processExitsWith: .success) {
            let wait = try MainWait(signals: [SIGUSR1])
            let (stop, never) = (try Gate(), try Gate())
            let jobs = Jobs<Int>(count: 1, wait.mailbox)
            try jobs.start(1) {
                while jobs.take() != nil {
                    stop.wait()
                    // The second signal comes meanwhile.
                    never.wait(until: .now().advanced(by: .milliseconds(200)))
                }
            }
            kill(getpid(), SIGUSR1)
            var stops = 0
            let failure = #expect(throws: Failure.self) {
                try jobs.finished(wait) {
                    stops += 1
                    kill(getpid(), SIGUSR1)
                    stop.open()
                }
            }
            #expect(failure?.exitCode == 128 + SIGUSR1 && stops == 1)
        }
    }

    @Test("Jobs last until the last worker has left")
    func workers() throws {
        let wait = try MainWait(signals: [])
        let never = try Gate()
        let jobs = Jobs<Int>(count: 2, wait.mailbox)
        try jobs.start(2) {
            while let job = jobs.take() {
                // The other worker leaves meanwhile.
                if job == 1 { never.wait(until: .now().advanced(by: .milliseconds(200))) }
                jobs.finish(job, job)
            }
        }
        let done = try jobs.finished(wait) {}
        #expect(done.outputs == [0, 1])
    }

    @Test("A command that a signal ended says so, unless its report does")
    func interrupted() throws {
        let failure = Failure.interrupted(by: SIGINT)
        #expect(failure.message == Messages.interrupted && failure.exitCode == 130)
        #expect(Failure.interrupted(by: SIGTERM, isReported: true).message == "")
    }

    @Test("A report that a signal cut short is told, and the signal decides the exit code")
    func reported() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let options = try ReportOptions.parse([])
            let failure = #expect(throws: Failure.self) {
                try options.tell(Report(title: "the client"), knownBroken: .none, signal: SIGINT)
            }
            #expect(failure?.exitCode == 130 && failure?.message == "")
        }
        #expect(!result.standardOutputContent.isEmpty)
    }

    @Test("A line is cut to what a pipe takes at once, its end included")
    func line() throws {
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        try #require(code == 0)
        defer { for end in ends { close(end) } }
        let output = LineOutput(ends[1])
        output.add { _ in String(repeating: "a", count: LineOutput.limit - 1) + "b" }
        var bytes = [UInt8](repeating: 0, count: 2 * LineOutput.limit)
        let count = read(ends[0], &bytes, bytes.count)
        #expect(count == LineOutput.limit && bytes[count - 2] == UInt8(ascii: "a") && bytes[count - 1] == .lineFeed)
    }

    @Test("Fewer connections are told only where the system has fewer files")
    func descriptors() throws {
        let host = try HostOptions.parse([])
        let logger = try host.logger()
        let now = CurrentProcess.raiseFileDescriptorLimit(to: 0)
        var told: [Int] = []
        host.raiseDescriptors(to: now, logger) { count in
            told.append(count)
            return 1
        }
        #expect(told.isEmpty)
    }
}
