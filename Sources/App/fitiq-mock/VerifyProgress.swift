import Recording
import Reports
import Text

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells on standard error how far a run is: on a terminal in one line that is redrawn, elsewhere in few lines.
struct VerifyProgress {
    /// How many scenarios there are.
    let count: Int
    var isTerminal = isatty(STDERR_FILENO) == 1

    /// How many seconds go by between two lines where there is no terminal.
    private static let quietSeconds: Int64 = 10
    /// Goes to the beginning of the line and clears it (ECMA-48, CR and EL).
    private static let anew = "\r\u{1B}[K"

    func begins(_ index: Int, _ name: String) {
        say(Messages.scenarioBegins(index + 1, of: count, name), isPassing: false)
    }

    /// To be called once a second.
    func goesOn(_ index: Int, _ name: String, after duration: Duration, _ traffic: Traffic) {
        let seconds = duration.components.seconds
        guard isTerminal || seconds % Self.quietSeconds == 0 else { return }
        say(
            Messages.scenarioGoesOn(
                index + 1, of: count, name, seconds: seconds, requests: traffic.requests, frames: traffic.frames),
            isPassing: true)
    }

    func ends(
        _ index: Int, _ name: String, _ outcome: Report.CommandOutcome, after duration: Duration, _ traffic: Traffic
    ) {
        say(
            Messages.scenarioEnds(
                index + 1, of: count, name, outcome, tenths: duration.nanoseconds / 100_000_000,
                requests: traffic.requests, frames: traffic.frames), isPassing: false)
    }

    func isInterrupted() {
        if isTerminal { FitIQMock.printToStandardError(Self.anew) }
    }

    private func say(_ text: String, isPassing: Bool) {
        FitIQMock.printToStandardError(told(text, isPassing: isPassing))
    }

    /// What is written for a line; the name of a scenario in it is whatever its file says.
    func told(_ text: String, isPassing: Bool) -> String {
        (isTerminal ? Self.anew : "") + text.onOneLine(limit: 300) + (isTerminal && isPassing ? "" : "\n")
    }
}
