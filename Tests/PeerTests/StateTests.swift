import Foundation
import TestSupport
import Testing

extension LongPeers {
    /// A server that is killed while three clients write, and started again with its state file.
    @Suite("A state file")
    struct StateTests {
        @Test("survives 200 kills at random moments: what is lost is newer than the last commit, and the rest fits")
        func kills() async throws {
            let script = Programs.peers.appendingPathComponent("with_kills.py").path
            let command = try await Command(
                try Programs.python(), [script, try Programs.fitiqMock().path, "--kills", "200"],
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            #expect(command.status == 0, "\(command.transcript)")
            #expect(command.output.hasPrefix("200 kills in "), "\(command.transcript)")
        }
    }
}
