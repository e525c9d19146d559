import Faults
import Foundation
import TestSupport
import Testing

@testable import Scenarios

/// Compares `docs/scenarios.md`, `docs/faults.md` and `docs/networks.md` with the scenario schema, which other tests
/// compare with the reader.
@Suite("The reference pages for scenarios and faults")
struct ScenarioPagesTests {
    /// The sections that document the keys of each schema object; "" is the scenario itself.
    static let sections: [(object: String, page: String, headings: [String])] = [
        ("", "scenarios", ["The scenario"]), ("clock", "scenarios", ["Clocks"]), ("user", "scenarios", ["Users"]),
        ("accounts", "scenarios", ["Tokens and passwords"]), ("token", "scenarios", ["Fixed tokens"]),
        ("consultations", "scenarios", ["Rules for consultations"]), ("refresh_token", "scenarios", ["Refresh tokens"]),
        ("documents", "scenarios", ["Documents"]), ("share", "scenarios", ["Shares"]),
        ("profile", "scenarios", ["Profiles"]), ("preferences", "scenarios", ["Preferences"]),
        ("goal", "scenarios", ["Goals"]), ("consultation", "scenarios", ["Consultations"]),
        ("message", "scenarios", ["Messages"]), ("template", "scenarios", ["Templates"]),
        ("meal_log", "scenarios", ["Meal logs"]), ("item", "scenarios", ["Foods in a meal log"]),
        ("answer", "scenarios", ["Answers"]), ("answer_condition", "scenarios", ["When an answer applies"]),
        ("chunk", "scenarios", ["Chunks"]), ("step", "scenarios", ["Steps"]), ("timing", "scenarios", ["Timing"]),
        ("jitter", "scenarios", ["Jitter"]), ("meal", "scenarios", ["Meals"]),
        ("meal_condition", "scenarios", ["Which meals"]), ("food", "scenarios", ["Foods in a rule"]),
        ("replay", "scenarios", ["Replays"]),
        ("fault", "faults", ["Where a fault acts", "Answers over REST, and handshakes", "Sockets"]),
        ("selection", "faults", ["Selections"]), ("point", "faults", ["Points"]), ("quota", "faults", ["Quotas"]),
        ("dribble", "faults", ["Pieces"]), ("truncate", "faults", ["Truncated bodies"]),
        ("reset", "faults", ["Resets"]), ("close", "faults", ["Close frames"]), ("cut", "faults", ["Cut frames"]),
        ("end", "faults", ["Ends after a frame"]),
        ("hold", "faults", ["Breakpoints"]), ("network", "networks", ["Your own numbers"]),
        ("outages", "networks", ["Outages"]), ("stub", "scenarios", ["Stubs"]),
        ("overlay", "scenarios", ["Overlay files"]), ("change", "scenarios", ["Overlays"]),
        ("upstream", "upstream", ["Who answers"]), ("exception", "upstream", ["Exceptions"]),
    ]

    private struct Schema: Decodable {
        struct Object: Decodable {
            let properties: [String: Ignored]?
        }
        struct Ignored: Decodable {
            init(from decoder: any Decoder) {}
        }
        let properties: [String: Ignored]
        let definitions: [String: Object]

        enum CodingKeys: String, CodingKey {
            case properties
            case definitions = "$defs"
        }

        func keys(of object: String) -> Set<String> {
            Set((object.isEmpty ? properties : definitions[object]?.properties ?? [:]).keys)
        }
    }

    private static func schema() throws -> Schema {
        let file = URL.fixtures.appending(path: "scenarios/scenario.schema.json")
        return try JSONDecoder().decode(Schema.self, from: Data(contentsOf: file))
    }

    private static func page(_ name: String) throws -> String { try textOfPackage("docs/\(name).md") }

    @Test("Each schema object has a section on the page")
    func objects() throws {
        let objects = try Self.schema().definitions.filter { $0.value.properties != nil }.map(\.key)
        #expect(Set(objects + [""]) == Set(Self.sections.map(\.object)))
    }

    @Test("Each key has one row with a sentence and occurs in an example", arguments: sections.indices)
    func keys(_ index: Int) throws {
        let section = Self.sections[index]
        let keys = try Self.schema().keys(of: section.object)
        let page = try Self.page(section.page)
        let texts = try section.headings.map { try Self.section($0, of: page) }
        let rows = texts.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("| `") }
        #expect(rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }.sorted() == keys.sorted())
        for row in rows { #expect(row.hasSuffix(". |"), "\(row)") }
        // A small object has its example in the section that uses it, and 'replay' has its own.
        let own = texts.flatMap(Self.examples)
        let examples = own.isEmpty || section.object.isEmpty ? Self.examples(page) : own
        for key in keys where !examples.contains(where: { $0.contains("\(key):") }) {
            Issue.record("docs/\(section.page).md has no example of '\(key)' of \(section.headings).")
        }
    }

    @Test("The page and the reader agree on where each fault and each compression error is allowed")
    func places() throws {
        let page = try Self.page("faults")
        let names: KeyValuePairs<FaultPlace, String> = [
            .response: "REST", .handshake: "handshake", .socket: "socket",
        ]
        let answers = try Self.cells(Self.section("Answers over REST, and handshakes", of: page))
        for action in FaultAction.all {
            let places = names.filter { action.places.contains($0.key) }.map(\.value)
            #expect(places.joined(separator: ", ") == answers[action.key] ?? "socket", "\(action.key)")
        }
        let words = try Self.cells(Self.section("Compression", of: page))
        #expect(Set(words.keys) == Set(CompressionFault.allCases.map(\.rawValue)))
        for (word, places) in words {
            let targets = ["any": "REST", "handshake": "handshake", "socket": "socket"].filter { target in
                (try? Scenario.read("{name: a, faults: [{on: \(target.key), compression: \(word)}]}")) != nil
            }
            #expect(targets.values.sorted() == places.components(separatedBy: ", ").sorted(), "\(word)")
        }
    }

    /// The second cell of each row with a sentence, by the word in the first cell.
    private static func cells(_ text: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: text.matches(of: #/\n\| `([\w-]+)` \| ([^|]+) \| [^|]/#).map {
                (String($0.output.1), String($0.output.2))
            })
    }

    /// The text below a heading, up to the next heading.
    private static func section(_ heading: String, of page: String) throws -> String {
        let parts = page.components(separatedBy: "\n#").filter { $0.drop { $0 == "#" }.hasPrefix(" \(heading)\n") }
        try #require(parts.count == 1, "one section \(heading)")
        return parts[0]
    }

    private static func examples(_ text: String) -> [Substring] {
        text.matches(of: #/```yaml\n((?:.|\n)*?)```/#).map(\.output.1)
    }
}
