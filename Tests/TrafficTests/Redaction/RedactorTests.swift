import FitIQAPI
import Testing
import WebSocket

@testable import Traffic

/// Some text, and its redacted form.
struct RedactionCase: Sendable, CustomTestStringConvertible {
    let testDescription, text, redacted: String

    /// Without a redacted form, the text stays as it is.
    init(_ name: String, _ text: String, _ redacted: String? = nil) {
        (testDescription, self.text, self.redacted) = (name, text, redacted ?? text)
    }

    static let members: [RedactionCase] = [
        .init("a member", #"{"token":"abc","b":1}"#, #"{"token":"redacted-token-1","b":1}"#),
        .init(
            "spaces, line ends and order stay", "{ \"a\" : 1,\r\n\t\"token\" :\t\"abc\" ,\"z\":[1 , 2] }",
            "{ \"a\" : 1,\r\n\t\"token\" :\t\"redacted-token-1\" ,\"z\":[1 , 2] }"),
        .init(
            "the names in every case",
            #"{"access_token":"a","accessToken":"b","Access-Token":"c","ACCESS_TOKEN":"d","refresh_token":"e","idToken":"f","api_key":"g","apiKey":"h","password":"i","Password":"j","secret":"k","clientSecret":"l"}"#,
            #"{"access_token":"redacted-token-1","accessToken":"redacted-token-2","Access-Token":"redacted-token-3","ACCESS_TOKEN":"redacted-token-4","refresh_token":"redacted-token-5","idToken":"redacted-token-6","api_key":"redacted-api-key-1","apiKey":"redacted-api-key-2","password":"redacted-password-1","Password":"redacted-password-2","secret":"redacted-secret-1","clientSecret":"redacted-secret-2"}"#
        ),
        .init(
            "a qualifier before the word",
            #"{"new_password":"a","currentPassword":"b","session_token":"c","deviceToken":"d"}"#,
            #"{"new_password":"redacted-password-1","currentPassword":"redacted-password-2","session_token":"redacted-token-1","deviceToken":"redacted-token-2"}"#
        ),
        .init(
            "counts, costs and pages stay",
            #"{"token_count":"a","password_cost":12345,"isPasswordSet":"b","next_page_token":"c"}"#),
        .init(
            "the last words decide, however they are written",
            #"{"user_api_key":"a","oauthToken":"b","client-secret":"c","X-API-KEY":"d","APIkey":"e","AWSAccessKey":"f","user.password":"g","password2":"h","passwordConfirmation":"i","passwd":"j","my_token":"k"}"#,
            #"{"user_api_key":"redacted-api-key-1","oauthToken":"redacted-token-1","client-secret":"redacted-secret-1","X-API-KEY":"redacted-api-key-2","APIkey":"redacted-api-key-3","AWSAccessKey":"redacted-api-key-4","user.password":"redacted-password-1","password2":"redacted-password-2","passwordConfirmation":"redacted-password-3","passwd":"redacted-password-4","my_token":"redacted-token-2"}"#
        ),
        .init(
            "a long name", #"{"\#(String(repeating: "long_", count: 100))token":"a"}"#,
            #"{"\#(String(repeating: "long_", count: 100))token":"redacted-token-1"}"#),
        .init(
            "other names stay",
            #"{"tokens":"a","token_count":"b","tokens_used":12345,"passwords":"c","mytoken":"d","secretary":"e","tok":"f","page_token":"g","nextToken":"h","access_key_id":"i","monkey":"j"}"#
        ),
        .init(
            "letters that may be a word are found elsewhere only if they are many",
            #"{"token":"abcdefghijklmno","a":"abcdefghijklmno","secret":"abcdefghijklmnop","b":"abcdefghijklmnop"}"#,
            #"{"token":"redacted-token-1","a":"abcdefghijklmno","secret":"redacted-secret-1","b":"redacted-secret-1"}"#),
        .init(
            "equal ones are equal", #"[{"token":"a"},{"token":"b"},{"token":"a"},{"api_key":"a"}]"#,
            #"[{"token":"redacted-token-1"},{"token":"redacted-token-2"},{"token":"redacted-token-1"},{"api_key":"redacted-token-1"}]"#
        ),
        .init("empty, null, true", #"{"token":"","token":null,"token":true,"token":{}}"#),
        .init(
            "all of an object, by its own names or the outer one", #"{"token":{"id":"x","password":"y"},"id":"z"}"#,
            #"{"token":{"id":"redacted-token-1","password":"redacted-password-1"},"id":"z"}"#),
        .init(
            "all levels of objects and lists",
            #"{"password" : { "a" : [ {"b":"x"} , ["y", 1234, 12, -5, 1.2345, true, null, ""] ], "c" : {} } , "d" : ["z", 1234]}"#,
            #"{"password" : { "a" : [ {"b":"redacted-password-1"} , ["redacted-password-2", "redacted-password-3", 12, -5, 1.2345, true, null, ""] ], "c" : {} } , "d" : ["z", 1234]}"#
        ),
        .init(
            "objects in a string of JSON", #"{"body":"{\"secret\":{\"a\":\"x\\\"\",\"b\":1234},\"c\":\"y\"}","d":"z"}"#,
            #"{"body":"{\"secret\":{\"a\":\"redacted-secret-1\",\"b\":\"redacted-secret-2\"},\"c\":\"y\"}","d":"z"}"#),
        .init(
            "brackets in names and values are none", #"{"secret":{"a}":"}","b]":["]","x"]},"c":"y"}"#,
            #"{"secret":{"a}":"redacted-secret-1","b]":["redacted-secret-2","redacted-secret-3"]},"c":"y"}"#),
        .init(
            "names in an object are searched", #"{"token":{"ann@example.com":"x"}}"#,
            #"{"token":{"user-1@redacted.example":"redacted-token-1"}}"#),
        .init(
            "an object that is torn", #"{"password":{"a":["x","y"#,
            #"{"password":{"a":["redacted-password-1","redacted-password-2"#),
        .init(
            "an object that ends with the string around it", #"{"body":"{\"token\":{\"a\":\"x\"","c":"y"}"#,
            #"{"body":"{\"token\":{\"a\":\"redacted-token-1\"","c":"y"}"#),
        .init(
            "lists", #"{"token": ["a" , "b",3,"c"],"x":["a"]}"#,
            #"{"token": ["redacted-token-1" , "redacted-token-2",3,"redacted-token-3"],"x":["a"]}"#),
        .init("lists without spaces", #"{"token":["a","b"]}"#, #"{"token":["redacted-token-1","redacted-token-2"]}"#),
        .init(
            "numbers of four digits", #"{"password":1234,"secret":123,"token":12.345,"token":12345e6,"api_key":98765}"#,
            #"{"password":"redacted-password-1","secret":123,"token":12.345,"token":12345e6,"api_key":"redacted-api-key-1"}"#
        ),
        .init(
            "escapes in the value", #"{"token":"a\"b\\","x":"y","token":"a\u002fb","token":"a\/b"}"#,
            #"{"token":"redacted-token-1","x":"y","token":"redacted-token-2","token":"redacted-token-2"}"#),
        .init("escapes in the name", #"{"\u0074ok\u0065n":"abc"}"#, #"{"\u0074ok\u0065n":"redacted-token-1"}"#),
        .init(
            "JSON in a string of JSON", #"{"body":"{\"token\": \"a\\\"b\",\"x\":\"y\"}","z":"\"password\":\"p\""}"#,
            #"{"body":"{\"token\": \"redacted-token-1\",\"x\":\"y\"}","z":"\"password\":\"redacted-password-1\""}"#),
        .init(
            "JSON in a string of a string of JSON", #""{\"a\":\"{\\\"token\\\":\\\"abc\\\",\\\"b\\\":1}\"}""#,
            #""{\"a\":\"{\\\"token\\\":\\\"redacted-token-1\\\",\\\"b\\\":1}\"}""#),
        .init("torn", #"{"a":1,"token":"abc"#, #"{"a":1,"token":"redacted-token-1"#),
        .init(
            "several lines, and a quote out of place",
            "He said 5\" wide\n{\"token\":\"abc\"}\ndata: {\"secret\":\"x\"}\n",
            "He said 5\" wide\n{\"token\":\"redacted-token-1\"}\ndata: {\"secret\":\"redacted-secret-1\"}\n"),
        .init("a scheme stays", #"{"token":"Bearer abc"}"#, #"{"token":"Bearer redacted-token-1"}"#),
        .init(
            "fields as members",
            #"{"headers":{"Authorization":"Bearer abc","Cookie":"a=b","set-cookie":["c=d; Path=/"],"#
                + #""Access-Control-Allow-Credentials":"true"},"credential":"e","credentials":{"key":"f"}}"#,
            #"{"headers":{"Authorization":"Bearer redacted-token-1","Cookie":"redacted-cookie-1","#
                + #""set-cookie":["redacted-cookie-2"],"Access-Control-Allow-Credentials":"true"},"#
                + #""credential":"redacted-token-2","credentials":{"key":"redacted-token-3"}}"#),
        .init(
            "what begins like them, and ids of sessions",
            #"{"authorizationStatus":"denied","cookies":"all","session_id":"s1","allowCredentials":["id1"]}"#),
        .init("a scheme alone is the value", #"{"token":"Bearer "}"#, #"{"token":"redacted-token-1"}"#),
        .init(
            "an escape is undone once, at the end as well",
            #"{"token":"a\\nb","secret":"a\nb","password":"c\n","apiKey":"c\u000a"}"#,
            #"{"token":"redacted-token-1","secret":"redacted-secret-1","password":"redacted-password-1","#
                + #""apiKey":"redacted-password-1"}"#),
        .init("torn in an escape", #"{"token":"abc\"#, #"{"token":"redacted-token-1"#),
        .init("a word, not a member", #"["token","abc"]"#),
        .init(
            "what was redacted before stays, and its number is taken", #"{"token":"redacted-token-1","idToken":"x"}"#,
            #"{"token":"redacted-token-1","idToken":"redacted-token-2"}"#),
    ]

    static let items: [RedactionCase] = [
        .init(
            "a URL's query", "wss://h/ws?token=abc&x=token&access_token=d%2Fe#api_key=f",
            "wss://h/ws?token=redacted-token-1&x=token&access_token=redacted-token-2#api_key=redacted-api-key-1"),
        .init(
            "decoded before they are compared", "/a?token=a%2Fb /c?token=a/b /d?token=a%2fb",
            "/a?token=redacted-token-1 /c?token=redacted-token-1 /d?token=redacted-token-1"),
        .init(
            "within JSON", #"{"u":"ws:\/\/h\/ws?token=abc","v":"/x?a=b\u0026token=abc\u0026c=d"}"#,
            #"{"u":"ws:\/\/h\/ws?token=redacted-token-1","v":"/x?a=b\u0026token=redacted-token-1\u0026c=d"}"#),
        .init(
            "a plus sign is none of a space", "/a?token=a+b /b?token=a%2Bb /c?token=a%20b",
            "/a?token=redacted-token-1 /b?token=redacted-token-1 /c?token=redacted-token-2"),
        .init("within HTML", "<a href='/x?a=1&amp;token=abc'>", "<a href='/x?a=1&amp;token=redacted-token-1'>"),
        .init(
            "a name that is encoded", "/x?%74oken=a&tok%65%6E=b",
            "/x?%74oken=redacted-token-1&tok%65%6E=redacted-token-2"),
        .init(
            "names in brackets, and long ones",
            "/x?user[password]=a&user%5Bpassword%5D=b&user.api_key=c&a_b_c_d_e_f_token=d",
            "/x?user[password]=redacted-password-1&user%5Bpassword%5D=redacted-password-2&user.api_key=redacted-api-key-1&a_b_c_d_e_f_token=redacted-token-1"
        ),
        .init(
            "credentials", "/x?authorization=Bearer%20a&X-Amz-Credential=b&sid=c",
            "/x?authorization=redacted-token-1&X-Amz-Credential=redacted-token-2&sid=c"),
        .init("no value, other names", "/x?token=&mytoken=a&token"),
        .init("no query", "token=abc and x token=abc"),
    ]

    static let addresses: [RedactionCase] = [
        .init("plain", "mail to ann@example.com.", "mail to user-1@redacted.example."),
        .init(
            "the case does not matter, the person does", "Ann@Example.com, bob@example.com, ann@example.com",
            "user-1@redacted.example, user-2@redacted.example, user-1@redacted.example"),
        .init(
            "forms", "<a.b+c_d-e@sub.example.co.uk>;mailto:o'brien@x.ie,(z9@9z.io)",
            "<user-1@redacted.example>;mailto:user-2@redacted.example,(user-3@redacted.example)"),
        .init("in quotes", "'ann@example.com'", "'user-1@redacted.example'"),
        .init("beyond ASCII", "jürgen@müller.de", "user-1@redacted.example"),
        .init("beyond ASCII, in its first bytes", "\u{C0}b@\u{C0}x.de", "user-1@redacted.example"),
        .init(
            "a plus sign, as it is or encoded", "a+b@x.de,a%2Bb%40x.de /?r=%2Bb%40x.de",
            "user-1@redacted.example,user-1%40redacted.example /?r=user-2%40redacted.example"),
        .init(
            "letters that are escaped", #"{"a":"\u0061nn@example.com","b":"ann@example.com","c":"\u00fcn@x.de"}"#,
            #"{"a":"user-1@redacted.example","b":"user-1@redacted.example","c":"user-2@redacted.example"}"#),
        .init(
            "percent-encoded", "/u/ann%40example.com?q=mail%3Aann%40example.com&r=a%2Bb%40x.de",
            "/u/user-1%40redacted.example?q=mail%3Auser-1%40redacted.example&r=user-2%40redacted.example"),
        .init(
            "in JSON",
            #"{"a":"ann@example.com","b":"\nann@example.com\n","c":"ann\u0040example.com","d":"x\u000aann@example.com"}"#,
            #"{"a":"user-1@redacted.example","b":"\nuser-1@redacted.example\n","c":"user-1\u0040redacted.example","d":"x\u000auser-1@redacted.example"}"#
        ),
        .init(
            "one after the other", "a@x.de@y.de,b@x.de b@x.de",
            "user-1@redacted.example,user-2@redacted.example user-2@redacted.example"),
        .init("none", "@x.de a@ a@b a@b.c a@1.2 @MainActor x@@y.de p@1.2.3 50 @ 2.de"),
        .init("a placeholder stays", "user-7@redacted.example"),
        .init(
            "that was a token before",
            #"{"token":"ann@example.com","mail":"Ann@example.com","url":"ann%40example.com"}"#,
            #"{"token":"redacted-token-1","mail":"redacted-token-1","url":"redacted-token-1"}"#),
    ]

    static let userInfos: [RedactionCase] = [
        .init(
            "user and password", "https://ann:pass@api.example.com/x", "https://redacted-password-1@api.example.com/x"),
        .init(
            "a host without a dot, a user alone, no user", "ws://u:p@localhost:80?x=y http://u@h/ http://h/u:p@h",
            "ws://redacted-password-1@localhost:80?x=y http://redacted-password-2@h/ http://h/u:p@h"),
        .init("the last sign ends it", "http://a@b:c!d@h", "http://redacted-password-1@h"),
        .init(
            "in JSON", #"{"a":"http://u:p@h/","b":"http:\/\/u:p@h\/","c":"http://h","d":"x@y"}"#,
            #"{"a":"http://redacted-password-1@h/","b":"http:\/\/redacted-password-1@h\/","c":"http://h","d":"x@y"}"#),
        .init(
            "in an item", "/x?to=http%3A%2F%2Fu%3Ap%40h%2Fa%40b&u=http%3a%2f%2fu%3ap%40h&v=http%3A%2F%2Fh&w=a%40b",
            "/x?to=http%3A%2F%2Fredacted-password-1%40h%2Fa%40b&u=http%3a%2f%2fredacted-password-1%40h&v=http%3A%2F%2Fh&w=a%40b"
        ),
        .init(
            "encoded, equal to plain", "http://u:p%21@h http://u:p!@h",
            "http://redacted-password-1@h http://redacted-password-1@h"),
    ]
}

@Suite("Redaction of texts")
struct RedactorTests {
    @Test("The redactor replaces JSON members with secret names", arguments: RedactionCase.members)
    func members(_ row: RedactionCase) { check(row) }

    @Test("The redactor replaces secret query items", arguments: RedactionCase.items)
    func items(_ row: RedactionCase) { check(row) }

    @Test("The redactor replaces e-mail addresses", arguments: RedactionCase.addresses)
    func addresses(_ row: RedactionCase) { check(row) }

    @Test("The redactor replaces users and passwords in URLs", arguments: RedactionCase.userInfos)
    func userInfos(_ row: RedactionCase) { check(row) }

    private func check(_ row: RedactionCase) {
        var redactor = Redactor()
        var text = row.text
        redactor.redact(&text)
        #expect(text == row.redacted)
        var again = Redactor()
        again.redact(&text)
        #expect(text == row.redacted, "what was redacted stays as it is")
    }

    private static func redacted(
        _ fields: [(String, String)], url: String = "http://h/", body: String = "", type: String? = nil
    ) -> SessionRequest {
        var exchange = SessionExchange(
            started: Wire.time(0),
            request: SessionRequest(
                method: "POST", url: url,
                fields: fields.map { SessionField($0.0, $0.1) }
                    + (type.map { [SessionField("Content-Type", $0)] } ?? []),
                body: RecordedBody(Array(body.utf8))), response: nil)
        var redactor = Redactor()
        redactor.redact(&exchange)
        return exchange.request
    }

    @Test(
        "The redactor replaces secrets in header fields",
        arguments: [
            ("Authorization", "Bearer abc", "Bearer redacted-token-1"),
            ("authorization", "Basic  YTpi", "Basic  redacted-token-1"), ("Authorization", "abc", "redacted-token-1"),
            ("Authorization", "", ""), ("Authorization", "Bearer ", "Bearer "),
            ("Proxy-Authorization", "Digest a=b, c=d", "Digest redacted-token-1"),
            ("X-API-Key", "abc", "redacted-api-key-1"), ("Access-Control-Allow-Credentials", "true", "true"),
            ("X-Original-Authorization", "Bearer abc", "Bearer redacted-token-1"),
            (
                "Cookie", "a=b; c=\"d\";e=b; f=; g",
                "a=redacted-cookie-1; c=\"redacted-cookie-2\";e=redacted-cookie-1; f=; redacted-cookie-3"
            ),
            (
                "Set-Cookie", "sid=abc; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly",
                "sid=redacted-cookie-1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly"
            ),
            ("Cookie", "a=b;;c=d;", "a=redacted-cookie-1;;c=redacted-cookie-2;"),
            ("Set-Cookie", "sid=abc;", "sid=redacted-cookie-1;"), ("Set-Cookie", "", ""),
            ("Set-Cookie", "sid=abc", "sid=redacted-cookie-1"), ("Set-Cookie", "odd", "redacted-cookie-1"),
            ("From", "ann@example.com", "user-1@redacted.example"),
            ("Referer", "https://h/x?token=abc", "https://h/x?token=redacted-token-1"), ("Accept", "*/*", "*/*"),
            ("Content-Type", "application/json; charset=utf-8", "application/json; charset=utf-8"),
        ])
    func fields(_ name: String, _ value: String, _ expected: String) {
        #expect(Self.redacted([(name, value)]).fields == [SessionField(name, expected)])
    }

    @Test("A secret has the same placeholder in URL, field, form, JSON and frame")
    func everywhere() {
        let secret = "k3y/with+odd=chars"
        let request = Self.redacted(
            [("Authorization", "Bearer \(secret)"), ("X-Trace", "is \(secret)!")],
            url: "http://h/x?token=k3y%2Fwith%2Bodd%3Dchars",
            body: #"["\#(secret)","k3y%2Fwith%2Bodd%3Dchars","k3y\/with+odd=chars","x\#(secret)y"]"#)
        #expect(request.url == "http://h/x?token=redacted-token-1")
        #expect(request.fields.map(\.value) == ["Bearer redacted-token-1", "is redacted-token-1!"])
        #expect(
            request.body?.bytes
                == Array(#"["redacted-token-1","redacted-token-1","redacted-token-1","xredacted-token-1y"]"#.utf8))
    }

    @Test("An address known as a cookie, a key or credentials keeps its first placeholder")
    func addressesBefore() {
        for (name, value, placeholder) in [
            ("Cookie", "mail=ann@example.com", "redacted-cookie-1"),
            ("X-API-Key", "ann@example.com", "redacted-api-key-1"),
            ("Authorization", "Bearer ann@example.com", "redacted-token-1"),
        ] {
            let request = Self.redacted([(name, value)], body: #"{"mail":"ann@example.com"}"#)
            #expect(request.body?.bytes == Array(#"{"mail":"\#(placeholder)"}"#.utf8))
        }
    }

    @Test(
        "The redactor replaces short secrets and words only in expected places",
        arguments: [
            ("abc1234", false), ("abcd1234", true), ("consultation", false), ("consultations-all", true),
            ("CONSULTATION", true),
        ])
    func words(_ secret: String, _ isSought: Bool) {
        let request = Self.redacted([("X-API-Key", secret)], body: "a \(secret) b")
        #expect(request.body?.bytes == Array("a \(isSought ? "redacted-api-key-1" : secret) b".utf8))
    }

    @Test("The redactor finds a known secret as a whole string and next to another secret")
    func wholeText() {
        var redactor = Redactor()
        var known = #"{"secret":"key-1234"}"#
        redactor.redact(&known)
        for count in 1...3 {
            var text = String(repeating: "key-1234", count: count)
            redactor.redact(&text)
            #expect(text == String(repeating: "redacted-secret-1", count: count))
        }
    }

    @Test("A secret spelled like a member's name does not change the name")
    func names() {
        let request = Self.redacted(
            [("X-API-Key", "user_name1")], url: "http://h/",
            body: #"{"user_name1" : "user_name1","u":"/x?user_name1=1"}"#)
        #expect(request.body?.bytes == Array(#"{"user_name1" : "redacted-api-key-1","u":"/x?user_name1=1"}"#.utf8))
    }

    @Test(
        "The redactor replaces secrets in forms",
        arguments: [("application/x-www-form-urlencoded; charset=utf-8", true), ("text/plain", false)])
    func forms(_ type: String, _ isForm: Bool) {
        let request = Self.redacted([], body: "password=a%20b&x=y&token=c", type: type)
        let first = isForm ? "redacted-password-1" : "a%20b"
        #expect(request.body?.bytes == Array("password=\(first)&x=y&token=redacted-token-1".utf8))
    }

    @Test("The redactor replaces only known secrets in binary content")
    func binary() {
        var redactor = Redactor()
        let bytes: [UInt8] = [0xFF, 0xD8] + Array("ann@example.com token key-abc-123".utf8)
        var frame = SessionFrame(sender: .client, time: Wire.time(0), opcode: .binary, payload: RecordedBody(bytes))
        redactor.redact(&frame)
        #expect(frame.payload.bytes == bytes)
        var known = #"{"secret":"key-abc-123"}"#
        redactor.redact(&known)
        redactor.redact(&frame)
        #expect(frame.payload.bytes == [0xFF, 0xD8] + Array("ann@example.com token redacted-secret-1".utf8))
    }

    @Test("Redacted control frames keep their length, and close frames keep their code")
    func controlFrames() {
        var redactor = Redactor()
        let reason = "ann@example.com " + String(repeating: "x", count: 100)
        var frame = SessionFrame(
            sender: .client, time: Wire.time(0), opcode: .close,
            payload: RecordedBody([64, 64] + Array("a@x.de \(reason)".utf8.prefix(123))))
        redactor.redact(&frame)
        #expect(frame.payload.bytes.count == 125)
        #expect(frame.payload.bytes.starts(with: [64, 64] + Array("user-1@redacted.example user-2@".utf8)))
        frame = SessionFrame(
            sender: .server, time: Wire.time(0), opcode: .ping, payload: RecordedBody(Array("a@x.de".utf8)))
        redactor.redact(&frame)
        #expect(frame.payload.bytes == Array("user-1@redacted.example".utf8))
    }

    @Test("A redacted truncated body keeps the count of missing bytes")
    func cut() {
        var redactor = Redactor()
        var exchange = SessionExchange(
            started: Wire.time(0),
            request: SessionRequest(
                method: "POST", url: "http://h/", body: RecordedBody(Array(#"{"token":"abc""#.utf8), of: 100)),
            response: nil)
        redactor.redact(&exchange)
        #expect(exchange.request.body?.bytes == Array(#"{"token":"redacted-token-1""#.utf8))
        #expect(exchange.request.body?.byteCount == 113)
    }

    @Test(
        "The redactor replaces fields with secret names or secrets in URLs",
        arguments: [
            ("X-Admin-Token", "abc", "redacted-token-1"), ("Token", "abc", "redacted-token-1"),
            ("Api-Key", "abc", "redacted-api-key-1"), ("X-Auth-Token", "abc", "redacted-token-1"),
            ("Cookie", "abc; a=b", "redacted-cookie-1; a=redacted-cookie-2"),
            ("Referer", "http://ann:pw@localhost/x", "http://redacted-password-1@localhost/x"),
            ("X-Amz-Security-Token", "abc", "redacted-token-1"), ("Sec-WebSocket-Key", "abc", "abc"),
            ("Link", "<http://u:p@h/x>; rel=next", "<http://redacted-password-1@h/x>; rel=next"),
        ])
    func secretFields(_ name: String, _ value: String, _ redacted: String) {
        #expect(Self.redacted([(name, value)]).fields == [SessionField(name, redacted)])
    }

    @Test("The redactor removes the userinfo from a request's URL")
    func requestURL() {
        #expect(Self.redacted([], url: "http://ann:pw@h:1/x").url == "http://redacted-password-1@h:1/x")
    }
}
