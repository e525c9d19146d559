import FitIQAPI

/// Answers by the first words of their phrases, so that a question is read once, whatever the number of answers.
struct AnswerIndex: Sendable {
    private struct Phrase: Sendable {
        var words: [String]
        var answer: Int
        /// Its number among all phrases: one that occurs twice counts once.
        var id: Int
    }

    /// Those without keywords, which fit any question.
    let general: [WrittenAnswer]
    private let answers: [WrittenAnswer]
    private var phrases: [String: [Phrase]] = [:]  // Words of people, who may type either form.
    private var phraseCount = 0

    init(_ answers: [WrittenAnswer]) {
        self.answers = answers
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

    /// The answer that has most words in common with the question; the first one of several; nil if none has any.
    func best(for words: [String]) -> WrittenAnswer? {
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
        for (number, score) in scores.enumerated() where score > best.map({ scores[$0] }) ?? 0 { best = number }
        return best.map { answers[$0] }
    }
}

extension AnswerIndex {
    /// Looked through before everything else.
    static let urgent = AnswerIndex(CoachBook.builtIn.urgent)

    static func of(_ persona: Persona) -> AnswerIndex {
        switch persona {
        case .nutritionist: nutritionist
        case .fitnessCoach: fitnessCoach
        case .wellnessSpecialist: wellnessSpecialist
        case .generalWellness: generalWellness
        }
    }

    /// The persona's own topics come first: "Hello, what about lunch?" is about lunch.
    private static let nutritionist = built(.nutritionist)
    private static let fitnessCoach = built(.fitnessCoach)
    private static let wellnessSpecialist = built(.wellnessSpecialist)
    private static let generalWellness = built(.generalWellness)

    private static func built(_ persona: Persona) -> AnswerIndex {
        AnswerIndex(CoachBook.builtIn.answers(of: persona) + CoachBook.builtIn.common)
    }
}
