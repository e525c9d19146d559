import COpenSSL

/// What lets a client resume a session with the server it came from, without the cost of a whole handshake.
///
/// It is valid for one context and one host, since the certificate is not verified again; elsewhere it is passed over.
/// RFC 8446 §4.6.1 asks that it be used once.
public final class TLSTicket {
    let pointer: OpaquePointer
    let host: String
    let context: TLSContext

    init(owning pointer: OpaquePointer, host: String, context: TLSContext) {
        self.pointer = pointer
        self.host = host
        self.context = context
    }

    deinit { SSL_SESSION_free(pointer) }
}
