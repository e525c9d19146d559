import FitIQAPI
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Determinism") struct DeterminismTests {
    /// When the loop serves deadlines between two operations.
    enum Loop: CaseIterable {
        /// The loop never serves deadlines; the next operation serves all of them.
        case late
        /// The loop serves deadlines once, when the next operation arrives.
        case leaping
        /// At each deadline.
        case punctual
        /// The loop serves deadlines every few milliseconds, even if nothing is due.
        case ticking
    }

    private struct Transcript: Equatable {
        var outcomes: [Outcome] = []
        var effects: [Effect] = []
    }

    private func transcript(seed: UInt64, pace: Pace, loop: Loop, operations: Int = 400) throws -> Transcript {
        var random = try RandomOperations(seed: seed, userCount: 4, pace: pace)
        var ticks = Draw(seed: seed ^ 1)
        var transcript = Transcript()
        for _ in 0..<operations {
            let delay = Int64(random.below(10) == 0 ? random.below(6000) : random.below(400)) * 1_000_003
            pass(delay, loop, &random.world, &ticks)
            let operation = random.draw()
            transcript.outcomes.append(random.apply(operation))
            transcript.effects += random.takeEffects()
        }
        pass(100_000_000_000, loop, &random.world, &ticks)
        random.world.backend.advance(&random.world.turn)
        transcript.effects += random.takeEffects()
        return transcript
    }

    private func pass(_ nanoseconds: Int64, _ loop: Loop, _ world: inout World, _ ticks: inout Draw) {
        let end = world.turn.now.advanced(byNanoseconds: nanoseconds)
        switch loop {
        case .late: break
        case .leaping:
            world.turn.now = end
            world.backend.advance(&world.turn)
        case .punctual:
            while let deadline = world.backend.nextDeadline, deadline <= end {
                world.turn.now = max(deadline, world.turn.now)
                world.backend.advance(&world.turn)
            }
        case .ticking:
            while world.turn.now < end {
                let tick = Int64(ticks.below(70_000_000))
                world.turn.now = min(end, world.turn.now.advanced(byNanoseconds: tick))
                world.backend.advance(&world.turn)
            }
        }
        world.turn.now = end
    }

    @Test("Equal inputs have byte-identical effects even if the loop serves deadlines late", arguments: UInt64(1)...8)
    func granularity(seed: UInt64) throws {
        for pace in [Pace.human, .instant] {
            let reference = try transcript(seed: seed, pace: pace, loop: .punctual)
            #expect(reference.effects.count > 500, "seed \(seed)")
            for loop in Loop.allCases where loop != .punctual {
                let other = try transcript(seed: seed, pace: pace, loop: loop)
                let (isSameOutcome, isSameEffect) = (
                    other.outcomes == reference.outcomes, other.effects == reference.effects
                )
                #expect(isSameOutcome, "seed \(seed), \(pace), \(loop)")
                #expect(isSameEffect, "seed \(seed), \(pace), \(loop): \(difference(other, reference))")
            }
        }
    }

    private func difference(_ left: Transcript, _ right: Transcript) -> String {
        func text(_ effect: Effect) -> String {
            switch effect {
            case .send(let socket, let text): "\(socket.number) \(String(decoding: text, as: UTF8.self))"
            case .close(let socket, let code, _): "\(socket.number) close \(code)"
            }
        }
        let pair = zip(left.effects, right.effects).enumerated().first { $1.0 != $1.1 }
        guard let (number, (first, second)) = pair else {
            return "\(left.effects.count) effects and \(right.effects.count)"
        }
        return "effect \(number) is \(text(first)) and \(text(second))"
    }

    @Test("The same seed gives the same transcript", arguments: UInt64(100)...103)
    func again(seed: UInt64) throws {
        let first = try transcript(seed: seed, pace: .human, loop: .punctual)
        let (second, other) = (
            try transcript(seed: seed, pace: .human, loop: .punctual),
            try transcript(seed: seed + 1, pace: .human, loop: .punctual)
        )
        let (isSame, isOther) = (second == first, other != first)
        #expect(isSame, "seed \(seed): \(difference(first, second))")
        #expect(isOther, "seed \(seed)")
    }

    @Test("A copy of the world continues identically")
    func copies() throws {
        var (world, _, _) = try World().chatting()
        world.message("Hello", from: 1)
        world.wait(milliseconds: 1000)
        var copy = world
        world.waitForAllAnswers()
        #expect(copy.takeEffects() != world.turn.effects)
        copy.turn.effects = []
        copy.waitForAllAnswers()
        let (left, right) = (copy.takeEffects(), world.takeEffects())
        #expect(!left.isEmpty && right.suffix(left.count) == left[...])
    }

    @Test("A frame carries the time at which it was due, even if the loop sends it late")
    func timestamps() throws {
        var (world, _, id) = try World().chatting()
        world.message("What should I eat for breakfast?", from: 1)
        let answer = try #require(try world.record(id).answer)
        _ = world.takeEffects()
        let times = world.takeEffects(after: 3_600_000).frames(of: 1).map { $0["timestamp"]?.string }
        #expect(times == answer.offsets.map { World.start.advanced(byNanoseconds: $0).wireText })
        #expect(Set(times).count >= 3)
        #expect(world.turn.now == World.start.advanced(byNanoseconds: 3_600_000_000_000))
    }

    @Test("One long step delivers several consultations' frames in chronological order")
    func order() throws {
        var (world, user) = try World().withUser()
        for (number, persona) in Persona.allCases.enumerated() {
            let id = try world.create(persona, by: user)
            try world.open(UInt64(number), on: id, by: user)
            world.pass(milliseconds: 5)
            world.message("Hello", from: UInt64(number))
        }
        _ = world.takeEffects()
        let due = world.backend.consultations.flatMap { record -> [(Timestamp, UInt64)] in
            guard let answer = record.answer, let socket = record.sockets.first else { return [] }
            return answer.offsets.map { (answer.startedAt.advanced(byNanoseconds: $0), socket.number) }
        }
        let heard = world.takeEffects(after: 10_000).map { effect -> UInt64? in
            if case .send(let socket, _) = effect { socket.number } else { nil }
        }
        #expect(heard == due.sorted { $0.0 < $1.0 }.map(\.1))
    }

    @Test("A late input takes effect after everything that was due before it")
    func lateCommand() throws {
        var (world, user, id) = try World().chatting()
        world.message("Hello", from: 1)
        world.pass(milliseconds: 60_000)
        world.message("Thanks", from: 1)
        #expect(
            world.takeEffects().story(of: 1)
                == ["connected", "message_received", "stream_chunk", "stream_complete", "message_received"])
        let roles = try world.messages(id, for: user)["messages"]?.all("role")
        #expect(roles == ["user", "assistant", "user"])
        #expect(try world.show(id, for: user)["updated_at"] == "2025-01-29T10:31:00Z")
    }
}
