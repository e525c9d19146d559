import HTTPTypes
import Testing

@testable import HTTP1

/// Each buffer ends with the line, so reading past it traps in a debug build.
@Suite("Lines")
struct LineTests {
    static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func excerpt(_ text: String) -> Excerpt { Array(text.utf8).withUnsafeBufferPointer { Excerpt($0) } }

    /// The parser's error, or nil if the parser accepts the line.
    private func refusal<T>(
        of line: String, by parse: (Bytes, ByteRange) throws(RemoteError) -> T
    ) -> RemoteError? {
        Array(line.utf8).withUnsafeBufferPointer { bytes -> RemoteError? in
            do throws(RemoteError) {
                _ = try parse(bytes, ByteRange(0, bytes.count))
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(
        "A chunk-size line has up to sixteen digits and may have extensions",
        arguments: [
            ("0", 0), ("5", 5), ("1f", 31), ("0000000000000001", 1), ("00000000000000001", nil),
            ("7FFFFFFFFFFFFFFF", Int.max), ("FFFFFFFFFFFFFFFF", Int.max), ("5;", 5), ("a;x", 10), ("a ;x", 10),
            ("a \t ;x=y", 10), ("", nil), (";x", nil), ("5 ", nil), ("5 x", nil), ("5x", nil), (" 5", nil),
        ] as [(String, Int?)])
    func chunkSize(line: String, size: Int?) {
        let found = Array(line.utf8).withUnsafeBufferPointer { try? ChunkSize.parse($0, ByteRange(0, $0.count)) }
        #expect(found == size)
    }

    @Test("The error for a header line without a colon mentions the colon", arguments: ["Host", "Host ", "a b"])
    func fieldWithoutColon(line: String) {
        #expect(refusal(of: line, by: FieldLine.parse) == RemoteError.fieldWithoutColon(excerpt(line)))
    }

    @Test("The error for a truncated request line names the missing part")
    func shortRequestLine() {
        for line in ["", "GET", "GET ", " "] {
            let expected = RemoteError.malformedRequestLine(excerpt(line))
            #expect(refusal(of: line, by: RequestLine.parse) == expected, "\(line)")
        }
        #expect(refusal(of: "GET /", by: RequestLine.parse) == RemoteError.missingVersion(excerpt("GET /")))
    }

    @Test(
        "A status line has a code and any reason",
        arguments: [
            ("HTTP/1.1 404 Not Found", 404, "Not Found"), ("HTTP/1.1 200 O", 200, "O"), ("HTTP/1.0 299 ", 299, ""),
            ("HTTP/1.1 204", 204, ""),
        ])
    func statusLine(line: String, code: Int, reason: String) throws {
        let parsed = try Array(line.utf8).withUnsafeBufferPointer { try StatusLine.parse($0, ByteRange(0, $0.count)) }
        #expect(parsed.status.code == code && parsed.status.reasonPhrase == reason)
    }

    @Test(
        "A bare LF is rejected at the start of any line",
        arguments: ["\n", "GET / HTTP/1.1\r\n\n", chunked + "\n", chunked + "0\r\n\n"])
    func lineFeedAlone(text: String) {
        #expect(Transcript.of(whole: Array(text.utf8)).error == RemoteError.bareLineFeed(excerpt("\n")))
    }
}
