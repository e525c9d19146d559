@_exported import FitIQMockTesting
import Foundation
import XCTest

extension XCTestCase {
    /// A world for the running test; at the test's end its client is judged, and the world goes.
    ///
    /// Each broken *must* becomes an issue at the line of this call; a broken *should* is a warning on standard error.
    /// With a breach, the world's journal, its traffic as HAR and an HTML report are attached where XCTest has
    /// attachments.
    ///
    /// ```swift
    /// func testConflict() async throws {
    ///     let world = try await mockWorld("conflict", clock: .manual)
    /// ```
    ///
    /// - Parameters:
    ///   - scenario: A built-in scenario's name, or a scenario's object; nil takes the server's own.
    ///   - guide: The guide that the world follows.
    ///   - clock: Whether the test moves its time.
    ///   - seed: Decides its ids.
    ///   - allowed: Obligations that the client is known to break, such as `ws/keepalive`.
    ///   - server: The server that makes the world.
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
        // XCTest has no warnings; Xcode and its users know this form.
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
