import CLibrary
import Testing

@testable import Sockets

@Suite("Clocks, entropy and the current process")
struct ClockTests {
    @Test("The monotonic clock never runs backwards")
    func monotonic() {
        let instants = (0..<10_000).map { _ in MonotonicInstant.now() }
        #expect(instants == instants.sorted())
    }

    @Test(
        "Advancing saturates and rounds up",
        arguments: [
            (0, .nanoseconds(5), 5), (10, .nanoseconds(-3), 7),
            (0, Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
            (0, Duration(secondsComponent: 1, attosecondsComponent: 999_999_999), 1_000_000_001),
            (0, Duration(secondsComponent: 0, attosecondsComponent: -1_500_000_000), -1),
            (.max, .nanoseconds(1), .max), (.min, .nanoseconds(-1), .min), (0, .seconds(Int64.max), .max),
            (0, .seconds(Int64.min), .min), (-5, .seconds(9_223_372_036), 9_223_372_035_999_999_995),
        ] as [(Int64, Duration, Int64)])
    func advanced(_ start: Int64, _ duration: Duration, _ end: Int64) {
        #expect(MonotonicInstant(nanoseconds: start).advanced(by: duration).nanoseconds == end)
    }

    @Test(
        "The duration between two instants saturates",
        arguments: [
            (0, 5, 5), (5, 0, -5), (7, 7, 0), (.min, .max, .max), (.max, .min, .min), (-1, .max, .max),
        ] as [(Int64, Int64, Int64)])
    func duration(_ start: Int64, _ end: Int64, _ nanoseconds: Int64) {
        let (first, second) = (MonotonicInstant(nanoseconds: start), MonotonicInstant(nanoseconds: end))
        #expect(first.duration(to: second) == .nanoseconds(nanoseconds))
        #expect((first < second) == (nanoseconds > 0))
    }

    @Test("The wall clock is in this century")
    func wallClock() {
        #expect((1_700_000_000..<4_102_444_800).contains(WallClock.nanosecondsSinceEpoch() / 1_000_000_000))
    }

    @Test(
        "A clock before 1970 or after 2198 is clamped to that range",
        arguments: [
            (0, 0, true), (1_764_000_000, 1_764_000_000, true), (-1, 0, false), (.min, 0, false),
            (7_226_582_399, 7_226_582_399, true), (7_226_582_400, 7_226_582_399, false),
            (10_000_000_000, 7_226_582_399, false), (.max, 7_226_582_399, false),
        ] as [(Int, Int64, Bool)])
    func clamped(_ seconds: Int, _ shown: Int64, _ isExact: Bool) {
        let time = WallClock.clamped(timespec(tv_sec: seconds, tv_nsec: 999_999_999))
        let nanoseconds = shown * 1_000_000_000 + (isExact ? 999_999_999 : 0)
        #expect((time.nanoseconds, time.isExact) == (nanoseconds, isExact))
    }

    @Test("A clock change of at least a second counts as a step, and smaller changes add up")
    func steps() {
        let second: Int64 = 1_000_000_000
        var clocks = ClockComparison(.init(offset: 100 * second))
        let table: [(Int64, Int64)] = [
            (100 * second, 0), (101 * second - 1, 0), (99 * second + 1, 0), (101 * second, second),
            (101 * second + 600_000_000, 0), (102 * second + 200_000_000, second + 200_000_000),
            (0, -102 * second - 200_000_000), (8 * 3600 * second, 8 * 3600 * second),
        ]
        for (offset, step) in table { #expect(clocks.step(to: .init(offset: offset)) == step, "to \(offset)") }
    }

    @Test("A clamped date continues until the clock is back in range")
    func endOfRange() {
        let second: Int64 = 1_000_000_000
        var clocks = ClockComparison(.init(offset: 100 * second))
        // The clock is set to 1960 after ten seconds; from then on the clamped time continues.
        #expect(clocks.step(to: .init(offset: -10 * second, end: 0)) == -110 * second)
        for passed in 11..<100 as Range<Int64> {
            #expect(clocks.step(to: .init(offset: -passed * second, end: 0)) == 0)
        }
        #expect(clocks.step(to: .init(offset: 100 * second)) == 110 * second)
        // A clock that starts at the end of the range also continues.
        var early = ClockComparison(.init(offset: 0, end: 0))
        #expect(early.step(to: .init(offset: -50 * second, end: 0)) == 0)
        #expect(early.step(to: .init(offset: 20 * second)) == 20 * second)
    }

    @Test("An unchanged clock does not report a step")
    func noStep() {
        var clocks = ClockComparison()
        let now = MonotonicInstant.now()
        for turn in 0..<100 as Range<Int64> {
            #expect(clocks.step(at: MonotonicInstant(nanoseconds: now.nanoseconds + turn * 2_000_000)) == 0)
        }
    }

    @Test("Entropy has the requested length and does not repeat")
    func entropy() {
        for count in [0, 1, 7, 8, 9, 1000] { #expect(SystemEntropy.bytes(count: count).count == count) }
        #expect(SystemEntropy.bytes(count: 32) != SystemEntropy.bytes(count: 32))
        #expect(SystemEntropy.seed() != SystemEntropy.seed())
        // Random bytes take all values; 1,000 bytes in which half of the values are missing would not be random.
        #expect(Set(SystemEntropy.bytes(count: 1000)).count > 128)
    }

    @Test("Raising the limit on open files never lowers it")
    func descriptorLimit() {
        let limit = CurrentProcess.raiseFileDescriptorLimit(to: 0)
        #expect(limit > 0)
        // Other tests may raise the limit in the meantime.
        #expect(CurrentProcess.raiseFileDescriptorLimit(to: 10) >= limit)
    }

    @Test("The process has an id")
    func process() { #expect(CurrentProcess.identifier > 0) }
}
