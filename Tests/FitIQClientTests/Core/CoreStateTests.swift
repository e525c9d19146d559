import FitIQAPI
import Testing

@testable import FitIQClient

@Suite("Client core: bounded memory")
struct CoreStateTests {
    @Test("A new client core has no events and no actions")
    func silent() {
        var core = CoreBench().core
        core.advance(to: CoreBench.start)
        let (events, actions) = (core.takeEvents(), core.takeActions())
        #expect(events.isEmpty && actions.isEmpty)
    }

    @Test("The client stores the last 256 ids", arguments: [(256, true), (257, false)])
    func ids(count: Int, hasFirst: Bool) {
        var ids = RecentIDs()
        for number in 1...count { ids.insert("\(number)") }
        #expect(ids.contains("1") == hasFirst && ids.contains("2") && ids.contains("\(count)"))
    }

    @Test("The client keeps the last 256 unread events", arguments: [(255, true), (256, false)])
    func events(others: Int, hasFirst: Bool) {
        var core = CoreBench().core
        core.tell(.changed)
        for _ in 0..<others { core.tell(.credentialsRefused) }
        let events = core.takeEvents()
        #expect(events.count == 256 && (events.first == .changed) == hasFirst)
    }

    @Test("The client waits before it reopens any of the last eight sockets that it closed", arguments: [8, 9])
    func ownCloses(count: Int) {
        var link = ChatLink(CoreBench().core.configuration)
        for number in 1...count {
            link.opening(number, "\(number)", token: "", at: CoreBench.start)
            link.ended(isOwn: true, at: CoreBench.start)
        }
        link.want("1")
        #expect(link.opensAt == (count == 8 ? CoreBench.start.advanced(by: .seconds(3)) : nil))
    }
}
