import FitIQAPI
import HTTP1
import HTTPTypes

/// Pages of other sites, which a browser on this machine lets ask in its user's name.
extension Engine {
    /// Refuses a write or a WebSocket handshake of a page that is neither this server's own nor allowed.
    ///
    /// Clients that are no browsers mostly send no `Origin`; reading is safe, since the server has no CORS fields that would
    /// let such a page see an answer.
    ///
    /// - Throws: 403.
    func checkOrigin(_ head: RequestHead, on connection: Connection) throws(APIError) {
        switch head.method {
        case .get, .head, .options: guard head.wantsUpgrade else { return }
        default: break
        }
        guard let text = head.fields[.origin], !configuration.allowedOrigins.contains(.any) else { return }
        guard let allowed = AllowedOrigin(text), allowed != .any else {
            throw .foreignOrigin(text, origin: nil)
        }
        if configuration.allowedOrigins.contains(allowed) { return }
        guard case .origin(let origin) = allowed else {
            throw .foreignOrigin(text, origin: "null")
        }
        guard isOwn(origin, of: head, on: connection) else {
            throw .foreignOrigin(text, origin: "\(origin)")
        }
    }

    /// Whether a page was served by this server: where it listens, or where the request found it.
    ///
    /// A name in `Host` proves nothing, because anybody's name server can have a name of theirs lead here.
    private func isOwn(_ origin: WebOrigin, of head: RequestHead, on connection: Connection) -> Bool {
        if let authority = head.authority, origin.hasFixedHost,
            origin == WebOrigin(scheme: connection.isSecure ? "https" : "http", authority: authority[...])
        {
            return true
        }
        return origin == WebOrigin(configuration.origin)
            || configuration.secureOrigin.flatMap { WebOrigin($0) } == origin
    }
}
