import Foundation
import TestSupport
import Testing

@Suite("Test commands")
struct CommandTests {
    @Test(
        "A killed command with running children does not block its test",
        .timeLimit(.minutes(1)))
    func killed() async throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "sleep 50 >/dev/null & echo $!; kill -KILL $$"]
        process.standardOutput = pipe
        let run = Task { try await process.runToItsEnd() }
        let told = try #require(try pipe.fileHandleForReading.read(upToCount: 16))
        let heir = try #require(pid_t(String(decoding: told, as: UTF8.self).trimmingCharacters(in: .newlines)))
        defer { kill(heir, SIGKILL) }
        let start = ContinuousClock.now
        run.cancel()
        _ = await run.result
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("A command's status is its exit status or a signal's negated number")
    func statuses() async throws {
        let shell = URL(fileURLWithPath: "/bin/sh")
        #expect(try await Command(shell, ["-c", "exit 7"]).status == 7)
        #expect(try await Command(shell, ["-c", "kill -KILL $$"]).status == -SIGKILL)
    }
}
