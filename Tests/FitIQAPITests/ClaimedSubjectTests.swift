import FitIQAPI
import JSON
import Testing

@Suite("The subject that a token claims")
struct ClaimedSubjectTests {
    @Test("The claimed expiry time is read even if the signature is wrong")
    func expiry() {
        let token = AccessToken(subject: "sarah", expiresAt: 1_738_146_600).signed(with: [1])
        #expect(AccessToken.claimedExpiry(of: token) == Timestamp(secondsSinceEpoch: 1_738_146_600))
        for text in ["", "redacted-token-1", "a.b.c", "e30.e30.", "e30.eyJleHAiOiIxIn0."] {
            #expect(AccessToken.claimedExpiry(of: text) == nil, "\(text)")
        }
    }

    @Test("The claimed subject is read even if the token is expired or its signature is wrong")
    func subject() {
        let token = AccessToken(subject: "sarah", expiresAt: 0).signed(with: [1])
        #expect(AccessToken.claimedSubject(of: token) == "sarah")
        #expect(AccessToken.claimedSubject(of: token.dropLast(5) + "AAAAA") == "sarah")
    }

    @Test(
        "A token without a subject names no user",
        arguments: ["", "a", "a.b", "a.b.c.d", "a.!.c", "a.e30.c", "a.eyJzdWIiOjF9.c"])
    func nobody(_ text: String) { #expect(AccessToken.claimedSubject(of: text) == nil) }

    @Test("A token longer than the limit names no user")
    func isTooLong() {
        let subject = String(repeating: "a", count: 3000)
        #expect(
            AccessToken.claimedSubject(of: AccessToken(subject: ExactString(subject), expiresAt: 0).signed(with: [1]))
                == nil)
    }
}
