import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP1

@Suite("Messages")
struct MessageTests {
    private static func excerpt(_ text: String) -> Excerpt { Array(text.utf8).withUnsafeBufferPointer { Excerpt($0) } }
    private static let some = excerpt("X: a\r")

    static let all: [(RemoteError, Int, String)] = [
        (.bareLineFeed(some), 400, "A line ended with a bare LF: \"X: a\\r\". End every line of a message with CRLF."),
        (
            .bareCarriageReturn(some), 400,
            "The line \"X: a\\r\" has a CR without a following LF. Send CR only before LF, at the end of a line."
        ),
        (.tooManyEmptyLines(7), 400, "More than 7 empty lines arrived before a request line. Send none."),
        (
            .truncated("in the middle of a body"), 400,
            "The stream ended in the middle of a body. Send the whole message before closing the connection."
        ),
        (
            .tlsOnPlainPort, 400,
            "A TLS handshake arrived, but this port speaks plain HTTP. Use http:// or ws:// in the URL, "
                + "not https:// or wss://."
        ),
        (
            .http2Preface, 505,
            "An HTTP/2 connection preface arrived, but this server speaks HTTP/1.1. Turn off HTTP/2 with "
                + "prior knowledge in the client."
        ),
        (
            .tooMuchPipelined(7), 400,
            "More than 7 bytes of pipelined requests arrived. Wait for answers before sending more requests."
        ),
        (
            .malformedRequestLine(some), 400,
            "The request line is \"X: a\\r\". Expected METHOD SP target SP HTTP/1.1, with single spaces."
        ),
        (
            .badMethod(0x1B, some), 400,
            "The byte 0x1B is not allowed in the method of \"X: a\\r\". A method consists of letters, digits and "
                + "!#$%&'*+-.^_`|~."
        ),
        (
            .methodTooLong(7, some), 501,
            "The method \"X: a\\r\" has more than 7 bytes. Use a known method, such as GET or POST."
        ),
        (
            .requestLineTooLong(7), 414,
            "The request line has more than 7 bytes. Shorten the target or send the data in a body."
        ),
        (
            .missingVersion(some), 400,
            "The request line \"X: a\\r\" has no version, as in HTTP/0.9. End it with HTTP/1.1."
        ),
        (.malformedVersion(some), 400, "The version is \"X: a\\r\". Expected HTTP/1.1 or HTTP/1.0, in capitals."),
        (
            .unsupportedVersion(some), 505,
            "The version is \"X: a\\r\", but only HTTP/1.1 and HTTP/1.0 are supported. Use one of them."
        ),
        (
            .malformedStatusLine(some), 400,
            "The status line is \"X: a\\r\". Expected HTTP/1.1 SP three digits SP reason."
        ),
        (.statusLineTooLong(7), 400, "The status line has more than 7 bytes. Shorten the reason phrase."),
        (
            .badTargetByte(0x1B, some), 400,
            "The byte 0x1B is not allowed in the target \"X: a\\r\". Percent-encode it as %1B."
        ),
        (
            .fragmentInTarget(some), 400,
            "The target \"X: a\\r\" has a fragment. Remove the # and everything after it, or send %23."
        ),
        (.badConnectTarget(some), 400, "The CONNECT target is \"X: a\\r\". Expected host:port."),
        (
            .asteriskWithoutOptions("GET"), 400,
            "The GET target is *, which only OPTIONS may use. Send a path that begins with /."
        ),
        (
            .badTargetForm(some), 400,
            "The target is \"X: a\\r\". Expected a path that begins with /, or a URL that begins with "
                + "http://."
        ),
        (
            .badTargetAuthority(some), 400,
            "The target names the host \"X: a\\r\". Expected host or host:port, without a user name or "
                + "password."
        ),
        (
            .badEscape(some), 400,
            "The path has the escape \"X: a\\r\". Send % and two hexadecimal digits, or %25 for a % "
                + "itself."
        ),
        (.escapedNUL(some), 400, "The path \"X: a\\r\" has %00. NUL is not allowed in a path; remove it."),
        (
            .escapesNotUTF8(some), 400,
            "The path \"X: a\\r\" is not UTF-8 once decoded. Encode text as UTF-8 before "
                + "percent-encoding it."
        ),
        (.foldedLine(some), 400, "A header line begins with a space or tab: \"X: a\\r\". Send each field on one line."),
        (.whitespaceBeforeColon(some), 400, "There is whitespace before the colon in \"X: a\\r\". Send Name: value."),
        (.emptyFieldName(some), 400, "The header line \"X: a\\r\" has no name before its colon. Send Name: value."),
        (
            .badFieldName(0x1B, some), 400,
            "The byte 0x1B is not allowed in the name of the header line \"X: a\\r\". A name consists of letters, "
                + "digits and !#$%&'*+-.^_`|~."
        ),
        (
            .fieldWithoutColon(some), 400,
            "The header line \"X: a\\r\" has no colon. Send Name: value, and an empty line after the last "
                + "header line."
        ),
        (
            .controlCharacterInValue(0x1B, some), 400,
            "The control character 0x1B is not allowed in the value of \"X: a\\r\". Leave it out or encode it."
        ),
        (
            .headerBlockTooLarge(7), 431,
            "The header lines and trailers have more than 7 bytes. Send fewer or shorter ones."
        ),
        (.tooManyFields(7), 431, "More than 7 header lines and trailers arrived. Send fewer."),
        (
            .missingHost, 400,
            "An HTTP/1.1 request arrived without a Host field. Send Host: with the authority of the URL."
        ),
        (.severalHosts(some), 400, "A second Host field arrived: \"X: a\\r\". Send exactly one."),
        (.badHost(some), 400, "The Host field is \"X: a\\r\". Expected host or host:port, such as localhost:8080."),
        (
            .unknownExpectation(some), 417,
            "The expectation \"X: a\\r\" arrived. The only one that can be met is 100-continue."
        ),
        (
            .badContentLength(some), 400,
            "Content-Length is \"X: a\\r\". Expected the number of bytes in decimal digits."
        ),
        (.differingContentLengths(7, some), 400, "Content-Length is 7 and then \"X: a\\r\". Send one Content-Length."),
        (.lengthWithTransferEncoding, 400, "Both Content-Length and Transfer-Encoding arrived. Send only one of them."),
        (
            .transferEncodingInHTTP10, 400,
            "Transfer-Encoding is not supported in HTTP/1.0. Use HTTP/1.1 or Content-Length."
        ),
        (
            .emptyTransferEncoding, 400,
            "Transfer-Encoding is empty. Send Transfer-Encoding: chunked, or a Content-Length instead."
        ),
        (.chunkedTwice, 400, "Transfer-Encoding lists chunked more than once. List it once, at the end."),
        (
            .chunkedNotLast, 400,
            "Transfer-Encoding does not end with chunked, so the end of the body is unknown. Put chunked last."
        ),
        (
            .unknownTransferCoding(some), 501,
            "The transfer coding \"X: a\\r\" is not supported. Send Transfer-Encoding: chunked or a "
                + "Content-Length."
        ),
        (
            .bodyTooLarge(announced: 7, 7), 413,
            "Content-Length: 7 arrived, but a body may have at most 7 bytes. Send less."
        ),
        (.bodyTooLarge(7), 413, "The body has more than 7 bytes. Send less."),
        (.chunkLineTooLong(7), 400, "A chunk-size line has more than 7 bytes. Send it without extensions."),
        (
            .badChunkSize(some), 400,
            "The chunk-size line is \"X: a\\r\". Expected only the number of bytes in hexadecimal digits."
        ),
        (
            .chunkSizeTooLong(some), 400,
            "The chunk size \"X: a\\r\" has more than 16 digits. Send smaller chunks, without leading "
                + "zeros."
        ),
        (
            .badChunkExtension(0x1B, some), 400,
            "The control character 0x1B is not allowed in the chunk extension of \"X: a\\r\". Leave extensions out."
        ),
        (
            .chunkWithoutLineEnd(0x1B), 400,
            "A chunk's data was followed by the byte 0x1B. Expected CRLF: check that the chunk size "
                + "is in bytes."
        ),
        (
            .unexpectedResponse(0x1B), 400,
            "The byte 0x1B arrived when no request was waiting for an answer. Answer each request once."
        ),
        (
            .unexpectedSwitch, 400,
            "The server sent 101 to a request that did not propose a different protocol. Answer it in HTTP."
        ),
        (
            .bodyTooLarge(announced: .max, 7), 413,
            "An oversized Content-Length arrived, but a body may have at most 7 bytes. Send less."
        ),
    ]

    @Test("An error message says what arrived, what was expected and what to do", arguments: all)
    func table(error: RemoteError, status: Int, text: String) {
        #expect(error.status.code == status)
        #expect(error.message == text)
    }

    @Test("Each message is a complete sentence with a source", arguments: all.map(\.0))
    func form(error: RemoteError) {
        #expect(error.message.hasSuffix("."))
        #expect(error.message.first?.isUppercase == true)
        #expect(error.source.hasPrefix("RFC "))
        #expect(error.source.contains(" §"))
        #expect(error.description == "\(error.status.code) \(error.message) (\(error.source))")
    }

    @Test("The table of error messages contains every message")
    func complete() throws {
        #expect(Set(Self.all.map(\.0.message)).count == Self.all.count)
        // Count the messages in the source, so that none can be added without a row; one message has two wordings.
        let source = try textOfPackage("Sources/Protocols/HTTP1/RemoteError+Messages.swift")
        let count = ["func", "let"].map { source.components(separatedBy: "\n    static \($0) ").count - 1 }.reduce(0, +)
        #expect(Self.all.count == count + 1)
    }

    @Test("An error message quotes its input in a short and printable form")
    func excerpts() {
        #expect(Self.excerpt("").description == "\"\"")
        #expect(Self.excerpt("a\"\\\r\n\t\u{1b}é").description == #""a\"\\\r\n\t\x1B\xC3\xA9""#)
        #expect(Self.excerpt(String(repeating: "a", count: 40)).description.count == 42)
        #expect(
            Self.excerpt(String(repeating: "a", count: 41)).description == "\"\(String(repeating: "a", count: 40))…\"")
    }
}
