import Digests
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 §10.
    static let vectors = [
        ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"),
        ("foob", "Zm9vYg==", "Zm9vYg"), ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
    ]

    @Test("The RFC 4648 §10 vectors encode and decode in both alphabets", arguments: vectors)
    func published(text: String, standard: String, urlSafe: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes) == standard)
        #expect(Base64.encodeURL(bytes) == urlSafe)
        #expect(Base64.decode(standard) == bytes)
        #expect(Base64.decodeURL(urlSafe) == bytes)
    }

    @Test("Each alphabet rejects the other's characters for 62 and 63")
    func alphabets() {
        let bytes: [UInt8] = [0xfb, 0xef, 0xff]
        #expect(Base64.encode(bytes) == "++//")
        #expect(Base64.encodeURL(bytes) == "--__")
        #expect(Base64.decode("--__") == nil)
        #expect(Base64.decodeURL("++//") == nil)
    }

    @Test("Encoding agrees with Foundation for every length up to 300", arguments: [UInt64(1), 2, 3])
    func foundation(seed: UInt64) {
        var state = seed
        for count in 0...300 {
            let bytes = (0..<count).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            let expected = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == expected, "seed \(seed), \(count) bytes")
            #expect(Base64.decode(expected) == bytes, "seed \(seed), \(count) bytes")
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes, "seed \(seed), \(count) bytes")
        }
    }

    @Test(
        "Only the canonical spelling decodes",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zg====", "Z", "Z===", "=", "==", "===", "====", "Zg==Zg==", "Z=g=", "=Zg=",
            " Zg==", "Zg== ", "Zg==\n", "Zm9v\r\nYg==", "\tZm9v", "Zm 9v", "Zh==", "Zm9=", "Zm9v=", "Zm9v====",
            "Zm9\u{0}", "Zm9é", "Zm-v", "Zm_v", "Zm.v",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(
        "Only the canonical URL-safe spelling decodes",
        arguments: [
            "Zg==", "Zg=", "Z", "Zh", "Zm9", "Zm9vY", " Zg", "Zg ", "Zg\n", "Zm+v", "Zm/v", "Zm.v", "Zmé",
        ])
    func refusedURL(text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test("Every two-character and three-character tail decodes only in its canonical spelling")
    func canonicalTails() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var pairs = 0
        var triples = 0
        for a in alphabet {
            for b in alphabet {
                if Base64.decodeURL(String([a, b])) != nil { pairs += 1 }
                for c in "AEIMQUYcgkosw048_Bf" where Base64.decodeURL(String([a, b, c])) != nil { triples += 1 }
            }
        }
        #expect(pairs == 256)
        // Of the last characters that are tried, only sixteen are valid: those whose two low bits are zero.
        #expect(triples == 64 * 64 * 16)
    }
}
