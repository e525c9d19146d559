import COpenSSL

@testable import TLS

/// What only tests ask a session for.
extension TLSSession {
    /// The cipher suite by OpenSSL's name, once agreed.
    var cipherSuite: String? {
        guard SSL_is_init_finished(pointer) == 1, let cipher = SSL_get_current_cipher(pointer) else { return nil }
        return SSL_CIPHER_get_name(cipher).map { String(cString: $0) }
    }

    /// Whether the handshake was a short one, after an earlier session.
    var wasResumed: Bool { SSL_is_init_finished(pointer) == 1 && SSL_session_reused(pointer) == 1 }

    /// The host name that the client asked for (RFC 6066 §3).
    var serverName: String? {
        SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// Whether reading stopped at its limit, or was not done since something came.
    var hasUnread: Bool { phase == .open && (wire.unreadCount > 0 || SSL_pending(pointer) > 0) }
}
