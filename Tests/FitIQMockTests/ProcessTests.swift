import Foundation
import Judging
import MockServer
import Testing

@testable import Sockets
@testable import fitiq_mock

/// Tests that change standard streams, signals or the environment run in their own process.
@Suite("A command's process")
struct ProcessTests {
    @Test("Output is written in batches of 64 KiB")
    func buffer() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            StandardOutput.write([UInt8](repeating: UInt8(ascii: "a"), count: 64 * 1024 - 1))
            StandardOutput.write([UInt8(ascii: "b")])
            _exit(0)
        }
        #expect(result.standardOutputContent.suffix(3) == Array("aab".utf8)[...])
        #expect(result.standardOutputContent.count >= 64 * 1024)
    }

    @Test("Environment variables set flags and lists as options do")
    func environment() async {
        await #expect(processExitsWith: .success) {
            for (text, isSet) in [
                ("1", true), ("true", true), ("YES", true), ("", false), ("0", false), ("False", false), ("no", false),
            ] {
                setenv("FITIQ_MOCK_INSTANT", text, 1)
                #expect((try? Settings.flag(false, .instant)) == isSet, "\(text)")
                #expect((try? Settings.flag(true, .instant)) == true)
            }
            setenv("FITIQ_MOCK_INSTANT", "perhaps", 1)
            #expect(throws: Failure.self) { try Settings.flag(false, .instant) }
            setenv("FITIQ_MOCK_ALLOW_ORIGIN", "http://a http://b,null, *", 1)
            #expect((try? Settings.origins([]))?.count == 4)
            #expect((try? Settings.origins(["null"]))?.count == 1)
            let null = open("/dev/null", O_WRONLY)
            #expect(dup2(null, STDOUT_FILENO) == STDOUT_FILENO)
            unsetenv("NO_COLOR")
            #expect(!System.usesColor)
        }
    }

    @Test("Standard input delivers keys until it ends")
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

    @Test("A deadline fires at its exact time")
    func deadline() throws {
        let wait = try MainWait(signals: [])
        let time = MonotonicInstant.now()
        #expect(try wait.next(until: time) == .timeUp)
        _ = wait.turnEnded(now: time)
        wait.mailbox.requestStop()
        #expect(try wait.next() == .timeUp)
    }

    @Test("A signal ends the jobs even before the first job has ended")
    func signal() async {
        await #expect(processExitsWith: .success) {
            let wait = try MainWait(signals: [SIGUSR1])
            let stop = try Gate()
            let jobs = Jobs<Int>(count: 1, wait.mailbox)
            try jobs.start(1) { while jobs.take() != nil { stop.wait() } }
            // Unlike with `kill`, the signal has arrived by the time `raise` returns.
            raise(SIGUSR1)
            var stops = 0
            let failure = #expect(throws: Failure.self) {
                try jobs.finished(wait) {
                    stops += 1
                    // The second signal comes before the job can end.
                    raise(SIGUSR1)
                    stop.open()
                }
            }
            #expect(failure?.exitCode == 128 + SIGUSR1 && stops == 1)
        }
    }

    @Test("Jobs end when the last worker has left or when their time is up")
    func workers() throws {
        let wait = try MainWait(signals: [])
        let gate = try Gate()
        let jobs = Jobs<Int>(count: 1, wait.mailbox)
        try jobs.start(1) {
            while let job = jobs.take() {
                gate.wait()
                #expect(!jobs.finish(job, job))
            }
        }
        wait.mailbox.requestStop()
        var stops = 0
        let done = try jobs.finished(wait, limit: .milliseconds(1)) {
            stops += 1
            gate.open()
        }
        // A job that ends after the deadline does not count.
        #expect(stops == 1 && done.outputs.isEmpty && done.reason == Messages.timeIsUp(.milliseconds(1)))
    }

    @Test("A command that is ended by a signal prints a message unless its report contains that message")
    func interrupted() throws {
        let failure = Failure.interrupted(by: SIGINT)
        #expect(failure.message == Messages.interrupted && failure.exitCode == 130)
        #expect(Failure.interrupted(by: SIGTERM, isReported: true).message == "")
    }

    @Test("A report says if a signal interrupted it")
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

    @Test("A line is truncated to the bytes that a pipe accepts in one write")
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

    @Test("The connection limit drops only if the system allows too few file descriptors")
    func descriptors() throws {
        let logger = try HostOptions.parse([]).logger()
        for (connections, falls) in [(1, false), (1 << 40, true)] {
            var limits = ServerLimits()
            limits.connections = connections
            HostOptions.raiseDescriptors(for: &limits, share: 2, logger)
            #expect((limits.connections < connections) == falls)
        }
    }
}
