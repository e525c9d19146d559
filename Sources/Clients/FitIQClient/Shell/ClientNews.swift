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
