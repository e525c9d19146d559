/// A single pass over a text that replaces its secrets.
///
/// It works on bytes and needs no well-formed document: a torn one, several in a row, or one within a string of another
/// are all read alike, and everything else is unchanged to the byte. It takes linear time.
struct TextScan {
    let text: UnsafeBufferPointer<UInt8>
    /// The new text so far.
    private(set) var output: [UInt8] = []
    /// How much of the text the output covers.
    private(set) var copied = 0
    /// The number of comparisons with known secrets; ``SecretTable`` says how many there may be.
    private(set) var steps = 0

    /// The object or array with a secret's name around the current index.
    var container: Container?
    /// The end of the container's current name or value; no index without a container.
    var containerResumes = Int.max

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    /// The content of a text.
    enum Content {
        /// JSON, URLs, words.
        case text
        /// Items as in a query: `name=value&name=value`.
        case form
        /// Not text: only known secrets are found, since anything may look like an address.
        case binary
    }

    /// Returns the redacted text, or nil if nothing changed.
    static func redacted(
        _ text: UnsafeBufferPointer<UInt8>, as content: Content, _ table: inout SecretTable
    ) -> [UInt8]? {
        var scan = TextScan(text)
        scan.run(content, &table)
        guard scan.copied > 0 else { return nil }
        scan.output.append(contentsOf: text[scan.copied...])
        return scan.output
    }

    mutating func run(_ content: Content, _ table: inout SecretTable) {
        let isText = content != .binary
        var index = 0
        var anchor: UInt64 = 0
        // Eight bytes must be read again after each replacement.
        var anchorStart = 0
        // The end of the last known secret that stays because it is a name; its bytes are not compared again.
        var nameEnd = 0
        while index < text.count {
            let byte = text[index]
            anchor = anchor << 8 | UInt64(byte)
            var match: (range: Range<Int>, placeholder: [UInt8])?
            if index - anchorStart >= 7 {
                let start = max(copied, nameEnd)
                match = table.match(anchor: anchor, endingAt: index + 1, in: text, from: start, steps: &steps)
                if let range = match?.range, isName(range) { (match, nameEnd) = (nil, range.upperBound) }
            }
            if let match {
                replace(match.range, with: match.placeholder)
            } else if index >= containerResumes, redactContent(at: index, &table) {
                // Nothing but names, brackets and short numbers is left of it.
            } else if isText {
                switch byte {
                case .quote: redactMember(endingAt: index, &table)
                case .equals: redactItem(at: index, isForm: content == .form, &table)
                case .colon where hasByte(.slash, at: index + 1) || hasByte(.backslash, at: index + 1):
                    redactUserInfo(after: index, &table)
                case .at: redactAddress(at: index, width: 1, &table)
                case .percent where hasBytes("40", at: index + 1): redactAddress(at: index, width: 3, &table)
                case .percent where hasBytes("3A%2F%2F", at: index + 1) || hasBytes("3a%2f%2f", at: index + 1):
                    redactUserInfo(at: index + 9, isEncoded: true, &table)
                case .backslash where hasBytes("u0040", at: index + 1): redactAddress(at: index, width: 6, &table)
                default: break
                }
            }
            if copied > index {
                index = copied
                anchorStart = copied
            } else {
                index += 1
            }
        }
    }

    func hasByte(_ expected: UInt8, at index: Int) -> Bool { index < text.count && text[index] == expected }

    func hasBytes(_ expected: StaticString, at index: Int) -> Bool {
        let end = index + expected.utf8CodeUnitCount
        return end <= text.count
            && text[index..<end].elementsEqual(
                UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount))
    }

    /// Replaces a range in which nothing was replaced yet.
    mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
        precondition(range.lowerBound >= copied, "replacements come in order")
        output.append(contentsOf: text[copied..<range.lowerBound])
        output.append(contentsOf: replacement)
        copied = range.upperBound
    }

    /// Whether a known secret is the name of a member or an item, where replacing it would change the structure.
    private func isName(_ range: Range<Int>) -> Bool {
        guard range.lowerBound > 0 else { return false }
        switch text[range.lowerBound - 1] {
        case .quote: return colonAfterName(endingAt: range.upperBound) != nil
        case .questionMark, .ampersand: return hasByte(.equals, at: range.upperBound)
        default: return false
        }
    }

    /// The number of backslashes before a name's closing quote, and the index after its colon.
    func colonAfterName(endingAt end: Int) -> (level: Int, next: Int)? {
        var index = end
        while hasByte(.backslash, at: index) { index += 1 }
        let level = index - end
        guard hasByte(.quote, at: index) else { return nil }
        index = skippingSpace(from: index + 1)
        guard hasByte(.colon, at: index) else { return nil }
        return (level, skippingSpace(from: index + 1))
    }

    func skippingSpace(from start: Int) -> Int {
        var index = start
        while index < text.count, text[index].isJSONWhitespace { index += 1 }
        return index
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: text[range]) }
}
