import HTTP1
import HTTPTypes

/// What becomes of an answer's head on its way to the client: it must not lead the client past the proxy.
///
/// Bodies are passed on untouched: a URL of the upstream in one stays as it is.
struct AnswerHeading {
    /// The fields to send; framing is left to ``AnswerEncoder``.
    let fields: HTTPFields

    /// - Parameter ownOrigin: what the client takes the proxy for; without one nothing can be changed to it.
    init(_ head: ResponseHead, ownOrigin: String?, isClientSecure: Bool, upstream: UpstreamURL) {
        let hopByHop = HopByHop(head.fields)
        // A 101 needs the field, and a 426 says by it what is wanted (RFC 9110 §15.5.22).
        let keepsUpgrade = head.status.code == 101 || head.status.code == 426
        var fields = HTTPFields()
        for field in head.fields.httpFields {
            switch field.name.canonicalName {
            case "upgrade" where keepsUpgrade: fields.append(field)
            case "location", "content-location", "access-control-allow-origin":
                guard let ownOrigin else {
                    fields.append(field)
                    continue
                }
                fields.append(
                    HTTPField(name: field.name, value: Self.moved(field.value, from: upstream, to: ownOrigin)))
            case "set-cookie":
                fields.append(
                    HTTPField(name: field.name, value: Self.cookie(field.value, isClientSecure: isClientSecure)))
            // Both would have the client come to this host by ways that the proxy does not serve (RFC 7838, RFC 6797).
            case "alt-svc", "strict-transport-security": continue
            case let name where hopByHop.contains(name): continue
            default: fields.append(field)
            }
        }
        self.fields = fields
    }

    /// A URL at the upstream becomes one at the proxy, whichever port and scheme of the upstream's it spells out.
    private static func moved(_ url: String, from upstream: UpstreamURL, to own: String) -> String {
        let host = upstream.host.contains(":") ? "[\(upstream.host)]" : upstream.host
        let spellings = [
            upstream.description, "\(upstream.scheme)://\(host):\(upstream.port)", "//\(upstream.authority)",
        ]
        for spelling in spellings {
            let moved = RequestHeading.moved(url, from: spelling, to: own)
            if moved != url { return moved }
        }
        return url
    }

    /// Without Domain, which names the upstream, and without Secure where the client comes without TLS.
    ///
    /// `SameSite=None` goes with Secure, without which browsers refuse it (RFC 6265bis §5.7).
    static func cookie(_ value: String, isClientSecure: Bool) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let kept = parts.enumerated().filter { index, part in
            if index == 0 { return true }
            let attribute = part.lowercased().filter { $0 != " " && $0 != "\t" }
            if attribute == "domain" || attribute.hasPrefix("domain=") { return false }
            return isClientSecure || (attribute != "secure" && attribute != "samesite=none")
        }
        return kept.map { String($0.element) }.joined(separator: ";")
    }
}
