import ArgumentParser
import Traffic

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two recorded sessions by meaning: order, statuses, JSON values, messages.",
        discussion: """
            Ignores differences that any two runs have: ids, times, tokens and redacted secrets, the server's host, \
            header fields other than the answers' media type, pings and pongs, and durations.

            Exit codes: 0 the sessions are equal, 1 they differ, 2 usage error, or a file is not a HAR.
            """)

    @Argument(help: .init("The first session, a HAR.", valueName: "first"), completion: .sessions)
    var first: String

    @Argument(help: .init("The second session, a HAR.", valueName: "second"), completion: .sessions)
    var second: String

    func run() throws {
        let files = [(first, try SessionFile.read(first)), (second, try SessionFile.read(second))]
        for (name, file) in files { SessionFile.tellNotes(of: file, named: name) }
        let comparison = SessionComparison(files[0].1.session, files[1].1.session)
        print(comparison.text(names: first, second), terminator: "")
        if !comparison.isEqual { throw Failure.told(exitCode: 1) }
    }
}
