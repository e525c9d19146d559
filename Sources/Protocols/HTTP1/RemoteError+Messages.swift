import HTTPTypes
import Text

/// This module's messages: what arrived, what was expected, and how to fix it.
extension RemoteError {
    private typealias Status = HTTPResponse.Status

    private static func bad(_ source: String, _ message: String, _ status: Status = .badRequest) -> RemoteError {
        RemoteError(status: status, message: message, source: source)
    }
    private static func rfc9110(_ section: String, _ message: String, _ status: Status = .badRequest) -> RemoteError {
        bad("RFC 9110 §" + section, message, status)
    }
    private static func rfc9112(_ section: String, _ message: String, _ status: Status = .badRequest) -> RemoteError {
        bad("RFC 9112 §" + section, message, status)
    }

    private static let tokenCharacters = "letters, digits and !#$%&'*+-.^_`|~"
    private static func the(_ byte: UInt8) -> String { "The byte 0x" + byte.uppercaseHex }

    // MARK: Lines

    static func bareLineFeed(_ line: Excerpt) -> RemoteError {
        rfc9112("2.2", "A line ended with a bare LF: \(line). End every line of a message with CRLF.")
    }
    static func bareCarriageReturn(_ line: Excerpt) -> RemoteError {
        rfc9112(
            "2.2", "The line \(line) has a CR without a following LF. Send CR only before LF, at the end of a line.")
    }
    static func tooManyEmptyLines(_ limit: Int) -> RemoteError {
        rfc9112("2.2", "More than \(limit) empty lines arrived before a request line. Send none.")
    }
    static func truncated(_ place: String) -> RemoteError {
        rfc9112("8", "The stream ended \(place). Send the whole message before closing the connection.")
    }
    static let tlsOnPlainPort = rfc9112(
        "2.1",
        "A TLS handshake arrived, but this port speaks plain HTTP. Use http:// or ws:// in the URL, not "
            + "https:// or wss://.")
    static let http2Preface = bad(
        "RFC 9113 §3.4",
        "An HTTP/2 connection preface arrived, but this server speaks HTTP/1.1. Turn off HTTP/2 "
            + "with prior knowledge in the client.", .httpVersionNotSupported)
    static func tooMuchPipelined(_ limit: Int) -> RemoteError {
        rfc9112(
            "9.3.2",
            "More than \(limit) bytes of pipelined requests arrived. Wait for answers before sending more requests.")
    }

    // MARK: Start line

    static func malformedRequestLine(_ line: Excerpt) -> RemoteError {
        rfc9112("3", "The request line is \(line). Expected METHOD SP target SP HTTP/1.1, with single spaces.")
    }
    static func badMethod(_ byte: UInt8, _ line: Excerpt) -> RemoteError {
        rfc9110("9.1", "\(the(byte)) is not allowed in the method of \(line). A method consists of \(tokenCharacters).")
    }
    static func methodTooLong(_ limit: Int, _ line: Excerpt) -> RemoteError {
        rfc9112(
            "3", "The method \(line) has more than \(limit) bytes. Use a known method, such as GET or POST.",
            .notImplemented)
    }
    static func requestLineTooLong(_ limit: Int) -> RemoteError {
        rfc9112(
            "3", "The request line has more than \(limit) bytes. Shorten the target or send the data in a body.",
            .uriTooLong)
    }
    static func missingVersion(_ line: Excerpt) -> RemoteError {
        rfc9112("3", "The request line \(line) has no version, as in HTTP/0.9. End it with HTTP/1.1.")
    }
    static func malformedVersion(_ version: Excerpt) -> RemoteError {
        rfc9112("2.3", "The version is \(version). Expected HTTP/1.1 or HTTP/1.0, in capitals.")
    }
    static func unsupportedVersion(_ version: Excerpt) -> RemoteError {
        rfc9110(
            "15.6.6", "The version is \(version), but only HTTP/1.1 and HTTP/1.0 are supported. Use one of them.",
            .httpVersionNotSupported)
    }
    static func malformedStatusLine(_ line: Excerpt) -> RemoteError {
        rfc9112("4", "The status line is \(line). Expected HTTP/1.1 SP three digits SP reason.")
    }
    static func statusLineTooLong(_ limit: Int) -> RemoteError {
        rfc9112("4", "The status line has more than \(limit) bytes. Shorten the reason phrase.")
    }

    // MARK: Target

    static func badTargetByte(_ byte: UInt8, _ target: Excerpt) -> RemoteError {
        rfc9112(
            "3.2", "\(the(byte)) is not allowed in the target \(target). Percent-encode it as %\(byte.uppercaseHex).")
    }
    static func fragmentInTarget(_ target: Excerpt) -> RemoteError {
        rfc9112("3.2", "The target \(target) has a fragment. Remove the # and everything after it, or send %23.")
    }
    static func badConnectTarget(_ target: Excerpt) -> RemoteError {
        rfc9112("3.2.3", "The CONNECT target is \(target). Expected host:port.")
    }
    static func asteriskWithoutOptions(_ method: String) -> RemoteError {
        rfc9112("3.2.4", "The \(method) target is *, which only OPTIONS may use. Send a path that begins with /.")
    }
    static func badTargetForm(_ target: Excerpt) -> RemoteError {
        rfc9112(
            "3.2", "The target is \(target). Expected a path that begins with /, or a URL that begins with http://.")
    }
    static func badTargetAuthority(_ authority: Excerpt) -> RemoteError {
        rfc9110(
            "4.2.1",
            "The target names the host \(authority). Expected host or host:port, without a user name or password.")
    }
    static func badEscape(_ escape: Excerpt) -> RemoteError {
        bad(
            "RFC 3986 §2.1",
            "The path has the escape \(escape). Send % and two hexadecimal digits, or %25 for a % itself.")
    }
    static func escapedNUL(_ path: Excerpt) -> RemoteError {
        bad("RFC 3986 §7.3", "The path \(path) has %00. NUL is not allowed in a path; remove it.")
    }
    static func escapesNotUTF8(_ path: Excerpt) -> RemoteError {
        bad(
            "RFC 3986 §2.5",
            "The path \(path) is not UTF-8 once decoded. Encode text as UTF-8 before percent-encoding it.")
    }

    // MARK: Field lines

    static func foldedLine(_ line: Excerpt) -> RemoteError {
        rfc9112("5.2", "A header line begins with a space or tab: \(line). Send each field on one line.")
    }
    static func whitespaceBeforeColon(_ line: Excerpt) -> RemoteError {
        rfc9112("5.1", "There is whitespace before the colon in \(line). Send Name: value.")
    }
    static func emptyFieldName(_ line: Excerpt) -> RemoteError {
        rfc9112("5", "The header line \(line) has no name before its colon. Send Name: value.")
    }
    static func badFieldName(_ byte: UInt8, _ line: Excerpt) -> RemoteError {
        rfc9110(
            "5.1",
            "\(the(byte)) is not allowed in the name of the header line \(line). "
                + "A name consists of \(tokenCharacters).")
    }
    static func fieldWithoutColon(_ line: Excerpt) -> RemoteError {
        rfc9112(
            "5",
            "The header line \(line) has no colon. Send Name: value, and an empty line after the last header line.")
    }
    static func controlCharacterInValue(_ byte: UInt8, _ line: Excerpt) -> RemoteError {
        rfc9110(
            "5.5",
            "The control character 0x\(byte.uppercaseHex) is not allowed in the value of \(line). "
                + "Leave it out or encode it.")
    }
    static func headerBlockTooLarge(_ limit: Int) -> RemoteError {
        bad(
            "RFC 6585 §5", "The header lines and trailers have more than \(limit) bytes. Send fewer or shorter ones.",
            .requestHeaderFieldsTooLarge)
    }
    static func tooManyFields(_ limit: Int) -> RemoteError {
        bad(
            "RFC 6585 §5",
            "More than \(limit) header lines and trailers arrived. Send fewer.", .requestHeaderFieldsTooLarge)
    }
    static let missingHost = rfc9112(
        "3.2", "An HTTP/1.1 request arrived without a Host field. Send Host: with the authority of the URL.")
    static func severalHosts(_ value: Excerpt) -> RemoteError {
        rfc9112("3.2", "A second Host field arrived: \(value). Send exactly one.")
    }
    static func badHost(_ value: Excerpt) -> RemoteError {
        rfc9112("3.2", "The Host field is \(value). Expected host or host:port, such as localhost:8080.")
    }
    static func unknownExpectation(_ value: Excerpt) -> RemoteError {
        rfc9110(
            "10.1.1",
            "The expectation \(value) arrived. The only one that can be met is 100-continue.", .expectationFailed)
    }

    // MARK: Framing

    static func badContentLength(_ value: Excerpt) -> RemoteError {
        rfc9110("8.6", "Content-Length is \(value). Expected the number of bytes in decimal digits.")
    }
    static func differingContentLengths(_ earlier: Int, _ value: Excerpt) -> RemoteError {
        rfc9112("6.3", "Content-Length is \(earlier) and then \(value). Send one Content-Length.")
    }
    static let lengthWithTransferEncoding = rfc9112(
        "6.3", "Both Content-Length and Transfer-Encoding arrived. Send only one of them.")
    static let transferEncodingInHTTP10 = rfc9112(
        "6.1", "Transfer-Encoding is not supported in HTTP/1.0. Use HTTP/1.1 or Content-Length.")
    static let emptyTransferEncoding = rfc9112(
        "6.1", "Transfer-Encoding is empty. Send Transfer-Encoding: chunked, or a Content-Length instead.")
    static let chunkedTwice = rfc9112(
        "6.1", "Transfer-Encoding lists chunked more than once. List it once, at the end.")
    static let chunkedNotLast = rfc9112(
        "6.3", "Transfer-Encoding does not end with chunked, so the end of the body is unknown. Put chunked last.")
    static func unknownTransferCoding(_ coding: Excerpt) -> RemoteError {
        rfc9112(
            "6.1",
            "The transfer coding \(coding) is not supported. Send Transfer-Encoding: chunked or a "
                + "Content-Length.", .notImplemented)
    }
    static func bodyTooLarge(announced: Int, _ limit: Int) -> RemoteError {
        let size = announced == .max ? "An oversized Content-Length" : "Content-Length: \(announced)"
        return rfc9110(
            "15.5.14", "\(size) arrived, but a body may have at most \(limit) bytes. Send less.", .contentTooLarge)
    }
    static func bodyTooLarge(_ limit: Int) -> RemoteError {
        rfc9110("15.5.14", "The body has more than \(limit) bytes. Send less.", .contentTooLarge)
    }
    static func chunkLineTooLong(_ limit: Int) -> RemoteError {
        rfc9112("7.1.1", "A chunk-size line has more than \(limit) bytes. Send it without extensions.")
    }
    static func badChunkSize(_ line: Excerpt) -> RemoteError {
        rfc9112("7.1", "The chunk-size line is \(line). Expected only the number of bytes in hexadecimal digits.")
    }
    static func chunkSizeTooLong(_ line: Excerpt) -> RemoteError {
        rfc9112("7.1", "The chunk size \(line) has more than 16 digits. Send smaller chunks, without leading zeros.")
    }
    static func badChunkExtension(_ byte: UInt8, _ line: Excerpt) -> RemoteError {
        rfc9112(
            "7.1.1",
            "The control character 0x\(byte.uppercaseHex) is not allowed in the chunk extension of \(line). Leave "
                + "extensions out.")
    }
    static func chunkWithoutLineEnd(_ byte: UInt8) -> RemoteError {
        rfc9112(
            "7.1",
            "A chunk's data was followed by the byte 0x\(byte.uppercaseHex). Expected CRLF: check that "
                + "the chunk size is in bytes.")
    }

    // MARK: Responses

    /// Names only the first byte: the number of received bytes depends on timing.
    static func unexpectedResponse(_ byte: UInt8) -> RemoteError {
        rfc9112("9.2", "\(the(byte)) arrived when no request was waiting for an answer. Answer each request once.")
    }
    static let unexpectedSwitch = rfc9110(
        "15.2.2", "The server sent 101 to a request that did not propose a different protocol. Answer it in HTTP.")
}
