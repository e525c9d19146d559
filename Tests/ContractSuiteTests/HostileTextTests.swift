import FitIQAPI
import FitIQBackend
import Foundation
import JSON
import MockServer
import Scenarios
import TestSupport
import Testing

@testable import ContractSuite

@Suite("A hostile coach")
struct HostileTextTests {
    private static let seeds: ClosedRange<UInt64> = 1...200

    @Test("Any twelve consecutive seeds cover every production and every cut")
    func occurs() {
        for start in [0, 1, 100, UInt64.max - 11] {
            let seeds: ClosedRange<UInt64> = start...(start + 11)
            let texts = seeds.map { HostileText(seed: $0) }
            #expect(Set(texts.map { $0.productions[0] }) == Set(HostileText.Production.allCases))
            #expect(Set(texts.map(\.cut)) == Set(HostileText.Cut.allCases))
        }
        // Each production must be cut in each way.
        let pairs = Self.seeds.map { HostileText(seed: $0) }.map { [$0.productions[0].hashValue, $0.cut.hashValue] }
        #expect(Set(pairs).count == HostileText.Production.allCases.count * HostileText.Cut.allCases.count)
    }

    @Test("Each text is cut at the position required by its kind of cut")
    func cuts() {
        var within: Set<HostileText.Cut> = []
        for seed in Self.seeds {
            let text = HostileText(seed: seed)
            let scalars = text.chunks.map { Array($0.unicodeScalars) }
            for (before, after) in zip(scalars, scalars.dropFirst()) {
                let (last, first) = (before.last, after.first)
                switch text.cut {
                case .nowhere: Issue.record("Seed \(seed) is cut.")
                case .withinCharacters:
                    // If the text is cut inside a character, the chunks have more characters than the whole text.
                    var whole = String.UnicodeScalarView()
                    whole.append(contentsOf: before + after)
                    let parts = [before, after].map { String(String.UnicodeScalarView($0)).count }
                    // A flag, or a mark behind a joiner, may be whole only together with the preceding chunk.
                    if String(whole).count < parts.reduce(0, +) { within.insert(text.cut) }
                case .withinMarkup:
                    #expect(first.map { "`~*_[]()<>|{}\"'\\&;#!-:/".unicodeScalars.contains($0) } == true)
                    within.insert(text.cut)
                case .atLineEnds:
                    let ends: (Unicode.Scalar?) -> Bool = { $0?.properties.isWhitespace == true }
                    #expect(ends(last) || ends(first))
                    within.insert(text.cut)
                case .everywhere: within.insert(text.cut)
                }
            }
            if text.cut == .nowhere { within.insert(text.cut) }
            if text.cut == .everywhere, text.text.unicodeScalars.count <= HostileText.chunkLimit {
                #expect(scalars.allSatisfy { $0.count == 1 })
            }
        }
        #expect(within == Set(HostileText.Cut.allCases))
        // Characters are certainly cut if the chunks together have more characters than the text.
        let cut = Self.seeds.map { HostileText(seed: $0) }.filter { $0.cut == .withinCharacters && $0.chunks.count > 1 }
        #expect(cut.count > 20)
        for text in cut { #expect(text.chunks.map(\.count).reduce(0, +) > text.text.count) }
    }

    @Test("A seed always produces the same text, and the text stays within an answer's limits")
    func keepsLimits() {
        var texts: Set<[UInt8]> = []
        for seed in Self.seeds {
            let text = HostileText(seed: seed)
            #expect(text == HostileText(seed: seed))
            #expect(text.chunks.allSatisfy { !$0.isEmpty })
            #expect(text.chunks.flatMap { Array($0.utf8) } == Array(text.text.utf8))
            #expect(text.chunks.count <= HostileText.chunkLimit && text.chunks.count <= ScenarioLimits.steps)
            #expect(text.text.utf8.count <= 40 * 1024 && text.text.utf8.count <= ScenarioLimits.answerBytes)
            texts.insert(Array(text.text.utf8))
        }
        #expect(texts.count > 150)
        #expect(Self.seeds.contains { HostileText(seed: $0).chunks.count == HostileText.chunkLimit })
    }

    @Test("A scenario file with the hostile texts round-trips byte for byte")
    func readsBack() throws {
        for seed in Self.seeds {
            let text = HostileText(seed: seed)
            let scenario = try Scenario.read(HostileScenario.text(seeds: seed...seed))
            let steps = try #require(scenario.script.answers.first).script.steps
            #expect(Self.chunks(of: steps).map { Array($0.utf8) } == text.chunks.map { Array($0.utf8) })
        }
    }

    @Test("The built-in hostile-coach scenario contains the texts of seeds 1 to 12")
    func builtIn() throws {
        let text = HostileScenario.text(seeds: 1...12)
        let path = URL.fixtures.appending(path: "scenarios/hostile-coach.yaml")
        if ProcessInfo.processInfo.environment["FITIQ_MOCK_WRITE_GOLDENS"] != nil {
            try text.write(to: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: path, encoding: .utf8) == text)
        let scenario = try #require(Scenario.builtIn(named: "hostile-coach"))
        #expect(
            scenario.script.answers.map { Self.chunks(of: $0.script.steps) }
                == (1...12).map { HostileText(seed: $0).chunks })
    }

    @Test("The hostile fault kinds contain the same twelve answers byte for byte")
    func kinds() {
        let kinds = FaultKind.all.filter { $0.id.hasPrefix("hostile-") }
        #expect(kinds.map(\.id) == (1...12).map { "hostile-\($0)" })
        #expect(
            kinds.map { $0.members.map { JSONValue.object($0).encoded() } }
                == (1...12).map { [JSONValue.object(FaultKind.chunks(HostileText(seed: $0).chunks)).encoded()] })
    }

    @Test("The reference client shows every hostile text exactly as the server stores it")
    func isShown() async throws {
        for start in stride(from: Self.seeds.lowerBound, through: Self.seeds.upperBound, by: 40) {
            let seeds = start...(start + 39)
            let questions: [Step] = seeds.enumerated().flatMap { index, seed -> [Step] in
                [
                    .perform(.send(text: "Question \(index + 1)?")),
                    .until(
                        .all([.connection(.connected), .answers(index + 1), .transcriptAsStored, .idle]),
                        within: .seconds(60)),
                ]
            }
            let contractCase = ContractCase(
                "chat/hostile/\(start)", "Hostile answers", .ours("What is shown is the sum of its chunks."),
                setting: .written(HostileScenario.text(seeds: seeds)),
                steps: [
                    .perform(.startConsultation(persona: .nutritionist)),
                    .until(.all([.connection(.connected), .idle]), within: .seconds(30)),
                    .watch(.completeAnswersAreStored),
                ] + questions + [.expect(.noProblem)])
            let network = try VirtualWorld.emptyNetwork()
            var runner = CaseRunner(on: network)
            let clients = Clients()
            let result = try await runner.run(contractCase) {
                let client = try ReferenceClient($0, network: network)
                clients.all.append(client)
                return client
            }
            #expect(result.isPassed && result.broken.isEmpty, "\(result)")
            let client = try #require(clients.all.last)
            let shown = client.report().transcript.filter { $0.role == .assistant }.map { Array($0.text.utf8) }
            #expect(shown == seeds.map { Array(HostileText(seed: $0).text.utf8) })
        }
    }

    private final class Clients { var all: [ReferenceClient] = [] }

    private static func chunks(of steps: [AnswerScript.Step]) -> [String] {
        steps.compactMap { if case .chunk(let text, _) = $0 { text } else { nil } }
    }
}

/// A scenario file with hostile answers, one per turn.
enum HostileScenario {
    static func text(seeds: ClosedRange<UInt64>) -> String {
        var lines = [
            "# yaml-language-server: $schema=scenario.schema.json",
            "# Text that is hard to display, split into chunks at bad places. The user must see each answer as the sum",
            "# of its chunks, and nothing in an answer is an instruction to the client. Written by",
            "# FITIQ_MOCK_WRITE_GOLDENS=1 swift test --filter HostileText",
            "name: hostile-coach",
            "summary: Twelve answers that are hard to display, split at the worst places.",
            "", "answers:",
        ]
        for (turn, seed) in seeds.enumerated() {
            let text = HostileText(seed: seed)
            lines += [
                "  # \(text.productions.map { "\($0)" }.joined(separator: ", ")); cut: \(text.cut)",
                "  - when: {turn: \(turn + 1)}", "    timing: {first_chunk: 200ms, chunks_per_second: 50}",
                "    chunks:",
            ]
            lines += text.chunks.map { "      - \(quoted($0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A string in YAML quotation marks; characters that an editor does not show are escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherSymbol:
                    result.unicodeScalars.append(scalar)
                default:
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    let isLong = scalar.value > 0xFFFF
                    let zeros = String(repeating: "0", count: (isLong ? 8 : 4) - digits.count)
                    result += (isLong ? "\\U" : "\\u") + zeros + digits
                }
            }
        }
        return result + "\""
    }
}
