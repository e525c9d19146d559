import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: slices of an event stream") struct FollowerSliceTests {
    /// An event stream whose client accepts no bytes, and that gets only the events that a test sends.
    private struct Stream {
        let network: VirtualNetwork
        let connection: Connection
        private let wire: VirtualClient

        init(_ query: String = "", limit: Int = 256 * 1024, slice: Int = 64 * 1024, earlier: Int = 0) throws {
            let network = VirtualNetwork { $0.limits.unsentBytesBeforeReadingPauses = limit }
            network.motion = .slicesByTurn
            for _ in 0..<earlier { _ = try network.exchange(.goals) }
            network.engine.streams.sliceSize = slice
            let wire = try network.open(window: 0)
            wire.send(Request(target: "/__admin/events" + query).bytes)
            let connection = try #require(network.connection(of: wire))
            (self.network, self.wire, self.connection) = (network, wire, connection)
        }

        var unsent: Int { connection.output.count }
        var lastNumber: Int? { connection.follower?.lastNumber }

        /// Sends one slice and returns its cost.
        func feed() -> Int { network.engine.feedFollower(connection, at: network.now) }

        func happen(_ count: Int) throws {
            for _ in 0..<count { #expect(try network.exchange(.goals).status == 200) }
        }
    }

    /// The cost of the first entry, and the unsent bytes with it.
    private static func first() throws -> (cost: Int, unsent: Int) {
        let stream = try Stream(slice: 1)
        try stream.happen(3)
        let cost = stream.feed()
        #expect(stream.lastNumber == 1)
        return (cost, stream.unsent)
    }

    @Test(
        "A slice ends after the entry that fills it, and a stream adds entries until its unsent bytes exceed the limit",
        arguments: [("slice", 0, 1), ("slice", 1, 2), ("limit", -1, 1), ("limit", 0, 2)])
    func entries(_ bound: String, _ more: Int, _ lastNumber: Int) throws {
        let first = try Self.first()
        let stream = try bound == "slice" ? Stream(slice: first.cost + more) : Stream(limit: first.unsent + more)
        try stream.happen(3)
        _ = stream.feed()
        #expect(stream.lastNumber == lastNumber)
    }

    @Test("A stream adds verdicts unless its unsent bytes exceed the limit", arguments: [-1, 0])
    func verdicts(_ more: Int) throws {
        let unsent = try Stream().unsent
        let stream = try Stream("?verdicts=true", limit: unsent + more)
        _ = stream.feed()
        #expect((stream.unsent > unsent) == (more == 0))
    }

    @Test("When judging fills a slice, the verdicts follow in the next slice and count towards its cost")
    func judging() throws {
        let entry = try #require(try Stream(earlier: 1).network.engine.journalEntries(ofWorld: World.defaultID).first)
        let stream = try Stream("?verdicts=true", slice: WorldJudge.costOfEntry + entry.byteCount, earlier: 1)
        let unsent = stream.unsent
        #expect(stream.feed() == WorldJudge.costOfEntry + entry.byteCount && stream.unsent == unsent)
        let cost = stream.feed()
        #expect(stream.unsent > unsent && cost == stream.unsent - unsent + 16 * 1024)
    }
}
