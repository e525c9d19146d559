import FitIQAPI
import HTTP1
import HTTPTypes

/// The server's own origins, and the web pages of other origins that may use the server.
///
/// Pages cannot send cookies or read the admin API. Without cookies, the answers may use wildcards for field names.
struct Origins {
    /// The server's origin, and its origin over TLS; nil if TLS is off.
    private let own: String, secure: String?
    /// The origins whose pages may write and open sockets, and the ones whose pages may also read answers.
    private let allowed: Set<AllowedOrigin>, readers: Set<AllowedOrigin>

    init(_ configuration: Engine.Configuration) {
        (own, secure) = (configuration.origin, configuration.secureOrigin)
        (allowed, readers) = (configuration.allowedOrigins, configuration.readingOrigins)
    }

    /// Refuses, with 403, a write or a WebSocket handshake from a page that is neither this server's own nor allowed.
    ///
    /// Most clients other than browsers send no `Origin`. Reading is safe, because a browser hides an answer that has
    /// no CORS fields from such a page.
    func check(_ head: RequestHead, on connection: Connection) throws(APIError) {
        switch head.method {
        case .get, .head, .options: guard head.wantsUpgrade else { return }
        default: break
        }
        guard let text = head.fields[.origin], !allowed.contains(.any) else { return }
        guard let page = AllowedOrigin(text), page != .any else { throw .foreignOrigin(text, origin: nil) }
        if allowed.contains(page) { return }
        // `null` and `file://` have a single spelling.
        guard case .origin(let origin) = page else { throw .foreignOrigin(text, origin: text) }
        guard isOwn(origin, of: head, on: connection) else { throw .foreignOrigin(text, origin: "\(origin)") }
    }

    /// Whether this server served a page, at its listening address or at the address in the request.
    ///
    /// A name in `Host` is not sufficient, because anyone can point a DNS name at this server.
    private func isOwn(_ origin: WebOrigin, of head: RequestHead, on connection: Connection) -> Bool {
        let address = head.authority.flatMap {
            WebOrigin(scheme: connection.isSecure ? "https" : "http", authority: $0[...])
        }
        return origin.hasFixedHost && origin == address || origin == WebOrigin(own)
            || origin == secure.flatMap { WebOrigin($0) }
    }

    // MARK: Answers that pages may read (CORS, as defined in the Fetch standard)

    /// The answer to a CORS preflight; nil for any other request.
    ///
    /// The answer also permits requests to unknown paths, so that the page can read the refusal.
    func preflightAnswer(_ head: RequestHead, _ destination: Destination, in mode: GuideMode) -> Answer? {
        guard head.method == .options, let wanted = head.fields[.accessControlRequestMethod],
            isShared(with: head, isAdmin: destination.isAdmin)
        else { return nil }
        let known = destination.world == nil ? [] : destination.route?.methods(in: mode).map(\.rawValue) ?? []
        let methods = known.isEmpty ? [wanted] : known
        return Answer(
            status: .noContent, body: [],
            fields: [
                .accessControlAllowMethods: methods.joined(separator: ", "),
                // The wildcard covers all other fields.
                .accessControlAllowHeaders: "Authorization, *",
                .vary: "Access-Control-Request-Method, Origin",
            ])
    }

    /// Adds the fields that allow a page to read an answer; idempotent.
    func share(_ answer: inout Answer, to head: RequestHead, isAdmin: Bool) {
        guard !readers.isEmpty, !isAdmin else { return }
        var fields = answer.fields ?? HTTPFields()
        // This field tells caches that the answer depends on the origin, even if the answer gets no other field.
        if fields[.vary]?.contains("Origin") != true { fields[values: .vary].append("Origin") }
        if isShared(with: head, isAdmin: isAdmin) {
            fields[.accessControlAllowOrigin] = head.fields[.origin]
            fields[.accessControlExposeHeaders] = "*"
        }
        answer.fields = fields
    }

    private func isShared(with head: RequestHead, isAdmin: Bool) -> Bool {
        guard !readers.isEmpty, !isAdmin, let text = head.fields[.origin] else { return false }
        return readers.contains(.any) || AllowedOrigin(text).map(readers.contains) ?? false
    }

    /// Replaces the server's URLs in an answer with its TLS URLs.
    ///
    /// The backend encodes an entity once for all clients, with plain URLs. Recorded answers already have the correct
    /// URLs.
    func secure(_ answer: inout Answer) {
        guard answer.contentType == nil, !answer.isRecorded else { return }
        answer.body = securing(answer.body)
    }

    /// Replaces the server's URLs in JSON, such as a part of a long answer, with its TLS URLs.
    func securing(_ json: [UInt8]) -> [UInt8] {
        guard let secure else { return json }
        let (plain, secured) = (own.dropFirst("http".count), secure.dropFirst("https".count))
        var body = json
        for member in ["avatar\":\"http", "url\":\"http", "admin_url\":\"http", "ws_url\":\"ws"].map({ "\"" + $0 }) {
            body = body.replacing(prefix: Array((member + plain).utf8), with: Array((member + "s" + secured).utf8))
        }
        return body
    }
}

extension [UInt8] {
    /// Replaces every occurrence of a pattern; the pattern starts with a quotation mark, which JSON strings never
    /// contain unescaped.
    fileprivate func replacing(prefix pattern: [UInt8], with other: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        withUnsafeBufferPointer { bytes in
            pattern.withUnsafeBufferPointer { pattern in
                var place = 0
                while place + pattern.count <= bytes.count {
                    var matched = 0
                    while matched < pattern.count, bytes[place + matched] == pattern[matched] { matched += 1 }
                    guard matched == pattern.count else {
                        place += 1
                        continue
                    }
                    result += bytes[copied..<place]
                    result += other
                    place += matched
                    copied = place
                }
            }
        }
        return copied == 0 ? self : result + self[copied...]
    }
}

extension HTTPField.Name {
    /// The origin of the requesting page (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin")!  // A constant token.
}
