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
                let report = try await Command.peer("with_admin_description", [server.ready.url])
                #expect(report.status == 0, "\(report.transcript)")
                #expect(report.output.hasSuffix("examples\n"))
            }
        }

        @Test("Prometheus' own parser reads the metrics, and docs/admin.md lists them")
        func metrics() async throws {
            try await RunningServer.serve() { server in
                let page = URL.packageRoot.appending(path: "docs/admin.md")
                let report = try await Command.peer("with_metrics", [server.ready.url, page.path])
                #expect(report.status == 0, "\(report.transcript)")
            }
        }
    }
}
