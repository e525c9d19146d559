import Testing

@testable import WebSocket

@Suite("RFC 6455 §10.4: limits and memory")
struct LimitsTests {
    @Test("An idle or failed connection owns no buffers")
    func idle() {
        #expect(MemoryLayout<Connection>.size <= 256)
        var connection = Connection(role: .server)
        func expectNoBuffers() {
            #expect(connection.message.capacity == 0)
            #expect(connection.controlPayload.capacity == 0)
            #expect(connection.waitingPong == nil)
        }
        expectNoBuffers()
        let input =
            Wire.fromPeer(of: .server, 2, Array(repeating: 7, count: 100_000)) + Wire.fromPeer(of: .server, 9, [1])
        #expect(connection.outcome(of: [input[...]]).events.count == 2)
        expectNoBuffers()
        _ = connection.outcome(of: [Wire.fromPeer(of: .server, 2, [1, 2, 3], fin: false)[...]])
        #expect(connection.message.capacity > 0)
        _ = connection.outcome(of: [[0xFF][...]])
        #expect(connection.state == .failed)
        expectNoBuffers()
    }

    @Test("A peer that announces a large frame and sends little uses little memory")
    func announced() {
        let million: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]
        var connection = Connection(role: .server)
        _ = connection.outcome(of: [million[...]])
        #expect(connection.message.capacity == 0)
        _ = connection.outcome(of: [[UInt8](repeating: 1, count: 100)[...]])
        #expect(connection.message.capacity <= 100 * 33)
        #expect(connection.state == .open)
    }

    @Test("The buffer never exceeds the limit, however the message is fragmented", arguments: [1, 7, 1000])
    func bounded(fragment: Int) {
        var connection = Connection(role: .server, limits: Limits(message: 10_000))
        var total = 0
        var opcode: UInt8 = 2
        while total + fragment <= 10_000 {
            let frame = Wire.fromPeer(of: .server, opcode, Array(repeating: 1, count: fragment), fin: false)
            #expect(connection.outcome(of: [frame[...]]).state == .open)
            opcode = 0
            total += fragment
            // Array rounds a capacity up to malloc's size.
            #expect(connection.message.capacity < 10_000 + 4096)
        }
        let rest = Wire.fromPeer(of: .server, 0, Array(repeating: 1, count: 10_001 - total))
        let outcome = connection.outcome(of: [rest[...]])
        #expect(outcome.events.map(DataFramesTests.failureCode) == [.messageTooBig])
    }

    @Test("10,000 fragments or 100,000 single bytes cause few reallocations")
    func reallocations() {
        var connection = Connection(role: .server)
        var capacities: Set<Int> = []
        for index in 0..<10_000 {
            let frame = Wire.fromPeer(of: .server, index == 0 ? 2 : 0, [1, 2, 3], fin: false)
            _ = connection.outcome(of: [frame[...]])
            capacities.insert(connection.message.capacity)
        }
        #expect(connection.message.count == 30_000)
        #expect(capacities.count <= 20)

        connection = Connection(role: .server)
        capacities = []
        let frame = Wire.fromPeer(of: .server, 1, Array(repeating: 0x61, count: 100_000))
        for index in frame.indices.dropLast() {
            _ = connection.outcome(of: [frame[index...index]])
            capacities.insert(connection.message.capacity)
        }
        #expect(connection.message.count == 99_999)
        #expect(capacities.count <= 8)
    }

    @Test("A connection with a limit of zero accepts empty messages")
    func nothing() {
        let connection = Connection(role: .server, limits: Limits(message: 0))
        #expect(receiveHoweverSplit(Wire.fromPeer(of: .server, 1), by: connection).events == [.text([])])
        let outcome = receiveHoweverSplit(Wire.fromPeer(of: .server, 1, [0x61]), by: connection)
        #expect(outcome.events.map(DataFramesTests.failureCode) == [.messageTooBig])
    }
}
