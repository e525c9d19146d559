import ArgumentParser
import MockServer
import Scenarios

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report each error in scenario files as FILE:LINE:COLUMN, with the allowed values.",
        discussion: "Exits with 0 if all files are valid, and with 2 if a file is invalid or cannot be read.")

    @Argument(help: .init("Scenario files, in YAML or JSON.", valueName: "file"), completion: .scenarioFiles)
    var files: [String]

    func run() throws {
        var isGood = true
        for file in files {
            let mistakes = Self.mistakes(in: file) { FitIQMock.printToStandardError($0 + "\n") }
            if let mistakes {
                isGood = false
                FitIQMock.printToStandardError(mistakes + "\n")
            } else {
                print("\(file): ok")
                // Flush, to keep the two streams in order when they share a terminal.
                StandardOutput.flush()
            }
        }
        guard isGood else { throw Failure.told(exitCode: 2) }
    }

    /// The mistakes in a file, one per line, or nil if there are none.
    ///
    /// - Parameter note: receives a line for each deprecated word in a valid file.
    static func mistakes(in path: String, note: (String) -> Void = { _ in }) -> String? {
        do throws(Failure) {
            return mistakes(
                in: try InputFile.read(path, limit: ScenarioLimits.fileBytes, orInherited: true), file: path, note: note
            )
        } catch {
            return Messages.inFile(path, error.message)
        }
    }

    static func mistakes(in bytes: [UInt8], file: String, note: (String) -> Void = { _ in }) -> String? {
        var configuration = Engine.Configuration()
        do throws(ScenarioErrors) {
            let scenario = try ScenarioPlan().read(bytes, file: file)
            for word in scenario.oldWords { note(ScenarioErrors(file: file, mistakes: [word]).description) }
            configuration.adopt(scenario)
        } catch {
            return error.description
        }
        do {
            try configuration.checkData(at: FitIQMock.now)
            return nil
        } catch {
            return ScenarioPlan().locate(error, in: bytes, file: file)
        }
    }
}

struct ListScenarios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios", abstract: "List the built-in scenarios, or print one as a template for your own.")

    @Argument(help: .init("Print this scenario's YAML.", valueName: "name"), completion: .builtInScenarios)
    var name: String?

    func run() throws {
        guard let name else {
            print(Self.table(Scenario.builtInSummaries))
            StandardOutput.flush()
            if !StandardOutput.hasFailed { FitIQMock.printError(Messages.scenarioUse) }
            return
        }
        guard let text = Scenario.builtInText(named: name) else {
            throw Failure.configuration(Scenario.unknownBuiltIn(name))
        }
        print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
    }

    /// A table with one row per line and the summaries aligned in a second column.
    static func table(_ rows: [(name: String, summary: String)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary }
            .joined(separator: "\n")
    }
}
