import CLibrary
import Sockets
import Text

/// Reads lines from standard input: with an editor if a person types them, as they are otherwise.
final class LineInput: EventLoopHandler {
    enum Line: Equatable {
        case text(String)
        case end
        case signal(Int32)
    }

    /// Wakes the editor, which then draws its line again; nil while no line is read.
    static let awake = Box<Mailbox>()

    private let prompt: String
    /// Nil unless both input and output are a terminal.
    private let terminal: Terminal?
    private var editor = LineEditor()
    /// Keys that were pressed before the line was asked for.
    private var keys: [UInt8] = []
    private var loop: EventLoop?
    private var line: Line?

    init(prompt: String) {
        self.prompt = prompt
        terminal = System.isTerminal(.output) ? Terminal() : nil
    }

    var isEdited: Bool { terminal != nil }

    func next() throws(Failure) -> Line {
        guard let terminal else { return readLine().map(Line.text) ?? .end }
        let loop = try orFailure(try EventLoop(), Failure.running)
        self.loop = loop
        // They are handled only here: while an answer comes, they do what they usually do.
        try orFailure(try loop.watchSignals([SIGINT, SIGTERM, SIGHUP, SIGTSTP]), Failure.running)
        try orFailure(try loop.add(STDIN_FILENO, token: 1, interest: .read), Failure.running)
        terminal.setRaw()
        Self.awake.value = loop.mailbox
        defer {
            Self.awake.value = nil
            loop.remove(STDIN_FILENO)
            terminal.restore()
            self.loop = nil
        }
        line = nil
        take()
        if line == nil { draw() }
        if line == nil { try orFailure(try loop.run(handler: self), Failure.running) }
        print("")
        return line ?? .end
    }

    /// Takes keys until a line is complete.
    private func take() {
        while line == nil, !keys.isEmpty {
            switch editor.receive(keys.removeFirst()) {
            case .none, .changed: break
            case .line(let text):
                line = .text(text)
                // The whole of it, which may take several rows, stays on the screen.
                print("\r\u{1B}[K\(prompt)\(text.onOneLine(limit: .max))", terminator: "")
            case .end: line = .end
            }
        }
        if line != nil { loop?.stop() }
    }

    private func draw() {
        print(editor.drawn(prompt: prompt, columns: Terminal.columns ?? 80), terminator: "")
        StandardOutput.flush()
    }

    // MARK: Event loop callbacks

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 {
            keys += bytes[..<count]
            take()
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            line = .end
            loop?.stop()
        }
    }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        guard signal == SIGTSTP else {
            line = .signal(signal)
            loop?.stop()
            return
        }
        terminal?.restore()
        // Stops this process here, until the shell lets it go on.
        raise(SIGSTOP)
        terminal?.setRaw()
    }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if line == nil { draw() }
        return nil
    }
}
