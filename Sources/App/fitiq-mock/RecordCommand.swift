import ArgumentParser
import FitIQAPI
import Hosting
import Logging
import MockServer
import Sockets
import TLS
import Text
import Traffic

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record the traffic between clients and a real server, until Ctrl-C.",
        discussion: """
            A reverse proxy for REST and WebSocket: point the app at the proxy instead of the server. The file is HAR \
            1.2, and you can open it at any time; 'fitiq-mock replay' serves it again. Bodies and frames pass \
            through unchanged, so any server URLs in them still point to the server and bypass the recording. Each \
            option can also be set in the environment.
            """)

    @Option("The server to record, such as https://api.example.com; scheme, host and port.", "url")
    var upstream: String?

    @Option("The file for the session, as HAR.", "path", .file())
    var output: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Option(
        "Also trust the CAs in this PEM file, for an upstream with a certificate from your own CA.", "path", .file())
    var upstreamCa: String?

    @OptionGroup var host: HostOptions

    /// Concurrent client connections, which need two descriptors each; the proxy answers further connections with 503.
    static let connections = 4_096

    func run() throws {
        let logger = try host.logger()
        defer { StandardOutput.excuse(logger) }
        let upstream = try upstreamURL()
        guard let output = try Settings.nonEmpty(output, .output) else {
            throw Failure.configuration(Messages.noOutput)
        }
        let trust = try Self.trust(upstream, Settings.nonEmpty(upstreamCa, .upstreamCa))
        var configuration = Engine.Configuration()
        configuration.relayed = upstream
        configuration.limits.connections = Self.connections
        HostOptions.raiseDescriptors(for: &configuration.limits, share: 2, logger)
        let address = try host.address()
        // Check the ready file before creating any file.
        let readyFile = try ReadyFile.claimed(host.readyFile)
        let secure = try host.secure(besides: address, logger)
        if let secure {
            for warning in secure.listening.warnings(ca: secure.ca, at: FitIQMock.now) { logger.warning("\(warning)") }
        }
        let server = try HostOptions.open(configuration, at: address, secure?.listening, trust) {
            (error) throws(Failure) in
            // The upstream is this proxy itself.
            if case .configuration(let message) = error { throw .configuration("\(message) (--port, --upstream)") }
        }
        server.engine.log(to: logger)
        // Open the output only when nothing else can fail, because opening it removes the file that it replaces.
        let tap = try tap(output, logger)
        server.upstreamTap = tap

        let running = RunningProxy(
            url: server.loop.url, secureURL: server.loop.secureURL, upstream: upstream.description, output: output,
            caPath: secure?.ca)
        do throws(Failure) {
            try readyFile?.write(running.readyFile(of: .current))
        } catch {
            tap.discard()
            throw error
        }
        // Remove the ready file last: once it is gone, every other file has been written.
        defer { readyFile?.remove() }
        // From now on, the replaced file is no longer needed.
        tap.write()
        print(running.banner(program: ProgramName.asTyped, keepsSecrets: try host.keepsSecrets()), terminator: "")
        StandardOutput.excuse(logger)
        var conclusions = Conclusions(logger)
        conclusions.add { () throws(Failure) in
            // A second signal interrupts answers, but the recording is still completed.
            _ = try orFailure(try server.run()) { (error: SocketError) in .running(error) }
        }
        conclusions.add { () throws(Failure) in try tap.conclude(output, of: "proxy", at: server.loop.time(.now())) }
        try conclusions.tell()
    }

    private func upstreamURL() throws(Failure) -> UpstreamURL {
        guard let url = try Settings.upstream(upstream) else { throw .configuration(Messages.noUpstream) }
        return url
    }

    /// - Parameter path: a file with additional CAs to trust.
    static func trust(_ upstream: UpstreamURL?, _ path: String?) throws(Failure) -> TLSTrust {
        guard let path else { return .system }
        // Worlds may have their own upstreams.
        if let upstream, !upstream.isSecure { throw .configuration(Messages.authorityWithoutTLS(upstream.description)) }
        let pem = try InputFile.read(path, limit: TLSLimits.pemFile, orInherited: true)
        // Check the file here, so that the error names it.
        _ = try orFailure(try TLSContext.client(trust: .only(pem))) { (error: TLSError) in
            .configuration(Messages.inMaterial(path, error))
        }
        return .systemAnd(pem)
    }

    private func tap(_ output: String, _ logger: Logger) throws(Failure) -> SessionTap {
        var settings = SessionRecorder.Settings(creatorVersion: Version.current)
        settings.keepsSecrets = try host.keepsSecrets()
        let replacing = try Settings.flag(overwrite, .overwrite)
        return try SessionTap.begin(settings, to: output, of: "proxy", replacing: replacing, logger)
    }
}

struct RunningProxy {
    let url: String
    let secureURL: String?
    let upstream: String
    let output: String
    /// The CA that TLS clients must trust, or nil if the user supplied the certificate.
    let caPath: String?

    func readyFile(of writer: ReadyFile.Writer) -> [UInt8] {
        ReadyFile.content(
            url: url, [("upstream", upstream), ("output", output)], secureURL: secureURL, caPath: caPath,
            writer: writer)
    }

    func banner(program: String, keepsSecrets: Bool) -> String {
        var lines = [
            "fitiq-mock \(Version.current) records the traffic between clients and \(upstream).", "",
            "Point the app here instead of \(upstream):", "",
            "  REST        \(url)",
            "  WebSocket   \(RunningServer.webSocket(url))",
        ]
        if let secureURL {
            lines.append("  over TLS    \(secureURL)")
            lines.append("              \(RunningServer.webSocket(secureURL))")
        }
        if let caPath { lines.append("  CA          \(caPath)  ('\(program) certificate' explains how to trust it)") }
        let secrets =
            keepsSecrets
            ? "including all tokens, keys, cookies and e-mail addresses: do not share it"
            : "with placeholders for tokens, keys, cookies and e-mail addresses"
        lines += [
            "", "The session is written to \(output),", "\(secrets).",
            "You can open it at any time: \(program) show \(output.shellQuoted)", "", "Stop with Ctrl-C.", "",
        ]
        return lines.joined(separator: "\n")
    }
}
