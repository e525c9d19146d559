import Foundation

extension MockWorld {
    /// The verdict on one obligation of the contract.
    public struct Verdict: Sendable, Hashable, Decodable, Identifiable {
        /// The name, such as `ids/lowercase`; docs/obligations.md in fitiq-mock lists all names.
        public let id: String
        public let level: Level
        /// The requirement in one sentence.
        public let clause: String
        public let verdict: Outcome
        /// How often clients exercised the obligation.
        public let exercised: Int
        /// The first breaches.
        ///
        /// ``findingCount`` is the total number.
        public let findings: [Finding]
        public let findingCount: Int
        /// How to fix the client.
        public let advice: String

        public enum Level: String, Sendable, Decodable { case must, should }
        public enum Outcome: String, Sendable, Decodable {
            case kept, broken
            case notExercised = "not_exercised"
        }

        /// A breach of an obligation.
        public struct Finding: Sendable, Hashable, Decodable {
            public let level: Level
            public let message: String
            /// The entries that show the breach, one per line.
            public let evidence: [String]?
        }

        /// Whether a *must* is broken.
        ///
        /// Even a *should* obligation may have such findings.
        public var failsTest: Bool { verdict == .broken && (level == .must || findings.contains { $0.level == .must }) }

        /// A description of the breaches: the clause, each finding with its evidence, and how to fix it.
        public var report: String {
            var lines = ["\(id) is broken: \(clause)"]
            for finding in findings {
                lines.append("- \(finding.message)")
                lines += (finding.evidence ?? []).map { "    \($0)" }
            }
            if findingCount > findings.count { lines.append("- And \(findingCount - findings.count) more.") }
            lines.append("How to fix it: \(advice)")
            return lines.joined(separator: "\n")
        }
    }

    /// The obligations that the world's clients kept and broke so far.
    ///
    /// On a manual clock, a client with timers on the system's clock appears not to wait. Either allow the client to
    /// break the obligations about timing, or give it a clock that the test advances.
    ///
    /// - Parameter outcome: The verdicts to return, or nil for all.
    public func verdicts(_ outcome: Verdict.Outcome? = nil) async throws -> [Verdict] {
        struct Verdicts: Decodable { var verdicts: [Verdict] }
        var query = ["evidence": "lines"]
        query["verdict"] = outcome?.rawValue
        return try await admin.read(as: Verdicts.self, "GET", "verdicts", query: query).verdicts
    }
}
