import Foundation
import TestSupport
import WebSocket

/// One line of `Fixtures/websocket`; the format is described in the README there.
struct Fixture: Sendable, CustomStringConvertible {
    let topic: String
    let name: String
    let input: [UInt8]
    let events: [Event]
    /// How many bytes a server must receive to see the mistake; nil for a valid input.
    let failsAfter: Int?
    let failure: CloseCode?

    var description: String { "\(topic)/\(name)" }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    static let directory = URL.fixtures.appending(path: "websocket")

    /// Reads every topic in `valid` or `invalid`, in order of name.
    static func load(_ kind: String) throws -> [Fixture] {
        let folder = directory.appendingPathComponent(kind)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try files.flatMap { file -> [Fixture] in
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            let topic = "\(kind)/\(file.replacingOccurrences(of: ".txt", with: ""))"
            return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                try Fixture(line: String($0), topic: topic)
            }
        }
    }

    init(line: String, topic: String) throws {
        let columns = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        guard columns.count == 3 else { throw Malformed(description: "\(topic): three columns expected in: \(line)") }
        self.topic = topic
        name = columns[0]
        input = try Self.bytes(columns[1])
        var events: [Event] = []
        var failure: (CloseCode, Int)?
        for item in columns[2].components(separatedBy: ";") where !item.allSatisfy(\.isWhitespace) {
            let words = item.trimmingCharacters(in: .whitespaces)
            let keyword = String(words.prefix { $0 != " " })
            let rest = words.dropFirst(keyword.count).trimmingCharacters(in: .whitespaces)
            switch keyword {
            case "nothing": break
            case "text": events.append(.text(try Self.bytes(rest)))
            case "binary": events.append(.binary(try Self.bytes(rest)))
            case "ping": events.append(.ping(try Self.bytes(rest)))
            case "pong": events.append(.pong(try Self.bytes(rest)))
            case "closing": events.append(try Self.closing(rest))
            case "fail": failure = try Self.failure(rest)
            default: throw Malformed(description: "\(topic): unknown event \(keyword) in: \(line)")
            }
        }
        self.events = events
        self.failure = failure?.0
        failsAfter = failure?.1
    }

    /// `fail 1002 @ 7`.
    private static func failure(_ text: String) throws -> (CloseCode, Int) {
        let numbers = text.split(separator: "@").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2 else { throw Malformed(description: "code @ count expected: \(text)") }
        return (CloseCode(rawValue: UInt16(numbers[0])), numbers[1])
    }

    /// `closing`, `closing 1000`, `closing 1000 "reason"`.
    private static func closing(_ text: String) throws -> Event {
        guard !text.isEmpty else { return .closing(code: nil, reason: "") }
        guard let code = UInt16(text.prefix(4)) else { throw Malformed(description: "close code expected: \(text)") }
        let reason = String(decoding: try bytes(String(text.dropFirst(4))), as: UTF8.self)
        return .closing(code: CloseCode(rawValue: code), reason: reason)
    }

    /// Hexadecimal digits and quoted text, each with an optional `*count`, separated by spaces.
    static func bytes(_ text: String) throws -> [UInt8] {
        var out: [UInt8] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0 == " " }
            guard let first = rest.first else { return out }
            var item: [UInt8]
            if first == "\"" {
                let quoted = rest.dropFirst().prefix { $0 != "\"" }
                item = Array(quoted.utf8)
                rest = rest.dropFirst(quoted.count + 2)
            } else {
                let digits = rest.prefix { $0 != " " && $0 != "*" }
                guard digits.allSatisfy(\.isHexDigit), digits.count % 2 == 0 else {
                    throw Malformed(description: "pairs of hexadecimal digits expected: \(digits)")
                }
                item = hex(String(digits))
                rest = rest.dropFirst(digits.count)
            }
            if rest.first == "*" {
                let digits = rest.dropFirst().prefix(while: \.isNumber)
                guard let count = Int(digits) else { throw Malformed(description: "a count expected after *: \(text)") }
                item = Array(repeatElement(item, count: count).joined())
                rest = rest.dropFirst(1 + digits.count)
            }
            out += item
        }
    }
}
