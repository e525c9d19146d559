import Testing

@testable import Sockets

@Suite("Event queue: misuse traps")
struct EventQueueMisuseTests {
    /// A crash ends the process by a signal; an error from the test would end it with a code.
    private func expectSignal(_ result: ExitTest.Result?) throws {
        guard case .signal = try #require(result).exitStatus
        else { throw Unexpected("the process ended with \(String(describing: result)), not with a crash") }
    }

    enum Misuse: String, CaseIterable {
        case addingTwice, removingTwice, modifyingAbsent, modifyingRemovedWithoutChange, waitingInHandler

        func commit(with queue: EventQueue) throws {
            let descriptor = try Loopback().server.descriptor
            try queue.add(descriptor, token: 1, interest: self == .waitingInHandler ? .write : .read)
            switch self {
            case .addingTwice: try queue.add(descriptor, token: 2, interest: .read)
            case .removingTwice: for _ in 0..<2 { queue.remove(descriptor) }
            case .modifyingAbsent: queue.modify(descriptor + 1, token: 1, interest: .write)
            case .modifyingRemovedWithoutChange:
                queue.remove(descriptor)
                queue.modify(descriptor, token: 1, interest: .read)
            case .waitingInHandler: try queue.wait(until: .past) { _ in _ = try? queue.reports() }
            }
        }
    }

    @Test("Misusing a queue traps", arguments: Misuse.allCases.map(\.rawValue), QueueUnderTest.allCases.map(\.rawValue))
    func misuse(_ name: String, ofQueue queue: String) async throws {
        try expectSignal(
            await #expect(processExitsWith: .failure) { [name, queue] in
                let misuse = try #require(Misuse(rawValue: name))
                try misuse.commit(with: #require(QueueUnderTest(rawValue: queue)).open())
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
        try expectSignal(await #expect(processExitsWith: .failure) { _ = try Mailbox(capacity: 0) })
    }
}
