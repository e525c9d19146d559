import Synchronization

/// Carries snapshots from a client's thread to whoever looks; each sees the newest, and misses what it was too slow for.
final class ClientNews: Sendable {
    private struct State {
        var snapshot = ClientSnapshot()
        var readers: [Int: AsyncStream<ClientSnapshot>.Continuation] = [:]
        var lastReader = 0
    }

    private let state = Mutex(State())

    /// The newest.
    var snapshot: ClientSnapshot { state.withLock { $0.snapshot } }

    /// Tells everybody; the last one ends their sequences.
    ///
    /// Called on the client's thread only.
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

    /// The newest snapshot, and those to come, as far as they are taken in time.
    func snapshots() -> AsyncStream<ClientSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastReader += 1
            // Within the lock: what is published next comes after it.
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

/// Something of a client each time that it has changed, beginning with how it is; ends when the client closes.
///
/// It holds one value: whoever is slower than the changes gets the newest and misses those between.
public struct ClientChanges<Element: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A sequence of changes cannot fail.
    public typealias Failure = Never

    let news: ClientNews
    let part: @Sendable (ClientState) -> Element

    /// Begins to look; what changes from now on is not missed but for slowness.
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: news.snapshots().makeAsyncIterator(), part: part)
    }

    /// Where one reader is.
    public struct Iterator: AsyncIteratorProtocol {
        var snapshots: AsyncStream<ClientSnapshot>.Iterator
        let part: @Sendable (ClientState) -> Element
        var last: Element?

        /// The next value that differs from the one before; nil once the client has closed.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The next value that differs from the one before; nil once the client has closed.
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

/// What other threads ask of a client's thread, which alone has the client.
final class ClientInbox: Sendable {
    /// How many commands may wait; more are refused.
    static let capacity = 1024

    /// Something asked, with its place in the order of asking.
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

    /// Adds a command and gives its ticket; nil where the client closes, or too much waits.
    func add(_ command: ClientCommand) -> Int? {
        state.withLock { state in
            guard !state.closes, state.waiting.count < Self.capacity else { return nil }
            state.lastTicket += 1
            state.waiting.append(Asked(ticket: state.lastTicket, command: command))
            return state.lastTicket
        }
    }

    /// The ticket of the command that was asked last; 0 before the first.
    var lastTicket: Int { state.withLock { $0.lastTicket } }

    /// Asks for the client's end, after what was asked before.
    func close() { state.withLock { $0.closes = true } }

    /// Takes out what was asked.
    func take() -> (asked: [Asked], closes: Bool) {
        state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.closes)
        }
    }
}

/// What is known of a client at one moment, as it leaves the client's thread.
struct ClientSnapshot: Sendable {
    /// What its user sees.
    var state = ClientState()
    /// The ticket of the last command that was begun.
    var begun = 0
    /// How many problems there were so far, and the last of them.
    var problemCount = 0
    var problem: ClientState.Problem?
    /// What went wrong last on the network.
    var failure: ClientError?
    /// Whether this is the last there will be.
    var isClosed = false
}
