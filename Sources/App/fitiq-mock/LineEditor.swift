import Text

/// Edits a line on a terminal and keeps earlier lines; it takes the bytes of keys and returns what to draw.
///
/// Keys: the arrows, Home, End, Delete, Backspace, and Emacs' Ctrl-A, B, D, E, F, K, N, P, U, W. The sequences of all
/// other keys (ECMA-48 CSI, SS3) are ignored as a whole.
struct LineEditor {
    enum Event: Equatable {
        /// The line has not changed, or only part of a key has arrived.
        case none
        /// The line must be drawn again.
        case changed
        case line(String)
        /// The user pressed Ctrl-D on an empty line.
        case end
    }

    /// The maximum number of bytes in a line; further keys are ignored.
    static let lineLimit = 64 * 1024
    /// The maximum number of earlier lines; the oldest are dropped.
    static let historyLimit = 1000
    /// The maximum length of a key's escape sequence.
    private static let longestKey = 16

    /// The text on both sides of the cursor.
    private(set) var before = "", after = ""
    private var history: [String] = []
    /// The index of the shown line in the history, or the end of the history for a new line.
    private var place = 0
    /// The unfinished new line, kept while an earlier line is shown.
    private var draft = ""
    /// The bytes of an unfinished key or character.
    private var key: [UInt8] = []

    mutating func receive(_ byte: UInt8) -> Event {
        if key.first == 0x1B { return receiveSequence(byte) }
        if !key.isEmpty || byte >= 0x80 { return receiveCharacter(byte) }
        switch byte {
        case 0x1B:
            key = [byte]
            return .none
        case 0x0A, 0x0D: return .line(finish())
        case 0x04 where before.isEmpty && after.isEmpty: return .end
        default: return edit(byte)
        }
    }

    /// The prompt and the line on one row of a terminal, with the cursor in place.
    ///
    /// If the line is longer than the row, the part around the cursor is shown.
    func drawn(prompt: String, columns: Int) -> String {
        let room = max(columns - prompt.count - 1, 8)
        var (left, right, used, ahead) = ("", "", 0, 0)
        for character in before.reversed() {
            let width = Self.columns(character)
            guard used + width <= room else { break }
            used += width
            left = String(character) + left
        }
        for character in after {
            let width = Self.columns(character)
            guard used + ahead + width <= room else { break }
            ahead += width
            right.append(character)
        }
        let text = (left + right).onOneLine(limit: .max)
        return "\r\u{1B}[K\(prompt)\(text)" + (ahead > 0 ? "\u{1B}[\(ahead)D" : "")
    }

    /// A character's width in columns: the width of its first scalar, which the other scalars modify.
    private static func columns(_ character: Character) -> Int {
        character.unicodeScalars.first.map(TerminalText.columns) ?? 0
    }

    // MARK: Keys

    private mutating func edit(_ byte: UInt8) -> Event {
        switch byte {
        case 0x01: move(by: -before.count)  // Ctrl-A
        case 0x02: move(by: -1)  // Ctrl-B
        case 0x04: if !after.isEmpty { after.removeFirst() }  // Ctrl-D
        case 0x05: move(by: after.count)  // Ctrl-E
        case 0x06: move(by: 1)  // Ctrl-F
        case 0x08, 0x7F: _ = before.popLast()  // Backspace
        case 0x0B: after = ""  // Ctrl-K
        case 0x0E: recall(1)  // Ctrl-N
        case 0x10: recall(-1)  // Ctrl-P
        case 0x15: before = ""  // Ctrl-U
        case 0x17: eraseWord()
        case 0x20..<0x7F: return insert(String(Unicode.Scalar(byte)))
        default: return .none
        }
        return .changed
    }

    private mutating func receiveSequence(_ byte: UInt8) -> Event {
        key.append(byte)
        if key.count == 2, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") { return .none }
        if key.count > 2, !(0x40...0x7E).contains(byte), key.count < Self.longestKey { return .none }
        let sequence = key
        key = []
        guard sequence.count > 2 else { return .none }
        switch (byte, sequence[2]) {
        case (UInt8(ascii: "A"), _): recall(-1)
        case (UInt8(ascii: "B"), _): recall(1)
        case (UInt8(ascii: "C"), _): move(by: 1)
        case (UInt8(ascii: "D"), _): move(by: -1)
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), UInt8(ascii: "1")), (UInt8(ascii: "~"), UInt8(ascii: "7")):
            move(by: -before.count)
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), UInt8(ascii: "4")), (UInt8(ascii: "~"), UInt8(ascii: "8")):
            move(by: after.count)
        case (UInt8(ascii: "~"), UInt8(ascii: "3")): if !after.isEmpty { after.removeFirst() }
        default: return .none
        }
        return .changed
    }

    /// Handles a byte of a non-ASCII character; invalid UTF-8 is ignored.
    private mutating func receiveCharacter(_ byte: UInt8) -> Event {
        guard key.isEmpty || byte & 0xC0 == 0x80 else {
            key = []
            return receive(byte)
        }
        key.append(byte)
        let length = key[0] >= 0xF0 ? 4 : key[0] >= 0xE0 ? 3 : 2
        guard key.count >= length else { return .none }
        defer { key = [] }
        return String(validating: key, as: UTF8.self).map { insert($0) } ?? .none
    }

    // MARK: The line

    private mutating func insert(_ text: String) -> Event {
        guard before.utf8.count + after.utf8.count + text.utf8.count <= Self.lineLimit else { return .none }
        before += text
        return .changed
    }

    private mutating func move(by count: Int) {
        for _ in 0..<count.magnitude {
            if count < 0, let last = before.popLast() {
                after = String(last) + after
            } else if count > 0, !after.isEmpty {
                before.append(after.removeFirst())
            }
        }
    }

    private mutating func eraseWord() {
        while before.last?.isWhitespace == true { before.removeLast() }
        while before.last?.isWhitespace == false { before.removeLast() }
    }

    private mutating func recall(_ step: Int) {
        guard (0...history.count).contains(place + step) else { return }
        if place == history.count { draft = before + after }
        place += step
        (before, after) = (place == history.count ? draft : history[place], "")
    }

    private mutating func finish() -> String {
        let line = before + after
        if line.contains(where: { !$0.isWhitespace }), line != history.last { history.append(line) }
        if history.count > Self.historyLimit { history.removeFirst() }
        clear()
        return line
    }

    mutating func clear() { (before, after, draft, place) = ("", "", "", history.count) }
}
