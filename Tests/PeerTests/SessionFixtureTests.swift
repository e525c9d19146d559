import Foundation
import Testing

extension Peers {
    /// The sessions of Fixtures/sessions, replayed to the client that they were recorded with.
    @Suite("Recorded sessions")
    struct RecordedSessions {
        /// What session_stories.py tells.
        static let stories = [
            "archive", "chat", "conflict", "dropped", "goals", "guide", "limit", "meals", "template",
        ]

        /// The story's script compares what its user sees, and asks for verdicts; a strict replay ends with 1 where
        /// anything was asked for that was not recorded, or the other way round.
        @Test("A replay plays the recorded story to its client, which keeps its obligations", arguments: stories)
        func story(_ story: String) async throws {
            let session = Programs.sessions.appendingPathComponent("\(story).har").path
            try await RunningServer.run(["replay", session, "--match", "strict", "--speed", "10"]) { server in
                let script = Programs.peers.appendingPathComponent("session_stories.py").path
                let told = try await Command(
                    try Programs.python(), [script, server.readyFile.path, try Programs.fitiqMock().path, story],
                    environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                #expect(told.status == 0, "\(story) failed:\n\(told.transcript)")
            }
        }

        @Test("Each recorded session has its story")
        func complete() throws {
            let files = try FileManager.default.contentsOfDirectory(atPath: Programs.sessions.path)
            #expect(files.filter { $0.hasSuffix(".har") }.sorted() == Self.stories.map { "\($0).har" })
        }
    }
}
