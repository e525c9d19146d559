import Text

/// The complete part of a file that ends in the middle, or in zeros.
///
/// One pass over the bytes counts brackets outside of strings to find where each entry ended.
struct TornHAR {
    /// JSON text of the complete entries.
    var bytes: [UInt8]
    var entries: Int

    /// Nil if the text does not end in the middle or in zeros but is wrong elsewhere, or has not begun an object "log".
    ///
    /// - Parameter offset: where the text fails as JSON.
    static func wholePart(of bytes: [UInt8], failingAt offset: Int) -> TornHAR? {
        guard CutToken.isCut(bytes, at: offset) else { return nil }
        var scan = Scan()
        for (index, byte) in bytes.enumerated() {
            scan.take(byte, at: index)
            if scan.isHopeless { return nil }
        }
        guard scan.isOpen else {
            // A system crash may leave the old text whole, and zeros where the next entry was to go.
            let isWhole = scan.place == .afterEntries && bytes[offset...].allSatisfy { $0 == 0 }
            return isWhole ? TornHAR(bytes: Array(bytes[..<offset]), entries: scan.entries) : nil
        }
        guard scan.place != .outside else {
            guard scan.isInLog else { return nil }
            return TornHAR(bytes: Array(#"{"log":{"entries":[]}}"#.utf8), entries: 0)
        }
        let brackets = scan.place == .afterEntries ? "}}" : "]}}"
        return TornHAR(bytes: bytes[..<scan.wholeEnd] + Array(brackets.utf8), entries: scan.entries)
    }

    private struct Scan {
        enum Place { case outside, inEntries, afterEntries }

        var place = Place.outside
        /// The end of the last complete entry, of the bracket before the first, or of the one after the last.
        var wholeEnd = 0
        var entries = 0
        /// Whether the text is not an object, or contains an entry that is not one.
        var isHopeless = false
        /// Whether the object "log" has begun, and no other member after it.
        private(set) var isInLog = false

        private var depth = 0
        private var isInString = false
        private var isEscaped = false
        /// The beginning of the last string at depth 1 or 2, up to the length of the names that matter.
        private var name: [UInt8] = []

        var isOpen: Bool { depth > 0 }

        mutating func take(_ byte: UInt8, at index: Int) {
            if isInString { return takeInString(byte) }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                name.removeAll(keepingCapacity: true)
            case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte, at: index)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): close(at: index)
            default: break
            }
        }

        private mutating func takeInString(_ byte: UInt8) {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return
            }
            if depth <= 2, name.count < 16 { name.append(byte) }
        }

        private func isNamed(_ text: StaticString) -> Bool { text.withUTF8Buffer { name.elementsEqual($0) } }

        private mutating func open(_ byte: UInt8, at index: Int) {
            depth += 1
            let isObject = byte == UInt8(ascii: "{")
            switch depth {
            case 1: isHopeless = !isObject
            case 2: isInLog = isObject && isNamed("log")
            case 4 where place == .inEntries: isHopeless = !isObject
            case 3 where isInLog && place == .outside && !isObject && isNamed("entries"):
                place = .inEntries
                wholeEnd = index + 1
            default: break
            }
        }

        private mutating func close(at index: Int) {
            depth -= 1
            guard place == .inEntries else { return }
            if depth == 3 {
                wholeEnd = index + 1
                entries += 1
            } else if depth == 2 {
                wholeEnd = index + 1
                place = .afterEntries
            }
        }
    }
}

/// A text that ends in the middle: it fails at its end, or at a token that the end truncates.
enum CutToken {
    /// Whether a text that fails as JSON at an offset may continue after its end.
    ///
    /// A page of zeros at the end is left by a system crash and is not part of the text.
    static func isCut(_ bytes: some BidirectionalCollection<UInt8>, at offset: Int) -> Bool {
        let count = bytes.count - bytes.reversed().prefix { $0 == 0 }.count
        let start = bytes.index(bytes.startIndex, offsetBy: min(offset, count))
        let token = Array(bytes[start...].prefix(count - min(offset, count)))
        guard let first = token.first else { return true }
        return first < 0x80 ? isCutWord(token, after: bytes[..<start]) : UTF8Sequence.isTorn(token)
    }

    /// `tru`, where a value may be; all other JSON tokens fail at their end.
    private static func isCutWord(_ token: [UInt8], after text: some BidirectionalCollection<UInt8>) -> Bool {
        let before = text.last { !$0.isJSONWhitespace }
        guard let before, ":,[".utf8.contains(before) else { return false }
        return ["true", "false", "null"].contains { $0.utf8.count > token.count && $0.utf8.starts(with: token) }
    }
}
