import ArgumentParser
import CLibrary
import ContractSuite
import Faults
import FitIQAPI
import FitIQClient
import JSON
import Scenarios

extension CompletionKind {
    /// The program computes the values only when a shell requests them, so that startup stays fast.
    static func values<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        of type: Choice.Type
    ) -> CompletionKind {
        .custom { _, _, _ in type.allCases.map(\.rawValue) }
    }

    static var guides: CompletionKind { .values(of: GuideMode.self) }
    static var networks: CompletionKind { .custom { _, _, _ in NetworkProfile.all.map(\.name) } }
    static var cases: CompletionKind { .custom { _, _, _ in ContractCase.all.map(\.address) } }
    static var conformCases: CompletionKind { .custom { _, _, _ in ConformPlay.cases.map(\.address) } }
    static var builtInScenarios: CompletionKind { .custom { _, _, _ in Scenario.builtInSummaries.map(\.name) } }
    static var scenarioFiles: CompletionKind { .file(extensions: ["yaml", "yml", "json"]) }
    static var sessions: CompletionKind { .file(extensions: ["har"]) }

    /// The built-in scenarios and files.
    static var scenarios: CompletionKind {
        .custom { _, _, prefix in
            var found = glob_t()
            defer { globfree(&found) }
            _ = glob(prefix + "*", GLOB_MARK, nil, &found)
            let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
            let endings = ["/", ".yaml", ".yml", ".json"]
            return Scenario.builtInSummaries.map(\.name)
                + paths.filter { path in endings.contains { path.hasSuffix($0) } }
        }
    }

    /// The worlds of the journal or session that the command line names, if any.
    static var judgedWorlds: CompletionKind {
        .custom { words, _, _ in
            // Skip the program and the command.
            let worlds = words.dropFirst(2).lazy.compactMap { try? JudgeCommand.worlds(in: $0) }
            return worlds.first { !$0.isEmpty } ?? []
        }
    }

    /// The worlds of the server that the command line names, if the server answers quickly.
    static var worlds: CompletionKind {
        .custom { words, _, _ in
            // bash also splits words at = and :.
            func value(_ option: String) -> String? {
                guard let place = words.lastIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else {
                    return nil
                }
                let rest =
                    words[place].dropFirst(option.count) + words[(place + 1)...].prefix { !$0.hasPrefix("-") }.joined()
                return String(rest.drop { $0 == "=" })
            }
            guard let base = try? Settings.serverURL(value("--url")) else { return [] }
            let token = (try? Settings.fieldValue(value("--admin-token"), .adminToken)) ?? nil
            let server = RemoteServer(base: base, adminToken: token, answerTime: .seconds(2))
            let answer = try? JSON.parse(server.ask(.get, "worlds"))
            return answer?["worlds"]?.array?.compactMap { $0["id"]?.string } ?? []
        }
    }
}

/// A shorter way to declare an option: its help, the value's name, and how a shell completes it.
extension Option {
    init<Word: ExpressibleByArgument>(
        _ help: String, _ value: String, _ completion: CompletionKind? = nil, name: NameSpecification = .long,
        parsing: SingleValueParsingStrategy = .next
    ) where Value == Word? {
        self.init(name: name, parsing: parsing, help: .init(help, valueName: value), completion: completion)
    }

    init(_ help: String, _ value: String, _ completion: CompletionKind? = nil) where Value: ExpressibleByArgument {
        self.init(help: .init(help, valueName: value), completion: completion)
    }

    init(
        wrappedValue: Value, _ help: String, _ value: String, _ completion: CompletionKind? = nil,
        name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next
    ) where Value: ExpressibleByArgument {
        self.init(
            wrappedValue: wrappedValue, name: name, parsing: parsing, help: .init(help, valueName: value),
            completion: completion)
    }

    init<Word: ExpressibleByArgument>(
        wrappedValue: [Word], _ help: String, _ value: String, _ completion: CompletionKind? = nil,
        name: NameSpecification = .long
    ) where Value == [Word] {
        self.init(wrappedValue: wrappedValue, name: name, help: .init(help, valueName: value), completion: completion)
    }

    init<Number: FixedWidthInteger & Sendable>(_ help: String, as kind: NumberKind<Number>) where Value == Number? {
        self.init(parsing: .unconditional, help: .init(help, valueName: "number"), transform: kind.parse)
    }
}

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a script that completes commands and options in a shell.",
        discussion: """
            Save the output where the shell looks for it:

              bash  ~/.local/share/bash-completion/completions/fitiq-mock
              zsh   _fitiq-mock in a folder of $fpath
              fish  ~/.config/fish/completions/fitiq-mock.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else {
            preconditionFailure("ArgumentParser must support completions for these shells.")
        }
        print(FitIQMock.completionScript(for: shell))
    }
}

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of scenario files, for editors.",
        discussion: """
            In an editor with the YAML language server, the first line of a scenario names the file:

              # yaml-language-server: $schema=scenario.schema.json
            """)

    func run() { print(Scenario.schema, terminator: "") }
}
