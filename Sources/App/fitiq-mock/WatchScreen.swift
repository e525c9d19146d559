import FitIQAPI
import Judging
import Text
import Traffic

/// The `watch` screen: shows entries that pass the filter, holds them back during a pause, and handles keys.
///
/// If there is no terminal, the screen handles no keys.
struct WatchScreen {
    var lines: TrafficLines
    private var showsPings: Bool
    private(set) var isOver = false
    private var filter: TrafficFilter
    private var folds = ChunkFolds()
    /// The lines held back during a pause or while the user types a filter, or nil otherwise.
    private var held: [String]?
    /// How many lines were skipped beyond ``heldLines``.
    private var skipped = 0
    /// The numbers of the newest entries that passed the filter, in ascending order.
    private var passed: [Int] = []
    /// The filter that the user is typing, and earlier filters.
    private var editor = LineEditor()
    private var isTyping = false
    private var isPaused = false
    private let output: (String) -> Void

    /// The maximum number of lines held back during a pause.
    static let heldLines = 10_000
    /// The maximum number of passing entries to remember.
    static let passedEntries = 10_000

    /// - Parameter output: receives text with its line ends.
    init(_ lines: TrafficLines, filter: TrafficFilter, showsPings: Bool = true, output: @escaping (String) -> Void) {
        (self.lines, self.filter, self.showsPings, self.output) = (lines, filter, showsPings, output)
    }

    mutating func show(_ news: WatchStream.News) {
        switch news {
        case .entry(let entry): show(entry)
        case .breach(let breach): show(breach)
        case .missed(let count): tell(Messages.missed(count))
        case .began, .restarted:
            finish()
            filter.forgetSockets()
            passed = []
            if case .began = news { tell("the world starts over") }
        }
    }

    private mutating func show(_ entry: JournalEntry) {
        // The filter must see every entry.
        guard filter.matches(entry) else { return }
        if passed.count == 2 * Self.passedEntries { passed.removeFirst(Self.passedEntries) }
        passed.append(entry.number)
        guard filter.showsEntries, showsPings || filter.showsPings || !entry.event.isPing else { return }
        let shown = filter.foldsChunks ? folds.lines(of: entry, by: lines) : lines.lines(of: entry)
        for line in shown { add(line) }
    }

    /// Shows the chunks received so far of unfinished answers.
    mutating func finish() { for line in folds.finish(by: lines) { add(line) } }

    /// Shows a breach if its text matches the filter, or if an entry that proves it passed the filter.
    private mutating func show(_ breach: TrafficLines.Breach) {
        guard filter.selects(breachOf: breach.obligation) else { return }
        let line = lines.line(of: breach)
        if filter.matches(text: line) || breach.entries.contains(where: passed.contains) { add(line) }
    }

    /// Shows a sentence about the stream itself.
    private mutating func tell(_ sentence: String) { add("— " + TerminalText.escaped(sentence)) }

    private mutating func add(_ line: String) {
        guard let count = held?.count else { return output(line + "\n") }
        if count < Self.heldLines { held?.append(line) } else { skipped += 1 }
    }

    private mutating func goOn() {
        for line in held ?? [] { output(line + "\n") }
        held = nil
        if skipped > 0 { tell("\(Words.counted(skipped, "line")) dropped during the pause") }
        skipped = 0
    }

    // MARK: Keys

    mutating func press(_ bytes: [UInt8]) {
        for byte in bytes {
            if isTyping {
                // This is a lone Escape, not the start of an arrow key.
                if bytes == [0x1B] { stopTyping() } else { type(byte) }
            } else if byte == 0x1B {
                // More bytes of the key follow.
                return
            } else {
                press(byte)
            }
        }
    }

    private mutating func press(_ key: UInt8) {
        switch key {
        case .space:
            isPaused.toggle()
            if isPaused {
                tell(Messages.paused)
                held = []
            } else {
                goOn()
            }
        case UInt8(ascii: "/"):
            isTyping = true
            held = held ?? []
            draw()
        case UInt8(ascii: "c"): output("\u{1B}[2J\u{1B}[3J\u{1B}[H")
        case UInt8(ascii: "b"):
            lines.showsBodies.toggle()
            answer(Messages.shows("bodies", lines.showsBodies))
        case UInt8(ascii: "p"):
            showsPings.toggle()
            answer(Messages.shows("pings", showsPings))
        case UInt8(ascii: "q"): isOver = true
        case UInt8(ascii: "?"), UInt8(ascii: "h"): answer(Messages.watchKeys)
        default: break
        }
    }

    private mutating func type(_ byte: UInt8) {
        switch editor.receive(byte) {
        case .none: break
        case .changed: draw()
        case .line(let text): finishTyping(text)
        case .end: stopTyping()
        }
    }

    private mutating func finishTyping(_ text: String) {
        do throws(APIError) {
            filter = try TrafficFilter(text, obligations: Judge.obligations.map(\.id))
            finish()
            passed = []
            answer(text.isEmpty ? "no filter" : "filter: \(text)", inPlace: true)
        } catch {
            answer(error.message, inPlace: true)
        }
        stopTyping()
    }

    private mutating func stopTyping() {
        isTyping = false
        editor.clear()
        output("\r\u{1B}[K")
        if !isPaused { goOn() }
    }

    private func draw() { output(editor.drawn(prompt: "/", columns: lines.width)) }

    /// Responds to a key immediately, even during a pause.
    private func answer(_ sentence: String, inPlace: Bool = false) {
        output((inPlace ? "\r\u{1B}[K" : "") + "— " + TerminalText.escaped(sentence) + "\n")
    }
}
