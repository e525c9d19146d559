import TLS

/// The messages of 'serve --tls' and 'certificate'.
extension Messages {
    static func onlyWithTLS(_ option: String) -> String { "\(option) goes only with --tls." }

    static func howToTrust(_ program: String) -> String { "'\(program) certificate' says how." }

    static let certificateAndKey =
        "--certificate and --key go together: a certificate is of no use without its private key."

    static func samePort(_ port: UInt16) -> String {
        "TLS needs a port of its own: --port and --tls-port are both \(port)."
    }

    static func certificateOfLocalhost(not host: String) -> String {
        "the certificate is for localhost, 127.0.0.1 and ::1, so clients refuse https://\(host); "
            + "give one for it with --certificate and --key"
    }

    static func certificateExpired(_ time: String) -> String {
        "the certificate expired at \(time): clients will refuse it"
    }

    static let certificateNotYetValid = "the certificate is not valid yet: clients will refuse it until it is"

    static let eitherPathOrPEM = "--ca prints a path and --pem a certificate; give one of them."

    /// The path of a certificate or key before a sentence about it.
    static func inMaterial(_ path: String, _ error: TLSError) -> String { "cannot use '\(path)': \(error.description)" }

    /// The output of 'certificate'.
    static func certificates(
        ca: (path: String, facts: CertificateFacts), server: (path: String, facts: CertificateFacts)
    ) -> String {
        let path = ca.path.shellQuoted
        return """
            'fitiq-mock serve --tls' proves itself with a certificate from a CA that exists on this machine only.

              CA            \(ca.path)
                            valid until \(date(ca.facts.expiry))
                            SHA-256 \(ca.facts.fingerprint)
              Certificate   \(server.path)
                            for localhost, 127.0.0.1 and ::1
                            valid until \(date(server.facts.expiry)), and renewed in time by 'serve --tls'

            Clients have to trust the CA, once for each:

              curl            curl --cacert \(path) https://localhost:8443/health
              Python ssl      ssl.create_default_context(cafile="\(ca.path)"), also for websockets
              requests        requests.get(url, verify="\(ca.path)")
              aiohttp         TCPConnector(ssl=ssl.create_default_context(cafile="\(ca.path)"))
              Node            NODE_EXTRA_CA_CERTS=\(path) node app.js
              iOS simulator   xcrun simctl keychain booted add-root-cert \(path)
              macOS           security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db \(path)
              Android         cp \(path) app/src/debug/res/raw/fitiq_mock_ca.pem
                              app/src/debug/res/xml/network_security_config.xml:
                                <network-security-config>
                                  <debug-overrides><trust-anchors>
                                    <certificates src="@raw/fitiq_mock_ca" />
                                  </trust-anchors></debug-overrides>
                                </network-security-config>
                              <application android:networkSecurityConfig="@xml/network_security_config" …>
                              adb reverse tcp:8443 tcp:8443, and the app finds it at https://localhost:8443

            The CA's key never leaves \(folder(of: ca.path)). It vouches for this machine's own names only, and yet:
            trust it where you develop, and nowhere else. To begin anew, delete that folder.

            """
    }

    private static func date(_ time: String) -> String { String(time.prefix("YYYY-MM-DD".count)) }

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
