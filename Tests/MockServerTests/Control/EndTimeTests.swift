import TestSupport
import Testing

@testable import MockServer

@Suite("Connection end times") struct EndTimeTests {
    enum End: CaseIterable {
        case finishes, vanishes, breaksTLS
    }

    private func end(_ wire: VirtualClient, _ how: End, in network: VirtualNetwork) {
        switch how {
        case .finishes: wire.finishWriting()
        case .vanishes: wire.vanish()
        case .breaksTLS:
            network.engine.tlsFailed("A record was changed.", on: wire.id, at: network.now)
            network.settle()
        }
    }

    @Test("The journal records a socket's end with its own time", arguments: End.allCases)
    func socket(_ how: End) throws {
        let network = VirtualNetwork()
        let socket = try network.socket(on: try network.consultation())
        network.advance(by: .seconds(5))
        end(socket.wire, how, in: network)
        let last = try #require(network.engine.journalEntries(ofWorld: World.defaultID).last)
        #expect(last.event.kind == .closed && last.time == VirtualNetwork.start + .seconds(5))
    }

    @Test("The end of a request connection does not advance its world's time", arguments: End.allCases)
    func requests(_ how: End) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        #expect(try client.exchange(.goals).status == 200)
        network.advance(by: .seconds(5))
        end(client.wire, how, in: network)
        #expect(network.engine.time(ofWorld: World.defaultID) == VirtualNetwork.start)
    }
}
