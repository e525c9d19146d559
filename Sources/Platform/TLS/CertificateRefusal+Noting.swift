import COpenSSL

extension CertificateRefusal {
    /// Called by OpenSSL with each verdict on a certificate: notes the first refusal for the message, and lets it stand.
    static func note(_ isFine: Int32, _ verification: OpaquePointer?) -> Int32 {
        guard isFine == 0 else { return isFine }
        let session = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let wire = TLSWire.of(session.map { OpaquePointer($0) }), wire.refusal == nil else { return 0 }
        let certificate = X509_STORE_CTX_get_current_cert(verification) ?? X509_STORE_CTX_get0_cert(verification)
        wire.refusal = CertificateRefusal(
            code: X509_STORE_CTX_get_error(verification), of: certificate.map { X509Certificate(sharing: $0) })
        return 0
    }

    private init(code: Int32, of certificate: X509Certificate?) {
        let subject = certificate?.subject ?? ""
        self =
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired(subject: subject, notAfter: certificate?.notAfter ?? 0)
            case X509_V_ERR_CERT_NOT_YET_VALID:
                .notYetValid(subject: subject, notBefore: certificate?.notBefore ?? 0)
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned(subject: subject)
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .unknownAuthority(issuer: certificate?.issuer ?? "")
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                .wrongName(certificate?.names ?? [])
            default: .other(subject: subject, reason: String(cString: X509_verify_cert_error_string(Int(code))))
            }
    }
}
