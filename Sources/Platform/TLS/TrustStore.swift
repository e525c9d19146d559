import COpenSSL

/// The certificates that a client believes.
enum TrustStore {
    /// Where systems keep theirs in one file, for an OpenSSL that was built to look elsewhere.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        "/etc/ssl/ca-bundle.pem",
    ]

    /// Loads the system's; where there are none, the handshake says that the authority is unknown.
    static func loadSystem(into context: OpaquePointer) {
        defer { OpenSSLErrors.clear() }
        SSL_CTX_set_default_verify_paths(context)
        guard COpenSSL_trust_is_chosen() == 0, count(in: context) == 0 else { return }
        for bundle in bundles {
            OpenSSLErrors.clear()
            if SSL_CTX_load_verify_locations(context, bundle, nil) == 1 { return }
        }
    }

    /// Trusts each certificate of a PEM, be it an authority's, one between, or a server's own.
    static func load(_ pem: [UInt8], into context: OpaquePointer) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(context)
        for certificate in try PEM.certificates(pem, as: .trust) {
            guard X509_STORE_add_cert(store, certificate.pointer) == 1 else { throw TLSContext.unusable(.trust) }
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    private static func count(in context: OpaquePointer) -> Int32 {
        OPENSSL_sk_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context)))
    }
}
