import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: verdicts") struct VerdictTests {
    private static let badPath = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"

    @Test(
        "The verdicts endpoint returns each obligation's verdict with evidence and advice",
        arguments: [true, false])
    func verdicts(isDefault: Bool) throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = isDefault ? try network.plainWorld() : try network.world(#"{"judged": true}"#)
        _ = try world.exchange(.get, Self.badPath)
        let answer = try #require(try world.ask(.get, "verdicts").json)
        let verdicts = try #require(answer["verdicts"]?.array)
        #expect(answer["missed"] == 0 && answer["has_connected"] == true && answer["unmatched"] == 0)
        #expect(answer["exposures"]?.array?.contains(["path": "404", "count": 1]) == true)
        let lower = try #require(verdicts.first { $0["id"] == "ids/lowercase" })
        #expect(lower["verdict"] == "broken" && lower["level"] == "must" && lower["finding_count"] == 1)
        #expect(lower["origin"] == "consultation-websocket, best practice 1" && lower["exercised"] == 1)
        let finding = try #require(lower["findings"]?.array?.first)
        #expect(finding["level"] == "must" && finding["message"]?.string?.contains("abcdef00-") == true)
        let journal = try world.journal()
        #expect(finding["evidence"]?.array?.first == journal.first)
    }

    @Test("evidence=numbers returns entry numbers, and each obligation lists its scenarios")
    func numbers() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.plainWorld()
        _ = try world.exchange(.get, Self.badPath)
        let verdicts = try #require(try world.ask(.get, "verdicts?evidence=numbers").json?["verdicts"]?.array)
        let finding = try #require(verdicts.first { $0["id"] == "ids/lowercase" }?["findings"]?.array?.first)
        #expect(finding["entries"] == [1] && finding["evidence"] == nil && finding["level"] == "must")
        let scenarios = verdicts.compactMap { $0["scenarios"]?.array }
        #expect(scenarios.count == verdicts.count && scenarios.contains { !$0.isEmpty })
        #expect(try world.ask(.get, "verdicts?evidence=entries").text == world.ask(.get, "verdicts").text)
        for query in ["evidence=none", "evidence=", "limit=1"] {
            #expect(try world.ask(.get, "verdicts?" + query).status == 400)
        }
    }

    @Test("The verdict summary lists each breach with its first piece of evidence and its advice, and counts the rest")
    func summary() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.plainWorld()
        let unused = try #require(try world.ask(.get, "verdicts?summary=true").json)
        #expect(unused["has_connected"] == false && unused["exit_code"] == 4 && unused["broken"] == [])
        _ = try world.exchange(.get, Self.badPath)
        let long = try world.ask(.get, "verdicts")
        let short = try world.ask(.get, "verdicts?summary=true")
        #expect(short.text.utf8.count * 8 < long.text.utf8.count)
        let broken = try #require(short.json?["broken"]?.array)
        let verdict = try #require(long.json?["verdicts"]?.array?.first { $0["id"] == "ids/lowercase" })
        #expect(broken.count == 1 && broken[0]["id"] == "ids/lowercase" && broken[0]["mark"] == "broken")
        #expect(broken[0]["message"] == verdict["findings"]?[0]?["message"] && broken[0]["entries"] == [1])
        #expect(broken[0]["evidence"]?[0]?.string?.contains("GET \(Self.badPath)") == true)
        #expect(broken[0]["advice"] == verdict["advice"] && short.json?["exit_code"] == 1)
        let kept = long.json?["verdicts"]?.array?.count { $0["verdict"] == "kept" }
        #expect(short.json?["counts"]?["kept"]?.int == kept)
        #expect(try world.ask(.get, "verdicts?summary=maybe").status == 400)
    }

    @Test("Queries filter verdicts by outcome or level and return evidence as lines")
    func chosen() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.plainWorld()
        let empty = try world.ask(.get, "verdicts?verdict=broken&evidence=lines")
        #expect(empty.json?["verdicts"] == [] && empty.text.utf8.count < 1024 && empty.json?["coverage"] == nil)
        network.advance(by: .seconds(2))
        _ = try world.exchange(.get, Self.badPath)
        let all = try #require(try world.ask(.get, "verdicts").json?["verdicts"]?.array)
        let broken = try #require(
            try world.ask(.get, "verdicts?verdict=broken&evidence=lines").json?["verdicts"]?.array)
        #expect(broken.map { $0["id"] } == all.filter { $0["verdict"] == "broken" }.map { $0["id"] })
        let lines = broken.first?["findings"]?[0]?["evidence"]?.array
        #expect(lines?.first?.string?.hasPrefix("#1 +2.000 s  → GET /api/v1/consultations/ABCDEF00-") == true)
        let should = try #require(try world.ask(.get, "verdicts?level=should").json?["verdicts"]?.array)
        #expect(should.map { $0["id"] } == all.filter { $0["level"] == "should" }.map { $0["id"] } && !should.isEmpty)
        for query in ["verdict=bad", "level=may", "outcome=broken"] {
            #expect(try world.ask(.get, "verdicts?" + query).status == 400)
        }
    }

    @Test(
        "Judging starts immediately in a judged world but at the first query in others", arguments: [true, false])
    func judged(_ isJudged: Bool) throws {
        let network = VirtualNetwork()
        let world = try network.world("{\"judged\": \(isJudged)}")
        #expect((network.engine.worlds["\(world.id)"]?.judge != nil) == isJudged)
        _ = try world.ask(.post, "reset", "{}")
        #expect((network.engine.worlds["\(world.id)"]?.judge != nil) == isJudged)
        _ = try world.ask(.get, "verdicts")
        #expect(network.engine.worlds["\(world.id)"]?.judge != nil)
        #expect(try network.admin(.post, "worlds", #"{"judged": "yes"}"#).status == 400)
    }

    @Test("Verdicts say whether the client connected and count unmatched requests")
    func connected() throws {
        let world = try VirtualNetwork().world(#"{"judged": true}"#)
        func facts() throws -> [JSONValue?] {
            let answer = try world.ask(.get, "verdicts").json
            return [answer?["has_connected"], answer?["unmatched"]]
        }
        #expect(try facts() == [false, 0])
        let id = try world.consultation()
        #expect(try world.ask(.delete, "journal").status == 204)
        #expect(try facts() == [false, 0])
        let socket = try world.socket(on: id)
        #expect(try facts() == [true, 0])
        _ = try world.exchange(.get, "/nowhere")
        #expect(try facts() == [true, 1])
        socket.close()
    }

    @Test("The judge reads entries in batches of limited size")
    func batch() throws {
        let network = VirtualNetwork()
        let world = try network.world(#"{"judged": true}"#)
        let served = try #require(network.engine.worlds["\(world.id)"])
        for count in 1...WorldJudge.batch {
            _ = try world.exchange(.get, "/nowhere")
            #expect(served.judge?.lastNumber == (count == WorldJudge.batch ? count : 0))
        }
    }

    @Test("A world's judge ignores other worlds' clients and starts over at a reset")
    func isolation() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let (one, other) = (try network.world(), try network.world())
        func outcome(_ world: WorldClient) throws -> JSONValue? {
            try world.ask(.get, "verdicts").json?["verdicts"]?.array?.first { $0["id"] == "ids/lowercase" }?["verdict"]
        }
        _ = try one.exchange(.get, Self.badPath)
        #expect(try outcome(one) == "broken" && outcome(other) == "not_exercised")
        _ = try one.ask(.post, "reset", #"{"judged": true}"#)
        #expect(try outcome(one) == "not_exercised")
    }
}
