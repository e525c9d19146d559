import Foundation
import Synchronization
import Testing

@testable import Sockets

@Suite("Mailbox")
struct MailboxTests {
    /// The actions in order; shared with the posting threads' closures.
    private final class Log<Entry: Sendable>: Sendable {
        private let entries = Mutex<[Entry]>([])
        var all: [Entry] { entries.withLock { $0 } }
        var count: Int { entries.withLock { $0.count } }
        func append(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    }

    private struct Posting: Sendable, Equatable {
        let thread: Int
        let index: Int
    }

    private func watched(by queue: EventQueue) throws -> (Mailbox, EventQueue) {
        let mailbox = try Mailbox()
        try queue.add(mailbox.descriptor, token: 0, interest: .read)
        return (mailbox, queue)
    }

    @Test("Items posted by 8 threads run once and in each thread's order", arguments: QueueUnderTest.allCases)
    func manyThreads(_ kind: QueueUnderTest) throws {
        let (threads, each) = (8, 2000)
        let (mailbox, queue) = try watched(by: kind.open())
        let log = Log<Posting>()
        let refused = Log<Posting>()
        for thread in 0..<threads {
            Thread.detachNewThread {
                for index in 0..<each {
                    let posting = Posting(thread: thread, index: index)
                    if !mailbox.post({ log.append(posting) }) { refused.append(posting) }
                }
            }
        }
        while log.count < threads * each {
            let reports = try queue.reports(until: .patience)
            try #require(!reports.isEmpty, "work was posted, and nobody woke the queue")
            mailbox.drain()
        }
        #expect(refused.all.isEmpty)
        let all = log.all
        for thread in 0..<threads { #expect(all.filter { $0.thread == thread }.map(\.index) == Array(0..<each)) }
        #expect(try queue.reports().isEmpty)
    }

    @Test("One drain handles any number of posts and clears the wake-up")
    func coalesced() throws {
        let (mailbox, queue) = try watched(by: EventQueue())
        #expect(try queue.reports().isEmpty)
        let log = Log<Int>()
        for index in 0..<1000 { mailbox.post { log.append(index) } }
        #expect(try queue.reports().count == 1)
        mailbox.drain()
        #expect(log.all == Array(0..<1000))
        #expect(try queue.reports().isEmpty)
        mailbox.drain()
        #expect(log.count == 1000)
    }

    @Test("Work posted during a drain waits for the next drain")
    func nested() throws {
        let (mailbox, queue) = try watched(by: EventQueue())
        let log = Log<String>()
        mailbox.post {
            log.append("outer")
            mailbox.post { log.append("inner") }
        }
        mailbox.drain()
        #expect(log.all == ["outer"])
        #expect(try queue.reports().count == 1)
        mailbox.drain()
        #expect(log.all == ["outer", "inner"])
    }

    @Test("A full mailbox rejects work until it is drained")
    func full() throws {
        let mailbox = try Mailbox(capacity: 2)
        let log = Log<Int>()
        #expect((1...3).map { index in mailbox.post { log.append(index) } } == [true, true, false])
        var bytes = [UInt8](repeating: 1, count: 9)
        #expect(read(mailbox.descriptor, &bytes, 9) == 1, "The first wakes the loop, and nothing else does.")
        #expect(!mailbox.drain())
        #expect(log.all == [1, 2])
        #expect(mailbox.post { log.append(4) })
        mailbox.drain()
        #expect(log.all == [1, 2, 4])
    }

    @Test("A drain runs the posted work before it reports a request to stop")
    func stop() throws {
        let (mailbox, queue) = try watched(by: EventQueue())
        let log = Log<Int>()
        mailbox.post { log.append(1) }
        mailbox.requestStop()
        #expect(try queue.reports().count == 1)
        #expect(mailbox.drain() && log.all == [1])
        #expect(!mailbox.drain())
    }

    @Test("Clearing a pipe removes any number of wake-ups", arguments: [1, 255, 256, 257, 1000])
    func clears(_ count: Int) throws {
        let pipe = try WakePipe()
        defer { pipe.close() }
        for _ in 0..<count { pipe.wake() }
        pipe.clear()
        #expect(SingleDescriptorPoll.wait(for: .read, on: pipe.reader, until: .now()) == ETIMEDOUT)
    }
}
