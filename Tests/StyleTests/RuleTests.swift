import Testing

@Suite("House rules")
struct RuleTests {
    @Test("The files follow each rule", arguments: Rule.all)
    func holds(_ rule: Rule) throws {
        let files = try Package.sources.get() + Package.tests.get()
        for message in try files.flatMap(rule.violations) { Issue.record("\(message)") }
        #expect(files.contains { rule.holds(in: $0.path) }, "The rule holds nowhere.")
    }

    @Test("The check reports a bad line with file, line, banned code and advice", arguments: Rule.all)
    func catchesBadLines(_ rule: Rule) throws {
        let path = rule.scope == .tests ? "Tests/HTTP1Tests/Bad.swift" : "Sources/Protocols/HTTP1/Bad.swift"
        for line in rule.bad {
            let file = SourceText(path: path, text: "struct Fine {}\n\(line)\n")
            let number = 1 + line.split(separator: "\n").count
            #expect(
                try rule.violations(in: file) == ["\(path):\(number): \(rule.banned) is banned here: \(rule.advice)."],
                "\(line)")
        }
        #expect(!rule.bad.isEmpty)
    }

    @Test("The check accepts a good line", arguments: Rule.all)
    func passesGoodLines(_ rule: Rule) throws {
        for line in rule.good {
            #expect(
                try rule.violations(in: SourceText(path: "Sources/Protocols/HTTP1/Good.swift", text: line)) == [],
                "\(line)")
        }
    }

    @Test("The shell may use what the rules ban below it, but an unknown module may not")
    func scopes() throws {
        let rule = try #require(Rule.inputAndOutput.first { $0.banned == "`Sockets`" })
        for (path, count) in [
            ("Sources/Clients/FitIQClient/A.swift", 0), ("Sources/Server/MockServer/Host/A.swift", 0),
            ("Sources/App/fitiq-mock/A.swift", 0), ("Tests/SocketsTests/A.swift", 0),
            ("Sources/Server/MockServer/A.swift", 1), ("Sources/Server/MockServer/Engine/A.swift", 1),
            ("Sources/Domain/New/A.swift", 1),
        ] {
            #expect(try rule.violations(in: SourceText(path: path, text: "import Sockets")).count == count, "\(path)")
        }
    }

    @Test("All files listed as the shell exist")
    func shellExists() throws {
        let paths = try Package.sources.get().map(\.path)
        for place in Rule.shell { #expect(paths.contains { $0.hasPrefix(place) }, "\(place)") }
    }
}
