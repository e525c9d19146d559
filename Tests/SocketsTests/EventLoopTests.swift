import CLibrary
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("Event loop")
struct EventLoopTests {
    @Test(
        "A turn reports every ready descriptor with one timestamp before it ends", arguments: EventQueue.Kind.allCases)
    func oneTurn(_ kind: EventQueue.Kind) throws {
        let loop = try EventLoop(queueKind: kind)
        let pairs = try (0..<3).map { _ in try Loopback() }
        defer { pairs.forEach { $0.close() } }
        for (token, pair) in pairs.enumerated() {
            try loop.add(pair.server.descriptor, token: UInt64(token), interest: .write)
        }
        let recorder = Recorder(loop)
        recorder.onReadiness = { _ in loop.stop() }
        try loop.run(handler: recorder)
        #expect(recorder.calls.first == .turn && recorder.calls.last == .turn)
        let middle = recorder.calls.dropFirst().dropLast()
        #expect(middle.count == 3 && (0..<3 as Range<UInt64>).allSatisfy { middle.contains(.ready($0)) })
        #expect(Set(recorder.instants[1...3]).count == 1 && recorder.instants == recorder.instants.sorted())
    }

    @Test("The loop meets the deadlines that turnEnded returns", arguments: EventQueue.Kind.allCases)
    func deadlines(_ kind: EventQueue.Kind) throws {
        let loop = try EventLoop(queueKind: kind)
        let recorder = Recorder(loop)
        var deadlines: [MonotonicInstant] = []
        recorder.onTurn = { turns in
            if turns == 6 { loop.stop() }
            deadlines.append(MonotonicInstant.now().advanced(by: .microseconds(700 * turns)))
            return deadlines.last
        }
        try loop.run(handler: recorder)
        #expect(recorder.calls == Array(repeating: .turn, count: 6))
        for (deadline, woken) in zip(deadlines, recorder.instants.dropFirst()) { #expect(woken >= deadline) }
    }

    @Test("The loop coalesces near deadlines and serves overdue deadlines immediately")
    func coalesced() throws {
        let loop = try EventLoop()
        let recorder = Recorder(loop)
        recorder.onTurn = { [unowned recorder] turns in
            if turns == 30 { loop.stop() }
            if turns <= 10 { return MonotonicInstant.now().advanced(by: .nanoseconds(1)) }
            // The deadline is first in the past and then exactly at the turn's time.
            return turns <= 20 ? MonotonicInstant.past : recorder.instants.last
        }
        try loop.run(handler: recorder)
        // Ten turns take at least ten milliseconds; the upper bound depends on the machine.
        let instants = recorder.instants
        try #require(instants.count == 30)
        #expect(instants[10] >= instants[0].advanced(by: .milliseconds(10)))
        for turns in [10..<20, 20..<29] {
            let waits = turns.map { instants[$0].duration(to: instants[$0 + 1]) }
            #expect(try #require(waits.min()) < .milliseconds(1))
        }
    }

    @Test("Posted work runs on the loop's thread after the sockets of its turn", arguments: EventQueue.Kind.allCases)
    func posted(_ kind: EventQueue.Kind) throws {
        let loop = try EventLoop(queueKind: kind)
        let pair = try Loopback()
        defer { pair.close() }
        let order = Mutex<[String]>([])
        // The largest token that the loop does not reserve.
        try loop.add(pair.server.descriptor, token: UInt64.max - 16, interest: .write)
        let recorder = Recorder(loop)
        recorder.onReadiness = { _ in
            order.withLock { $0.append("socket") }
            loop.remove(pair.server.descriptor)
        }
        let mailbox = loop.mailbox
        let expected = pthread_self()
        mailbox.post {
            order.withLock { $0.append(pthread_equal(pthread_self(), expected) != 0 ? "work" : "elsewhere") }
            mailbox.requestStop()
        }
        try loop.run(handler: recorder)
        #expect(order.withLock { $0 } == ["socket", "work"])
    }

    @Test("Work that a handler posts runs in the next turn", arguments: EventQueue.Kind.allCases)
    func postedByHandler(_ kind: EventQueue.Kind) throws {
        let loop = try EventLoop(queueKind: kind)
        let pair = try Loopback()
        defer { pair.close() }
        let order = Mutex<[String]>([])
        let mailbox = loop.mailbox
        let work: @Sendable () -> Void = {
            order.withLock { $0.append("work") }
            mailbox.requestStop()
        }
        try loop.add(pair.server.descriptor, token: 1, interest: .write)
        let recorder = Recorder(loop)
        recorder.onReadiness = { _ in
            loop.remove(pair.server.descriptor)
            mailbox.post(work)
        }
        recorder.onTurn = { turns in
            order.withLock { $0.append("turn \(turns)") }
            return nil
        }
        try loop.run(handler: recorder)
        #expect(order.withLock { $0 } == ["turn 1", "turn 2", "work", "turn 3", "turn 4"])
    }

    @Test("Another thread can stop the loop repeatedly", arguments: EventQueue.Kind.allCases)
    func stopFromOutside(_ kind: EventQueue.Kind) throws {
        let loop = try EventLoop(queueKind: kind)
        let mailbox = loop.mailbox
        for _ in 0..<20 {
            Thread.detachNewThread { mailbox.requestStop() }
            #expect(try loop.calls() == [.turn, .turn])
        }
    }

    @Test("A loop stopped before it runs ends with its first turn")
    func stoppedBefore() throws {
        let loop = try EventLoop()
        loop.stop()
        #expect(try loop.calls() == [.turn])
    }

    @Test("An echo server on the loop returns its input", arguments: EventQueue.Kind.allCases, Loopback.hosts)
    func echo(_ kind: EventQueue.Kind, _ host: String) throws {
        let loop = try EventLoop(queueKind: kind)
        let listener = try Listener(address: SocketAddress(host: host, port: 0))
        defer { listener.close() }
        try loop.add(listener.descriptor, token: 0, interest: .read)
        var connection: Socket?
        let recorder = Recorder(loop)
        recorder.onReadiness = { readiness in
            guard let socket = connection else {
                guard case .accepted(let socket) = listener.accept() else { return }
                connection = socket
                #expect(throws: Never.self) { try loop.add(socket.descriptor, token: 1, interest: .read) }
                return
            }
            var bytes = [UInt8](repeating: 0, count: 1000)
            guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ socket.read(into: $0) }) else {
                loop.remove(socket.descriptor)
                socket.close()
                return loop.stop()
            }
            #expect(bytes.withUnsafeBytes { socket.write(.init(rebasing: $0[..<count])) } == .wrote(count))
        }
        let address = listener.localAddress
        let answers = Mutex<[String]>([])
        Thread.detachNewThread {
            guard let stream = try? BlockingStream.connect(to: address, timeout: .seconds(30)) else { return }
            for word in ["one", "two", "three"] {
                try? stream.write(Array(word.utf8), timeout: .seconds(30))
                let answer = (try? stream.read(timeout: .seconds(30))) ?? []
                answers.withLock { $0.append(String(decoding: answer, as: UTF8.self)) }
            }
            stream.close()
        }
        try loop.run(handler: recorder)
        #expect(answers.withLock { $0 } == ["one", "two", "three"])
    }
}
