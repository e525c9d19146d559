import Digests
import Testing
import Text

@testable import FitIQAPI

@Suite("Access tokens") struct AccessTokenTests {
    static let secret = "a secret of the tests".bytes

    private static func token(header: String = #"{"alg":"HS256","typ":"JWT"}"#, payload: String) -> String {
        let input = Base64.encodeURL(header.bytes) + "." + Base64.encodeURL(payload.bytes)
        return input + "." + Base64.encodeURL(HMACSHA256.authenticate(input.bytes, key: secret))
    }

    private func verdict(_ token: String, secret: [UInt8] = secret) -> Result<AccessToken, Refusal> {
        Result { () throws(Refusal) in try AccessToken.verify(token, secret: secret) }
    }

    /// The refusal of a token at some seconds and nanoseconds since 1970.
    private func refusal(of token: AccessToken, at seconds: Int64, _ nanoseconds: Int64 = 0) -> Refusal? {
        let time = Timestamp(secondsSinceEpoch: seconds).advanced(byNanoseconds: nanoseconds)
        do throws(Refusal) { try token.validity.check(at: time) } catch { return error }
        return nil
    }

    // MARK: Accepted

    static let claims: [AccessToken] = [
        AccessToken(subject: "u", expiresAt: 0), AccessToken(subject: "user-1", expiresAt: 1_738_146_600),
        AccessToken(subject: "Zoë \"😀\"\n", expiresAt: 9_000_000_000),
        AccessToken(subject: "u", expiresAt: -9_000_000_000),
        AccessToken(subject: "\(String(repeating: "é", count: 200))", expiresAt: 1),
    ]

    @Test("Parsing a signed token returns its claims unchanged", arguments: claims)
    func roundTrip(token: AccessToken) {
        for secret in [Self.secret, [], [0], [UInt8](repeating: 7, count: 1000)] {
            #expect(verdict(token.signed(with: secret), secret: secret) == .success(token))
        }
    }

    @Test("Signing is deterministic")
    func golden() {
        // This token was created with Python's hmac module.
        #expect(
            AccessToken(subject: "user-1", expiresAt: 1_738_146_600).signed(with: Self.secret)
                == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c2VyLTEiLCJleHAiOjE3MzgxNDY2MDB9"
                + ".frFsB-mVWoomWtAua8nQWltxyfpLkLH8n-6ovnpsNoA")
    }

    @Test("A token may have extra members, extra white space and members in any order")
    func foreign() {
        let token = Self.token(
            header: "{\r\n \"typ\":\"JWT\",\"kid\":\"1\",\"alg\":\"HS256\"}",
            payload: #" {"iat":99999999999,"exp":1738146600,"scope":["a"],"sub":"user-1"} "#)
        #expect(verdict(token) == .success(AccessToken(subject: "user-1", expiresAt: 1_738_146_600)))
    }

    static let expiries: KeyValuePairs<String, Int64> = [
        "1738146600": 1_738_146_600, "1738146600.0": 1_738_146_600, "1738146600.9": 1_738_146_600,
        "1.7381466e9": 1_738_146_600, "0": 0, "-0": 0, "-1": -1,
        // A time beyond the range of Timestamp becomes the last timestamp.
        "9000000001": 9_000_000_000, "1e300": 9_000_000_000, "99999999999999999999": 9_000_000_000,
        "-1e300": -9_000_000_000, "-9223372036854775808": -9_000_000_000,
    ]

    @Test("Any number is a valid expiry time", arguments: expiries)
    func expiry(text: String, seconds: Int64) throws {
        let token = try verdict(Self.token(payload: #"{"sub":"u","exp":\#(text)}"#)).get()
        #expect(token == AccessToken(subject: "u", expiresAt: seconds))
        // The first and last timestamps can be formatted.
        #expect(throws: Never.self) { try token.validity.check(at: Timestamp(nanosecondsSinceEpoch: .min)) }
        #expect(throws: Refusal.expiredToken(at: Timestamp(secondsSinceEpoch: seconds))) {
            try token.validity.check(at: Timestamp(nanosecondsSinceEpoch: .max))
        }
    }

    @Test("A token expires at the exact second", arguments: [Int64(0), 1_738_146_600, -5])
    func exactSecond(seconds: Int64) {
        let token = AccessToken(subject: "u", expiresAt: seconds)
        let expired = Refusal.expiredToken(at: Timestamp(secondsSinceEpoch: seconds))
        let refusals = [-1, 0, 1, 1_000_000_000].map { refusal(of: token, at: seconds, $0) }
        #expect(refusals == [nil, expired, expired, expired])
    }

    // MARK: Not before

    static let starts: KeyValuePairs<String, Int64> = [
        "1738146600": 1_738_146_600, "1.7381466e9": 1_738_146_600, "1738146599.1": 1_738_146_600, "0": 0,
        "-1.5": -1, "1e300": 9_000_000_000, "-1e300": -9_000_000_000, "99999999999999999999": 9_000_000_000,
    ]

    @Test("Any number is a valid 'nbf' time", arguments: starts)
    func start(text: String, seconds: Int64) throws {
        let token = try verdict(Self.token(payload: #"{"sub":"u","exp":1e300,"nbf":\#(text)}"#)).get()
        #expect(token == AccessToken(subject: "u", expiresAt: 9_000_000_000, notBefore: seconds))
        #expect(verdict(token.signed(with: Self.secret)) == .success(token))
    }

    @Test("The error for a time in milliseconds suggests dividing it by 1000")
    func milliseconds() throws {
        let token = try verdict(Self.token(payload: #"{"sub":"u","exp":1738146600000,"nbf":0}"#)).get()
        #expect(token.hint?.contains("divide it by 1000") == true)
        #expect(AccessToken(subject: "u", expiresAt: 8_999_999_999).hint == nil)
        let early = try verdict(Self.token(payload: #"{"sub":"u","exp":1e300,"nbf":1738146600000}"#)).get()
        let refused = try #require(refusal(of: early, at: 1_738_146_600))
        #expect(refused == .tokenNotYetValid(from: Timestamp(secondsSinceEpoch: 9_000_000_000)))
        #expect(refused.description.hasSuffix("times in a JSON Web Token are in seconds (RFC 7519 §2)."))
        #expect(!Refusal.tokenNotYetValid(from: .example).description.contains("1000"))
    }

    @Test("A token is valid from the exact second of its 'nbf'", arguments: [Int64(0), 1_738_146_600, -5])
    func exactStart(seconds: Int64) {
        let token = AccessToken(subject: "u", expiresAt: seconds + 1, notBefore: seconds)
        let early = Refusal.tokenNotYetValid(from: Timestamp(secondsSinceEpoch: seconds))
        let expired = Refusal.expiredToken(at: Timestamp(secondsSinceEpoch: seconds + 1))
        let refusals = [-1_000_000_000, -1, 0, 1_000_000_000].map { refusal(of: token, at: seconds, $0) }
        #expect(refusals == [early, early, nil, expired])
    }

    // MARK: Refused

    /// The values of 'crit', and what a message shows.
    static let criticals: KeyValuePairs<String, String> = [
        #"["exp"]"#: #"["exp"]"#, #"["b64","x"]"#: #"["b64","x"]"#, "[]": "[]", "null": "null",
        #""b64""#: #""b64""#, #"["a"],"crit":["b"]"#: #"["b"]"#,
    ]

    static let extended: [(String, Refusal)] = criticals.map { value, told in
        (
            token(header: #"{"alg":"HS256","crit":\#(value),"exp":1,"b64":false}"#, payload: payload),
            .unsupportedTokenExtensions(told)
        )
    }

    static let payload = #"{"sub":"user-1","exp":1738146600}"#
    static let good = token(payload: payload)
    private static let parts = good.split(separator: ".").map(String.init)

    private func signed(_ signature: some Collection<UInt8>) -> String {
        "\(Self.parts[0]).\(Self.parts[1]).\(Base64.encodeURL(Array(signature)))"
    }

    static let algorithms: KeyValuePairs<String, String> = [
        #"{"alg":"none"}"#: "none", #"{"alg":"None","typ":"JWT"}"#: "None", #"{"alg":"HS512"}"#: "HS512",
        #"{"alg":"hs256"}"#: "hs256", #"{"alg":"RS256"}"#: "RS256", #"{"alg":""}"#: "", #"{}"#: "nothing",
        #"{"ALG":"HS256"}"#: "nothing", #"{"alg":null}"#: "null", #"{"alg":["HS256"]}"#: #"["HS256"]"#,
        #"{"alg":"HS256","alg":"none"}"#: "none",
    ]

    @Test("An algorithm other than HS256 is rejected even if the signature matches", arguments: algorithms)
    func algorithm(header: String, name: String) {
        #expect(verdict(Self.token(header: header, payload: Self.payload)) == .failure(.wrongTokenAlgorithm(name)))
        // This is the classic attack with no algorithm and no signature.
        let parts = [header, Self.payload].map { Base64.encodeURL($0.bytes) }
        #expect(verdict("\(parts[0]).\(parts[1]).") == .failure(.wrongTokenAlgorithm(name)))
    }

    @Test("A signature with any bit flipped, truncated or extended is rejected")
    func signatures() throws {
        let signature = try #require(Base64.decodeURL(Self.parts[2]))
        for bit in 0..<(signature.count * 8) {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(verdict(signed(changed)) == .failure(.wrongTokenSignature))
        }
        for length in 0..<signature.count {
            #expect(verdict(signed(signature.prefix(length))) == .failure(.wrongTokenSignature))
        }
        #expect(verdict(signed(signature + [0])) == .failure(.wrongTokenSignature))
    }

    @Test("A token with a missing character is rejected")
    func truncated() {
        for index in Self.good.indices {
            var shorter = Self.good
            shorter.remove(at: index)
            for token in [String(Self.good[..<index]), shorter] {
                #expect(throws: Refusal.self) { try verdict(token).get() }
            }
        }
    }

    @Test("A signature over a different payload or with a different secret is rejected")
    func changed() {
        let other = Base64.encodeURL(#"{"sub":"user-2","exp":1738146600}"#.bytes)
        #expect(verdict("\(Self.parts[0]).\(other).\(Self.parts[2])") == .failure(.wrongTokenSignature))
        // Do not try the secret with a zero appended: HMAC pads short keys with zeros (RFC 2104 §2), so it would be
        // valid.
        for secret in [[], [0], Self.secret + [1], Array(Self.secret.dropLast())] {
            #expect(verdict(Self.good, secret: secret) == .failure(.wrongTokenSignature))
        }
    }

    static let subjectMessage =
        "its 'sub' claim must be the user's id, a string of 1 to 200 characters and at most 1000 bytes"

    /// Messages, and payloads that get them.
    static let badPayloads: KeyValuePairs<String, [String]> = [
        "its payload is not a JSON object": ["", "{", "null", #"["sub"]"#, #"{"sub":"u","exp":1}x"#],
        subjectMessage: [
            "{}", #"{"exp":1}"#, #"{"sub":null,"exp":1}"#, #"{"sub":5,"exp":1}"#, #"{"sub":["u"],"exp":1}"#,
            #"{"sub":"","exp":1}"#, #"{"sub":"\#(String(repeating: "u", count: 201))","exp":1}"#,
        ],
        "its 'exp' claim must be a number of seconds since 1970": [
            #"{"sub":"u"}"#, #"{"sub":"u","exp":null}"#, #"{"sub":"u","exp":"1738146600"}"#,
            #"{"sub":"u","exp":true}"#, #"{"sub":"u","exp":[1]}"#, #"{"sub":"u","exp":1e400}"#, #"{"sub":"u","EXP":1}"#,
        ],
        "its 'nbf' claim must be a number of seconds since 1970":
            ["null", #""1738146600""#, "true", "[1]", "1e400"].map { #"{"sub":"u","exp":1738146600,"nbf":\#($0)}"# },
    ]

    static let malformed: KeyValuePairs<String, [String]> = [
        "it has 1 part(s) between dots, not 3": ["", "abc"], "it has 2 part(s) between dots, not 3": ["a.b"],
        "it has 4 part(s) between dots, not 3": ["a.b.c.d"],
        "its header is not a JSON object": [
            "..", token(header: "[]", payload: "{}"), token(header: "", payload: "{}"),
        ],
        "its header is not base64url": [
            "a..", "!.b.c", " \(good)", "Bearer \(good)", "\u{E9}.b.c",
            good.replacing(".", with: "=.", maxReplacements: 1),
        ], "its signature is not base64url": ["\(good) ", "\(good)=", "\(good)\n"],
    ]

    static let refused: [(String, Refusal)] =
        extended
        + badPayloads.flatMap { message, payloads in payloads.map { (token(payload: $0), .malformedToken(message)) } }
        + malformed.flatMap { message, tokens in tokens.map { ($0, .malformedToken(message)) } }

    @Test("A token with a header, a payload or parts that the server cannot accept is rejected", arguments: refused)
    func refuses(token: String, refusal: Refusal) { #expect(verdict(token) == .failure(refusal)) }

    @Test("The limit on a user's id counts bytes instead of characters")
    func userBytes() throws {
        let marks = String(repeating: "\u{301}", count: (AccessToken.userBytes - 2) / 2)
        func token(_ user: String) -> String { Self.token(payload: #"{"sub":"\#(user)","exp":1738146601}"#) }
        #expect("xx\(marks)".utf8.count == AccessToken.userBytes && "xx\(marks)".count == 2)
        #expect(verdict(token("xx\(marks)")) != .failure(.malformedToken(Self.subjectMessage)))
        #expect(verdict(token("xxx\(marks)")) == .failure(.malformedToken(Self.subjectMessage)))
    }

    @Test("A token in the standard base64 alphabet is rejected")
    func standardAlphabet() {
        // The signature must contain a character that the two alphabets encode differently.
        for number in 0..<100 {
            let token = AccessToken(subject: "user-\(number)", expiresAt: 1).signed(with: Self.secret)
            guard token.contains(where: { $0 == "-" || $0 == "_" }) else { continue }
            let standard = token.replacing("-", with: "+").replacing("_", with: "/")
            #expect(throws: Refusal.self) { try verdict(standard).get() }
            return
        }
        Issue.record("no token with a character of its own")
    }

    @Test("A token with more than 4,096 bytes is rejected")
    func tooLong() {
        // The token grows by four characters for every three bytes.
        func token(padding: Int) -> String {
            Self.token(payload: #"{"sub":"u","exp":1,"x":"\#(String(repeating: "x", count: padding))"}"#)
        }
        var padding = 2900
        while token(padding: padding + 1).utf8.count <= 4096 { padding += 1 }
        let longest = token(padding: padding)
        #expect((4093...4096).contains(longest.utf8.count))
        #expect(verdict(longest) == .success(AccessToken(subject: "u", expiresAt: 1)))
        for tooLong in [
            token(padding: padding + 1), String(repeating: ".", count: 4097), String(repeating: "a", count: 1_000_000),
        ] { #expect(verdict(tooLong) == .failure(.malformedToken("it has more than 4,096 bytes"))) }
    }

    // MARK: Tokens from elsewhere

    @Test("The example in RFC 7515, appendix A.1, has a valid signature but no subject")
    func rfc7515() {
        let key = Base64.decodeURL(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(verdict(token, secret: key ?? []) == .failure(.malformedToken(Self.subjectMessage)))
        #expect(verdict(token) == .failure(.wrongTokenSignature))
    }

    static let refusals: KeyValuePairs<Refusal, String> = [
        .malformedToken("its header is not base64url"): "it is malformed: its header is not base64url.",
        .wrongTokenAlgorithm("none"): #"it is signed with "none", but only "HS256" is accepted."#,
        .wrongTokenSignature:
            "its signature does not match: it was signed with a secret other than this server's, or was cut short.",
        .unsupportedTokenExtensions(#"["b64"]"#):
            "its header requires extensions that this server does not support: 'crit' is [\"b64\"] (RFC 7515 §4.1.11). "
            + "Sign the token without 'crit'.",
        .tokenNotYetValid(from: .example):
            "it is not valid before 2025-01-29T10:30:00Z (its 'nbf' claim): wait until then, or check both clocks.",
        .expiredToken(at: .example): "it expired at 2025-01-29T10:30:00Z; refresh it.",
    ]

    @Test("Each token error is a complete sentence", arguments: refusals)
    func description(refusal: Refusal, text: String) { #expect(refusal.description == text) }
}
