import Foundation
import TestSupport
import Testing

extension AttackingPeers {
    /// A server that is killed while three clients write, and then restarted with its state file.
    @Suite("State files")
    struct StateTests {
        @Test(
            "A server killed at random moments loses only data newer than its last commit",
            arguments: [LongRun.choose(20, long: 200)])
        func kills(count: Int) async throws {
            let command = try await Command.peer(
                "with_kills", [try Programs.fitiqMock().path, "--kills", "\(count)"])
            #expect(command.status == 0, "\(command.transcript)")
            #expect(command.output.hasPrefix("\(count) kills in "), "\(command.transcript)")
        }
    }
}
