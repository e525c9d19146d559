import FitIQAPI
import Testing

@testable import FitIQBackend

extension WrittenAnswer {
    static let common = CoachBook.builtIn.common
    static let urgent = CoachBook.builtIn.urgent
    static func own(of persona: Persona) -> [WrittenAnswer] { CoachBook.builtIn.answers(of: persona) }

    static let all = Persona.allCases.flatMap(own) + common + urgent
}

@Suite("Written answers") struct WrittenAnswerTests {
    @Test("Every persona has its own written answers")
    func count() {
        #expect(WrittenAnswer.all.count >= 40)
        for persona in Persona.allCases {
            #expect(WrittenAnswer.own(of: persona).count >= 8)
            #expect(WrittenAnswer.own(of: persona).allSatisfy { $0.persona == persona })
        }
        #expect((WrittenAnswer.common + WrittenAnswer.urgent).allSatisfy { $0.persona == nil && !$0.keywords.isEmpty })
    }

    @Test("Written answers are unique")
    func unique() { #expect(Set(WrittenAnswer.all.map(\.text)).count == WrittenAnswer.all.count) }

    @Test("Each written answer has 25 to 48 words", arguments: WrittenAnswer.all.map(\.text))
    func shape(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        #expect((25...48).contains(words.count))
        #expect(text.first?.isWhitespace == false && text.last?.isWhitespace == false)
        for gap in ["  ", " \n", "\n ", "\n\n"] { #expect(!text.contains(gap)) }
    }

    @Test("Written answers contain hard cases such as apostrophes, accents, emoji and line breaks")
    func difficulties() {
        func count(_ text: String) -> Int { WrittenAnswer.all.count { $0.text.contains(text) } }
        #expect(count("'") >= 3 && count("—") >= 3 && count("é") >= 2 && count("\n") >= 3)
        #expect(count("\u{201C}") >= 1)
        #expect(
            WrittenAnswer.all.count { $0.text.unicodeScalars.contains(where: \.properties.isEmojiPresentation) } >= 4)
    }

    @Test("Each written answer mentions each of its keywords once")
    func keywords() {
        for answer in WrittenAnswer.all {
            let folded = answer.keywords.map(Words.fold)
            #expect(Set(folded).count == folded.count, "\(answer.keywords)")
            #expect(!folded.contains([]))
        }
    }
}

@Suite("Words") struct WordsTests {
    static let table: [(String, [String])] = [
        ("", []), (" \n", []), ("One two", ["one", "two"]), ("CAFÉ", ["cafe"]), ("cafe\u{301}s", ["cafe"]),
        ("don't", ["dont"]), ("don\u{2019}t", ["dont"]), ("Straße", ["strasse"]), ("Ångström", ["angstrom"]),
        ("goals, stress; gas", ["goal", "stress", "gas"]), ("5k-run", ["5k", "run"]),
        ("привет мир", ["привет", "мир"]),
        ("😀hi😀", ["hi"]), ("a\u{0}b", ["a", "b"]), ("æon œuvre", ["aeon", "œuvre"]), ("s ss", ["s", "ss"]),
    ]

    @Test("Words are folded to lowercase without accents or plural endings", arguments: table)
    func fold(text: String, words: [String]) { #expect(Words.fold(text) == words) }
}

@Suite("Chunks") struct ChunkTests {
    static let table: [(String, [String])] = [
        ("", []), ("a", ["a"]), (" ", [" "]), ("\n\n", ["\n\n"]), ("a b", ["a ", "b"]), ("a b ", ["a ", "b "]),
        (" a b", [" a ", "b"]), ("a\n\nb", ["a\n\n", "b"]), ("a\r\nb", ["a\r\n", "b"]), ("a \t b", ["a \t ", "b"]),
        ("For breakfast, I", ["For ", "breakfast, ", "I"]), ("— é 😀.", ["— ", "é ", "😀."]), ("a\u{A0}b", ["a\u{A0}b"]),
        ("a \u{301}b", ["a ", "\u{301}b"]),
    ]

    @Test("Each chunk is a word with its trailing white space", arguments: table)
    func splitting(text: String, chunks: [String]) { #expect(Coach.chunks(of: text) == chunks) }

    @Test("Each chunk has one word, and all chunks together equal the answer", arguments: WrittenAnswer.all.map(\.text))
    func concatenation(text: String) {
        let chunks = Coach.chunks(of: text)
        #expect(chunks.joined().utf8.elementsEqual(text.utf8) && !chunks.contains(""))
        #expect(chunks.count == text.split(whereSeparator: \.isWhitespace).count)
    }

    @Test(
        "The chunks of any prefix of the text equal the prefix when joined",
        arguments: table.map(\.0) + WrittenAnswer.all.map(\.text))
    func prefixes(text: String) {
        for end in text.unicodeScalars.indices {
            let prefix = String(text.unicodeScalars[..<end])
            let chunks = Coach.chunks(of: prefix)
            #expect(chunks.joined().utf8.elementsEqual(prefix.utf8) && !chunks.contains(""))
        }
    }
}
