import Testing

@testable import WebSocket

@Suite("The cost of fragments")
struct CostTests {
    /// Each growth of the buffer copies the message, so the test counts growths instead of measuring time.
    @Test("Receiving a message byte by byte copies it about twenty times", arguments: [false, true])
    func growths(isCompressed: Bool) {
        let limit = 64 * 1024
        // The maximum: a compressed message may be a little larger than the limit.
        let count = isCompressed ? limit + limit / 64 + 64 : limit
        var connection = Connection(
            role: .client, limits: Limits(message: limit), compression: isCompressed ? CompressionTerms() : nil)
        var (events, output): ([Event], [UInt8]) = ([], [])
        var capacities: Set<Int> = []
        for number in 0..<count {
            let opcode: UInt8 = number > 0 ? 0 : isCompressed ? 0x42 : 0x02
            connection.receive([opcode, 1, 0x61], events: &events, output: &output)
            capacities.insert(connection.message.capacity)
        }
        #expect(events.isEmpty && connection.message.count == count)
        print("\(count) fragments: \(capacities.count) sizes of the buffer")
        #expect(capacities.count <= 20)
    }
}
