import ArgumentParser
import Traffic

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a recorded session: a line for each request, WebSocket and frame.",
        discussion: """
            The session is a HAR, recorded by 'fitiq-mock record' or 'serve --record', or saved by Chrome, Firefox, \
            mitmproxy or Playwright. Frames are listed below their WebSocket; times are relative to the first request.

            Exit codes: 0 the session was shown, 2 usage error, or the file is not a HAR.
            """)

    @Argument(help: .init("The session, a HAR.", valueName: "session"), completion: .sessions)
    var session: String

    @Flag(help: "Show complete bodies and messages below their lines, with JSON indented.")
    var bodies = false

    @Option("Truncate lines to this many columns, at least 60.", "columns")
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
