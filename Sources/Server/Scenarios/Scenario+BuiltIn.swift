extension Scenario {
    /// The names of the scenarios that the binary holds, `default` first.
    public static let builtInNames = BuiltInTexts.all.map(\.name)

    /// Name and summary of each scenario that the binary holds; nothing is parsed for it.
    public static let builtInSummaries = BuiltInTexts.all.map { (name: $0.name, summary: $0.summary) }

    /// The scenario that the binary holds under this name; nil where there is none.
    ///
    /// `default` costs nothing; the others are parsed when they are asked for.
    public static func builtIn(named name: String) -> Scenario? {
        if name == defaultName { return Scenario() }
        guard let text = builtInText(named: name) else { return nil }
        do {
            return try Scenario.read(text, file: name)
        } catch {
            preconditionFailure("A scenario of the binary cannot be read: \(error)")
        }
    }

    /// The YAML of a scenario that the binary holds, to begin one's own with; nil where there is none.
    public static func builtInText(named name: String) -> String? {
        BuiltInTexts.all.first { $0.name == name }?.text.description
    }

    /// Why there is no such scenario, and which there are.
    public static func unknownBuiltIn(_ name: String) -> String { Messages.unknownScenario(name, known: builtInNames) }
}

/// A scenario that the binary holds; the list of them is generated, one file for each: see the folder Generated.
struct BuiltInText {
    var name: String
    var summary: String
    var text: StaticString
}
