import FitIQAPI
import JSON
import Text

/// The result of a comparison with a real server, for a terminal, as Markdown and as JSON.
public struct ConformReport: Sendable {
    /// The server, for headings.
    public let upstream: String
    public let conformance: Conformance
    public let cases: [ConformPlay.Outcome]
    /// Why the rest was not played, as a sentence; nil if everything was.
    public let incomplete: String?

    public init(
        upstream: String, conformance: Conformance, cases: [ConformPlay.Outcome], incomplete: String? = nil
    ) {
        self.upstream = upstream
        self.conformance = conformance
        self.cases = cases
        self.incomplete = incomplete
    }

    /// 0 if all answers are alike, 1 if not or if the comparison is incomplete, 4 if there was no answer.
    public var exitCode: Int {
        guard let fidelity = conformance.fidelity else { return 4 }
        return fidelity == 100 && conformance.deviations.isEmpty && incomplete == nil ? 0 : 1
    }

    /// The report for a terminal; the deviations are rows as in the list of deviations.
    public var text: String {
        let name = { (result: Conformance.EndpointResult) in Self.name(result.endpoint) }
        let width = conformance.endpoints.map { name($0).count }.max() ?? 0
        let rows = conformance.endpoints.map { result in
            let padding = String(repeating: " ", count: width - name(result).count)
            return "  \(name(result))\(padding)  \(Self.fidelity(of: result))"
        }
        let sections = [
            ["\(upstream.onOneLine(limit: 200)) compared with the fake, \(conformance.mode.rawValue)"], rows,
            deviations(isMarkup: false), notes, [summary],
        ]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    public var markdown: String {
        let rows = conformance.endpoints.map { "| `\(Self.name($0.endpoint))` | \(Self.fidelity(of: $0)) |" }
        let sections = [
            ["## \(Self.cell(upstream)) compared with the fake, \(conformance.mode.rawValue)"], [Self.cell(summary)],
            rows.isEmpty ? [] : ["| endpoint | alike |", "| --- | --- |"] + rows,
            deviations(isMarkup: true),
            notes.map { "- \(Self.cell($0))" },
        ]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// Rows in the form of the list of deviations.
    private func deviations(isMarkup: Bool) -> [String] {
        let rows = conformance.deviations.map { deviation in
            let cells = [
                "`\(Self.name(deviation.endpoint))`: \(deviation.place)", deviation.fake, deviation.upstream,
                deviation.firstSeen,
            ].map { isMarkup ? Self.cell($0) : $0.onOneLine(limit: 200).replacing("|", with: "\\|") }
            return "| \(cells.joined(separator: " | ")) |"
        }
        return rows.isEmpty
            ? [] : ["| endpoint | the fake | upstream | first seen |", "| --- | --- | --- | --- |"] + rows
    }

    private var notes: [String] {
        cases.compactMap { played in played.trouble.map { "\(played.address): \($0)" } }
            + (conformance.unknownCount > 0 ? [ConformMessages.notCompared(conformance.unknownCount)] : [])
    }

    private var summary: String {
        let answers = conformance.endpoints.map(\.answers).reduce(0, +)
        let ways = Words.counted(conformance.deviations.count, "deviation")
        let (all, played) = (Words.counted(answers, "answer"), Words.counted(cases.count, "case"))
        let text =
            conformance.fidelity.map { "\(all) in \(played): fidelity \($0) %, \(ways)." }
            ?? "There was no answer to compare in \(played)."
        return incomplete.map { "\(text) \($0)" } ?? text
    }

    private static func fidelity(of result: Conformance.EndpointResult) -> String {
        "\(result.alike) of \(result.answers), \(result.alike * 100 / max(1, result.answers)) %"
    }

    private static func name(_ endpoint: Endpoint) -> String { "\(endpoint.method.rawValue) \(endpoint.template)" }

    /// A text of the server for a cell of a table: it cannot end the cell, and forms no markup but code.
    private static func cell(_ text: String) -> String {
        var result = ""
        for scalar in text.onOneLine(limit: 200).unicodeScalars {
            switch scalar {
            case "|", "<", ">", "&", "*", "[", "]": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// One object: `format`, `upstream`, `guide`, `exit_code`, `fidelity` or null, `incomplete` or null, and lists of
    /// `endpoints`, `deviations` and `cases`.
    public var json: [UInt8] {
        JSONWriter.object(reserving: 4096) { writer in
            writer.member("format", 1)
            writer.member("upstream", upstream)
            writer.member("guide", conformance.mode.rawValue)
            writer.member("exit_code", exitCode)
            if let fidelity = conformance.fidelity {
                writer.member("fidelity", fidelity)
            } else {
                writer.memberNull("fidelity")
            }
            writer.member("incomplete", orNull: incomplete)
            writer.objects("endpoints", conformance.endpoints) { writer, result in
                writer.member("endpoint", Self.name(result.endpoint))
                writer.member("answers", result.answers)
                writer.member("alike", result.alike)
            }
            writer.objects("deviations", conformance.deviations) { writer, deviation in
                writer.member("endpoint", Self.name(deviation.endpoint))
                writer.member("place", deviation.place)
                writer.member("fake", deviation.fake)
                writer.member("upstream", deviation.upstream)
                writer.member("first_seen", deviation.firstSeen)
                writer.member("count", deviation.count)
            }
            writer.objects("cases", cases) { writer, played in
                writer.member("address", played.address)
                writer.member("trouble", orNull: played.trouble)
            }
        } + [UInt8(ascii: "\n")]
    }
}
