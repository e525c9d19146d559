import Foundation
import Testing

extension CommandPeers {
    /// Replays the sessions in Fixtures/sessions to the client that recorded them.
    @Suite("Recorded sessions")
    struct RecordedSessions {
        /// The stories in session_stories.py.
        static let stories = [
            "archive", "chat", "conflict", "dropped", "goals", "guide", "limit", "meals", "template",
        ]

        /// The story's script compares what its user sees, and checks verdicts; a strict replay exits with 1 if
        /// requests are missing or unexpected.
        @Test("Each recorded session's replay satisfies the session's client", arguments: stories)
        func story(_ story: String) async throws {
            let session = Programs.sessions.appendingPathComponent("\(story).har").path
            try await RunningServer.run(["replay", session, "--match", "strict", "--speed", "10"]) { server in
                let told = try await Command.peer(
                    "session_stories", [server.readyFile.path, try Programs.fitiqMock().path, story])
                #expect(told.status == 0, "\(story) failed:\n\(told.transcript)")
            }
        }

        @Test("Each recorded session has a story")
        func complete() throws {
            let files = try FileManager.default.contentsOfDirectory(atPath: Programs.sessions.path)
            #expect(files.filter { $0.hasSuffix(".har") }.sorted() == Self.stories.map { "\($0).har" })
        }
    }
}
