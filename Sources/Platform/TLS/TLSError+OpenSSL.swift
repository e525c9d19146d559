import COpenSSL

extension TLSError {
    /// What an error of OpenSSL's means for a session.
    init(
        _ failure: OpenSSLFailure?, from peer: TLSRole, host: String, inHandshake: Bool, receivedCount: Int,
        firstBytes: [UInt8], wire: TLSWire
    ) {
        let end: TLSError = inHandshake ? .hungUp(from: peer, afterBytes: receivedCount) : .truncated(from: peer)
        guard let failure else {
            self = wire.isEnded ? end : .violation(from: peer, reason: "")
            return
        }
        if let alert = failure.receivedAlert {
            self = .alert(alert, from: peer, inHandshake: inHandshake)
        } else if let refusal = wire.refusal {
            self = .refused(host: host, refusal)
        } else if let offered = wire.refusedProtocols {
            self = .noCommonProtocol(offered: offered)
        } else if failure.isOfSSL {
            self = Self.ofSSL(failure, from: peer, end: end, firstBytes: firstBytes)
        } else {
            self = .violation(from: peer, reason: failure.text)
        }
    }

    private static func ofSSL(
        _ failure: OpenSSLFailure, from peer: TLSRole, end: TLSError, firstBytes: [UInt8]
    ) -> TLSError {
        switch failure.reason {
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: end
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH, SSL_R_WRONG_SSL_VERSION,
            SSL_R_UNKNOWN_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE:
            .noCommonVersion(from: peer)
        case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SHARED_GROUPS,
            SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
            .noCommonCipher(from: peer)
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
            .notTLS(from: peer, bytes: firstBytes)
        case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_DECRYPTION_FAILED:
            .badRecord(from: peer)
        default: .violation(from: peer, reason: failure.text)
        }
    }
}
