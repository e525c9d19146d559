import Scenarios
import TestSupport
import Testing

@testable import MockServer

extension VirtualNetwork {
    /// A network whose world has these faults, each a mapping as in a scenario file.
    static func faulty(
        _ rules: String..., answers: String = "[]", clock: ClockMode = .real,
        _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> VirtualNetwork {
        let scenario = try Scenario.read(
            "{name: faulty, answers: \(answers), faults: [\(rules.joined(separator: ", "))]}")
        return VirtualNetwork {
            $0.scenario = scenario
            $0.clock = clock
            configure(&$0)
        }
    }

    /// Moves the clock, calling the function whenever something may have happened.
    func advance(by duration: Duration, looking: () -> Void) {
        let target = now + duration
        looking()
        while let due = engine.nextDeadline, due <= target {
            advance(by: .nanoseconds(max(0, due.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch)))
            looking()
        }
        advance(by: .nanoseconds(target.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch))
        looking()
    }

    /// The bytes that arrive on a wire from now on, each with its time: `2.000 s 120 bytes`, `2.000 s end`.
    func timeline(of wire: VirtualClient, for duration: Duration) -> [String] {
        let start = now.nanosecondsSinceEpoch
        var lines: [String] = []
        var count = wire.consumed
        var isOver = false
        advance(by: duration) {
            let time = Self.text(now.nanosecondsSinceEpoch - start)
            if wire.received.count > count { lines.append("\(time) \(wire.received.count - count) bytes") }
            count = wire.received.count
            guard !isOver, wire.ending != .open || wire.sawEndOfStream else { return }
            isOver = true
            lines.append("\(time) \(wire.ending == .reset ? "reset" : "end")")
        }
        return lines
    }

    /// Formats a duration as seconds, such as `0.500 s`.
    static func text(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction) s"
    }

    /// Opens the first user's socket, and reads from `connected` on.
    func greetedSocket(on id: String) throws -> VirtualSocket {
        let socket = try socket(on: id)
        #expect(socket.takeTypes() == ["connected"])
        return socket
    }
}

extension Request { static let goals = Request.authorized(.get, "/api/v1/goals", as: TestUser.anna) }

/// Expects lines, and shows both versions side by side if they differ.
func expectLines(
    _ actual: [String], _ expected: [String], _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    let width = (expected.map(\.count).max() ?? 0) + 2
    let rows = (0..<max(expected.count, actual.count)).map { row in
        let (left, right) = (row < expected.count ? expected[row] : "", row < actual.count ? actual[row] : "")
        return "\(left == right ? " " : "≠") \(left)\(String(repeating: " ", count: width - left.count))\(right)"
    }
    #expect(
        actual == expected, "\(what)\nexpected, actual:\n\(rows.joined(separator: "\n"))",
        sourceLocation: sourceLocation)
}
