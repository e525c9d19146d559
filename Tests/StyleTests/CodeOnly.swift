/// Separates code from the text of string literals; each keeps its position, and blanks replace the rest.
///
/// Interpolated code counts as code. Nested block comments, escapes, and multi-line and raw literals are supported (The
/// Swift Programming Language, Lexical Structure), but not regex literals, because the package has none.
struct CodeOnly {
    private let input: [UInt8]
    private var output: [UInt8] = []
    private var literals: [UInt8] = []
    private var position = 0

    static func blankingTheRest(of text: [UInt8]) -> [UInt8] { parts(of: text).code }

    static func parts(of text: [UInt8]) -> (code: [UInt8], literals: [UInt8]) {
        var blanker = CodeOnly(input: text)
        blanker.copyCode(untilParenthesisCloses: false)
        return (blanker.output, blanker.literals)
    }

    private init(input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
        literals.reserveCapacity(input.count)
    }

    private func isNext(_ text: StaticString, at offset: Int = 0) -> Bool {
        let start = position + offset
        guard start + text.utf8CodeUnitCount <= input.count else { return false }
        for index in 0..<text.utf8CodeUnitCount where input[start + index] != text.utf8Start[index] { return false }
        return true
    }

    private mutating func blank(_ count: Int, isText: Bool = false) {
        for _ in 0..<min(count, input.count - position) { copy(isCode: false, isText: isText) }
    }

    private mutating func keep() { copy(isCode: true, isText: false) }

    private mutating func copy(isCode: Bool, isText: Bool) {
        let isLineEnd = input[position] == UInt8(ascii: "\n")
        output.append(isCode || isLineEnd ? input[position] : UInt8(ascii: " "))
        literals.append(isText || isLineEnd ? input[position] : UInt8(ascii: " "))
        position += 1
    }

    private mutating func copyCode(untilParenthesisCloses: Bool) {
        var depth = 0
        while position < input.count {
            if isNext("//") {
                while position < input.count, input[position] != UInt8(ascii: "\n") { blank(1) }
            } else if isNext("/*") {
                skipBlockComment()
            } else if let pounds = openingPounds() {
                skipLiteral(pounds: pounds)
            } else if isNext("(") {
                depth += 1
                keep()
            } else if isNext(")") {
                if depth == 0, untilParenthesisCloses { return }
                depth -= 1
                keep()
            } else {
                keep()
            }
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                blank(2)
            } else if isNext("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && position < input.count
    }

    /// The number of `#` before a quotation mark that opens a literal here; nil if no literal opens.
    private func openingPounds() -> Int? {
        var pounds = 0
        while isNext("#", at: pounds) { pounds += 1 }
        return isNext("\"", at: pounds) ? pounds : nil
    }

    private mutating func skipLiteral(pounds: Int) {
        blank(pounds)
        let isMultiline = isNext("\"\"\"")
        let quotes = isMultiline ? 3 : 1
        blank(quotes)
        while position < input.count {
            if isMultiline ? isNext("\"\"\"") : isNext("\""), hasPounds(pounds, at: quotes) {
                blank(quotes + pounds)
                return
            }
            // The end of the line ends an unclosed literal, because such a file does not compile.
            if !isMultiline, isNext("\n") { return }
            guard isNext("\\"), hasPounds(pounds, at: 1) else {
                blank(1, isText: true)
                continue
            }
            blank(1 + pounds)
            if isNext("(") {
                keep()
                copyCode(untilParenthesisCloses: true)
                if position < input.count { keep() }
            } else {
                blank(1)
            }
        }
    }

    private func hasPounds(_ count: Int, at offset: Int) -> Bool {
        for index in 0..<count where !isNext("#", at: offset + index) { return false }
        return true
    }
}
