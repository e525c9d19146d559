import FitIQAPI
import JSON

/// The built-in coach, which picks one of a few dozen written answers by persona and question.
///
/// A question always gets the same answer, so that clients' tests can rely on it.
public enum Coach {
    /// Answers a question.
    ///
    /// The answer that shares the most words and phrases with the question wins; ties go to the earlier one. If no
    /// answer matches, the persona's general answers alternate. The first answer of a consultation with a context
    /// mentions the context. No template is created, even if the question asks for one.
    ///
    /// - Parameter turn: The number of previous answers in the consultation; 0 or more.
    public static func answer(persona: Persona, context: ContextType, question: String, turn: Int) -> String {
        speech(persona: persona, context: context, question: question, turn: turn, mayCreate: false).text
    }

    /// An answer with its chunks; identical answers without an opening share an array.
    ///
    /// - Parameters:
    ///   - goal: The title of the consultation's goal, which the opening mentions.
    ///   - mayCreate: Whether a question that asks for a template gets one, unless it is urgent.
    static func speech(
        persona: Persona, context: ContextType, goal: String? = nil, question: String, turn: Int, mayCreate: Bool = true
    ) -> Speech {
        precondition(turn >= 0, "turns must be numbered from 0, not \(turn)")
        let index = AnswerIndex.of(persona)
        let words = Words.fold(question)
        let answer =
            index.urgent(for: words) ?? (mayCreate ? CoachBook.builtIn.template(for: words, of: persona) : nil)
            ?? index.best(for: words) ?? index.general[turn % index.general.count]
        var speech = Speech(text: answer.text, chunks: answer.chunks)
        speech.template = answer.template
        // Greetings, thanks and urgent answers get no opening.
        guard turn == 0, answer.persona == persona, let opening = opening(of: context, goal: goal) else {
            return speech
        }
        let start = Speech(opening + " ")
        return Speech(text: start.text + speech.text, chunks: start.chunks + speech.chunks)
    }

    /// The sentence about the context in the first answer, with at most 12 words besides the goal's title.
    static func opening(of context: ContextType, goal: String? = nil) -> String? {
        CoachBook.builtIn.openings[context]?.replacing("{{goal.title}}", with: TextTemplate.goalTitle(goal))
    }

    /// Suggests goals in an order determined by the seed: first the persona's, then the others'.
    ///
    /// - Parameter persona: The persona whose goals come first; nil treats all alike.
    public static func suggestions(for persona: Persona? = nil, seed: UInt64, limit: Int) -> [GoalSuggestion] {
        var numbers = SplitMix64(seed: seed)
        let all = CoachBook.builtIn.suggestions
        let own = persona.flatMap { all[$0] } ?? []
        let others = Persona.allCases.filter { $0 != persona }.flatMap { all[$0] ?? [] }
        return Array((own.shuffled(using: &numbers) + others.shuffled(using: &numbers)).prefix(limit))
    }

    /// Splits a string into words, each with the white space that follows it; joined, they equal the string.
    ///
    /// White space is space, tab, CR and LF; leading white space belongs to the first word. No chunk is empty, and an
    /// empty string has no chunks.
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
                    // Leading white space belongs to the first word.
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

/// A string and its chunks, which equal the string when joined.
struct Speech: Sendable {
    var text: String
    var chunks: [String]
    /// The template created with this text.
    var template: TemplateDraft?

    init(text: String, chunks: [String]) { (self.text, self.chunks) = (text, chunks) }

    /// Splits a string into words.
    init(_ text: String) { self.init(text: text, chunks: Coach.chunks(of: text)) }
}

/// An index of answers by the first words of their phrases, so that a question is read only once.
struct AnswerIndex: Sendable {
    private struct Phrase: Sendable {
        var words: [String]
        var answer: Int
        /// The phrase's number among all phrases; a repeated phrase counts once.
        var id: Int
    }

    /// The answers without keywords, which fit any question.
    let general: [WrittenAnswer]
    /// All answers, starting with the answers that precede all others.
    private let answers: [WrittenAnswer]
    private let urgentCount: Int
    private var phrases: [String: [Phrase]] = [:]  // Words of users, who may type either Unicode form.
    private var phraseCount = 0

    init(urgent: [WrittenAnswer] = [], _ others: [WrittenAnswer]) {
        answers = urgent + others
        urgentCount = urgent.count
        general = answers.filter(\.keywords.isEmpty)
        for (number, answer) in answers.enumerated() {
            for keyword in answer.keywords {
                let words = Words.fold(keyword)
                guard let first = words.first else {
                    preconditionFailure("a keyword must contain a word: \(answer.text)")
                }
                phrases[first, default: []].append(Phrase(words: words, answer: number, id: phraseCount))
                phraseCount += 1
            }
        }
    }

    /// The urgent answer to the question, if there is one.
    func urgent(for words: [String]) -> WrittenAnswer? {
        bestNumber(for: words).flatMap { $0 < urgentCount ? answers[$0] : nil }
    }

    /// The answer with the most words in common with the question; urgent answers come first.
    ///
    /// - Returns: The best answer, or the first of several that tie; nil if no answer has a word in common.
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
        guard let index = byPersona[persona] else { preconditionFailure("Every persona must have an index.") }
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

    /// Splits a string into words of lower-case ASCII letters and digits, without diacritics or plural endings.
    ///
    /// "Café" and "CAFES" are both `cafe`, because case, Latin accents and apostrophes are ignored. Letters in other
    /// scripts stay unchanged.
    static func fold(_ text: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": word.append(UInt8(truncatingIfNeeded: scalar.value))
            case "A"..."Z": word.append(UInt8(truncatingIfNeeded: scalar.value | 0x20))
            case "'", "\u{2019}", "\u{300}"..."\u{36F}": continue
            // These are mostly spaces.
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

    /// The letters of Latin-1 (U+00C0 to U+00FF) without their diacritics.
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

struct WrittenAnswer: Sendable {
    /// The persona that gives the answer; nil means all personas.
    var persona: Persona?
    /// Words and phrases, at least one of which must occur in the question; empty if the answer fits any question.
    var keywords: [String]
    /// The text: 25 to 48 words, so that it streams within four seconds even with an opening.
    let text: String
    /// The text in chunks, one for each word.
    let chunks: [String]
    /// The template created with the answer.
    var template: TemplateDraft?

    init(persona: Persona? = nil, keywords: [String], text: String) {
        (self.persona, self.keywords, self.text, chunks) = (persona, keywords, text, Coach.chunks(of: text))
    }
}

/// A template before it is created.
struct TemplateDraft: Sendable, Equatable {
    /// `wellness`, `meal` or `workout`; enhanced-consultations has a symbol for each.
    var type: String
    var name: String

    static let types = ["wellness", "meal", "workout"]
}

/// The built-in coach's texts: `Fixtures/data/coach.json`.
///
/// `openings` has a sentence for each context type except general. `urgent` has the answers that precede all others, a
/// section per persona has that persona's answers, and `common` has answers for all personas. Ties are resolved by the
/// order in a section. `suggestions` has the personas' goals, with numbers as strings. `templates` has the templates
/// created on request: keywords select the type, and a persona's default has no keywords.
struct CoachBook: Sendable {
    static let path = "Fixtures/data/coach.json"
    static let sections =
        ["openings", "urgent"] + Persona.allCases.map(\.rawValue) + ["common", "suggestions", "templates"]

    /// The embedded book, which is loaded by the first question.
    static let builtIn = DataFile.embedded(path) { CoachBook(&$0) }

    private(set) var openings: [ContextType: String] = [:]
    private var answers: [String: [WrittenAnswer]] = [:]  // Names of sections, which are constants.

    private(set) var suggestions: [Persona: [GoalSuggestion]] = [:]

    private var templates = AnswerIndex([])
    private var usualTemplates: [Persona: WrittenAnswer] = [:]

    var urgent: [WrittenAnswer] { answers["urgent"] ?? [] }
    var common: [WrittenAnswer] { answers["common"] ?? [] }
    func answers(of persona: Persona) -> [WrittenAnswer] { answers[persona.rawValue] ?? [] }

    init(_ file: inout DataFile) {
        file.check(sections: Self.sections)
        var lines: [String: Int] = [:]  // Texts of one file, which writes each once.
        for section in file.sections {
            if section.name == "openings" {
                readOpenings(section, &file)
                continue
            }
            if section.name == "suggestions" {
                readSuggestions(section, &file)
                continue
            }
            if section.name == "templates" {
                readTemplates(section, &file)
                continue
            }
            let answers = section.records.map { answer($0, persona: Persona(rawValue: section.name), &file) }
            for (answer, record) in zip(answers, section.records) {
                if let first = lines.updateValue(record.line, forKey: answer.text) {
                    file.refuse("the text is already on line \(first)", at: record.line)
                }
                if Persona(rawValue: section.name) == nil, answer.keywords.isEmpty {
                    file.refuse("only a persona may have answers without keywords", at: record.line)
                }
            }
            if Persona(rawValue: section.name) != nil, answers.allSatisfy({ !$0.keywords.isEmpty }) {
                file.refuse(
                    "\(section.name) needs an answer without keywords, which fits any question", at: section.line)
            }
            self.answers[section.name] = answers
        }
    }

    private mutating func readOpenings(_ section: DataFile.Section, _ file: inout DataFile) {
        for record in section.records {
            file.check(record, keys: ["context_type", "text"])
            let name = file.text("context_type", of: record)
            let text = file.text("text", of: record)
            guard let type = ContextType(rawValue: name), type != .general, openings[type] == nil else {
                file.refuse(
                    "context_type must be goal, insight, mood or journal, and each may occur only once", at: record.line
                )
                continue
            }
            if Coach.chunks(of: text).count > 12 {
                file.refuse("an opening must have at most 12 words", at: record.line)
            }
            openings[type] = text
        }
        if openings.count < ContextType.allCases.count - 1 {
            file.refuse("each context_type except general needs an opening", at: section.line)
        }
    }

    private mutating func readSuggestions(_ section: DataFile.Section, _ file: inout DataFile) {
        let texts = ["title", "description", "goal_type", "rationale"]
        let numbers = [("target_value", 0.1...1e6), ("estimated_duration", 1...1000), ("difficulty", 1...5)]
        for record in section.records {
            file.check(record, keys: ["persona"] + texts + ["target_unit"] + numbers.map(\.0))
            var members = JSONObject(texts.map { ($0, .string(file.text($0, of: record))) })
            members["target_unit"] = file.optionalText("target_unit", of: record).map { .string($0) }
            for (key, range) in numbers {
                guard let text = file.optionalText(key, of: record) else { continue }
                let number = JSONNumber(text)
                if !range.contains(number?.double ?? 0) {
                    file.refuse("\(key) must be a number in \(range)", at: record.line)
                }
                members[key] = number.map { .number($0) }
            }
            guard let persona = Persona(rawValue: file.text("persona", of: record)), members["difficulty"] != nil else {
                file.refuse("a suggestion needs a persona and a difficulty", at: record.line)
                continue
            }
            let title = members["title"]?.string ?? ""
            suggestions[persona, default: []].append(
                GoalSuggestion(title: title, encoded: JSONValue.object(members).encoded()))
        }
    }

    private mutating func readTemplates(_ section: DataFile.Section, _ file: inout DataFile) {
        var read: [WrittenAnswer] = []
        for record in section.records {
            let draft = TemplateDraft(type: file.text("type", of: record), name: file.text("name", of: record))
            if !TemplateDraft.types.contains(draft.type) {
                file.refuse("a template's type must be one of \(TemplateDraft.types)", at: record.line)
            }
            var answer = answer(record, persona: nil, keys: ["type", "name", "personas"], &file)
            answer.template = draft
            read.append(answer)
            for persona in file.texts("personas", of: record).compactMap(Persona.init) {
                usualTemplates[persona] = answer
            }
        }
        templates = AnswerIndex(read)
        if usualTemplates.count < Persona.allCases.count {
            file.refuse("each persona needs a template", at: section.line)
        }
    }

    /// The template that a question asks for, if any.
    func template(for words: [String], of persona: Persona) -> WrittenAnswer? {
        guard Self.asksForTemplate(words) else { return nil }
        return templates.best(for: words) ?? usualTemplates[persona]
    }

    private static let making: Set = ["create", "make", "build", "design", "generate", "draft", "write"]
    private static let asking: Set = ["give", "need", "want", "like", "get", "save"]
    private static let plans: Set = ["plan", "routine", "program", "programme", "schedule"]

    /// Words before the verb, or between verb and noun, that turn a request into a question or a statement: "How do I
    /// make a plan?", "I want to make sure my schedule works", "I don't need a template".
    private static let turning: Set = [
        "how", "what", "why", "when", "should", "did", "not", "dont", "never", "if", "know", "sure", "sense", "time",
        "it", "the", "this", "that", "your",
    ]

    /// "Create a workout plan" and "I need a meal template" ask for a template, and "How do I make a plan?" asks for
    /// advice.
    private static func asksForTemplate(_ words: [String]) -> Bool {
        words.indices.contains { start in
            let isMaking = making.contains(words[start])
            guard isMaking || asking.contains(words[start]) else { return false }
            let next = words[start...].prefix(8)
            let noun = next.firstIndex { $0 == "template" || isMaking && plans.contains($0) }
            // "Make my schedule work" changes an existing template.
            guard let noun, next.dropFirst().first != "my" else { return false }
            return turning.isDisjoint(with: words[max(0, start - 4)..<noun])
        }
    }

    private func answer(
        _ record: DataFile.Record, persona: Persona?, keys: [String] = [], _ file: inout DataFile
    ) -> WrittenAnswer {
        file.check(record, keys: keys + ["keywords", "text"])
        let keywords = file.texts("keywords", of: record)
        var folded: [[String]] = []
        for keyword in keywords {
            let words = Words.fold(keyword)
            if words.isEmpty { file.refuse("the keyword \"\(keyword)\" contains no word", at: record.line) }
            if folded.contains(words) {
                file.refuse(
                    "the keyword \"\(keyword)\" occurs twice, or occurs in two forms of the same word", at: record.line)
            }
            folded.append(words)
        }
        let answer = WrittenAnswer(persona: persona, keywords: keywords, text: file.text("text", of: record))
        let count = answer.chunks.count
        if !(25...48).contains(count) {
            file.refuse("an answer must have 25 to 48 words, not \(count)", at: record.line)
        }
        // Search bytes, because searching characters would take most of the first question's time.
        let pairs = zip(answer.text.utf8, answer.text.utf8.dropFirst())
        if pairs.contains(where: { Words.isWhitespace($0) && Words.isWhitespace($1) }) {
            file.refuse("words must be separated by single spaces or line breaks", at: record.line)
        }
        return answer
    }
}
