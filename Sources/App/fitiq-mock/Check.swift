import ArgumentParser
import MockServer
import Scenarios
import Sockets

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what is wrong with scenario files: FILE:LINE:COLUMN, what is wrong, what is allowed.",
        discussion: "Exit codes: 0 all are good, 2 one is wrong or cannot be read.")

    @Argument(help: ArgumentHelp("Scenario files, in YAML or JSON.", valueName: "file"))
    var files: [String]

    func run() throws {
        var isGood = true
        for file in files {
            if let mistakes = Self.mistakes(in: file) {
                isGood = false
                FitIQMock.printToStandardError(mistakes + "\n")
            } else {
                print("\(file): ok")
                // In order with the mistakes, where both go to one terminal.
                StandardOutput.flush()
            }
        }
        guard isGood else { throw Failure.alreadyTold }
    }

    /// A line for each mistake of a file; nil for a good one.
    static func mistakes(in path: String) -> String? {
        do throws(Failure) {
            let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes, orInherited: true)
            return mistakes(in: bytes, file: path)
        } catch {
            return Messages.inFile(path, error.message)
        }
    }

    static func mistakes(in bytes: [UInt8], file: String) -> String? {
        var configuration = Engine.Configuration()
        do throws(ScenarioErrors) {
            configuration.adopt(try ScenarioPlan().read(bytes, file: file))
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
