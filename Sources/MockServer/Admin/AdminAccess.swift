import FitIQAPI
import HTTP1
import HTTPTypes

/// Who may use the admin API: whoever has the token; where the server has none, this machine.
struct AdminAccess {
    /// What `--admin-token` says.
    let token: String?

    /// Refuses who may not.
    ///
    /// Without a token, pages of other sites are refused as well: a browser on this machine would ask in their name.
    func check(_ head: RequestHead, isLocal: Bool) throws(APIError) {
        if let token {
            guard head.fields.firstValue(of: .xAdminToken, is: Array(token.utf8)) == true else {
                throw .wrongAdminToken
            }
            return
        }
        guard isLocal else { throw .adminFromElsewhere }
        if let origin = head.fields[.origin] {
            guard let host = origin.firstRange(of: "://").map({ String(origin[$0.upperBound...]) }),
                Self.isThisMachine(authority: host)
            else { throw .adminForOtherSite }
        }
        if let authority = head.authority, !Self.isThisMachine(authority: authority) { throw .adminForOtherSite }
    }

    /// Whether a host, with or without a port, is a name or an address of this machine.
    static func isThisMachine(authority: String) -> Bool {
        var host = authority.lowercased()[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.lastIndex(of: ":") {
            host = host[..<colon]
        }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }
}

extension HTTPField.Name {
    /// The token of the admin API.
    static let xAdminToken = HTTPField.Name("X-Admin-Token")!  // A constant token.
    /// The site of the page that asks (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin")!  // A constant token.
}
