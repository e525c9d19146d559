import Texts

extension Scenario {
    /// The names of the built-in scenarios, `default` first, the others sorted.
    public static let builtInNames = builtInSummaries.map(\.name)

    /// The name and summary of each built-in scenario, without parsing YAML.
    public static let builtInSummaries: [(name: String, summary: String)] = {
        var found: [(name: String, summary: String)] = []
        var index = 0
        while let start = EmbeddedText(index: index).path {
            let (path, text) = (String(cString: start), EmbeddedText(index: index))
            index += 1
            guard path.hasPrefix(folder), path.hasSuffix(".yaml") else { continue }
            let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
            found.append((String(path.dropFirst(folder.count).dropLast(".yaml".count)), summary(of: bytes)))
        }
        return found.sorted { ($0.name == defaultName ? "" : $0.name) < ($1.name == defaultName ? "" : $1.name) }
    }()

    /// Returns the built-in scenario with this name, or nil if there is none.
    ///
    /// `default` is free; the others are parsed on request.
    public static func builtIn(named name: String) -> Scenario? {
        if name == defaultName { return Scenario() }
        guard let text = builtInText(named: name) else { return nil }
        do {
            return try Scenario.read(text, file: name)
        } catch {
            preconditionFailure("A scenario of the binary cannot be read: \(error)")
        }
    }

    /// The YAML of a built-in scenario, as a starting point for custom ones, or nil if there is none.
    public static func builtInText(named name: String) -> String? {
        guard builtInNames.contains(name) else { return nil }
        return text(ofFile: name + ".yaml")
    }

    /// The JSON Schema of scenario files (draft 2020-12).
    public static var schema: String { text(ofFile: "scenario.schema.json") }

    private static func text(ofFile name: String) -> String {
        let text = EmbeddedText(path: folder + name)
        return String(decoding: UnsafeBufferPointer(start: text.start, count: text.count), as: UTF8.self)
    }

    /// The message about an unknown scenario, with the available names.
    public static func unknownBuiltIn(_ name: String) -> String { Messages.unknownScenario(name, known: builtInNames) }

    private static let folder = "Fixtures/scenarios/"

    /// The text of the line `summary: `, which each file has near its beginning and which needs no quotation marks.
    private static func summary(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        let key = Array("summary: ".utf8)
        let line = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 20).first { $0.starts(with: key) }
        guard let line else { preconditionFailure("A scenario of the binary has a summary.") }
        return String(decoding: line.dropFirst(key.count), as: UTF8.self)
    }
}
