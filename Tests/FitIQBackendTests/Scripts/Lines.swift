import Testing

@testable import FitIQBackend

/// Timelines as readable lines: `0.500 s chunk "About "`.
enum Lines {
    static func time(_ nanoseconds: Int64) -> String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isWhole = rest % 1_000_000 == 0
        return "\(seconds).\(isWhole ? padded(rest / 1_000_000, 3) : padded(rest, 9)) s"
    }

    static func of(_ timeline: Timeline) -> [String] {
        timeline.moments.map { moment in
            let event =
                switch moment.event {
                case .chunk(let content): "chunk \"\(content)\""
                case .template(let template): "template \(template.type) \(template.id) \"\(template.name)\""
                case .error(let message, let code): "error \(code) \"\(message)\""
                case .completion: "completion"
                case .abandonment: "abandonment"
                }
            return "\(time(moment.offset)) \(event)"
        }
    }

    /// Two timelines side by side, with marks at the differences.
    static func sideBySide(expected: [String], actual: [String]) -> String {
        let width = (expected.map(\.count).max() ?? 0) + 2
        let rows = (0..<max(expected.count, actual.count)).map { row in
            let (left, right) = (row < expected.count ? expected[row] : "", row < actual.count ? actual[row] : "")
            let gap = String(repeating: " ", count: max(2, width - left.count))
            return "\(left == right ? " " : "≠") \(left)\(gap)\(right)"
        }
        return "\nexpected, actual:\n" + rows.joined(separator: "\n")
    }
}

/// Expects lines, and shows both versions if they differ.
func expect(
    _ actual: [String], are expected: [String], _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(
        actual == expected, "\(comment)\(Lines.sideBySide(expected: expected, actual: actual))",
        sourceLocation: sourceLocation)
}

@Suite("Timelines in failure messages") struct LinesTests {
    @Test(
        "A timeline shows readable times",
        arguments: [
            (0, "0.000 s"), (500_000_000, "0.500 s"), (1, "0.000000001 s"), (61_000_000_000, "61.000 s"),
            (1_000_999_999, "1.000999999 s"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) { #expect(Lines.time(nanoseconds) == text) }

    @Test("Two timelines are printed side by side with marked differences")
    func sideBySide() {
        let text = Lines.sideBySide(expected: ["0.000 s a", "0.500 s bcd"], actual: ["0.000 s a", "0.500 s b", "c"])
        #expect(
            text == """

                expected, actual:
                  0.000 s a    0.000 s a
                ≠ 0.500 s bcd  0.500 s b
                ≠              c
                """)
    }
}
