import HTTPTypes
import Text

/// The first line of a request.
///
/// request-line = method SP request-target SP HTTP-version (RFC 9112 §3)
struct RequestLine: Sendable {
    var method: HTTPRequest.Method
    var target: RequestTarget.Parts
    var version: Version

    /// Parses a line without its CRLF.
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> RequestLine {
        // The HTTP/2 preface, sent by clients with prior knowledge (RFC 9113 §3.4).
        if bytes.equals(line, "PRI * HTTP/2.0") { throw .http2Preface }

        var index = line.lower
        while index < line.upper, bytes[index].isTokenCharacter { index += 1 }
        let method = ByteRange(line.lower, index)
        if index < line.upper, bytes[index] != .space { throw .badMethod(bytes[index], Excerpt(bytes, line)) }
        guard !method.isEmpty, index < line.upper else { throw .malformedRequestLine(Excerpt(bytes, line)) }

        let targetStart = index + 1
        index = min(bytes.first(.space, from: targetStart) ?? line.upper, line.upper)
        let target = ByteRange(targetStart, index)
        guard !target.isEmpty else { throw .malformedRequestLine(Excerpt(bytes, line)) }
        // Simple-Request = "GET" SP Request-URI: an HTTP/0.9 request (RFC 1945 §4.1).
        guard index < line.upper else { throw .missingVersion(Excerpt(bytes, line)) }

        let version = try Version.parse(bytes, ByteRange(index + 1, line.upper))
        let name = Self.method(bytes, method)
        return RequestLine(method: name, target: try .parse(bytes, target, name), version: version)
    }

    /// Rejects a method name that is too long, even while the line may still be arriving.
    ///
    /// The received part of the line ends at `end`, without a final CR.
    static func checkMethodLength(_ bytes: Bytes, _ start: Int, _ end: Int, _ limits: Limits) throws(RemoteError) {
        let stop = start + limits.methodName + 1
        guard end >= stop else { return }
        for index in start..<stop where !bytes[index].isTokenCharacter {
            if bytes[index] == .space { return }
            throw .badMethod(bytes[index], Excerpt(bytes, ByteRange(start, stop)))
        }
        throw .methodTooLong(limits.methodName, Excerpt(bytes, ByteRange(start, stop)))
    }

    /// Returns well-known methods without creating a string.
    private static func method(_ bytes: Bytes, _ range: ByteRange) -> HTTPRequest.Method {
        switch bytes[range.lower] {
        case UInt8(ascii: "G") where bytes.equals(range, "GET"): return .get
        case UInt8(ascii: "H") where bytes.equals(range, "HEAD"): return .head
        case UInt8(ascii: "P") where bytes.equals(range, "POST"): return .post
        case UInt8(ascii: "P") where bytes.equals(range, "PUT"): return .put
        case UInt8(ascii: "P") where bytes.equals(range, "PATCH"): return .patch
        case UInt8(ascii: "D") where bytes.equals(range, "DELETE"): return .delete
        case UInt8(ascii: "O") where bytes.equals(range, "OPTIONS"): return .options
        default:
            guard let method = HTTPRequest.Method(rawValue: String(decoding: bytes[range], as: UTF8.self)) else {
                preconditionFailure("a token was refused as a method name")
            }
            return method
        }
    }
}

/// The first line of a response.
///
/// status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 §4)
struct StatusLine: Sendable {
    var status: HTTPResponse.Status
    var version: Version

    /// Parses a line without its CRLF; the space before a missing reason phrase is optional.
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> StatusLine {
        let start = line.lower
        let versionEnd = min(start + Version.length, line.upper)
        let version = try Version.parse(bytes, ByteRange(start, versionEnd))
        // status-code = 3DIGIT
        let code = versionEnd + 1
        guard code + 3 <= line.upper, bytes[versionEnd] == .space,
            bytes[code].isDigit, bytes[code + 1].isDigit, bytes[code + 2].isDigit, bytes[code] != UInt8(ascii: "0"),
            code + 3 == line.upper || bytes[code + 3] == .space
        else { throw .malformedStatusLine(Excerpt(bytes, line)) }
        let number = bytes[code..<code + 3].reduce(0) { $0 * 10 + Int($1 &- 0x30) }
        // reason-phrase = 1*( HTAB / SP / VCHAR / obs-text )
        let reason = ByteRange(min(code + 4, line.upper), line.upper)
        for index in reason.lower..<reason.upper where !bytes[index].isFieldValueCharacter {
            throw .malformedStatusLine(Excerpt(bytes, line))
        }
        return StatusLine(
            status: HTTPResponse.Status(code: number, reasonPhrase: String(decoding: bytes[reason], as: UTF8.self)),
            version: version)
    }
}

/// An HTTP version that this module supports (RFC 9112 §2.3).
///
/// Any `HTTP/1.x` with x > 0 counts as ``http11``, because minor versions stay compatible (RFC 9110 §2.5).
public enum Version: Sendable, Hashable {
    case http10, http11

    // HTTP-name "/" DIGIT "." DIGIT, case-sensitive (RFC 9112 §2.3).
    static let length = 8

    static func parse(_ bytes: Bytes, _ range: ByteRange) throws(RemoteError) -> Version {
        let start = range.lower
        guard range.count == length, bytes.equals(ByteRange(start, start + 5), "HTTP/"),
            bytes[start + 5].isDigit, bytes[start + 6] == .dot, bytes[start + 7].isDigit
        else { throw .malformedVersion(Excerpt(bytes, range)) }
        guard bytes[start + 5] == UInt8(ascii: "1") else { throw .unsupportedVersion(Excerpt(bytes, range)) }
        return bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
    }
}
