import ArgumentParser
import Scenarios

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print what makes a shell complete commands and options.",
        discussion: """
            Save the output where the shell looks for it:

              bash  ~/.local/share/bash-completion/completions/fitiq-mock
              zsh   _fitiq-mock in a folder of $fpath
              fish  ~/.config/fish/completions/fitiq-mock.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else {
            preconditionFailure("ArgumentParser has had completions for these shells since its version 0.")
        }
        print(FitIQMock.completionScript(for: shell))
    }
}

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of scenario files, for editors.",
        discussion: """
            In an editor with the YAML language server, the first line of a scenario names the file:

              # yaml-language-server: $schema=scenario.schema.json
            """)

    func run() { print(Scenario.schema, terminator: "") }
}
