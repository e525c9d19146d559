/// A regular expression over Unicode scalars that is matched in time linear in the text, whatever the expression.
///
/// Expressions come from scenario files, texts from clients: a backtracking matcher could be made to hang by them. What
/// is understood: literals, `.` (any scalar but LF, CR, U+2028 and U+2029), classes (`[a-z]`, `[^…]`), `\d \w \s` and
/// their opposites, `\b \B`, `\n \r \t`, a backslash before any other ASCII sign, groups (`(…)`, `(?:…)`), `|`, `* + ?`
/// and `{m} {m,} {m,n}`, each with a lazy `?` that changes nothing here, and `^ $` for the ends of the text.
public struct Pattern: Sendable {
    /// The expression as it was written.
    public let source: String
    /// Whether upper and lower case are the same, by Unicode's simple mappings.
    public let ignoresCase: Bool
    let program: Program

    /// The most scalars that an expression may have.
    public static let maximumLength = 1000
    /// The most instructions that an expression may become; a repetition by number counts as often as it repeats.
    public static let maximumInstructionCount = 2000
    /// The most groups within one another.
    public static let maximumNesting = 50

    /// Compiles an expression.
    ///
    /// - Parameter ignoresCase: true unless told: coaches do not care about case.
    /// - Throws: what is wrong with it, or what is not supported (backreferences, lookaround), and where.
    public init(_ source: String, ignoresCase: Bool = true) throws(PatternError) {
        self.source = source
        self.ignoresCase = ignoresCase
        var parser = try Parser(source)
        program = Program(try parser.parse(), ignoresCase: ignoresCase)
    }

    /// How many instructions it became: each scalar of a text costs at most as many steps.
    public var instructionCount: Int { program.instructions.count }

    /// Whether a part of the text matches; anchors ask for more.
    public func isFound(in text: String) -> Bool {
        search(text).isFound
    }

    /// Looks for the expression, and counts the steps that it took.
    func search(_ text: String) -> Search.Outcome {
        var search = Search(program)
        return search.run(text)
    }
}

extension Pattern: Equatable {
    /// The same expression, read the same way.
    public static func == (left: Pattern, right: Pattern) -> Bool {
        left.source == right.source && left.ignoresCase == right.ignoresCase
    }
}
