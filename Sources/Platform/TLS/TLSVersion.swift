/// The versions of TLS that are spoken; older ones are refused (RFC 8996).
public enum TLSVersion: String, Sendable, CaseIterable {
    /// RFC 5246.
    case tls12 = "TLSv1.2"
    /// RFC 8446.
    case tls13 = "TLSv1.3"
}
