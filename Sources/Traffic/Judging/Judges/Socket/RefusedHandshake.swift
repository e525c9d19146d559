import JSON

struct RefusedHandshake: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/refused-handshake", level: .should, origin: .guides([.mealLogWebSocket]),
        place: "common errors & solutions",
        clause: "After 401 the next handshake brings another token, after 404 another consultation id.",
        tolerance: "Handshakes that were under way before the refusal was delivered do not count, nor does one for "
            + "another socket up to 50 ms after it.",
        advice: "Look at the status of the refused handshake: on 401 refresh the token before you reconnect, on 404 "
            + "create or fetch a consultation first, its id in lower case. consultation-websocket's Quick Start opens "
            + "the socket without any credentials, so each of its tries ends in 401.",
        swiftAdvice: "When receive fails, it is (task.response as? HTTPURLResponse)?.statusCode.",
        scenarios: ["token-expires-mid-session"])
    static let needs: Evidence = .credentials

    /// The consultation requested and the client that requested it.
    private struct Question: Sendable, Hashable {
        let consultation: ExactString
        let token: ExactString
    }

    /// The refusals with 401 by token, and the token last refused for each consultation.
    private var unauthorized = Recent<ExactString, Handshake>(capacity: RecentLimits.fewest)
    private var tokenByConsultation = Recent<ExactString, ExactString>(capacity: RecentLimits.fewest)
    /// The refusals with 404 by question, and the consultation last refused for each token.
    private var unknown = Recent<Question, Handshake>(capacity: RecentLimits.fewest)
    private var consultationByToken = Recent<ExactString, ExactString>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // One without a token is judged by `auth/websocket-credentials`.
        guard let handshake = Handshake(fact), let token = handshake.credentials.token, !token.isEmpty else { return }
        let question = Question(consultation: handshake.consultation, token: token)
        judgeToken(of: handshake, question, &findings)
        if !handshake.isOfMeals { judgeID(of: handshake, question, &findings) }
        switch handshake.status {
        case 401:
            unauthorized[question.token] = handshake
            tokenByConsultation[question.consultation] = question.token
        // One with an id in upper case is judged by `ids/lowercase`.
        case 404 where !handshake.isUpperCase:
            unknown[question] = handshake
            consultationByToken[question.token] = question.consultation
        default: break
        }
    }

    private mutating func judgeToken(of handshake: Handshake, _ question: Question, _ findings: inout Findings) {
        if let refusal = unauthorized[question.token] {
            // Another socket may be on its way already.
            let isOther = refusal.consultation != question.consultation
            let knownAt = refusal.answeredAt.advanced(byNanoseconds: isOther ? Tolerance.interval : 0)
            guard knownAt <= handshake.requestedAt else { return }
            findings.exercised()
            let message = SocketMessages.sameToken(refusedAt: findings.date(of: refusal.answeredAt))
            findings.found(message, [refusal.entry, handshake.entry])
            unauthorized[question.token] = nil
        } else if let token = tokenByConsultation[question.consultation], token != question.token {
            findings.exercised()
            // Only the next handshake must carry another token.
            unauthorized[token] = nil
            tokenByConsultation[question.consultation] = nil
        }
    }

    private mutating func judgeID(of handshake: Handshake, _ question: Question, _ findings: inout Findings) {
        if let refusal = unknown[question] {
            guard refusal.answeredAt <= handshake.requestedAt else { return }
            unknown[question] = nil
            // The consultation exists now: it was restored.
            guard !handshake.isAccepted else { return }
            findings.exercised()
            findings.found(
                SocketMessages.sameID(question.consultation.text, refusedAt: findings.date(of: refusal.answeredAt)),
                [refusal.entry, handshake.entry])
        } else if let asked = consultationByToken[question.token], asked != question.consultation {
            findings.exercised()
            unknown[Question(consultation: asked, token: question.token)] = nil
            consultationByToken[question.token] = nil
        }
    }
}
