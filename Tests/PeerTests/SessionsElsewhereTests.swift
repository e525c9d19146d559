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

        @Test(
            "mitmproxy reads our recording and writes the same requests and answers",
            arguments: BuildingPeers.RecordedSessions.stories)
        func mitmproxy(_ story: String) async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let session = Programs.sessions.appendingPathComponent("\(story).har")
            let command = try await Command(
                try Programs.recorder("mitmdump"),
                [
                    "--no-server", "--rfile", session.path, "--set", "hardump=\(files["again.har"].path)",
                    "--set", "confdir=\(files.url.path)",
                ])
            try #require(command.status == 0, "mitmdump failed:\n\(command.transcript)")
            let (ours, theirs) = (try HAR(reading: session), try HAR(reading: files["again.har"]))
            #expect(theirs.log.entries.map(\.line) == ours.log.entries.map(\.line))
        }

        @Test(
            "Playwright serves a browser from our recording",
            .enabled(if: Programs.chromium != nil, Programs.noChromium),
            // A page in a browser sends GET, which two sessions do not contain.
            arguments: BuildingPeers.RecordedSessions.stories.filter { !["guide", "limit"].contains($0) })
        func playwright(_ story: String) async throws {
            let script = Programs.peers.appendingPathComponent("open_with_playwright.py").path
            let session = Programs.sessions.appendingPathComponent("\(story).har").path
            let command = try await Command(
                try Programs.recorder("python3"), [script, try #require(Programs.chromium), session],
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            #expect(command.status == 0, "Playwright failed:\n\(command.transcript)")
        }
    }
}
