import FitIQAPI
import JSON

/// An account's access token.
struct SimulatedAccount {
    let subject: String
    /// The field lines that carry the token in a request.
    let fields: [UInt8]
    let expiresAt: Timestamp

    static func email(_ address: Int) -> String { "ada\(address)@example.com" }
}

/// A refresh token that a client received.
final class SimulatedTicket {
    let text: String
    let subject: String
    let id: ResourceID
    let expiresAt: Timestamp
    /// Whether the token is invalid: it was used or revoked, there are too many newer tokens, or its account was
    /// deleted.
    var isSpent = false

    init(_ text: String, _ token: AccessToken, id: ResourceID) {
        (self.text, self.id, subject) = (text, id, token.subject.text)
        expiresAt = Timestamp(secondsSinceEpoch: token.expiresAt)
    }
}

extension SimulatedWorld {
    /// Records a registered account, with a token that never expires.
    func adopt(account subject: String, address: Int) {
        let token = AccessToken(
            subject: ExactString(subject), expiresAt: 4_102_444_799, email: SimulatedAccount.email(address))
        note(token, token.signed(with: secret))
    }

    private func note(_ token: AccessToken, _ text: String) {
        let fields = "Authorization: Bearer \(text)\r\nX-API-Key: \(apiKey)\r\n"
        accounts.append(
            SimulatedAccount(
                subject: token.subject.text, fields: Array(fields.utf8),
                expiresAt: Timestamp(secondsSinceEpoch: token.expiresAt)))
    }

    /// Records the tokens in an answer; returns what is wrong with them.
    ///
    /// - Parameters:
    ///   - spent: the refresh token that they replace.
    ///   - limit: the number of valid refresh tokens that an account may have.
    func adoptTokens(
        of answer: JSONValue?, replacing spent: SimulatedTicket?, limit: Int, at now: Timestamp
    ) -> String? {
        guard let access = answer?["access_token"]?.string, let refresh = answer?["refresh_token"]?.string,
            let token = try? AccessToken.verify(access, secret: secret),
            let ticket = try? AccessToken.verify(refresh, secret: AccessToken.refreshSecret(of: secret)),
            let id = ticket.id, ticket.subject == token.subject
        else { return "no tokens came" }
        if tickets.contains(where: { $0.id == id }) { return "the refresh token \(id) came before" }
        if let spent, spent.subject != token.subject.text { return "the new tokens are another account's" }
        spent?.isSpent = true
        let live = tickets.filter { $0.subject == token.subject.text && !$0.isSpent && now < $0.expiresAt }
        // If answers may be lost, the client may not know all tokens.
        if checks == .all { for oldest in live.prefix(max(0, live.count + 1 - limit)) { oldest.isSpent = true } }
        tickets.append(SimulatedTicket(refresh, ticket, id: id))
        note(token, access)
        return nil
    }

    /// Records the deletion of an account, which invalidates its tokens.
    func bury(_ subject: String) {
        guard accounts.contains(where: { $0.subject == subject }) else { return }
        deadAccounts.insert(ExactString(subject))
        for ticket in tickets where ticket.subject == subject { ticket.isSpent = true }
    }

    /// Whether an access token should be valid.
    func isAlive(_ account: SimulatedAccount, at now: Timestamp) -> Bool {
        !deadAccounts.contains(ExactString(account.subject)) && now < account.expiresAt
    }
}
