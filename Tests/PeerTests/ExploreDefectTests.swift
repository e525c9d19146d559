import Foundation
import JSON
import TestSupport
import Testing

extension ExploringPeers {
    /// `fitiq-mock explore --adapter` with Python clients, each with a mistake that no obligation covers.
    @Suite("Exploring clients with a mistake")
    struct ExploreDefectTests {
        /// A client from `peers/defects`, the faults for exploring it, and the expected finding.
        struct Defect: CustomTestStringConvertible, Sendable {
            let client: String
            let families: String
            let runs: Int
            let symptom: String
            var scenario: [String] = []
            var testDescription: String { client }
        }

        static let defects = [
            Defect(client: "retry_without_body", families: "failed", runs: 12, symptom: "request/shape"),
            Defect(client: "doubles_on_reconnect", families: "cut", runs: 20, symptom: "explore/twice"),
            Defect(
                client: "timer_not_cancelled", families: "cut", runs: 180, symptom: "explore/restless",
                scenario: ["--scenario", Programs.peers.appendingPathComponent("defects/short.yaml").path]),
            Defect(
                client: "history_races_chunk", families: "failed refused", runs: 120,
                symptom: "inside/transcript-equals-chunks"),
            Defect(client: "refresh_storm", families: "refused", runs: 24, symptom: "explore/flood"),
        ]

        private func explore(_ client: String, _ options: [String], in folder: ScratchFolder) async throws -> Command {
            try await explore([Programs.peers.appendingPathComponent("defects/\(client).py").path], options, in: folder)
        }

        private func explore(
            _ adapter: [String], _ options: [String], in folder: ScratchFolder
        ) async throws -> Command {
            return try await Command(
                try Programs.fitiqMock(),
                [
                    "explore", "--adapter", "--instant", "--jobs", "2", "--seed", "1", "--confirm", "1/1", "--json",
                    "report.json",
                ] + options
                    + ["--", try Programs.python().path] + adapter, directory: folder.url)
        }

        /// The symptoms in a report's findings.
        private func symptoms(in folder: ScratchFolder) throws -> Set<String> {
            let report = try JSON.parse(Array(folder.read("report.json").utf8))
            var symptoms: Set<String> = []
            for run in report["runs"]?.array ?? [] {
                for check in run["checks"]?.array ?? [] where !(check["failures"]?.array ?? []).isEmpty {
                    symptoms.insert(try #require(check["address"]?.string))
                }
                for verdict in run["verdicts"]?.array ?? [] where verdict["verdict"]?.string == "broken" {
                    symptoms.insert(try #require(verdict["id"]?.string))
                }
            }
            return symptoms
        }

        @Test("explore finds each bug with few faults, and the file reproduces the bug", arguments: defects)
        func found(_ defect: Defect) async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let families = defect.families.split(separator: " ").flatMap { ["--only", String($0)] }
            let options = families + ["--runs", "\(defect.runs)"] + defect.scenario
            let run = try await explore(defect.client, options, in: folder)
            #expect(run.status == 1, "\(run.transcript)")
            #expect(try symptoms(in: folder).contains(defect.symptom), "\(run.transcript)")
            let word = try #require(defect.symptom.split(separator: "/").last)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder["found"].path)
            let file = try #require(files.sorted().first { $0.hasPrefix(word + "-after-") }, "\(files)")
            let scenario = try folder.read("found/\(file)")
            #expect(scenario.matches(of: #/\n  - \{"name":/#).count <= 2, "It has at most two faults: \(scenario)")
            let again = try await explore(defect.client, ["--replay", "found/\(file)"], in: folder)
            #expect(again.status == 1, "\(again.transcript)")
            #expect(try symptoms(in: folder).contains(defect.symptom), "\(again.transcript)")
            // Without the mistake, the same faults have no effect.
            let unchanged = try await explore("unchanged", ["--replay", "found/\(file)"], in: folder)
            #expect(unchanged.status == 0, "\(unchanged.transcript)")
        }

        @Test(
            "explore finds a client that trips over what a newer backend adds, and the file reproduces it",
            arguments: [
                ("Startled", "union"), ("Choosy", "consultation-websocket"), ("Rigid", "goal-linking"),
                ("Stern", "websocket-architecture"),
            ])
        func newer(_ client: String, guide: String) async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let library = URL.fixtures.appending(path: "adapters/python").path
            let adapter = [Programs.peers.appendingPathComponent("broken_adapters.py").path, library, client]
            let options = ["--guide", guide]
            let run = try await explore(adapter, options + ["--only", "newer", "--runs", "12"], in: folder)
            #expect(run.status == 1, "\(run.transcript)")
            #expect(try symptoms(in: folder) == ["inside/unknown-is-ignored"], "\(run.transcript)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder["found"].path)
            let file = try #require(files.sorted().first { $0.hasPrefix("unknown-is-ignored-after-") }, "\(files)")
            let again = try await explore(adapter, options + ["--replay", "found/\(file)"], in: folder)
            #expect(again.status == 1, "\(again.transcript)")
            #expect(try symptoms(in: folder).contains("inside/unknown-is-ignored"), "\(again.transcript)")
            // The file names its guide, so the option may be omitted.
            for options in [options, []] {
                let unchanged = try await explore("unchanged", options + ["--replay", "found/\(file)"], in: folder)
                #expect(unchanged.status == 0, "\(unchanged.transcript)")
            }
        }

        @Test("explore finds nothing in a client without a mistake")
        func unchanged() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let runs = LongRun.choose("40", long: "100")
            let run = try await explore("unchanged", ["--without", "late", "--runs", runs], in: folder)
            #expect(run.status == 0, "\(run.transcript)")
            #expect(try symptoms(in: folder) == [])
            #expect(!FileManager.default.fileExists(atPath: folder["found"].path))
        }
    }
}
