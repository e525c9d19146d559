import Foundation
import TestSupport
import Testing

/// The package as SwiftPM reads it: the only place that declares dependencies between modules.
struct Manifest: Decodable {
    struct Target: Decodable {
        var name: String
        var path: String?
        var dependencies: [[String: [Module?]]]

        /// The targets and products that the target may import; SwiftPM writes each as a list whose first element is
        /// the name.
        var imports: [String] { dependencies.flatMap(\.values).compactMap { $0.first??.name } }

        /// The folder below `Sources` that contains the target; nil for other targets.
        var floor: String? {
            let parts = (path ?? "").split(separator: "/")
            return parts.count == 3 && parts[0] == "Sources" && parts[2] == name ? String(parts[1]) : nil
        }
    }

    /// A name, with further data such as a condition.
    struct Module: Decodable {
        var name: String?

        init(from decoder: any Decoder) { name = try? decoder.singleValueContainer().decode(String.self) }
    }

    var targets: [Target]

    /// The output of `swift package dump-package`; it has a separate scratch path, because the build's is locked.
    static func dumped() throws -> Manifest {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", URL.packageRoot.path, "--scratch-path", scratch.url.path,
            "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "swift package dump-package failed")
        return try JSONDecoder().decode(Manifest.self, from: text)
    }
}

/// The floors of `Sources`, and the permitted imports of a target.
enum Floors {
    /// The floors from the bottom up.
    static let order = ["Platform", "Protocols", "Domain", "Traffic", "Server", "Clients", "App"]

    /// The system's modules, which a package does not declare; the style rules say where each is allowed.
    static let system: Set<String> = ["Darwin", "Glibc", "Musl", "Synchronization"]

    /// The toolchain's modules that individual targets may import.
    private static let outside: [String: Set<String>] = [
        "FakeBackend": ["Testing"], "FitIQMockTesting": ["Foundation", "FoundationNetworking"],
        "FitIQMockSwiftTesting": ["Foundation", "Testing"],
        "FitIQMockXCTest": ["Foundation", "XCTest", "XCUIAutomation"],
    ]

    static func violations(in manifest: Manifest) -> [String] {
        let floors = Dictionary(
            manifest.targets.map { ($0.name, $0.floor.flatMap(order.firstIndex)) }, uniquingKeysWith: { $1 })
        return manifest.targets.flatMap { target -> [String] in
            guard (target.path ?? "").hasPrefix("Sources") else { return [] }
            guard let floor = target.floor, let level = order.firstIndex(of: floor) else {
                return [
                    "\(target.name): the path is \(target.path ?? "missing"); it is Sources/FLOOR/\(target.name), with a "
                        + "floor of \(order.joined(separator: ", "))."
                ]
            }
            return target.imports.compactMap { name in
                guard case let other?? = floors[name], other > level else { return nil }
                return
                    "\(target.name) (\(floor)) must not import \(name) (\(order[other])), which is on a higher floor."
            }
        }
    }

    /// The names that a file imports, each with its line.
    static func imports(of file: SourceText) throws -> [(line: Int, name: String)] {
        let expression = try Regex(
            #"^\s*(?:@\w+(?:\([^)]*\))?\s+|public\s+|package\s+|internal\s+|fileprivate\s+|private\s+)*import\s+(?:struct\s+|class\s+|enum\s+|func\s+|var\s+|let\s+|protocol\s+|typealias\s+)?(\w+)"#,
            as: (Substring, Substring).self)
        return file.code.enumerated().compactMap { index, line in
            line.firstMatch(of: expression).map { (index + 1, String($0.output.1)) }
        }
    }

    /// Imports that Package.swift does not declare, and declarations that nothing imports.
    static func violations(of target: Manifest.Target, in files: [SourceText]) throws -> [String] {
        let declared = Set(target.imports)
        // Swift Testing and XCTest exist only for tests, so special libraries may import them.
        let allowed = declared.union(system).union(outside[target.name] ?? [])
        let imports = try files.flatMap { file in try Self.imports(of: file).map { (file.path, $0.line, $0.name) } }
        let unused = declared.subtracting(imports.map(\.2)).sorted()
        return imports.filter { !allowed.contains($0.2) }.map { path, line, name in
            "\(path):\(line): \(target.name) imports \(name), which Package.swift does not declare for it."
        } + unused.map { "\(target.name): Package.swift declares \($0), which no file imports." }
    }
}

@Suite("Floors of Sources")
struct FloorTests {
    @Test("No target imports from a higher floor, and all imports are declared and used")
    func holds() throws {
        let manifest = try Manifest.dumped()
        let files = Dictionary(grouping: try Package.sources.get(), by: \.module)
        var messages = Floors.violations(in: manifest)
        for target in manifest.targets where target.floor != nil {
            guard let files = files[target.name] else { continue }
            messages += try Floors.violations(of: target, in: files)
        }
        for message in messages { Issue.record("\(message)") }
        #expect(Set(manifest.targets.compactMap(\.floor)) == Set(Floors.order))
        #expect(Set(files.keys).isSubset(of: Set(manifest.targets.filter { $0.floor != nil }.map(\.name))))
    }

    private func target(_ name: String, _ path: String?, _ imports: [String] = []) throws -> Manifest.Target {
        let text = try JSONSerialization.data(withJSONObject: [
            "name": name, "path": path as Any, "dependencies": imports.map { ["byName": [$0, NSNull()]] },
        ])
        return try JSONDecoder().decode(Manifest.Target.self, from: text)
    }

    @Test("The check reports an import from a higher floor and a path without a floor")
    func catchesFloors() throws {
        let manifest = Manifest(targets: [
            try target("HTTP1", "Sources/Protocols/HTTP1", ["HTTPTypes", "JSON", "MockServer"]),
            try target("JSON", "Sources/Protocols/JSON"),
            try target("MockServer", "Sources/Server/MockServer", ["HTTP1"]),
            try target("New", "Sources/New"), try target("NewTests", "Tests/NewTests", ["New"]),
        ])
        #expect(
            Floors.violations(in: manifest) == [
                "HTTP1 (Protocols) must not import MockServer (Server), which is on a higher floor.",
                "New: the path is Sources/New; it is Sources/FLOOR/New, with a floor of Platform, Protocols, Domain, "
                    + "Traffic, Server, Clients, App.",
            ])
    }

    @Test(
        "The check reports an undeclared import with file and line",
        arguments: [
            "import Sockets", "public import Sockets", "@preconcurrency import Sockets",
            "  import struct Sockets.Socket", "@_spi(Test) import Sockets",
        ])
    func catchesImports(_ line: String) throws {
        let file = SourceText(
            path: "Sources/Protocols/WebSocket/Bad.swift", text: "import HTTPTypes\nimport Glibc\n\(line)\n")
        #expect(
            try Floors.violations(
                of: target("WebSocket", "Sources/Protocols/WebSocket", ["HTTPTypes", "Digests"]), in: [file]) == [
                    "Sources/Protocols/WebSocket/Bad.swift:3: WebSocket imports Sockets, which Package.swift does not "
                        + "declare for it.",
                    "WebSocket: Package.swift declares Digests, which no file imports.",
                ])
    }
}
