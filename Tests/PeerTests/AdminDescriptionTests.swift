import Foundation
import TestSupport
import Testing

extension Peers {
    /// A client that uses the admin API with nothing but the API's description to go by.
    @Suite("The admin API's description")
    struct AdminDescriptionTests {
        @Test("The server accepts each example and answers as described")
        func examples() async throws {
            try await RunningServer.serve() { server in
                let script = Programs.peers.appendingPathComponent("with_admin_description.py")
                let report = try await Command(
                    try Programs.python(), [script.path, server.ready.url],
                    environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                #expect(report.status == 0, "\(report.transcript)")
                #expect(report.output.hasSuffix("examples\n"))
            }
        }

        @Test("Prometheus' own parser reads the metrics, and docs/admin.md lists them")
        func metrics() async throws {
            try await RunningServer.serve() { server in
                let script = Programs.peers.appendingPathComponent("with_metrics.py")
                let page = URL.packageRoot.appending(path: "docs/admin.md")
                let report = try await Command(
                    try Programs.python(), [script.path, server.ready.url, page.path],
                    environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                #expect(report.status == 0, "\(report.transcript)")
            }
        }
    }
}
