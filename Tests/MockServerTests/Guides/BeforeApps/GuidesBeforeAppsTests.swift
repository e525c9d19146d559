import FitIQAPI
import Foundation
import JSON
import TestSupport
import Testing

@testable import MockServer

/// Checks that the apps' endpoints and members exist only in union mode, and that guide modes answer as before.
@Suite("Guide modes as before the apps were added") struct GuidesBeforeAppsTests {
    private static let variable = "FITIQ_MOCK_WRITE_GOLDENS"
    private static let descriptions = "descriptions.sha256"

    // MARK: Answers

    @Test("Every response and every frame matches its golden file byte for byte", arguments: GuideMode.guides)
    func answers(mode: GuideMode) throws {
        try compare(GuidePlay(mode, .server).lines, with: "\(mode.rawValue).txt")
    }

    @Test(
        "A guide world on a union server answers like a server in that guide's mode",
        arguments: LongRun.choose(Array(GuideMode.guides.prefix(1)), long: Array(GuideMode.guides)))
    func worldOfUnion(mode: GuideMode) throws {
        let lines = try GuidePlay(mode, .worldOfUnion).lines
        // The lengths differ because of the world's path. Requests that cannot be read are answered by the server, not
        // by the world.
        try compare(lines, with: "\(mode.rawValue).txt", mayWrite: false) { lines in
            var isOfWorld = true
            return lines.compactMap { line in
                if line.hasPrefix("== ") { isOfWorld = line != "== What is not a request" }
                return isOfWorld && !line.hasPrefix("Content-Length: ") ? line : nil
            }
        }
    }

    // MARK: Journal

    @Test("The journal's requests and near misses match their golden file", arguments: GuideMode.guides)
    func journal(mode: GuideMode) throws {
        let stage = try GuideStage(mode, .server)
        var lines: [String] = []
        var members: [String] = []
        for path in try GuidePlay.paths() {
            var answers = GuidePlay.Answers()
            for method in ["GET", "POST", "DELETE"] {
                let request = try stage.request(
                    method, path.path + "?limit=1&unknown=1", path.body(of: method), stage.credentials(of: "anna"))
                _ = try stage.answer(to: request.bytes)
                let asked = try stage.network.admin(.get, "requests?limit=1").json
                let entry = try #require(asked?["entries"]?.array?.last)
                let names = Self.members(of: entry)
                if !members.contains(names) { members.append(names) }
                let number = try #require(members.firstIndex(of: names))
                answers.add("members \(number)" + Self.summary(of: entry), who: "with credentials", what: method)
            }
            lines += ["== \(path.path)"] + answers.lines
        }
        lines.append("== Members")
        lines += members.enumerated().map { "\($0.offset): \($0.element)" }
        try compare(lines, with: "\(mode.rawValue).journal.txt")
    }

    /// The names of all of an entry's members.
    private static func members(of entry: JSONValue) -> String {
        func names(_ value: JSONValue?) -> String { value?.object?.keys.joined(separator: " ") ?? "" }
        let parts = ["request", "response"].map { "\($0) (\(names(entry[$0])))" }
        let misses = (entry["near_misses"]?.array ?? []).map { "near miss (\(names($0)))" }
        return ([names(entry)] + parts + misses).joined(separator: ", ")
    }

    /// An entry's description of a request's route.
    private static func summary(of entry: JSONValue) -> String {
        let misses = (entry["near_misses"]?.array ?? []).map { miss in
            let differences = (miss["differences"]?.array ?? []).compactMap(\.string).joined(separator: " ")
            return "\n\(miss["endpoint"]?.string ?? "") \(miss["score"]?.int ?? 0) \(differences)"
        }
        let reason = [entry["endpoint"], entry["unmatched"]].compactMap { $0?.string }.map { ", " + $0 }
        return (reason + misses).joined()
    }

    // MARK: Descriptions

    @Test("The guides' descriptions match their golden file, both on disk and as served")
    func describe() throws {
        let root = URL.packageRoot.appending(path: "openapi/guides")
        var lines: [String] = []
        for mode in GuideMode.guides.sorted(by: { $0.rawValue < $1.rawValue }) {
            let folder = root.appending(path: mode.rawValue)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            for name in names {
                let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
                lines.append("\(GuideStage.sha256(bytes))  openapi/guides/\(mode.rawValue)/\(name)")
            }
        }
        try compare(lines, with: Self.descriptions)
        for mode in GuideMode.guides {
            let network = VirtualNetwork(mode)
            let served: [(APIDescription, String)] = [
                (.openAPI, "/openapi.yaml"), (.asyncAPI, "/asyncapi.yaml"), (.documentation, "/docs"),
            ]
            for (description, path) in served {
                let answer = try network.exchange(Request(target: path)).body
                let line = "  " + description.path(for: mode)
                #expect(lines.contains(GuideStage.sha256(answer) + line), "\(mode.rawValue) \(path)")
                #expect(lines.contains(GuideStage.sha256(description.bytes(for: mode)) + line))
            }
        }
    }

    @Test("The folder contains only the expected golden files")
    func noGoldenIsLeft() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: GuideStage.folder.path)
        let goldens = GuideMode.guides.flatMap { ["\($0.rawValue).txt", "\($0.rawValue).journal.txt"] }
        #expect(
            names.sorted()
                == (goldens + ["README.md", Self.descriptions, "paths.txt", "script.txt", "world.yaml"]).sorted())
    }

    // MARK: Goldens

    /// Compares lines with a golden file, and shows the first differences, each with its section and its request.
    private func compare(
        _ lines: [String], with name: String, mayWrite: Bool = true, only: ([String]) -> [String] = { $0 }
    ) throws {
        let text = lines.joined(separator: "\n") + "\n"
        let file = GuideStage.folder.appending(path: name)
        if mayWrite, ProcessInfo.processInfo.environment[Self.variable] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        guard let golden = contents(file.path) else {
            Issue.record("\(name) is missing: \(Self.variable)=1 swift test --filter GuidesBeforeApps writes it.")
            return
        }
        guard !mayWrite || !text.utf8.elementsEqual(golden.utf8) else { return }
        let actual = only(text.components(separatedBy: "\n"))
        let expected = only(golden.components(separatedBy: "\n"))
        var (section, request) = ("", "")
        for (number, (line, wanted)) in zip(actual, expected).enumerated() {
            if wanted.hasPrefix("== ") { (section, request) = (wanted, "") }
            if wanted.hasPrefix("> ") { request = wanted }
            // The cause of a longer body is more informative than its length.
            let isLength = line.hasPrefix("Content-Length: ") && wanted.hasPrefix("Content-Length: ")
            guard !isLength, !line.utf8.elementsEqual(wanted.utf8) else { continue }
            let start = max(0, zip(line, wanted).prefix { $0 == $1 }.count - 80)
            Issue.record(
                """
                \(name), line \(number + 1) of those compared, \(section) \(request):
                \(line.dropFirst(start).prefix(400))
                was
                \(wanted.dropFirst(start).prefix(400))
                The guides' answers are not meant to change with the apps. Where a guide was answered wrongly: \
                \(Self.variable)=1 swift test --filter GuidesBeforeApps.
                """)
            return
        }
        let isSame = actual == expected
        #expect(isSame, "\(name) differs in lengths alone.")
    }
}
