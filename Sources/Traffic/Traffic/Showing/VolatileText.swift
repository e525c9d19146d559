import JSON
import Text

/// Text without the values of ``ValueScanner``, which differ between equal runs.
package enum VolatileText {
    /// The text with `{id}`, `{time}`, `{date}`, `{email}` and `{origin}` in place of such values, in linear time.
    ///
    /// A `{` of the text is doubled, so that it begins no such mark.
    package static func normalised(_ text: String, origins: Origins = Origins()) -> ExactString {
        var text = text
        return text.withUTF8 { bytes in
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count)
            func append(_ range: Range<Int>) {
                for byte in bytes[range] {
                    output.append(byte)
                    if byte == .leftBrace { output.append(byte) }
                }
            }
            var scanner = ValueScanner(bytes, origins: origins)
            var start = 0
            while let found = scanner.next() {
                append(start..<found.range.lowerBound)
                output += "{\(found.kind)}".utf8
                start = found.range.upperBound
            }
            append(start..<bytes.count)
            return ExactString(String(decoding: output, as: UTF8.self))
        }
    }
}
