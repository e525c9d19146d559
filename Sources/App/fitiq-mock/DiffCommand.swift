import ArgumentParser
import Sessions

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two recorded sessions by meaning: order, statuses, JSON values, messages.",
        discussion: """
            What two runs of the same thing differ in does not count: ids, times, tokens and redacted secrets, the \
            server's host, header fields other than the answers' media type, pings and pongs, and how long things took.

            Exit codes: 0 the sessions are equal, 1 they differ, 2 usage, or a file is no HAR.
            """)

    @Argument(help: ArgumentHelp("The one session, a HAR.", valueName: "first"))
    var first: String

    @Argument(help: ArgumentHelp("The other session, a HAR.", valueName: "second"))
    var second: String

    func run() throws {
        let files = [(first, try SessionFile.read(first)), (second, try SessionFile.read(second))]
        for (name, file) in files {
            for note in file.notes {
                FitIQMock.printError(Messages.inFile(name, Messages.sentence(note.description)))
            }
        }
        let comparison = SessionComparison(files[0].1.session, files[1].1.session)
        print(comparison.text(names: first, second), terminator: "")
        // What differs has been told.
        if !comparison.isEqual { throw Failure(message: "", exitCode: 1) }
    }
}
