import Text

/// Writing strings: what must be escaped is, and nothing else.
enum Escape {
    /// RFC 8259, section 7: "the characters that MUST be escaped: quotation mark, reverse solidus, and the control
    /// characters (U+0000 through U+001F)".
    static func isNeeded(_ byte: UInt8) -> Bool { byte < 0x20 || byte == .quote || byte == .backslash }

    /// Appends a string in double quotes.
    static func append(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { append($0, to: &output) }
    }

    /// Appends valid UTF-8 in double quotes: what stands between escapes is copied at once.
    static func append(_ utf8: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(.quote)
        var run = 0
        for index in 0..<utf8.count where isNeeded(utf8[index]) {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<index]))
            append(escaped: utf8[index], to: &output)
            run = index + 1
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<utf8.count]))
        output.append(.quote)
    }

    private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
        output.append(.backslash)
        switch byte {
        case .quote, .backslash: output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case .lineFeed: output.append(UInt8(ascii: "n"))
        case .carriageReturn: output.append(UInt8(ascii: "r"))
        case .tab: output.append(UInt8(ascii: "t"))
        default:
            output.append(contentsOf: [UInt8(ascii: "u"), .digitZero, .digitZero, .digitZero + byte >> 4])
            output.append((byte & 0x0F).lowercaseHexDigit)
        }
    }

    /// The escape of one byte, for messages.
    static func text(of byte: UInt8) -> String {
        var output: [UInt8] = []
        append(escaped: byte, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
