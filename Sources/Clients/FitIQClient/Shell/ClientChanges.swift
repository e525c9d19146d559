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
