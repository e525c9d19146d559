import FitIQAPI
import JSON

struct WrittenAnswer: Sendable {
    /// The persona that gives the answer; nil means every persona.
    var persona: Persona?
    /// Words and phrases, one of which must occur in the question; empty for an answer that fits any question.
    var keywords: [String]
    /// 25 to 48 words of plain text, so that it streams within four seconds, word by word, with any opening.
    let text: String
    /// The text in chunks, one for each word.
    let chunks: [String]
    /// What is created with the answer.
    var template: TemplateDraft?

    init(persona: Persona? = nil, keywords: [String], text: String) {
        (self.persona, self.keywords, self.text, chunks) = (persona, keywords, text, Coach.chunks(of: text))
    }
}

/// A template before it is created.
struct TemplateDraft: Sendable, Equatable {
    /// One of the three for which enhanced-consultations has a symbol: `wellness`, `meal` or `workout`.
    var type: String
    var name: String

    static let types = ["wellness", "meal", "workout"]
}

/// The texts of the built-in coach: `Fixtures/data/coach.json`.
///
/// `openings` has a sentence for each context type except general; `urgent` has the answers that precede all others; a
/// section per persona has its own answers; `common` has the answers of every persona. The order within a section
/// decides between answers that fit a question equally well. `suggestions` has goals, each of one persona, with their
/// numbers as texts. `templates` has what the coach creates where it is asked to: the keywords are about the type, and
/// the personas take it if none of them is in the question.
struct CoachBook: Sendable {
    static let path = "Fixtures/data/coach.json"
    static let sections =
        ["openings", "urgent"] + Persona.allCases.map(\.rawValue) + ["common", "suggestions", "templates"]

    /// The embedded book, read at the first question.
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
        var lines: [String: Int] = [:]  // Texts of one file, which are written once.
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
                    file.refuse("the text stands in line \(first) already", at: record.line)
                }
                if Persona(rawValue: section.name) == nil, answer.keywords.isEmpty {
                    file.refuse("only a persona has answers without keywords", at: record.line)
                }
            }
            if Persona(rawValue: section.name) != nil, answers.allSatisfy({ !$0.keywords.isEmpty }) {
                file.refuse("\(section.name) has no answer without keywords, which fits any question", at: section.line)
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
                file.refuse("context_type is one of goal, insight, mood and journal, each once", at: record.line)
                continue
            }
            if Coach.chunks(of: text).count > 12 { file.refuse("an opening has at most 12 words", at: record.line) }
            openings[type] = text
        }
        if openings.count < ContextType.allCases.count - 1 {
            file.refuse("each context_type but general has an opening", at: section.line)
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
                    file.refuse("\(key) is a number in \(range)", at: record.line)
                }
                members[key] = number.map { .number($0) }
            }
            guard let persona = Persona(rawValue: file.text("persona", of: record)), members["difficulty"] != nil else {
                file.refuse("a suggestion has a persona and a difficulty", at: record.line)
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
                file.refuse("a template's type is one of \(TemplateDraft.types)", at: record.line)
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
            file.refuse("each persona has a template", at: section.line)
        }
    }

    /// The template that a question asks for, if it asks for one.
    func template(for words: [String], of persona: Persona) -> WrittenAnswer? {
        guard Self.asksForTemplate(words) else { return nil }
        return templates.best(for: words) ?? usualTemplates[persona]
    }

    private static let making: Set = ["create", "make", "build", "design", "generate", "draft", "write"]
    private static let asking: Set = ["give", "need", "want", "like", "get", "save"]
    private static let plans: Set = ["plan", "routine", "program", "programme", "schedule"]

    /// Words that turn a request into a question or a statement, before its verb or between verb and noun: "How do I make
    /// a plan?", "I want to make sure my schedule works", "I don't need a template".
    private static let turning: Set = [
        "how", "what", "why", "when", "should", "did", "not", "dont", "never", "if", "know", "sure", "sense", "time",
        "it", "the", "this", "that", "your",
    ]

    /// "Create a workout plan" and "I need a meal template" ask for one; "How do I make a plan?" asks for advice.
    private static func asksForTemplate(_ words: [String]) -> Bool {
        words.indices.contains { start in
            let isMaking = making.contains(words[start])
            guard isMaking || asking.contains(words[start]) else { return false }
            let next = words[start...].prefix(8)
            let noun = next.firstIndex { $0 == "template" || isMaking && plans.contains($0) }
            // "Make my schedule work" changes one that there is.
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
            if words.isEmpty { file.refuse("the keyword \"\(keyword)\" has no word", at: record.line) }
            if folded.contains(words) {
                file.refuse("the keyword \"\(keyword)\" stands twice, or in two forms of one word", at: record.line)
            }
            folded.append(words)
        }
        let answer = WrittenAnswer(persona: persona, keywords: keywords, text: file.text("text", of: record))
        let count = answer.chunks.count
        if !(25...48).contains(count) { file.refuse("an answer has 25 to 48 words, not \(count)", at: record.line) }
        // By bytes: a search for texts would take longer than all else at the first question.
        let pairs = zip(answer.text.utf8, answer.text.utf8.dropFirst())
        if pairs.contains(where: { Words.isWhitespace($0) && Words.isWhitespace($1) }) {
            file.refuse("one space or one line break stands between words", at: record.line)
        }
        return answer
    }
}
