import Foundation
import TestSupport
import Testing

/// The compiler in the toolchain that runs the tests.
enum Compiler {
    /// A compiler message about a line.
    struct Diagnostic: Hashable, Comparable {
        let line: Int
        /// `error: cannot find 'a' in scope`, without the compiler's reference to its documentation.
        let message: String

        static func < (left: Diagnostic, right: Diagnostic) -> Bool {
            (left.line, left.message) < (right.line, right.message)
        }
    }

    /// Compiles Swift text as Swift 6, and returns its errors and warnings; cancelling the test stops the compiler.
    static func diagnostics(of snippet: String) async throws -> [Diagnostic] {
        let files = try ScratchFolder()
        defer { files.remove() }
        let source = files["snippet.swift"]
        try Data(snippet.utf8).write(to: source)
        let process = Process()
        process.executableURL = try program()
        // `xcrun` passes the rest to the compiler that it finds.
        process.arguments =
            (process.executableURL?.lastPathComponent == "xcrun" ? ["swiftc"] : [])
            + ["-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", source.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try files.create("said")
        let status = try await process.runToItsEnd()
        let text = try files.read("said")
        let found = read(text)
        // If the compiler fails to start, its output says nothing about the snippet.
        try #require(status == 0 || !found.isEmpty, "\(text)")
        return found
    }

    private static func program() throws -> URL {
        let files = FileManager.default
        if files.isExecutableFile(atPath: "/usr/bin/xcrun") { return URL(filePath: "/usr/bin/xcrun") }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "swiftc") }
        return try #require(places.first { files.isExecutableFile(atPath: $0.path) }, "swiftc is not in PATH")
    }

    /// Reads rows like `/tmp/snippet.swift:17:9: error: invalid redeclaration of 'response'`.
    private static func read(_ text: String) -> [Diagnostic] {
        text.split(separator: "\n").compactMap { row in
            guard let place = row.range(of: "snippet.swift:") else { return nil }
            let parts = row[place.upperBound...].split(separator: ":", maxSplits: 2)
            guard parts.count == 3, let line = Int(parts[0]), Int(parts[1]) != nil else { return nil }
            var message = parts[2].drop { $0 == " " }
            guard message.hasPrefix("error: ") || message.hasPrefix("warning: ") else { return nil }
            if let reference = message.range(of: " [#") { message = message[..<reference.lowerBound] }
            return Diagnostic(line: line, message: String(message))
        }.sorted()
    }
}
