import FitIQAPI
import Foundation
import Testing

@testable import FitIQBackend

@Suite("Script timing") struct StreamTimingTests {
    private static func timeline(
        _ steps: [AnswerScript.Step], _ timing: StreamTiming, seed: UInt64 = 1, pace: Pace = .human
    ) -> Timeline {
        var ids = ResourceIDSequence(seed: seed)
        return Timeline(AnswerScript(steps: steps, timing: timing), id: ids.next(), pace: pace) { Speech("built in") }
    }

    @Test("The default timing equals the built-in coach's timing", arguments: PaceTests.answers)
    func human(text: String) {
        for seed in UInt64(0)..<5 {
            var ids = ResourceIDSequence(seed: seed)
            let id = ids.next()
            let chunks = Coach.chunks(of: text)
            for step in [AnswerScript.Step.builtInAnswer, .text(text)] {
                let timeline = Timeline(AnswerScript(steps: [step]), id: id, pace: .human) { Speech(text) }
                #expect(timeline.moments.map(\.offset) == Pace.human.offsets(of: chunks, seed: id.seed))
                #expect(timeline.moments.dropLast().map(\.event) == chunks.map { .chunk($0) })
                #expect(timeline.moments.last?.event == .completion && timeline.answers.map(\.text) == [text])
            }
        }
    }

    /// Recorded when the built-in coach's pace was the only one: clients' tests rely on its bytes and nanoseconds.
    @Test("A script does not change the built-in coach's pace")
    func golden() {
        let chunks = ["For ", "breakfast, ", "I ", "recommend ", "oats."]
        #expect(Pace.human.offsets(of: chunks, seed: 42) == Self.goldenOffsets)
    }

    static let goldenOffsets: [Int64] = [
        744_938_927, 781_335_342, 856_247_015, 887_768_221, 952_497_344, 1_099_271_463,
    ]

    static let steps: [AnswerScript.Step] = [.chunk("12345678"), .chunk("1234"), .chunk("12"), .pause(0), .chunk("1")]

    static let rates: KeyValuePairs<StreamTiming, [String]> = [
        StreamTiming(firstChunk: 0, rate: .chunksPerSecond(3)): [
            "0.000 s", "0.333333333 s", "0.666666666 s", "0.999999999 s", "1.333333332 s",
        ],
        StreamTiming(firstChunk: 1, rate: .chunksPerSecond(1e12)): [
            "0.000000001 s", "0.000000001 s", "0.000000001 s", "0.000000001 s", "0.000000001 s",
        ],
        StreamTiming(firstChunk: .seconds(0.25), rate: .tokensPerSecond(40)): [
            "0.250 s", "0.300 s", "0.325 s", "0.337500000 s", "0.343750000 s",
        ],
        StreamTiming(firstChunk: .seconds(1), rate: .tokensPerSecond(0.5)): [
            "1.000 s", "5.000 s", "7.000 s", "8.000 s", "8.500 s",
        ],
        StreamTiming(firstChunk: 0, rate: .chunksPerSecond(.leastNonzeroMagnitude)): ["0.000 s"]
            + Array(repeating: "316224000.000 s", count: 4),
    ]

    @Test("A rate without jitter produces even gaps", arguments: rates)
    func even(timing: StreamTiming, times: [String]) {
        let timeline = Self.timeline(Self.steps, timing)
        expect(timeline.moments.map { Lines.time($0.offset) }, are: times)
    }

    @Test("At every rate, the first chunk takes the human time unless the script sets a time")
    func firstChunk() {
        for seed in UInt64(0)..<100 {
            let even = Self.timeline(Self.steps, StreamTiming(rate: .chunksPerSecond(10)), seed: seed)
            let human = Self.timeline(Self.steps, .human, seed: seed)
            let told = Self.timeline(Self.steps, StreamTiming(firstChunk: 7), seed: seed)
            #expect(even.moments[0].offset == human.moments[0].offset)
            #expect((300_000_000..<900_000_000).contains(even.moments[0].offset))
            #expect(told.moments[0].offset == 7)
            // The rest is unchanged.
            #expect(told.moments[4].offset - 7 == human.moments[4].offset - human.moments[0].offset)
        }
    }

    @Test("Times never decrease and never exceed the longest timeline")
    func longest() {
        let pause = AnswerScript.Step.pause(AnswerScript.longestDuration)
        let steps = (0..<40).flatMap { _ in [pause, .chunk("a", after: AnswerScript.longestDuration), .anotherAnswer] }
        let offsets = Self.timeline(steps, StreamTiming(rate: .chunksPerSecond(1e-300), jitter: .logNormal(sigma: 10)))
            .moments.map(\.offset)
        #expect(offsets.last == AnswerScript.longestTimeline)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("With even timing, the seed has no effect on times and order")
    func pure() {
        let steps: [AnswerScript.Step] = [
            .text("Well, "), .builtInAnswer, .template(.run), .anotherAnswer, .error(message: "Slow.", code: nil),
            .pause(.seconds(1)), .burst(["a", "b"]), .silence,
        ]
        for seed in [UInt64(1), 2] {
            expect(
                Lines.of(Self.timeline(steps, .even, seed: seed)),
                are: [
                    "0.500 s chunk \"Well, \"", "0.550 s chunk \"built \"", "0.600 s chunk \"in\"",
                    "0.600 s template goal run \"Run 5 km\"", "0.650 s completion",
                    "0.650 s error COACH_ERROR \"Slow.\"",
                    "2.150 s chunk \"a\"", "2.150 s chunk \"b\"", "2.200 s abandonment",
                ])
        }
        #expect(
            Self.timeline(steps, .even, seed: 1).answers.map(\.id)
                != Self.timeline(steps, .even, seed: 2).answers.map(\.id))
        #expect(Self.timeline(steps, .even) == Self.timeline(steps, .even))
    }

    // MARK: Jitter

    private static let many = [String](repeating: "abcd", count: 20_000)

    @Test("Uniform jitter distributes the gaps evenly", arguments: [UInt64(1), 2, 3])
    func uniform(seed: UInt64) {
        let width: Int64 = 20_000_000
        let timing = StreamTiming(rate: .chunksPerSecond(20), jitter: .uniform(width))
        let gaps = timing.gaps(of: Self.many, seed: seed).after
        #expect(gaps == timing.gaps(of: Self.many, seed: seed).after)
        #expect(gaps != timing.gaps(of: Self.many, seed: seed + 1).after)
        let changes = gaps.map { Double($0 - 50_000_000) / Double(width) }
        #expect(changes.allSatisfy { (-1...1).contains($0) })
        let mean = changes.reduce(0, +) / Double(changes.count)
        let variance = changes.reduce(0) { $0 + $1 * $1 } / Double(changes.count)
        // The tolerance is five standard errors of 20,000 draws.
        #expect(abs(mean) < 0.0205, "\(mean)")
        #expect(abs(variance - 1.0 / 3) < 0.011, "\(variance)")
        #expect(changes.min().map { $0 < -0.999 } == true && changes.max().map { $0 > 0.999 } == true)
    }

    @Test("A gap is never negative")
    func nonNegative() {
        let timing = StreamTiming(rate: .chunksPerSecond(1000), jitter: .uniform(20_000_000))
        let gaps = timing.gaps(of: Self.many, seed: 5).after
        #expect(gaps.allSatisfy { (0...21_000_000).contains($0) })
        // 19 of 40 fall below zero.
        #expect((9200...9800).contains(gaps.count { $0 == 0 }))
    }

    @Test("Log-normal jitter distributes the gaps around the median", arguments: [0.2, 0.4, 1])
    func logNormal(sigma: Double) {
        let timing = StreamTiming(rate: .tokensPerSecond(20), jitter: .logNormal(sigma: sigma))
        let gaps = timing.gaps(of: Self.many, seed: 9).after
        #expect(gaps == timing.gaps(of: Self.many, seed: 9).after)
        let logarithms = gaps.map { log(Double($0) / 50_000_000) }
        let mean = logarithms.reduce(0, +) / Double(gaps.count)
        let deviation = (logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)).squareRoot()
        #expect(abs(mean) < 0.036 * sigma, "\(mean)")
        #expect(abs(deviation / sigma - 1) < 0.026, "\(deviation)")
        let median = gaps.sorted()[gaps.count / 2]
        #expect(abs(Double(median) / 50_000_000 - 1) < 0.045 * sigma, "\(median)")
    }

    @Test(
        "Without jitter or with negligible jitter, the gaps are equal",
        arguments: [StreamTiming.Jitter.none, .uniform(0), .logNormal(sigma: 0)])
    func noJitter(jitter: StreamTiming.Jitter) {
        let timing = StreamTiming(rate: .chunksPerSecond(20), jitter: jitter)
        #expect(Set(timing.gaps(of: Self.many, seed: 3).after) == [50_000_000])
    }

    @Test("Jitter does not change explicit times")
    func keeps() {
        let timing = StreamTiming(firstChunk: 5, rate: .chunksPerSecond(20), jitter: .logNormal(sigma: 2))
        let steps: [AnswerScript.Step] = [.chunk("a"), .chunk("b", after: 10), .pause(100), .chunk("c", after: 1)]
        #expect(Self.timeline(steps, timing).moments.prefix(3).map(\.offset) == [5, 15, 116])
    }
}

@Suite("Arithmetic without a math library") struct ArithmeticTests {
    @Test("The exponential function is accurate to 15 digits")
    func exponential() {
        var numbers = SplitMix64(seed: 6)
        for step in -7400...7090 {
            let x = Double(step) / 10 + Double(numbers.next() >> 11) * 0x1p-53 / 10
            let expected = Foundation.exp(x)
            // Subnormal numbers have fewer digits.
            let tolerance = max(expected * 4e-16 * 2, .leastNonzeroMagnitude)
            #expect(abs(Arithmetic.exp(x) - expected) <= tolerance, "\(x)")
        }
        let ends: [(Double, Double)] = [(0, 1), (-745, 0), (-.infinity, 0), (800, .infinity)]
        for (x, expected) in ends { #expect(Arithmetic.exp(x) == expected) }
    }

    @Test("The generator draws approximately normally distributed numbers")
    func normal() {
        var numbers = SplitMix64(seed: 1)
        let drawn = (0..<100_000).map { _ in Arithmetic.normal(from: &numbers) }
        let count = Double(drawn.count)
        func moment(_ power: Double) -> Double {
            let powers = drawn.map { pow($0, power) }
            return powers.reduce(0, +) / count
        }
        #expect(abs(moment(1)) < 0.016 && abs(moment(2) - 1) < 0.022 && abs(moment(3)) < 0.06)
        // The sum of twelve has a kurtosis of 2.9; the normal distribution has 3.
        #expect(abs(moment(4) - 2.9) < 0.15)
        let within = [1.0, 2, 3].map { bound in Double(drawn.count { abs($0) < bound }) / count }
        for (share, expected) in zip(within, [0.683, 0.954, 0.997]) { #expect(abs(share - expected) < 0.008) }
    }
}
