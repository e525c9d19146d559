import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: verdicts") struct VerdictTests {
    private static let badPath = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"
    private let network = VirtualNetwork { $0.mode = .consultationWebSocket }

    private static func verdicts(_ world: WorldClient, _ query: String = "") throws -> [JSONValue] {
        try #require(try world.ask(.get, "verdicts" + query).json?["verdicts"]?.array)
    }

    private static func lowercase(_ verdicts: [JSONValue]) throws -> JSONValue {
        try #require(verdicts.first { $0["id"] == "ids/lowercase" })
    }

    @Test("The verdicts endpoint returns each obligation's verdict with evidence and advice", arguments: [true, false])
    func verdicts(isDefault: Bool) throws {
        let world = isDefault ? try network.plainWorld() : try network.world(#"{"judged": true}"#)
        _ = try world.exchange(.get, Self.badPath)
        let answer = try #require(try world.ask(.get, "verdicts").json)
        #expect(answer.values(of: "missed", "has_connected", "unmatched") == [0, true, 0])
        #expect(answer["exposures"]?.array?.contains(["path": "404", "count": 1]) == true)
        let lower = try Self.lowercase(try #require(answer["verdicts"]?.array))
        let facts = lower.values(of: "verdict", "level", "finding_count", "exercised", "origin")
        #expect(facts == ["broken", "must", 1, 1, "consultation-websocket, best practice 1"])
        let finding = try #require(lower["findings"]?.array?.first)
        #expect(finding["level"] == "must" && finding["message"]?.string?.contains("abcdef00-") == true)
        #expect(finding["evidence"]?.array?.first == (try world.journal().first))
    }

    @Test("evidence=numbers returns entry numbers, and each obligation lists its scenarios")
    func numbers() throws {
        let world = try network.plainWorld()
        _ = try world.exchange(.get, Self.badPath)
        let verdicts = try Self.verdicts(world, "?evidence=numbers")
        let finding = try #require(try Self.lowercase(verdicts)["findings"]?.array?.first)
        #expect(finding.values(of: "entries", "evidence", "level") == [[1], nil, "must"])
        let scenarios = verdicts.compactMap { $0["scenarios"]?.array }
        #expect(scenarios.count == verdicts.count && scenarios.contains { !$0.isEmpty })
        #expect(try world.ask(.get, "verdicts?evidence=entries").text == world.ask(.get, "verdicts").text)
    }

    @Test(
        "The verdicts endpoint rejects unknown or invalid queries",
        arguments: [
            "evidence=none", "evidence=", "limit=1", "summary=maybe", "verdict=bad", "level=may", "outcome=broken",
        ])
    func refused(_ query: String) throws {
        #expect(try network.plainWorld().ask(.get, "verdicts?" + query).status == 400)
    }

    @Test("The verdict summary lists each breach with its first piece of evidence and its advice, and counts the rest")
    func summary() throws {
        let world = try network.plainWorld()
        let unused = try #require(try world.ask(.get, "verdicts?summary=true").json)
        #expect(unused.values(of: "has_connected", "exit_code", "broken") == [false, 4, []])
        _ = try world.exchange(.get, Self.badPath)
        let long = try world.ask(.get, "verdicts")
        let short = try world.ask(.get, "verdicts?summary=true")
        #expect(short.text.utf8.count * 8 < long.text.utf8.count)
        let broken = try #require(short.json?["broken"]?.array)
        let all = try #require(long.json?["verdicts"]?.array)
        let verdict = try Self.lowercase(all)
        #expect(broken.count == 1 && broken[0]["evidence"]?[0]?.string?.contains("GET \(Self.badPath)") == true)
        #expect(
            broken[0].values(of: "id", "mark", "message", "entries", "advice")
                == ["ids/lowercase", "broken", verdict["findings"]?[0]?["message"], [1], verdict["advice"]])
        #expect(short.json?["exit_code"] == 1)
        #expect(short.json?["counts"]?["kept"]?.int == all.count { $0["verdict"] == "kept" })
    }

    @Test("Queries filter verdicts by outcome or level and return evidence as lines")
    func chosen() throws {
        let world = try network.plainWorld()
        let empty = try world.ask(.get, "verdicts?verdict=broken&evidence=lines")
        #expect(empty.json?["verdicts"] == [] && empty.text.utf8.count < 1024 && empty.json?["coverage"] == nil)
        network.advance(by: .seconds(2))
        _ = try world.exchange(.get, Self.badPath)
        let all = try Self.verdicts(world)
        let broken = try Self.verdicts(world, "?verdict=broken&evidence=lines")
        #expect(broken.map { $0["id"] } == all.filter { $0["verdict"] == "broken" }.map { $0["id"] })
        let lines = broken.first?["findings"]?[0]?["evidence"]?.array
        #expect(lines?.first?.string?.hasPrefix("#1 +2.000 s  → GET /api/v1/consultations/ABCDEF00-") == true)
        let should = try Self.verdicts(world, "?level=should")
        #expect(should.map { $0["id"] } == all.filter { $0["level"] == "should" }.map { $0["id"] } && !should.isEmpty)
    }

    @Test("Judging starts immediately in a judged world but at the first query in others", arguments: [true, false])
    func judged(_ isJudged: Bool) throws {
        let world = try network.world("{\"judged\": \(isJudged)}")
        func hasJudge() -> Bool { network.engine.worlds["\(world.id)"]?.judge != nil }
        #expect(hasJudge() == isJudged)
        _ = try world.ask(.post, "reset", "{}")
        #expect(hasJudge() == isJudged)
        _ = try world.ask(.get, "verdicts")
        #expect(hasJudge())
        #expect(try network.admin(.post, "worlds", #"{"judged": "yes"}"#).status == 400)
    }

    @Test("Verdicts say whether the client connected and count unmatched requests")
    func connected() throws {
        let world = try VirtualNetwork().world(#"{"judged": true}"#)
        func facts() throws -> [JSONValue?]? {
            try world.ask(.get, "verdicts").json?.values(of: "has_connected", "unmatched")
        }
        #expect(try facts() == [false, 0])
        let id = try world.consultation()
        #expect(try world.ask(.delete, "journal").status == 204 && facts() == [false, 0])
        let socket = try world.socket(on: id)
        #expect(try facts() == [true, 0])
        _ = try world.exchange(.get, "/nowhere")
        #expect(try facts() == [true, 1])
        socket.close()
    }

    @Test("The judge reads entries in batches of limited size")
    func batch() throws {
        let world = try network.world(#"{"judged": true}"#)
        let served = try #require(network.engine.worlds["\(world.id)"])
        for count in 1...WorldJudge.batch {
            _ = try world.exchange(.get, "/nowhere")
            #expect(served.judge?.lastNumber == (count == WorldJudge.batch ? count : 0))
        }
    }

    @Test("A world's judge ignores other worlds' clients and starts over at a reset")
    func isolation() throws {
        let (one, other) = (try network.world(), try network.world())
        func outcome(_ world: WorldClient) throws -> JSONValue? {
            try Self.lowercase(try Self.verdicts(world))["verdict"]
        }
        _ = try one.exchange(.get, Self.badPath)
        #expect(try outcome(one) == "broken" && outcome(other) == "not_exercised")
        _ = try one.ask(.post, "reset", #"{"judged": true}"#)
        #expect(try outcome(one) == "not_exercised")
    }
}
