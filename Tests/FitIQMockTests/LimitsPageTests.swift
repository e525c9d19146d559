import Foundation
import TestSupport
import Testing

@testable import fitiq_mock

/// A quantity in a row of `docs/limits.md`: nanoseconds, bytes, or a plain number.
enum Quantity: Hashable {
    case time(Int64)
    case bytes(Int)
    case count(Int)

    /// The quantities in some text, in order, except encoding names and status codes.
    static func all(in text: String) -> [Quantity] {
        let expression =
            #/(?:^|[\s(])(?<number>\d[\d,]*)(?: ?(?<unit>GiB|MiB|KiB|bytes|seconds|minutes|min|ms|s|h|d)\b)?/#
        return text.replacing("1xx", with: "").matches(of: expression).compactMap { match in
            guard let number = Int(match.number.replacing(",", with: "")) else { return nil }
            let seconds = Int64(number) * 1_000_000_000
            return switch match.unit {
            case "GiB": .bytes(number << 30)
            case "MiB": .bytes(number << 20)
            case "KiB": .bytes(number << 10)
            case "bytes": .bytes(number)
            case "ms": .time(Int64(number) * 1_000_000)
            case "s", "seconds": .time(seconds)
            case "min", "minutes": .time(seconds * 60)
            case "h": .time(seconds * 3600)
            case "d": .time(seconds * 86_400)
            default: .count(number)
            }
        }
    }
}

/// A limit in the code, with its name and value.
struct Limit {
    let name: String
    let quantity: Quantity

    static func count(_ name: String, _ value: Int) -> Limit { Limit(name: name, quantity: .count(value)) }
    static func bytes(_ name: String, _ value: Int) -> Limit { Limit(name: name, quantity: .bytes(value)) }
    static func time(_ name: String, _ nanoseconds: Int64) -> Limit { Limit(name: name, quantity: .time(nanoseconds)) }
    static func time(_ name: String, _ duration: Duration) -> Limit {
        let (seconds, attoseconds) = duration.components
        return time(name, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

/// The properties of a struct of limits, with their default values.
struct LimitStruct {
    let name: String
    let labels: [String]
    private let numbers: [String: Int]
    private let times: [String: Duration]

    init(_ value: Any) {
        // "HTTP1.Limits".
        name = String(reflecting: type(of: value))
        let children = Mirror(reflecting: value).children.compactMap { child in child.label.map { ($0, child.value) } }
        labels = children.map(\.0)
        numbers = Dictionary(
            uniqueKeysWithValues: children.compactMap { pair in (pair.1 as? Int).map { (pair.0, $0) } })
        times = Dictionary(
            uniqueKeysWithValues: children.compactMap { pair in (pair.1 as? Duration).map { (pair.0, $0) } })
    }

    func count(_ label: String) -> Limit { .count("\(name).\(label)", numbers[label] ?? -1) }
    func bytes(_ label: String) -> Limit { .bytes("\(name).\(label)", numbers[label] ?? -1) }
    func time(_ label: String) -> Limit { .time("\(name).\(label)", times[label] ?? .seconds(-1)) }
}

@Suite("docs/limits.md")
struct LimitsPageTests {
    /// The cells of each row: subject, limit, and what happens beyond it.
    static let rows = Result {
        try textOfPackage("docs/limits.md")
            .split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| what |") }
            .map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }
    }

    /// The quantities in a row's first two cells, and in the third for the rows that `LimitsPage` names.
    static func said(_ row: [String]) -> [Quantity] {
        Quantity.all(in: row[0]) + Quantity.all(in: row[1])
            + (LimitsPage.saysMoreBeyond.contains(row[0])
                ? Quantity.all(in: row[2]).filter { !LimitsPage.statuses.contains($0) } : [])
    }

    @Test("Each row of the limits page contains the values in the code")
    func values() throws {
        let table = try LimitsPage.rows()
        for row in try Self.rows.get() {
            try #require(row.count == 3, "\(row)")
            guard let limits = table[row[0]] else {
                Issue.record("'\(row[0])' has no value in LimitsPage.rows: add the limit that it is about.")
                continue
            }
            #expect(Self.said(row) == limits.map(\.quantity), "\(row) is about \(limits.map(\.name))")
        }
        let rows = try Self.rows.get().map { $0[0] }
        #expect(Set(rows).count == rows.count)
        for what in table.keys where !rows.contains(what) { Issue.record("docs/limits.md has no row '\(what)'.") }
    }

    @Test("Each limit has a row on the page")
    func limits() throws {
        let named = try Set(LimitsPage.rows().values.joined().map(\.name))
        let all =
            try LimitsPage.structs.flatMap { limits in limits.labels.map { "\(limits.name).\($0)" } }
            + LimitsPage.namespaces.flatMap { try Self.constants(of: $0, in: $1) }
        #expect(all.count > 100)
        for limit in all where !named.contains(limit) && LimitsPage.withoutRow[limit] == nil {
            Issue.record("\(limit) has no row in docs/limits.md: add one, and its value to LimitsPage.rows.")
        }
        for limit in LimitsPage.withoutRow.keys {
            #expect(all.contains(limit) && !named.contains(limit), "\(limit) needs no exception.")
        }
    }

    /// The static constants of an enum of limits, which Mirror does not see.
    static func constants(of name: String, in path: String) throws -> [String] {
        let text = try textOfPackage("Sources/\(path).swift")
        let rest = text[try #require(text.range(of: "enum \(name) {"), "\(path)").upperBound...]
        let body = rest[..<(try #require(rest.range(of: "\n}")).lowerBound)]
        let constants = body.matches(of: #/ static let (\w+)/#).map { "\(name).\($0.output.1)" }
        #expect(!constants.isEmpty, "\(path)")
        return constants
    }

    @Test("The row for --time-limit states the default and the range")
    func timeLimit() throws {
        let page = try textOfPackage("docs/options.md")
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `--time-limit`") })
        let seconds = [
            try Verify.parse(["--", "x"]).timeLimit.seconds, Verify.timeLimits.lowerBound, Verify.timeLimits.upperBound,
        ]
        #expect(Quantity.all(in: String(row)) == seconds.map { .time($0 * 1_000_000_000) })
    }

    @Test("Quantities in docs/limits.md are parsed from text")
    func quantities() {
        let quantities: [Quantity] = [
            .count(12_000), .count(320), .bytes(1 << 20), .bytes(16 << 20), .time(7_200_000_000_000),
            .time(1_800_000_000_000),
        ]
        let text = "12,000, or what `ulimit -n` allows less 320 of 1 MiB (echo: 16 MiB) of UTF-8, 2 h, 30 minutes"
        #expect(Quantity.all(in: text) == quantities)
        let times: [Quantity] = [.time(60_000_000_000), .time(1_000_000_000), .time(86_400_000_000_000), .count(1009)]
        #expect(Quantity.all(in: "60s; from 1s to 1d: close 1009") == times)
        #expect(Quantity.all(in: "interim answers (1xx), `/api/v1`, best practice") == [])
    }
}
