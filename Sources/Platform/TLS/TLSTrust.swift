/// Whom a client believes.
public enum TLSTrust: Sendable, Equatable {
    /// The system's authorities; `SSL_CERT_FILE` and `SSL_CERT_DIR` choose others, as with every use of OpenSSL.
    case system
    /// The system's, and those of a PEM.
    case systemAnd([UInt8])
    /// Those of a PEM only.
    case only([UInt8])
}
