import COpenSSL

/// A failed session, or unusable certificates or keys; `description` is the message for the user.
///
/// If RFC 8446 §6 has a matching alert, a failed session has sent it.
public enum TLSError: Error, Sendable, Equatable {
    /// The PEM does not contain the required material.
    case notPEM(TLSMaterial)
    /// A PEM block cannot be decoded.
    case damaged(TLSMaterial)
    /// The PEM is larger than ``TLSLimits/pemFile``.
    case tooLarge(TLSMaterial, bytes: Int)
    /// The key is encrypted with a passphrase.
    case encryptedKey
    /// The key does not match the first certificate; `position` is the matching certificate's position, counted from 1.
    case wrongKey(position: Int?)
    /// The certificate has expired; seconds since 1970.
    case expired(subject: String, notAfter: Int64)
    /// The certificate is not valid yet; seconds since 1970.
    case notYetValid(subject: String, notBefore: Int64)
    /// The certificate is not allowed to sign others.
    case notAnAuthority(subject: String)
    /// The string is neither a host name nor an IP address that a certificate can name.
    case invalidName(String)
    /// There are no names, or more than ``TLSLimits/names``.
    case nameCount(Int)
    /// The authority must not issue certificates for this name.
    case nameNotPermitted(CertificateName)
    /// OpenSSL rejected the material.
    case unusable(TLSMaterial, reason: String)
    /// An OpenSSL call failed because memory is exhausted.
    case outOfMemory(reason: String)

    /// The peer uses HTTP without TLS; `excerpt` is the start of its bytes.
    case plainHTTP(from: TLSRole, excerpt: String)
    /// The peer uses neither TLS nor HTTP.
    case notTLS(from: TLSRole, bytes: [UInt8])
    /// The server's certificate was rejected.
    case refused(host: String, CertificateRefusal)
    /// The two ends share no TLS version.
    case noCommonVersion(from: TLSRole)
    /// The two ends share no cipher suite or key exchange.
    case noCommonCipher(from: TLSRole)
    /// The client offers application protocols by ALPN, but not the supported one.
    case noCommonProtocol(offered: [String])
    /// The peer sent the alert with this number (RFC 8446 §6).
    case alert(UInt8, from: TLSRole, inHandshake: Bool)
    /// The peer closed the connection during the handshake, after `afterBytes` bytes.
    case hungUp(from: TLSRole, afterBytes: Int)
    /// The connection ended without close_notify: the data may be incomplete (RFC 8446 §6.1).
    case truncated(from: TLSRole)
    /// A record was changed in transit, or encrypted with a different key.
    case badRecord(from: TLSRole)
    /// The peer violated the protocol; `reason` is OpenSSL's text.
    case violation(from: TLSRole, reason: String)
    /// The peer requests replies without reading them: more than ``TLSLimits/answers`` bytes are unsent.
    case flooded(from: TLSRole)
    /// More than ``TLSLimits/unreadCiphertext`` bytes are waiting to be decrypted.
    case overrun
}

/// The material in a PEM.
public enum TLSMaterial: Sendable, Equatable, CaseIterable {
    /// A server's certificate and the intermediate certificates.
    case certificate
    case key
    /// Trusted certificates.
    case trust
}

/// The reason for rejecting the server's certificate.
public enum CertificateRefusal: Sendable, Equatable {
    /// A certificate has expired; seconds since 1970.
    case expired(subject: String, notAfter: Int64)
    /// A certificate is not valid yet; seconds since 1970.
    case notYetValid(subject: String, notBefore: Int64)
    /// The authority at the end of the chain is not trusted.
    case unknownAuthority(issuer: String)
    /// The certificate is self-signed.
    case selfSigned(subject: String)
    /// The certificate is for different names, which are listed here.
    case wrongName([CertificateName])
    /// Another reason, in OpenSSL's words.
    case other(subject: String, reason: String)
}

extension TLSError {
    /// Whether a client rejected our certificate, with an alert or by closing the connection right after receiving it.
    ///
    /// The alerts are bad_certificate, unsupported_certificate, certificate_unknown and unknown_ca (RFC 8446 §6.2).
    public var isLackOfTrust: Bool {
        switch self {
        case .alert(42, .client, _), .alert(43, .client, _), .alert(46, .client, _), .alert(48, .client, _): true
        // A client that sent nothing has seen no certificate.
        case .hungUp(.client, let count): count > 0
        default: false
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// The error and how to fix it, in sentences.
    public var description: String { Messages.text(of: self) }

    /// The description, followed by `advice` if a client does not trust our certificate.
    public func description(advice: String) -> String {
        isLackOfTrust && !advice.isEmpty ? description + " " + advice : description
    }
}

extension TLSError {
    /// Interprets an OpenSSL error for a session.
    init(
        _ failure: OpenSSLFailure?, from peer: TLSRole, host: String, inHandshake: Bool, receivedCount: Int,
        firstBytes: [UInt8], wire: TLSWire
    ) {
        let end: TLSError = inHandshake ? .hungUp(from: peer, afterBytes: receivedCount) : .truncated(from: peer)
        self =
            if let alert = failure?.receivedAlert {
                .alert(alert, from: peer, inHandshake: inHandshake)
            } else if let refusal = wire.refusal, failure != nil {
                .refused(host: host, refusal)
            } else if let offered = wire.refusedProtocols, failure != nil {
                .noCommonProtocol(offered: offered)
            } else if let failure, failure.isOfSSL {
                Self.ofSSL(failure, from: peer, end: end, firstBytes: firstBytes)
            } else {
                failure == nil && wire.isEnded ? end : .violation(from: peer, reason: failure?.text ?? "")
            }
    }

    private static func ofSSL(_ failure: OpenSSLFailure, from peer: TLSRole, end: Self, firstBytes: [UInt8]) -> Self {
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
        case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_DECRYPTION_FAILED: .badRecord(from: peer)
        default: .violation(from: peer, reason: failure.text)
        }
    }
}

/// OpenSSL's per-thread error queue: clear it before each call, and read it after a failed one.
enum OpenSSLErrors {
    static func clear() { ERR_clear_error() }

    /// The first error, which caused the others; clears the queue.
    static func take() -> OpenSSLFailure? {
        let code = ERR_get_error()
        ERR_clear_error()
        return code == 0 ? nil : OpenSSLFailure(code: code)
    }

    /// The first libssl error or, if there is none, the first error; clears the queue.
    static func takeForSession() -> OpenSSLFailure? {
        defer { ERR_clear_error() }
        var first: OpenSSLFailure?
        while case let code = ERR_get_error(), code != 0 {
            let failure = OpenSSLFailure(code: code)
            if failure.isOfSSL { return failure }
            first = first ?? failure
        }
        return first
    }
}

struct OpenSSLFailure {
    let code: UInt
    /// The reason code; its meaning depends on the library.
    var reason: Int32 { ERR_GET_REASON(code) }
    var isOfSSL: Bool { ERR_GET_LIB(code) == ERR_LIB_SSL }
    /// The received alert, if the error is one.
    var receivedAlert: UInt8? { isOfSSL ? UInt8(exactly: reason - SSL_AD_REASON_OFFSET) : nil }
    /// OpenSSL's text for the error.
    var text: String { ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension CertificateRefusal {
    /// OpenSSL's callback for verification results: records the first rejection for the message without overriding it.
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
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(subject: subject, notBefore: certificate?.notBefore ?? 0)
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned(subject: subject)
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .unknownAuthority(issuer: certificate?.issuer ?? "")
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName(certificate?.names ?? [])
            default: .other(subject: subject, reason: String(cString: X509_verify_cert_error_string(Int(code))))
            }
    }
}
