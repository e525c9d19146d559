import Foundation
import TestSupport
import Testing

extension LongPeers {
    /// `record` in a separate process, with other programs as clients and servers.
    @Suite("Record")
    struct Record {
        @Test(
            "The recording contains what clients saw, even through a world in front of the server",
            arguments: [
                "foreign", "nginx", "doors", "certificates", "files", "displaced", "shared", "killed", "killed_serving",
                "many",
                "websockets_stories", "aiohttp_stories", "socket_stories", "behind", "behind_proxies", "behind_tls",
                "behind_polite",
            ])
        func holds(_ chapter: String) async throws {
            let command = try await Command.peer(
                "recording", [try Programs.fitiqMock().path, chapter],
                environment: ["FITIQ_MOCK_TEST_LONG": LongRun.choose("", long: "1")])
            #expect(command.status == 0, "\(chapter) failed:\n\(command.transcript)")
        }
    }
}
