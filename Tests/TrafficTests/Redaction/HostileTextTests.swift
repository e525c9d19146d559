import FitIQAPI
import TestSupport
import Testing

@testable import Traffic

@Suite("Redaction of hostile texts")
struct HostileTextTests {
    /// Texts that make a careless search take quadratic time; `scripts/bench decoders` counts the work.
    private static let repeated: [String] = [
        "\"token\"", "\"token\":", "\"token\":\"", "\"token\":[", "\"token\":[\"a\",", "\\\"token\\\":\\\"", "\\",
        "\\\"", "\"token\" ", "a@", "@", "a@b.", "a@b.cd", "%40", "a%40", "\\u0040", "a\\u0040b.", "%41", "?token=",
        "&token=a", "token=", "=", "\"", " ", "a", ".", "'", "eyJhbGciOiJIUzI1NiJ9.", "user-1@redacted.example",
        "\"token\":1", "{\"token\":", "\"token\":{\"a\":", "\"token\":[[", "\"token\":{}", "\"token\":[-",
        "\"token\":[\\", "\":", "\\\":", "\"token\":{\"\":", "://", "://a", ":\\/\\/", "%3A%2F%2F", "://a@", "a.token=",
        "?[%41",
    ]

    @Test("The redactor finds every secret in random text", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var numbers = Draw(seed: seed)
        let noise =
            Self.repeated + [
                "b", "x.de", "\n", "{", "}", "]", ",", "\u{1F600}", "\"password\":\"p\"", "\"token\":{", "\"token\":[",
            ]
        let needles = [
            " s3cr3t-value ", " needle@hay.example ", " {\"password\":\"p4ssw0rd\"} ", " /?token=t0ken&",
            " http://u:us3rinfo@h/",
        ]
        for _ in 0..<50 {
            var text = ""
            for _ in 0..<Int.random(in: 1...60, using: &numbers) {
                text += (Bool.random(using: &numbers) ? noise : needles).randomElement(using: &numbers) ?? ""
            }
            let original = text
            var redactor = Redactor()
            var known = "{\"secret\":\"s3cr3t-value\"}"
            redactor.redact(&known)
            redactor.redact(&text)
            for secret in ["s3cr3t-value", "needle@hay", "p4ssw0rd", "t0ken", "us3rinfo"] where text.contains(secret) {
                Issue.record("seed \(seed): \(secret) is left of \(original.debugDescription)")
            }
        }
    }

    @Test("The redactor finds all of ten thousand similar secrets")
    func manySecrets() {
        var redactor = Redactor()
        let secrets = (0..<10_000).map {
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c2VyIn0.sig\(100_000_000 + $0 &* 7_654_321 % 100_000_000)"
        }
        for secret in secrets {
            var text = "?token=\(secret)"
            redactor.redact(&text)
        }
        var text = secrets.joined(separator: " ")
        redactor.redact(&text)
        #expect(text == (1...10_000).map { "redacted-token-\($0)" }.joined(separator: " "))
        #expect(!redactor.hasTooManySecrets)
    }

    @Test("Secrets beyond the limit share a placeholder")
    func tooMany() {
        var table = SecretTable(mostSecrets: 2)
        for (secret, placeholder) in [
            ("a", "redacted-token-1"), ("b", "redacted-token-2"), ("c", "redacted-token-more"),
            ("a", "redacted-token-1"),
        ] {
            #expect(table.isFull == (secret == "a" && placeholder.hasSuffix("1") && table.isFull))
            #expect(table.placeholder(for: Array(secret.utf8), .token) == Array(placeholder.utf8))
        }
        #expect(table.isFull)
    }

    @Test("The redactor finds a secret of up to 4,096 bytes anywhere", arguments: [4096, 4097])
    func longestKept(count: Int) {
        var redactor = Redactor()
        let secret = String(String(repeating: "a1", count: count).prefix(count))
        var text = "{\"token\":\"\(secret)\",\"a\":\"\(secret)\"}"
        redactor.redact(&text)
        let other = count == SecretTable.longestKept ? "redacted-token-1" : secret
        // Use a separate value, so that a failure does not print the texts.
        let isRedacted = text == "{\"token\":\"redacted-token-1\",\"a\":\"\(other)\"}"
        #expect(isRedacted)
    }

    @Test("The redactor finds eight secrets that differ only at the start but not a ninth")
    func alike() {
        var redactor = Redactor()
        let secrets = (1...9).map { "k\($0)" + String(repeating: "a", count: 80) }
        for secret in secrets {
            var text = "?token=\(secret)"
            redactor.redact(&text)
        }
        var text = secrets.joined(separator: " ")
        redactor.redact(&text)
        #expect(text == ((1...8).map { "redacted-token-\($0)" } + [secrets[8]]).joined(separator: " "))
        text = "?token=" + secrets[8]
        redactor.redact(&text)
        #expect(text == "?token=redacted-token-9")
    }

    @Test(
        "Long similar secrets take at most 64 + 8 × 35 comparisons per byte",
        arguments: [("k", "a"), ("k", "abcdefgh"), ("", ":\"")])
    func steps(beginning: String, piece: String) {
        var table = SecretTable()
        let repeated = String(repeating: piece, count: 4000 / piece.utf8.count)
        let secrets = (0..<8).map {
            beginning.isEmpty ? String(repeated.dropLast(1 + $0 * piece.count)) : "\(beginning)\($0)\(repeated)"
        }
        for secret in secrets { _ = table.placeholder(for: Array(secret.utf8), .token) }
        let text = String(repeating: repeated, count: 8) + "\n" + secrets.joined(separator: "\n")
        let bytes = Array(text.utf8)
        bytes.withUnsafeBufferPointer { bytes in
            var scan = TextScan(bytes)
            scan.run(.text, &table)
            #expect(scan.steps <= (64 + 8 * 35) * bytes.count)
            let isCoarse = scan.steps > 64 * bytes.count
            // Texts without one of the beginnings are names, which are kept.
            #expect(isCoarse != beginning.isEmpty)
            guard isCoarse else { return }
            let output = String(decoding: scan.output + bytes[scan.copied...], as: UTF8.self)
            let left = output.split(separator: "\n").dropFirst().flatMap { $0.split(separator: "redacted-token-") }
            #expect(left.allSatisfy { $0.utf8.count <= 32 })
        }
    }

    @Test("The redactor hides the length of a very long secret")
    func longSecret() {
        var redactor = Redactor()
        let long = String(repeating: "a1", count: 10_000)
        var text = "{\"token\":\"\(long)\",\"token\":\"\(long)b\",\"token\":\"\(long)\"}"
        redactor.redact(&text)
        #expect(text == #"{"token":"redacted-token-1","token":"redacted-token-2","token":"redacted-token-1"}"#)
    }
}

@Suite("Redaction of multipart forms")
struct MultipartTests {
    private static let type = "multipart/form-data; boundary=\"x y\""

    private static func redacted(_ body: [UInt8], type: String = type, cutting missing: Int = 0) -> RecordedBody? {
        let request = SessionRequest(
            method: "POST", url: "http://h/", fields: [SessionField("Content-Type", type)],
            body: RecordedBody(body, of: body.count + missing))
        var exchange = SessionExchange(started: Wire.time(0), request: request, response: nil)
        var redactor = Redactor()
        redactor.redact(&exchange)
        return exchange.request.body
    }

    private static func part(_ head: String, _ content: String) -> String {
        "--x y\r\nContent-Disposition: form-data; \(head)\r\n\r\n\(content)\r\n"
    }

    @Test("The redactor treats a part with a secret's name as one secret")
    func parts() {
        func body(_ password: String, _ token: String, _ address: String, _ known: String) -> [UInt8] {
            let texts = [
                Self.part("name=\"user[newPassword]\"", password),
                Self.part("name=api%5Ftoken; filename=\"a\"\r\nContent-Type: text/plain", token),
                Self.part("name=note", "\(address), \(known)"), Self.part("name=\"tokens_used\"", "12345"),
                Self.part("name=password", ""),
            ]
            let image = Array("--x y\r\ncontent-disposition: form-data; name=a\r\n\r\n".utf8) + [0xFF, 0xD8]
            return Array("preamble\r\n\(texts.joined())".utf8) + image
                + Array("a@b.de \(known)\r\n--x y--\r\ntoken".utf8)
        }
        let new = Self.redacted(body("p\r\n--x \r\np", "t0ken-value", "ann@example.com", "t0ken-value"))
        let expected = body("redacted-password-1", "redacted-token-1", "user-1@redacted.example", "redacted-token-1")
        #expect(new?.bytes == expected)
    }

    @Test("A form cut at any byte contains no part of a secret")
    func cut() {
        let start = "--x y\r\nContent-Disposition: form-data; name=password\r\n\r\n"
        let body = Array((start + "abc#def#ghi\r\n" + Self.part("name=token", "jkl#mno#pqr") + "--x y--\r\n").utf8)
        for count in 0...body.count {
            let new = Self.redacted(Array(body.prefix(count)), cutting: body.count - count + 1)
            let text = String(decoding: new?.bytes ?? [], as: UTF8.self)
            #expect(!text.contains("#") && !text.contains("abc"), "cut at \(count): \(text)")
            #expect(text.hasPrefix(start.utf8.count < count ? start + "redacted-password-1" : ""))
            #expect((new?.byteCount ?? 0) - (new?.bytes.count ?? 0) == body.count - count + 1)
        }
    }

    @Test("The redactor accepts bare line feeds and treats a body without a boundary as text")
    func lenient() {
        let body = "--x y\nContent-Disposition: form-data; name=token\n\nabc\n--x y--\n"
        #expect(Self.redacted(Array(body.utf8))?.bytes == Array(body.replacing("abc", with: "redacted-token-1").utf8))
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=z"] {
            #expect(Self.redacted(Array(body.utf8), type: type)?.bytes == Array(body.utf8))
        }
    }
}
