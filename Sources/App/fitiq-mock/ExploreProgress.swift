import CLibrary
import Sockets
import Text

/// Shows a search's progress on standard error: a redrawn line on a terminal, otherwise a line every ten seconds.
final class ExploreProgress: Sendable {
    typealias Line = @Sendable (_ seconds: Int64) -> String

    private let isTerminal = System.isTerminal(.error)
    private let start = MonotonicInstant.now()
    private let lastTime = Box<MonotonicInstant>()
    private let line = Box<Line>()
    private static let anew = "\r\u{1B}[K"

    /// - Parameter line: makes the first report from the number of seconds since the start.
    init(_ line: @escaping Line) { self.line.value = line }

    /// Sets the text of later reports, and draws the line if it is time to.
    func say(_ line: @escaping Line) {
        self.line.value = line
        tick()
    }

    /// Draws the line unless it was drawn a moment ago; call it about once a second.
    func tick() {
        let now = MonotonicInstant.now()
        let pause = isTerminal ? Duration.milliseconds(100) : .seconds(10)
        guard lastTime.value.map({ $0.duration(to: now) >= pause }) ?? true, let line = line.value else { return }
        lastTime.value = now
        let text = Self.fitted(
            "fitiq-mock: " + TerminalText.escaped(line(start.duration(to: now).components.seconds)),
            columns: isTerminal ? Terminal.columns(of: STDERR_FILENO) : nil)
        FitIQMock.drawOnStandardError(isTerminal ? Self.anew + text : text + "\n")
    }

    /// The line without the last of its parts, which commas separate, if the terminal is too narrow for them.
    ///
    /// A line that wraps cannot be redrawn, and neither can a full line on some terminals.
    static func fitted(_ line: String, columns: Int?) -> String {
        guard let columns else { return line }
        let width = max(1, columns - 1)
        var line = line[...]
        while TerminalText.columns(line) > width, let comma = line.ranges(of: ", ").last {
            line = line[..<comma.lowerBound]
        }
        return TerminalText.cut(String(line), width: width)
    }

    func end() { if isTerminal, lastTime.value != nil { FitIQMock.drawOnStandardError(Self.anew) } }
}
