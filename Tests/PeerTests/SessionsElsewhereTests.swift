import Foundation
import TestSupport
import Testing

extension BrowserPeers {
    /// Opens our recordings in other programs.
    @Suite("Recorded sessions in other programs")
    struct SessionsElsewhere {
        /// The part of a HAR that is compared.
        private struct HAR: Decodable {
            struct Entry: Decodable {
                struct Request: Decodable {
                    let method: String
                    let url: String
                }
                struct Response: Decodable {
                    struct Content: Decodable { let text: String? }
                    let status: Int
                    let content: Content
                }
                let request: Request
                let response: Response

                var line: String {
                    "\(request.method) \(request.url) \(response.status) \(response.content.text ?? "")"
                }
            }
            struct Log: Decodable { let entries: [Entry] }
            let log: Log

            init(reading file: URL) throws { self = try JSONDecoder().decode(HAR.self, from: Data(contentsOf: file)) }
        }

        @Test("mitmproxy reads our recordings and writes the same requests and answers")
        func mitmproxy() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            // All in one file, because mitmproxy takes a second to start, and reads one file.
            var entries: [Any] = []
            for session in Self.sessions {
                let file = try JSONSerialization.jsonObject(with: Data(contentsOf: session)) as? [String: Any]
                let log = try #require(file?["log"] as? [String: Any])
                entries += try #require(log["entries"] as? [Any])
            }
            let together = ["log": ["version": "1.2", "entries": entries]]
            try JSONSerialization.data(withJSONObject: together).write(to: files["together.har"])
            let command = try await Command(
                try Programs.recorder("mitmdump"),
                [
                    "--no-server", "--rfile", files["together.har"].path, "--set",
                    "hardump=\(files["again.har"].path)", "--set", "confdir=\(files.url.path)",
                ])
            try #require(command.status == 0, "mitmdump failed:\n\(command.transcript)")
            let ours = try Self.sessions.flatMap { try HAR(reading: $0).log.entries.map(\.line) }
            let theirs = try HAR(reading: files["again.har"]).log.entries.map(\.line)
            #expect(theirs == ours)
        }

        @Test(
            "Playwright serves a browser from our recordings",
            .enabled(if: Programs.chromium != nil, Programs.noChromium))
        func playwright() async throws {
            // A page in a browser sends GET, which two sessions do not contain.
            let sessions = Self.sessions.filter { !["guide.har", "limit.har"].contains($0.lastPathComponent) }
            let command = try await Command.peer(
                "open_with_playwright", [try #require(Programs.chromium)] + sessions.map(\.path),
                with: try Programs.recorder("python3"))
            #expect(command.status == 0, "Playwright failed:\n\(command.transcript)")
        }

        private static let sessions = CommandPeers.RecordedSessions.stories.map {
            Programs.sessions.appendingPathComponent("\($0).har")
        }
    }
}
