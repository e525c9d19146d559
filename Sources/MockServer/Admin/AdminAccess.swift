import Digests
import FitIQAPI
import HTTP1
import HTTPTypes

/// Who may use the admin API: whoever has the token; where the server has none, this machine.
struct AdminAccess {
    /// What `--admin-token` says.
    let token: String?

    /// Refuses who may not.
    ///
    /// Without a token, pages of other sites are refused as well: a browser on this machine would ask in their name, or by a
    /// name of theirs that leads here.
    func check(_ head: RequestHead, isLocal: Bool) throws(APIError) {
        if let token {
            guard let sent = head.fields.withFirstValue(of: .xAdminToken, { Array($0) }),
                constantTimeEquals(sent, Array(token.utf8))
            else { throw .wrongAdminToken }
            return
        }
        guard isLocal else { throw .adminFromElsewhere }
        if let origin = head.fields[.origin] {
            guard let scheme = origin.firstRange(of: "://"),
                Self.isThisMachine(authority: origin[scheme.upperBound...])
            else { throw .adminForOtherSite }
        }
        if let authority = head.authority, !Self.isThisMachine(authority: authority[...]) { throw .adminForOtherSite }
    }

    /// Whether a host, with or without a port, is a name or an address of this machine and of no other.
    static func isThisMachine(authority: Substring) -> Bool {
        var host = authority.lowercased()[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            guard isPort(host[host.index(after: end)...]) else { return false }
            return host[..<end].dropFirst() == "::1"
        }
        if let colon = host.firstIndex(of: ":") {
            guard isPort(host[colon...]) else { return false }
            host = host[..<colon]
        }
        // The dot of a name that is written in full.
        if host.hasSuffix(".") { host = host.dropLast() }
        return host == "localhost" || host.hasSuffix(".localhost") || isLoopback(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || (text.first == ":" && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) })
    }

    /// 127.0.0.0/8 in four decimal numbers: `127.0.0.1.example.com` is a name, and anybody's.
    private static func isLoopback(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && UInt8(part) != nil
            }
    }
}

extension HTTPField.Name {
    /// The token of the admin API.
    static let xAdminToken = HTTPField.Name("X-Admin-Token")!  // A constant token.
    /// The site of the page that asks (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin")!  // A constant token.
}
