import HTTPTypes
import Text

/// The first line of a response.
///
/// status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 §4)
struct StatusLine: Sendable {
    var status: HTTPResponse.Status
    var version: Version

    /// Parses a line that has lost its CRLF; the space before an absent reason phrase may be absent too.
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
