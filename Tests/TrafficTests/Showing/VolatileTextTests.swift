import Testing

@testable import Traffic

@Suite("What two runs of the same thing differ in")
struct VolatileTextTests {
    @Test(
        "Tokens and origins are known as a whole only",
        arguments: [
            ("a eyJhbGciOiJIUzI1NiJ9.eyJz.c2ln b", "a {id} b"), ("eyJh.eyJz", "eyJh.eyJz"),
            ("eyJh.b.c.d", "eyJh.b.c.d"),
            ("https://host:81/a", "{origin}/a"), ("\"ws://host:81\"", "\"{origin}\""),
            ("http://host:8180/a", "http://host:8180/a"), ("http://host:81", "{origin}"),
            ("[http://HOST:81]", "[{origin}]"), ("see http://host:81.", "see {origin}."),
            ("http://[::1]:9/", "{origin}/"),
            ("http://host:81.org", "http://host:81.org"), ("xhttp://host:81", "xhttp://host:81"),
            ("WS://host:81/w/a-1/b", "{origin}/b"), ("http://host:81/w/", "{origin}/w/"), ("http://", "http://"),
            ("http://host:81/w/abc", "{origin}/w/abc"), ("http://host:81/w//", "{origin}/w//"),
            (#"https:\/\/host:81\/w\/a\/b"#, #"{origin}\/b"#), ("http:\\host:81", "http:\\host:81"),
            (#"\nhttp://host:81"#, #"\n{origin}"#), ("{id}", "{{id}"),
        ])
    func normalised(_ text: String, _ expected: String) {
        #expect(
            VolatileText.normalised(
                text, origins: Origins([RequestURL("http://host:81"), RequestURL("ws://[::1]:9/x")])
            ).text == expected)
    }

    @Test("An origin without a port is not one with a port, nor the beginning of a longer host")
    func hosts() {
        #expect(
            VolatileText.normalised(
                "http://host http://host:1 http://hosts", origins: Origins([RequestURL("http://host")]))
                == "{origin} http://host:1 http://hosts")
    }

    @Test("A long row of what looks like parts of a token takes linear time")
    func linear() {
        let text = String(repeating: "eyJ.", count: 100_000) + "a.b.c"
        // Apart, so that a failure does not print them.
        let isSame = VolatileText.normalised(text).text == text
        #expect(isSame)
    }

    @Test(
        "Names of secrets are the same ones wherever they count",
        arguments: [
            ("token", true), ("access_token", true), ("authToken", true), ("X-API-Key", true), ("clientSecret", true),
            ("", false), ("tokens", false), ("token.", true), ("_", false), ("accesstokenoftheuser", false),
            ("refreshtokens", false), ("clientSecrets", false), ("user_api_key", true), ("oauthToken", true),
            ("client-secret", true), ("APIKey", true), ("myAPIKey", true), ("apikey", true), ("keyapi", false),
            ("token_count", false), ("tokens_used", false), ("passwordCost", false), ("isPasswordSet", false),
            ("next_page_token", false), ("PageToken", false), ("pageAccessToken", true), ("user[password]", true),
            ("password2", true), ("TOKEN", true), ("OAUTH2Token", true), ("broken", false), ("compassword", false),
            ("ftoken", false), ("passwordHash", true), (String(repeating: "a", count: 30) + "token", false),
            (String(repeating: "a", count: 30) + "Token", true), ("a_b_c", false), ("Passwort", false),
            ("pin", true), ("userPin", true), ("spin", false), ("pinned", false), ("pass", true), ("compass", false),
            ("otp", true), ("TOTP", true), ("one_time_code", true), ("mfaCode", true), ("zipCode", false),
            ("code_verifier", true), ("_csrf", true), ("bearer", true), ("forbearer", false),
        ])
    func names(_ name: String, _ isSecret: Bool) {
        #expect(SecretName.isSecret(name) == isSecret)
    }
}
