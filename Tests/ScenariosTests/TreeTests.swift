import JSON
import Testing

@testable import Scenarios

@Suite("Scenario file trees")
struct TreeTests {
    static func errors(_ text: String) -> ScenarioErrors? {
        do {
            _ = try Scenario.read(text, file: "f.yaml")
            return nil
        } catch {
            return error
        }
    }

    @Test("The reader rejects a file only if it exceeds the depth limit")
    func depth() {
        // One level is the document's mapping.
        for (count, message) in [(63, "name must be a string"), (64, "Lists and mappings are nested deeper")] {
            let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            // The innermost list is empty, so its elements add no depth.
            #expect(Self.errors("name: \(nested)")?.mistakes.first?.message.hasPrefix(message) == true)
        }
        let dashes = String(repeating: "- ", count: 200_000)
        #expect(Self.errors(dashes)?.mistakes.first?.message.hasPrefix("Lists and mappings are nested") == true)
        // JSON has the same limit, but the null in the innermost list also counts as a level.
        for (count, message) in [(62, "name must be a string"), (63, "Lists and mappings are nested deeper")] {
            let list = (0..<count).reduce(JSONValue.null) { value, _ in .array([value]) }
            let object = (0..<count).reduce(JSONValue.null) { value, _ in ["a": value] }
            for value in [list, object] {
                let errors = #expect(throws: ScenarioErrors.self) { try Scenario.read(json: ["name": value]) }
                #expect(errors?.mistakes.first?.message.hasPrefix(message) == true, "\(count)")
            }
        }
    }

    @Test("The reader rejects a file only if it exceeds the value limit")
    func nodes() {
        // The document, the name, the list.
        for (count, message) in [(199_997, "faults must have at most 1000 faults"), (199_998, "The document has more")]
        {
            let text = "name: a\nfaults: [" + String(repeating: "x,", count: count) + "]"
            #expect(Self.errors(text)?.mistakes.first?.message.hasPrefix(message) == true, "\(count)")
        }
    }

    @Test("The reader rejects a file only if it exceeds the directive limit")
    func directives() throws {
        func text(_ count: Int) -> String {
            (0..<count).map { "%TAG !t\($0)! tag:a,2000:\n" }.joined() + "---\nname: a\n"
        }
        #expect(try Scenario.read(text(ScenarioLimits.directives)) == Scenario(name: "a"))
        let mistake = Self.errors(text(ScenarioLimits.directives + 1))?.mistakes.first
        #expect(mistake?.line == 101 && mistake?.message == Messages.tooManyDirectives)
        // The limit also applies after a document.
        let behind = Self.errors("name: a\n...\n" + text(ScenarioLimits.directives + 1))?.mistakes.first
        #expect(behind?.line == 103 && behind?.message == Messages.tooManyDirectives)
    }

    @Test("The reader rejects a file only if it exceeds the byte limit")
    func bytes() throws {
        let start = "name: a\n#"
        let text = start + String(repeating: "x", count: ScenarioLimits.fileBytes - start.utf8.count)
        #expect(try Scenario.read(text) == Scenario(name: "a"))
        #expect(
            Self.errors(text + "x")?.description
                == "f.yaml: The file has 16777217 bytes; at most 16777216 are read. Use 'made_up_messages' for "
                + "long histories.")
    }

    @Test("The reader reports up to fifty errors and counts the rest")
    func manyMistakes() {
        let errors = Self.errors("name: a\nfaults: [" + String(repeating: "x,", count: 51) + "]")
        #expect((errors?.mistakes.count, errors?.omittedCount) == (50, 1))
        #expect(errors?.description.hasSuffix("\n1 more mistake not shown.") == true)
    }

    @Test("In a request's JSON, quoted strings differ from numbers, and errors are located by path")
    func json() throws {
        #expect(
            try Scenario.read(json: ["name": "a", "seed": 7, "faults": [["on": "any", "delay": "2s"]]])
                == Scenario.read("{name: a, seed: 7, faults: [{on: any, delay: 2s}]}"))
        let text = refusal { try Scenario.read(json: ["name": [], "seed": "7", "fault": [], "users": [["id": ""]]]) }
        #expect(
            text == """
                fault is not a key of a scenario. Did you mean 'faults'? \
                Known keys: \(ObjectKind.scenario.keys.joined(separator: ", ")).
                name must be a string of 1 to 100 characters; got a list.
                seed must be a whole number from 0 to 18446744073709551615; got "7".
                users[0].id must be a string of 1 to 200 characters; it has 0.
                """)
    }

    @Test("The reader reports lines in a JSON file and decodes JSON's escapes")
    func jsonFile() throws {
        #expect(try Scenario.read(#" {"name": "\ud83e\udd5a", "summary": "a\/b"}"#).name == "🥚")
        #expect(
            Self.errors("{\n  \"name\": \"a\",\n  \"seed\": \"7\"\n}")?.description
                == "f.yaml:3:11: seed must be a whole number from 0 to 18446744073709551615; got \"7\".")
    }

    @Test(
        "The reader ignores a byte-order mark written by a Windows editor", arguments: ["name: a", #"{"name": "a"}"#])
    func byteOrderMark(text: String) throws {
        #expect(try Scenario.read("\u{FEFF}" + text) == Scenario(name: "a"))
        #expect(Self.errors("\u{FEFF}" + text + "\n]")?.mistakes.first?.line == 2)
        #expect(Self.errors("\u{FEFF}nam: a")?.mistakes.map(\.column) == [1, 1])
    }

    @Test("The reader ignores any number of byte-order marks", arguments: [2, 3000, 300_000])
    func byteOrderMarks(count: Int) throws {
        let marks = String(repeating: "\u{FEFF}", count: count)
        for text in ["name: a", #"{"name": "a"}"#] {
            let (scenario, json) = try Scenario.readWithJSON(marks + text)
            #expect(scenario == Scenario(name: "a") && json == ["name": "a"])
        }
        #expect(Self.errors(marks)?.mistakes.map(\.message) == [Messages.emptyFile])
    }

    @Test("The reader reports errors in a JSON file that is too large for line numbers")
    func largeJSON() {
        let users = (0..<100_000).map { #"{"id":"u\#($0)"}"# }.joined(separator: ",")
        #expect(
            Self.errors(#"{"name":"a","seed":"7","users":[\#(users)]}"#)?.description
                == "f.yaml: seed must be a whole number from 0 to 18446744073709551615; got \"7\".")
    }

    @Test("Reporting many errors among many names takes linear time")
    func manyNames() {
        let name = String(repeating: "n", count: 30)
        let goals = (0..<1000).map { "{name: \(name)\($0), title: t}" }.joined(separator: ",")
        let consultations = (0..<5000).map { "{persona: nutritionist, context: goal, goal: \(name)_\($0)}" }
        let errors = Self.errors(
            "name: a\nusers: [{id: u, goals: [\(goals)], consultations: [\(consultations.joined(separator: ","))]}]")
        // Each consultation has a mistake, and the consultations after the tenth exceed the limit.
        #expect(errors?.mistakes.count == 50 && (errors?.omittedCount ?? 0) >= 4950)
    }

    @Test("The reader locates a later error in the file by its path")
    func locating() throws {
        let text = "name: a\nusers:\n  - id: u\n    goals:\n      - title: t\n        updated_at: 1d ago\n"
        for (path, place) in [
            ("users[0].goals[0].updated_at", "6:9"), ("users[0].goals[0].created_at", "5:9"), ("users[0]", "3:5"),
            ("users[7]", "2:1"), ("faults", "1:1"), ("name.x", "1:1"),
        ] {
            let errors = ScenarioErrors(path: path, message: "It is so.", in: text, file: "f.yaml")
            #expect(errors.description == "f.yaml:\(place): \(path): It is so.")
        }
    }

    @Test(
        "The location of a YAML error has YAML's line number and a column in characters",
        arguments: [
            ("name: ä\nsummary: b\u{1}", "2:11"), ("name: ä\r\nsummary: b\u{1}", "2:11"),
            ("name: ä\rsummary: b\u{1}", "2:11"), ("name: ä\u{85}summary: b\u{1}", "2:11"),
            ("name: ä\u{2028}summary: b\u{1}", "2:11"), ("name: ä\u{2029}\n\nsummary: b\u{1}", "4:11"),
            ("name: ä\r\nsummary: ä: b", "2:11"), ("name: ä\rsummary: ä: b", "2:11"),
            ("name: ä\n\nsummary: [ä\n", "4:1"),
        ])
    func places(text: String, place: String) {
        #expect(Self.errors(text)?.description.hasPrefix("f.yaml:\(place): The file is not valid YAML: ") == true)
    }

    @Test("The message for a wrong first character contains no column")
    func wrongBeginning() {
        let message = Self.errors("- ]")?.mistakes.first?.message ?? ""
        #expect(message.contains("did not find expected node content") && !message.contains("column"), "\(message)")
    }

    @Test("Paths show a key of up to 60 bytes unchanged and quote a longer key")
    func longKeys() {
        let key = String(repeating: "k", count: 60)
        #expect(Self.errors("{name: a, \(key): 1}")?.mistakes.map(\.path) == [key])
        #expect(Self.errors("{name: a, \(key)k: 1}")?.mistakes.map(\.path) == [Messages.quoted(key + "k")])
    }

    @Test("An alias takes its anchor's value")
    func aliases() throws {
        let scenario = try Scenario.read(
            "name: &n a\nsummary: *n\nfaults: [&f {on: any, delay: &d 1s}]\ntoken_lifetime: *d")
        #expect(scenario.summary == "a" && scenario.tokenLifetime == 1_000_000_000)
    }

    @Test("Aliases count against the limits as if they were written out")
    func aliasLimits() throws {
        // Nine lists of nine, each containing the previous one: half a billion values in 300 bytes.
        let bomb = (1...9).map { level in
            let element = level == 1 ? "x" : "*l\(level - 1)"
            return "- &l\(level) [\(Array(repeating: element, count: 9).joined(separator: ", "))]\n"
        }
        #expect(Self.errors(bomb.joined())?.mistakes.first?.message == Messages.tooManyNodes)
        let deep = "- &d " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "\n- "
        let shallow = String(repeating: "[", count: 23) + "*d" + String(repeating: "]", count: 23)
        #expect(throws: Never.self) { try TreeBuilder.tree(ofYAML: Array((deep + shallow).utf8)) }
        #expect(Self.errors(deep + "[\(shallow)]")?.mistakes.first?.message == Messages.tooDeep)
        let mappings =
            "- &d " + String(repeating: "{a: ", count: 39) + "{}" + String(repeating: "}", count: 39) + "\n- "
        #expect(throws: Never.self) { try TreeBuilder.tree(ofYAML: Array((mappings + shallow).utf8)) }
        #expect(Self.errors(mappings + "[\(shallow)]")?.mistakes.first?.message == Messages.tooDeep)
        let long = String(repeating: "x", count: 1024 * 1024)
        for alias in ["*t", "{? *t : 1}"] {
            let start = "- &t \(long)\n"
            let repeats = { (count: Int) in Array((start + String(repeating: "- \(alias)\n", count: count)).utf8) }
            #expect(throws: Never.self) { try TreeBuilder.tree(ofYAML: repeats(16)) }
            #expect {
                try TreeBuilder.tree(ofYAML: repeats(17))
            } throws: { ($0 as? TreeError)?.message == Messages.tooMuchRepeated }
        }
    }

    @Test("The reader handles an alias within its anchor, before it or after a redefinition")
    func aliasOrder() throws {
        for text in ["&a [*a]", "- *a\n- &a b"] {
            #expect(Self.errors(text)?.mistakes.first?.message == Messages.undefinedAlias("a"))
        }
        let scenario = try Scenario.read("name: &a x\nsummary: &a y\nusers: [{id: *a}]")
        #expect(scenario.data.users.map(\.id) == ["y"])
    }
}
