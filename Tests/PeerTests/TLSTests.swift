import Foundation
import TestSupport
import Testing

extension Peers {
    /// `serve --tls` with other programs as clients: curl, OpenSSL's own client, Python's libraries.
    @Suite("TLS")
    struct TLSStory {
        // MARK: curl

        @Test(
            "curl trusts the CA by name and by address in each TLS version",
            arguments: ["localhost", "127.0.0.1"], [["--tlsv1.3"], ["--tls-max", "1.2"]])
        func curl(host: String, version: [String]) async throws {
            try await TLSServer.serve { tls in
                let answer = try await Command(
                    try Programs.curl(),
                    ["-q", "-sS", "--noproxy", "*", "--cacert", tls.ca, "-w", " %{ssl_verify_result} %{http_version}"]
                        + version + ["https://\(host):\(tls.port)/health"])
                #expect(answer.output == #"{"status":"ok"} 0 1.1"#, "\(answer.transcript)")
                #expect(try tls.server.log.isEmpty)
            }
        }

        @Test("https and http share one state but return their own URLs")
        func sharedState() async throws {
            try await TLSServer.serve("--instant") { tls in
                let curl = try await Curl(tls.server, user: "curl-tls")
                let path = "/api/v1/consultations"
                let json = ["-H", "Content-Type: application/json", "-d", #"{"persona":"nutritionist"}"#]
                let created = try await curl.run(curl.credentials + json + ["--cacert", tls.ca, tls.url + path])
                #expect(created.contains(#""avatar":"\#(tls.url)/avatars/nutritionist.svg""#), "\(created)")
                #expect(try await curl.send("POST", path, #"{"persona":"nutritionist"}"#).status == 409)
                let id = try #require(created.firstMatch(of: #/"id":"([^"]+)"/#)?.output.1)
                let seen = try await curl.send("GET", "\(path)/\(id)")
                #expect(seen.body.contains(#""avatar":"\#(tls.server.ready.url)/avatars/nutritionist.svg""#))
                let avatar = try await curl.run(["--cacert", tls.ca, "\(tls.url)/avatars/nutritionist.svg"])
                #expect(avatar.hasPrefix("<svg"))
            }
        }

        @Test("When a client does not trust the CA, the log says why and what to do")
        func unknownCA() async throws {
            try await TLSServer.serve { tls in
                let refused = try await tls.curl("\(tls.url)/health")
                #expect(refused.status == 60, "\(refused.transcript)")
                let line = try #require(try await tls.server.logged("TLS:").last)
                #expect(line.contains(" notice TLS: The client refused the handshake (unknown_ca, alert 48): "))
                #expect(line.hasSuffix(" certificate' explains how."))
            }
        }

        @Test("Using the wrong protocol on either port gets an error with the right URL")
        func wrongProtocol() async throws {
            try await TLSServer.serve { tls in
                let plain = try await tls.curl("http://127.0.0.1:\(tls.port)/health")
                #expect(plain.output.contains("a TLS port; use \(tls.url), or"), "\(plain.transcript)")
                try await tls.server.logged("refused with 400: The client sent plain HTTP to a TLS port")
                let plainPort = tls.server.ready.url.split(separator: ":")[2]
                let secure = try await tls.curl("https://127.0.0.1:\(plainPort)/health")
                // CURLE_SSL_CONNECT_ERROR; the usual message for it is "wrong version number".
                #expect(secure.status == 35, "\(secure.transcript)")
                try await tls.server.logged(
                    "on a plain HTTP port; use \(tls.server.ready.url), or \(tls.url) for TLS")
            }
        }

        // MARK: OpenSSL's client

        private static let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

        @Test(
            "openssl s_client verifies the name and receives an answer and close_notify", arguments: ["1_2", "1_3"],
            [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"]])
        func sClient(version: String, name: [String]) async throws {
            try await TLSServer.serve { tls in
                let connection = ["s_client", "-connect", "127.0.0.1:\(tls.port)", "-CAfile", tls.ca]
                let client = try await Command(
                    try Programs.named("openssl"),
                    connection + name + ["-verify_return_error", "-tls\(version)", "-alpn", "http/1.1", "-ign_eof"],
                    input: Self.request)
                #expect(client.status == 0, "\(client.transcript)")
                #expect(client.output.contains("Verification: OK"))
                #expect(client.output.contains("New, TLSv\(version.replacing("_", with: ".")), Cipher is "))
                #expect(client.output.contains("ALPN protocol: http/1.1"))
                #expect(client.output.contains(#"{"status":"ok"}"#))
                #expect(client.output.contains("closed"), "A farewell, not an unexpected end.")
                #expect(!client.errors.contains("unexpected eof"))
            }
        }

        @Test("openssl resumes sessions with -reconnect and from a file")
        func resumption() async throws {
            try await TLSServer.serve { tls in
                let again = try await tls.openssl("-tls1_2", "-reconnect")
                #expect(again.output.ranges(of: "Reused, TLSv1.2").count == 5, "\(again.transcript)")
                for version in ["1_2", "1_3"] {
                    let files = try ScratchFolder()
                    defer { files.remove() }
                    let session = files["session.pem"].path
                    let first = try await tls.openssl(
                        "-tls\(version)", "-ign_eof", "-sess_out", session, input: Self.request)
                    #expect(first.output.contains("New, TLSv"), "\(first.transcript)")
                    let second = try await tls.openssl(
                        "-tls\(version)", "-ign_eof", "-sess_in", session, input: Self.request)
                    #expect(second.output.contains("Reused, TLSv"), "\(second.transcript)")
                    #expect(second.output.contains(#"{"status":"ok"}"#))
                }
            }
        }

        @Test("Old versions and other protocols get the right alert and a log line")
        func refusedHandshakes() async throws {
            try await TLSServer.serve { tls in
                let old = try await tls.openssl("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
                #expect(old.errors.contains("alert protocol version"), "\(old.transcript)")
                try await tls.server.logged("TLS: The client and this end have no TLS version in common")
                let other = try await tls.openssl("-alpn", "h2")
                #expect(other.errors.contains("alert no application protocol"), "\(other.transcript)")
                try await tls.server.logged("TLS: The client offered h2 in ALPN, but only http/1.1 is supported here.")
                let both = try await tls.openssl("-alpn", "h2,http/1.1")
                #expect(both.output.contains("ALPN protocol: http/1.1"), "\(both.transcript)")
            }
        }

        // MARK: Python

        /// Plays a story over TLS; the ready file has secure URLs in place of plain ones.
        private func tell(_ story: String, _ chapters: [String], over tls: TLSServer) async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let text = try String(contentsOf: tls.server.readyFile, encoding: .utf8)
                .replacing("\"ws_url\":\"\(tls.server.ready.ws_url)\"", with: "\"ws_url\":\"\(tls.webSocketURL)\"")
                .replacing("\"url\":\"\(tls.server.ready.url)\"", with: "\"url\":\"\(tls.url)\"")
            try Data(text.utf8).write(to: files["ready.json"])
            let command = try await Command.peer(
                story, [files["ready.json"].path, try Programs.fitiqMock().path] + chapters,
                // Python's default context trusts this file.
                environment: ["SSL_CERT_FILE": tls.ca])
            #expect(command.status == 0, "\(story) failed:\n\(command.transcript)")
        }

        @Test("A library plays the whole story over https and wss", arguments: ["with_websockets", "with_aiohttp"])
        func story(_ story: String) async throws {
            try await TLSServer.serve("--instant") { tls in
                let chapters = [
                    "rest", "refusals", "goal_rules", "handshakes", "chat", "echo", "goal_chat", "meals", "meals_heard",
                ]
                try await tell(story, chapters, over: tls)
            }
        }

        @Test(
            "A library reports each fault over TLS as it does without TLS",
            arguments: [
                // Python's blocking TLS sockets treat a reset as the end of the stream, so `http.client` cannot tell
                // response faults apart.
                ("faults_with_websockets", ["handshake", "socket"]),
                ("faults_with_aiohttp", ["response", "handshake", "socket"]),
            ])
        func faults(_ story: String, _ chapters: [String]) async throws {
            try await TLSServer.serve("--instant") { tls in try await tell(story, chapters, over: tls) }
        }

        // MARK: Certificates

        @Test("openssl accepts the certificate only for local names, and the keys are private")
        func certificates() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let environment = ["FITIQ_MOCK_DATA_DIR": files["data"].path]
            let program = try Programs.fitiqMock()
            // The result must not depend on the user's umask.
            let made = try await Command(
                URL(fileURLWithPath: "/bin/sh"), ["-c", "umask 0; exec '\(program.path)' certificate"],
                environment: environment)
            #expect(made.status == 0 && made.output.contains("xcrun simctl keychain booted add-root-cert"))
            let ca = files["data"].appendingPathComponent("ca.pem")
            #expect(made.output.contains("curl --cacert \(ca.path) https://localhost:8443/health"))
            for name in ["ca-key.pem", "localhost-key.pem"] {
                let path = files["data"].appendingPathComponent(name).path
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            }
            let path = try await Command(program, ["certificate", "--ca"], environment: environment)
            #expect(path.output == ca.path + "\n")
            let pem = try await Command(program, ["certificate", "--pem"], environment: environment)
            #expect(try pem.output == String(contentsOf: ca, encoding: .utf8))

            let openssl = try Programs.named("openssl")
            let fingerprint = try await Command(openssl, ["x509", "-in", ca.path, "-noout", "-fingerprint", "-sha256"])
            let digest = try #require(fingerprint.output.split(separator: "=").last?.split(separator: "\n").first)
            #expect(made.output.contains("SHA-256 \(digest)\n"))
            let certificate = files["data"].appendingPathComponent("localhost.pem").path
            for name in [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"], ["-verify_ip", "::1"]] {
                let verified = try await Command(
                    openssl,
                    ["verify", "-x509_strict", "-CAfile", ca.path, "-purpose", "sslserver"] + name + [certificate])
                #expect(verified.status == 0, "\(verified.transcript)")
            }
            let other = try await Command(
                openssl, ["verify", "-CAfile", ca.path, "-verify_hostname", "example.com", certificate])
            #expect(other.status != 0)
        }

        @Test("Servers that start simultaneously in a fresh folder share one CA")
        func atOnce() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let environment = ["FITIQ_MOCK_DATA_DIR": files["data"].path]
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var answer = ""
                        try await RunningServer.serve(["--tls", "--tls-port", "0"], environment: environment) {
                            server in
                            let ready = try JSONDecoder().decode(
                                [String: String].self, from: Self.strings(of: server.readyFile))
                            answer = try await Command(
                                try Programs.curl(),
                                ["-q", "-sS", "--noproxy", "*", "--cacert", ready["ca_certificate"] ?? ""]
                                    + ["\(ready["https_url"] ?? "")/health"]
                            ).transcript
                        }
                        return answer
                    }
                }
                for try await answer in group { #expect(answer == "exit 0\n{\"status\":\"ok\"}") }
            }
        }

        /// The string members of a ready file.
        private static func strings(of file: URL) throws -> Data {
            let all = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
            return try JSONSerialization.data(withJSONObject: all.filter { $0.value is String })
        }

        @Test("Without --tls, the server does not mention TLS and creates no folder")
        func without() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let environment = ["FITIQ_MOCK_DATA_DIR": files["data"].path]
            try await RunningServer.serve([], environment: environment) { server in
                let ready = try String(contentsOf: server.readyFile, encoding: .utf8)
                #expect(!ready.contains("https") && !ready.contains("ca_certificate"))
                #expect(!server.banner.contains("https"))
            }
            #expect(!FileManager.default.fileExists(atPath: files["data"].path))
        }

        @Test(
            "The server uses a custom certificate with an elliptic or RSA key",
            arguments: [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"]])
        func own(algorithm: [String]) async throws {
            try await withOwnCertificate(algorithm) { files in
                let arguments = ["--tls", "--tls-port", "0", "--certificate", files["c.pem"].path]
                try await RunningServer.serve(arguments + ["--key", files["k.pem"].path]) { server in
                    let ready = try String(contentsOf: server.readyFile, encoding: .utf8)
                    #expect(!ready.contains("ca_certificate"))
                    let port = try #require(ready.firstMatch(of: #/https:\/\/127\.0\.0\.1:(\d+)/#)?.output.1)
                    let answer = try await Command(
                        try Programs.curl(),
                        ["-q", "-sS", "--noproxy", "*", "--cacert", files["c.pem"].path]
                            + ["--resolve", "mine.example:\(port):127.0.0.1", "https://mine.example:\(port)/health"])
                    #expect(answer.output == #"{"status":"ok"}"#, "\(answer.transcript)")
                }
            }
        }

        @Test("The server warns about an expired certificate and rejects a key from a different certificate")
        func badCertificates() async throws {
            try await withOwnCertificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) { files in
                let (certificate, key, expired) = (files["c.pem"].path, files["k.pem"].path, files["e.pem"].path)
                let made = try await Command(
                    try Programs.named("openssl"),
                    ["x509", "-in", certificate, "-signkey", key, "-days", "-1", "-out", expired])
                try #require(made.status == 0, "\(made.transcript)")
                let arguments = ["--tls", "--tls-port", "0", "--key", key, "--certificate", expired]
                try await RunningServer.serve(arguments) { server in
                    try await server.logged("warning the certificate expired at ")
                    let ready = try String(contentsOf: server.readyFile, encoding: .utf8)
                    let port = try #require(ready.firstMatch(of: #/https:\/\/127\.0\.0\.1:(\d+)/#)?.output.1)
                    let refused = try await Command(
                        try Programs.curl(),
                        ["-q", "-sS", "--noproxy", "*", "--cacert", expired]
                            + ["--resolve", "mine.example:\(port):127.0.0.1", "https://mine.example:\(port)/health"])
                    #expect(refused.status == 60 && refused.errors.contains("expired"), "\(refused.transcript)")
                    try await server.logged("TLS: The client refused the handshake (certificate_expired, alert 45)")
                }
                let other = files["other.pem"].path
                _ = try await Command(
                    try Programs.named("openssl"), ["genpkey", "-algorithm", "ED25519", "-out", other])
                let wrongKey = try await Command(
                    try Programs.fitiqMock(), ["serve", "--tls", "--certificate", certificate, "--key", other])
                #expect(wrongKey.status == 2)
                #expect(
                    wrongKey.errors
                        == "fitiq-mock: cannot use '\(other)': The key does not belong to the certificate: their public keys differ.\n"
                )
            }
        }

        /// Passes the body a folder with a self-signed certificate, `c.pem`, and its key, `k.pem`.
        private func withOwnCertificate(
            _ algorithm: [String], _ body: (ScratchFolder) async throws -> Void
        ) async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let made = try await Command(
                try Programs.named("openssl"),
                ["req", "-x509", "-newkey"] + algorithm
                    + ["-nodes", "-keyout", files["k.pem"].path, "-out", files["c.pem"].path, "-days", "2"]
                    + ["-subj", "/CN=mine.example", "-addext", "subjectAltName=DNS:mine.example"])
            try #require(made.status == 0, "\(made.transcript)")
            try await body(files)
        }
    }
}
