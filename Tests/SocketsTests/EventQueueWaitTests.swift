import CLibrary
import Foundation
import Testing

@testable import Sockets

@Suite("Event queue: waiting")
struct EventQueueWaitTests {
    @Test(
        "A wait without events never ends before its deadline",
        arguments: QueueUnderTest.allCases, [0, 1, 300_000, 1_000_000, 2_500_000] as [Int64])
    func deadline(_ kind: QueueUnderTest, _ nanoseconds: Int64) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: .read)
        var lateness: [Duration] = []
        for _ in 0..<10 {
            let deadline = MonotonicInstant.now().advanced(by: .nanoseconds(nanoseconds))
            #expect(try queue.reports(until: deadline).isEmpty)
            lateness.append(deadline.duration(to: .now()))
        }
        // On a busy machine, many wake-ups are late; one punctual wake-up shows that the queue does not wait longer
        // than necessary.
        let (least, most) = (try #require(lateness.min()), try #require(lateness.max()))
        #expect(least >= .zero && least < .milliseconds(290), "from \(least) to \(most)")
    }

    @Test("A wait meets a deadline of 300 µs within a millisecond", arguments: QueueUnderTest.allCases)
    func subMillisecond(_ kind: QueueUnderTest) throws {
        #if os(Linux)
            guard kind != .epollInMilliseconds else { return }
            let queue = try kind.open()
            // On a busy machine, many wake-ups are late; one punctual wake-up shows that nothing was rounded.
            for _ in 0..<1000 {
                let start = MonotonicInstant.now()
                try queue.wait(until: start.advanced(by: .microseconds(300))) { _ in }
                if start.duration(to: .now()) < .milliseconds(1) { return }
            }
            Issue.record("no wait of 300 µs ended within a millisecond")
        #endif
    }

    @Test("A system wait never ends before its timeout", arguments: QueueUnderTest.allCases)
    func oneSystemWait(_ kind: QueueUnderTest) throws {
        let backend = try kind.openBackend()
        for timeout in [1, 300_000, 1_000_001] as [Int64] {
            let start = MonotonicInstant.now()
            var events: [CollectedEvent] = []
            #expect(backend.collect(timeout: timeout, into: &events) == 0 && events.isEmpty)
            #expect(start.duration(to: .now()) >= .nanoseconds(timeout))
        }
    }

    @Test("A deadline in the past polls without waiting", arguments: QueueUnderTest.allCases)
    func pastDeadline(_ kind: QueueUnderTest) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: .write)
        for deadline in [MonotonicInstant(nanoseconds: .min), .past, .now()] {
            #expect(try queue.reports(until: deadline).map(\.token) == [1])
        }
    }

    @Test(
        "A wait without a deadline, or with a distant one, ends when another thread writes",
        arguments: QueueUnderTest.allCases, [nil, MonotonicInstant(nanoseconds: .max)])
    func woken(_ kind: QueueUnderTest, _ deadline: MonotonicInstant?) throws {
        let (queue, pair) = (try kind.open(), try Loopback())
        defer { pair.close() }
        try queue.add(pair.server.descriptor, token: 1, interest: .read)
        Thread.detachNewThread { pair.client.send("x") }
        var reported: [UInt64] = []
        try queue.wait(until: deadline) { reported.append($0.token) }
        #expect(reported == [1])
    }

    @Test("One queue can watch 1,000 sockets", arguments: QueueUnderTest.allCases)
    func thousandSockets(_ kind: QueueUnderTest) throws {
        let limit = CurrentProcess.raiseFileDescriptorLimit(to: 8192)
        try #require(limit >= 2048, "this test needs 1,000 descriptors; raise ulimit -n")
        let queue = try kind.open()
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let pairs = try (0..<500).map { _ in try Loopback(through: listener) }
        defer { pairs.forEach { $0.close() } }
        for (index, pair) in pairs.enumerated() {
            try queue.add(pair.server.descriptor, token: UInt64(index), interest: .read)
            try queue.add(pair.client.descriptor, token: UInt64(index) + 500, interest: .write)
        }
        #expect(queue.count == 1000)
        // More descriptors are ready than one wait reports, but none must starve even if nothing is handled.
        var found: Set<UInt64> = []
        for _ in 0..<3 {
            var tokens: [UInt64] = []
            try queue.wait(until: .past) { tokens.append($0.token) }
            #expect(Set(tokens).count == tokens.count)
            found.formUnion(tokens)
        }
        #expect(found == Set(500..<1000))
        for pair in pairs { queue.modify(pair.client.descriptor, token: 0, interest: []) }
        // A few descriptors send, among a thousand that are silent.
        for index in [0, 250, 499] {
            pairs[index].client.send("x")
            #expect(try queue.reports(until: .patience).map(\.token) == [UInt64(index)])
            #expect(pairs[index].server.receive() == .bytes(1))
        }
        // Remove every other descriptor, in a different order from the one in which they were added.
        for index in stride(from: 499, through: 0, by: -2) { queue.remove(pairs[index].server.descriptor) }
        #expect(queue.count == 750)
        for pair in pairs { pair.client.send("x") }
        for pair in pairs { try pair.server.waitUntil(.read) }
        #expect(try queue.reports().map(\.token) == stride(from: 0, to: 500, by: 2).map { UInt64($0) })
    }

    @Test("No descriptor starves if more are ready than one wait reports", arguments: QueueUnderTest.allCases)
    func fairness(_ kind: QueueUnderTest) throws {
        CurrentProcess.raiseFileDescriptorLimit(to: 8192)
        let queue = try kind.open()
        let pair = try Loopback()
        var copies: [Int32] = []
        defer {
            copies.forEach(closeDescriptor)
            pair.close()
        }
        for token in 0..<700 {
            let copy = dup(pair.client.descriptor)
            try #require(copy >= 0)
            copies.append(copy)
            try queue.add(copy, token: UInt64(token), interest: .write)
        }
        var found: Set<UInt64> = []
        for _ in 0..<2 { try queue.wait(until: .past) { found.insert($0.token) } }
        #expect(found.count == 700)
    }

    @Test("Signals do not shorten a wait", arguments: QueueUnderTest.allCases.map(\.rawValue))
    func interrupted(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let kind = try #require(QueueUnderTest(rawValue: name))
            let loop = try EventLoop()
            try loop.watchSignals([SIGALRM])
            unblock(SIGALRM)
            let waiting = pthread_self()
            Thread.detachNewThread {
                // Send the signal every 2 ms until the process ends.
                guard let pace = try? EventQueue() else { return }
                while (try? pace.wait(until: .now().advanced(by: .milliseconds(2))) { _ in }) != nil {
                    pthread_kill(waiting, SIGALRM)
                }
            }
            let queue = try kind.open()
            let deadline = MonotonicInstant.now().advanced(by: .milliseconds(50))
            try queue.wait(until: deadline) { _ in Issue.record("nothing is in the queue") }
            #expect(deadline <= .now())
            #expect(try loop.calls { $0.onSignal = { _ in loop.stop() } }.contains(.signal(SIGALRM)))
            // The other thread continues, and without the loop a signal would terminate the process.
            block(SIGALRM)
        }
    }
}
