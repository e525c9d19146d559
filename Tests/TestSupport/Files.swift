import Foundation
import Traffic

extension URL {
    /// The folder that contains Package.swift.
    package static let packageRoot = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `Fixtures`, which contains test data.
    package static let fixtures = packageRoot.appending(path: "Fixtures")
}

/// The text of a file in the package, such as `docs/limits.md`.
package func textOfPackage(_ path: String) throws -> String {
    try String(contentsOf: .packageRoot.appending(path: path), encoding: .utf8)
}

/// The contents of a file as text; nil if there is no file.
package func contents(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

/// A folder for the files of one test, command or server.
package struct ScratchFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("fitiq-mock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package subscript(name: String) -> URL { url.appendingPathComponent(name) }

    package func create(_ name: String) throws -> FileHandle {
        try Data().write(to: self[name])
        return try FileHandle(forWritingTo: self[name])
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: self[name]), as: UTF8.self)
    }

    package func remove() { try? FileManager.default.removeItem(at: url) }

    /// Passes the path of a new folder to the body, and removes the folder afterwards.
    package static func lend<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        return try body(folder.url.path)
    }
}

/// Passes a new folder to the body, and removes the folder afterwards.
package func withFolder<Result>(_ body: (ScratchFolder) async throws -> Result) async throws -> Result {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    return try await body(folder)
}

extension FileWrite {
    /// Applies the write to a file in memory; any gap between the end of the file and the offset is filled with zeros.
    package func apply(to file: inout [UInt8]) {
        let end = offset + bytes.count
        if file.count < end { file.append(contentsOf: repeatElement(0, count: end - file.count)) }
        file.replaceSubrange(offset..<end, with: bytes)
    }
}
