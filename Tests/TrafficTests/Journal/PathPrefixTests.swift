import Foundation
import TestSupport
import Testing
import Traffic

@Suite("The path in front of the API's")
struct PathPrefixTests {
    @Test(
        "It is a path with a name",
        arguments: [
            ("/prod", true), ("/prod/", true), ("/a/b", true), ("", false), ("/", false), ("//", false),
            ("prod", false),
            ("/prod?x", false), ("/prod#x", false), ("/a b", false), ("https://h/prod", false),
        ])
    func form(text: String, isOne: Bool) { #expect((PathPrefix(text) != nil) == isOne) }

    @Test(
        "It is removed from URLs and targets that begin with it",
        arguments: [
            ("https://h/prod/api?x=1", "https://h/api?x=1"), ("/prod/api", "/api"), ("/prod", "/"), ("/prod?x", "/?x"),
            ("https://h/prod", "https://h/"), ("/product/api", "/product/api"), ("/api/prod", "/api/prod"),
            ("/PROD/api", "/PROD/api"), ("/prod/prod/api", "/prod/api"),
        ])
    func removed(url: String, rest: String) throws {
        #expect(try #require(PathPrefix("/prod/")).removed(from: url) == rest)
    }

    private static func fixture(_ name: String) throws -> HARFile {
        try HARFile(reading: Array(Data(contentsOf: URL.fixtures.appending(path: "har/\(name).har"))))
    }

    @Test("A session without calls names its first request, and the prefix with which there would be some")
    func stranger() throws {
        let file = try Self.fixture("gateway-prefix")
        let journal = SessionJournal(file)
        #expect(journal.lines.isEmpty)
        #expect(journal.stranger == .init(request: "GET /prod/api/v1/goals", prefix: "/prod"))
        let named = SessionJournal(file, prefix: PathPrefix("/prod"))
        #expect(named.stranger == nil && named.lines.count == 1)
        #expect(SessionJournal(try Self.fixture("unread-codings")).stranger == .init(request: "GET /br", prefix: nil))
        let none = try HARFile(reading: Array(#"{"log":{"entries":[]}}"#.utf8))
        #expect(SessionJournal(none).stranger == .init(request: "", prefix: nil))
    }
}
