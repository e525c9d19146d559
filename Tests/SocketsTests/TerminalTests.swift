import CLibrary
import Testing

@testable import Sockets

// Glibc's module has no pseudo-terminals.
@_silgen_name("posix_openpt") private func posix_openpt(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grantpt(_ descriptor: Int32) -> Int32
@_silgen_name("unlockpt") private func unlockpt(_ descriptor: Int32) -> Int32
@_silgen_name("ptsname_r") private func ptsname_r(
    _ descriptor: Int32, _ name: UnsafeMutablePointer<CChar>, _ size: Int
) -> Int32

@Suite("Terminal")
struct TerminalTests {
    /// A terminal and its other end.
    private final class Pair {
        let ours: Int32, terminal: Int32

        init() throws {
            ours = posix_openpt(O_RDWR | O_NOCTTY)
            try #require(ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0)
            // Tests run concurrently, and ptsname has one buffer for all.
            var name = [CChar](repeating: 0, count: 128)
            try #require(ptsname_r(ours, &name, name.count) == 0)
            terminal = open(name, O_RDWR | O_NOCTTY)
            try #require(terminal >= 0)
        }

        deinit {
            close(terminal)
            close(ours)
        }

        var settings: termios {
            var settings = termios()
            tcgetattr(terminal, &settings)
            return settings
        }

        func has(_ flag: Int32) -> Bool { settings.c_lflag & tcflag_t(flag) != 0 }
    }

    @Test("A raw terminal delivers single keys without echo until it is restored")
    func raw() throws {
        let pair = try Pair()
        let terminal = try #require(Terminal(pair.terminal))
        #expect(pair.has(ICANON) && pair.has(ECHO) && pair.has(ISIG))
        let (input, output) = (pair.settings.c_iflag, pair.settings.c_oflag)
        terminal.setRaw()
        #expect(!pair.has(ICANON) && !pair.has(ECHO) && pair.has(ISIG))
        // Ctrl-S and Ctrl-V must also arrive as keys.
        #expect(pair.settings.c_iflag & tcflag_t(IXON) == 0 && !pair.has(IEXTEN))
        #expect(pair.settings.c_oflag == output)
        var key: [UInt8] = [UInt8(ascii: "q")]
        #expect(write(pair.ours, &key, 1) == 1)
        key = [0, 0]
        #expect(read(pair.terminal, &key, 2) == 1 && key[0] == UInt8(ascii: "q"))
        terminal.restore()
        #expect(pair.has(ICANON) && pair.has(ECHO) && pair.settings.c_iflag == input)
    }

    @Test("A terminal has a width")
    func width() throws {
        let pair = try Pair()
        #expect(Terminal.columns(of: pair.terminal) == nil)
        var size = winsize(ws_row: 24, ws_col: 97, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(pair.ours, UInt(TIOCSWINSZ), &size) == 0)
        #expect(Terminal.columns(of: pair.terminal) == 97)
    }

    @Test("Other descriptors do not count as terminals")
    func other() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        #expect(Terminal(ends[0]) == nil && Terminal.columns(of: ends[0]) == nil && Terminal(-1) == nil)
    }
}
