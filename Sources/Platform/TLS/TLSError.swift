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
