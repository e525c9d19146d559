import FitIQAPI

/// Signing in, and replacing a refused token.
extension ClientCore {
    mutating func signIn(_ endpoint: Endpoint, _ members: [(key: String, value: String)], at now: Timestamp) {
        guard serves(endpoint, "accounts"), hasRoom() else { return }
        drop(.signIn)
        // Not `submit`, which asks for a token.
        requests.submit(.signIn, .post, endpoint.template, body: Body.object(members), at: now)
    }

    mutating func finishSignIn(_ outcome: RequestBook.Outcome) {
        guard let tokens = outcome.answer?.tokens else { return tellFailure(outcome) }
        requests.tokens.use(tokens, fromRefresh: false)
    }

    /// Continues with the new tokens, or asks the user for others: the refresh token is not used again.
    mutating func finishRefresh(_ outcome: RequestBook.Outcome, at now: Timestamp) {
        if let tokens = outcome.answer?.tokens { return requests.tokens.use(tokens, fromRefresh: true) }
        let deadline = now.advanced(by: configuration.patience.token)
        if requests.tokens.failToRefresh(until: deadline) { tell(.credentialsRefused) }
    }
}
