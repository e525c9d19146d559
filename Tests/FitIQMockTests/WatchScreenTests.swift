import FitIQAPI
import Testing
import Traffic

@testable import fitiq_mock

@Suite("The watch screen")
struct WatchScreenTests {
    /// The text that a screen has shown so far.
    private final class Shown {
        var text = ""
        func take() -> String {
            defer { text = "" }
            return text
        }
    }

    private let shown = Shown()

    private func screen(_ filter: String = "") throws -> WatchScreen {
        WatchScreen(TrafficLines(), filter: try TrafficFilter(filter)) { [shown] in shown.text += $0 }
    }

    private func note(_ text: String) -> JournalEntry {
        JournalEntry(
            number: 1, time: Timestamp(secondsSinceEpoch: 1_738_146_600), connection: 0, event: .note(text))
    }

    private func frame(_ text: String) -> JournalEntry {
        let frame = RecordedFrame(sender: .client, opcode: .text, payload: Array(text.utf8))
        return JournalEntry(
            number: 1, time: Timestamp(secondsSinceEpoch: 1_738_146_600), connection: 3, event: .frame(frame))
    }

    private func breach(entries: [Int]) -> TrafficLines.Breach {
        .init(obligation: "x/y", level: "must", message: "No.", entries: entries)
    }

    private func line(_ text: String) -> String { "10:30:00.000    · \(text)\n" }

    @Test("The space key pauses the screen, and pressing it again shows everything that arrived")
    func pause() throws {
        var screen = try screen()
        screen.show(.entry(note("a")))
        screen.press(Array(" ".utf8))
        #expect(shown.take() == line("a") + "— paused; space continues\n")
        screen.show(.entry(note("b")))
        screen.show(.breach(breach(entries: [1])))
        #expect(shown.take() == "")
        screen.press(Array(" ".utf8))
        #expect(shown.take() == line("b") + "                ✗ must x/y: No. (#1)\n")
        screen.show(.entry(note("c")))
        #expect(shown.take() == line("c"))
    }

    @Test("A pause keeps 10,000 lines and counts the rest")
    func limit() throws {
        for extra in [0, 1, 2] {
            var screen = try screen()
            screen.press(Array(" ".utf8))
            _ = shown.take()
            for _ in 0..<WatchScreen.heldLines + extra { screen.show(.entry(note("a"))) }
            screen.press(Array(" ".utf8))
            let lines = shown.take().split(separator: "\n")
            #expect(lines.prefix(WatchScreen.heldLines).allSatisfy { $0 == line("a").dropLast() })
            let end = [nil, "— 1 line dropped during the pause", "— 2 lines dropped during the pause"][extra]
            #expect(lines.dropFirst(WatchScreen.heldLines).first.map(String.init) == end)
        }
    }

    @Test("The user can correct a filter while typing it")
    func filter() throws {
        var screen = try screen()
        screen.press(Array("/nott".utf8) + [0x7F] + Array("e".utf8))
        screen.show(.entry(note("before")))
        #expect(shown.take().hasSuffix("\r\u{1B}[K/note"))
        screen.press([0x15])
        #expect(shown.take() == "\r\u{1B}[K/")
        screen.press(Array("kind=note ölig\n".utf8))
        #expect(shown.take().hasSuffix("\r\u{1B}[K— filter: kind=note ölig\n\r\u{1B}[K" + line("before")))
        screen.show(.entry(note("other")))
        screen.show(.entry(note("Ölig")))
        #expect(shown.take() == line("Ölig"))
        // A mistake leaves the filter unchanged.
        screen.press(Array("/kind=nots\r".utf8))
        #expect(shown.take().contains("\r\u{1B}[K— 'kind' must be one of "))
        screen.show(.entry(note("other")))
        // Escape also leaves the filter unchanged, and an arrow key recalls the previous filter.
        screen.press(Array("/".utf8) + [0x1B] + Array("[A".utf8))
        #expect(shown.take().hasSuffix("/kind=nots"))
        screen.press([0x1B])
        _ = shown.take()
        screen.show(.entry(note("other")))
        #expect(shown.take() == "" && !screen.isOver)
        screen.press(Array("/\n".utf8))
        #expect(shown.take().hasSuffix("— no filter\n\r\u{1B}[K"))
        screen.show(.entry(note("other")))
        #expect(shown.take() == line("other"))
    }

    @Test("Typing a filter does not end a pause")
    func filterWhilePaused() throws {
        var screen = try screen()
        screen.press(Array(" /a\n".utf8))
        screen.show(.entry(note("a")))
        #expect(!shown.take().contains(line("a")))
        screen.press(Array(" ".utf8))
        #expect(shown.take() == line("a"))
    }

    @Test("A breach passes the filter if one of its entries or its own text matches")
    func breaches() throws {
        func shows(_ filter: String, _ entries: [Int], _ texts: String...) throws -> Bool {
            var screen = try self.screen(filter)
            for (index, text) in texts.enumerated() {
                let time = Timestamp(secondsSinceEpoch: 1_738_146_600)
                screen.show(
                    .entry(JournalEntry(number: index + 1, time: time, connection: 0, event: .note(text))))
            }
            _ = shown.take()
            screen.show(.breach(breach(entries: entries)))
            return shown.take().contains("x/y")
        }
        #expect(try shows("", [1]) && shows("wanted", [1], "wanted") && shows("wanted", [1, 2], "other", "wanted"))
        #expect(try !shows("wanted", [1], "other") && !shows("wanted", [1]) && !shows("wanted", [3], "wanted"))
        #expect(try shows("must X/Y", []) && !shows("must kind=note", []) && shows("kind=note", [1], "a"))
        // After a restart, the world's entries reuse these numbers.
        var screen = try self.screen("wanted")
        screen.show(.entry(note("wanted")))
        screen.show(.began)
        _ = shown.take()
        screen.show(.breach(breach(entries: [1])))
        #expect(shown.take() == "")
    }

    @Test(
        "Chunks are folded into one line unless the filter is chunks=show"
    )
    func chunks() throws {
        func chunk(_ text: String) -> WatchStream.News {
            let frame = RecordedFrame(
                sender: .server, opcode: .text, payload: Array(#"{"type":"stream_chunk","content":"\#(text)"}"#.utf8))
            let time = Timestamp(secondsSinceEpoch: 1_738_146_600)
            return .entry(JournalEntry(number: 1, time: time, connection: 3, event: .frame(frame)))
        }
        var screen = try screen()
        screen.show(chunk("a"))
        screen.show(chunk("b"))
        #expect(shown.take() == "")
        screen.finish()
        #expect(shown.take() == "10:30:00.000    ← ws3 stream_chunk × 2, 74 B, 0 ms: ab\n")
        screen.show(chunk("a"))
        screen.press(Array("/chunks=show\n".utf8))
        #expect(shown.take().contains("stream_chunk × 1"))
        screen.show(chunk("a"))
        #expect(shown.take().hasSuffix(#"← ws3 {"type":"stream_chunk","content":"a"}"# + "\n"))
        for (filter, isShown) in [("verdict=broken", true), ("verdict=x/y a", true), ("verdict=x", false)] {
            var screen = try self.screen(filter)
            screen.show(.entry(note("a")))
            #expect(shown.take() == "")
            screen.show(.breach(breach(entries: [1])))
            #expect(shown.take().contains("x/y") == isShown, "\(filter)")
        }
    }

    @Test("Typed text and shown text cannot control the terminal")
    func hostile() throws {
        var screen = try screen()
        screen.press(Array("/\u{9B}31m\u{202E}\n".utf8))
        #expect(shown.take().contains("— filter: \\x9B31m\\u{202E}\n"))
        screen.show(.breach(.init(obligation: "x/y", level: "must", message: "\u{1B}[2J", entries: [])))
        #expect(shown.take() == "")
        screen.press(Array("/\n".utf8))
        screen.show(.breach(.init(obligation: "x/y", level: "must", message: "\u{1B}[2J", entries: [])))
        #expect(shown.take().hasSuffix("✗ must x/y: \\x1B[2J\n"))
    }

    @Test("Each key does what the help says, and other keys do nothing")
    func keys() throws {
        var screen = try screen()
        screen.press(Array("b".utf8))
        screen.show(.entry(frame(#"{"a":1}"#)))
        #expect(
            shown.take() == "— bodies: shown\n10:30:00.000    → ws3 {\n                    \"a\": 1\n"
                + "                  }\n")
        screen.press(Array("bp".utf8))
        screen.show(.entry(frame(#"{"type":"ping"}"#)))
        screen.show(.entry(frame("x")))
        #expect(shown.take() == "— bodies: hidden\n— pings: hidden\n10:30:00.000    → ws3 x\n")
        screen.press(Array("c?zZ\u{7}".utf8))
        #expect(shown.take() == "\u{1B}[2J\u{1B}[3J\u{1B}[H— " + Messages.watchKeys + "\n")
        #expect(!screen.isOver)
        screen.press(Array("q".utf8))
        #expect(screen.isOver)
    }
}
