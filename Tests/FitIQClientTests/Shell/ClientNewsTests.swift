import Testing

@testable import FitIQClient

@Suite("Client updates")
struct ClientNewsTests {
    private func snapshot(_ consultation: String, isClosed: Bool = false) -> ClientSnapshot {
        var snapshot = ClientSnapshot(isClosed: isClosed)
        snapshot.state.consultation = consultation
        return snapshot
    }

    @Test("A reader first gets the current state and then the latest state")
    func newest() async {
        let news = ClientNews()
        news.publish(snapshot("a"))
        var changes = ClientChanges(news: news) { $0.consultation }.makeAsyncIterator()
        #expect(await changes.next() == "a")
        for name in ["b", "c", "d"] { news.publish(snapshot(name)) }
        #expect(await changes.next() == "d")
        news.publish(snapshot("e", isClosed: true))
        #expect(await changes.next() == "e")
        #expect(await changes.next() == nil)
    }

    @Test("An unchanged state is not reported again")
    func unchanged() async {
        let news = ClientNews()
        news.publish(snapshot("a"))
        var changes = ClientChanges(news: news) { $0.consultation }.makeAsyncIterator()
        #expect(await changes.next() == "a")
        var other = snapshot("a")
        other.state.isBusy = true
        news.publish(other)
        news.publish(other)
        let next = Task { [changes] in
            var changes = changes
            return await changes.next()
        }
        news.publish(snapshot("b"))
        #expect(await next.value == "b")
    }

    @Test("After the client closes, a reader gets only the last state")
    func ended() async {
        let news = ClientNews()
        news.publish(snapshot("z", isClosed: true))
        var seen: [String?] = []
        for await value in ClientChanges(news: news, part: { $0.consultation }) { seen.append(value) }
        #expect(seen == ["z"])
    }

    @Test("The inbox rejects commands beyond its limit and after the client closes")
    func inbox() {
        let inbox = ClientInbox()
        for ticket in 1...ClientInbox.capacity { #expect(inbox.add(.archive) == ticket) }
        #expect(inbox.add(.archive) == nil)
        let (asked, closes) = inbox.take()
        #expect(asked.map(\.ticket) == Array(1...ClientInbox.capacity) && !closes)
        #expect(inbox.add(.disconnect) == ClientInbox.capacity + 1)
        inbox.close()
        #expect(inbox.add(.archive) == nil)
        #expect(inbox.take().asked.map(\.command) == [.disconnect])
        #expect(inbox.take().closes)
    }
}
