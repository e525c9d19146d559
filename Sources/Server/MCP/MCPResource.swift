import JSON
import Judging
import Scenarios
import Text
import Texts

/// Embedded documents that a client reads without a tool, in pieces of at most ``MCPLimits/resource`` bytes.
///
/// A piece ends with a complete line and gives the URI of the next piece.
enum MCPResource {
    private static let scheme = "fitiq-mock://"

    private static let roots: [(path: String, title: String, mediaType: String)] = [
        ("obligations", "A client's obligations, each with its id and clause", "text/plain"),
        ("scenario-schema", "The JSON schema of scenario files, including faults", "application/json"),
        (
            "deviations",
            "Where the guides contradict each other, and what this fake does about it", "text/markdown"
        ),
    ]

    static var listed: [JSONValue] {
        (roots + pages.map { ("docs/\($0)", "A documentation page", "text/markdown") }).map { root in
            [
                "uri": .string(scheme + root.path), "name": .string(root.path), "description": .string(root.title),
                "mimeType": .string(root.mediaType),
            ]
        }
    }

    static let templates: [JSONValue] = [
        template(
            "obligations/{+id}",
            "An obligation: its clause, its tolerance, and how to fix a client that breaks it"),
        template("scenarios/{name}", "A built-in scenario, as YAML"),
        template("docs/{page}", "A documentation page"),
        template("{+path}?from={line}", "Any of the above, starting at the line where the previous piece ended"),
    ]

    private static func template(_ path: String, _ description: String) -> JSONValue {
        [
            "uriTemplate": .string(scheme + path), "name": .string(path), "description": .string(description),
            "mimeType": "text/plain",
        ]
    }

    /// The names of the embedded documentation pages.
    static let pages: [String] = {
        var names: [String] = []
        var index = 0
        while let path = EmbeddedText(index: index).path.map(String.init(cString:)) {
            if path.hasPrefix("docs/"), path.hasSuffix(".md") { names.append(String(path.dropFirst(5).dropLast(3))) }
            index += 1
        }
        return names
    }()

    /// The contents of a URI; nil if there is no such resource.
    static func read(_ uri: String) -> JSONValue? {
        guard uri.hasPrefix(scheme) else { return nil }
        let parts = uri.dropFirst(scheme.count).split(separator: "?", maxSplits: 1).map(String.init)
        var first = 1
        if parts.count == 2 {
            guard parts[1].hasPrefix("from="), let line = Int(parts[1].dropFirst(5)), line >= 1 else { return nil }
            first = line
        }
        guard let path = parts.first, let (text, mediaType) = text(at: path) else { return nil }
        return [
            "uri": .string(uri), "mimeType": .string(mediaType),
            "text": .string(piece(of: text, from: first, path: path)),
        ]
    }

    private static func text(at path: String) -> (text: String, mediaType: String)? {
        if let root = roots.first(where: { $0.path == path }) {
            switch path {
            case "obligations":
                let lines = Judge.obligations.map { "\($0.id) (\($0.level.rawValue)): \($0.clause)" }
                return (lines.joined(separator: "\n") + "\n", root.mediaType)
            case "scenario-schema": return (Scenario.schema, root.mediaType)
            default: return embedded("openapi/DEVIATIONS.md").map { ($0, root.mediaType) }
            }
        }
        guard let slash = path.firstIndex(of: "/") else { return nil }
        let name = String(path[path.index(after: slash)...])
        switch path[..<slash] {
        case "obligations":
            return Judge.obligations.first { $0.id == name }.map { (text(of: $0), "text/plain") }
        case "scenarios": return Scenario.builtInText(named: name).map { ($0, "application/yaml") }
        case "docs": return pages.contains(name) ? embedded("docs/\(name).md").map { ($0, "text/markdown") } : nil
        default: return nil
        }
    }

    private static func embedded(_ path: String) -> String? {
        let text = EmbeddedText(path: path)
        guard text.path != nil else { return nil }
        return String(decoding: UnsafeBufferPointer(start: text.start, count: text.count), as: UTF8.self)
    }

    private static func text(of obligation: Obligation) -> String {
        let lines: [(String, String?)] = [
            ("id", obligation.id), ("level", obligation.level.rawValue), ("clause", obligation.clause),
            ("tolerance", obligation.tolerance), ("advice", obligation.advice),
            ("in Swift", obligation.swiftAdvice.isEmpty ? nil : obligation.swiftAdvice),
            ("scenarios", obligation.scenarios.isEmpty ? nil : obligation.scenarios.joined(separator: ", ")),
        ]
        return lines.compactMap { name, text in text.map { "\(name): \($0)\n" } }.joined()
    }

    private static func piece(of text: String, from first: Int, path: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var piece = ""
        for (index, line) in lines.enumerated().dropFirst(first - 1) {
            let next = piece.utf8.count + line.utf8.count + 1
            if next > MCPLimits.resource - 200, !piece.isEmpty {
                return piece + "\nIt continues at \(scheme)\(path)?from=\(index + 1)\n"
            }
            piece += line + (index + 1 < lines.count ? "\n" : "")
        }
        return piece
    }
}
