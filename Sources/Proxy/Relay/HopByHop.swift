import HTTP1
import HTTPTypes

/// The fields that concern one connection only, and are not passed on (RFC 9110 §7.6.1).
struct HopByHop {
    /// What the message itself names in its Connection fields.
    private let listed: Set<String>

    init(_ fields: FieldBlock) {
        guard fields.contains(.connection) else {
            listed = []
            return
        }
        var names: Set<String> = []
        for value in fields.values(.connection) {
            for element in value.split(separator: ",") {
                names.insert(element.lowercased().filter { $0 != " " && $0 != "\t" })
            }
        }
        listed = names
    }

    /// Whether a field of that name, in lower case, ends here.
    ///
    /// Content-Length is among them because the codecs write it; Trailer because trailers are not passed on.
    func contains(_ canonicalName: String) -> Bool {
        switch canonicalName {
        case "connection", "content-length", "http2-settings", "keep-alive", "proxy-authenticate",
            "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade":
            true
        default: !listed.isEmpty && listed.contains(canonicalName)
        }
    }
}
