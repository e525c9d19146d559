import ArgumentParser
import Scenarios

struct ListScenarios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "List the built-in scenarios, or print one to begin your own with.")

    @Argument(help: ArgumentHelp("Print this one's YAML.", valueName: "name"))
    var name: String?

    func run() throws {
        guard let name else {
            print(Self.table(Scenario.builtInSummaries))
            return
        }
        guard let text = Scenario.builtInText(named: name) else {
            throw Failure.configuration(Scenario.unknownBuiltIn(name))
        }
        print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
    }

    /// A line each: the name, and in a column of their own the summaries.
    static func table(_ rows: [(name: String, summary: String)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            row.name + String(repeating: " ", count: width - row.name.count + 2) + row.summary
        }.joined(separator: "\n")
    }
}
