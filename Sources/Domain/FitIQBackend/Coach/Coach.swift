import FitIQAPI

/// The built-in coach: answers from a few dozen written ones, by who is asked and what.
///
/// The same question gets the same answer, byte for byte, so that a client's test can rely on it.
public enum Coach {
    /// Answers a question.
    ///
    /// The answer whose words and phrases the question holds most of wins, the earlier one where two hold as many;
    /// without any, the persona's general answers follow one another, turn by turn. In the first turn of a consultation
    /// that is about something, a sentence says so.
    ///
    /// - Parameter turn: how many answers the consultation has had before; 0 or more.
    public static func answer(persona: Persona, context: ContextType, question: String, turn: Int) -> String {
        precondition(turn >= 0, "turns count from 0, not \(turn)")
        let words = Words.fold(question)
        if let answer = AnswerIndex.urgent.best(for: words) { return answer.text }

        let index = AnswerIndex.of(persona)
        let answer = index.best(for: words) ?? index.general[turn % index.general.count]
        // Greetings, thanks and the like stand for themselves.
        guard turn == 0, answer.persona == persona, let opening = opening(of: context) else { return answer.text }
        return opening + " " + answer.text
    }

    /// What the first answer says about the context; at most 12 words.
    static func opening(of context: ContextType) -> String? { CoachBook.builtIn.openings[context] }

    /// Cuts a text into words, each with the white space that follows it; together they are the text.
    ///
    /// White space is space, tab, CR and LF; what precedes the first word goes with it. No chunk is empty, and an empty
    /// text has none.
    public static func chunks(of text: String) -> [String] {
        var chunks: [String] = []
        let utf8 = text.utf8
        var start = utf8.startIndex
        var index = start
        // A chunk ends where a word begins, except before the first one.
        var wordHasBegun = false
        var wasWhitespace = false
        while index < utf8.endIndex {
            let isWhitespace = Words.isWhitespace(utf8[index])
            if wordHasBegun, wasWhitespace, !isWhitespace {
                chunks.append(String(text[start..<index]))
                start = index
            }
            if !isWhitespace { wordHasBegun = true }
            wasWhitespace = isWhitespace
            utf8.formIndex(after: &index)
        }
        if start < index { chunks.append(String(text[start..<index])) }
        return chunks
    }
}
