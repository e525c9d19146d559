import Testing

@testable import Sockets

@Suite("Event queue: misuse traps")
struct EventQueueMisuseTests {
    private static let kinds = QueueUnderTest.allCases.map(\.rawValue)

    /// A crash ends the process by a signal; an error from the test would end it with a code.
    private func expectSignal(_ result: ExitTest.Result?) throws {
        guard case .signal = try #require(result).exitStatus else {
            throw Unexpected("the process ended with \(String(describing: result)), not with a crash")
        }
    }

    private static func queueWithSocket(_ name: String, _ interest: Interest) throws -> (EventQueue, Int32) {
        let (queue, pair) = (try #require(QueueUnderTest(rawValue: name)).open, try Loopback())
        let opened = try queue()
        try opened.add(pair.server.descriptor, token: 1, interest: interest)
        return (opened, pair.server.descriptor)
    }

    @Test("Adding a descriptor twice traps", arguments: kinds)
    func addTwice(_ name: String) async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) { [name] in
                let (queue, descriptor) = try EventQueueMisuseTests.queueWithSocket(name, .read)
                try queue.add(descriptor, token: 2, interest: .read)
            })
    }

    @Test("Removing a descriptor twice traps", arguments: kinds)
    func removeTwice(_ name: String) async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) { [name] in
                let (queue, descriptor) = try EventQueueMisuseTests.queueWithSocket(name, .read)
                queue.remove(descriptor)
                queue.remove(descriptor)
            })
    }

    @Test("Modifying a descriptor that was never added traps", arguments: kinds)
    func modifyAbsent(_ name: String) async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) { [name] in
                let (queue, descriptor) = try EventQueueMisuseTests.queueWithSocket(name, .read)
                queue.modify(descriptor + 1, token: 1, interest: .write)
            })
    }

    @Test("Modifying a removed descriptor traps, even without a change")
    func modifyRemoved() async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) {
                let (queue, descriptor) = try EventQueueMisuseTests.queueWithSocket("poll", .read)
                queue.remove(descriptor)
                queue.modify(descriptor, token: 1, interest: .read)
            })
    }

    @Test("Waiting on the queue in its own handler traps", arguments: kinds)
    func nestedWait(_ name: String) async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) { [name] in
                let (queue, _) = try EventQueueMisuseTests.queueWithSocket(name, .write)
                try queue.wait(until: .past) { _ in _ = try? queue.reports() }
            })
    }

    @Test("Using a reserved token traps")
    func reservedToken() async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) {
                let (loop, pair) = (try EventLoop(), try Loopback())
                try loop.add(pair.server.descriptor, token: EventLoop.reservedTokens.lowerBound, interest: .read)
            })
    }

    @Test("Running a loop that is already running traps")
    func nestedRun() async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) {
                let loop = try EventLoop()
                let recorder = Recorder(loop)
                recorder.onTurn = { _ in
                    // If the second loop ran, both would end, without a crash.
                    loop.stop()
                    try? loop.run(handler: Recorder(loop))
                    loop.stop()
                    return nil
                }
                try loop.run(handler: recorder)
            })
    }

    @Test("Creating a mailbox with no capacity traps")
    func noRoom() async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) {
                _ = try Mailbox(capacity: 0)
            })
    }
}
