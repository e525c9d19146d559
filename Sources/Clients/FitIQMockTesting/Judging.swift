import Foundation

extension MockWorld {
    /// A breach by the client, as a test issue.
    package struct Breach: Sendable {
        package let text: String
        /// Whether the breach fails the test; otherwise it is a warning.
        package let isFailure: Bool
    }

    /// A file to attach to a failed test.
    package struct EvidenceFile: Sendable {
        package let name: String
        package let data: Data
    }

    /// The client's breaches, except for allowed ones; an unknown name also counts as a breach.
    package func breaches(allowing allowed: Set<String>) async throws -> [Breach] {
        var breaches: [Breach] = []
        if !allowed.isEmpty {
            let known = try await Set(verdicts().map(\.id))
            breaches = allowed.subtracting(known).sorted().map { id in
                Breach(
                    text:
                        "There is no obligation '\(id)'. The obligations are "
                        + "\(known.sorted().joined(separator: ", ")).",
                    isFailure: true)
            }
        }
        return try await breaches
            + verdicts(.broken).filter { !allowed.contains($0.id) }.map {
                Breach(text: $0.report, isFailure: $0.failsTest)
            }
    }

    /// The journal, the traffic as HAR and the HTML report, if the server still returns them.
    package func evidence() async -> [EvidenceFile] {
        var files: [EvidenceFile] = []
        func add(_ name: String, _ data: @Sendable () async throws -> Data) async {
            if let data = try? await data() { files.append(EvidenceFile(name: name, data: data)) }
        }
        await add("journal.ndjson") { try await journal() }
        await add("traffic.har") { try await har() }
        await add("report.html") { try await htmlReport() }
        return files
    }
}

extension MockError {
    /// The error for a test that has no world.
    package static var noWorld: MockError { Messages.noWorld }
}
