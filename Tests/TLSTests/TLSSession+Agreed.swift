import COpenSSL

@testable import TLS

/// Properties of a session that only tests need.
extension TLSSession {
    /// The cipher suite's OpenSSL name, once agreed.
    var cipherSuite: String? {
        guard SSL_is_init_finished(pointer) == 1, let cipher = SSL_get_current_cipher(pointer) else { return nil }
        return SSL_CIPHER_get_name(cipher).map { String(cString: $0) }
    }

    /// Whether an earlier session shortened the handshake.
    var wasResumed: Bool { SSL_is_init_finished(pointer) == 1 && SSL_session_reused(pointer) == 1 }

    /// The host name that the client asked for (RFC 6066 §3).
    var serverName: String? {
        SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// Whether the last read stopped at its limit, or nothing has been read since the last bytes arrived.
    var hasUnread: Bool { phase == .open && (wire.unreadCount > 0 || SSL_pending(pointer) > 0) }
}
