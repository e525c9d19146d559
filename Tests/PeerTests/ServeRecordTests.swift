import Foundation
import TestSupport
import Testing
import Traffic

extension Peers {
    @Suite("serve --record")
    struct ServeRecordStory {
        @Test("The recording contains the traffic over http and https without secrets")
        func records() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let path = files["session.har"].path
            var token = ""
            try await TLSServer.serve("--instant", "--record", path) { tls in
                let curl = try await Curl(tls.server, user: "recorded")
                token = curl.token
                #expect(tls.server.banner.contains("  Recording   \(path)\n"))
                #expect(
                    try await curl.send("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#).status == 201)
                _ = try await curl.run(
                    curl.credentials + ["--cacert", tls.ca, "\(tls.url)/api/v1/consultations?page=1"])
                for place in ["/health", "/__admin/worlds", "/docs"] {
                    _ = try await curl.run([tls.server.ready.url + place])
                }
                let chat = try await Command(
                    try Programs.fitiqMock(),
                    ["chat", "--url", tls.server.ready.url, "--persona", "fitness_coach", "--message", "Hello?"])
                #expect(chat.status == 0, "\(chat.transcript)")
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains(token) && !text.contains("fitiq-mock-key"))
            let session = try HARFile(reading: Array(text.utf8)).session
            let requests = session.entries.map { "\($0.request.method) \($0.request.url)" }
            #expect(requests.count >= 3, "\(requests)")
            #expect(requests.first?.hasPrefix("POST http://127.0.0.1:") == true)
            #expect(
                requests.contains { $0.hasPrefix("GET https://127.0.0.1:") && $0.hasSuffix("?page=1") }, "\(requests)")
            #expect(!requests.contains { $0.contains("/health") || $0.contains("/__admin") || $0.contains("/docs") })
            let sockets = session.entries.filter(\.isSocket)
            #expect(sockets.count == 1)
            #expect((sockets.first?.frames.count ?? 0) > 3)
        }

        @Test("serve --record does not replace an existing file")
        func refused() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let path = files["session.har"].path
            try Data("x".utf8).write(to: files["session.har"])
            let exists = try await Command(try Programs.fitiqMock(), ["serve", "--port", "0", "--record", path])
            #expect(exists.status == 2)
            #expect(
                exists.errors == "fitiq-mock: '\(path)' already exists and may be the only copy of a session: choose "
                    + "another file, or remove it.\n")
            #expect(try files.read("session.har") == "x")
            let alone = try await Command(try Programs.fitiqMock(), ["serve", "--port", "0", "--keep-secrets"])
            #expect(alone.errors == "fitiq-mock: --keep-secrets requires --record.\n")
        }
    }
}
