import Faults
import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

/// A buffer's input and output, as lists of operations.
@Suite("The output buffer")
struct OutputBufferTests {
    enum Step: Sendable {
        case write(String)
        /// Bytes with marks, in seconds.
        case send(String, [(Int, Mark)])
        /// Replaces all bytes from a position in the storage onward with a transmission.
        case replace(Int, String, [(Int, Mark)])
        /// Checks the buffer at this second on the clock, expecting this to be its next release.
        case at(Double, OutputBuffer.Release)
        case skip(OutputBuffer.Release)
        /// Takes the available bytes, expecting them to be these.
        case take(String)
        case part(Int, of: String)
        /// The number of bytes left, and whether something will still happen.
        case left(Int, isHeld: Bool)
        case discardHeld
    }

    enum Mark: Sendable {
        case wait(Double)
        case end(WireAction)

        var action: WireAction {
            switch self {
            case .wait(let seconds): .wait(Int64(seconds * 1e9))
            case .end(let action): action
            }
        }
    }

    static let start = VirtualNetwork.start
    static func second(_ seconds: Double) -> Timestamp { start.advanced(byNanoseconds: Int64(seconds * 1e9)) }
    static func until(_ seconds: Double) -> OutputBuffer.Release { .until(second(seconds)) }

    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [Step]

        init(_ name: String, _ steps: Step...) {
            testDescription = name
            self.steps = steps
        }
    }

    static let stories = [
        Story(
            "plain bytes go at once", .write("ab"), .left(2, isHeld: false), .part(1, of: "ab"), .take("b"),
            .left(0, isHeld: false)),
        Story(
            "a wait holds back what follows, and nothing before",
            .write("ab"), .send("cd", [(1, .wait(2))]), .at(0, until(2)), .take("abc"), .left(1, isHeld: true),
            .at(1.9, until(2)), .take(""), .at(2, .all), .take("d"), .left(0, isHeld: false)),
        Story(
            "a wait counts from when it was reached, not from when bytes were taken",
            .send("ab", [(1, .wait(2))]), .at(0, until(2)), .at(2, .all), .take("ab"), .left(0, isHeld: false)),
        Story(
            "the next wait begins where the last one ended, however late one looks",
            .send("abc", [(1, .wait(2)), (2, .wait(3))]), .at(0, until(2)), .at(4, until(5)), .take("ab"), .at(5, .all),
            .take("c")),
        Story(
            "waits at one place add up",
            .send("a", [(0, .wait(1)), (0, .wait(2))]), .at(0, until(1)), .at(1, until(3)), .take(""), .at(3, .all),
            .take("a")),
        Story(
            "a wait of no time is none", .send("ab", [(0, .wait(0)), (1, .wait(0))]), .at(0, .all), .take("ab"),
            .left(0, isHeld: false)),
        Story(
            "what is written behind a wait stays behind it",
            .send("a", [(0, .wait(2))]), .at(0, until(2)), .write("b"), .take(""), .left(2, isHeld: true), .at(2, .all),
            .take("ab")),
        Story(
            "a wait that comes while another one runs begins after it",
            .send("a", [(0, .wait(2))]), .at(0, until(2)), .send("b", [(0, .wait(2))]), .at(1, until(2)),
            .at(2, until(4)), .take("a"), .at(4, .all), .take("b")),
        Story(
            "an end comes after the waits before it, and forgets what follows",
            .send("abc", [(1, .wait(2)), (2, .end(.finish))]), .at(0, until(2)), .write("later"), .take("a"),
            .at(2, .end(.finish)), .take("b"), .left(0, isHeld: false)),
        Story(
            "an end at once leaves nothing", .send("abc", [(0, .end(.reset))]), .at(0, .end(.reset)), .take(""),
            .left(0, isHeld: false)),
        Story(
            "an end at the last place leaves everything",
            .send("abc", [(3, .end(.silence))]), .at(0, .end(.silence)), .left(3, isHeld: false), .take("abc")),
        Story(
            "an end that was not looked at yet holds back", .send("abc", [(1, .end(.finish))]), .take("a"),
            .left(2, isHeld: true), .at(0, .end(.finish)), .left(0, isHeld: false)),
        Story(
            "an end without bytes", .send("", [(0, .end(.finish))]), .left(0, isHeld: true), .at(0, .end(.finish)),
            .left(0, isHeld: false)),
        Story(
            "taking part of what is released leaves the waits where they are",
            .send("abcdef", [(2, .wait(1)), (4, .wait(1))]), .at(0, until(1)), .part(1, of: "ab"), .at(1, until(2)),
            .take("bcd"), .at(2, .all), .take("ef")),
        Story(
            "what was taken whole leaves room for the next waits",
            .write("abcd"), .take("abcd"), .send("ef", [(1, .wait(1))]), .at(0, until(1)), .take("e"), .at(1, .all),
            .take("f"), .write("g"), .take("g")),
        Story(
            "a transmission replaces what was written, and nothing before",
            .write("ab"), .write("cd"), .replace(2, "x", [(0, .wait(1))]), .at(0, until(1)), .take("ab"), .at(1, .all),
            .take("x")),
        Story(
            "behind a wait something can be replaced too",
            .send("a", [(0, .wait(1))]), .at(0, until(1)), .write("bc"), .replace(1, "z", [(1, .end(.finish))]),
            .at(1, .end(.finish)), .take("az"), .left(0, isHeld: false)),
        Story(
            "skipping passes waits that run and waits to come",
            .send("abc", [(0, .wait(9)), (1, .wait(9))]), .at(0, until(9)), .skip(.all), .take("abc")),
        Story(
            "skipping stops at an end", .send("abc", [(1, .wait(9)), (2, .end(.reset))]), .skip(.end(.reset)),
            .take("ab"), .left(0, isHeld: false)),
        Story(
            "forgetting what is held back keeps what is not",
            .send("abc", [(1, .wait(9)), (2, .end(.reset))]), .at(0, until(9)), .discardHeld, .left(1, isHeld: false),
            .take("a"), .send("d", [(0, .wait(1))]), .at(20, until(21)), .at(21, .all), .take("d")),
    ]

    @Test("Each sequence of writes, waits and ends releases the expected bytes", arguments: stories)
    func each(_ story: Story) {
        var buffer = OutputBuffer()
        for (index, step) in story.steps.enumerated() {
            let place = Comment(rawValue: "step \(index + 1): \(step)")
            switch step {
            case .write(let text): buffer.bytes += Array(text.utf8)
            case .send(let text, let marks): buffer.append(transmission(text, marks))
            case .replace(let start, let text, let marks): buffer.replace(from: start, with: transmission(text, marks))
            case .at(let second, let expected): #expect(buffer.release(at: Self.second(second)) == expected, place)
            case .skip(let expected): #expect(buffer.release(at: Self.start, skippingWaits: true) == expected, place)
            case .take(let expected):
                #expect(lent(buffer) == expected, place)
                #expect(buffer.hasReleased == !expected.isEmpty, place)
                buffer.take(expected.utf8.count)
            case .part(let count, let expected):
                #expect(lent(buffer) == expected, place)
                buffer.take(count)
            case .left(let count, let isHeld):
                #expect(buffer.count == count && buffer.isEmpty == (count == 0) && buffer.isHeld == isHeld, place)
            case .discardHeld: buffer.discardHeld()
            }
        }
    }

    private func transmission(_ text: String, _ marks: [(Int, Mark)]) -> Transmission {
        Transmission(Array(text.utf8), marks: marks.map { .init($0.0, $0.1.action) })
    }

    private func lent(_ buffer: borrowing OutputBuffer) -> String {
        buffer.withUnsent { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Compacting the buffer keeps the positions of waits", arguments: [1, 777, 70_000])
    func compaction(size: Int) {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var buffer = OutputBuffer()
        let places = [1, 65_536, 65_537, 131_072, 140_000, 199_999]
        buffer.append(Transmission(bytes, marks: places.map { .init($0, .wait(1_000_000_000)) }))
        var received: [UInt8] = []
        for second in 0...places.count {
            _ = buffer.release(at: Self.second(Double(second)))
            while buffer.hasReleased {
                let piece = buffer.withUnsent { Array($0.prefix(size)) }
                received += piece
                buffer.take(piece.count)
            }
            #expect(received.count == (second < places.count ? places[second] : bytes.count))
        }
        #expect(received == bytes)
        #expect(buffer.isEmpty && !buffer.isHeld)
    }

    @Test("Releasing the maximum number of waits takes little processor time")
    func manyWaits() {
        let count = FaultLimits.pieces
        var buffer = OutputBuffer()
        buffer.append(Transmission([UInt8](repeating: 7, count: count), marks: (0..<count).map { .init($0, .wait(1)) }))
        let start = ThreadTime.seconds
        #expect(buffer.release(at: Self.start) == .until(Self.start.advanced(byNanoseconds: 1)))
        #expect(buffer.release(at: Self.second(1)) == .all)
        #expect(buffer.withUnsent(\.count) == count)
        // Repeatedly removing the first of so many elements would take more than ten seconds.
        #expect(ThreadTime.seconds - start < 3)
    }
}
