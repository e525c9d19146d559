import HTTPTypes
import Text

/// The first line of a request.
///
/// request-line = method SP request-target SP HTTP-version (RFC 9112 §3)
struct RequestLine: Sendable {
    var method: HTTPRequest.Method
    var target: RequestTarget.Parts
    var version: Version

    /// Parses a line that has lost its CRLF.
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> RequestLine {
        // The fixed opening of an HTTP/2 connection with prior knowledge (RFC 9113 §3.4).
        if bytes.equals(line, "PRI * HTTP/2.0") { throw .http2Preface() }

        var index = line.lower
        while index < line.upper, bytes[index].isTokenCharacter { index += 1 }
        let method = ByteRange(line.lower, index)
        if index < line.upper, bytes[index] != .space { throw .badMethod(bytes[index], Excerpt(bytes, line)) }
        guard !method.isEmpty, index < line.upper else { throw .malformedRequestLine(Excerpt(bytes, line)) }

        let targetStart = index + 1
        index = targetStart
        while index < line.upper, bytes[index] != .space { index += 1 }
        let target = ByteRange(targetStart, index)
        guard !target.isEmpty else { throw .malformedRequestLine(Excerpt(bytes, line)) }
        // Simple-Request = "GET" SP Request-URI: how HTTP/0.9 asked (RFC 1945 §4.1).
        guard index < line.upper else { throw .missingVersion(Excerpt(bytes, line)) }

        let version = try Version.parse(bytes, ByteRange(index + 1, line.upper))
        let name = Self.method(bytes, method)
        return RequestLine(method: name, target: try .parse(bytes, target, name), version: version)
    }

    /// Refuses a method name that is too long while the line may still be arriving.
    ///
    /// `end` is the end of what has arrived of the line, without a CR that may be half of its line end.
    static func checkMethodLength(_ bytes: Bytes, _ start: Int, _ end: Int, _ limits: Limits) throws(RemoteError) {
        let stop = start + limits.methodName + 1
        guard end >= stop else { return }
        for index in start..<stop where !bytes[index].isTokenCharacter {
            if bytes[index] == .space { return }
            throw .badMethod(bytes[index], Excerpt(bytes, ByteRange(start, stop)))
        }
        throw .methodTooLong(limits.methodName, Excerpt(bytes, ByteRange(start, stop)))
    }

    /// The well-known methods without building a string.
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
