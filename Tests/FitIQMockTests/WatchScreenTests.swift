import FitIQAPI
import Testing
import Traffic

@testable import fitiq_mock

@Suite("The watch screen")
struct WatchScreenTests {
    /// A screen that returns what each action shows.
    private final class Screen {
        private var screen: WatchScreen
        private let shown: Shown
        var isOver: Bool { screen.isOver }

        private final class Shown { var text = "" }

        init(_ filter: String = "") throws {
            let shown = Shown()
            self.shown = shown
            screen = WatchScreen(TrafficLines(), filter: try TrafficFilter(filter)) { shown.text += $0 }
        }

        private func take() -> String {
            defer { shown.text = "" }
            return shown.text
        }

        @discardableResult
        func press(_ keys: String) -> String {
            screen.press(Array(keys.utf8))
            return take()
        }

        @discardableResult
        func show(_ news: WatchStream.News...) -> String {
            for each in news { screen.show(each) }
            return take()
        }

        func finish() -> String {
            screen.finish()
            return take()
        }
    }

    private func entry(_ event: JournalEvent, number: Int = 1, on connection: UInt64 = 0) -> WatchStream.News {
        let time = Timestamp(secondsSinceEpoch: 1_738_146_600)
        return .entry(JournalEntry(number: number, time: time, connection: connection, event: event))
    }

    private func note(_ text: String) -> WatchStream.News { entry(.note(text)) }

    private func frame(_ text: String, by sender: Party = .client) -> WatchStream.News {
        entry(.frame(RecordedFrame(sender: sender, opcode: .text, payload: Array(text.utf8))), on: 3)
    }

    private func breach(entries: [Int]) -> WatchStream.News {
        .breach(.init(obligation: "x/y", level: "must", message: "No.", entries: entries))
    }

    private func line(_ text: String) -> String { "10:30:00.000    · \(text)\n" }

    @Test("The space key pauses the screen, and pressing it again shows everything that arrived")
    func pause() throws {
        let screen = try Screen()
        #expect(screen.show(note("a")) + screen.press(" ") == line("a") + "— paused; space continues\n")
        #expect(screen.show(note("b"), breach(entries: [1])) == "")
        #expect(screen.press(" ") == line("b") + "                ✗ must x/y: No. (#1)\n")
        #expect(screen.show(note("c")) == line("c"))
    }

    @Test("A pause keeps 10,000 lines and counts the rest")
    func limit() throws {
        for extra in [0, 1, 2] {
            let screen = try Screen()
            screen.press(" ")
            for _ in 0..<WatchScreen.heldLines + extra { screen.show(note("a")) }
            let lines = screen.press(" ").split(separator: "\n")
            #expect(lines.prefix(WatchScreen.heldLines).allSatisfy { $0 == line("a").dropLast() })
            let end = [nil, "— 1 line dropped during the pause", "— 2 lines dropped during the pause"][extra]
            #expect(lines.dropFirst(WatchScreen.heldLines).first.map(String.init) == end)
        }
    }

    @Test("The user can correct a filter while typing it")
    func filter() throws {
        let screen = try Screen()
        #expect((screen.press("/nott\u{7F}e") + screen.show(note("before"))).hasSuffix("\r\u{1B}[K/note"))
        #expect(screen.press("\u{15}") == "\r\u{1B}[K/")
        let filtered = screen.press("kind=note ölig\n")
        #expect(filtered.hasSuffix("\r\u{1B}[K— filter: kind=note ölig\n\r\u{1B}[K" + line("before")))
        #expect(screen.show(note("other"), note("Ölig")) == line("Ölig"))
        // A mistake leaves the filter unchanged.
        #expect(screen.press("/kind=nots\r").contains("\r\u{1B}[K— 'kind' must be one of "))
        // Escape also leaves the filter unchanged, and an arrow key recalls the previous filter.
        #expect((screen.show(note("other")) + screen.press("/\u{1B}[A")).hasSuffix("/kind=nots"))
        screen.press("\u{1B}")
        #expect(screen.show(note("other")) == "" && !screen.isOver)
        #expect(screen.press("/\n").hasSuffix("— no filter\n\r\u{1B}[K"))
        #expect(screen.show(note("other")) == line("other"))
    }

    @Test("Typing a filter does not end a pause")
    func filterWhilePaused() throws {
        let screen = try Screen()
        #expect(!(screen.press(" /a\n") + screen.show(note("a"))).contains(line("a")))
        #expect(screen.press(" ") == line("a"))
    }

    @Test("A breach passes the filter if one of its entries or its own text matches")
    func breaches() throws {
        func shows(_ filter: String, _ entries: [Int], _ texts: String...) throws -> Bool {
            let screen = try Screen(filter)
            for (index, text) in texts.enumerated() { screen.show(entry(.note(text), number: index + 1)) }
            return screen.show(breach(entries: entries)).contains("x/y")
        }
        #expect(try shows("", [1]) && shows("wanted", [1], "wanted") && shows("wanted", [1, 2], "other", "wanted"))
        #expect(try !shows("wanted", [1], "other") && !shows("wanted", [1]) && !shows("wanted", [3], "wanted"))
        #expect(try shows("must X/Y", []) && !shows("must kind=note", []) && shows("kind=note", [1], "a"))
        // After a restart, the world's entries reuse these numbers.
        let screen = try Screen("wanted")
        screen.show(note("wanted"), .began)
        #expect(screen.show(breach(entries: [1])) == "")
    }

    @Test("Chunks are folded into one line unless the filter is chunks=show")
    func chunks() throws {
        func chunk(_ text: String) -> WatchStream.News {
            frame(#"{"type":"stream_chunk","content":"\#(text)"}"#, by: .server)
        }
        let screen = try Screen()
        #expect(screen.show(chunk("a"), chunk("b")) == "")
        #expect(screen.finish() == "10:30:00.000    ← ws3 stream_chunk × 2, 74 B, 0 ms: ab\n")
        #expect((screen.show(chunk("a")) + screen.press("/chunks=show\n")).contains("stream_chunk × 1"))
        #expect(screen.show(chunk("a")).hasSuffix(#"← ws3 {"type":"stream_chunk","content":"a"}"# + "\n"))
        for (filter, isShown) in [("verdict=broken", true), ("verdict=x/y a", true), ("verdict=x", false)] {
            let screen = try Screen(filter)
            #expect(screen.show(note("a")) == "")
            #expect(screen.show(breach(entries: [1])).contains("x/y") == isShown, "\(filter)")
        }
    }

    @Test("Typed text and shown text cannot control the terminal")
    func hostile() throws {
        let screen = try Screen()
        let breach = WatchStream.News.breach(
            .init(obligation: "x/y", level: "must", message: "\u{1B}[2J", entries: []))
        #expect(screen.press("/\u{9B}31m\u{202E}\n").contains("— filter: \\x9B31m\\u{202E}\n"))
        #expect(screen.show(breach) == "")
        screen.press("/\n")
        #expect(screen.show(breach).hasSuffix("✗ must x/y: \\x1B[2J\n"))
    }

    @Test("Each key does what the help says, and other keys do nothing")
    func keys() throws {
        let screen = try Screen()
        #expect(
            screen.press("b") + screen.show(frame(#"{"a":1}"#))
                == "— bodies: shown\n10:30:00.000    → ws3 {\n                    \"a\": 1\n                  }\n")
        #expect(
            screen.press("bp") + screen.show(frame(#"{"type":"ping"}"#), frame("x"))
                == "— bodies: hidden\n— pings: hidden\n10:30:00.000    → ws3 x\n")
        #expect(screen.press("c?zZ\u{7}") == "\u{1B}[2J\u{1B}[3J\u{1B}[H— " + Messages.watchKeys + "\n")
        #expect(!screen.isOver)
        screen.press("q")
        #expect(screen.isOver)
    }
}
