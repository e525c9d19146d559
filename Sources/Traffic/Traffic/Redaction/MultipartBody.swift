import Text

/// A body of parts between boundaries, which may be cut anywhere: `multipart/form-data`, RFC 7578 and RFC 2046 §5.1.1.
struct MultipartBody {
    let bytes: [UInt8]
    /// A line end, two hyphens and the boundary.
    private let delimiter: [UInt8]

    /// Nil if the media type is another one or lacks a boundary.
    init?(_ bytes: [UInt8], type: String) {
        guard type.lowercased().utf8.starts(with: "multipart/".utf8),
            let boundary = Self.parameter("boundary", of: Array(type.utf8)[...]), !boundary.isEmpty
        else { return nil }
        self.bytes = bytes
        delimiter = [.lineFeed, .minus, .minus] + boundary
    }

    /// Calls `body` with the decoded name and the content of each part, in linear time.
    func forEachPart(_ body: (_ name: [UInt8], _ content: Range<Int>) -> Void) {
        // The first delimiter may be at the beginning, without the line end.
        var start = bytes.starts(with: delimiter.dropFirst()) ? delimiter.count - 1 : endOfDelimiter(from: 0)
        while let partStart = start {
            let next = endOfDelimiter(from: partStart)
            var end = next.map { $0 - delimiter.count } ?? bytes.count
            if next != nil, end > partStart, bytes[end - 1] == .carriageReturn { end -= 1 }
            if let content = endOfHead(in: partStart..<end) {
                body(name(in: bytes[partStart..<content]), content..<end)
            }
            start = next
        }
    }

    private func endOfDelimiter(from start: Int) -> Int? {
        // A boundary has no line feed, so few bytes are compared twice.
        var index = start
        while let line = bytes[index...].firstIndex(of: .lineFeed) {
            if bytes[line...].starts(with: delimiter) { return line + delimiter.count }
            index = line + 1
        }
        return nil
    }

    /// The index after the empty line; a line ends with a line feed, and a carriage return before it.
    private func endOfHead(in part: Range<Int>) -> Int? {
        var lineStart = part.lowerBound
        var isFirst = true
        while let line = bytes[lineStart..<part.upperBound].firstIndex(of: .lineFeed) {
            // The first line is what is left of the boundary's.
            if !isFirst, bytes[lineStart..<line].allSatisfy({ $0 == .carriageReturn }) { return line + 1 }
            (isFirst, lineStart) = (false, line + 1)
        }
        return nil
    }

    /// The name of a part, RFC 7578 §4.2; browsers write a quotation mark in it as `%22`.
    private func name(in head: ArraySlice<UInt8>) -> [UInt8] {
        let field = "content-disposition:"
        let line = head.split(separator: .lineFeed).first {
            $0.prefix(field.utf8.count).map(\.lowercased).elementsEqual(field.utf8)
        }
        let name = line.flatMap { Self.parameter("name", of: $0) } ?? []
        return name.withUnsafeBufferPointer { PercentCoding.decoded($0, plusIsSpace: false) }
    }

    /// The value of a parameter without its quotation marks, RFC 9110 §5.6.6.
    private static func parameter(_ name: String, of value: ArraySlice<UInt8>) -> [UInt8]? {
        for piece in value.split(separator: .semicolon).dropFirst() {
            let parts = piece.split(separator: .equals, maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]).map(\.lowercased).elementsEqual(name.utf8) else { continue }
            return trimmed(parts[1]).filter { $0 != .quote }
        }
        return nil
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.drop { $0 <= .space }
        return start[..<(start.lastIndex { $0 > .space }.map { $0 + 1 } ?? start.startIndex)]
    }
}
