import FitIQAPI

/// The built-in coach: it picks one of a few dozen written answers by persona and question.
///
/// The same question gets the same answer, byte for byte, so that a client's test can rely on it.
public enum Coach {
    /// Answers a question.
    ///
    /// The answer with the most words and phrases in the question wins; of equals, the earlier one. If none matches,
    /// the persona's general answers take turns. In the first turn of a consultation with a context, a sentence
    /// mentions it. These words create nothing, even for a question that asks for a template.
    ///
    /// - Parameter turn: The number of previous answers in the consultation; 0 or more.
    public static func answer(persona: Persona, context: ContextType, question: String, turn: Int) -> String {
        speech(persona: persona, context: context, question: question, turn: turn, mayCreate: false).text
    }

    /// An answer with its chunks; equal answers without an opening share one array.
    ///
    /// - Parameters:
    ///   - goal: The title of the goal that the consultation is about, which the opening names.
    ///   - mayCreate: Whether a question that asks for a template is answered with one, unless it is urgent.
    static func speech(
        persona: Persona, context: ContextType, goal: String? = nil, question: String, turn: Int, mayCreate: Bool = true
    ) -> Speech {
        precondition(turn >= 0, "turns count from 0, not \(turn)")
        let index = AnswerIndex.of(persona)
        let words = Words.fold(question)
        let answer =
            index.urgent(for: words) ?? (mayCreate ? CoachBook.builtIn.template(for: words, of: persona) : nil)
            ?? index.best(for: words) ?? index.general[turn % index.general.count]
        var speech = Speech(text: answer.text, chunks: answer.chunks)
        speech.template = answer.template
        // Greetings and thanks need no opening, and urgent answers have none.
        guard turn == 0, answer.persona == persona, let opening = opening(of: context, goal: goal) else {
            return speech
        }
        let start = Speech(opening + " ")
        return Speech(text: start.text + speech.text, chunks: start.chunks + speech.chunks)
    }

    /// The sentence about the context in the first answer; at most 12 words, and those of the goal's title.
    static func opening(of context: ContextType, goal: String? = nil) -> String? {
        CoachBook.builtIn.openings[context]?.replacing("{{goal.title}}", with: TextTemplate.goalTitle(goal))
    }

    /// Suggests goals, in an order that the seed decides: the persona's own first, then those of the others.
    ///
    /// - Parameters:
    ///   - persona: Nil puts all on a level.
    ///   - seed: The same one gives the same suggestions.
    public static func suggestions(for persona: Persona? = nil, seed: UInt64, limit: Int) -> [GoalSuggestion] {
        var numbers = SplitMix64(seed: seed)
        let all = CoachBook.builtIn.suggestions
        let own = persona.flatMap { all[$0] } ?? []
        let others = Persona.allCases.filter { $0 != persona }.flatMap { all[$0] ?? [] }
        return Array((own.shuffled(using: &numbers) + others.shuffled(using: &numbers)).prefix(limit))
    }

    /// Splits a text into words, each with the white space after it; together they are the text.
    ///
    /// White space is space, tab, CR and LF; what precedes the first word belongs to it. No chunk is empty, and an
    /// empty text has none.
    public static func chunks(of text: String) -> [String] {
        var text = text
        return text.withUTF8 { bytes in
            var chunks: [String] = []
            var (start, hasWord, wasWhitespace) = (0, false, true)
            func cut(at end: Int) {
                chunks.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
                start = end
            }
            for index in bytes.indices {
                let isWhitespace = Words.isWhitespace(bytes[index])
                if wasWhitespace, !isWhitespace {
                    // White space before the first word belongs to it.
                    if hasWord { cut(at: index) }
                    hasWord = true
                }
                wasWhitespace = isWhitespace
            }
            if !bytes.isEmpty { cut(at: bytes.count) }
            return chunks
        }
    }
}

/// A text and its chunks, which together are the text.
struct Speech: Sendable {
    var text: String
    var chunks: [String]
    /// What the coach creates with these words.
    var template: TemplateDraft?

    init(text: String, chunks: [String]) { (self.text, self.chunks) = (text, chunks) }

    /// A text in words.
    init(_ text: String) { self.init(text: text, chunks: Coach.chunks(of: text)) }
}

/// Indexes answers by the first words of their phrases, so that a question is read once for any number of answers.
struct AnswerIndex: Sendable {
    private struct Phrase: Sendable {
        var words: [String]
        var answer: Int
        /// The phrase's number among all phrases: one that occurs twice counts once.
        var id: Int
    }

    /// Answers without keywords, which fit any question.
    let general: [WrittenAnswer]
    /// First those that precede all others.
    private let answers: [WrittenAnswer]
    private let urgentCount: Int
    private var phrases: [String: [Phrase]] = [:]  // Words of users, who may type either form.
    private var phraseCount = 0

    init(urgent: [WrittenAnswer] = [], _ others: [WrittenAnswer]) {
        answers = urgent + others
        urgentCount = urgent.count
        general = answers.filter(\.keywords.isEmpty)
        for (number, answer) in answers.enumerated() {
            for keyword in answer.keywords {
                let words = Words.fold(keyword)
                guard let first = words.first else { preconditionFailure("a keyword has a word: \(answer.text)") }
                phrases[first, default: []].append(Phrase(words: words, answer: number, id: phraseCount))
                phraseCount += 1
            }
        }
    }

    /// The urgent answer to the question, if it has one.
    func urgent(for words: [String]) -> WrittenAnswer? {
        bestNumber(for: words).flatMap { $0 < urgentCount ? answers[$0] : nil }
    }

    /// The answer with the most words in common with the question; an urgent one goes first.
    ///
    /// - Returns: The first of equals; nil if none has a word in common.
    func best(for words: [String]) -> WrittenAnswer? { bestNumber(for: words).map { answers[$0] } }

    private func bestNumber(for words: [String]) -> Int? {
        var scores = [Int](repeating: 0, count: answers.count)
        var counted = [Bool](repeating: false, count: phraseCount)
        for (position, word) in words.enumerated() {
            for phrase in phrases[word] ?? [] where !counted[phrase.id] && words[position...].starts(with: phrase.words)
            {
                counted[phrase.id] = true
                scores[phrase.answer] += phrase.words.count
            }
        }
        var best: Int?
        for (number, score) in scores.enumerated() where score > best.map({ scores[$0] }) ?? 0 {
            if number >= urgentCount, let best, best < urgentCount { break }
            best = number
        }
        return best
    }

    static func of(_ persona: Persona) -> AnswerIndex {
        guard let index = byPersona[persona] else { preconditionFailure("Every persona has an index.") }
        return index
    }

    /// The persona's own topics come first: "Hello, what about lunch?" is about lunch.
    private static let byPersona = Dictionary(
        uniqueKeysWithValues: Persona.allCases.map { persona in
            let book = CoachBook.builtIn
            return (persona, AnswerIndex(urgent: book.urgent, book.answers(of: persona) + book.common))
        })
}

enum Words {
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D }

    /// Splits a text into words of lower-case ASCII letters and digits, without diacritics and plural endings.
    ///
    /// "Café" and "CAFES" are both `cafe`: case, the accents of Latin letters and apostrophes do not count. Letters of
    /// other scripts stay unchanged.
    static func fold(_ text: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": word.append(UInt8(truncatingIfNeeded: scalar.value))
            case "A"..."Z": word.append(UInt8(truncatingIfNeeded: scalar.value | 0x20))
            case "'", "\u{2019}", "\u{300}"..."\u{36F}": continue
            // Spaces, in most cases.
            case "\u{0}"..."\u{7F}": finish(&word, into: &words)
            default:
                if let letters = plainLetters(of: scalar) {
                    word += letters.utf8
                } else if scalar.properties.isAlphabetic {
                    word += String(scalar).utf8
                } else {
                    finish(&word, into: &words)
                }
            }
        }
        finish(&word, into: &words)
        return words
    }

    private static func finish(_ word: inout [UInt8], into words: inout [String]) {
        guard !word.isEmpty else { return }
        // "goals" matches "goal"; "stress" and "gas" are not plurals.
        let isPlural = word.count > 3 && word.last == UInt8(ascii: "s") && word[word.count - 2] != UInt8(ascii: "s")
        words.append(String(decoding: isPlural ? word.dropLast() : word[...], as: UTF8.self))
        word.removeAll(keepingCapacity: true)
    }

    /// The letters of Latin-1 (U+00C0 to U+00FF) without their marks.
    private static func plainLetters(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xC0...0xC5, 0xE0...0xE5: "a"
        case 0xC6, 0xE6: "ae"
        case 0xC7, 0xE7: "c"
        case 0xC8...0xCB, 0xE8...0xEB: "e"
        case 0xCC...0xCF, 0xEC...0xEF: "i"
        case 0xD1, 0xF1: "n"
        case 0xD2...0xD6, 0xD8, 0xF2...0xF6, 0xF8: "o"
        case 0xD9...0xDC, 0xF9...0xFC: "u"
        case 0xDD, 0xFD, 0xFF: "y"
        case 0xDF: "ss"
        default: nil
        }
    }
}
