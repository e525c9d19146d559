import HTTPTypes
import Text

extension RequestHead {
    /// Reads a head that was written down after a server had accepted it: a request line, field lines and no empty line.
    ///
    /// It is held to the grammar, but to no limit, and it may lack a Host. All that a head tells of its body is worked out anew.
    /// Throws what is wrong with it.
    package init(recorded bytes: [UInt8]) throws(RemoteError) {
        typealias Parts = (line: RequestLine, fields: [FieldLine], framing: FramingFields)
        let parts = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) -> Parts in
            var line: RequestLine?
            var fields: [FieldLine] = []
            fields.reserveCapacity(12)
            var framing = FramingFields()
            var start = 0
            while let lineFeed = buffer.firstLineFeed(from: start) {
                precondition(lineFeed > start && buffer[lineFeed - 1] == .carriageReturn, "lines end with CRLF")
                let range = ByteRange(start, lineFeed - 1)
                if line == nil {
                    line = try RequestLine.parse(buffer, range)
                } else {
                    guard !range.isEmpty else { throw .fieldWithoutColon(Excerpt(buffer, range)) }
                    let field = try FieldLine.parse(buffer, range)
                    try framing.note(field, buffer)
                    fields.append(field)
                }
                start = lineFeed + 1
            }
            guard let line else { preconditionFailure("a head has a request line") }
            return (line, fields, framing)
        }
        let version = parts.line.version
        let chunked = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) in
            try parts.framing.checkTransferEncoding(version, buffer)
        }
        let hasBody = chunked || (parts.framing.contentLength ?? 0) > 0
        self.init(
            method: parts.line.method, target: RequestTarget(bytes: bytes, parts: parts.line.target), version: version,
            fields: FieldBlock(bytes: bytes, lines: parts.fields), contentLength: parts.framing.contentLength,
            isChunked: chunked, expectsContinue: parts.framing.expectsContinue && hasBody && version == .http11,
            wantsUpgrade: parts.framing.wantsUpgrade && version == .http11)
    }
}
