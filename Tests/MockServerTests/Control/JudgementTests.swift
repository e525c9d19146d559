import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("The judge's view of a world") struct JudgementTests {
    private let network = VirtualNetwork()

    private func world(judged: Bool) throws -> WorldClient {
        let access = try network.engine.makeWorld(
            Scenario(), guide: .consultationWebSocket, judged: judged, at: network.now)
        return try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
    }

    private func judgement(of world: WorldClient) throws -> Judgement {
        try #require(network.engine.judgement(ofWorld: world.id, at: network.now))
    }

    private static let badPath = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"

    private func outcome(_ judgement: Judgement) -> String? {
        judgement.verdicts.first { $0.obligation.id == "ids/lowercase" }.map { "\($0.outcome) \($0.findingCount)" }
    }

    @Test("The judgement grows with the world's traffic", arguments: [true, false])
    func grows(judged: Bool) throws {
        let world = try world(judged: judged)
        if judged {
            let first = try judgement(of: world)
            #expect(outcome(first) == "notExercised 0" && !first.hasConnected)
        }
        #expect(try world.exchange(.get, Self.badPath).status == 404)
        #expect(try world.exchange(.get, "/api/v2/nothing").status == 404)
        let found = try judgement(of: world)
        #expect(outcome(found) == "broken 1" && found.hasConnected)
        #expect(found.missedCount == 0 && found.unmatchedCount == 1)
        // A nonexistent path is not one of the contract's error paths.
        #expect(found.exposures.first { $0.path == .notFound }?.count == 1)
        #expect(try judgement(of: world).unmatchedCount == 1)
    }

    @Test("Only a judged world's verdicts cover entries that the journal lost before the first query")
    func sparesNone() throws {
        let count = 10_300
        let judged = try world(judged: true)
        let late = try world(judged: false)
        for world in [judged, late] {
            let client = try network.client()
            for _ in 0..<count { _ = try client.exchange(world.request(.get, Self.badPath)) }
        }
        let found = try [judged, late].map { try judgement(of: $0) }
        #expect(found.map(outcome) == ["broken \(count)", "broken 10000"] && found.map(\.missedCount) == [0, 300])
    }

    @Test("A judge keeps entries that are displaced by other worlds' journals")
    func sharedRoom() throws {
        let network = VirtualNetwork { $0.limits.journalBytes = 60_000 }
        let access = try network.engine.makeWorld(Scenario(), guide: .consultationWebSocket, at: network.now)
        let world = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        for _ in 0..<100 { _ = try world.exchange(.get, Self.badPath) }
        #expect(network.engine.journalEntries(ofWorld: access.id).count < 100)
        let found = try #require(network.engine.judgement(ofWorld: access.id))
        #expect(outcome(found) == "broken 100" && found.missedCount == 0)
    }

    @Test("A reset or a cleared journal restarts the judge", arguments: ["reset", "journal"])
    func beginsAnew(path: String) throws {
        let world = try world(judged: true)
        _ = try world.exchange(.get, Self.badPath)
        #expect(outcome(try judgement(of: world)) == "broken 1")
        #expect(try world.ask(path == "reset" ? .post : .delete, path).status < 300)
        let found = try judgement(of: world)
        #expect(outcome(found) == "notExercised 0" && !found.hasConnected && found.missedCount == 0)
        _ = try world.exchange(.get, "/api/v1/consultations")
        #expect(try judgement(of: world).missedCount == 0)
    }
}
