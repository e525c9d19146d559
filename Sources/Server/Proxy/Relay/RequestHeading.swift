import HTTP1
import HTTPTypes

/// What becomes of a request's head on its way to the upstream server.
///
/// Nothing is added that tells of the proxy (no Via, no X-Forwarded-For): the upstream should see the request that it would see
/// without. The exceptions are what keeps a recording readable: bodies without a content coding, frames without extensions.
struct RequestHeading {
    /// The fields to send; framing is left to the codec.
    let fields: HTTPFields
    /// The target in origin form, or `*`.
    let target: String
    /// Whether the client asks for a WebSocket; every other protocol that it offers to change to is declined.
    let wantsWebSocket: Bool
    /// The origin that the client takes the proxy for, in lower case; nil where it names none.
    let ownOrigin: String?

    init(_ head: RequestHead, isClientSecure: Bool, upstream: UpstreamURL) {
        let own = head.authority.map { "\(isClientSecure ? "https" : "http")://\($0)".lowercased() }
        let wantsWebSocket = head.wantsUpgrade && head.fields.hasToken("websocket", in: .upgrade)
        let hopByHop = HopByHop(head.fields)
        var fields = HTTPFields()
        var hasHost = false
        for field in head.fields.httpFields {
            switch field.name.canonicalName {
            case "host":
                if !hasHost { fields.append(HTTPField(name: .hostField, value: upstream.authority)) }
                hasHost = true
            case "accept-encoding": continue
            // An answer to this could not be passed on to a client of HTTP/1.0, and without a body there is none to wait for.
            case "expect" where !head.expectsContinue: continue
            case "sec-websocket-extensions": continue
            case "origin":
                fields.append(
                    field.value.lowercased() == own
                        ? HTTPField(name: field.name, value: upstream.description) : field)
            case "referer":
                fields.append(
                    HTTPField(name: field.name, value: Self.moved(field.value, from: own, to: upstream.description)))
            case let name where hopByHop.contains(name): continue
            default: fields.append(field)
            }
        }
        if !hasHost { fields.append(HTTPField(name: .hostField, value: upstream.authority)) }
        fields.append(HTTPField(name: .acceptEncoding, value: "identity"))
        if wantsWebSocket {
            fields.append(HTTPField(name: .connection, value: "Upgrade"))
            fields.append(HTTPField(name: .upgrade, value: "websocket"))
        }
        self.fields = fields
        self.wantsWebSocket = wantsWebSocket
        ownOrigin = own
        target = head.target.path + (head.target.query.map { "?" + $0 } ?? "")
    }

    /// The URL at another origin where it begins with this one; else as it is.
    static func moved(_ url: String, from origin: String?, to other: String) -> String {
        guard let origin, url.utf8.count >= origin.utf8.count,
            zip(url.utf8, origin.utf8).allSatisfy({ lowercased($0) == lowercased($1) })
        else { return url }
        let rest = url.utf8.dropFirst(origin.utf8.count)
        // Not http://host for http://host.example or http://host:81.
        if let next = rest.first, ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(next) {
            return url
        }
        return other + String(decoding: rest, as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
