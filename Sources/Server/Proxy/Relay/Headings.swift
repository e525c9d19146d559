import HTTP1
import HTTPTypes
import Text

/// A request's head, rewritten for the upstream server.
///
/// The head does not reveal the proxy (no Via, no X-Forwarded-For), because the upstream should see the request as the
/// client sent it. Two exceptions keep a recording readable: the head accepts only gzip as a content coding, and offers
/// no WebSocket extensions.
///
/// Two more exceptions protect an upstream on this machine, to which every request looks local. A request for an admin
/// path gets a Via field. An `Origin` that contains a DNS name stays unchanged, because anyone can point a DNS name at
/// this machine.
struct RequestHeading {
    /// The fields to send, except for the framing fields, which the codec writes.
    let fields: HTTPFields
    /// The target in origin form, or `*`.
    let target: String
    /// Whether the client asks for a WebSocket; the proxy ignores upgrades to other protocols.
    let wantsWebSocket: Bool
    /// The origin that the client uses for the proxy, in lower case; nil if the head has no authority.
    let ownOrigin: String?

    init(_ head: RequestHead, isClientSecure: Bool, upstream: UpstreamURL) {
        let own = head.authority.map { "\(isClientSecure ? "https" : "http")://\($0)".lowercased() }
        let wantsWebSocket = head.wantsUpgrade && head.fields.hasToken("websocket", in: .upgrade)
        let hopByHop = HopByHop(head.fields)
        let host = HTTPField(name: .hostField, value: upstream.authority)
        var fields = HTTPFields()
        for field in head.fields.httpFields {
            switch field.name.canonicalName {
            case "host": if fields[.hostField] == nil { fields.append(host) }
            // An HTTP/1.0 client cannot handle a 100, and a request that has no body does not wait for a 100.
            case "expect" where !head.expectsContinue: continue
            case "accept-encoding", "sec-websocket-extensions": continue
            case "origin":
                let isOwn =
                    field.value.lowercased() == own
                    && head.authority.flatMap { HostAndPort($0[...]) }?.hasFixedHost ?? false
                fields.append(isOwn ? field.with(upstream.description) : field)
            case "referer": fields.append(field.with(Self.moved(field.value, from: own, to: upstream.description)))
            case let name where hopByHop.contains(name): continue
            default: fields.append(field)
            }
        }
        if fields[.hostField] == nil { fields.append(host) }
        if Self.isOfAdmin(head.target.path) { fields.append(HTTPField(name: .via, value: "1.1 fitiq-mock")) }
        fields.append(HTTPField(name: .acceptEncoding, value: head.fields.acceptsGzip ? "gzip" : "identity"))
        if wantsWebSocket {
            fields.append(HTTPField(name: .connection, value: "Upgrade"))
            fields.append(HTTPField(name: .upgrade, value: "websocket"))
        }
        self.fields = fields
        self.wantsWebSocket = wantsWebSocket
        ownOrigin = own
        target = head.target.path + (head.target.query.map { "?" + $0 } ?? "")
    }

    /// Whether the fake might serve its admin API at this path, however the path is percent-encoded.
    private static func isOfAdmin(_ path: some StringProtocol) -> Bool {
        Array(PercentCoding.string(Substring(path).utf8, plusIsSpace: false).utf8).contains(Array("__admin".utf8))
    }

    /// The URL with its origin replaced if it starts with this origin; otherwise, the unchanged URL.
    static func moved(_ url: String, from origin: String?, to other: String) -> String {
        guard let origin, url.utf8.count >= origin.utf8.count,
            zip(url.utf8, origin.utf8).allSatisfy({ $0.lowercased == $1.lowercased })
        else { return url }
        let rest = url.utf8.dropFirst(origin.utf8.count)
        // http://host is not the origin of http://host.example or http://host:81.
        if let next = rest.first, ![.slash, .questionMark, .hash].contains(next) { return url }
        return other + String(decoding: rest, as: UTF8.self)
    }
}

extension HTTPField {
    fileprivate func with(_ value: String) -> HTTPField { HTTPField(name: name, value: value) }
}

/// Rewrites an answer's head, so that the client does not bypass the proxy.
///
/// Bodies stay unchanged, including upstream URLs in them.
enum AnswerHeading {
    /// The fields to send, except for the framing fields, which ``AnswerEncoder`` writes.
    ///
    /// - Parameter ownOrigin: The proxy's origin for the client; if it is nil, URLs stay unchanged.
    static func fields(
        of head: ResponseHead, ownOrigin: String?, isClientSecure: Bool, upstream: UpstreamURL
    ) -> HTTPFields {
        let hopByHop = HopByHop(head.fields)
        // A 101 needs the `Upgrade` field, and a 426 names the required protocol in it (RFC 9110 §15.5.22).
        let keepsUpgrade = head.status.code == 101 || head.status.code == 426
        var fields = HTTPFields()
        for field in head.fields.httpFields {
            switch field.name.canonicalName {
            case "upgrade" where keepsUpgrade: fields.append(field)
            case "location", "content-location", "access-control-allow-origin":
                fields.append(ownOrigin.map { field.with(moved(field.value, from: upstream, to: $0)) } ?? field)
            case "set-cookie": fields.append(field.with(cookie(field.value, isClientSecure: isClientSecure)))
            // `Alt-Svc` and `Strict-Transport-Security` would make the client use this host in ways that the proxy does
            // not support (RFC 7838, RFC 6797).
            case "alt-svc", "strict-transport-security": continue
            case let name where hopByHop.contains(name): continue
            default: fields.append(field)
            }
        }
        return fields
    }

    /// Rewrites an upstream URL so that it leads to the proxy, with or without the scheme and a default port.
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

    /// Removes Domain, which names the upstream; if the client does not use TLS, also removes Secure.
    ///
    /// `SameSite=None` is removed together with Secure, because browsers refuse `SameSite=None` without Secure (RFC
    /// 6265bis §5.7).
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

/// The fields that concern only one connection, which a proxy must not forward (RFC 9110 §7.6.1).
package struct HopByHop {
    /// The message's fields if one of them is a Connection field; otherwise nil.
    private let fields: FieldBlock?

    package init(_ fields: FieldBlock) { self.fields = fields.contains(.connection) ? fields : nil }

    /// Whether to drop a field with this name, in lower case.
    ///
    /// The list includes Content-Length, because the codecs write it, and Trailer, because the proxy drops trailers.
    package func contains(_ canonicalName: String) -> Bool {
        switch canonicalName {
        case "connection", "content-length", "http2-settings", "keep-alive", "proxy-authenticate",
            "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade":
            true
        default: fields?.hasToken(canonicalName, in: .connection) ?? false
        }
    }
}
