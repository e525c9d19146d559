import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import FitIQBackend

extension DataFile {
    init(_ text: String, path: String = "a.json") {
        self = text.bytes.withUnsafeBufferPointer { DataFile($0, path: path) }
    }
}

@Suite("Data files") struct DataFileTests {
    @Test("Sections and records keep the order of the file and their line numbers")
    func reads() {
        var file = DataFile(
            #"{"a": [{"t": "\"}:,[", "l": ["x","y\\"]},"# + "\n" + #"{"t":"z"}], "b":"# + "\n" + #"[{"u": "v"}]}"#)
        #expect(file.mistakes == [])
        #expect(file.sections.map(\.name) == ["a", "b"] && file.sections.map(\.line) == [1, 3])
        #expect(file.sections.map { $0.records.map(\.line) } == [[1, 2], [3]])
        let record = file.sections[0].records[0]
        #expect(file.text("t", of: record) == "\"}:,[" && file.texts("l", of: record) == ["x", "y\\"])
        #expect(file.optionalText("u", of: record) == nil)
        #expect(DataFile(#"{"a":[{},{"k":"x"}]}"#).mistakes == [])
    }

    /// Files, in which ' stands for ", with the line and the message of their mistake.
    static let forms: [(String, Int, String)] = [
        ("", 1, ""), ("{\n'a': [],\n}", 3, ""), ("{}\n{}", 2, ""), ("[]", 1, "the file must be an object of sections"),
        ("\n7", 2, "the file must be an object of sections"), ("\n'x'", 2, "the file must be an object of sections"),
        ("{\n'a': [], 'a': []}", 1, "two sections have the same name"),
        ("{\n'a': {}}", 2, "the section a must be a list of objects"),
        ("{\n'a':\n 1}", 3, "the section a must be a list of objects"),
        ("{'a': [\n{},\n\n'x']}", 4, "a record must be an object in which each key appears only once"),
        ("{'a': [\n{'k': 'x',\n'k': 'y'}]}", 2, "a record must be an object in which each key appears only once"),
        ("{'a': [\n{'k':\n1}]}", 3, "k must be a string or a list of strings"),
        ("{'a': [\n{'k': 'x', 'l': ['x',\n'y',\n[]]}]}", 4, "l must be a string or a list of strings"),
        ("{'a': [{'k': [[{}]],\n'l': {}}]}", 1, "k must be a string or a list of strings"),
    ]

    @Test("An invalid form is reported with its file and line", arguments: forms)
    func tellsOtherForms(_ text: String, _ line: Int, _ message: String) {
        let mistakes = DataFile(text.replacing("'", with: "\"")).mistakes
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix("a.json:\(line): "), "\(mistakes)")
        #expect(message.isEmpty || mistakes[0].contains(message), "\(mistakes)")
    }

    @Test("Missing, empty, untrimmed and unexpected strings are reported")
    func tellsTexts() {
        var file = DataFile("{\"a\": [\n{\"x\": \"\", \"y\": \" a\"},\n{\"z\": [\"b\"]}]}")
        let records = file.sections[0].records
        file.check(records[0], keys: ["x", "y"])
        for key in ["x", "y", "z"] { _ = file.text(key, of: records[0]) }
        _ = file.texts("y", of: records[0])
        file.check(records[1], keys: ["x", "y"])
        _ = file.text("z", of: records[1])
        #expect(
            file.mistakes == [
                "a.json:2: x must be a string without leading or trailing white space",
                "a.json:2: y must be a string without leading or trailing white space",
                "a.json:2: z is missing", "a.json:2: y must be a list of strings",
                "a.json:3: there is no key \"z\"; the keys are x, y",
                "a.json:3: z must be a string without leading or trailing white space",
            ])
    }
}

@Suite("Coach and quick action files") struct TextFileTests {
    private func mistakes(in text: String, _ path: String) -> [String] {
        var file = DataFile(text, path: path)
        switch path {
        case CoachBook.path: _ = CoachBook(&file)
        case GoalBook.path: _ = GoalBook(&file)
        default: _ = QuickAction.read(&file)
        }
        return file.mistakes
    }

    @Test("The built-in data files have no errors", arguments: [CoachBook.path, QuickAction.path, GoalBook.path])
    func areRight(path: String) throws { #expect(try mistakes(in: textOfPackage(path), path) == []) }

    typealias Edits = KeyValuePairs<(String, String), [String]>

    /// A string, its replacement, and the endings of the resulting mistakes.
    static let coach: Edits = [
        (#""urgent":"#, #""urgend":"#): [
            "sections must be openings, urgent, nutritionist, fitness_coach, wellness_specialist, general_wellness, common, suggestions, templates"
        ],
        (#""context_type": "goal""#, #""context_type": "general""#): [
            "each may occur only once", "except general needs an opening",
        ],
        (#""context_type": "goal""#, #""context_type": "mood""#): [
            "each may occur only once", "except general needs an opening",
        ], (#""difficulty": "2""#, #""difficulty": "6""#): ["difficulty must be a number in 1.0...5.0"],
        (#""target_value": "5""#, #""target_value": "five""#): ["target_value must be a number in 0.1...1000000.0"],
        (#""title": "Protein"#, #""titel": "Protein"#): ["difficulty", "title is missing"],
        ("Thanks for sharing", "Thanks a b c d e f g for sharing"): ["at most 12 words"],
        ("Thanks for sharing", "Thanks a b c d e for sharing"): [],
        (#""suicide", "#, #""suicide", "Suicides", "#): [
            "the keyword \"Suicides\" occurs twice, or occurs in two forms of the same word"
        ], (#""suicide", "#, #""?", "#): ["the keyword \"?\" contains no word"],
        (#"I'm really glad that you told me, and"#, "And"): [],
        ("A lunch that holds", "Lunch: for breakfast, for breakfast, a lunch that holds"): [],
        (
            "For breakfast, I recommend something with protein and fibre: plain yogurt with berries and a handful of oats, or two eggs on whole-grain toast.",
            "Eat."
        ): ["to 48 words, not 16"],
        ("For breakfast, I", "For breakfast,  I"): ["words must be separated by single spaces or line breaks"],
        (#""keywords": ["suicide""#, #""keyword": ["suicide""#): [
            "there is no key \"keyword\"; the keys are keywords, text", "keywords must be a list of strings",
            "only a persona may have answers without keywords",
        ],
    ]
    static let actions: Edits = [
        (#""everyone":"#, #""all":"#): [
            "the sections must be nutritionist, fitness_coach, wellness_specialist, general_wellness, everyone",
            "all needs an action for each context_type",
        ],
        (#""prompt": "Plan my meals for the week""#, #""prompt": "What should I eat for breakfast?""#): [
            "the prompt is already on line 3"
        ],
        (#""prompt": "Plan my meals for the week""#, #""promt": "Plan my meals for the week""#): [
            "the keys are prompt, description, context_type, category", "prompt is missing",
        ],
        (#""prompt": "Plan my"#, #""prompt": "Plan my meals, and plan them well, because I can't, and plan my"#): [
            "at most 60 characters"
        ],
        (#""context_type": "goal""#, #""context_type": "goals""#): [
            "context_type must be one of general, goal, insight, mood, journal"
        ], (#""category": "meal_planning""#, #""category": "Meal planning""#): ["in snake case, such as meal_planning"],
    ]

    /// As above, but with parts of the mistakes.
    static let goals: Edits = [
        (#""topics":"#, #""topic":"#): ["the sections must be topics, stages"],
        (#""keywords": []"#, #""keywords": ["any"]"#): [
            "the last topic must have no keywords, because it fits any goal"
        ],
        (#""tips": ["#, #""tip": ["#): [
            "there is no key \"tip\"", "tips must be a list of strings", "at least three entries",
        ], (#""stage": "new""#, #""stage": "close""#): ["\"close\" is missing or occurs twice", "needs a stage"],
        (#""stage": "new""#, #""stage": "old""#): ["the stage \"old\"", "needs a stage"],
        (#""message": "Every"#, #""massage": "Every"#): ["there is no key \"massage\"", "message is missing"],
    ]

    private func replacing(_ edit: (old: String, new: String), in path: String) throws -> (line: Int, [String]) {
        let text = try textOfPackage(path)
        let place = try #require(text.firstRange(of: edit.old)?.lowerBound)
        let changed = text.replacing(edit.old, with: edit.new, maxReplacements: 1)
        return (text.prefix(upTo: place).count { $0 == "\n" } + 1, mistakes(in: changed, path))
    }

    @Test(
        "An error in the coach's answers or the quick actions is reported with its file and line",
        arguments: coach.map { (CoachBook.path, $0.key, $0.value) }
            + actions.map { (QuickAction.path, $0.key, $0.value) })
    func tellsMistakes(path: String, edit: (String, String), expected: [String]) throws {
        let (line, mistakes) = try replacing(edit, in: path)
        #expect(
            mistakes.count == expected.count && zip(mistakes, expected).allSatisfy { $0.hasSuffix($1) }, "\(mistakes)")
        // A record is identified by its first line; the changed text is at most four lines below.
        let lines = mistakes.compactMap { Int($0.dropFirst(path.count + 1).prefix { $0 != ":" }) }
        #expect(lines.allSatisfy { $0 == 1 || (line - 4...line + 2).contains($0) }, "\(mistakes), not \(line)")
    }

    @Test("An error in the goal advice is reported with its file", arguments: goals)
    func tellsMistakesInGoals(edit: (String, String), expected: [String]) throws {
        let (_, mistakes) = try replacing(edit, in: GoalBook.path)
        #expect(
            mistakes.count == expected.count && zip(mistakes, expected).allSatisfy { $0.contains($1) }, "\(mistakes)")
        #expect(mistakes.allSatisfy { $0.hasPrefix("Fixtures/data/goals.json:") })
    }

    @Test("Duplicate strings and personas without a general answer are reported")
    func tellsMistakesInSections() {
        func records(_ texts: [String], _ keyword: String?) -> String {
            texts.map { "{\"keywords\": [\(keyword.map { "\"\($0)\"" } ?? "")],\n\"text\": \"\($0)\"}" }.joined(
                separator: ",\n")
        }
        func words(_ word: String) -> String { Array(repeating: word, count: 25).joined(separator: " ") }
        var text = "{\"openings\": ["
        text += ["goal", "insight", "mood", "journal"].map { "{\"context_type\": \"\($0)\", \"text\": \"a\"}" }.joined(
            separator: ",")
        text += "],\n\"urgent\": [\(records([words("u")], "k"))],\n"
        text += "\"nutritionist\": [\(records([words("n"), words("u")], nil))],\n"
        text += "\"fitness_coach\": [\(records([words("f")], "k"))],\n"
        text += "\"wellness_specialist\": [\(records([words("w")], nil))],\n"
        text += "\"general_wellness\": [\(records([words("g")], nil))],\n\"common\": [], \"suggestions\": [], "
        let personas = Persona.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        text += "\"templates\": [{\"type\": \"meal\", \"name\": \"n\", \"personas\": [\(personas)], "
        text += "\"keywords\": [\"k\"], \"text\": \"\(words("t"))\"}]}"
        #expect(
            mistakes(in: text, CoachBook.path) == [
                "Fixtures/data/coach.json:6: the text is already on line 2",
                "Fixtures/data/coach.json:8: fitness_coach needs an answer without keywords, which fits any question",
            ])
    }

    @Test("Missing actions, empty sections and long strings are reported")
    func tellsMissingActions() {
        func text(_ fewer: String = "", _ left: [ContextType] = []) -> String {
            let sections = QuickAction.sections.map { name in
                let records = (name == fewer ? left : ContextType.allCases).map {
                    #"{"prompt": "\#(name) \#($0.rawValue)", "context_type": "\#($0.rawValue)"}"#
                }
                return "\"\(name)\": [\(records.joined(separator: ", "))]"
            }
            return "{" + sections.joined(separator: ",\n") + "}"
        }
        func told(_ line: Int, _ name: String) -> [String] {
            ["Fixtures/data/quick_actions.json:\(line): \(name) needs an action for each context_type"]
        }
        let some = Array(ContextType.allCases.dropLast())
        let table: [(String, [String])] = [
            (text(), []), (text("everyone", some), []), (text("everyone"), told(5, "everyone")),
            (text("fitness_coach", some), told(2, "fitness_coach")), (text("fitness_coach"), told(2, "fitness_coach")),
        ]
        for (text, expected) in table { #expect(mistakes(in: text, QuickAction.path) == expected) }
        for (prompt, description, count) in [(60, 60, 0), (61, 60, 1), (60, 61, 1)] {
            let words = [prompt, description].map { String(repeating: "x", count: $0) }
            let record = #""prompt": "\#(words[0])", "description": "\#(words[1])""#
            let long = text().replacing(#""prompt": "everyone mood""#, with: record)
            #expect(mistakes(in: long, QuickAction.path).count == count, "\(prompt), \(description)")
        }
    }
}
