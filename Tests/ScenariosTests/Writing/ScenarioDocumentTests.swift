import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@Suite("Writing a scenario's tree for people to edit") struct ScenarioDocumentTests {
    private func text(_ value: JSONValue, _ comments: [String] = []) -> String {
        String(decoding: ScenarioDocument.text(value, comments: comments), as: UTF8.self)
    }

    @Test("A written scenario file has comments and a line for each key and each fault")
    func lines() throws {
        let value: JSONValue = [
            "name": "reset-before-the-end", "summary": "After a reset, it ends.", "seed": 7, "token_lifetime": "10s",
            "answers": [["when": ["content": "protein"], "chunks": ["One ", "two."]]],
            "faults": [
                ["name": "a", "on": "GET /api/v1/goals", "status": 503], ["name": "b", "on": "any", "hang": true],
            ],
        ]
        let file = text(value, ["Found by: fitiq-mock explore", "In two\nlines\u{1B}[31m"])
        #expect(
            file == #"""
                # Found by: fitiq-mock explore
                # In two lines�[31m
                name: reset-before-the-end
                summary: "After a reset, it ends."
                seed: 7
                token_lifetime: "10s"
                answers:
                  - {"when":{"content":"protein"},"chunks":["One ","two."]}
                faults:
                  - {"name":"a","on":"GET /api/v1/goals","status":503}
                  - {"name":"b","on":"any","hang":true}

                """#)
        #expect(try Scenario.read(file).faults.map(\.name.text) == ["a", "b"])
    }

    @Test(
        "A written scenario file quotes strings that YAML would misread",
        arguments: [
            "", "true", "null", "~", "7", "-", "- a", "a: b", "a #b", "#", "1e5", ".inf", "no",
            "\u{0}\u{1F}\t\n\r\u{8}", "\u{7F}\u{85}\u{9F}", "\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{FFFF}", "👩‍👩‍👧 é",
            "\"\\/", " a ", "a\n\n  b", "---", "*a", "&a", "!a", "%a", "@a", "`a", "?", "|", ">",
        ])
    func texts(_ text: String) throws {
        let value: JSONValue = ["name": .string(text), "list": [.string(text), ["in": .string(text)]]]
        let bytes = ScenarioDocument.text(value)
        #expect(bytes.starts(with: Array("name: ".utf8)), "It is YAML.")
        #expect(try JSONValue(yaml: bytes) == value)
        guard !text.isEmpty else { return }
        let named = JSONValue.object(JSONObject([(key: text, value: JSONValue.array([[:]]))]))
        #expect(try JSONValue(yaml: ScenarioDocument.text(named)) == named)
    }

    @Test("Reading the file yields the same tree", arguments: 0..<200 as Range<UInt64>)
    func property(_ seed: UInt64) throws {
        var draw = Draw(seed: seed)
        let members = (0...draw.below(6)).map { (key: "k\($0)", value: Self.value(&draw, depth: 0)) }
        let value = JSONValue.object(JSONObject(members))
        let bytes = ScenarioDocument.text(value, comments: [Self.words(&draw)])
        #expect(bytes.starts(with: Array("# ".utf8)), "It is YAML.")
        #expect(try JSONValue(yaml: bytes) == value)
    }

    @Test("A written scenario file uses JSON where YAML is ambiguous")
    func json() throws {
        let key = String(repeating: "k", count: 2000)
        let long: JSONValue = ["name": "a", "users": [.object(JSONObject([(key: key, value: JSONValue.null)]))]]
        #expect(ScenarioDocument.text(long, comments: ["c"]) == long.encoded() + [0x0A])
        let many: JSONValue = ["list": .array(Array(repeating: JSONValue.null, count: ScenarioLimits.nodes))]
        #expect(ScenarioDocument.text(many) == many.encoded() + [0x0A])
        let most: JSONValue = ["list": .array(Array(repeating: JSONValue.null, count: ScenarioLimits.nodes - 2))]
        #expect(text(most).hasPrefix("list: [null,null,"))
        #expect(text([]) == "[]\n" && text([:]) == "{}\n")
    }

    @Test("Every built-in scenario survives writing and reading", arguments: Scenario.builtInNames)
    func builtIn(_ name: String) throws {
        let (scenario, tree) = try Scenario.readWithJSON(try #require(Scenario.builtInText(named: name)))
        #expect(try Scenario.read(ScenarioDocument.text(tree)) == scenario)
    }

    private static func value(_ draw: inout Draw, depth: Int) -> JSONValue {
        switch draw.below(depth < 4 ? 8 : 5) {
        case 0: return .null
        case 1: return .bool(draw.once(in: 2))
        case 2: return .number(JSONNumber(draw.below(1_000_000) - 500_000))
        case 3: return .string(words(&draw))
        case 4: return [[:], []][draw.below(2)]
        case 5: return .array((0..<draw.below(4)).map { _ in value(&draw, depth: depth + 1) })
        default:
            return .object(
                JSONObject(
                    (0..<draw.below(4)).map { (key: "\($0)" + words(&draw), value: value(&draw, depth: depth + 1)) }))
        }
    }

    private static func words(_ draw: inout Draw) -> String {
        let pieces = [
            "a", " ", "\"", "\\", "\n", "\t", ":", "#", "{", "]", ",", "-", "'", "é", "👍🏽", "\u{85}", "\u{2028}",
            "\u{0}", "\u{7F}",
        ]
        return (0..<draw.below(12)).map { _ in draw.element(of: pieces) }.joined()
    }
}
