import FitIQAPI
import JSON
import Testing

@Suite("Whom a token names")
struct ClaimedSubjectTests {
    @Test("When a token says that it expires, whoever signed it")
    func expiry() {
        let token = AccessToken(subject: "sarah", expiresAt: 1_738_146_600).signed(with: [1])
        #expect(AccessToken.claimedExpiry(of: token) == Timestamp(secondsSinceEpoch: 1_738_146_600))
        for text in ["", "redacted-token-1", "a.b.c", "e30.e30.", "e30.eyJleHAiOiIxIn0."] {
            #expect(AccessToken.claimedExpiry(of: text) == nil, "\(text)")
        }
    }

    @Test("Its subject, whoever signed it and however old it is")
    func subject() {
        let token = AccessToken(subject: "sarah", expiresAt: 0).signed(with: [1])
        #expect(AccessToken.claimedSubject(of: token) == "sarah")
        #expect(AccessToken.claimedSubject(of: token.dropLast(5) + "AAAAA") == "sarah")
    }

    @Test(
        "Nobody where it is none",
        arguments: [
            "", "a", "a.b", "a.b.c.d", "a.!.c", "a.e30.c", "a.eyJzdWIiOjF9.c",
        ])
    func nobody(_ text: String) {
        #expect(AccessToken.claimedSubject(of: text) == nil)
    }

    @Test("Nor where it is longer than any token that is accepted")
    func isTooLong() {
        let subject = String(repeating: "a", count: 3000)
        #expect(
            AccessToken.claimedSubject(of: AccessToken(subject: ExactString(subject), expiresAt: 0).signed(with: [1]))
                == nil)
    }
}
