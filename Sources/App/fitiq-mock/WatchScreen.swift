import FitIQAPI
import Text
import Traffic

/// What `watch` shows: the lines of entries that pass the filter, held back while it is paused, and what keys do.
///
/// Without a terminal for its keys it only shows.
struct WatchScreen {
    var lines: TrafficLines
    /// Whether keep-alives are shown.
    var showsPings = true
    private(set) var isOver = false
    private var filter: TrafficFilter
    /// What came while it was paused or a filter was typed; nil while it runs.
    private var held: [String]?
    /// How many lines came beyond ``heldLines``.
    private var skipped = 0
    /// The filter that is being typed.
    private var draft: [UInt8]?
    private var isPaused = false
    private let output: (String) -> Void

    /// The maximum number of lines kept while it is paused.
    static let heldLines = 10_000
    /// The maximum number of bytes of a filter that is typed.
    static let filterBytes = 1000

    /// - Parameter output: Receives text with its line ends.
    init(_ lines: TrafficLines, filter: TrafficFilter, output: @escaping (String) -> Void) {
        (self.lines, self.filter, self.output) = (lines, filter, output)
    }

    mutating func show(_ entry: JournalEntry) {
        // The filter looks at every entry.
        guard filter.matches(entry), showsPings || !entry.event.isPing else { return }
        for line in lines.lines(of: entry) { add(line) }
    }

    mutating func show(_ breach: TrafficLines.Breach) { add(lines.line(of: breach)) }

    /// Shows a sentence about the stream itself.
    mutating func tell(_ sentence: String) { add("— " + TerminalText.escaped(sentence)) }

    /// Forgets what it knows of a world that has begun anew.
    mutating func beginAnew() { filter.forgetSockets() }

    private mutating func add(_ line: String) {
        guard let count = held?.count else { return output(line + "\n") }
        if count < Self.heldLines { held?.append(line) } else { skipped += 1 }
    }

    private mutating func goOn() {
        for line in held ?? [] { output(line + "\n") }
        held = nil
        if skipped > 0 { tell(Messages.notKept(skipped)) }
        skipped = 0
    }

    // MARK: Keys

    /// Acts on bytes that a terminal sent for keys.
    mutating func press(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            // An arrow, or another key with a sequence of its own: the rest of what it sent is no text.
            if byte == 0x1B { return endTyping() }
            if draft != nil { type(byte) } else { press(byte) }
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
            draft = []
            held = held ?? []
            showDraft()
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
        guard var text = draft else { return }
        switch byte {
        case .lineFeed, .carriageReturn: return finishTyping(text)
        // Backspace, Ctrl-H; Ctrl-U.
        case 0x7F, 0x08: text = Array(String(decoding: text, as: UTF8.self).dropLast().utf8)
        case 0x15: text = []
        case 0x20...: if text.count < Self.filterBytes { text.append(byte) }
        default: break
        }
        draft = text
        showDraft()
    }

    private mutating func finishTyping(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(APIError) {
            filter = try TrafficFilter(text)
            answer(Messages.filtered(text), inPlace: true)
        } catch {
            answer(error.message, inPlace: true)
        }
        endTyping()
    }

    private mutating func endTyping() {
        guard draft != nil else { return }
        draft = nil
        output("\r\u{1B}[K")
        if !isPaused { goOn() }
    }

    private func showDraft() {
        let text = TerminalText.escaped(String(decoding: draft ?? [], as: UTF8.self))
        // Its end, if it is longer than a line.
        output("\r\u{1B}[K/" + text.suffix(lines.width / 2 - 2))
    }

    /// Answers a key at once, even while it is paused.
    private func answer(_ sentence: String, inPlace: Bool = false) {
        output((inPlace ? "\r\u{1B}[K" : "") + "— " + TerminalText.escaped(sentence) + "\n")
    }
}
