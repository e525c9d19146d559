import CLibrary
import CPlatform

/// The terminal behind a descriptor, usually standard input; provides the width and reads single keys.
public struct Terminal {
    private let descriptor: Int32
    /// The initial settings.
    private let settings: termios

    /// - Returns: Nil if the descriptor is not a terminal.
    public init?(_ descriptor: Int32 = STDIN_FILENO) {
        var settings = termios()
        // Source: tcgetattr(3); ENOTTY for anything else.
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        (self.descriptor, self.settings) = (descriptor, settings)
    }

    /// The width of standard output's terminal in characters; nil if there is no terminal or the width is unknown.
    public static var columns: Int? { columns(of: STDOUT_FILENO) }

    public static func columns(of descriptor: Int32) -> Int? {
        let columns = Int(cplatform_terminal_columns(descriptor))
        return columns > 0 ? columns : nil
    }

    /// Delivers each key immediately without echoing it; Ctrl-C and Ctrl-Z still send their signals, and output does
    /// not change.
    ///
    /// Source: termios(3), "Canonical and noncanonical mode".
    public func setRaw() {
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        // Otherwise Ctrl-S would stop the output.
        raw.c_iflag &= ~tcflag_t(IXON)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        apply(raw)
    }

    /// Restores its initial state.
    public func restore() { apply(settings) }

    private func apply(_ settings: termios) {
        var settings = settings
        while tcsetattr(descriptor, TCSADRAIN, &settings) != 0, errno == EINTR {}
    }
}
