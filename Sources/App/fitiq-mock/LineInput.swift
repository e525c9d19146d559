import CLibrary
import Sockets
import Text

/// Reads lines from standard input, with an editor if a person types them.
final class LineInput {
    enum Line: Equatable {
        case text(String)
        case end
        case signal(Int32)
    }

    /// Wakes the editor, which then redraws its line; nil while no line is being edited.
    static let awake = Box<Mailbox>()

    private let prompt: String
    /// The keys, or nil unless both input and output are a terminal.
    private let keys: MainWait?
    private var editor = LineEditor()
    /// Typed input that has not been read yet.
    private var lines: [Line] = []

    init(prompt: String) throws(Failure) {
        self.prompt = prompt
        let terminal = System.isTerminal(.output) ? Terminal() : nil
        keys = try terminal.map { (terminal) throws(Failure) in try MainWait(keysOf: terminal) }
    }

    var isEdited: Bool { keys != nil }

    func next() throws(Failure) -> Line {
        guard let keys else { return readLine().map(Line.text) ?? .end }
        Self.awake.value = keys.mailbox
        defer { Self.awake.value = nil }
        while lines.isEmpty {
            draw(editor.drawn(prompt: prompt, columns: Terminal.columns ?? 80))
            StandardOutput.flush()
            lines += take(try keys.next())
        }
        let line = lines.removeFirst()
        // Leave the whole line on the screen, even if it takes up several rows.
        if case .text(let text) = line { draw("\r\u{1B}[K\(prompt)\(text.onOneLine(limit: .max))") }
        print("")
        return line
    }

    /// Waits for work while the user types more lines.
    ///
    /// During the wait, /help is answered and the end of the input is handled immediately; other lines are kept for
    /// later.
    ///
    /// - Returns: nil if the input ended first; ``next()`` then returns that end.
    func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws -> Value? {
        guard let keys else { return try Blocking.wait(for: work) }
        let outcome = Blocking.start(work) { [mailbox = keys.mailbox] in mailbox.requestStop() }
        while true {
            if let result = outcome.value { return try result.get() }
            for line in take(try keys.next()) {
                switch line {
                case .text(let text) where ChatCommand(text) == .help: print("\n\(Messages.chatHelp)")
                case .text(let text) where ChatCommand(text) != .quit: lines.append(line)
                case .text, .end, .signal:
                    lines = [line]
                    return nil
                }
            }
        }
    }

    private func take(_ event: MainWait.Event) -> [Line] {
        switch event {
        case .keys(let bytes):
            return bytes.compactMap { byte in
                switch editor.receive(byte) {
                case .none, .changed: nil
                case .line(let text): .text(text)
                case .end: .end
                }
            }
        case .signal(SIGWINCH), .woken, .timeUp: return []
        case .signal(let number): return [.signal(number)]
        case .noMoreKeys: return [.end]
        }
    }
}
