import Testing

/// What each module may import: the arrows of the architecture, which point down only.
enum Arrows {
    /// The system's own modules, beside `Swift`.
    static let system = ["Glibc", "Musl", "Darwin"]

    static let allowed: [String: Set<String>] = [
        "Digests": ["COpenSSL"],
        "HTTP1": ["HTTPTypes"],
        "WebSocket": ["Digests", "HTTPTypes"],
        "JSON": [],
        "Nutrition": [],
        "Patterns": [],
        "FitIQAPI": ["Digests", "JSON", "HTTPTypes"],
        "FitIQBackend": ["FitIQAPI", "JSON", "Nutrition", "Patterns", "HeapModule"],
        "Faults": ["FitIQAPI", "JSON", "WebSocket", "HTTPTypes"],
        "Scenarios": Set(
            ["Faults", "FitIQAPI", "FitIQBackend", "JSON", "Patterns", "Replay", "Sessions", "Yams"] + system),
        "Recording": ["Digests", "FitIQAPI", "HTTP1", "JSON", "WebSocket", "HTTPTypes"],
        "Sessions": ["Digests", "FitIQAPI", "HTTP1", "JSON", "Recording", "WebSocket", "HTTPTypes"],
        "Replay": ["FitIQAPI", "JSON", "Recording", "Sessions", "WebSocket", "HTTPTypes"],
        "Obligations": ["FitIQAPI", "HTTP1", "JSON", "Recording", "WebSocket", "HTTPTypes"],
        "Reports": ["FitIQAPI", "JSON", "Obligations", "Recording"],
        "APIDescriptions": [],
        "Sockets": Set(["CPlatform", "Synchronization"] + system),
        "TLS": ["COpenSSL"],
        "MockServer": [
            "APIDescriptions", "Digests", "Faults", "FitIQAPI", "FitIQBackend", "HTTP1", "JSON", "Obligations",
            "Recording", "Replay", "Scenarios", "Sessions", "Sockets", "Synchronization", "TLS", "WebSocket",
            "HTTPTypes", "HeapModule", "Logging",
        ],
        "Proxy": ["FitIQAPI", "HTTP1", "Sessions", "Sockets", "TLS", "WebSocket", "HTTPTypes", "Logging"],
        "FitIQClient": ["FitIQAPI", "HTTP1", "JSON", "Sockets", "Synchronization", "WebSocket", "HTTPTypes"],
        "ContractSuite": [
            "FitIQAPI", "FitIQClient", "HTTP1", "JSON", "MockServer", "Obligations", "Recording", "Reports",
            "Scenarios", "Sockets", "Synchronization", "WebSocket", "HTTPTypes",
        ],
        "FakeBackend": [
            "FitIQAPI", "MockServer", "Obligations", "Reports", "Scenarios", "Synchronization", "Testing",
        ],
        "fitiq-mock": Set(
            [
                "Synchronization", "ContractSuite", "FitIQAPI", "FitIQBackend", "FitIQClient", "JSON", "MockServer",
                "Obligations", "Proxy", "Recording", "Replay", "Reports", "Scenarios", "Sessions", "Sockets", "TLS",
                "ArgumentParser", "Logging",
            ]
                + system),
    ]

    /// The messages about imports that the table does not allow.
    static func violations(in file: SourceText) throws -> [String] {
        let expression = try Regex(
            #"^\s*(?:@\w+(?:\([^)]*\))?\s+|public\s+|package\s+|internal\s+|fileprivate\s+|private\s+)*import\s+(?:struct\s+|class\s+|enum\s+|func\s+|var\s+|let\s+|protocol\s+|typealias\s+)?(\w+)"#,
            as: (Substring, Substring).self)
        guard let allowed = allowed[file.module] else {
            return ["\(file.path): the module \(file.module) is not in the table of arrows; add what it may import."]
        }
        return file.code.enumerated().compactMap { index, line in
            guard let name = line.firstMatch(of: expression)?.output.1, !allowed.contains(String(name)) else {
                return nil
            }
            let list = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
            return "\(file.path):\(index + 1): \(file.module) must not import \(name); it may import \(list)."
        }
    }
}

@Suite("Arrows between modules")
struct ArrowTests {
    @Test("Modules import only what the architecture allows")
    func holds() throws {
        for message in try Package.files(below: "Sources").flatMap(Arrows.violations) { Issue.record("\(message)") }
    }

    @Test("The table names the modules that exist, and no others")
    func isComplete() throws {
        #expect(Set(try Package.files(below: "Sources").map(\.module)) == Set(Arrows.allowed.keys))
    }

    @Test("The table has no cycle")
    func isAcyclic() {
        var rest = Arrows.allowed
        while let leaf = rest.first(where: { $0.value.isDisjoint(with: rest.keys) })?.key { rest[leaf] = nil }
        #expect(rest.isEmpty)
    }

    @Test(
        "An import against the arrows is told with file, line and what is allowed",
        arguments: [
            "import Sockets", "public import Sockets", "@preconcurrency import Sockets",
            "  import struct Sockets.Socket",
            "@_spi(Test) import Sockets",
        ])
    func catches(_ line: String) throws {
        let file = SourceText(path: "Sources/WebSocket/Bad.swift", text: "import HTTPTypes\n\(line)\n")
        #expect(
            try Arrows.violations(in: file) == [
                "Sources/WebSocket/Bad.swift:2: WebSocket must not import Sockets; it may import Digests, HTTPTypes."
            ])
    }

    @Test("A module outside the table is told")
    func catchesUnknownModule() throws {
        let file = SourceText(path: "Sources/New/A.swift", text: "")
        #expect(
            try Arrows.violations(in: file) == [
                "Sources/New/A.swift: the module New is not in the table of arrows; add what it may import."
            ])
    }
}
