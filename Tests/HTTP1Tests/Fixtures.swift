import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP1

/// A file of raw bytes under `Fixtures/http1`, with its row in `expected.tsv`.
struct Fixture: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// The columns after the file name.
    var row: [String]

    var testDescription: String { name }

    /// Files named `response-…` are read by a client: `response-to-head-…` after a HEAD, `response-switch-…` after a
    /// request that proposed another protocol, and the rest after a GET.
    var role: Role { name.hasPrefix("response-") ? .client : .server }
    var method: HTTPRequest.Method {
        if name.hasPrefix("response-to-head-") { return .head }
        return name.hasPrefix("response-switch-") ? .patch : .get
    }

    func transcript(_ pieces: some Sequence<ArraySlice<UInt8>>) -> Transcript {
        .of(pieces, role: role, method: method)
    }

    static let root = URL.fixtures.appending(path: "http1")

    static let valid = load("valid")
    static let invalid = load("invalid")

    /// The rows of an index; tabs separate columns, and `#` begins a comment line.
    static func index(_ directory: String) -> [(name: String, row: [String])] {
        guard let text = try? String(contentsOf: root.appending(path: "\(directory)/expected.tsv"), encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return (columns[0], Array(columns.dropFirst()))
        }
    }

    static func files(_ directory: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: directory).path)
        return (names ?? []).filter { $0.hasSuffix(".http") }.sorted()
    }

    private static func load(_ directory: String) -> [Fixture] {
        index(directory).compactMap { name, row in
            guard let data = try? Data(contentsOf: root.appending(path: "\(directory)/\(name)")) else { return nil }
            return Fixture(name: name, bytes: Array(data), row: row)
        }
    }
}

@Suite("Grammar fixtures")
struct FixtureTests {
    @Test("The fixture table has exactly one row for every fixture", arguments: [("valid", 25), ("invalid", 60)])
    func indexIsComplete(directory: String, atLeast: Int) {
        let rows = Fixture.index(directory).map(\.name)
        #expect(Set(rows).count == rows.count, "a file has two rows in \(directory)/expected.tsv")
        #expect(rows.sorted() == Fixture.files(directory))
        #expect(rows.count >= atLeast)
    }

    @Test("The parser accepts valid messages", arguments: Fixture.valid)
    func valid(fixture: Fixture) throws {
        try #require(fixture.row.count == 1)
        #expect(fixture.transcript(CollectionOfOne(fixture.bytes[...])).description == fixture.row[0])
    }

    @Test("The parser rejects invalid messages", arguments: Fixture.invalid)
    func invalid(fixture: Fixture) throws {
        try #require(fixture.row.count == 3)
        let transcript = fixture.transcript(CollectionOfOne(fixture.bytes[...]))
        let error = try #require(transcript.error, "accepted as \(transcript)")
        #expect(String(error.status.code) == fixture.row[0])
        #expect(error.source == fixture.row[1])
        #expect(error.message.contains(fixture.row[2]), "\(error.message)")
    }

    @Test("The parser's result does not depend on how the input is split", arguments: Fixture.valid + Fixture.invalid)
    func split(fixture: Fixture) {
        let whole = fixture.transcript(CollectionOfOne(fixture.bytes[...]))
        #expect(fixture.transcript(fixture.bytes.pieces(of: 1)) == whole, "byte by byte")
        for index in fixture.bytes.indices {
            #expect(fixture.transcript(fixture.bytes.cut(at: index)) == whole, "split at \(index)")
        }
    }
}
