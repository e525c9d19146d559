import Scenarios

/// What `--scenario` names.
enum ScenarioSource: Equatable {
    case builtIn(String)
    case file(String)

    /// A path has a slash or the ending of a scenario file; any other word is a built-in scenario, else a file that exists.
    init(_ argument: String, exists: (String) -> Bool = InputFile.exists) throws(Failure) {
        let endings = [".yaml", ".yml", ".json"]
        if argument.contains("/") || endings.contains(where: argument.hasSuffix) {
            self = .file(argument)
        } else if argument == Scenario.defaultName || Scenario.builtInNames.contains(argument) {
            self = .builtIn(argument)
        } else if exists(argument) {
            self = .file(argument)
        } else {
            throw .configuration(Scenario.unknownBuiltIn(argument))
        }
    }
}
