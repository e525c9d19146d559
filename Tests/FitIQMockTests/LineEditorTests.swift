import FitIQClient
import Testing

@testable import fitiq_mock

@Suite("Word wrap")
struct WordWrapTests {
    @Test("Text that arrives in pieces wraps exactly like text that arrives whole")
    func parts() {
        let text = "a bb  ccc dddd\neeeeeeeeeeee f \u{4E2D}\u{6587}\u{4E2D}\u{6587} g"
        for size in 1...text.count {
            var wrap = WordWrap(columns: 8, indent: 2)
            var (result, rest) = ("", text[...])
            while !rest.isEmpty {
                result += wrap.add(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(
                result + wrap.finish()
                    == "a bb\n  ccc\n  dddd\neeeeeeeeeeee\n  f\n  \u{4E2D}\u{6587}\u{4E2D}\u{6587}\n  g", "\(size)")
        }
    }
}

@Suite("Line editor")
struct LineEditorTests {
    /// The line after the keys, with `|` at the cursor.
    private static func line(after keys: [UInt8], in editor: inout LineEditor) -> String {
        for key in keys { _ = editor.receive(key) }
        return "\(editor.before)|\(editor.after)"
    }

    private static let left = "\u{1B}[D", right = "\u{1B}[C", up = "\u{1B}[A", down = "\u{1B}[B"

    static let rows: [(String, String)] = [
        ("abc", "abc|"), ("abc\(left)\(left)x", "ax|bc"), ("ab\u{1}x\u{5}y", "xaby|"), ("ab\u{1B}[Hx", "x|ab"),
        ("ab\u{1B}OHx\u{1B}OFy", "xaby|"), ("ab\u{1B}[1~x\u{1B}[4~y", "xaby|"), ("ab\u{1B}[7~x\u{1B}[8~y", "xaby|"),
        ("abc\u{7F}\u{8}", "a|"), ("\u{7F}a", "a|"), ("abc\u{2}\u{4}", "ab|"), ("abc\(left)\u{1B}[3~", "ab|"),
        ("abc\u{2}\u{2}\u{6}", "ab|c"), ("abc\u{2}\u{B}", "ab|"), ("abc\u{2}\u{15}", "|c"),
        ("one two  \u{17}x", "one x|"), ("one\u{17}\u{17}", "|"), ("\(left)\(right)a\(right)", "a|"),
        ("é日本😀\(left)\(left)x", "é日x|本😀"), ("e\u{301}\u{7F}", "|"), ("👩‍👩‍👧\(left)a", "a|👩‍👩‍👧"),
        ("a\u{1B}[200~b\u{1B}[201~", "ab|"), ("a\u{1B}[1;5Cb\u{1B}x", "ab|"), ("a\tb\u{0}c\u{C}", "abc|"),
        ("a\u{4}b", "ab|"), ("ab\u{1}\u{4}", "|b"), ("a\u{1B}1b", "ab|"), ("ก\(left)x", "x|ก"),
    ]

    @Test("The keys work as the help describes", arguments: rows.indices)
    func keys(row: Int) {
        let (keys, line) = Self.rows[row]
        var editor = LineEditor()
        #expect(Self.line(after: Array(keys.utf8), in: &editor) == line)
    }

    @Test("The line editor ignores bytes that are not UTF-8")
    func brokenBytes() {
        var editor = LineEditor()
        #expect(Self.line(after: [0x61, 0xFF, 0x62, 0xC3, 0x63, 0x80, 0x80, 0xE6, 0x97, 0xA5], in: &editor) == "abc日|")
        let long = [0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 40) + [0x7A]
        let rest = String(repeating: "1", count: 26)
        #expect(Self.line(after: long, in: &editor) == "abc日\(rest)z|", "a key ends after 16 bytes")
    }

    @Test("The arrow keys recall earlier lines and keep the unfinished line")
    func history() {
        var editor = LineEditor()
        func type(_ text: String) -> [LineEditor.Event] {
            text.utf8.map { editor.receive($0) }.filter { $0 != .none && $0 != .changed }
        }
        #expect(type("one\ntwo\r \ntwo\n") == [.line("one"), .line("two"), .line(" "), .line("two")])
        #expect(type("new\(Self.up)").isEmpty && editor.before == "two")
        #expect(type(Self.up + Self.up).isEmpty && editor.before == "one", "there is nothing before the first")
        #expect(type("!\u{10}\u{E}\u{E}").isEmpty && editor.before == "new")
        #expect(type(Self.down).isEmpty && editor.before == "new")
        #expect(type("\(Self.up)\n") == [.line("two")])
        #expect(type("\u{4}") == [.end])
        #expect(type("a\u{4}").isEmpty && editor.before == "a")
    }

    @Test("The lengths of a line and of the history are limited")
    func limits() {
        var editor = LineEditor()
        for _ in 0..<LineEditor.lineLimit { _ = editor.receive(0x61) }
        #expect(editor.before.utf8.count == LineEditor.lineLimit && editor.receive(0x61) == .none)
        _ = editor.receive(0x0A)
        for number in 0...LineEditor.historyLimit { for byte in Array("\(number)\n".utf8) { _ = editor.receive(byte) } }
        for _ in 0..<(2 * LineEditor.historyLimit) { _ = editor.receive(0x10) }
        #expect(editor.before == "1")
    }

    @Test("A drawn line fits into one row and cannot control the terminal")
    func drawing() {
        func drawn(_ keys: String) -> String {
            var editor = LineEditor()
            for byte in keys.utf8 { _ = editor.receive(byte) }
            return editor.drawn(prompt: "> ", columns: 20)
        }
        let rows = [
            ("ab", "ab"), ("ab\u{1}", "ab\u{1B}[2D"), ("a日本\(Self.left)\(Self.left)", "a日本\u{1B}[4D"),
            ("abcdefghijklmnopqrstuvwxyz", "jklmnopqrstuvwxyz"),
            ("abcdefghijklmnopqrstuvwxyz\u{1}", "abcdefghijklmnopq\u{1B}[17D"),
            ("日本日本日本日本日本", "日本日本日本日本"), ("a\u{9B}31m\u{202E}b", "a\u{FFFD}31m\u{FFFD}b"),
        ]
        for (keys, line) in rows { #expect(drawn(keys) == "\r\u{1B}[K> \(line)") }
    }

    @Test("A line that begins with / is a command")
    func commands() {
        #expect(ChatCommand("Hello /quit") == nil && ChatCommand("/quit") == .quit && ChatCommand("/help") == .help)
        #expect(ChatCommand("/archive") == .archive && ChatCommand("/meal") == .meal(""))
        #expect(ChatCommand("/meal  2 eggs and toast") == .meal("2 eggs and toast"))
        #expect(ChatCommand("/meals") == .unknown("/meals") && ChatCommand("/") == .unknown("/"))
    }

    @Test(
        "A clock's path depends on its world's URL",
        arguments: [
            ("http://127.0.0.1:8080", "/__admin/clock"), ("http://127.0.0.1:8080/", "/__admin/clock"),
            ("http://a/w/w1", "/__admin/worlds/w1/clock"), ("http://a/w", "/w/__admin/clock"),
            ("http://a/fake/w/w1", "/fake/__admin/worlds/w1/clock"),
        ])
    func clock(url: String, path: String) throws { #expect(ServerRequest.path("clock", of: try BaseURL(url)) == path) }
}
