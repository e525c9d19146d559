import Foundation
import Testing

extension BrowserPeers {
    /// Shows and replays sessions from other programs, each in its own dialect of HAR.
    @Suite("Foreign sessions")
    struct ForeignSessions {
        @Test("mitmproxy's recording can be shown and replayed to the same client")
        func mitmproxy() async throws {
            let session = try RecordedSession()
            try await RunningServer.serve { server in
                try await session.record(
                    with: try Programs.python(), "record_with_mitmproxy",
                    [
                        server.readyFile.path, try Programs.recorder("mitmdump").path, session.har.path,
                        session.transcript.path,
                    ])
            }
            try await session.expectShown()
            try await session.expectConforming()
            try await session.expectReplayed(credentials: "headers", "--speed", "10")
            session.remove()
        }

        @Test(
            "Playwright's recording from Chromium can be shown and replayed to another client",
            .enabled(if: Programs.chromium != nil, Programs.noChromium),
            arguments: ["embed", "attach"])
        func playwright(_ content: String) async throws {
            let chromium = try #require(Programs.chromium)
            let session = try RecordedSession()
            try await RunningServer.serve("--instant") { server in
                try await session.record(
                    with: try Programs.recorder("python3"), "record_with_playwright",
                    [
                        server.readyFile.path, chromium, session.har.path, content,
                        session.transcript.path,
                    ])
            }
            try await session.expectShown()
            try await session.expectConforming()
            try await session.expectReplayed(credentials: "query", "--speed", "instant")
            session.remove()
        }

        @Test("An export from Chrome's DevTools can be shown and replayed to another client")
        func devTools() async throws {
            let session = try RecordedSession(
                har: Programs.sessions.appendingPathComponent("foreign/chrome.har"),
                transcript: Programs.sessions.appendingPathComponent("foreign/chrome.json"))
            try await session.expectShown()
            try await session.expectReplayed(credentials: "query", "--speed", "instant")
            session.remove()
        }
    }
}
