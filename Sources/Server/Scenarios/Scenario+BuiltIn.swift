import Text
import Texts

extension Scenario {
    /// The names of the built-in scenarios, `default` first, the others sorted.
    public static let builtInNames = builtIns.map(\.name)

    /// The name and summary of each built-in scenario, without parsing YAML.
    public static let builtInSummaries = builtIns.map { (name: $0.name, summary: $0.summary) }

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
        let text = EmbeddedText(path: BuiltInScenario.folder + name + ".yaml")
        return String(decoding: UnsafeBufferPointer(start: text.start, count: text.count), as: UTF8.self)
    }

    /// The message about an unknown scenario, with the available names.
    public static func unknownBuiltIn(_ name: String) -> String { Messages.unknownScenario(name, known: builtInNames) }

    private static let builtIns: [BuiltInScenario] = {
        var found: [BuiltInScenario] = []
        var index = 0
        while let start = EmbeddedText(index: index).path {
            let path = String(cString: start)
            if path.hasPrefix(BuiltInScenario.folder) {
                let text = EmbeddedText(index: index)
                let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
                let scenario = BuiltInScenario(bytes, path: path)
                if let mistake = scenario.mistake { preconditionFailure(mistake) }
                found.append(scenario)
            }
            index += 1
        }
        return found.sorted { ($0.name == defaultName ? "" : $0.name) < ($1.name == defaultName ? "" : $1.name) }
    }()
}

/// An embedded file of `Fixtures/scenarios`, read up to its summary.
///
/// After comments and empty lines each file has a line `name: ` with the name of the file, and then a line `summary: `
/// with a plain text, so that a list of all scenarios needs no YAML.
struct BuiltInScenario: Sendable {
    static let folder = "Fixtures/scenarios/"

    private(set) var name = ""
    private(set) var summary = ""
    /// The mistake in the head of the file, with its path and line.
    private(set) var mistake: String?

    init(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
        name = String(path.dropFirst(Self.folder.count).dropLast(".yaml".count))
        var start = 0
        var number = 0
        var isNamed = false
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = String(decoding: bytes[start..<end], as: UTF8.self)
            start = end + 1
            number += 1
            if line.isEmpty || line.hasPrefix("#") { continue }
            if !isNamed {
                guard line == "name: \(name)" else {
                    mistake = "\(path):\(number): the first key is name, with the name of the file: name: \(name)"
                    return
                }
                isNamed = true
                continue
            }
            summary = String(line.dropFirst("summary: ".count))
            if !line.hasPrefix("summary: ") || !Self.isPlain(summary) {
                mistake =
                    "\(path):\(number): the second key is summary, with one line that needs no quotation marks: a letter "
                    + "first, without \": \" and \" #\""
            }
            return
        }
        mistake = "\(path):\(max(number, 1)): the file has no name and summary"
    }

    /// Whether YAML reads the text unchanged.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        return first.isLetter && last > 0x20 && last != .colon && !text.contains(": ") && !text.contains(" #")
    }
}
