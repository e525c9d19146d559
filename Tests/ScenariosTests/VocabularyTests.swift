import Foundation
import JSON
import TestSupport
import Testing
import Traffic

@testable import MCP
@testable import Scenarios

/// Compares the table of words in docs/admin.md with every schema: each thing has one word, and each word has one
/// meaning.
@Suite("One vocabulary")
struct VocabularyTests {
    /// The words in a schema, or in a document instead of a schema.
    struct Words {
        /// Members and parameters; each has, for every place where it appears, the kind of its value there.
        var members: [String: [(kind: String, place: String)]] = [:]
        /// The possible words of a member's value.
        var choices: [String: Set<String>] = [:]

        /// The words in a JSON Schema, or in a description with schemas; old words are not part of the vocabulary.
        init(schema: JSONValue, of name: String) { collect(schema, below: name, root: schema) }

        private mutating func collect(_ value: JSONValue, below place: String, root: JSONValue) {
            if let elements = value.array {
                for element in elements { collect(element, below: place, root: root) }
            }
            guard let object = value.object, object["deprecated"] != true else { return }
            for (name, property) in object["properties"]?.object ?? [:] where property["deprecated"] != true {
                add(name, property, at: place, root)
            }
            if let name = object["name"]?.string, object["in"] != nil, let schema = object["schema"] {
                add(name, schema, at: place, root)
            }
            for (key, value) in object where !["example", "examples", "default"].contains(key) {
                if key == "schemas" || key == "$defs" {
                    for (name, schema) in value.object ?? [:] { collect(schema, below: "\(place) \(name)", root: root) }
                } else {
                    collect(value, below: key.hasPrefix("/") ? "\(place) \(key)" : place, root: root)
                }
            }
        }

        private mutating func add(_ name: String, _ schema: JSONValue, at place: String, _ root: JSONValue) {
            let (kinds, words) = Self.kinds(of: schema, root)
            for kind in kinds.isEmpty ? ["any"] : kinds { members[name, default: []].append((kind, place)) }
            choices[name, default: []].formUnion(words)
        }

        /// The types and words of a schema, found by following references and choices; null is left out.
        private static func kinds(of schema: JSONValue, _ root: JSONValue) -> (Set<String>, Set<String>) {
            guard schema["deprecated"] != true else { return ([], []) }
            if let reference = schema["$ref"]?.string {
                let target = reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
                return kinds(of: target, root)
            }
            var kinds = Set(schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap(\.self))
            var words = Set((schema["enum"]?.array ?? [schema["const"]].compactMap(\.self)).compactMap(\.string))
            if !words.isEmpty { kinds = kinds.subtracting(["string"]).union(["word"]) }
            for option in (schema["anyOf"]?.array ?? []) + (schema["oneOf"]?.array ?? []) {
                let (more, others) = Self.kinds(of: option, root)
                kinds.formUnion(more)
                words.formUnion(others)
            }
            // In YAML, a string may look like a number or a Boolean.
            if kinds.contains("string") { kinds.subtract(["number", "boolean"]) }
            return (kinds.subtracting(["null"]), words)
        }

        /// The names that code writes.
        init(code paths: [String], of name: String) throws {
            for path in paths {
                for found in try textOfPackage(path).matches(of: #/\("([a-z]\w+)", /#) {
                    members[String(found.output.1), default: []].append(("any", name))
                }
            }
        }

        /// The stored values of the public types in a folder; a string may be a word, and `webSockets` is
        /// `web_sockets`.
        init(types folder: String, of name: String) throws {
            let kinds = ["Int": "integer", "Bool": "boolean", "[": "array"]
            let files = try FileManager.default.contentsOfDirectory(
                atPath: URL.packageRoot.appending(path: folder).path)
            for file in files where file.hasSuffix(".swift") {
                let text = try textOfPackage("\(folder)/\(file)")
                for found in text.matches(of: #/public (?:let|var) (\w+): (\w+|\[)/#) {
                    let word = String(found.output.1).replacing(#/[A-Z]+/#) { "_\($0.output.lowercased())" }
                    members[word, default: []].append((kinds[String(found.output.2)] ?? "any", name))
                }
            }
        }
    }

    private static func read(_ path: String) throws -> JSONValue {
        try JSONValue(yaml: Array(textOfPackage(path).utf8))
    }

    /// Every description of input or output; a new description needs a row here.
    static let sources = Result {
        let traffic = "Sources/Traffic/Traffic/"
        return [
            Words(schema: try read("openapi/admin.yaml"), of: "admin"),
            Words(schema: try read("Fixtures/scenarios/scenario.schema.json"), of: "scenario"),
            Words(schema: .array(MCPTool.all.map(\.description)), of: "MCP"),
            try Words(code: [traffic + "Journal/JournalEncoder.swift"], of: "journal"),
            try Words(code: [traffic + "HAR/HAREncoder.swift"], of: "HAR"),
            try Words(types: "Sources/Clients/FitIQMockTesting", of: "kit"),
        ]
    }

    /// The second column of the table, one element per row.
    static let table = Result {
        let page = try textOfPackage("docs/admin.md")
        let table = page.components(separatedBy: "| thing | word |\n")[1].components(separatedBy: "\n\n")[0]
        return table.split(separator: "\n").dropFirst().map { row in
            let cell = row.split(separator: "|", omittingEmptySubsequences: false)[2]
            return cell.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
        }
    }

    @Test("The schemas use every word in the table")
    func isInUse() throws {
        let (rows, sources) = (try Self.table.get(), try Self.sources.get())
        #expect(rows.count > 15)
        for word in rows.flatMap(\.self) where word.wholeMatch(of: #/[A-Za-z_]+/#) != nil && word != "any" {
            #expect(
                sources.contains { $0.members[word] != nil || $0.choices.values.contains { $0.contains(word) } },
                "nothing is called \(word)")
        }
    }

    /// The meaning of each word in the table, and the places where the word may mean something else.
    static let meanings: [(word: String, kinds: Set<String>, elsewhere: [String])] = [
        ("connection", ["integer"], []), ("number", ["integer"], []), ("last_number", ["integer"], []),
        // In a wait, the word also means "from now on".
        ("since", ["integer"], ["admin /wait", "MCP"]),
        ("direction", ["word"], []), ("verdict", ["word"], []), ("within", ["string"], []),
        ("held", ["integer", "array"], []), ("world", ["string"], []), ("user", ["string"], []),
        ("kind", ["word"], []), ("opcode", ["word", "any"], []), ("path", ["string"], []), ("target", ["string"], []),
        ("endpoint", ["string"], []), ("web_sockets", ["integer"], []), ("members", ["object"], []),
        // A wait's conditions.
        ("for", ["string"], ["admin /wait", "MCP"]),
        // In a replay's comparison: a place in a body, such as a member.
        ("place", ["word"], ["Differences"]),
        // In a replay's report: the number of an entry in the session.
        ("entry", ["object"], ["RecordedRequest"]), ("hold", ["word", "object"], []), ("fields", ["array"], []),
    ]

    @Test("Each word has one meaning in all schemas", arguments: meanings)
    func meaning(_ row: (word: String, kinds: Set<String>, elsewhere: [String])) throws {
        let uses = try Self.sources.get().flatMap { $0.members[row.word] ?? [] }
        #expect(!uses.isEmpty)
        for use in uses where use.kind != "any" && !row.elsewhere.contains(where: use.place.contains) {
            #expect(row.kinds.contains(use.kind), "\(row.word) is \(use.kind) in \(use.place)")
        }
    }

    @Test("All schemas use the same words for the same choices")
    func choices() throws {
        let directions = Set(Party.allCases.map(\.direction))
        for source in try Self.sources.get() {
            for (name, words) in source.choices {
                switch name {
                case "direction": #expect(words == directions)
                case "verdict": #expect(words == ["kept", "broken", "not_exercised"])
                case "hold": #expect(words == directions.union(["request", "response", "both"]))
                default: break
                }
                // Every use names both directions, except where a word names the party that ended something, or a role.
                if words.isSuperset(of: ["client", "server"]) { Issue.record("\(name): \(words.sorted())") }
            }
        }
    }

    /// Synonyms that once existed or that others use, and the places where they mean something else.
    static let others: [(word: String, now: String, elsewhere: [String])] = [
        ("timeout", "for", []), ("duration", "for", []), ("sender", "direction", []),
        ("from", "direction", ["selection"]), ("n", "connection or held", ["point"]), ("socket_id", "connection", []),
        ("connection_id", "connection", []), ("match", "on and at", ["replay"]), ("outcome", "verdict", []),
        ("headers", "fields", ["stub", "HAR", "kit"]), ("sockets_open", "web_sockets", []), ("how_long", "for", []),
    ]

    @Test("No schema uses a second word for a concept", arguments: others)
    func secondWord(_ row: (word: String, now: String, elsewhere: [String])) throws {
        for use in try Self.sources.get().flatMap({ $0.members[row.word] ?? [] })
        where !row.elsewhere.contains(where: use.place.contains) {
            Issue.record("\(row.word) in \(use.place): write \(row.now)")
        }
    }

    @Test("The vocabulary check finds planted violations")
    func isFound() throws {
        let schema: JSONValue = [
            "properties": [
                "direction": ["$ref": "#/$defs/way"], "timeout": ["type": "string", "deprecated": true],
                "hold": ["anyOf": [["enum": ["client"], "deprecated": true], ["enum": ["both"]], ["type": "object"]]],
            ],
            "parameters": [["name": "n", "in": "path", "schema": ["type": "integer"]]],
            "$defs": ["way": ["enum": ["up"]]],
        ]
        let words = Words(schema: schema, of: "x")
        #expect(Set(words.members.keys) == ["direction", "hold", "n"])
        #expect(words.choices["direction"] == ["up"] && words.choices["hold"] == ["both"])
        #expect(Set(words.members["hold"]?.map(\.kind) ?? []) == ["word", "object"])
    }
}
