import ArgumentParser
import FitIQAPI
import Hosting
import Logging
import MockServer
import Sockets
import TLS

/// The address, log, ready file and recording of a server or proxy: options for `serve`, `replay` and `record`.
struct HostOptions: ParsableArguments {
    @Option("The port to listen on; 0 picks a free port. (default: 8080)", as: .port)
    var port: UInt16?

    @Option("The address to listen on; 0.0.0.0 or :: for all. (default: 127.0.0.1)", "address")
    var host: String?

    @Flag(help: "Also serve https and wss, on a separate port; see 'fitiq-mock certificate'.")
    var tls = false

    @Option("The port for TLS; 0 picks a free port. (default: 8443)", as: .port)
    var tlsPort: UInt16?

    @Option(
        "The TLS certificate, with its intermediate certificates, as PEM. (default: one for localhost)", "path",
        .file())
    var certificate: String?

    @Option("The private key for --certificate, as PEM.", "path", .file())
    var key: String?

    @Option(
        "The log level: trace, debug, info (a line for each request, and for each WebSocket that opens or closes), "
            + "notice, warning, error or critical. (default: notice)", "level", .values(of: Logger.Level.self))
    var logLevel: String?

    @Option(
        "The log format: text, or json, one object per line. (default: text)", "format",
        .values(of: LineLog.Format.self))
    var logFormat: String?

    @Flag(help: "Record tokens, keys, cookies and e-mail addresses as they are, not as placeholders.")
    var keepSecrets = false

    @Option(
        "Once the server accepts connections, write url, ws_url, pid and the other values that a client needs "
            + "to this file, as JSON.",
        "path", .file())
    var readyFile: String?

    func keepsSecrets() throws(Failure) -> Bool { try Settings.flag(keepSecrets, .keepSecrets) }

    /// Raises the limit on file descriptors, and lowers the limit on connections if there are still too few
    /// descriptors.
    ///
    /// - Parameter share: The number of descriptors for each client connection: two if there is an upstream.
    static func raiseDescriptors(for limits: inout ServerLimits, share: Int, _ logger: Logger) {
        let wanted = limits.descriptors * share
        let descriptors = CurrentProcess.raiseFileDescriptorLimit(to: wanted)
        guard descriptors < wanted else { return }
        limits.fit(descriptors: descriptors / share)
        logger.notice("\(Messages.fewDescriptors(descriptors, connections: limits.connections))")
    }

    /// Opens a host that stops on the system's signals.
    ///
    /// - Parameter explain: May throw a more specific error.
    static func open(
        _ configuration: Engine.Configuration, at address: SocketAddress, _ secure: SecureEndpoint?, _ trust: TLSTrust,
        explain: (StartError) throws(Failure) -> Void
    ) throws(Failure) -> Host {
        let host: Host
        do throws(StartError) {
            host = try Host(listeningOn: address, secure: secure, upstreamTrust: trust, configuration: configuration)
        } catch {
            try explain(error)
            throw .configuration(Messages.notStarted(error))
        }
        try orFailure(try host.stopOnSignalsForGood(System.stopSignals)) { (error: SocketError) in
            .configuration(error.description)
        }
        return host
    }

    func logger() throws(Failure) -> Logger {
        let format: LineLog.Format = try Settings.choice(logFormat, .logFormat) ?? .text
        var logger = Logger(label: "fitiq-mock", factory: { _ in LineLog(format: format) })
        logger.logLevel = try Settings.choice(logLevel, .logLevel) ?? .notice
        for message in Settings.strays(in: CurrentProcess.environment(beginning: "FITIQ_MOCK_")) {
            logger.warning("\(message)")
        }
        return logger
    }

    func address() throws(Failure) -> SocketAddress {
        let port = try Settings.number(port, .port, as: .port) ?? 8080
        let host = try Settings.nonEmpty(host, .host) ?? "127.0.0.1"
        return try orFailure(try SocketAddress(host: host, port: port)) { (error: SocketError) in
            .configuration(error.description)
        }
    }

    /// The TLS listener and its certificate, or nil if `--tls` was not given.
    ///
    /// If the user gives no certificate, one is created on first use.
    func secure(
        besides plain: SocketAddress, _ logger: Logger = .silent
    ) throws(Failure) -> (listening: SecureEndpoint, ca: String?)? {
        let port = try Settings.number(tlsPort, .tlsPort, as: .port)
        let certificate = try Settings.nonEmpty(certificate, .certificate)
        let key = try Settings.nonEmpty(key, .key)
        guard try Settings.flag(tls, .tls) else {
            let given = [("--tls-port", port != nil), ("--certificate", certificate != nil), ("--key", key != nil)]
            if let option = given.first(where: { $0.1 })?.0 { throw .configuration(Messages.requires("--tls", option)) }
            return nil
        }
        guard (certificate == nil) == (key == nil) else { throw .configuration(Messages.certificateAndKey) }
        var address = plain
        address.port = port ?? 8443
        guard address.port == 0 || address.port != plain.port else {
            throw .configuration("TLS needs a separate port: --port and --tls-port are both \(address.port).")
        }
        if let certificate, let key { return (try own(certificate, key, at: address), nil) }
        var stored = try CertificateFiles()
        stored.warn = { logger.warning("\($0)") }
        let files = try stored.current(at: FitIQMock.now)
        let advice = Messages.howToTrust(ProgramName.asTyped)
        return (
            SecureEndpoint(address: address, certificates: files.certificate, key: files.key, advice: advice),
            files.caPath
        )
    }

    /// The user's own certificate; errors name the faulty file.
    private func own(
        _ certificatePath: String, _ keyPath: String, at address: SocketAddress
    ) throws(Failure) -> SecureEndpoint {
        let certificates = try InputFile.read(certificatePath, limit: TLSLimits.pemFile, orInherited: true)
        let key = try InputFile.read(keyPath, limit: TLSLimits.pemFile, orInherited: true)
        _ = try orFailure(try TLSContext.server(certificates: certificates, key: key)) { (error: TLSError) in
            .configuration(Messages.inMaterial(error.isAboutKey ? keyPath : certificatePath, error))
        }
        return SecureEndpoint(address: address, certificates: certificates, key: key)
    }
}

extension SecureEndpoint {
    /// The certificate problems that clients will report at this time.
    ///
    /// `ca` is our own CA, if it issued the certificate.
    ///
    /// Clients should detect these problems, so the server still starts.
    func warnings(ca: String?, at now: Timestamp) -> [String] {
        var warnings: [String] = []
        if ca != nil, !address.isLoopback, !address.isUnspecified {
            warnings.append(Messages.certificateOfLocalhost(not: address.host))
        }
        guard let facts = try? CertificateFacts.read(pem: certificates).first else { return warnings }
        if now.secondsSinceEpoch > facts.notAfter { warnings.append(Messages.certificateExpired(facts.expiry)) }
        if now.secondsSinceEpoch < facts.notBefore { warnings.append(Messages.certificateNotYetValid) }
        return warnings
    }
}

extension TLSError {
    /// Whether the key file is faulty, rather than the certificate file.
    fileprivate var isAboutKey: Bool {
        switch self {
        case .notPEM(.key), .damaged(.key), .tooLarge(.key, _), .unusable(.key, _), .encryptedKey, .wrongKey: true
        default: false
        }
    }
}
