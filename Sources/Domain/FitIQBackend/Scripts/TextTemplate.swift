import FitIQAPI
import Text

/// The values for the fields in a scripted answer's text: `{{content}}`, `{{now}}`, `{{random 1 6}}`, `{{user.name}}`
/// and `{{goal.title}}`.
public struct TextTemplate: Sendable {
    /// The kinds of fields.
    public static let fields = ["content", "now", "random 1 6", "user.name", "goal.title", openBraces]
    /// The field that yields literal opening braces.
    private static let openBraces = "\"{{\""

    /// The question.
    let content: String
    /// The start time of the answer.
    let now: Timestamp
    let userName: String
    /// The title of the goal that the consultation is about.
    let goalTitle: String?
    var numbers: SplitMix64

    /// The number of fields in a string.
    ///
    /// - Throws: The first unknown field.
    public static func check(_ text: String) throws(UnknownField) -> Int {
        var count = 0
        for case .field(let field) in pieces(of: text) {
            if !fields.contains(field), range(of: field) == nil { throw UnknownField(text: field) }
            count += 1
        }
        return count
    }

    /// A goal's title, or a phrase for an unknown goal.
    static func goalTitle(_ title: String?) -> String { title ?? "your goal" }

    public struct UnknownField: Error, Sendable { public let text: String }

    /// The text with values in place of its fields; a string without fields is not copied.
    mutating func filled(_ text: String) -> String {
        let pieces = Self.pieces(of: text)
        guard pieces.count > 1 else { return text }
        var filled = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): filled += literal
            case .field("content"): filled += content
            case .field("now"): filled += now.wireText
            case .field("user.name"): filled += userName
            case .field("goal.title"): filled += Self.goalTitle(goalTitle)
            case .field(Self.openBraces): filled += "{{"
            case .field(let field):
                guard let range = Self.range(of: field) else {
                    preconditionFailure("The reader must have rejected the unknown field '\(field)'.")
                }
                filled += "\(range.lowerBound + Int(numbers.next(below: UInt64(range.count))))"
            }
        }
        return filled
    }

    /// The bounds of `random 1 6`.
    private static func range(of field: String) -> ClosedRange<Int>? {
        let words = field.split(separator: " ")
        guard words.count == 3, words[0] == "random", let low = Int(words[1]), let high = Int(words[2]),
            low >= -1_000_000_000, low <= high, high <= 1_000_000_000
        else { return nil }
        return low...high
    }

    private enum Piece {
        case literal(String)
        /// A field, without its braces and surrounding spaces.
        case field(String)
    }

    /// Splits a string into at least one piece; unclosed braces are ordinary characters.
    private static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let open = firstPair(UInt8(ascii: "{"), in: rest),
            let close = firstPair(UInt8(ascii: "}"), in: rest[open.upperBound...])
        {
            pieces.append(.literal(String(rest[..<open.lowerBound])))
            let words = rest[open.upperBound..<close.lowerBound].split(separator: " ")
            pieces.append(.field(words.joined(separator: " ")))
            rest = rest[close.upperBound...]
        }
        return pieces + [.literal(String(rest))]
    }

    private static func firstPair(_ brace: UInt8, in text: Substring) -> Range<String.Index>? {
        let bytes = text.utf8
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            if bytes[index] == brace, next < bytes.endIndex, bytes[next] == brace {
                return index..<bytes.index(after: next)
            }
            index = next
        }
        return nil
    }
}

extension AnswerScript {
    /// The script with values in place of the fields in its text.
    func filled(by template: TextTemplate) -> AnswerScript {
        var (template, filled) = (template, self)
        filled.steps = steps.map { step in
            switch step {
            case .text(let text): .text(template.filled(text))
            case .chunk(let text, let after): .chunk(template.filled(text), after: after)
            case .burst(let chunks): .burst(chunks.map { template.filled($0) })
            case .error(let message, let code): .error(message: template.filled(message), code: code)
            case .builtInAnswer, .pause, .template, .silence, .anotherAnswer: step
            }
        }
        return filled
    }
}
