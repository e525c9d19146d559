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

    @Test("The reader rejects a consultation only if it exceeds the message limit")
    func messages() {
        func text(_ count: Int) -> String {
            "{name: a, users: [{id: u, consultations: [{persona: nutritionist, made_up_messages: \(count), "
                + "messages: [{user: a}]}]}]}"
        }
        #expect(throws: Never.self) { try Scenario.read(text(ScenarioLimits.messages - 1)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(ScenarioLimits.messages)) }
    }

    @Test("The reader rejects a scenario only if it exceeds the limit on password work")
    func passwords() {
        func text(_ count: Int) -> String {
            var users = (0..<count).map { "{id: u\($0), email: u\($0)@b.c, password: password}" }
            // A user without a password needs no work.
            users.append("{id: none}")
            return "{name: a, accounts: {password_cost: 100000}, users: [\(users.joined(separator: ","))]}"
        }
        let most = ScenarioLimits.passwordWork / 100_000
        #expect(throws: Never.self) { try Scenario.read(text(most)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(most + 1)) }
    }

    @Test("The reader rejects a scenario only if it exceeds the limit on named pauses")
    func pauses() {
        func text(_ count: Int) -> String {
            "{name: a, pauses: {" + (0..<count).map { "p\($0): 1s" }.joined(separator: ", ") + "}}"
        }
        #expect(throws: Never.self) { try Scenario.read(text(ScenarioLimits.pauses)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(ScenarioLimits.pauses + 1)) }
    }

    @Test("The reader rejects a food with more than a million grams of a nutrient")
    func grams() {
        func text(_ grams: String) -> String {
            "{name: a, meals: [{items: [{name: b, quantity: 1, unit: c, protein: \(grams)}]}]}"
        }
        #expect(throws: Never.self) { try Scenario.read(text("1000000")) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text("1000000.1")) }
    }

    @Test(
        "The reader reports an error once, at its location",
        arguments: [
            // A false flag is treated as omitted.
            ("{name: a, meals: [{when: {photo: false, text: b}, fail: c}]}", "meals[0].when.photo"),
            (food("amount: one"), "users[0].meal_logs[0].items[0].amount"),
            (food("id: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"), "users[0].meal_logs[0].items[0].id"),
        ])
    func places(_ text: String, _ path: String) {
        #expect(TreeTests.errors(text)?.mistakes.map(\.path) == [path])
    }

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
