import FitIQAPI
import Hosting
import Sockets
import TLS

extension ServeOptions {
    /// The TLS listener and its certificate; nil without `--tls`.
    ///
    /// Without a certificate of the user's, one is created on first use.
    func secure(besides plain: SocketAddress) throws(Failure) -> (listening: SecureEndpoint, ca: String?)? {
        let port = try Settings.value(tlsPort, "TLS_PORT", expected: "a port from 0 to 65535")
        let certificate = try nonEmpty(certificate, "CERTIFICATE", "--certificate")
        let key = try nonEmpty(key, "KEY", "--key")
        guard try Settings.flag(tls, "TLS") else {
            let given = [("--tls-port", port != nil), ("--certificate", certificate != nil), ("--key", key != nil)]
            if let option = given.first(where: { $0.1 })?.0 { throw .configuration(Messages.onlyWithTLS(option)) }
            return nil
        }
        guard (certificate == nil) == (key == nil) else { throw .configuration(Messages.certificateAndKey) }
        var address = plain
        address.port = port ?? 8443
        guard address.port == 0 || address.port != plain.port else {
            throw .configuration(Messages.samePort(address.port))
        }
        guard let certificate, let key else {
            let files = try CertificateFiles().current(at: FitIQMock.now)
            let advice = Messages.howToTrust(ProgramName.asTyped)
            return (
                SecureEndpoint(address: address, certificates: files.certificate, key: files.key, advice: advice),
                files.caPath
            )
        }
        return (try own(certificate, key, at: address), nil)
    }

    /// The user's own certificate; errors name the file concerned.
    private func own(
        _ certificatePath: String, _ keyPath: String, at address: SocketAddress
    ) throws(Failure) -> SecureEndpoint {
        let certificates = try InputFile.read(certificatePath, limit: TLSLimits.pemFile, orInherited: true)
        let key = try InputFile.read(keyPath, limit: TLSLimits.pemFile, orInherited: true)
        do throws(TLSError) {
            _ = try TLSContext.server(certificates: certificates, key: key)
        } catch {
            throw .configuration(Messages.inMaterial(error.isAboutKey ? keyPath : certificatePath, error))
        }
        return SecureEndpoint(address: address, certificates: certificates, key: key)
    }

    /// The certificate problems that clients will report at this time; `ca` is our own CA, if it was used.
    ///
    /// Clients are supposed to detect them, so the server starts all the same.
    func warnings(of secure: SecureEndpoint, ca: String?, at now: Timestamp) -> [String] {
        var warnings: [String] = []
        if ca != nil, !secure.address.isLoopback, !secure.address.isUnspecified {
            warnings.append(Messages.certificateOfLocalhost(not: secure.address.host))
        }
        guard let facts = try? CertificateFacts.read(pem: secure.certificates).first else { return warnings }
        if now.secondsSinceEpoch > facts.notAfter { warnings.append(Messages.certificateExpired(facts.expiry)) }
        if now.secondsSinceEpoch < facts.notBefore { warnings.append(Messages.certificateNotYetValid) }
        return warnings
    }
}

extension TLSError {
    /// Whether the key's file is at fault, not the certificate's.
    fileprivate var isAboutKey: Bool {
        switch self {
        case .notPEM(.key), .damaged(.key), .tooLarge(.key, _), .unusable(.key, _), .encryptedKey, .wrongKey: true
        default: false
        }
    }
}
