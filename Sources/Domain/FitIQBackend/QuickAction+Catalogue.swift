import FitIQAPI
import Text

/// The built-in quick actions: `Fixtures/data/quick_actions.json`, with a section per persona and one for all personas.
extension QuickAction {
    static let path = "Fixtures/data/quick_actions.json"
    static let sections = Persona.allCases.map(\.rawValue) + ["everyone"]

    /// The built-in actions in file order, loaded by the first request.
    public static let catalogue = DataFile.embedded(path) { read(&$0) }

    /// The built-in actions for a context and a persona, in the order of the catalogue; nil matches all.
    ///
    /// An action without a persona fits every persona; each of the 20 combinations has at least one.
    public static func matching(contextType: ContextType?, persona: Persona?) -> [QuickAction] {
        catalogue.filter { action in
            (contextType == nil || action.contextType == contextType)
                && (persona == nil || action.persona == nil || action.persona == persona)
        }
    }

    static func read(_ file: inout DataFile) -> [QuickAction] {
        file.check(sections: sections)
        var actions: [QuickAction] = []
        var lines: [String: Int] = [:]  // Prompts of one file, which writes each once.
        for section in file.sections {
            for record in section.records {
                let action = action(record, persona: Persona(rawValue: section.name), &file)
                if let first = lines.updateValue(record.line, forKey: action.prompt) {
                    file.refuse("the prompt is already on line \(first)", at: record.line)
                }
                actions.append(action)
            }
            let missing = ContextType.allCases.filter { type in
                !section.records.isEmpty
                    && !actions.contains { $0.contextType == type && $0.persona?.rawValue == section.name }
            }
            if section.records.isEmpty || (section.name != "everyone" && !missing.isEmpty) {
                file.refuse("\(section.name) needs an action for each context_type", at: section.line)
            }
        }
        return actions
    }

    private static func action(_ record: DataFile.Record, persona: Persona?, _ file: inout DataFile) -> QuickAction {
        file.check(record, keys: ["prompt", "description", "context_type", "category"])
        let prompt = file.text("prompt", of: record)
        let description = file.optionalText("description", of: record)
        if prompt.count > 60 || (description?.count ?? 0) > 60 {
            file.refuse("prompt and description must have at most 60 characters", at: record.line)
        }
        let type = ContextType(rawValue: file.text("context_type", of: record))
        if type == nil {
            let types = ContextType.allCases.map(\.rawValue).joined(separator: ", ")
            file.refuse("context_type must be one of \(types)", at: record.line)
        }
        let category = file.optionalText("category", of: record)
        if let category, !category.utf8.allSatisfy({ $0 == .underscore || $0.isLowercaseLetter }) {
            file.refuse("category must be in snake case, such as meal_planning", at: record.line)
        }
        return QuickAction(
            prompt: prompt, description: description, contextType: type ?? .general, persona: persona,
            category: category)
    }
}
