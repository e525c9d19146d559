import Foundation
import TestSupport
import Testing

@testable import Scenarios

@Suite("Built-in scenarios")
struct BuiltInTests {
    @Test("Each built-in scenario equals its file byte for byte", arguments: Scenario.builtInNames)
    func equalsFile(_ name: String) throws {
        let file = try Data(contentsOf: Fixture.scenarios.appendingPathComponent("\(name).yaml"))
        #expect(Scenario.builtInText(named: name).map { Data($0.utf8) } == file)
    }

    @Test("The binary contains every scenario file")
    func isComplete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Fixture.scenarios.path)
            .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
        #expect(Set(files) == Set(Scenario.builtInNames))
        #expect(Set(files).count == Scenario.builtInNames.count)
        #expect(Scenario.builtInNames.first == "default")
    }

    @Test(
        "The built-in scenarios include every documented name",
        arguments: [
            "default", "conflict", "limit-reached", "token-expires-mid-session", "slow-coach", "coach-error",
            "drop-mid-stream", "reset-mid-frame", "server-restarts", "flaky-500", "flaky-503", "timeouts", "half-open",
            "meal-completes", "meal-fails", "meal-finishes-before-socket", "coalesced-frames",
            "nanosecond-timestamps", "empty-account", "long-history",
        ])
    func isThere(_ name: String) { #expect(Scenario.builtIn(named: name) != nil) }

    @Test(
        "Each built-in scenario is valid, has its file's name and a one-line summary", arguments: Scenario.builtInNames)
    func canBeRead(_ name: String) throws {
        let text = try #require(Scenario.builtInText(named: name))
        #expect(text.hasPrefix("# yaml-language-server: $schema=scenario.schema.json\n#"))
        let scenario = try Scenario.read(text, file: name)
        #expect(Scenario.builtIn(named: name) == scenario)
        #expect(scenario.name == name)
        let listed = Scenario.builtInSummaries.first { $0.name == name }
        #expect(scenario.summary == listed?.summary)
        #expect((20...110).contains(scenario.summary.count) && scenario.summary.hasSuffix("."))
    }

    @Test("A default-initialized scenario equals default.yaml")
    func defaultNeedsNoParsing() throws {
        #expect(try Scenario.read(#require(Scenario.builtInText(named: "default"))) == Scenario())
        #expect(Scenario.builtIn(named: "default") == Scenario())
    }

    @Test("The error for an unknown name suggests the nearest name")
    func tellsNearest() {
        #expect(Scenario.builtIn(named: "flaky") == nil)
        #expect(
            Scenario.unknownBuiltIn("slow-coash").hasPrefix(
                "There is no built-in scenario \"slow-coash\". Did you mean 'slow-coach'? The built-in scenarios are default, "
            ))
    }
}

/// The folders of scenario files.
enum Fixture {
    static let directory = URL.fixtures
    static let scenarios = directory.appendingPathComponent("scenarios")
    static let invalid = directory.appendingPathComponent("invalid-scenarios")
}
