import COpenSSL

/// Why a session failed, or why certificates and keys cannot be used; `description` says it to the person at the keyboard.
///
/// A failed session has sent the alert of RFC 8446 §6 that belongs to it, if any.
public enum TLSError: Error, Sendable, Equatable {
    // Files.

    /// There is no such thing in the PEM.
    case notPEM(TLSMaterial)
    /// A block of the PEM is there, and cannot be decoded.
    case damaged(TLSMaterial)
    /// The PEM is larger than ``TLSLimits/pemFile``.
    case tooLarge(TLSMaterial, bytes: Int)
    /// The key is locked with a passphrase.
    case encryptedKey
    /// The key is not the first certificate's; `position` is that of the certificate it belongs to, from 1, if any.
    case wrongKey(position: Int?)
    /// The certificate's time is over; seconds since 1970.
    case expired(subject: String, notAfter: Int64)
    /// The certificate's time has not begun; seconds since 1970.
    case notYetValid(subject: String, notBefore: Int64)
    /// The certificate may not sign others.
    case notAnAuthority(subject: String)
    /// The text is neither a host name nor an IP address that a certificate can name.
    case invalidName(String)
    /// No names, or more than ``TLSLimits/names``.
    case nameCount(Int)
    /// The authority may not vouch for this name.
    case nameNotPermitted(CertificateName)
    /// OpenSSL refuses to use it, for the reason given.
    case unusable(TLSMaterial, reason: String)
    /// OpenSSL did not do what does not fail with memory to spare.
    case outOfMemory(reason: String)

    // Sessions.

    /// The other side speaks HTTP without TLS; the beginning of what it said.
    case plainHTTP(from: TLSRole, excerpt: String)
    /// The other side speaks something that is neither TLS nor HTTP.
    case notTLS(from: TLSRole, bytes: [UInt8])
    /// The server's certificate was refused.
    case refused(host: String, CertificateRefusal)
    /// Both sides speak TLS, and no version in common.
    case noCommonVersion(from: TLSRole)
    /// No cipher suite or key exchange in common.
    case noCommonCipher(from: TLSRole)
    /// The client offers application protocols by ALPN, and not the one that is spoken.
    case noCommonProtocol(offered: [String])
    /// The other side refused with an alert (RFC 8446 §6), by its number.
    case alert(UInt8, from: TLSRole, inHandshake: Bool)
    /// The other side hung up in the middle of the handshake, after so many bytes.
    case hungUp(from: TLSRole, afterBytes: Int)
    /// The connection ended without close_notify: what came may be the beginning only (RFC 8446 §6.1).
    case truncated(from: TLSRole)
    /// A record was changed on its way, or encrypted with another key.
    case badRecord(from: TLSRole)
    /// The other side broke the protocol; the reason in OpenSSL's words.
    case violation(from: TLSRole, reason: String)
    /// The other side has this end answer, and does not take the answers: ``TLSLimits/answers`` wait.
    case flooded(from: TLSRole)
    /// More than ``TLSLimits/unreadCiphertext`` bytes wait to be decrypted.
    case overrun
}

/// What is read from PEM.
public enum TLSMaterial: Sendable, Equatable, CaseIterable {
    /// A server's certificate, with those between it and its authority.
    case certificate
    /// The key of a certificate.
    case key
    /// Certificates that are trusted.
    case trust
}

/// Why the server's certificate was refused.
public enum CertificateRefusal: Sendable, Equatable {
    /// A certificate's time is over; seconds since 1970.
    case expired(subject: String, notAfter: Int64)
    /// A certificate's time has not begun; seconds since 1970.
    case notYetValid(subject: String, notBefore: Int64)
    /// The chain ends at an authority that is not trusted.
    case unknownAuthority(issuer: String)
    /// The certificate vouches for itself.
    case selfSigned(subject: String)
    /// The certificate is for other names; those it has.
    case wrongName([CertificateName])
    /// Something else, in OpenSSL's words.
    case other(subject: String, reason: String)
}

extension TLSError {
    /// Whether a client has refused our certificate, by an alert or by hanging up as soon as it had seen it.
    ///
    /// bad_certificate, unsupported_certificate, certificate_unknown or unknown_ca (RFC 8446 §6.2).
    public var isLackOfTrust: Bool {
        switch self {
        case .alert(42, .client, _), .alert(43, .client, _), .alert(46, .client, _), .alert(48, .client, _): true
        // Who said nothing has seen no certificate.
        case .hungUp(.client, let count): count > 0
        default: false
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// What went wrong and what to do, in sentences.
    public var description: String { Messages.text(of: self) }

    /// The same, with a sentence behind it where a client does not trust our certificate; an empty one adds nothing.
    public func description(advice: String) -> String {
        isLackOfTrust && !advice.isEmpty ? description + " " + advice : description
    }
}

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

/// OpenSSL's error queue, which is the thread's: emptied before each call, and taken after one that failed.
enum OpenSSLErrors {
    static func clear() { ERR_clear_error() }

    /// The first error, which is the cause of those after it; leaves the queue empty.
    static func take() -> OpenSSLFailure? {
        let code = ERR_get_error()
        ERR_clear_error()
        return code == 0 ? nil : OpenSSLFailure(code: code)
    }

    /// The first error of libssl, which knows what it means for a session, else the first; leaves the queue empty.
    static func takeForSession() -> OpenSSLFailure? {
        var first: OpenSSLFailure?
        while case let code = ERR_get_error(), code != 0 {
            let failure = OpenSSLFailure(code: code)
            if failure.isOfSSL {
                ERR_clear_error()
                return failure
            }
            first = first ?? failure
        }
        return first
    }
}

/// One error of OpenSSL's queue.
struct OpenSSLFailure {
    let code: UInt

    /// The number of the reason; its meaning depends on the library.
    var reason: Int32 { ERR_GET_REASON(code) }

    /// Whether it is libssl's.
    var isOfSSL: Bool { ERR_GET_LIB(code) == ERR_LIB_SSL }

    /// The alert that was received, if that is the error.
    var receivedAlert: UInt8? {
        isOfSSL ? UInt8(exactly: reason - SSL_AD_REASON_OFFSET) : nil
    }

    /// OpenSSL's own words.
    var text: String { ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)" }
}

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
