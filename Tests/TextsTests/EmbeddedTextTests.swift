import Foundation
import TestSupport
import Testing
import Texts

@Suite("Embedded texts")
struct EmbeddedTextTests {
    static let root = URL.packageRoot

    /// The folders with embedded files, and the files' name endings.
    static let places = [
        ("openapi", ".yaml"), ("openapi", ".html"), ("openapi", ".md"), ("ui", "ui.html"),
        ("openapi/guides", "/openapi.yaml"),
        ("openapi/guides", "/asyncapi.yaml"), ("openapi/guides", "/docs.html"), ("Fixtures/scenarios", ".yaml"),
        ("Fixtures/scenarios", ".schema.json"), ("Fixtures/data", ""), ("docs", ".md"), (".", "llms.txt"),
    ]

    static func filesOnDisk() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for (folder, end) in places {
            for name in try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path) {
                let path = (folder == "." ? "" : folder + "/") + name + (end.hasPrefix("/") ? end : "")
                guard path.hasSuffix(end) else { continue }
                // The union folder has only a page.
                files[path] = try? Data(contentsOf: root.appendingPathComponent(path))
            }
        }
        return files
    }

    static var rows: [(path: String, bytes: Data)] {
        var rows: [(path: String, bytes: Data)] = []
        while let path = EmbeddedText(index: rows.count).path {
            let text = EmbeddedText(index: rows.count)
            rows.append((String(cString: path), Data(UnsafeBufferPointer(start: text.start, count: text.count))))
        }
        return rows
    }

    /// The rows of a table that are missing or extra, or that differ from their files.
    static func problems(_ rows: [(path: String, bytes: Data)], _ files: [String: Data]) -> [String] {
        let paths = rows.map(\.path)
        var problems = files.keys.filter { !paths.contains($0) }.map { "\($0) has no row in texts.c" }
        for (index, row) in rows.enumerated() {
            if paths[..<index].contains(row.path) { problems.append("\(row.path) has two rows in texts.c") }
            guard let file = files[row.path] else {
                problems.append("\(row.path) has a row in texts.c, but is not a file that is to be embedded")
                continue
            }
            if row.bytes != file {
                problems.append(
                    "\(row.path) in texts.c is not the file: another one, an older one, or one with a zero byte")
            }
        }
        return problems.sorted()
    }

    @Test("Every file has a row, and every row equals its file byte for byte")
    func rowsAreTheFiles() throws {
        let files = try Self.filesOnDisk()
        #expect(files.count > 40)
        for problem in Self.problems(Self.rows, files) { Issue.record("\(problem)") }
    }

    @Test("The check reports a missing, duplicate, extra or different file by path")
    func tellsDifferences() {
        let rows = [("a", Data([1])), ("b", Data([2])), ("b", Data([2])), ("c", Data([3]))].map {
            (path: $0.0, bytes: $0.1)
        }
        #expect(
            Self.problems(rows, ["a": Data([1]), "b": Data([2, 0]), "d": Data()]) == [
                "b has two rows in texts.c",
                "b in texts.c is not the file: another one, an older one, or one with a zero byte",
                "b in texts.c is not the file: another one, an older one, or one with a zero byte",
                "c has a row in texts.c, but is not a file that is to be embedded",
                "d has no row in texts.c",
            ])
    }

    @Test("A lookup finds embedded text only by its full path")
    func findsByPath() throws {
        for row in Self.rows {
            let text = EmbeddedText(path: row.path)
            #expect(text.path.map { String(cString: $0) } == row.path && text.count == row.bytes.count)
        }
        for path in ["", "openapi", "openapi/openapi.yam", "openapi/openapi.yaml2", "/openapi/openapi.yaml"] {
            let text = EmbeddedText(path: path)
            #expect(text.path == nil && text.start == nil && text.count == 0)
        }
        for index in [-1, Self.rows.count, Int.max, Int.min] { #expect(EmbeddedText(index: index).path == nil) }
    }
}
