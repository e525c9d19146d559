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
        if let origin = head.fields[.origin], !(WebOrigin(origin)?.isOfThisMachine ?? false) {
            throw .adminForOtherSite
        }
        if let authority = head.authority,
            !(WebOrigin(scheme: "http", authority: authority[...])?.isOfThisMachine ?? false)
        {
            throw .adminForOtherSite
        }
    }
}

extension HTTPField.Name {
    /// The token of the admin API.
    static let xAdminToken = HTTPField.Name("X-Admin-Token")!  // A constant token.
    /// The site of the page that asks (RFC 6454 §7).
    static let origin = HTTPField.Name("Origin")!  // A constant token.
}
