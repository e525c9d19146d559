import FitIQAPI
import Testing

@testable import Traffic

@Suite("Redaction of forms with parts")
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

    @Test("The content of a part with a secret's name is one secret; the other parts are texts, or known secrets only")
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

    @Test("A form that is cut anywhere keeps none of a secret")
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

    @Test("Lines may end with a line feed alone; what has no boundary is text")
    func lenient() {
        let body = "--x y\nContent-Disposition: form-data; name=token\n\nabc\n--x y--\n"
        #expect(
            Self.redacted(Array(body.utf8))?.bytes
                == Array(body.replacing("abc", with: "redacted-token-1").utf8))
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=z"] {
            #expect(Self.redacted(Array(body.utf8), type: type)?.bytes == Array(body.utf8))
        }
    }
}
