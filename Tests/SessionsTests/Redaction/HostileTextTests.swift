import FitIQAPI
import Testing

@testable import Sessions

@Suite("Redaction of hostile texts")
struct HostileTextTests {
    /// Texts that would take a careless search quadratic time.
    private static let repeated: [String] = [
        "\"token\"", "\"token\":", "\"token\":\"", "\"token\":[", "\"token\":[\"a\",", "\\\"token\\\":\\\"", "\\",
        "\\\"",
        "\"token\" ", "a@", "@", "a@b.", "a@b.cd", "%40", "a%40", "\\u0040", "a\\u0040b.", "%41", "?token=", "&token=a",
        "token=", "=", "\"", " ", "a", ".", "'", "eyJhbGciOiJIUzI1NiJ9.", "user-1@redacted.example", "\"token\":1",
    ]

    @Test("Sixteen times the text takes some sixteen times as long, whatever it is", arguments: repeated)
    func linear(_ piece: String) {
        var redactor = Redactor()
        // Secrets that are alike, and like the texts.
        for index in 0..<50 {
            var known =
                "{\"token\":\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.\(index * 7919)aaaa\(index)\",\"secret\":\"aaaaaaaa\(index)\"}"
            redactor.redact(&known)
        }
        let clock = ContinuousClock()
        func seconds(_ count: Int) -> Double {
            var fastest = Double.infinity
            for _ in 0..<2 {
                var text = String(repeating: piece, count: count / piece.utf8.count)
                var copy = redactor
                let duration = clock.measure { copy.redact(&text) }
                fastest = min(
                    fastest, Double(duration.components.attoseconds) * 1e-18 + Double(duration.components.seconds))
            }
            return fastest
        }
        let short = seconds(20_000)
        let long = seconds(320_000)
        // Quadratic time would be 256 times as long. The constant is for what is too short to measure.
        #expect(long < 80 * short + 0.2)
    }

    @Test("In random texts no secret is overlooked", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let noise = Self.repeated + ["b", "x.de", "\n", "{", "}", "]", ",", "\u{1F600}", "\"password\":\"p\""]
        let needles = [" s3cr3t-value ", " needle@hay.example ", " {\"password\":\"p4ssw0rd\"} ", " /?token=t0ken&"]
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
            for secret in ["s3cr3t-value", "needle@hay", "p4ssw0rd", "t0ken"] where text.contains(secret) {
                Issue.record("seed \(seed): \(secret) is left of \(original.debugDescription)")
            }
        }
    }

    @Test("Ten thousand secrets are all found, alike as they may be")
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

    @Test("Beyond the limit secrets share a placeholder")
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

    @Test("A very long secret is one, and keeps nothing of its length")
    func longSecret() {
        var redactor = Redactor()
        let long = String(repeating: "a1", count: 10_000)
        var text = "{\"token\":\"\(long)\",\"token\":\"\(long)b\",\"token\":\"\(long)\"}"
        redactor.redact(&text)
        #expect(text == #"{"token":"redacted-token-1","token":"redacted-token-2","token":"redacted-token-1"}"#)
    }
}
