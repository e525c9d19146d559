import Foundation
import TestSupport
import Testing

/// A TLS server with its own folder for certificates, separate from the folder of the user who runs the tests.
struct TLSServer {
    let server: RunningServer
    let url: String
    let webSocketURL: String
    /// The CA's file.
    let ca: String

    /// Starts a server as ``RunningServer/serve`` does.
    static func serve(_ options: String..., body: (TLSServer) async throws -> Void) async throws {
        let files = try ScratchFolder()
        defer { files.remove() }
        try await RunningServer.serve(
            ["--tls", "--tls-port", "0"] + options, environment: ["FITIQ_MOCK_DATA_DIR": files.url.path]
        ) { server in
            let ready = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: server.readyFile))
            try await body(
                TLSServer(server: server, url: ready.https_url, webSocketURL: ready.wss_url, ca: ready.ca_certificate))
        }
    }

    /// The contents of the ready file of a server with `--tls`.
    private struct Ready: Decodable {
        let https_url: String
        let wss_url: String
        let ca_certificate: String
    }

    var port: String { String(url.split(separator: ":")[2]) }

    /// Runs curl, which may fail.
    func curl(_ arguments: String...) async throws -> Command {
        let fixed = ["-q", "--silent", "--show-error", "--noproxy", "*", "--max-time", "20"]
        return try await Command(try Programs.curl(), fixed + arguments)
    }

    /// Runs `openssl s_client` against the server, with almost nothing on its standard input.
    func openssl(_ arguments: String..., input: String = "") async throws -> Command {
        let connection = ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", ca]
        return try await Command(try Programs.named("openssl"), connection + arguments, input: input)
    }
}
