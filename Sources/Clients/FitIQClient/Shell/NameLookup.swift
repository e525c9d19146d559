import Sockets
import Synchronization

/// Asks for the addresses of the backend's host on a thread of its own, because getaddrinfo(3) may block for minutes.
///
/// One thread at most: while one asks, connections wait for it, each until its own deadline.
struct NameLookup {
    typealias Resolve = @Sendable (_ host: String, _ port: UInt16) throws(SocketError) -> [SocketAddress]
    typealias Answer = Result<[SocketAddress], SocketError>

    /// How long a connection waits for the addresses.
    static let patience = Duration.seconds(10)

    /// A connection that waits, with what it is to send first.
    private struct Waiting {
        var unsent: [UInt8] = []
        let deadline: MonotonicInstant
    }

    /// Where the thread leaves the answer.
    private final class Outcome: Sendable {
        let answer = Mutex<Answer?>(nil)
    }

    private let resolve: Resolve
    private let mailbox: Mailbox
    private var waiting: [Int: Waiting] = [:]
    /// Of the thread that asks.
    private var outcome: Outcome?

    init(_ mailbox: Mailbox, resolve: @escaping Resolve) {
        self.mailbox = mailbox
        self.resolve = resolve
    }

    /// Has a connection wait for the addresses.
    ///
    /// - Throws: where the system has no room for another thread.
    mutating func wait(_ number: Int, for base: BaseURL, now: MonotonicInstant) throws(SocketError) {
        if outcome == nil {
            let (outcome, resolve, mailbox) = (Outcome(), resolve, mailbox)
            try SystemThread.start {
                let answer = Answer { () throws(SocketError) in try resolve(base.host, base.port) }
                outcome.answer.withLock { $0 = answer }
                mailbox.post {}
            }
            self.outcome = outcome
        }
        waiting[number] = Waiting(deadline: now.advanced(by: Self.patience))
    }

    /// Keeps what a waiting connection is to send; false where it does not wait.
    mutating func send(_ bytes: [UInt8], on number: Int) -> Bool {
        waiting[number]?.unsent.append(contentsOf: bytes) != nil
    }

    mutating func forget(_ number: Int) { waiting[number] = nil }

    /// The answer, once, with the connections that waited for it in the order of their numbers.
    mutating func takeAnswer() -> (answer: Answer, waiting: [(number: Int, unsent: [UInt8])])? {
        guard let answer = outcome?.answer.withLock({ $0 }) else { return nil }
        outcome = nil
        defer { waiting = [:] }
        return (answer, waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.unsent) })
    }

    /// Takes out the connections that have waited for too long.
    mutating func takeOverdue(_ now: MonotonicInstant) -> [Int] {
        let overdue = waiting.filter { $0.value.deadline <= now }.keys.sorted()
        for number in overdue { waiting[number] = nil }
        return overdue
    }

    /// When the next connection has waited for too long.
    var nextDeadline: MonotonicInstant? { waiting.values.map(\.deadline).min() }
}
