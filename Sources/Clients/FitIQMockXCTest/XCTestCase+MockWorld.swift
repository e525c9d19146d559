@_exported import FitIQMockTesting
import Foundation
import XCTest

extension XCTestCase {
    /// Creates a world for the current test.
    ///
    /// When the test ends, the client is judged and the world is deleted.
    ///
    /// Each broken *must* becomes an issue at this call's line, and each broken *should* becomes a warning on standard
    /// error. After a breach, the world's journal, its traffic as HAR and an HTML report are attached if XCTest
    /// supports attachments.
    ///
    /// ```swift
    /// func testConflict() async throws {
    ///     let world = try await mockWorld("conflict", clock: .manual)
    /// ```
    ///
    /// - Parameters:
    ///   - scenario: A built-in scenario's name or a scenario's object, or nil for the server's scenario.
    ///   - guide: The guide that the world follows.
    ///   - clock: Whether the test controls the world's time.
    ///   - seed: Determines the world's IDs.
    ///   - allowed: Obligations that the client may break, such as `ws/keepalive`.
    ///   - server: The server that creates the world.
    public func mockWorld(
        _ scenario: MockWorld.Scenario? = nil, guide: String? = nil, clock: MockWorld.Clock? = nil,
        seed: UInt64? = nil, allowing allowed: Set<String> = [], server: MockServer = .shared,
        isolation: isolated (any Actor)? = #isolation, file: StaticString = #filePath, line: UInt = #line
    ) async throws -> MockWorld {
        let world = try await server.world(scenario: scenario, guide: guide, clock: clock, seed: seed, label: name)
        addTeardownBlock {
            do {
                let breaches = try await world.breaches(allowing: allowed)
                if !breaches.isEmpty { await Self.attach(world.evidence()) }
                for breach in breaches { Self.record(breach, file, line) }
            } catch {
                XCTFail("\(error)", file: file, line: line)
            }
            try await world.end()
        }
        return world
    }

    private static func record(_ breach: MockWorld.Breach, _ file: StaticString, _ line: UInt) {
        if breach.isFailure { return XCTFail(breach.text, file: file, line: line) }
        // XCTest has no warnings, but Xcode recognizes this format.
        FileHandle.standardError.write(Data("\(file):\(line): warning: \(breach.text)\n".utf8))
    }

    private static func attach(_ files: [MockWorld.EvidenceFile]) async {
        #if canImport(Darwin)
            await MainActor.run {
                XCTContext.runActivity(named: "What happened in the world") { activity in
                    for file in files {
                        let attachment = XCTAttachment(data: file.data)
                        attachment.name = file.name
                        attachment.lifetime = .keepAlways
                        activity.add(attachment)
                    }
                }
            }
        #endif
    }
}
