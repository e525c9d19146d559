import FitIQAPI
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Answer pace") struct PaceTests {
    /// All answers that the coach may give: each written answer, both on its own and after each opening.
    static let answers = WrittenAnswer.all.map(\.text).flatMap { text in
        [text] + ContextType.allCases.compactMap { Coach.opening(of: $0) }.map { "\($0) \(text)" }
    }

    private static let millisecond: Int64 = 1_000_000

    private func expectHuman(_ offsets: [Int64], _ chunks: [String], seed: UInt64) {
        #expect(offsets.count == chunks.count + 1, "seed \(seed)")
        #expect((300 * Self.millisecond..<900 * Self.millisecond).contains(offsets[0]), "seed \(seed)")
        #expect(offsets[offsets.count - 1] <= 4000 * Self.millisecond, "seed \(seed)")
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
    }

    @Test("Answers begin after 0.3 to 0.9 s and end within 4 s for any text and seed", arguments: answers)
    func human(text: String) {
        let chunks = Coach.chunks(of: text)
        for seed in UInt64(0)..<10 {
            // Typical seeds: the bits of ids.
            var numbers = Draw(seed: seed)
            let seed = numbers.next()
            let offsets = Pace.human.offsets(of: chunks, seed: seed)
            expectHuman(offsets, chunks, seed: seed)
            #expect(Set(offsets).count == offsets.count, "two chunks at once, seed \(seed)")
            #expect(Pace.human.offsets(of: chunks, seed: seed) == offsets)
        }
    }

    @Test("The pause after a chunk depends on its last character that is not white space")
    func lastMarks() {
        let pieces = [
            "", " ", "\t", "\n", "\r\n", ".", "!", "?", ":", ";", "\u{37E}", "a,", "é", "e\u{301}", "—", "\u{2003}",
            "\u{301}", "🥤", "\u{b}!", "\u{1f}",
        ]
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let chunk = first + second + third
                    let mark = Pace.Mark(chunk.last { !$0.isWhitespace })
                    #expect(Pace.Mark(endOf: chunk) == mark, "\(chunk.unicodeScalars)")
                }
            }
        }
    }

    static let extremes: [[String]] = [
        [], ["a"], Array(repeating: "a. ", count: 100), Array(repeating: "a", count: 10_000),
        Array(repeating: "…", count: 100_000), [" "], ["\n\n"], [String(repeating: "a", count: 100_000)],
    ]

    @Test("The pace also applies to generated text", arguments: extremes.indices)
    func extremeTexts(number: Int) {
        let chunks = Self.extremes[number]
        for seed in [UInt64.min, 1, 42, .max] {
            expectHuman(Pace.human.offsets(of: chunks, seed: seed), chunks, seed: seed)
        }
    }

    @Test("Different seeds give different pacing")
    func seeds() {
        let chunks = Coach.chunks(of: WrittenAnswer.all[0].text)
        let paces = Set((UInt64(0)..<100).map { Pace.human.offsets(of: chunks, seed: $0) })
        #expect(paces.count == 100)
        // The first chunk may arrive at any time within its bounds.
        let firsts = (UInt64(0)..<1000).map { Pace.human.offsets(of: chunks, seed: $0)[0] / Self.millisecond }
        #expect(Set(firsts.map { $0 / 100 }) == [3, 4, 5, 6, 7, 8])
    }

    @Test("An answer's stream pauses at commas and pauses longer at the end of a sentence")
    func breaths() {
        func mean(_ chunk: String) -> Int64 {
            let total = (UInt64(0)..<200).reduce(Int64(0)) { sum, seed in
                let offsets = Pace.human.offsets(of: [chunk], seed: seed)
                return sum + offsets[1] - offsets[0]
            }
            return total / 200 / Self.millisecond
        }
        #expect((45..<55).contains(mean("word ")))
        #expect((80..<100).contains(mean("word, ")))
        #expect((80..<100).contains(mean("— ")))
        #expect((130..<150).contains(mean("word. ")))
        #expect((130..<150).contains(mean("word!\n")))
    }

    @Test("An instant pace has no delays", arguments: [0, 1, 50])
    func instant(count: Int) {
        let chunks = Array(repeating: "a", count: count)
        for seed in [UInt64.min, 7, .max] {
            #expect(Pace.instant.offsets(of: chunks, seed: seed) == Array(repeating: 0, count: count + 1))
        }
    }

    @Test("An instant answer is complete within one turn")
    func instantExchange() throws {
        var (world, _, _) = try World(pace: .instant).chatting()
        world.message("Hello", from: 1)
        #expect(world.backend.nextDeadline == World.start)
        world.wait(milliseconds: 0)
        #expect(world.backend.nextDeadline == nil)
        let effects = world.takeEffects()
        #expect(effects.story(of: 1) == ["connected", "message_received", "stream_chunk", "stream_complete"])
        #expect(effects.frames(of: 1).allSatisfy { $0["timestamp"] == "2025-01-29T10:30:00Z" })
    }

    @Test("Simultaneous steps run for consultations first and then for meal logs")
    func sameTime() {
        let works = [ScheduledStep.Work.answer(ResourceID(randomBits: 1, 1)), .mealLog]
        let steps = [0, 1, 5].flatMap { seconds in
            works.flatMap { work in
                [0, 1, 2].map { ScheduledStep(time: Timestamp(secondsSinceEpoch: seconds), position: $0, work: work) }
            }
        }
        let sorted = steps.shuffled().sorted()
        #expect(sorted.map(\.position) == steps.map(\.position) && sorted.map(\.work) == steps.map(\.work))
        #expect(sorted.map(\.time) == steps.map(\.time))
    }
}
