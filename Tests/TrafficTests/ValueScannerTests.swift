import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import Traffic

@Suite("Finding ids, times and addresses")
struct ValueScannerTests {
    private enum IDs {
        static let a = "aaaaaaaa-0000-4000-8000-000000000001"
        static let b = "bbbbbbbb-0000-4000-8000-000000000002"
    }

    static func values(in text: String) -> [String] {
        var text = text
        return text.withUTF8 { utf8 in
            var scanner = ValueScanner(utf8)
            var found: [String] = []
            while let value = scanner.next() {
                found.append("\(value.kind) " + String(decoding: utf8[value.range], as: UTF8.self))
            }
            return found
        }
    }

    /// The longest possible address and token.
    private static let longAddress = String(repeating: "a", count: ValueScanner.longestValue - 10) + "@b.example"
    private static let longToken = "eyJ" + String(repeating: "a", count: ValueScanner.longestToken - 7) + ".b.c"

    static let rows: [(String, [String])] = [
        ("", []),
        ("wellness_specialist chat-about-goal Hello world v1 2025 12345", []),
        (IDs.a, ["id \(IDs.a)"]),
        (IDs.a.uppercased(), ["id \(IDs.a.uppercased())"]),
        ("goal_\(IDs.a)", ["id \(IDs.a)"]),
        ("goal\(IDs.a)", []),
        (#"{"a":"\#(IDs.a)","b":["\#(IDs.b)"]}"#, ["id \(IDs.a)", "id \(IDs.b)"]),
        (#"line\n\#(IDs.a)"#, ["id \(IDs.a)"]),
        (#"dash\u2014\#(IDs.a)"#, ["id \(IDs.a)"]),
        (#"end\"#, []),
        (#"end\u20"#, []),
        ("see \(IDs.a).", ["id \(IDs.a)"]),
        ("123456", ["id 123456"]),
        (String(repeating: "1", count: 40), ["id " + String(repeating: "1", count: 40)]),
        (String(repeating: "1", count: 41), []),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", ["id 01ARZ3NDEKTSV4RRFFQ69G5FAV"]),
        ("507f1f77bcf86cd799439011", ["id 507f1f77bcf86cd799439011"]),
        ("msg_0123abcd4567ef89ab", ["id msg_0123abcd4567ef89ab"]),
        ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", ["id sk_live_4eC39HqLyjWDarjtT1zdp7dc"]),
        ("x_abcdefabcdefabc1 abcdefabcdefabc2", ["id x_abcdefabcdefabc1", "id abcdefabcdefabc2"]),
        ("gabcdefabcdefabc1 gx_abcdefabcdefab1 x_abcdefabcdefabca", []),
        ("redacted-token-1, redacted-api-key-12", ["id redacted-token-1", "id redacted-api-key-12"]),
        ("redacted-token", []),
        ("user-1@redacted.example", ["email user-1@redacted.example"]),
        ("mail jane+x@fitiq.example.", ["email jane+x@fitiq.example"]),
        ("@home me@home a@b@c.d", []),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl", ["id eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"]),
        ("2025-01-29T10:30:00Z", ["time 2025-01-29T10:30:00Z"]),
        ("2025-01-29T10:30:00.123456+01:00!", ["time 2025-01-29T10:30:00.123456+01:00"]),
        ("2025-01-29 10:30:00", ["time 2025-01-29 10:30:00"]),
        ("on 2025-01-29, at ten", ["date 2025-01-29"]),
        ("2025-01-290", []),
        ("2025-13-29T10:30:00Z 2025-02-30 2025-01-29T24:00:00Z", []),
        ("é\(IDs.a)", ["id \(IDs.a)"]),
        // Values exactly at the limits of each form, and one byte below or above them.
        ("abcdefab-cdef-abcd-efab-cdefabcdefab", ["id abcdefab-cdef-abcd-efab-cdefabcdefab"]),
        (#"\u2014jane@a.example"#, ["email jane@a.example"]), ("a@b.c", ["email a@b.c"]), ("a@@b.cd me@.home", []),
        (longAddress, ["email " + longAddress]), ("a" + longAddress, []), (longToken, ["id " + longToken]),
        (longToken + "c", []), ("eyJhbGciOiJ9.e30.c2g", ["id eyJhbGciOiJ9.e30.c2g"]), ("eyJhbGciOiJ.e30.c2g", []),
        ("eyJ.aaaaaaaaaaaaaaaa", []), ("zzzzzzzzzzzz123456", ["id zzzzzzzzzzzz123456"]), ("zzzzzzzzzzzzz123456", []),
        ("CONSULTATION_ERROR_1", []), ("redacted-1", []),
    ]

    @Test("The scanner finds exactly the expected values in a string", arguments: rows)
    func finds(text: String, values: [String]) { #expect(Self.values(in: text) == values) }

    @Test("The scanner accepts random bytes and returns sorted ranges within them", arguments: [1, 2, 3] as [UInt64])
    func anything(seed: UInt64) {
        var numbers = Draw(seed: seed)
        let alphabet = Array(#"0123456789abcdefABCDEF-_.@:+TZ \"u/"#.utf8) + [0xC3, 0xA9, 0xFF]
        for _ in 0..<2_000 {
            let bytes = (0..<numbers.below(120)).map { _ in numbers.element(of: alphabet) }
            bytes.withUnsafeBufferPointer { buffer in
                var scanner = ValueScanner(buffer)
                var end = 0
                while let value = scanner.next() {
                    #expect(value.range.lowerBound >= end && value.range.upperBound <= bytes.count, "seed \(seed)")
                    #expect(!value.range.isEmpty, "seed \(seed)")
                    end = value.range.upperBound
                }
            }
        }
    }

    static let urls: [(String, String, [String], [String])] = [
        (
            "https://API.fitiq.example:8443/a/b%20c?x=1&y=a+b%26", "api.fitiq.example:8443", ["a", "b c"],
            ["x=1", "y=a b&"]
        ),
        ("/w/abc/api/v1?x", "", ["api", "v1"], ["x="]),
        ("/w/abc", "", ["w", "abc"], []),
        ("/w/abc/x", "", ["x"], []),
        ("/a+b", "", ["a+b"], []),
        ("wss://h", "h", [], []),
        ("https://h?x=1", "h", [], ["x=1"]),
        ("/a//b/#c?d", "", ["a", "", "b", ""], []),
        ("/redirect?to=https://h/x", "", ["redirect"], ["to=https://h/x"]),
        ("/%zz%4", "", ["%zz%4"], []),
        ("", "", [], []),
    ]

    @Test(
        "A number counts as a time by its size and its member's name",
        arguments: [
            ("946684800", "createdAt", true), ("946684799", "createdAt", false), ("9e19", "createdAt", true),
            ("1e20", "createdAt", false), ("1e400", "createdAt", false), ("1738146600", "time", true),
            ("1738146600", "ts", true), ("1738146600", "DATE", true), ("1738146600", "sentTimestamp", true),
            ("1738146600", "sent_time", true), ("1738146600", "updated_at", true), ("1738146600", "startTime", true),
            ("1738146600", "n", false), ("1738146600", "times", false), ("1738146600", "format", false),
        ])
    func numbers(text: String, name: String, isTime: Bool) throws {
        let number: JSONNumber? = JSONNumber(text)
        #expect(ValueScanner.isTime(try #require(number), under: name) == isTime)
    }

    @Test("The scanner splits a URL or a target into parts", arguments: urls)
    func url(text: String, authority: String, segments: [String], items: [String]) {
        let url = RequestURL(text)
        #expect((url.authority, url.segments) == (authority, segments))
        #expect(url.items.map { "\($0.name)=\($0.value)" } == items)
    }
}

@Suite("Values that differ between two identical runs")
struct VolatileTextTests {
    @Test(
        "The scanner matches only whole tokens and origins",
        arguments: [
            ("a eyJhbGciOiJIUzI1NiJ9.eyJz.c2ln b", "a {id} b"), ("eyJh.eyJz", "eyJh.eyJz"),
            ("eyJh.b.c.d", "eyJh.b.c.d"), ("https://host:81/a", "{origin}/a"), ("\"ws://host:81\"", "\"{origin}\""),
            ("http://host:8180/a", "http://host:8180/a"), ("http://host:81", "{origin}"),
            ("[http://HOST:81]", "[{origin}]"), ("see http://host:81.", "see {origin}."),
            ("http://[::1]:9/", "{origin}/"), ("http://host:81.org", "http://host:81.org"),
            ("xhttp://host:81", "xhttp://host:81"), ("WS://host:81/w/a-1/b", "{origin}/b"),
            ("http://host:81/w/", "{origin}/w/"), ("http://", "http://"), ("http://host:81/w/abc", "{origin}/w/abc"),
            ("http://host:81/w//", "{origin}/w//"), (#"https:\/\/host:81\/w\/a\/b"#, #"{origin}\/b"#),
            ("http:\\host:81", "http:\\host:81"), (#"\nhttp://host:81"#, #"\n{origin}"#), ("{id}", "{{id}"),
        ])
    func normalised(_ text: String, _ expected: String) {
        #expect(
            VolatileText.normalised(
                text, origins: Origins([RequestURL("http://host:81"), RequestURL("ws://[::1]:9/x")])
            ).text == expected)
    }

    @Test("An origin without a port does not match an origin with a port or a longer host")
    func hosts() {
        #expect(
            VolatileText.normalised(
                "http://host http://host:1 http://hosts", origins: Origins([RequestURL("http://host")]))
                == "{origin} http://host:1 http://hosts")
    }

    @Test("Scanning a long row of token-like parts takes linear time")
    func linear() {
        let text = String(repeating: "eyJ.", count: 100_000) + "a.b.c"
        // Use a separate value, so that a failure does not print the texts.
        let isSame = VolatileText.normalised(text).text == text
        #expect(isSame)
    }

    static let secretNames: [(String, Bool)] = [
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
    ]

    @Test("The scanner recognizes exactly the expected secret names", arguments: secretNames)
    func names(_ name: String, _ isSecret: Bool) { #expect(SecretName.isSecret(name) == isSecret) }
}
