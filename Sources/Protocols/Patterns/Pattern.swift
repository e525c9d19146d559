/// A regular expression over Unicode scalars that matches in time linear in the length of the text.
///
/// A backtracking matcher could hang on text from clients. The syntax has literals, `.` (any scalar except LF, CR,
/// U+2028 and U+2029), classes (`[a-z]`, `[^…]`), `\d \w \s` and their opposites, `\b \B`, `\n \r \t`, a backslash
/// before any other ASCII punctuation, groups (`(…)`, `(?:…)`), `|`, `* + ?` and `{m} {m,} {m,n}`, each with an
/// optional lazy `?` that has no effect, and `^ $` for the ends of the text.
public struct Pattern: Sendable {
    public let source: String
    /// Whether upper and lower case are treated as equal, by Unicode's simple mappings.
    public let ignoresCase: Bool
    let program: Program
    /// The maximum number of scalars in an expression.
    public static let maximumLength = 1000
    /// The maximum number of instructions in an expression; a counted repetition counts its atom repeatedly.
    public static let maximumInstructionCount = 1000
    /// The maximum depth of nested groups.
    public static let maximumNesting = 50

    /// Compiles an expression, ignoring case by default.
    public init(_ source: String, ignoresCase: Bool = true) throws(PatternError) {
        self.source = source
        self.ignoresCase = ignoresCase
        var parser = try Parser(source)
        program = Program(try parser.parse(), ignoresCase: ignoresCase)
    }

    /// The number of instructions, and the maximum number of steps between two scalars.
    var instructionCount: Int { program.instructions.count }
    /// The maximum number of steps for a scalar of the text: one for each instruction and one lookup in each class.
    ///
    /// In release builds, a step takes up to 6 ns on a 2020 server.
    public var stepsPerScalar: Int { program.classes.reduce(instructionCount) { $0 + $1.lookupSteps } }
    /// Whether any part of the text matches, subject to anchors.
    public func isFound(in text: SearchedText) -> Bool { search(text).isFound }

    /// Searches for the expression and counts the steps.
    func search(_ text: SearchedText) -> Search.Outcome { Search.run(program, text) }
}

extension Pattern: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        (left.source, left.ignoresCase) == (right.source, right.ignoresCase)
    }
}

public struct PatternError: Error, Equatable, Sendable {
    /// The error and the allowed forms, in one sentence.
    public let message: String
    /// The position of the scalar where the error was detected, from 0.
    public let position: Int
    private init(_ message: String, at position: Int) { (self.message, self.position) = (message, position) }

    static func tooLong(_ count: Int) -> Self {
        Self(
            "The expression has \(count) characters; at most \(Pattern.maximumLength) are allowed.",
            at: Pattern.maximumLength)
    }
    static func tooLarge(at position: Int) -> Self {
        Self(
            "The expression compiles to more than \(Pattern.maximumInstructionCount) steps; a counted "
                + "repetition counts once per repetition.", at: position)
    }
    static func tooDeep(at position: Int) -> Self {
        Self("At most \(Pattern.maximumNesting) groups may be nested.", at: position)
    }
    static func nothingToRepeat(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self("There is nothing before '\(sign)' to repeat; write '\\\(sign)' for the character itself.", at: position)
    }
    static func repeatedAnchor(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self("'\(sign)' cannot repeat a position in the text; only text can be repeated.", at: position)
    }
    static func repeatedRepetition(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self(
            "'\(sign)' follows another repetition operator; to repeat the result, put the first repetition in a "
                + "group, '(?:…)'.", at: position)
    }
    static func possessive(at position: Int) -> Self {
        Self("Possessive repetitions ('*+', '++', '?+', '}+') are not supported; leave out the '+'.", at: position)
    }
    static func badRepetition(at position: Int) -> Self {
        Self("'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\\{' for the character itself.", at: position)
    }
    static func reversedRepetition(_ least: Int, _ most: Int, at position: Int) -> Self {
        Self("'{\(least),\(most)}' means at least \(least) and at most \(most); swap the numbers.", at: position)
    }
    static func largeRepetition(at position: Int) -> Self {
        Self("A repetition count must not exceed \(Parser.maximumRepetition).", at: position)
    }
    static func unclosedGroup(at position: Int) -> Self {
        Self("The group that begins here has no ')'; write '\\(' for the character itself.", at: position)
    }
    static func unopenedGroup(at position: Int) -> Self {
        Self("This ')' closes no group; write '\\)' for the character itself.", at: position)
    }
    static func lookaround(_ sign: String, at position: Int) -> Self {
        Self("Lookaround ('(\(sign)…)') is not supported.", at: position)
    }
    static func specialGroup(at position: Int) -> Self {
        Self("'(?:…)' is the only supported group that begins with '(?'; leave out names and flags.", at: position)
    }
    static func trailingBackslash(at position: Int) -> Self {
        Self("The expression ends in a backslash; write '\\\\' for the character itself.", at: position)
    }
    static func backreference(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self("Backreferences ('\\\(sign)') are not supported.", at: position)
    }
    static func unknownEscape(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self(
            "'\\\(sign)' is not supported; the supported letter escapes are '\\d', '\\w', '\\s', '\\D', "
                + "'\\W', '\\S', '\\b', '\\B', '\\n', '\\r' and '\\t'.", at: position)
    }
    static func boundaryInClass(_ sign: Unicode.Scalar, at position: Int) -> Self {
        Self("'\\\(sign)' matches a position in the text and is not allowed in a class.", at: position)
    }
    static func unclosedClass(at position: Int) -> Self {
        Self("The class that begins here has no ']'; write '\\[' for the character itself.", at: position)
    }
    static func emptyClass(at position: Int) -> Self {
        Self("The class is empty; write '\\]' for the character itself in a class.", at: position)
    }
    static func nestedClass(at position: Int) -> Self {
        Self("A class within a class is not supported; write '\\[' for the character itself.", at: position)
    }
    static func reversedRange(_ low: Unicode.Scalar, _ high: Unicode.Scalar, at position: Int) -> Self {
        Self("The range '\(shown(low))-\(shown(high))' is reversed; swap its ends.", at: position)
    }
    static func rangeOfClass(at position: Int) -> Self {
        Self("A range must go from one character to another; write '\\-' for the character itself.", at: position)
    }

    /// A printable form of a character; terminal control characters appear as their numbers.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        default: return String(scalar)
        }
    }
}
