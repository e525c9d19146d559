import Sockets
import Text

/// Shows on standard error how far a search is: on a terminal in one line that is redrawn, elsewhere now and then.
final class ExploreProgress: Sendable {
    private let isTerminal = System.isTerminal(.error)
    private let start = MonotonicInstant.now()
    private let lastTime = Box<MonotonicInstant>()
    private static let anew = "\r\u{1B}[K"

    /// - Parameter text: What to say after so many seconds; not asked if something was said a moment ago.
    func say(_ text: (Int64) -> String) {
        let now = MonotonicInstant.now()
        if let last = lastTime.value, last.duration(to: now) < (isTerminal ? .milliseconds(100) : .seconds(10)) {
            return
        }
        lastTime.value = now
        let text = text(start.duration(to: now).components.seconds)
        let line = "fitiq-mock: " + TerminalText.escaped(text)
        FitIQMock.drawOnStandardError(isTerminal ? Self.anew + line : line + "\n")
    }

    func end() { if isTerminal, lastTime.value != nil { FitIQMock.drawOnStandardError(Self.anew) } }
}
