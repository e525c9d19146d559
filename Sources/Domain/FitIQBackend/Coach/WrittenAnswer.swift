import FitIQAPI

/// A written answer and the words that call for it.
struct WrittenAnswer: Sendable {
    /// Who gives it; nil if everyone does.
    var persona: Persona?
    /// Words and phrases, one of which in a question is enough; none for an answer that fits any question.
    var keywords: [String]
    /// 25 to 48 words of plain text, so that it streams within four seconds, word by word, whatever opens it.
    var text: String

    init(_ persona: Persona?, _ keywords: [String], _ text: String) {
        self.persona = persona
        self.keywords = keywords
        self.text = text
    }
}
