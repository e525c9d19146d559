import TestSupport
import Testing

@testable import WebSocket

@Suite("Fuzzing: mutated streams")
struct FuzzTests {
    static let limits = Limits(message: 300)

    @Test(
        "Mutated streams never crash the connection and have the same outcome however they are split",
        arguments: 1...150 as ClosedRange<UInt64>)
    func mutated(seed: UInt64) {
        var generator = Draw(seed: seed)
        for round in 0..<20 {
            let role: Role = Bool.random(using: &generator) ? .client : .server
            var stream = Self.validStream(to: role, using: &generator)
            Self.mutate(&stream, using: &generator)
            let context = "seed \(seed), round \(round), \(role), input \(stream)"

            var whole = Connection(role: role, limits: Self.limits)
            let expected = whole.outcome(of: [stream[...]])
            Self.check(expected, context)

            var single = Connection(role: role, limits: Self.limits)
            let inBytes = single.outcome(of: stream.indices.map { stream[$0...$0] })
            #expect(inBytes == expected, "in single bytes, \(context)")

            var pieces = Connection(role: role, limits: Self.limits)
            var collected = Outcome()
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &generator))
                rest = rest.dropFirst(piece.count)
                collected = Self.joined(collected, pieces.outcome(of: [piece]))
                #expect(pieces.message.count <= Self.limits.message, "\(context)")
                #expect(pieces.message.capacity <= 2 * Self.limits.message + 64, "\(context)")
                #expect(pieces.controlPayload.count <= 125, "\(context)")
            }
            if !stream.isEmpty { #expect(collected == expected, "in random pieces, \(context)") }
        }
    }

    @Test("Valid streams never fail a connection", arguments: 1...50 as ClosedRange<UInt64>)
    func unmutated(seed: UInt64) {
        var generator = Draw(seed: seed)
        let role: Role = seed % 2 == 0 ? .client : .server
        let stream = Self.validStream(to: role, using: &generator)
        var connection = Connection(role: role, limits: Self.limits)
        #expect(connection.outcome(of: [stream[...]]).state != .failed, "seed \(seed)")
    }

    @Test("Noise never crashes a connection and gets only a close and pongs", arguments: 1...50 as ClosedRange<UInt64>)
    func noise(seed: UInt64) {
        var generator = Draw(seed: seed)
        for round in 0..<40 {
            let stream = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            var connection = Connection(role: .server, limits: Self.limits)
            Self.check(connection.outcome(of: [stream[...]]), "seed \(seed), round \(round), input \(stream)")
        }
    }

    /// The invariants of every outcome.
    static func check(_ outcome: Outcome, _ context: String) {
        let ends = outcome.events.filter {
            switch $0 {
            case .closing, .failed: true
            default: false
            }
        }
        #expect(ends.count <= 1, "\(context)")
        switch outcome.events.last {
        case .failed: #expect(outcome.state == .failed, "\(context)")
        case .closing: #expect(outcome.state == .closing(.theyStarted), "\(context)")
        default: #expect(outcome.state == .open && ends.isEmpty, "\(context)")
        }
        for event in outcome.events {
            switch event {
            case .text(let payload):
                #expect(String(validating: payload, as: UTF8.self) != nil, "\(context)")
                #expect(payload.count <= limits.message, "\(context)")
            case .binary(let payload): #expect(payload.count <= limits.message, "\(context)")
            case .ping(let payload), .pong(let payload): #expect(payload.count <= 125, "\(context)")
            case .closing(let code, _): #expect(code?.isAllowedOnWire ?? true, "\(context)")
            case .failed(let code, let message):
                #expect(code.isAllowedOnWire && message.utf8.count <= 123, "\(context)")
            }
        }
    }

    static func joined(_ first: Outcome, _ second: Outcome) -> Outcome {
        var joined = second
        joined.events = first.events + second.events
        joined.output = first.output + second.output
        return joined
    }

    /// Some messages, fragments, control frames and perhaps a close frame, as a peer with this role sends them.
    static func validStream(to role: Role, using generator: inout Draw) -> [UInt8] {
        var stream: [UInt8] = []
        func payload(_ longest: Int, _ text: Bool) -> [UInt8] {
            let count = Int.random(in: 0...longest, using: &generator)
            guard text else { return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
            return Array(String("aé€🥗 plain".shuffled(using: &generator)).utf8) + Array(repeating: 0x61, count: count)
        }
        func add(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true) {
            let mask = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            stream += Wire.frame(opcode, payload, fin: fin, mask: role == .server ? mask : nil)
        }
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: add(1, payload(200, true))
            case 1: add(2, payload(200, false))
            case 2: add(9, payload(20, false))
            case 3: add(10, payload(20, false))
            case 4:
                let text = payload(20, true)
                let cut = Int.random(in: 0...text.count, using: &generator)
                add(1, Array(text[..<cut]), fin: false)
                if Bool.random(using: &generator) { add(9, []) }
                add(0, Array(text[cut...]))
            default:
                guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }
                add(8, Wire.close(UInt16.random(in: 3000...4999, using: &generator), "bye"))
            }
        }
        return stream
    }

    /// Flips, replaces, drops, doubles or cuts some bytes.
    static func mutate(_ stream: inout [UInt8], using generator: inout Draw) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard let place = stream.indices.randomElement(using: &generator) else { return }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: stream[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 1: stream[place] = UInt8.random(in: 0...255, using: &generator)
            case 2: stream.remove(at: place)
            case 3: stream.insert(stream[place], at: place)
            default: stream.removeSubrange(place...)
            }
        }
    }
}
