import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Event queue: readiness")
struct EventQueueReadinessTests {
    @Test("An idle connection is writable but not readable", arguments: QueueUnderTest.allCases)
    func idle(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 7, interest: [.read, .write])
        #expect(try queue.told() == ["7 writable"])
        queue.modify(pair.server.descriptor, token: 7, interest: .read)
        #expect(try queue.reports().isEmpty)
    }

    @Test("The queue reports unread bytes until they are read", arguments: QueueUnderTest.allCases)
    func levelTriggered(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: .read)
        pair.client.send("ab")
        #expect(try queue.told(until: .patience) == ["1 readable"])
        #expect(try queue.told() == ["1 readable"])
        #expect(pair.server.receive(upTo: 1) == .bytes(1))
        #expect(try queue.told() == ["1 readable"])
        #expect(pair.server.receive(upTo: 1) == .bytes(1))
        #expect(try queue.reports().isEmpty)
    }

    @Test("The queue reports readiness in both directions together", arguments: QueueUnderTest.allCases)
    func bothAtOnce(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        pair.client.send("x")
        try pair.server.waitUntil(.read)
        try queue.add(pair.server.descriptor, token: 1, interest: [.read, .write])
        #expect(try queue.told() == ["1 readable writable"])
    }

    @Test("A full send buffer is not writable until the other side reads", arguments: QueueUnderTest.allCases)
    func backpressure(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        var outstanding = try pair.server.fill()
        try queue.add(pair.server.descriptor, token: 1, interest: .write)
        #expect(try queue.reports().isEmpty)
        while outstanding > 0 {
            try pair.client.waitUntil(.read)
            guard case .bytes(let count) = pair.client.receive(upTo: 65_536) else { break }
            outstanding -= count
        }
        #expect(outstanding == 0)
        #expect(try queue.reports(until: .patience).map(\.writable) == [true])
    }

    @Test("modify changes the token and the watched events", arguments: QueueUnderTest.allCases)
    func modify(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        pair.client.send("x")
        try pair.server.waitUntil(.read)
        try queue.add(pair.server.descriptor, token: 1, interest: [])
        #expect(try queue.reports().isEmpty)
        queue.modify(pair.server.descriptor, token: 2, interest: .read)
        #expect(try queue.reports().map(\.token) == [2])
        queue.modify(pair.server.descriptor, token: .max, interest: .read)
        #expect(try queue.reports().map(\.token) == [.max])
        queue.modify(pair.server.descriptor, token: 3, interest: .write)
        #expect(try queue.told() == ["3 writable"])
    }

    @Test("The other side's end of stream counts as readable but not as a hang-up", arguments: QueueUnderTest.allCases)
    func endOfStream(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: .read)
        pair.client.shutdownWriting()
        #expect(try queue.told(until: .patience) == ["1 readable"])
        #expect(pair.server.receive() == .endOfStream)
    }

    @Test("The queue always reports the end of both sides as a hang-up", arguments: QueueUnderTest.allCases)
    func hangUp(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        pair.client.shutdownWriting()
        try pair.server.waitUntil(.read)
        pair.server.shutdownWriting()
        try queue.add(pair.server.descriptor, token: 1, interest: [])
        #expect(try queue.told(until: .patience) == ["1 hangUp"])
        queue.modify(pair.server.descriptor, token: 1, interest: .read)
        #expect(try queue.reports(until: .patience).map(\.readable) == [true])
    }

    @Test("The queue always reports a reset as an error", arguments: QueueUnderTest.allCases)
    func reset(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.server.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: [])
        pair.client.reset()
        let bare = try #require(try queue.reports(until: .patience).first)
        #expect(bare.error && !bare.readable && !bare.writable)
        queue.modify(pair.server.descriptor, token: 1, interest: [.read, .write])
        let full = try #require(try queue.reports(until: .patience).first)
        #expect(full.error && full.readable && full.writable)
        queue.remove(pair.server.descriptor)
        #expect(try queue.reports().isEmpty)
    }

    @Test("A waiting connection makes its listener readable", arguments: QueueUnderTest.allCases, Loopback.hosts)
    func listener(_ kind: QueueUnderTest, _ host: String) throws {
        let queue = try kind.open()
        let listener = try Listener(address: SocketAddress(host: host, port: 0))
        defer { listener.close() }
        try queue.add(listener.descriptor, token: 5, interest: .read)
        #expect(listener.accept() == .wouldBlock)
        #expect(try queue.reports().isEmpty)
        let client = try Socket.connect(to: listener.localAddress)
        defer { client.close() }
        #expect(try queue.reports(until: .patience).map(\.token) == [5])
        try acceptSoon(listener).close()
        #expect(try queue.reports().isEmpty)
    }

    @Test("A refused connection is writable with an error", arguments: QueueUnderTest.allCases)
    func refused(_ kind: QueueUnderTest) throws {
        let (queue, nowhere) = (try kind.open(), try RefusingAddress())
        let address = nowhere.address
        let socket = try Socket.connect(to: address)
        defer { socket.close() }
        try queue.add(socket.descriptor, token: 1, interest: .write)
        let readiness = try #require(try queue.reports(until: .patience).first)
        #expect(readiness.writable && readiness.error)
        let error = try #require(socket.connectResult(to: address))
        #expect(error.code == ECONNREFUSED)
        #expect(error.description == "cannot connect to \(address): nothing is listening there")
    }

    @Test("Adding a bad descriptor throws", arguments: QueueUnderTest.allCases)
    func badDescriptor(_ kind: QueueUnderTest) throws {
        let queue = try kind.open()
        // This number is above any limit that a test run has on open files.
        let error = #expect(throws: SocketError.self) { try queue.add(9_999_999, token: 1, interest: .read) }
        #expect(error?.operation == .watch && queue.count == 0)
        #expect(try queue.reports().isEmpty)
    }
}
