import HTTP1
import HTTPTypes

/// The fields that concern one connection only, and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    /// The fields, where the message itself names some in its Connection fields.
    private let fields: FieldBlock?

    init(_ fields: FieldBlock) { self.fields = fields.contains(.connection) ? fields : nil }

    /// Whether a field of that name, in lower case, ends here.
    ///
    /// Content-Length is among them because the codecs write it; Trailer because trailers are not passed on.
    func contains(_ canonicalName: String) -> Bool {
        switch canonicalName {
        case "connection", "content-length", "http2-settings", "keep-alive", "proxy-authenticate",
            "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade":
            true
        default: fields?.hasToken(canonicalName, in: .connection) ?? false
        }
    }
}
