import Foundation
import TestSupport

/// A Swift file for the rules: its lines as written, as code, and as the text of string literals.
struct SourceText: Sendable {
    /// The path relative to the package's root, such as `Sources/Protocols/HTTP1/Connection.swift`.
    let path: String
    let lines: [String]
    /// The lines with spaces in place of comments and the text of string literals.
    let code: [String]
    /// The text of string literals on the same lines, with spaces in place of anything else.
    let literals: [String]

    init(path: String, text: String) {
        self.path = path
        lines = Self.lines(of: Array(text.utf8))
        let parts = CodeOnly.parts(of: Array(text.utf8))
        (code, literals) = (Self.lines(of: parts.code), Self.lines(of: parts.literals))
    }

    /// The target: the directory below a floor of `Sources`, or below `Tests`.
    var module: String {
        let parts = path.split(separator: "/")
        let index = path.hasPrefix("Sources/") ? 2 : 1
        return parts.count > index + 1 ? String(parts[index]) : ""
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The package on disk, found from this file's path.
enum Package {
    /// The Swift files of `Sources` and of `Tests`, sorted by path, each read once.
    static let sources = Result { try files(below: "Sources") }
    static let tests = Result { try files(below: "Tests") }

    /// Tutorials contain an app's code and are in catalogues; tests link to that code.
    private static func isOurs(_ name: String) -> Bool {
        name.hasSuffix(".swift") && !name.contains(".docc/") && !name.hasPrefix("TutorialTests/")
    }

    private static func files(below directory: String) throws -> [SourceText] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: URL.packageRoot.appendingPathComponent(directory).path)
        return try names.filter(isOurs).sorted().map { name in
            let path = "\(directory)/\(name)"
            return SourceText(path: path, text: try textOfPackage(path))
        }
    }
}
