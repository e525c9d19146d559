import Foundation
import Testing

@testable import Scenarios

/// Each file of Fixtures/invalid-scenarios with the messages about it.
@Suite("Invalid scenarios")
struct InvalidScenarioTests {
    static let names: [String] = {
        let files = FileManager.default.enumerator(atPath: Fixture.invalid.path)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test("There are many, and each message belongs to one")
    func areMany() {
        #expect(Self.names.count >= 40)
        let files = FileManager.default.enumerator(atPath: Fixture.invalid.path)?.compactMap { $0 as? String } ?? []
        let expectations = files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
        #expect(Set(expectations) == Set(Self.names))
    }

    @Test("Each is refused in these words", arguments: names)
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

    @Test("A consultation has as many messages in all as may be, and not one more")
    func messages() {
        func text(_ count: Int) -> String {
            "{name: a, users: [{id: u, consultations: [{persona: nutritionist, made_up_messages: \(count), "
                + "messages: [{user: a}]}]}]}"
        }
        #expect(throws: Never.self) { try Scenario.read(text(ScenarioLimits.messages - 1)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(ScenarioLimits.messages)) }
    }

    @Test("The passwords of a scenario take as much work as may be, and not more")
    func passwords() {
        func text(_ count: Int) -> String {
            let users = (0..<count).map { "{id: u\($0), email: u\($0)@b.c, password: password}" }
            return "{name: a, accounts: {password_cost: 100000}, users: [\(users.joined(separator: ","))]}"
        }
        let most = ScenarioLimits.passwordWork / 100_000
        #expect(throws: Never.self) { try Scenario.read(text(most)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(most + 1)) }
    }

    @Test("Patterns of exactly as many instructions as all may have are none of them")
    func instructions() {
        let rule = "{when: {content: '/x{999}/'}, steps: [{text: a}]}"
        func text(_ count: Int) -> String {
            "{name: a, answers: [\(Array(repeating: rule, count: count).joined(separator: ","))]}"
        }
        #expect(throws: Never.self) { try Scenario.read(text(ScenarioLimits.patternInstructions / 1000)) }
        #expect(throws: ScenarioErrors.self) { try Scenario.read(text(ScenarioLimits.patternInstructions / 1000 + 1)) }
    }
}
