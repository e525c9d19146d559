import Synchronization

/// Passes snapshots from a client's thread to observers; every observer gets the newest snapshot, but slow observers
/// may miss others.
final class ClientNews: Sendable {
    private struct State {
        var snapshot = ClientSnapshot()
        var readers: [Int: AsyncStream<ClientSnapshot>.Continuation] = [:]
        var lastReader = 0
    }

    private let state = Mutex(State())

    var snapshot: ClientSnapshot { state.withLock { $0.snapshot } }

    /// Publishes a snapshot to all observers, on the client's thread; the last snapshot ends the observers' sequences.
    func publish(_ snapshot: ClientSnapshot) {
        let readers = state.withLock { state in
            state.snapshot = snapshot
            defer { if snapshot.isClosed { state.readers = [:] } }
            return Array(state.readers.values)
        }
        for reader in readers {
            reader.yield(snapshot)
            if snapshot.isClosed { reader.finish() }
        }
    }

    /// The newest snapshot and later snapshots; a slow reader misses snapshots that have been replaced.
    func snapshots() -> AsyncStream<ClientSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastReader += 1
            // Yield inside the lock, so that the next published snapshot comes after this one.
            continuation.yield(state.snapshot)
            if !state.snapshot.isClosed { state.readers[state.lastReader] = continuation }
            return state.snapshot.isClosed ? nil : state.lastReader
        }
        if let number {
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
            }
        } else {
            continuation.finish()
        }
        return stream
    }
}

/// A client's value, now and after each change.
///
/// The sequence ends when the client closes.
///
/// The sequence buffers one value, so a slow reader gets the newest value and misses earlier values.
public struct ClientChanges<Element: Sendable & Equatable>: AsyncSequence, Sendable {
    public typealias Failure = Never
    let news: ClientNews
    let part: @Sendable (ClientState) -> Element

    /// Starts observing.
    ///
    /// Only slow readers miss later changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: news.snapshots().makeAsyncIterator(), part: part)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var snapshots: AsyncStream<ClientSnapshot>.Iterator
        let part: @Sendable (ClientState) -> Element
        var last: Element?

        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next value that differs from the previous value, or nil once the client has closed.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let snapshot = await snapshots.next(isolation: actor) {
                let value = part(snapshot.state)
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}

/// Passes requests from other threads to a client's thread, which owns the client.
final class ClientInbox: Sendable {
    /// The maximum number of waiting commands; additional commands are refused.
    static let capacity = 1024

    struct Asked: Sendable {
        var ticket: Int
        var command: ClientCommand
    }

    private struct State {
        var waiting: [Asked] = []
        var lastTicket = 0
        var closes = false
    }

    private let state = Mutex(State())

    /// Adds a command and returns its ticket, or nil if the client is closing or too many commands are waiting.
    func add(_ command: ClientCommand) -> Int? {
        state.withLock { state in
            guard !state.closes, state.waiting.count < Self.capacity else { return nil }
            state.lastTicket += 1
            state.waiting.append(Asked(ticket: state.lastTicket, command: command))
            return state.lastTicket
        }
    }

    /// The ticket of the command that was added last, or 0 if there is none.
    var lastTicket: Int { state.withLock { $0.lastTicket } }
    /// Asks the client to end after the commands that have been added so far.
    func close() { state.withLock { $0.closes = true } }

    func take() -> (asked: [Asked], closes: Bool) {
        state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.closes)
        }
    }
}

/// The client's state at one moment, for other threads.
struct ClientSnapshot: Sendable {
    var state = ClientState()
    /// The ticket of the last command that has started.
    var begun = 0
    /// The number of problems so far, and the last problem.
    var problemCount = 0
    var problem: ClientState.Problem?
    var failure: ClientError?
    var isClosed = false
}
