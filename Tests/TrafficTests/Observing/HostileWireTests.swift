import FitIQAPI
import TestSupport
import Testing

@testable import Traffic

@Suite("Hostile wires")
struct HostileWireTests {
    @Test(
        "Whatever the bytes and their order, the observer goes on, and its file opens",
        arguments: 0..<24 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        let conversations = Conversation.all + SocketConversations.all
        let recorder = SessionRecorder { $0.limits.pipelined = 2000 }
        for connection in 0..<300 as Range<UInt64> {
            recorder.opened(connection, scheme: "http")
            var steps: [WireStep] = []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                steps += conversations.randomElement(using: &numbers)?.steps ?? []
            }
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: steps.shuffle(using: &numbers)
            case 1: steps.remove(at: Int.random(in: 0..<steps.count, using: &numbers))
            case 2: steps.insert(.finished(Bool.random(using: &numbers) ? .client : .server), at: steps.count / 2)
            default: break
            }
            for (index, step) in steps.enumerated() {
                let changed = Self.change(step, &numbers)
                recorder.play(changed, on: connection, at: Wire.time(index))
            }
            if Bool.random(using: &numbers) {
                recorder.ended(connection, by: .client, isReset: Bool.random(using: &numbers), at: Wire.time(50))
            }
        }
        let compaction = recorder.finish(at: Wire.time(60))
        var file = GrowingFile()
        // Only the last write is looked at: there are hundreds.
        for write in recorder.takeWrites() { write.apply(to: &file.bytes) }
        let grown = try file.session
        let finished = try HARFile(reading: file.finished(compaction)).session
        #expect(grown.entries.count == finished.entries.count, "seed \(seed)")
        #expect(finished.entries.count == recorder.exchangeCount + recorder.socketCount, "seed \(seed)")
        #expect(recorder.exchangeCount > 100 && recorder.socketCount > 20, "seed \(seed)")
    }

    /// Now and then a byte is another one, is missing, comes twice, or a side changes.
    private static func change(_ step: WireStep, _ numbers: inout Draw) -> WireStep {
        guard Int.random(in: 0..<4, using: &numbers) == 0 else { return step }
        var (bytes, isClient): ([UInt8], Bool)
        switch step {
        case .client(let sent): (bytes, isClient) = (sent, true)
        case .server(let sent): (bytes, isClient) = (sent, false)
        case .finished, .ended: return step
        }
        guard !bytes.isEmpty else { return step }
        let index = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[index], at: index)
        case 3: bytes.removeSubrange(index...)
        default: isClient.toggle()
        }
        return isClient ? .client(bytes) : .server(bytes)
    }
}
