import Foundation
import Testing

@testable import Scenarios

/// Reads each file in Fixtures/invalid-scenarios, and expects its messages.
@Suite("Invalid scenarios")
struct InvalidScenarioTests {
    static let names: [String] = {
        let files = FileManager.default.enumerator(atPath: Fixture.invalid.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test("Each of at least 40 invalid scenarios has an expected message")
    func areMany() {
        #expect(Self.names.count >= 40)
        let files = FileManager.default.enumerator(atPath: Fixture.invalid.path)?.compactMap { $0 as? String } ?? []
        let expectations = files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
        #expect(Set(expectations) == Set(Self.names))
    }

    @Test("Each invalid scenario produces its exact message", arguments: names)
    func isRefused(_ name: String) throws {
        let url = Fixture.invalid.appendingPathComponent(name)
        let bytes = try [UInt8](Data(contentsOf: url.appendingPathExtension("yaml")))
        let expected = try String(contentsOf: url.appendingPathExtension("txt"), encoding: .utf8)
        let file = url.lastPathComponent + ".yaml"
        do {
            let scenario = try Scenario.read(bytes, file: file)
            Issue.record("It was read: \(scenario)")
        } catch {
            #expect(error.description + "\n" == expected)
            #expect(error.file == file)
            for mistake in error.mistakes { #expect(mistake.line != nil && mistake.column != nil) }
        }
    }

    /// A scenario at a limit, and one beyond it.
    struct Limit: Sendable, CustomTestStringConvertible {
        let testDescription, allowed, refused: String

        init<Value>(_ name: String, _ most: Value, _ more: Value, text: (Value) -> String) {
            (testDescription, allowed, refused) = (name, text(most), text(more))
        }

        init(_ name: String, _ most: Int, text: (Int) -> String) { self.init(name, most, most + 1, text: text) }
    }

    static let limits: [Limit] = [
        Limit("messages of a consultation", ScenarioLimits.messages - 1) {
            "{name: a, users: [{id: u, consultations: [{persona: nutritionist, made_up_messages: \($0), "
                + "messages: [{user: a}]}]}]}"
        },
        // A user without a password needs no work.
        Limit("password work", ScenarioLimits.passwordWork / 100_000) { count in
            let users = (0..<count).map { "{id: u\($0), email: u\($0)@b.c, password: password}" } + ["{id: none}"]
            return "{name: a, accounts: {password_cost: 100000}, users: [\(users.joined(separator: ","))]}"
        },
        Limit("named pauses", ScenarioLimits.pauses) { count in
            "{name: a, pauses: {" + (0..<count).map { "p\($0): 1s" }.joined(separator: ", ") + "}}"
        },
        Limit("grams of a nutrient", "1000000", "1000000.1") {
            "{name: a, meals: [{items: [{name: b, quantity: 1, unit: c, protein: \($0)}]}]}"
        },
    ]

    @Test("The reader rejects a scenario only beyond a limit", arguments: limits)
    func limit(_ limit: Limit) {
        #expect(throws: Never.self) { try Scenario.read(limit.allowed) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(limit.refused) }
    }

    @Test(
        "The reader reports an error once, at its location",
        arguments: [
            // A false flag is treated as omitted.
            ("{name: a, meals: [{when: {photo: false, text: b}, fail: c}]}", "meals[0].when.photo"),
            (food("amount: one"), "users[0].meal_logs[0].items[0].amount"),
            (food("id: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"), "users[0].meal_logs[0].items[0].id"),
        ])
    func places(_ text: String, _ path: String) { #expect(TreeTests.errors(text)?.mistakes.map(\.path) == [path]) }

    /// A scenario with a food that has one more member.
    private static func food(_ member: String) -> String {
        "{name: a, users: [{id: u, meal_logs: [{text: b, meal_type: lunch, items: ["
            + "{name: c, quantity: 1, unit: d, \(member)}]}]}]}"
    }

    @Test("The reader rejects a scenario only if it exceeds the step limit", arguments: ["answers", "meals"])
    func matchingSteps(list: String) throws {
        func text(_ patterns: [String]) -> String {
            let rules = patterns.map {
                list == "answers" ? "when: {content: '\($0)'}, steps: [{text: a}]" : "when: {text: '\($0)'}"
            }
            return "{name: a, \(list): [{\(rules.joined(separator: "},{"))}]}"
        }
        // An instruction marks the match.
        let words = [String](repeating: "eggs", count: 100)
        #expect(throws: Never.self) { try Scenario.read(text(["/x{399}/"] + words)) }
        let error = try #require(throws: ScenarioErrors.self) {
            try Scenario.read(text(["/x{399}/", "/[a-z]/"] + words))
        }
        #expect(
            error.mistakes.map(\.message) == [
                "\(list) has rules that take up to 505 steps per character of text; at most 500 are allowed. An "
                    + "expression takes one step for each of its characters, and more for a class; a counted "
                    + "repetition takes its part's steps once per repetition; words take 1 step. Repeat less, or match "
                    + "words."
            ])
        #expect(throws: Never.self) {
            try Scenario.read(text([String](repeating: "eggs", count: ScenarioLimits.matchingSteps)))
        }
    }
}
