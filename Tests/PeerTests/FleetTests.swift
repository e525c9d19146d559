import Foundation
import TestSupport
import Testing

extension LongPeers {
    /// Three nodes behind a real proxy, with the configurations from `deploy/`.
    @Suite("A fleet")
    struct FleetTests {
        /// Whether the proxy is installed; also looks in the folders where Debian and Homebrew install proxies.
        private static func isThere(_ proxy: String) -> Bool {
            ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"].contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(proxy)")
            }
        }

        @Test(
            "A fleet's rolling restarts keep every world, and a killed node loses only its own worlds",
            arguments: ["haproxy", "nginx"].filter(isThere))
        func proxies(_ proxy: String) async throws {
            let command = try await Command.peer(
                "with_fleet",
                [try Programs.fitiqMock().path, proxy, "--worlds", LongRun.choose("1000", long: "10000")])
            #expect(command.status == 0, "\(command.transcript)")
            #expect(command.output.contains("1 rolling restarts"), "\(command.transcript)")
        }
    }
}
