import FitIQMockXCTest
import XCTest

/// XCTest's half of the kit: when a client breaks an obligation, its test fails at the line that made the world.
final class MockWorldXCTests: XCTestCase {
    private struct Failure {
        let text: String
        let line: Int
    }

    /// The failures that the kit recorded instead of reporting to XCTest.
    private nonisolated(unsafe) static var failures: [Failure] = []
    private var line = 0

    #if canImport(Darwin)
        override func record(_ issue: XCTIssue) {
            let line = issue.sourceCodeContext.location?.lineNumber ?? 0
            Self.failures.append(Failure(text: issue.compactDescription, line: line))
        }
    #else
        override func recordFailure(
            withDescription text: String, inFile file: String, atLine line: Int, expected: Bool
        ) {
            Self.failures.append(Failure(text: text, line: line))
        }
    #endif

    /// The checks run after the teardown blocks; a failed check ends the process, because failures are collected here.
    override func tearDown() {
        let (failures, line) = (Self.failures, line)
        Self.failures = []
        if line == 0 { return precondition(failures.isEmpty, "\(failures)") }
        precondition(failures.map(\.line) == [line], "\(failures), not line \(line)")
        precondition(
            failures[0].text.contains("ids/lowercase is broken: The client sends ids in paths in lower case.\n- "))
    }

    func testPlantedBugFailsAtTheWorld() async throws {
        line = #line + 1
        let world = try await mockWorld("conflict", server: Mock.server)
        let client = PlannedClient(world: world, mistake: .idsInCapitals)
        _ = try await client.consultation(client.consultation(with: "nutritionist"))
    }

    func testAllowedBugPasses() async throws {
        let world = try await mockWorld("conflict", allowing: ["ids/lowercase"], server: Mock.server)
        let client = PlannedClient(world: world, mistake: .idsInCapitals)
        _ = try await client.consultation(client.consultation(with: "nutritionist"))
    }

    func testWorldIsLabelledWithTheTest() async throws {
        let world = try await mockWorld(clock: .manual, server: Mock.server)
        precondition(world.label?.contains("testWorldIsLabelledWithTheTest") == true, world.label ?? "no label")
        try await world.advance(by: .seconds(1))
    }
}
