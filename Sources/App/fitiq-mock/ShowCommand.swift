import ArgumentParser
import Sessions

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a recorded session: a line for each request, WebSocket and frame.",
        discussion: """
            The session is a HAR, recorded by 'fitiq-mock record' or 'serve --record', or saved by Chrome, Firefox, \
            mitmproxy or Playwright. Frames stand below their WebSocket; times count from the first request.

            Exit codes: 0 shown, 2 usage, or the file is no HAR.
            """)

    @Argument(help: ArgumentHelp("The session, a HAR.", valueName: "session"))
    var session: String

    @Flag(help: "Show bodies and messages whole, below their lines; JSON is indented.")
    var bodies = false

    @Option(help: ArgumentHelp("Cut lines to so many columns, from 60.", valueName: "columns"))
    var width = 120

    static let widths = 60...10_000

    func run() throws {
        guard Self.widths.contains(width) else {
            throw Failure.configuration(Messages.width(width, allowed: Self.widths))
        }
        let file = try SessionFile.read(session)
        SessionTimeline(width: width, showsBodies: bodies).write(file.session, name: session, notes: file.notes) {
            print($0)
        }
    }
}
